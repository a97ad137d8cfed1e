"""Readers of data files: text, spreadsheets, Parquet and other formats that pandas reads."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from bnlab._runtime.files import check_readable, open_to_read
from bnlab._runtime.names import check_known
from bnlab.data.cells import typed_column
from bnlab.data.encodings import decoded
from bnlab.data.file_format import (
    MISSING_MARKS,
    FileFormat,
    WrongFormat,
    detected_layout,
    has_names,
    without_separator_line,
)

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
NEEDED = f"give the path of a file that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}."
_QUOTES = "Is a quotation mark never closed, or a line end of another system inside the line?"
_HEAD = 200


class FileRead(NamedTuple):
    """Data of a file, its format (None if it has none), its sheets, and whether its encoding is a guess."""

    frame: pd.DataFrame
    format: FileFormat | None = None
    sheets: tuple[str, ...] = ()
    guessed: bool = False


def read_file(path: Path, content: bytes | None = None, format: FileFormat | None = None) -> FileRead:
    """Read a file, or its given content; the path is then only its name.

    The format of a text file or a spreadsheet is detected unless it is given.

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
    suffix = path.suffix.lower()
    if format is not None and suffix in SUFFIXES and suffix not in (*TEXT, *SHEETS):
        raise ValueError(f"format={format!r}: {path} is no text file and no spreadsheet; leave the format out.")
    if content is None and suffix in _PARQUET:
        check_readable(path, NEEDED)
        return FileRead(_read_other(path, None))
    if content is None:
        with open_to_read(path, NEEDED) as file:
            content = file.read() if suffix in SUFFIXES else b""
    if suffix in TEXT:
        return _read_text(path, content, format)
    if suffix in SHEETS:
        return _read_sheet(path, content, format)
    if suffix in SUFFIXES:
        return FileRead(_read_other(path, content))
    raise ValueError(
        f"{str(path)!r} ends in {path.suffix!r}: {NEEDED} Read other files with pandas, and pass the DataFrame."
    )


def _read_text(path: Path, content: bytes, format: FileFormat | None) -> FileRead:
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
    format = format or detected_layout(text, encoding)
    text, _ = without_separator_line(text)
    names = _checked_names(text, path, format)
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=format.separator,
            header=0 if format.header else None,
            names=None if format.header else names,
            index_col=False,
            na_filter=False,
            skipinitialspace=True,
            dtype=str,
        )
    except pd.errors.ParserError as error:
        raise WrongFormat(f"{path} cannot be read as text with {format!r}: {error}. {_QUOTES}", format) from None
    columns = [typed_column(column, format.decimal, format.thousands, MISSING_MARKS) for _, column in frame.items()]
    return FileRead(pd.DataFrame(dict(zip(names, columns, strict=True))), format, guessed=guessed)


def _checked_names(text: str, path: Path, format: FileFormat) -> list[str]:
    """Names of the columns; ValueError if names repeat, or a line has another number of cells."""
    lines = _lines(text, path, format)
    _, first = next(lines, (0, None))
    if first is None or (format.header and not "".join(first).strip()):
        raise WrongFormat(f"{path} is empty: it needs a line of names and lines of values.", format)
    names = [name.strip(" \t") for name in first] if format.header else [f"column {i + 1}" for i in range(len(first))]
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        raise WrongFormat(
            f"{path}: the column names {', '.join(map(repr, repeated))} occur more than once; rename them in the file, "
            "or read its first row as data.",
            format,
        )
    line_number = 0
    for line_number, line in lines:
        if len(line) != len(names):
            raise WrongFormat(
                f"{path}, line {line_number}: {len(line)} fields where the first line has {len(names)} "
                f"(the separator is {format.separator!r}). Choose another separator, or put quotation marks around "
                "each value that contains it.",
                format,
            )
    if format.header and not line_number:
        raise WrongFormat(f"{path} has a line of names and no line of values.", format)
    return names


def _lines(text: str, path: Path, format: FileFormat) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each line that is not blank."""
    reader = csv.reader(io.StringIO(text), delimiter=format.separator, skipinitialspace=True)
    try:
        yield from ((reader.line_num, line) for line in reader if line)
    except csv.Error as error:
        raise WrongFormat(f"{path}, line {reader.line_num}: {error}. {_QUOTES}", format) from None


def _read_sheet(path: Path, content: bytes, format: FileFormat | None) -> FileRead:
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
        frame = pd.read_excel(
            book,
            sheet_name=format.sheet or sheets[0],
            header=0 if format.header else None,
            na_values=list(MISSING_MARKS),
            keep_default_na=False,
            dtype_backend="numpy_nullable",
        )
    if not format.header:
        frame.columns = pd.Index([f"column {i + 1}" for i in range(frame.shape[1])], dtype=object)
    return FileRead(frame.rename(columns=str), format, sheets)


def _read_other(path: Path, content: bytes | None) -> pd.DataFrame:
    import pandas as pd

    suffix = path.suffix.lower()
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
    suffix = Path(path).suffix.lower()
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
