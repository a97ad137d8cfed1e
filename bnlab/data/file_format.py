"""Format of a text file or a spreadsheet: separator, decimal mark, encoding, names and sheet; its detection."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import islice

from bnlab._runtime.values import FLAG, check_text, one_of
from bnlab.data.cells import CERTAIN_MARKS, number
from bnlab.data.encodings import ENCODINGS

SEPARATORS = ("\t", ";", "|", ",", " ")
"""Between columns; " " is any number of blanks, and counts only if no other one separates anything. If several give all
lines the same width, the first one counts: commas are often decimal marks."""
DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", "'", " ")
_SAMPLE, _LINES = 1 << 18, 200
_LEAST = 3
_WHOLE = re.compile(r"[+-]?\d+")
_SEPARATOR_LINE = re.compile(r'"?sep=([;,\t|])"?[;,\t|]*\r?(?=\n|$)', re.IGNORECASE)


@dataclass(frozen=True, repr=False)
class FileFormat:
    r"""Format in which a text file or a spreadsheet is read.

    Attributes
    ----------
    separator : {",", ";", "\t", "|", " "}
        Separator between the columns of a text file; " " is any number of blanks.
    decimal : {".", ","}
        Decimal mark of the numbers in a text file.
    encoding : str
        Encoding of a text file: "utf-8" (also with a byte order mark), "cp1252" (Windows, Western Europe), "utf-16" and
        others.
    header : bool
        Whether the first line names the columns; otherwise they are called "column 1", "column 2" and so on.
    sheet : str, optional
        Name of the sheet of a spreadsheet; by default the first one. Detection chooses the sheet with the most cells.
    thousands : {"", ",", ".", "'", " "}
        Mark between groups of three digits of the numbers in a text file; "" for none. It applies only to columns of
        numbers: dates such as 01.02.2020 do not change.
    missing_marks : tuple of str, optional
        Cells without a value; empty ones always are. By default "NA", "NaN", "?" and all of `MISSING_MARKS` that make
        no sense as a value of any column (see `bnlab.data.cells.missing_marks_of`). Detection gives those that occur.
    strip_blanks : bool
        Whether blanks around the cells and the names of a text file are left out.

    Raises
    ------
    ValueError
        If a value is not allowed, or the decimal mark is the thousands mark.

    Examples
    --------
    >>> FileFormat(separator=";", decimal=",", encoding="cp1252")
    FileFormat(separator=';', decimal=',', encoding='cp1252')
    >>> FileFormat()
    FileFormat()
    """

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    header: bool = True
    sheet: str | None = None
    thousands: str = ""
    missing_marks: tuple[str, ...] | None = None
    strip_blanks: bool = True

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        put("separator", one_of(*SEPARATORS).checked("separator", self.separator))
        put("decimal", one_of(*DECIMALS).checked("decimal", self.decimal))
        put("encoding", one_of(*ENCODINGS).checked("encoding", self.encoding))
        put("header", FLAG.checked("header", self.header))
        put("strip_blanks", FLAG.checked("strip_blanks", self.strip_blanks))
        put("sheet", None if self.sheet is None else check_text("sheet", self.sheet))
        put("thousands", one_of(*THOUSANDS).checked("thousands", self.thousands))
        marks: object = self.missing_marks
        if marks is not None:
            if not isinstance(marks, tuple | list):
                raise ValueError(f"missing_marks={marks!r}: give a list of texts.")
            put("missing_marks", tuple(check_text("missing_marks", mark) for mark in marks))
        if self.thousands == self.decimal:
            raise ValueError(f"decimal = thousands = {self.decimal!r}: the two marks differ; change one of them.")

    def corrected(self, name: str, value: object) -> FileFormat:
        """Same format with another value; if that makes both marks the same, the other mark changes too.

        Examples
        --------
        >>> FileFormat(decimal=",", thousands=".").corrected("decimal", ".")
        FileFormat(thousands=',')
        """
        values = {name: value}
        for one, other in (("decimal", "thousands"), ("thousands", "decimal")):
            if name == one and value == getattr(self, other):
                values[other] = "," if value == "." else "."
        return replace(self, **values)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        """Return the attributes that differ from the defaults."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        usual = {field.name: field.default for field in fields(self)}
        listed = (f"{name}={value!r}" for name, value in given.items() if value != usual[name])
        return f"FileFormat({', '.join(listed)})"


class WrongFormat(ValueError):
    """A text file cannot be read in the format `format`."""

    def __init__(self, message: str, format: FileFormat) -> None:
        super().__init__(message)
        self.format = format


def detected_layout(text: str, encoding: str, separator: str | None = None) -> FileFormat:
    r"""Format of a text. Its separator, if none is stated, gives the most lines the width of the first one.

    Its cells show the rest.

    Examples
    --------
    >>> detected_layout("Ort;Grad\nKöln;37,6\nBonn;38,1\n", "utf-8")
    FileFormat(separator=';', decimal=',')
    """
    sample = text[:_SAMPLE]
    if len(sample) < len(text) and "\n" in sample:
        sample = sample[: sample.rindex("\n")]
    rows = {separator: list(_first_rows(sample, separator)) for separator in SEPARATORS}
    shares = {separator: _share_of_first_width(lines) for separator, lines in rows.items()}
    blank = shares.pop(" ")
    separator = separator or (
        max(shares, key=shares.__getitem__) if any(shares.values()) else " " if blank == 1 else ","
    )
    decimal, thousands = _marks([cell for row in rows[separator] for cell in row], separator)
    header = has_names(rows[separator], decimal, thousands)
    return FileFormat(separator, decimal, encoding, header, thousands=thousands)


def without_separator_line(text: str) -> tuple[str, str | None]:
    r"""Text without a line ``sep=...``, as Excel writes it, and the separator that this line names, or None.

    Examples
    --------
    >>> without_separator_line("sep=;\na;b\n"), without_separator_line("a;b\n")
    (('\na;b\n', ';'), ('a;b\n', None))
    """
    found = _SEPARATOR_LINE.match(text)
    return (text, None) if found is None else (text[found.end() :], found[1])


def _marks(cells: Sequence[str], separator: str) -> tuple[str, str]:
    """Decimal and thousands mark for which the most cells are numbers; numbers with both marks take precedence."""
    # If commas separate cells, a cell has one only in quotation marks: it is more likely 1,234 than 1,5.
    decimals = "." if separator == "," else DECIMALS
    marked = [text for cell in cells if (text := cell.strip()) and not _WHOLE.fullmatch(text)]
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for thousands in THOUSANDS:
        for decimal in (mark for mark in decimals if mark != thousands):
            numbers = list(filter(number(decimal, thousands).fullmatch, marked))
            both = sum(decimal in text and thousands in text for text in numbers) if thousands else 0
            found[decimal, thousands] = both, len(numbers)
    return max(found, key=found.__getitem__)


def _first_rows(sample: str, separator: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(sample), delimiter=separator, skipinitialspace=True)
    try:
        yield from islice(filter(None, reader), _LINES)
    except csv.Error:  # reported when the whole file is read
        return


def _share_of_first_width(rows: Sequence[Sequence[str]]) -> float:
    """Share of the rows with the number of cells of the first row; 0 if they have only one cell.

    All others may have one cell more: a first one for the names of the rows, or a last one that is empty.
    """
    if not rows or max(map(len, rows)) == 1:
        return 0.0
    width = len(rows[0])
    if width > 1 and len(rows) > 1 and all(len(row) == width + 1 for row in rows[1:]):
        return 1.0
    return sum(len(row) == width for row in rows) / len(rows) if width > 1 else 0.0


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
        or (is_number(cell, decimal, thousands) and not _WHOLE.fullmatch(cell.strip()))
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
