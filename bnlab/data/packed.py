"""Content of packed files: by gzip, bzip2, xz, zip (one file inside) or Zstandard."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

_CHUNK = 1 << 12


class Damaged(ValueError):
    """Content that does not unpack."""


class TooLarge(ValueError):
    """Content that unpacks to more than the limit."""


class Unpacked(NamedTuple):
    """Content of a packed file, and its name in an archive (empty elsewhere)."""

    data: bytes
    name: str = ""


def packing_of(data: bytes) -> str | None:
    """Suffix of the files that begin like this one, None if it is not packed.

    Examples
    --------
    >>> packing_of(gzip.compress(b"a,b")), packing_of(b"a,b")
    ('.gz', None)
    """
    return next((suffix for suffix, begin in _BEGINS.items() if data.startswith(begin)), None)


def unpacked(data: bytes, suffix: str, limit: int) -> Unpacked:
    """Content of a packed file.

    Parameters
    ----------
    data : bytes
    suffix : str
        One of `PACKED`.
    limit : int
        Largest size in bytes.

    Raises
    ------
    Damaged
        (A ValueError.) If the data do not unpack, or are an archive of several files, or of none.
    TooLarge
        (A ValueError.) If the content is larger than the limit.
    ImportError
        If the file is of Zstandard, and the package zstandard is not installed.

    Examples
    --------
    >>> unpacked(gzip.compress(b"a,b"), ".gz", 100)
    Unpacked(data=b'a,b', name='')
    """
    try:
        found = _OPENED[suffix](data, limit)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError) as e:
        raise Damaged(str(e).rstrip(".")) from None
    if len(found.data) > limit:
        raise TooLarge
    return found


def _stream(opened: Callable[[io.BytesIO], Any]) -> Callable[[bytes, int], Unpacked]:
    def read(data: bytes, limit: int) -> Unpacked:
        with opened(io.BytesIO(data)) as file:
            return Unpacked(file.read(limit + 1))

    return read


def _zip(data: bytes, limit: int) -> Unpacked:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        # Archives of macOS have a hidden file beside each file.
        files = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
        if len(files) != 1:
            names = ", ".join(repr(file.filename) for file in files[:5])
            raise Damaged(f"it has {len(files)} files inside ({names}) where one is needed; unpack it, and name one")
        with archive.open(files[0]) as file:
            return Unpacked(file.read(limit + 1), files[0].filename)


def _zst(data: bytes, limit: int) -> Unpacked:
    try:
        import zstandard
    except ImportError:
        raise ImportError("reading .zst files needs zstandard: pip install zstandard.") from None
    parts: list[bytes] = []
    size = 0
    while data and size <= limit:  # a file may have several frames
        frame = zstandard.ZstdDecompressor().decompressobj()
        at = 0
        while at < len(data) and not frame.eof and size <= limit:
            try:
                parts.append(frame.decompress(data[at : at + _CHUNK]))
            except zstandard.ZstdError as error:
                raise Damaged(str(error)) from None
            size += len(parts[-1])
            at += _CHUNK
        if not frame.eof and size <= limit:
            raise Damaged("it ends too early")
        data = frame.unused_data + data[at:]
    return Unpacked(b"".join(parts))


_OPENED: dict[str, Callable[[bytes, int], Unpacked]] = {
    ".gz": _stream(lambda file: gzip.GzipFile(fileobj=file)),
    ".bz2": _stream(bz2.BZ2File),
    ".xz": _stream(lzma.LZMAFile),
    ".zip": _zip,
    ".zst": _zst,
}
_BEGINS = {
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh",
    ".xz": b"\xfd7zXZ\x00",
    ".zip": b"PK\x03\x04",
    ".zst": b"\x28\xb5\x2f\xfd",
}
PACKED = tuple(_OPENED)
"""Suffixes of packed files."""
