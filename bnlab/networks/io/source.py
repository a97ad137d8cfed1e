"""Content of the files that networks are read from: packed or not, and in any encoding."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path

from bnlab._runtime.files import open_to_read
from bnlab.data.encodings import decoded, warn_of_guess
from bnlab.networks.io.draft import NetworkFileError

MAX_UNPACKED = 100
MAX_BYTES = 2**30


def read_content(path: str | os.PathLike[str], needed: str) -> bytes:
    """Bytes of a file, unpacked if it is a gzip file.

    Raises
    ------
    NetworkFileError
        If the file has 1 GB or more, is a damaged gzip file, or unpacks to more than 100 times its size.
    OSError
        If there is no such file, or it cannot be read; `needed` says what is needed instead.
    """
    with open_to_read(path, needed) as file:
        if os.fstat(file.fileno()).st_size >= MAX_BYTES:
            raise NetworkFileError("the file has 1 GB or more: no network in text is so large.", f"{path}: ")
        data = file.read()
    if data[:2] != b"\x1f\x8b":
        return data
    limit = min(MAX_UNPACKED * len(data) + (1 << 20), MAX_BYTES)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            data = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise NetworkFileError(f"the file is a damaged gzip file: {error}.", f"{path}: ") from None
    if len(data) > limit:
        raise NetworkFileError(
            f"the file unpacks to more than {MAX_UNPACKED} times its size: unpack it yourself to read it.", f"{path}: "
        )
    return data


def as_text(data: bytes, path: str | os.PathLike[str]) -> str:
    """Text of a file in any encoding, with a warning if that is a guess; NetworkFileError if it is no text."""
    text, encoding, guessed = decoded(data)
    if guessed:
        if "\0" in text:
            raise NetworkFileError("the file holds zero bytes: it is no text.", f"{path}: ")
        warn_of_guess(Path(path).name, encoding, "save the file as UTF-8.")
    return text.removeprefix("\ufeff")
