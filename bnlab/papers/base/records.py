"""Files of records: JSON lines with checksums, to which several processes may append at the same time."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeAlias

from bnlab._runtime.files import locked

Record: TypeAlias = dict[str, Any]
StoredRecords: TypeAlias = "str | os.PathLike[str] | Iterable[Record]"
"""A file of records, or records such as the values of a grid's state."""

CHECKSUM = "~crc32"
_CHECKED = re.compile(rb': "[0-9a-f]{8}"}\n?$')


class RecordFile:
    """JSON lines, one record per line; each record is forced to disk when it is appended.

    Each line ends with a checksum under the key "~crc32"; files without checksums can be read too. An incomplete last
    line, which a kill or a full disk leaves, is not read, and the next record replaces it; any other broken line is an
    error. While one process appends, others wait, so that several can share a file.

    Parameters
    ----------
    path : path-like
        The file and its folder are created at the first record.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._begin()

    def load(self) -> list[Record]:
        """Return all stored records.

        Raises
        ------
        ValueError
            If a line cannot be read or does not match its checksum; the message names the line.
        """
        self._begin()
        return self.news()

    def news(self) -> list[Record]:
        """Return the records that this object has not returned yet; errors are those of `load`."""
        try:
            with self.path.open("rb") as file, locked(file, shared=True):
                return self._read(file)
        except FileNotFoundError:
            self._begin()
            return []

    def append(self, record: Record) -> None:
        """Store one record.

        Raises
        ------
        OSError
            If it cannot be written; the records before it do not change.
        """
        with self.appending() as (_, append):
            append(record)

    @contextmanager
    def appending(self) -> Iterator[tuple[list[Record], Callable[[Record], None]]]:
        """Lock the file; yield the records that others have stored since, and a function that appends a record."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b", buffering=0) as file, locked(file):
            yield self._read(file), partial(self._write, file)

    def _begin(self) -> None:
        self._end, self._lines, self._checked, self._ended = 0, 0, False, True

    def _read(self, file: IO[bytes]) -> list[Record]:
        if self._end > os.fstat(file.fileno()).st_size:
            self._begin()
        file.seek(self._end)
        content = file.read()
        if content.startswith(b"\n") and not self._ended:
            content, self._end, self._ended = content[1:], self._end + 1, True
        whole = content[: content.rfind(b"\n") + 1]
        found = [self._take(line) for line in whole.splitlines(keepends=True)]
        if len(content) > len(whole):
            with suppress(ValueError):  # left by a kill; a complete record has lost its line end in an editor
                found.append(self._take(content[len(whole) :]))
                self._ended = False
        return found

    def _take(self, line: bytes) -> Record:
        """Read the next line."""
        record = self._parse(line)
        self._end += len(line)
        self._lines += 1
        return record

    def _write(self, file: IO[bytes], record: Record) -> None:
        """Write a record, over an incomplete last line if there is one; on an error the file does not change."""
        text = json.dumps(record)
        check = json.dumps({CHECKSUM: _checksum(json.loads(text))})
        line = f"{'' if self._ended else chr(10)}{text[:-1]}{', ' if record else ''}{check[1:]}\n".encode()
        try:
            os.ftruncate(file.fileno(), self._end)
            written = 0
            while written < len(line):
                written += file.write(line[written:])
            os.fsync(file.fileno())
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(file.fileno(), self._end)
            raise OSError(
                error.errno,
                f"{error.strerror}: a record could not be stored, the {self._lines} before it are whole; make room and "
                "run again",
                str(self.path),
            ) from error
        self._end += len(line)
        self._lines += 1
        self._checked = self._ended = True

    def _parse(self, line: bytes) -> Record:
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise ValueError("it holds no names")
            check = record.pop(CHECKSUM, None)
            if check is None and (self._checked or _CHECKED.search(line)):
                raise ValueError("its checksum is gone")
            if check is not None and check != _checksum(record):
                raise ValueError("its checksum is that of something else")
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{self.path}, line {self._lines + 1}: not a record ({error}); delete the line to have its "
                "cell run again"
            ) from error
        self._checked = check is not None
        return record


def stored_records(records: StoredRecords) -> list[Record]:
    """Records of a file, or the given records, such as the values of a grid's state."""
    return RecordFile(records).load() if isinstance(records, str | os.PathLike) else list(records)


def _checksum(record: Record) -> str:
    return f"{zlib.crc32(json.dumps(record, sort_keys=True).encode()):08x}"
