"""Files of a study: the source of its data, and the files that a workbench may replace."""

from __future__ import annotations

import errno
import os
import re
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, NamedTuple

import pandas as pd

from bnlab._runtime.files import FileChanged, digest_of, keep_copy, numbered, replace_file, write_new
from bnlab.data.file_format import FileFormat
from bnlab.data.load import as_path, load_frame
from bnlab.data.packed import PACKED
from bnlab.data.readers import NEEDED, SUFFIXES, read_file, suffix_of
from bnlab.data.table import Table
from bnlab.data.text import WrongFormat

WRITTEN = FileFormat(missing_marks=(), strip_blanks=False)
"""Format of the data that `keep_beside` writes: every cell is read back as it was."""


class Source(NamedTuple):
    """Data, and how to read them again.

    `path` is the argument of `bnlab.load_frame`, empty for data from elsewhere; `name` is shown to users. `content` is
    that of an uploaded file, which is not on this disk. `digest` is the SHA-256 of the file at `path` if `keep_beside`
    wrote it, and empty for a file of the user. `format` is the format of a text file or a spreadsheet, None for other
    data; `sheets` are the names of the sheets of a spreadsheet.
    """

    frame: pd.DataFrame
    path: str
    name: str
    content: bytes | None = None
    digest: str = ""
    format: FileFormat | None = None
    sheets: tuple[str, ...] = ()

    def read_as(self, format: FileFormat) -> Source:
        """Read the same file in another format; ValueError if it has no format, or as for `bnlab.load_frame`."""
        if self.format is None:
            raise ValueError(f"{self.name} is no text file and no spreadsheet: it has no format.")
        if self.content is None:
            return open_source(self.path, format)
        return read_sent(self.name, self.content, format)


class Unread(ValueError):
    """A file cannot be read in a format; `source` has no data, but can be read in another format."""

    def __init__(self, message: str, source: Source) -> None:
        super().__init__(message)
        self.source = source


def open_source(data: str | os.PathLike[str] | pd.DataFrame | Table, format: FileFormat | None = None) -> Source:
    """Read data as `bnlab.load_frame` does, with its errors; a plain Table is its DataFrame."""
    if isinstance(data, Table):
        if data.interventions or data.weights is not None:
            raise ValueError(
                "some rows of the table are interventions or have weights, and a study keeps neither: learn with "
                "bnlab.learn(table), or open the rows without, table.with_interventions(None).with_weights(None)."
            )
        return Source(data.to_pandas(), "", "a Table")
    if (path := as_path(data)) is not None:
        return _read_source(str(data), path, None, format)
    frame = load_frame(data, format=format)
    return Source(frame, data, data) if isinstance(data, str) else Source(frame, "", "a DataFrame")


def read_sent(name: str, content: bytes, format: FileFormat | None = None) -> Source:
    r"""Read an uploaded file; its name is only shown and determines the kind of file. Raises as `read_file` does.

    Examples
    --------
    >>> read_sent("../pets.csv", b"pet,legs\ncat,4\nfish,0\n").frame["legs"].tolist()
    [4, 0]
    """
    if suffix_of(Path(name)) not in (*SUFFIXES, ".zip"):
        raise ValueError(f"{name!r} cannot be read: {NEEDED}")
    return _read_source("", Path(name), content, format)


def _read_source(given: str, path: Path, content: bytes | None, format: FileFormat | None) -> Source:
    name = str(path) if content is not None else path.name
    try:
        found = read_file(path, content, format)
    except WrongFormat as error:
        raise Unread(str(error), Source(pd.DataFrame(), given, name, content, format=error.format)) from None
    return Source(found.frame, given, name, content, format=found.format, sheets=found.sheets)


def keep_beside(source: Source, path: Path) -> Source:
    """Write data that are in no file next to the file of the study; return their new source.

    No file is replaced: the data get a free name, unless a file already has this content. A file that was written
    before is used again as long as it is unchanged.
    """
    if source.path and (not source.digest or digest_of(source.path) == source.digest):
        return source
    suffix = _suffix(Path(source.name)) if source.content is not None else ".csv"
    stem = re.sub(r"\.study$", "", path.stem)
    beside = write_new(path.with_name(f"{stem}-data{suffix}"), partial(_write_data, source))
    kept = source._replace(path=str(beside), digest=digest_of(beside) or "")
    return kept if source.content is not None else kept._replace(format=WRITTEN, sheets=())


def _suffix(path: Path) -> str:
    """Suffix of a file, with that of its content if it is packed."""
    kind = path.suffix.lower()
    return f"{Path(path.stem).suffix.lower()}{kind}" if kind in PACKED else kind


def _write_data(source: Source, file: IO[bytes]) -> None:
    if source.content is not None:
        file.write(source.content)
    else:
        source.frame.to_csv(file, index=False)


class SavedFiles:
    """Files that one workbench has opened or written, with the SHA-256 that each had at that time.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> mine, others = SavedFiles(), SavedFiles()
    >>> mine.write(folder / "a.json", "1")
    >>> mine.write(folder / "a.json", "2")
    >>> others.write(folder / "a.json", "3").name  # "2" is kept
    'a-2.json'
    >>> mine.write_beside_others(folder / "a.json", "4").name
    'a-3.json'
    """

    def __init__(self) -> None:
        self._digests: dict[Path, str | None] = {}

    def note(self, path: Path, digest: str | None) -> None:
        """Remember a file that was opened, with its digest at that time."""
        self._digests[_place(path)] = digest

    def write(self, path: Path, content: str | bytes, *, overwrite: bool = False) -> Path | None:
        """Write a file that the user named; return the new path of an older file if that was renamed.

        An older file of that name is renamed, unless this workbench has opened or written it or `overwrite` is True.
        FileExistsError if this workbench has opened or written the file and something else has changed it since;
        OSError as for `replace_file`.
        """
        data = content.encode() if isinstance(content, str) else content
        digest, known = sha256(data).hexdigest(), self._digests.get(_place(path))
        kept: list[Path] = []

        def check(old: Path) -> None:
            if overwrite or digest_of(old) in (known, digest):
                return
            if known is not None:
                raise FileChanged(
                    errno.EEXIST,
                    "the file has changed since this workbench opened or saved it, perhaps by another process; choose "
                    "another name, or replace it by overwrite=True",
                    os.fspath(path),
                )
            kept.append(keep_copy(old))

        replace_file(path, content, check)
        self._digests[_place(path)] = digest
        return kept[0] if kept else None

    def write_beside_others(self, path: Path, content: str | bytes) -> Path:
        """Write a file under a default name or the next free one; return its path.

        It only replaces a file that this workbench has written under one of these names.
        """
        for own in numbered(path):
            if not os.path.lexists(own):
                break
            known = self._digests.get(_place(own))
            if known is not None and digest_of(own) == known:
                self.write(own, content)
                return own
        written = write_new(path, content)
        self._digests[_place(written)] = digest_of(written)
        return written


def _place(path: Path) -> Path:
    return Path(os.path.realpath(path))
