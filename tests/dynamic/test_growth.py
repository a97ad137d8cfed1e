"""How the number of scored families grows with variables, lags, parents and times: the papers' claims, counted."""

from __future__ import annotations

from math import comb

import pytest

from bnlab.dynamic import Panel
from bnlab.dynamic.scores import WithPast
from bnlab.learners.table import LEARNERS
from bnlab.scores import K2, LocalScores
from bnlab.search import run
from tests.dynamic.panels import random_panel


def scored(panel: Panel, learner: str, p: int, **options: object) -> int:
    """Families of the present and the past that a learner of a slice has scored."""
    table = panel.transitions
    present = [f"{name}[t]" for name in panel.names]
    phi = WithPast(LocalScores(table, K2()), present, [name for name in table.names if name not in present], p)
    run(LEARNERS[learner].search(phi, len(present), **options))
    return phi.misses


@pytest.mark.parametrize(("lags", "p"), [(1, 0), (1, 1), (1, 2), (2, 1)])
def test_a_tree_scores_each_pair_with_each_set_of_the_past(lags: int, p: int) -> None:
    for n in (2, 4, 7):
        panel = random_panel(1, n=n, static=0, lags=lags)
        assert scored(panel, "branching", p) == n**2 * sum(comb(n * lags, size) for size in range(p + 1))


def test_consistent_networks_score_each_set_before_in_the_order() -> None:
    for n in (3, 5, 8):
        panel = random_panel(1, n=n, static=0)
        beyond = sum(comb(place, 2) for place in range(n))  # pairs and single parents are those of the tree
        assert scored(panel, "ckg", 1, k=2, order="bfs") == (n**2 + beyond) * (1 + n)


def test_times_add_rows_and_no_families() -> None:
    panel = random_panel(1, n=4, static=0, units=30)
    short, long = (Panel.of_slices(panel.first, (), panel.names), panel)
    assert short.lengths.max() == 1
    assert long.transitions.n_rows == int((panel.lengths - 1).sum())
    steps = [panel.transitions_to(step).n_rows for step in range(1, int(panel.lengths.max()))]
    assert sum(steps) == long.transitions.n_rows
    few = panel.take([0, 1, 2])
    assert scored(few, "branching", 1) == scored(panel, "branching", 1)
