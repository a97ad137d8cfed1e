"""Readers of data files: text, spreadsheets, Parquet and other formats that pandas reads."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bnlab._runtime.files import check_readable, open_to_read
from bnlab._runtime.names import check_known
from bnlab.data.cells import has_names, marks_in
from bnlab.data.file_format import FileFormat
from bnlab.data.packed import PACKED, Damaged, TooLarge, Unpacked, packing_of, unpacked
from bnlab.data.text import FileRead, read_text, refuse_repeated, without_row_names

if TYPE_CHECKING:
    import pandas as pd

TEXT = (".csv", ".tsv", ".tab", ".txt")
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
_PARQUET, _FEATHER, _SPSS, _STATA = (".parquet", ".pq"), ".feather", ".sav", ".dta"
_FRAMES = (*_PARQUET, _FEATHER, _SPSS, _STATA)
SUFFIXES = (*TEXT, *SHEETS, *_FRAMES)
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
_HEAD = 200


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
    if format is not None and suffix in _FRAMES:
        raise ValueError(f"format={format!r}: {path} is no text file and no spreadsheet; leave the format out.")
    known = suffix in (*SUFFIXES, ".zip")
    if content is None and path.suffix.lower() in _PARQUET:
        check_readable(path, NEEDED)  # pandas opens it, or the folder of its parts
    elif content is None:
        with open_to_read(path, NEEDED) as file:
            content = file.read() if known else b""
    if content is not None and known:
        content, name = _unpacked(path, content)
        if suffix not in SUFFIXES:  # the name in the archive says what it holds; pandas writes text without a suffix
            path, suffix = path / name, Path(name).suffix.lower() or ".csv"
    if content is not None and suffix in TEXT:
        return read_text(path, content, format, missing_marks)
    if suffix in _FRAMES:
        return FileRead(_read_frame(path, content))
    if content is not None and suffix in SHEETS:
        return _read_sheet(path, content, format, missing_marks)
    raise ValueError(
        f"{str(path)!r} ends in {path.suffix!r}: {NEEDED} Read other files with pandas, and pass the DataFrame."
    )


def suffix_of(path: Path) -> str:
    """Suffix that says what a file holds, in lower case, whether it is packed or not."""
    suffix = path.suffix.lower()
    return (Path(path.stem).suffix.lower() or suffix) if suffix in PACKED else suffix


def _unpacked(path: Path, content: bytes) -> Unpacked:
    """Content of a file that its suffix or, of what should be text, its beginning calls packed; or as it is given.

    ValueError if it is damaged, or far larger than its size.
    """
    suffix = path.suffix.lower()
    packing = suffix if suffix in PACKED else packing_of(content) if suffix in TEXT else None
    if packing is None:
        return Unpacked(content)
    try:
        return unpacked(content, packing, max(1 << 26, MAX_UNPACKED * len(content)))
    except Damaged as error:
        raise ValueError(f"{path} is a damaged {packing} file, or none: {error}.") from None
    except TooLarge:
        raise ValueError(
            f"{path} unpacks to more than {MAX_UNPACKED} times its size: unpack it yourself to read it."
        ) from None


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
    refuse_repeated([name or None for name in names], path, format)  # pandas would call one of them a.1
    if not format.header:
        frame.columns = pd.Index([f"column {i + 1}" for i in range(frame.shape[1])], dtype=object)
    found = marks if marks or format.missing_marks is not None else None
    return FileRead(without_row_names(frame.rename(columns=str)), replace(format, missing_marks=found), sheets)


def _read_frame(path: Path, content: bytes | None) -> pd.DataFrame:
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
