"""Readers of data files: text, spreadsheets, Parquet and other formats that pandas reads."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from bnlab._runtime.files import check_readable, open_to_read
from bnlab._runtime.names import check_known
from bnlab.data.cells import Cells, marks_in, typed_column
from bnlab.data.encodings import decoded
from bnlab.data.file_format import (
    FileFormat,
    WrongFormat,
    detected_layout,
    has_names,
    without_separator_line,
)
from bnlab.data.packed import PACKED, Damaged, TooLarge, packing_of, unpacked

if TYPE_CHECKING:
    import pandas as pd

TEXT = (".csv", ".tsv", ".tab", ".txt")
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
_PARQUET, _FEATHER, _SPSS, _STATA = (".parquet", ".pq"), ".feather", ".sav", ".dta"
SUFFIXES = (*TEXT, *SHEETS, *_PARQUET, _FEATHER, _SPSS, _STATA)
"""Suffixes of the files that can be read."""
READERS = {
    **dict.fromkeys((".xlsx", ".xlsm"), "openpyxl"),
    ".xls": "xlrd",
    ".ods": "odfpy",
    **dict.fromkeys((*_PARQUET, _FEATHER), "pyarrow"),
    _SPSS: "pyreadstat",
}
"""Packages that pandas needs to read some of these files."""
MAX_UNPACKED = 1000
NEEDED = f"give the path of a file that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}."
_QUOTES = "Is a quotation mark never closed, or a line end of another system inside the line?"
_HEAD = 200
_UNNAMED = "column {}"
_INDEX = re.compile(r"Unnamed: [0-9]+(?:\.[0-9]+)*")
"""Names that pandas gives to columns without one."""


class FileRead(NamedTuple):
    """Data of a file, its format (None if it has none), its sheets, and whether its encoding is a guess."""

    frame: pd.DataFrame
    format: FileFormat | None = None
    sheets: tuple[str, ...] = ()
    guessed: bool = False


def read_file(
    path: Path,
    content: bytes | None = None,
    format: FileFormat | None = None,
    missing_marks: Sequence[str] | None = None,
) -> FileRead:
    """Read a file, or its given content; the path is then only its name.

    The format of a text file or a spreadsheet is detected unless it is given; of a text file, `missing_marks` may
    replace those that are detected.

    Raises
    ------
    ValueError
        If the suffix is unknown, the file cannot be read (in the given format), or a format is given and such files
        have none.
    ImportError
        If the package that reads such files is missing; the message names it.
    OSError
        If there is no such file, it is a folder, or reading is not permitted.
    """
    suffix = suffix_of(path)
    if format is not None and suffix in SUFFIXES and suffix not in (*TEXT, *SHEETS):
        raise ValueError(f"format={format!r}: {path} is no text file and no spreadsheet; leave the format out.")
    if content is None and path.suffix.lower() in _PARQUET:
        check_readable(path, NEEDED)
        return FileRead(_read_other(path, None))
    known = suffix in (*SUFFIXES, ".zip")
    if content is None:
        with open_to_read(path, NEEDED) as file:
            content = file.read() if known else b""
    if known and (packing := _packing(path, content)) is not None:
        content, name = _unpacked(path, content, packing)
        if suffix not in SUFFIXES:  # the name in the archive says what it holds; pandas writes text without a suffix
            path, suffix = path / name, Path(name).suffix.lower() or ".csv"
    if suffix in TEXT:
        return _read_text(path, content, format, missing_marks)
    if suffix in SHEETS:
        return _read_sheet(path, content, format, missing_marks)
    if suffix in SUFFIXES:
        return FileRead(_read_other(path, content))
    raise ValueError(
        f"{str(path)!r} ends in {path.suffix!r}: {NEEDED} Read other files with pandas, and pass the DataFrame."
    )


def suffix_of(path: Path) -> str:
    """Suffix that says what a file holds, in lower case, whether it is packed or not."""
    suffix = path.suffix.lower()
    return (Path(path.stem).suffix.lower() or suffix) if suffix in PACKED else suffix


def _packing(path: Path, content: bytes) -> str | None:
    """How a file is packed: its suffix says so, or the content of what should be text does."""
    suffix = path.suffix.lower()
    if suffix in PACKED:
        return suffix
    return packing_of(content) if suffix in TEXT else None


def _unpacked(path: Path, content: bytes, packing: str) -> tuple[bytes, str]:
    """Content of a packed file, and its name inside; ValueError if it is damaged, or far larger than its size."""
    try:
        return unpacked(content, packing, max(1 << 26, MAX_UNPACKED * len(content)))
    except Damaged as error:
        raise ValueError(f"{path} is a damaged {packing} file, or none: {error}.") from None
    except TooLarge:
        raise ValueError(
            f"{path} unpacks to more than {MAX_UNPACKED} times its size: unpack it yourself to read it."
        ) from None


def _read_text(path: Path, content: bytes, format: FileFormat | None, missing_marks: Sequence[str] | None) -> FileRead:
    """Read a text file; whole numbers with missing values remain whole numbers."""
    import pandas as pd

    usual = format or FileFormat()
    try:
        text, encoding, guessed = decoded(content, None if format is None else format.encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise WrongFormat(
            f"{path}, line {line}: byte {content[error.start]:#04x} is not {error.encoding}; choose another encoding, "
            "such as bnlab.data.FileFormat(encoding='cp1252').",
            usual,
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise WrongFormat(
            f"{path}, line {line}: a zero byte is no text; save the file as UTF-8, or choose its encoding, such as "
            "bnlab.data.FileFormat(encoding='utf-16').",
            usual,
        )
    text, stated = without_separator_line(text)
    format = format or detected_layout(text, encoding, stated)
    separator = format.separator
    if separator == " ":
        text, separator = _with_commas(text, path, format), ","
    layout = replace(format, separator=separator)
    columns, head = _checked_columns(text, path, layout)
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
    marks = marks_in(
        [set(column.texts) for column in cells.values()],
        format.missing_marks if missing_marks is None else missing_marks,
    )
    missing = {"", *marks}
    typed = {name: typed_column(column, format.decimal, format.thousands, missing) for name, column in cells.items()}
    found = marks if marks or format.missing_marks is not None else None
    read = pd.DataFrame(typed)
    if format.header and format.strip_blanks:  # otherwise everything is read as it is
        read = _without_row_names(read, "" if head[0].strip() else _UNNAMED.format(1))
    return FileRead(read, replace(format, missing_marks=found), guessed=guessed)


def _without_row_names(frame: pd.DataFrame, unnamed: str = "") -> pd.DataFrame:
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
    _refuse_repeated(named, path, format)
    if not n_lines:
        raise WrongFormat(f"{path} has a line of names and no line of values.", format)
    return named, first


def _refuse_repeated(names: Sequence[str | None], path: Path, format: FileFormat) -> None:
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


def _read_sheet(path: Path, content: bytes, format: FileFormat | None, missing_marks: Sequence[str] | None) -> FileRead:
    """Read one sheet of a spreadsheet."""
    import pandas as pd

    with errors_named(path), pd.ExcelFile(io.BytesIO(content)) as book:
        sheets = tuple(map(str, book.sheet_names))
        if format is None:
            rows = partial(pd.read_excel, book, header=None, nrows=_HEAD, dtype=object)
            heads = {sheet: rows(sheet_name=sheet) for sheet in sheets}
            sheet = max(sheets, key=lambda sheet: heads[sheet].size)
            cells = [["" if pd.isna(cell) else str(cell) for cell in row] for row in heads[sheet].to_numpy()]
            format = FileFormat(header=has_names(cells), sheet=sheet if len(sheets) > 1 else None)
        if format.sheet is not None:
            check_known(format.sheet, sheets, f"no sheet is called {format.sheet!r}")
        read = partial(
            pd.read_excel,
            book,
            sheet_name=format.sheet or sheets[0],
            header=0 if format.header else None,
            keep_default_na=False,
        )
        names = read(header=None, nrows=int(format.header), dtype=str).to_numpy().ravel().tolist()
        texts = [set(map(str, column)) for _, column in read(dtype=object, na_filter=False).items()]
        marks = marks_in(texts, format.missing_marks if missing_marks is None else missing_marks)
        frame = read(na_values=["", *marks], dtype_backend="numpy_nullable")
    _refuse_repeated([name or None for name in names], path, format)  # pandas would call one of them a.1
    if not format.header:
        frame.columns = pd.Index([f"column {i + 1}" for i in range(frame.shape[1])], dtype=object)
    found = marks if marks or format.missing_marks is not None else None
    return FileRead(_without_row_names(frame.rename(columns=str)), replace(format, missing_marks=found), sheets)


def _read_other(path: Path, content: bytes | None) -> pd.DataFrame:
    import pandas as pd

    suffix = suffix_of(path)
    with errors_named(path):
        if suffix in _PARQUET:
            return pd.read_parquet(path if content is None else io.BytesIO(content), dtype_backend="numpy_nullable")
        assert content is not None
        if suffix == _FEATHER:
            return pd.read_feather(io.BytesIO(content), dtype_backend="numpy_nullable")
        if suffix == _STATA:
            return pd.read_stata(io.BytesIO(content))
        with TemporaryDirectory() as folder:  # the reader of SPSS data accepts only files
            copy = Path(folder, f"data{_SPSS}")
            copy.write_bytes(content)
            frame = pd.read_spss(os.fspath(copy), dtype_backend="numpy_nullable")
            return _in_order_of_codes(frame, copy)


def _in_order_of_codes(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """SPSS data with labels in the order of their codes; pandas sorts them alphabetically."""
    import pyreadstat

    _, known = pyreadstat.read_sav(path, metadataonly=True)
    for name in frame.columns[frame.dtypes == "category"]:
        used = set(frame[name].cat.categories)
        labels = sorted(known.variable_value_labels.get(name, {}).items())
        order = dict.fromkeys(label for _, label in labels if label in used)
        frame[name] = frame[name].cat.reorder_categories([*order, *sorted(used - {*order}, key=str)])
    frame.attrs = {}  # some writers of files fail on attributes
    return frame


@contextmanager
def errors_named(path: str | os.PathLike[str], kind: str = "") -> Iterator[None]:
    """Convert errors of other packages into errors that name the file, its kind, and a missing package."""
    suffix = suffix_of(Path(path))
    try:
        yield
    except ImportError:
        package = READERS[kind or suffix]
        raise ImportError(f"reading {path} needs {package}: pip install {package}.") from None
    except MemoryError:
        raise
    except Exception as error:
        words = (str(error) or type(error).__name__).rstrip(".")
        if "format cannot be determined" in words:  # the message of pandas is about its arguments
            words = "its content is no spreadsheet; save it again, or as text"
        raise ValueError(f"{path} cannot be read as a {kind or suffix} file: {words}.") from error
