"""Content of the files that networks are read from: packed or not, and in any encoding."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path

from bnlab._runtime.files import open_to_read
from bnlab.data.encodings import decoded, warn_of_guess
from bnlab.data.packed import Damaged, TooLarge, packing_of, unpacked
from bnlab.networks.io.draft import NetworkFileError

MAX_UNPACKED = 100
MAX_BYTES = 2**30
_DECLARED = re.compile(rb"\s*<\?xml[^>]*\bencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")


def read_content(path: str | os.PathLike[str], needed: str) -> bytes:
    """Bytes of a file, unpacked if it is packed (see `bnlab.data.packed`).

    Raises
    ------
    NetworkFileError
        If the file has 1 GB or more, is a damaged packed file, or unpacks to more than 100 times its size.
    ImportError
        If the file is packed by Zstandard, and the package zstandard is not installed.
    OSError
        If there is no such file, or it cannot be read; `needed` says what is needed instead.
    """
    with open_to_read(path, needed) as file:
        if os.fstat(file.fileno()).st_size >= MAX_BYTES:
            raise NetworkFileError("the file has 1 GB or more: no network in text is so large.", f"{path}: ")
        data = file.read()
    packing = packing_of(data)
    if packing is None:
        return data
    try:
        return unpacked(data, packing, min(MAX_UNPACKED * len(data) + (1 << 20), MAX_BYTES)).data
    except Damaged as error:
        raise NetworkFileError(f"the file is a damaged {packing} file: {error}.", f"{path}: ") from None
    except TooLarge:
        raise NetworkFileError(
            f"the file unpacks to more than {MAX_UNPACKED} times its size: unpack it yourself to read it.", f"{path}: "
        ) from None


def as_text(data: bytes, path: str | os.PathLike[str]) -> str:
    """Text of a file in any encoding, with a warning if that is a guess; NetworkFileError if it is no text.

    What a declaration of XML names is no guess.
    """
    declared = _DECLARED.match(data)
    stated = None if declared is None else _known(declared[1].decode())
    for tried in (stated, None):
        try:
            text, encoding, guessed = decoded(data, tried)
            break
        except UnicodeDecodeError as error:
            damage = error
    else:
        raise NetworkFileError(f"the file is damaged text in {damage.encoding}.", f"{path}: ")
    if guessed:
        if "\0" in text:
            raise NetworkFileError("the file holds zero bytes: it is no text.", f"{path}: ")
        warn_of_guess(Path(path).name, encoding, "save the file as UTF-8.")
    return text


def _known(encoding: str) -> str | None:
    """The encoding, None if Python does not know it, or it needs no help."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        return None
    return None if name.startswith("utf") else name
