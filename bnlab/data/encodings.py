"""Encodings of text files: detection, and a warning where it is a guess."""

from __future__ import annotations

import codecs
import re
import warnings
from typing import NamedTuple

ENCODINGS = (
    *(
        "utf-8",
        "cp1252",
        "latin-1",
        "iso8859-15",
        "cp1250",
        "cp1251",
        "cp1253",
        "cp1254",
        "koi8-r",
        "cp850",
        "mac-roman",
    ),
    *("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr", "utf-16", "utf-16-le", "utf-16-be", "utf-32"),
)
"""Of text files; "utf-8" with or without a byte order mark."""
_GUESSED = ("cp1252", "cp1250", "cp1251", "koi8-r", "cp1253", "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr")
_SAMPLE = 1 << 16
_HIGH = re.compile(rb"[\x80-\xff]+")
_ACCENT = re.compile(
    rb"(?<=[A-Za-z])[\x80-\xff](?![\x80-\xff])|(?<![\x80-\xff])[\x80-\xff](?=[A-Za-z])|(?<![^ ])\x80(?![\x80-\xff])"
)
"""Letters beside plain ones, and the sign of the euro in Windows."""


class Decoded(NamedTuple):
    """Text of a file, its encoding, and whether this is a guess."""

    text: str
    encoding: str
    guessed: bool = False


def decoded(data: bytes, encoding: str | None = None) -> Decoded:
    r"""Text of a file; UnicodeDecodeError if the given encoding is wrong.

    UTF-16 and UTF-32 are detected by a byte order mark or the positions of zero bytes. Other bytes are read as UTF-8 if
    they are valid UTF-8, which text in another encoding hardly ever is; otherwise the encoding is guessed.

    Examples
    --------
    >>> decoded("Köln".encode("utf-16")), decoded("Köln".encode("cp1252"), "cp1252")
    (Decoded(text='Köln', encoding='utf-16', guessed=False), Decoded(text='Köln', encoding='cp1252', guessed=False))
    """
    name = encoding or _marked(data) or "utf-8"
    try:
        return Decoded(_decode(data, name), name)
    except UnicodeDecodeError:
        if encoding is not None or name != "utf-8":
            raise
    name = _guess(data)
    return Decoded(_decode(data, name), name, guessed=True)


def warn_of_guess(name: str, encoding: str, way_out: str) -> None:
    """Warn that the encoding of a file is a guess."""
    warnings.warn(
        f"{name} is not UTF-8; it is read as {encoding}, a guess from its letters. If names look wrong, {way_out}",
        UserWarning,
        stacklevel=4,
    )


def _decode(data: bytes, encoding: str) -> str:
    text = data.decode(encoding).removeprefix("\ufeff")  # the byte order mark
    return text if "\n" in text else text.replace("\r", "\n")


def _marked(data: bytes) -> str | None:
    """Encoding that a byte order mark or the positions of zero bytes show."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = data[: 1 << 12]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if even + odd > len(sample) / 4:  # of ASCII characters in two bytes, one is zero
        return "utf-16-le" if odd > even else "utf-16-be"
    return None


def _guess(data: bytes) -> str:
    """Encoding whose letters fit best; Latin-1, in which all bytes are characters, if no other holds all of them."""
    from charset_normalizer import from_bytes

    accents, runs = len(_ACCENT.findall(data)), len(_HIGH.findall(data))
    if accents > 0.8 * runs:  # letters with accents stand between plain ones
        european = "cp1250" if _looks_eastern(data) else "cp1252"
        return european if _holds(data, european) else "latin-1"
    foreign = _GUESSED if accents > 0.2 * runs else [name for name in _GUESSED if name not in ("cp1252", "cp1250")]
    possible = [name for name in foreign if _holds(data, name)]
    if "euc_kr" in possible and re.search("[\u4e00-\u9fff]", data.decode("euc_kr")):  # Korean of today has none
        possible.remove("euc_kr")
    lines = b"\n".join([line for line in data.splitlines() if not line.isascii()])[:_SAMPLE]
    best = from_bytes(lines, cp_isolation=possible).best() if possible else None
    if best is None:
        return possible[0] if possible else "latin-1"
    return next((name for name in possible if _same(lines, name, best.encoding)), possible[0])


def _looks_eastern(data: bytes) -> bool:
    """Whether letters of Western Europe occur that do not occur together there, as in Polish, Czech or Croatian."""
    text = data.decode("cp1252", "replace")
    letters = set(text.lower())
    signs_in_words = re.search(r"[^\W\d_][³¿¹£¯¥¼¾]|[³¿¹£¯¥¼¾º][^\W\d_]", text)
    hungarian = re.search("õ(?!e)", text) and not letters & set("ãä")
    return bool(signs_in_words or hungarian or (letters & set("šž") and letters & set("èæìøðùò")))


def _holds(data: bytes, encoding: str) -> bool:
    try:
        return data.decode(encoding) is not None
    except UnicodeDecodeError:
        return False


def _same(data: bytes, a: str, b: str) -> bool:
    return data.decode(a, "replace") == data.decode(b, "replace")
