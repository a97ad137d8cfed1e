"""Looking texts up among known ones."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest

from bnlab.data.compiled.lookup import MAX_KNOWN, known_text


def flat(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and bytes, as Arrow has them."""
    coded = [text.encode() for text in texts]
    return np.array([0, *accumulate(map(len, coded))], np.uint64), np.frombuffer(bytearray().join(coded), np.uint8)


@pytest.mark.parametrize(
    "known",
    [
        ["", "\0", "\0\0", "a", "a\0", "\0a"],
        ["12345678", "123456789", "123456780", "1234567890", "12345678\0"],
        [f"{k}" for k in range(MAX_KNOWN)],
        [f"the same beginning {k}" for k in range(MAX_KNOWN)],
    ],
    ids=["zeros", "eight", "numbers", "tails"],
)
def test_each_text_is_found_and_the_first_unknown_one_is_told(known: list[str]) -> None:
    rows = np.random.default_rng(0).integers(len(known), size=3000)
    codes = np.empty(3001, np.int16)
    texts = [known[k] for k in rows]
    assert known_text(*flat(texts), *flat(known), codes[:3000]) == -1
    assert np.array_equal(codes[:3000], rows)
    assert known_text(*flat([*texts[:2000], "unknown", *texts[2000:]]), *flat(known), codes) == 2000
