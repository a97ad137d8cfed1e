"""Look-up of the texts of long columns among a few known texts, faster than hashing every text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from bnlab._runtime.jit import inner, njit

MAX_KNOWN = 256
_GOLDEN = 0x9E3779B97F4A7C15
_SLOT_BITS = 10  # at least four slots for each known text

Words = NDArray[np.uint64]


@njit(inline="always")
def _word(text: NDArray[np.uint8], begin: Any, end: Any) -> Any:
    """First eight bytes of a text as one number, padded with zeros."""
    n = end - begin
    if begin + uint64(8) > uint64(len(text)):
        word = uint64(0)
        for k in range(min(n, uint64(8))):
            word |= uint64(text[begin + uint64(k)]) << uint64(8 * k)
        return word
    # In this form the compiler makes a single load.
    word = uint64(text[begin])
    word |= uint64(text[begin + uint64(1)]) << uint64(8)
    word |= uint64(text[begin + uint64(2)]) << uint64(16)
    word |= uint64(text[begin + uint64(3)]) << uint64(24)
    word |= uint64(text[begin + uint64(4)]) << uint64(32)
    word |= uint64(text[begin + uint64(5)]) << uint64(40)
    word |= uint64(text[begin + uint64(6)]) << uint64(48)
    word |= uint64(text[begin + uint64(7)]) << uint64(56)
    if n >= uint64(8):
        return word
    return word & ((uint64(1) << (uint64(8) * n)) - uint64(1))


@njit(inline="always")
def _slot(key: Any) -> Any:
    return (key * uint64(_GOLDEN)) >> uint64(64 - _SLOT_BITS)


@inner
def _same_tail(a: NDArray[np.uint8], i: Any, b: NDArray[np.uint8], j: Any, n: Any) -> Any:
    """Whether two texts of n > 8 bytes agree after the eighth byte."""
    k = uint64(8)
    while k < n and a[i + k] == b[j + k]:
        k += uint64(1)
    return k == n


@njit()
def known_text(
    offsets: Words, text: NDArray[np.uint8], known_offsets: Words, known: NDArray[np.uint8], codes: NDArray[np.int16]
) -> int:
    """Fill `codes` with the index of each text among the known ones; return the first row of an unknown text, or -1.

    Text i is ``text[offsets[i]:offsets[i + 1]]``, as in Arrow. The known texts have the same form; they are at most
    `MAX_KNOWN` and all different. `codes` are filled in up to the returned row.
    """
    slots = np.full(1 << _SLOT_BITS, -1, np.int16)
    words = np.empty(len(known_offsets) - 1, np.uint64)
    last = uint64((1 << _SLOT_BITS) - 1)
    for state in range(len(words)):
        words[state] = _word(known, known_offsets[state], known_offsets[state + 1])
        slot = _slot(words[state] + known_offsets[state + 1] - known_offsets[state])
        while slots[slot] >= 0:
            slot = (slot + uint64(1)) & last
        slots[slot] = state
    end = offsets[0]
    for row in range(len(codes)):
        begin, end = end, offsets[row + 1]
        n = end - begin
        word = _word(text, begin, end)
        slot = _slot(word + n)
        while True:
            state = slots[slot]
            if state < 0:
                return row
            at = known_offsets[state]
            same = words[state] == word and known_offsets[state + 1] - at == n
            if same and (n <= uint64(8) or _same_tail(text, begin, known, at, n)):
                break
            slot = (slot + uint64(1)) & last
        codes[row] = state
    return -1
