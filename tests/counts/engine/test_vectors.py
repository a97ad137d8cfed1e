"""Machine code over bitmaps, against Python's own sets of bits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bnlab._runtime.jit import njit
from bnlab.counts.engine.vectors import LANES, TOGETHER, count_cross


@njit()
def crossed(words, p, xs, ys, width, out, cell):
    count_cross(words, p, xs, ys, width, out, cell)


@pytest.mark.parametrize(("m", "n"), list(product(range(1, TOGETHER + 1), repeat=2)))
@pytest.mark.parametrize("width", [LANES, 3 * LANES])
def test_cells_of_two_variables_and_their_margins_are_added_where_they_belong(m: int, n: int, width: int) -> None:
    rng = np.random.default_rng([m, n])
    words = rng.integers(0, 2**64, (1 + m + n, width), dtype=np.uint64)
    sets = [int.from_bytes(row.tobytes(), "little") for row in words]
    out = np.arange(30)
    crossed(words, 0, (width, m), ((1 + m) * width, n), width, out, 5)
    everything = 2 ** (64 * width) - 1
    xs, ys = [*sets[1 : 1 + m], everything], [*sets[1 + m :], everything]
    expected = [(sets[0] & x & y).bit_count() for x in xs for y in ys]
    end = 5 + len(expected)
    assert (out[5:end] - np.arange(5, end)).tolist() == expected
    assert out[:5].tolist() + out[end:].tolist() == [*range(5), *range(end, 30)]
