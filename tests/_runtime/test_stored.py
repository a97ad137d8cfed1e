"""Compiled code reads each part of a stored named tuple as it is, and what it writes to arrays stays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from bnlab._runtime.jit import njit
from bnlab._runtime.stored import Stored


class Parts(NamedTuple):
    """One part of each kind."""

    vector: NDArray[np.int64]
    flag: bool
    cube: NDArray[np.float64]
    number: int
    weight: float


def parts(cube: NDArray[np.float64]) -> Parts:
    return Parts(np.arange(3), True, cube, -7, 0.1)


@njit()
def _sum_and_double(stored: Any, factor: int) -> Any:
    total = stored.weight * stored.number
    for i in range(stored.cube.shape[0]):
        for j in range(stored.cube.shape[1]):
            for k in range(stored.cube.shape[2]):
                total += stored.cube[i, j, k] * (i + 1) * (j + 2) * (k + 3)
    for i in range(stored.vector.shape[0]):
        stored.vector[i] *= factor
    return total if stored.flag else 0.0


def test_parts_of_every_kind_are_read_and_arrays_are_written_to() -> None:
    given = parts(np.random.default_rng(1).random((2, 3, 4)))
    i, j, k = np.indices((2, 3, 4))
    expected = 0.1 * -7 + (given.cube * (i + 1) * (j + 2) * (k + 3)).sum()
    assert _sum_and_double(Stored(given), 2) == pytest.approx(expected, rel=1e-14)
    assert given.vector.tolist() == [0, 2, 4]
    assert _sum_and_double(Stored(given._replace(flag=False)), 2) == 0.0


def test_an_array_that_is_not_contiguous_is_refused() -> None:
    with pytest.raises(AssertionError):
        Stored(parts(np.zeros((4, 3, 2)).T))
