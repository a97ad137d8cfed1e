"""Format of a text file or a spreadsheet: separator, decimal mark, encoding, names and sheet."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial

from bnlab._runtime.values import FLAG, check_text, one_of
from bnlab.data.encodings import ENCODINGS

SEPARATORS = ("\t", ";", "|", ",", " ")
"""Between columns; " " is any number of blanks, and counts only if no other one separates anything. If several give all
lines the same width, the first one counts: commas are often decimal marks."""
DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", "'", " ")


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
