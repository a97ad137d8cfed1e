"""Marks of missing values in text, decided once for a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

CERTAIN_MARKS = ("", "NA", "NaN", "?")
"""Marks that are missing values in every file."""
NULL_MARKS = ("NULL", "Null", "null", "(null)", "nan", "-nan", "NaT", "<NA>", "#N/A", "#NA", "#NULL!")
"""Marks that programs write."""
MISSING_MARKS = (*CERTAIN_MARKS, *NULL_MARKS, "None", "N/A", "n/a", "*", "-", ".")
"""Marks that are missing values where the columns make sense without them."""


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
