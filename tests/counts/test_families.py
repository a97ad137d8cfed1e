"""Families in two flat arrays are those that were asked for."""

from __future__ import annotations

from itertools import combinations

import pytest

from bnlab.counts.types import Families

FAMILIES = [(3, (1, 4)), (0, ()), (2, (0, 1, 5))]


def toggled(child: int, parents: tuple[int, ...], others: list[int]) -> list[tuple[int, tuple[int, ...]]]:
    return [(child, tuple(sorted({*parents} ^ {other}))) for other in others] + [(child, parents)]


@pytest.mark.parametrize("parents", [p for size in range(4) for p in combinations([0, 1, 3, 4], size)])
def test_each_other_node_is_in_turn_made_or_no_more_a_parent(parents: tuple[int, ...]) -> None:
    for others in ([], [1], [0, 1, 3, 4, 5]):
        assert list(Families.toggled((2, parents), others)) == toggled(2, parents, others)


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_parts_are_chained_in_their_order(cut: int) -> None:
    chained = Families.chained([Families.of(FAMILIES[:cut]), Families.of(FAMILIES[cut:])])
    assert list(chained) == FAMILIES
    assert len(chained) == 3
    assert chained[-1] == FAMILIES[-1]
    assert chained[1:] == FAMILIES[1:]
    assert list(Families.chained([chained])) == FAMILIES
