"""Text files: the detection of their format, and reading in a format."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bnlab.data.cells import INTEGER, Cells, has_names, marks_in, number, typed_column
from bnlab.data.encodings import decoded
from bnlab.data.file_format import DECIMALS, SEPARATORS, THOUSANDS, FileFormat

if TYPE_CHECKING:
    import pandas as pd

_SAMPLE, _LINES = 1 << 18, 200
_SEPARATOR_LINE = re.compile(r'"?sep=([;,\t|])"?[;,\t|]*\r?(?=\n|$)', re.IGNORECASE)
"""First line of some files that Excel writes, which names the separator."""
_QUOTES = "Is a quotation mark never closed, or a line end of another system inside the line?"
_UNNAMED = "column {}"
_INDEX = re.compile(r"Unnamed: [0-9]+(?:\.[0-9]+)*")
"""Names that pandas gives to columns without one."""


class FileRead(NamedTuple):
    """Data of a file, its format (None if it has none), its sheets, and whether its encoding is a guess."""

    frame: pd.DataFrame
    format: FileFormat | None = None
    sheets: tuple[str, ...] = ()
    guessed: bool = False


class WrongFormat(ValueError):
    """A text file cannot be read in the format `format`."""

    def __init__(self, message: str, format: FileFormat) -> None:
        super().__init__(message)
        self.format = format


def read_text(
    path: Path, content: bytes, format: FileFormat | None = None, missing_marks: Sequence[str] | None = None
) -> FileRead:
    """Read a text file; whole numbers with missing values remain whole numbers.

    WrongFormat if it cannot be read in its format.
    """
    import pandas as pd

    text, format, guessed = _text_and_format(path, content, format)
    separator = format.separator
    if separator == " ":
        text, separator = _with_commas(text, path, format), ","
    columns, head = _checked_columns(text, path, replace(format, separator=separator))
    if format.header and len(head) < len(columns):
        text = separator + text  # pandas warns of a line of names that is shorter than the others
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            header=0 if format.header else None,
            names=range(len(columns)),
            index_col=False,
            na_filter=False,
            skipinitialspace=format.strip_blanks,
            dtype=str,
        )
    except pd.errors.ParserError as error:
        raise WrongFormat(f"{path} cannot be read as text with {format!r}: {error}. {_QUOTES}", format) from None
    kept = {i: name for i, name in enumerate(columns) if name is not None}
    cells = {name: Cells.of(frame[i], strip_blanks=format.strip_blanks) for i, name in kept.items()}
    given = format.missing_marks if missing_marks is None else missing_marks
    marks = marks_in([set(column.texts) for column in cells.values()], given)
    typed = {name: typed_column(c, format.decimal, format.thousands, {"", *marks}) for name, c in cells.items()}
    read = pd.DataFrame(typed)
    if format.header and format.strip_blanks:  # otherwise everything is read as it is
        read = without_row_names(read, "" if head[0].strip() else _UNNAMED.format(1))
    found = marks if marks or format.missing_marks is not None else None
    return FileRead(read, replace(format, missing_marks=found), guessed=guessed)


def _text_and_format(path: Path, content: bytes, format: FileFormat | None) -> tuple[str, FileFormat, bool]:
    """Text of a file, its format, which is detected unless it is given, and whether the encoding is a guess."""
    try:
        text, encoding, guessed = decoded(content, None if format is None else format.encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise WrongFormat(
            f"{path}, line {line}: byte {content[error.start]:#04x} is not {error.encoding}; choose another encoding, "
            "such as bnlab.data.FileFormat(encoding='cp1252').",
            format or FileFormat(),
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise WrongFormat(
            f"{path}, line {line}: a zero byte is no text; save the file as UTF-8, or choose its encoding, such as "
            "bnlab.data.FileFormat(encoding='utf-16').",
            format or FileFormat(),
        )
    stated = _SEPARATOR_LINE.match(text)
    if stated is not None:
        text = text[stated.end() :]
    return text, format or detected_layout(text, encoding, stated and stated[1]), guessed


def without_row_names(frame: pd.DataFrame, unnamed: str = "") -> pd.DataFrame:
    """Frame without first columns that have no name and only number or name the rows, as pandas and R write them.

    Such a column has another value in every row; `unnamed` is its name in the frame.
    """
    while frame.shape[1] > 1 and (frame.columns[0] == unnamed or _INDEX.fullmatch(frame.columns[0])):
        first = frame.iloc[:, 0]
        if len(first) < 2 or first.dtype.kind == "f" or first.hasnans or not first.is_unique:
            break
        frame = frame.iloc[:, 1:]
    return frame


def _with_commas(text: str, path: Path, format: FileFormat) -> str:
    """Text whose columns commas separate instead of blanks."""
    file = io.StringIO()
    csv.writer(file).writerows(line for _, line in _lines(text, path, format))
    return file.getvalue()


def _checked_columns(text: str, path: Path, format: FileFormat) -> tuple[list[str | None], list[str]]:
    """Names of the columns, and the first line.

    A name is None where the column holds nothing: row names of R, or columns without names and values.
    ValueError if names repeat, or lines differ in their number of cells.
    """
    lines = _lines(text, path, format)
    _, first = next(lines, (0, None))
    empty = not text.strip(f"{format.separator} \t\r\n")
    if first is None or empty or (format.header and not "".join(first).strip()):
        raise WrongFormat(f"{path} is empty: it needs a line of names and lines of values.", format)
    width, n_lines = len(first), int(not format.header)
    empty_columns = [i for i, cell in enumerate(first) if not cell.strip() and (format.header or i == width - 1)]
    for line_number, line in lines:
        if not n_lines and format.header and len(line) != width:
            if len(line) == len(first) + 1 and len(first) > 1:
                width = len(line)
                empty_columns.append(width - 1)
            elif len(line) < width and not "".join(first[len(line) :]).strip():  # names end with separators
                width = len(line)
        n_lines += 1
        if len(line) != width:
            raise WrongFormat(
                f"{path}, line {line_number}: {len(line)} fields where the first line has {len(first)} "
                f"(the separator is {format.separator!r}). Choose another separator, or put quotation marks around "
                "each value that contains it.",
                format,
            )
        if empty_columns:
            empty_columns = [i for i in empty_columns if i >= width or not line[i].strip()]
    stripped = [name.strip(" \t") for name in first]
    if not format.strip_blanks or len(set(stripped)) < len(set(first)):  # names that only blanks tell apart
        stripped = first
    names = stripped if format.header else [""] * width
    named: list[str | None] = [name or _UNNAMED.format(i) for i, name in enumerate(names, start=1)]
    if width > len(first):
        named = [*named, None] if width - 1 in empty_columns else [None, *named]
        empty_columns = (
            [i + int(named[0] is None) for i in empty_columns if i < len(first)] if named[-1] is None else []
        )
    if len(empty_columns) < len(named):
        named = [None if i in empty_columns else name for i, name in enumerate(named)]
    refuse_repeated(named, path, format)
    if not n_lines:
        raise WrongFormat(f"{path} has a line of names and no line of values.", format)
    return named, first


def refuse_repeated(names: Sequence[str | None], path: Path, format: FileFormat) -> None:
    """Raise a WrongFormat if two columns have one name; those called None have none."""
    repeated = sorted(name for name, times in Counter(names).items() if times > 1 and name is not None)
    if repeated:
        raise WrongFormat(
            f"{path}: two columns are called {', '.join(map(repr, repeated))}; rename one in the file, "
            "or read its first row as data.",
            format,
        )


def _lines(text: str, path: Path, format: FileFormat) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each line that is not blank."""
    reader = csv.reader(io.StringIO(text), delimiter=format.separator, skipinitialspace=format.strip_blanks)
    try:
        yield from ((reader.line_num, line) for line in reader if line)
    except csv.Error as error:
        raise WrongFormat(f"{path}, line {reader.line_num}: {error}. {_QUOTES}", format) from None


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


def _marks(cells: Sequence[str], separator: str) -> tuple[str, str]:
    """Decimal and thousands mark for which the most cells are numbers; numbers with both marks take precedence."""
    # If commas separate cells, a cell has one only in quotation marks: it is more likely 1,234 than 1,5.
    decimals = "." if separator == "," else DECIMALS
    marked = [text for cell in cells if (text := cell.strip()) and not INTEGER.fullmatch(text)]
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
