"""Families in two flat arrays are those that were asked for."""

from __future__ import annotations

import numpy as np

from bnlab.counts.types import Families

FAMILIES = [(3, (1, 4)), (0, ()), (2, (0, 1, 5))]


def test_flat_families_are_read_as_a_sequence() -> None:
    flat = Families.of(FAMILIES)
    assert list(flat) == FAMILIES
    assert len(flat) == 3
    assert flat[-1] == FAMILIES[-1]
    assert flat[1:] == FAMILIES[1:]
    assert list(flat.chosen(np.array([2, 0]))) == [FAMILIES[2], FAMILIES[0]]
