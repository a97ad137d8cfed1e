"""Cells of a text file: the type of each column, marks of missing values, and whether the first row has names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

CERTAIN_MARKS = ("", "NA", "NaN", "?")
"""Marks that are missing values in every file."""
NULL_MARKS = ("NULL", "Null", "null", "(null)", "nan", "-nan", "NaT", "<NA>", "#N/A", "#NA", "#NULL!")
"""Marks that programs write."""
MISSING_MARKS = (*CERTAIN_MARKS, *NULL_MARKS, "None", "N/A", "n/a", "*", "-", ".")
"""Marks that are missing values where the columns make sense without them."""
INTEGER = re.compile(r"[+-]?\d+")
_LEAST = 3
"""Least number of columns whose names count from 0 or 1."""
_WHOLE = r"[+-]?[0-9]++"
_CANONICAL = r"[+-]?(?:0|[1-9][0-9]{0,19})"  # without leading zeros, and of no more digits than any type of integers
_BOOLEANS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}
_END = "\0"
"""Between cells, which hold no zero byte, so that one search looks at all of them."""


@cache
def number(decimal: str, thousands: str) -> re.Pattern[str]:
    r"""Pattern of numbers with these marks, with or without groups of three digits.

    Examples
    --------
    >>> [bool(number(",", ".").fullmatch(text)) for text in ("1.234,5", "1234,5", "1.234", "12.34", "01.234", "1e5")]
    [True, True, True, False, False, True]
    """
    point, group = re.escape(decimal), re.escape(thousands)
    groups = rf"[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+(?:{point}[0-9]*)?" if thousands else r"(?!)"
    plain = rf"(?:[0-9]+{point}?[0-9]*|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    return re.compile(rf"[+-]?(?:{groups}|{plain}|inf(?:inity)?|Inf(?:inity)?)")


class Cells(NamedTuple):
    """Distinct cells of a column of text, and which of them each row has.

    Attributes
    ----------
    texts : list of str
        May repeat if outer blanks are left out.
    which : ndarray of int, shape (N,)
    """

    texts: list[str]
    which: NDArray[np.intp]

    @classmethod
    def of(cls, column: pd.Series, *, strip_blanks: bool = True) -> Cells:
        """Cells of a column of str, without outer blanks by default."""
        import pandas as pd

        which, distinct = pd.factorize(column)
        texts = distinct.tolist()
        return cls([text.strip(" \t") for text in texts] if strip_blanks else texts, which)


def typed_column(
    cells: Cells, decimal: str = ".", thousands: str = "", missing: Collection[str] = ("",)
) -> pd.api.extensions.ExtensionArray:
    """Values of a column whose cells are text.

    The column holds whole numbers, numbers with decimals, or booleans if all
    cells but missing ones are such; otherwise, and if a whole number begins with a zero (a postcode, an article
    number), it holds text. So no two different texts become one state, but ``+1`` and ``1``.

    Parameters
    ----------
    cells : Cells
        No cell holds a zero byte.
    decimal, thousands : str
        Marks of the numbers; `thousands` may be empty.
    missing : collection of str
        Cells without a value.

    Returns
    -------
    extension array
        Int64, or UInt64 for numbers from 2**63 on; Float64, boolean or string. Whole numbers that neither holds are
        text.

    Examples
    --------
    >>> import pandas as pd
    >>> [str(typed_column(Cells.of(pd.Series(cells))).dtype) for cells in (["1", " 2", ""], ["01", "1"], ["1.5", "2"])]
    ['Int64', 'string', 'Float64']
    """
    known = list(dict.fromkeys(text for text in cells.texts if text not in missing))
    position = {text: k for k, text in enumerate(known)}
    codes = np.array([position.get(text, -1) for text in cells.texts], dtype=np.intp)[cells.which]
    return _values(known, decimal, thousands).take(codes, allow_fill=True)


def _values(texts: list[str], decimal: str, thousands: str) -> pd.api.extensions.ExtensionArray:
    """Distinct cells as values of one type."""
    import pandas as pd

    if texts and set(texts) <= _BOOLEANS.keys():
        return pd.array([_BOOLEANS[text] for text in texts], dtype="boolean")
    plain = _plain_numbers(texts, decimal, thousands)
    if plain is not None and not _all(_WHOLE, plain):
        return pd.array(list(map(float, plain)), dtype="Float64")
    if plain is not None and _all(_CANONICAL, plain):
        whole = [0, *map(int, plain)]
        for kind, nullable in (("int64", "Int64"), ("uint64", "UInt64")):
            limits = np.iinfo(kind)
            if limits.min <= min(whole) and max(whole) <= limits.max:
                return pd.array(np.array(whole[1:], dtype=kind), dtype=nullable)
    return pd.array(texts, dtype="string")


def _plain_numbers(texts: list[str], decimal: str, thousands: str) -> list[str] | None:
    """Numbers as Python writes them; None unless all texts are numbers."""
    if not _all(number(decimal, thousands).pattern, texts):
        return None
    if thousands:
        texts = [text.replace(thousands, "") for text in texts]
    return texts if decimal == "." else [text.replace(decimal, ".") for text in texts]


def _all(pattern: str, texts: list[str]) -> bool:
    """Whether each text matches a pattern as a whole."""
    return re.fullmatch(rf"(?:(?:{pattern}){_END})*+", "".join([text + _END for text in texts])) is not None


def missing_marks_of(columns: Iterable[Collection[str]]) -> tuple[str, ...]:
    """Marks that are missing values in a file, of which each column is given by its distinct cells.

    A mark that is not certain is a value in the whole file if some column has fewer than two other values, such as
    "None" beside "Some", or has signs as values, such as "-" beside "+", or "*" beside "**". For a mark that programs
    write, such as "NULL", one column with other values is enough.

    Examples
    --------
    >>> missing_marks_of([{"0", "1", "NULL"}, {"x", "NULL"}, {"low", "high", "?"}])
    ('', 'NA', 'NaN', '?', 'NULL')
    >>> missing_marks_of([{"-", "+"}, {"x", "NULL"}, {"1", "2", "None"}, {"Some", "None"}])
    ('', 'NA', 'NaN', '?')
    """
    found: dict[str, list[bool]] = {}
    for cells in columns:
        marks = [mark for mark in MISSING_MARKS if mark in cells and mark not in CERTAIN_MARKS]
        if not marks:
            continue
        values = [cell for cell in cells if cell not in MISSING_MARKS]
        has_sense = len(values) > 1 and all(any(map(str.isalnum, value)) for value in values)
        for mark in marks:
            found.setdefault(mark, []).append(has_sense)
    missing = [mark for mark, senses in found.items() if (any if mark in NULL_MARKS else all)(senses)]
    return (*CERTAIN_MARKS, *missing)


def marks_in(columns: Sequence[Collection[str]], given: Sequence[str] | None = None) -> tuple[str, ...]:
    """Marks that are given, or else the missing values that occur in the columns, without the empty cell.

    Examples
    --------
    >>> marks_in([{"0", "1", "NULL", ""}]), marks_in([{"0", "1", "NULL"}], ["1"])
    (('NULL',), ('1',))
    """
    if given is not None:
        return tuple(given)
    occurring = {cell for cells in columns for cell in cells}
    return tuple(mark for mark in missing_marks_of(columns) if mark and mark in occurring)


def has_names(rows: Sequence[Sequence[str]], decimal: str = ".", thousands: str = "") -> bool:
    """Whether the first row names the columns: not if it holds numbers only, or more than half of its cells are values.

    A cell is a value if it is missing, is a number with decimals, or occurs again in its column.

    Examples
    --------
    >>> has_names([["country", "2019", "2020"], ["DE", "1.5", "2.5"]])
    True
    >>> has_names([["yes", "no"], ["no", "no"], ["yes", "no"]])
    False
    >>> has_names([["2019", "2020"], ["1", "0"]]), has_names([["0", "1", "2"], ["1", "1", "0"]])
    (True, True)
    """
    if not rows:
        return True
    least = _LEAST
    if len(rows[0]) > 1 and not rows[0][0].strip():  # a column that numbers the rows has no name
        least = 1 if len({row[0] for row in rows}) == len(rows) else _LEAST
        rows = [row[1:] for row in rows]
    first, others = rows[0], rows[1:]
    numbers = [is_number(cell, decimal, thousands) for cell in first]
    columns = [{row[i] for row in others if i < len(row)} for i in range(len(first))]
    if all(numbers) and others and _are_counted_names(first, columns, len(others), least):
        return True
    if all(numbers) or not others:
        return not all(numbers)
    values = sum(
        cell in CERTAIN_MARKS
        or cell in column
        or (is_number(cell, decimal, thousands) and not INTEGER.fullmatch(cell.strip()))
        for cell, column in zip(first, columns, strict=True)
    )
    return values <= len(first) / 2


def _are_counted_names(first: Sequence[str], columns: Sequence[set[str]], n_rows: int, least: int) -> bool:
    """Whether whole numbers are names: they count from 0; or from 1, or are years, unlike the cells below them.

    If they count, there are `least` of them.
    """
    if len(first) < min(2, least) or not all(cell.isascii() and cell.isdigit() for cell in first):
        return False
    numbers = list(map(int, first))
    if len(first) >= least and numbers == list(range(len(numbers))):
        return True
    if all(map(_is_year, first)) and len(set(numbers)) == len(numbers):
        return not any(_is_year(cell.strip()) for column in columns for cell in column)
    counted = len(first) >= least and numbers == list(range(1, len(numbers) + 1))
    return counted and first[-1] not in columns[-1] and all(len(column) < n_rows for column in columns)


def _is_year(cell: str) -> bool:
    return len(cell) == 4 and cell.isascii() and cell.isdigit() and cell[0] in "12"


def is_number(text: str, decimal: str = ".", thousands: str = "") -> bool:
    """Whether a cell holds a number."""
    if thousands and number(decimal, thousands).fullmatch(text.strip()):
        return True
    try:
        float(text.replace(",", ".") if decimal == "," else text)
    except ValueError:
        return False
    return True
