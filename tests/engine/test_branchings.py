"""Edmonds' algorithm against all arborescences and forests of few nodes, and networkx for more."""

from __future__ import annotations

from functools import cache
from itertools import product

import networkx as nx
import numpy as np
import pytest

from bnlab.engine.branchings import maximum_arborescence


@cache
def forests(n: int) -> np.ndarray:
    """Parent vectors of all directed forests on n nodes, -1 for a root, in lexicographic order."""
    return np.array([parents for parents in product(range(-1, n), repeat=n) if is_forest(parents)])


def is_forest(parents: tuple[int, ...]) -> bool:
    for v in range(len(parents)):
        steps, u = 0, v
        while u >= 0 and steps <= len(parents):
            u, steps = parents[u], steps + 1
        if u >= 0:
            return False
    return True


def arborescences(n: int) -> np.ndarray:
    return forests(n)[(forests(n) < 0).sum(axis=1) == 1]


def totals(weights: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    chosen = weights[candidates, np.arange(len(weights))]
    return np.where(candidates >= 0, chosen, 0.0).sum(axis=1)


def total(weights: np.ndarray, parents: np.ndarray) -> float:
    return float(totals(weights, parents[None])[0])


def rooted(candidates: np.ndarray, root: int) -> np.ndarray:
    return candidates[candidates[:, root] < 0]


def cost_of_indices(candidates: np.ndarray) -> np.ndarray:
    return np.where(candidates >= 0, candidates, 0).sum(axis=1)


def random_weights(seed: int, n: int, *, ties: bool) -> np.ndarray:
    rng = np.random.default_rng([seed, n])
    return rng.integers(-2, 3, (n, n)).astype(float) if ties else rng.normal(size=(n, n))


def digraph(weights: np.ndarray) -> nx.DiGraph:
    n = len(weights)
    return nx.DiGraph((u, v, {"weight": weights[u, v]}) for u in range(n) for v in range(n) if u != v)


def heaviest(weights: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    reached = totals(weights, candidates)
    return candidates[reached >= reached.max() - 1e-12]


SMALL = [
    pytest.param([random_weights(seed, n, ties=ties) for seed in range(seeds)], id=f"{n}-{kind}")
    for n, seeds in ((1, 1), (2, 10), (3, 25), (4, 25), (5, 25), (6, 6))
    for kind, ties in (("reals", False), ("ties", True))
]


def test_cayley_counts_the_oracle():
    assert [len(arborescences(n)) for n in range(1, 6)] == [n ** (n - 1) for n in range(1, 6)]
    assert [len(forests(n)) for n in range(1, 6)] == [(n + 1) ** (n - 1) for n in range(1, 6)]


@pytest.mark.parametrize("cases", SMALL)
def test_no_arborescence_of_few_nodes_is_heavier_and_ties_go_as_documented(cases):
    for weights in cases:
        best = heaviest(weights, arborescences(len(weights)))
        root = int(np.argmax((best < 0).any(axis=0)))
        found = maximum_arborescence(weights)
        assert found.tolist() in best.tolist()
        assert found[root] == -1
        assert cost_of_indices(found[None])[0] == cost_of_indices(rooted(best, root)).min()


@pytest.mark.parametrize("cases", SMALL)
def test_the_same_holds_for_each_root_and_the_free_root_is_the_best_of_them(cases):
    for weights in cases:
        reached = []
        for root in range(len(weights)):
            best = heaviest(weights, rooted(arborescences(len(weights)), root))
            found = maximum_arborescence(weights, root)
            assert found.tolist() in best.tolist()
            assert cost_of_indices(found[None])[0] == cost_of_indices(best).min()
            reached.append(total(weights, found))
        free = maximum_arborescence(weights)
        assert total(weights, free) == pytest.approx(max(reached), abs=1e-12)
        assert free.tolist() == maximum_arborescence(weights, int(np.argmin(free))).tolist()


@pytest.mark.parametrize("root", [None, 0, -1])
@pytest.mark.parametrize("cases", SMALL)
def test_no_forest_is_heavier_and_of_equal_ones_it_has_the_fewest_edges(cases, root):
    for weights in cases:
        n = len(weights)
        start = root if root is None else root % n
        best = heaviest(weights, forests(n) if start is None else rooted(forests(n), start))
        edges = (best >= 0).sum(axis=1)
        found = maximum_arborescence(weights, start, spanning=False)
        assert found.tolist() in best.tolist()
        assert (found >= 0).sum() == edges.min()
        assert cost_of_indices(found[None])[0] == cost_of_indices(best[edges == edges.min()]).min()


@pytest.mark.parametrize(("n", "ties"), [(12, False), (30, False), (30, True), (60, False)])
def test_weights_of_larger_trees_are_those_of_networkx(n, ties):
    weights = random_weights(0, n, ties=ties)
    found = maximum_arborescence(weights)
    expected = nx.maximum_spanning_arborescence(digraph(weights))
    assert nx.is_arborescence(nx.DiGraph((int(u), v) for v, u in enumerate(found) if u >= 0))
    assert total(weights, found) == pytest.approx(expected.size("weight"))


@pytest.mark.parametrize(("n", "ties"), [(12, False), (30, False), (30, True)])
def test_weights_of_larger_forests_are_those_of_networkx(n, ties):
    weights = random_weights(1, n, ties=ties) - 2.0
    found = maximum_arborescence(weights, spanning=False)
    expected = nx.maximum_branching(digraph(weights))
    assert (found < 0).sum() > 1
    assert total(weights, found) == pytest.approx(expected.size("weight"))


@pytest.mark.parametrize("n", [15, 70])
def test_deep_contractions_lose_nothing(n):
    # Each node prefers a neighbour, so cycles nest in cycles.
    place = np.arange(n)
    weights = -(np.abs(np.subtract.outer(place, place)) ** 1.5) + np.random.default_rng(n).random((n, n)) * 1e-3
    found = maximum_arborescence(weights)
    reached = [total(weights, maximum_arborescence(weights, root)) for root in range(n)]
    assert total(weights, found) >= max(reached)
    assert total(weights, found) == pytest.approx(
        nx.maximum_spanning_arborescence(digraph(weights)).size("weight"), rel=1e-12
    )


def test_equal_weights_make_a_star_around_the_first_node():
    assert maximum_arborescence(np.ones((5, 5))).tolist() == [-1, 0, 0, 0, 0]
    assert maximum_arborescence(np.ones((5, 5)), root=2).tolist() == [2, 0, -1, 0, 0]
    assert maximum_arborescence(np.ones((5, 5)), spanning=False).tolist() == [-1, 0, 0, 0, 0]


def test_ties_with_equal_sums_of_indices_go_the_same_way_everywhere():
    ones = [(0, 4), (1, 2), (1, 4), (2, 0), (2, 1), (2, 4), (3, 2), (4, 0), (4, 1)]
    weights = np.zeros((5, 5))
    weights[tuple(np.transpose(ones))] = 1.0
    best = heaviest(weights, rooted(arborescences(5), 0))
    cheapest = best[cost_of_indices(best) == cost_of_indices(best).min()]
    assert cheapest.tolist() == [[-1, 2, 3, 0, 0], [-1, 4, 1, 0, 0]]
    assert maximum_arborescence(weights, root=0).tolist() == [-1, 2, 3, 0, 0]


@pytest.mark.parametrize("weight", [0.0, -0.0, -1e-3])
def test_a_forest_has_no_edge_that_gains_nothing(weight):
    weights = np.full((3, 3), weight)
    assert maximum_arborescence(weights, spanning=False).tolist() == [-1, -1, -1]
    assert maximum_arborescence(weights, root=1, spanning=False).tolist() == [-1, -1, -1]
    weights[2, 0] = 1e-3
    assert maximum_arborescence(weights, spanning=False).tolist() == [2, -1, -1]
    assert maximum_arborescence(weights, root=0, spanning=False).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9, 1e300])
def test_the_scale_of_the_weights_does_not_matter(scale):
    weights = random_weights(5, 20, ties=False)
    assert np.array_equal(maximum_arborescence(weights * scale), maximum_arborescence(weights))


def test_weights_that_keep_edges_out_do_not_blur_the_others():
    weights = random_weights(6, 30, ties=False)
    barred = weights.copy()
    barred[:15, 15:] = -1e6
    allowed = digraph(weights)
    allowed.remove_edges_from([(u, v) for u in range(15) for v in range(15, 30)])
    expected = nx.maximum_spanning_arborescence(allowed)
    assert total(barred, maximum_arborescence(barred)) == pytest.approx(expected.size("weight"), abs=1e-9)


def test_the_diagonal_and_the_argument_are_left_alone():
    weights = np.array([[np.nan, 1.0, -1.0], [1.0, np.inf, 2.0], [0.0, 0.0, 0.0]])
    before = weights.copy()
    assert maximum_arborescence(weights).tolist() == [-1, 0, 1]
    assert maximum_arborescence(weights, root=0, spanning=False).tolist() == [-1, 0, 1]
    assert np.array_equal(weights, before, equal_nan=True)


@pytest.mark.parametrize(
    ("weights", "root", "kind", "message"),
    [
        (np.zeros((3, 4)), None, ValueError, r"shape \(3, 4\): a square matrix"),
        (np.zeros((0, 0)), None, ValueError, r"at least one node"),
        ([[0, np.nan], [1, 0]], None, ValueError, r"weights\[0, 1\] is nan: weights are finite"),
        ([[0, 1], [np.inf, 0]], None, ValueError, r"weights\[1, 0\] is inf"),
        ([[0, 1], [1, 0]], 2, ValueError, r"root 2 is out of range: 2 nodes have indices 0 to 1"),
        ([[0, 1], [1, 0]], -1, ValueError, r"root -1 is out of range"),
        ([[0, 1], [1, 0]], 0.5, TypeError, r"integer"),
    ],
)
def test_wrong_weights_and_roots_are_refused_in_words(weights, root, kind, message):
    with pytest.raises(kind, match=message):
        maximum_arborescence(weights, root)
