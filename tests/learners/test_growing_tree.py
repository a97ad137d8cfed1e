"""A tree that grows edge by edge is at every moment a part of the whole one."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.learners import GrowingTree, breadth_first_order, optimal_branching
from bnlab.search import iterate


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("root", [None, 0, 4])
def test_each_step_adds_one_edge_of_the_whole_tree(seed: int, root: int | None) -> None:
    n = 7
    gain = np.random.default_rng(seed).integers(1, 50, (n, n)).astype(float)

    def phi(child: int, parents: tuple[int, ...]) -> float:
        return float(sum(gain[list(parents), child]) - 100)

    search = GrowingTree(phi, n, root=root)
    whole = optimal_branching(phi, n, root=root)
    before = search.init()
    assert before.parents == ((),) * n
    assert before.score == -100 * n
    for at, (state, progress) in enumerate(iterate(search), 1):
        (new,) = (v for v in range(n) if state.parents[v] != before.parents[v])
        assert len(state.parents) == n
        assert before.parents[new] == ()
        assert state.parents[new] == whole[new]
        assert state.parents[whole[new][0]] or whole[whole[new][0]] == ()
        assert state.score == before.score + gain[whole[new][0], new]
        assert (progress.iteration, progress.best_score) == (at, state.score)
        assert [(event.kind, event.u, event.v) for event in progress.events] == [("add", whole[new][0], new)]
        before = state
    assert search.result(before) == whole


def test_breadth_first_goes_level_by_level():
    assert breadth_first_order(((2,), (2,), (), (0,), (1,), (0,))) == (2, 0, 1, 3, 5, 4)
    assert breadth_first_order(((), (), (1,), (0,))) == (0, 1, 3, 2)
    assert breadth_first_order(()) == ()


@pytest.mark.parametrize("tree", [((1,), (0,)), ((), (1,)), ((), (0, 2), ()), ((5,),), ((-1,), ())])
def test_what_is_no_tree_has_no_breadth_first_order(tree):
    with pytest.raises(ValueError, match="tree"):
        breadth_first_order(tree)
