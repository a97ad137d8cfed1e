"""Unpack the .Z files of the Unix program compress.

T. A. Welch (1984), A technique for high-performance data compression, Computer 17(6); the file format is that of
compress 4.0.
"""

from __future__ import annotations

_MAGIC = b"\x1f\x9d"
_CLEAR = 256


def uncompress(data: bytes, most: int | None = None) -> bytes:
    """Content of a .Z file, the first so many bytes if `most` is given.

    Raises
    ------
    ValueError
        When the data are not in that format, or are damaged.

    Examples
    --------
    >>> uncompress(bytes.fromhex("1f9d9061c40404"))
    b'abab'
    """
    if data[:2] != _MAGIC or len(data) < 3:
        raise ValueError("not a .Z file: it does not begin with the bytes 1f 9d.")
    max_bits, block_mode = data[2] & 0x1F, bool(data[2] & 0x80)
    table = [bytes([b]) for b in range(256)] + [b""] * block_mode
    parts: list[bytes] = []
    previous = b""
    width, start, position = 9, 24, 24
    left = float("inf") if most is None else most
    while position + width <= 8 * len(data) and left > 0:
        byte = position >> 3
        code = int.from_bytes(data[byte : byte + 4], "little") >> (position & 7) & ((1 << width) - 1)
        position += width
        if block_mode and code == _CLEAR:
            del table[_CLEAR + 1 :]
            start = position = _next_group(start, position, width)
            width, previous = 9, b""
            continue
        if code < len(table):
            entry = table[code]
        elif code == len(table) and previous:
            entry = previous + previous[:1]
        else:
            raise ValueError(f"damaged .Z file: code {code} at byte {byte} is not in the table yet.")
        parts.append(entry)
        left -= len(entry)
        if previous and len(table) < 1 << max_bits:
            table.append(previous + entry[:1])
        previous = entry
        if len(table) == 1 << width and width < max_bits:
            start = position = _next_group(start, position, width)
            width += 1
    return b"".join(parts)[:most]


def _next_group(start: int, position: int, width: int) -> int:
    """Bit after the current group: codes of one width are written eight at a time, the last group padded."""
    group = 8 * width
    return start + -(-(position - start) // group) * group
