"""Maximum spanning trees against networkx, against Kruskal's for ties, and on ties made by hand."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from bnlab.graphs.spanning_tree import maximum_spanning_tree


def symmetric(rng: np.random.Generator, n: int, *, ties: bool = False) -> np.ndarray:
    weights = np.triu(rng.integers(-2, 3, (n, n)).astype(float) if ties else rng.normal(size=(n, n)), 1)
    return weights + weights.T


def edges_of(parents: np.ndarray) -> set[tuple[int, int]]:
    return {(min(u, v), max(u, v)) for v, u in enumerate(parents.tolist()) if u >= 0}


def kruskal(weights: np.ndarray) -> set[tuple[int, int]]:
    """Take the edges in their documented order, unless they close a cycle."""
    order = sorted(combinations(range(len(weights)), 2), key=lambda edge: (-weights[edge], edge))
    part = list(range(len(weights)))
    chosen = set()
    for u, v in order:
        if part[u] != part[v]:
            chosen.add((u, v))
            part = [part[u] if p == part[v] else p for p in part]
    return chosen


@pytest.mark.parametrize("n", [2, 3, 10, 60])
def test_the_tree_is_that_of_networkx(n):
    weights = symmetric(np.random.default_rng(n), n)
    graph = nx.Graph((u, v, {"weight": weights[u, v]}) for u, v in combinations(range(n), 2))
    expected = {tuple(sorted(edge)) for edge in nx.maximum_spanning_edges(graph, data=False)}
    assert edges_of(maximum_spanning_tree(weights)) == expected


@pytest.mark.parametrize("root", [0, 3, 8])
def test_edges_lead_away_from_the_root(root):
    weights = symmetric(np.random.default_rng(1), 9)
    parents = maximum_spanning_tree(weights, root)
    graph = nx.DiGraph((int(u), v) for v, u in enumerate(parents) if u >= 0)
    assert nx.is_arborescence(graph)
    assert parents.dtype == np.int64
    assert parents[root] == -1


@pytest.mark.parametrize("seed", range(20))
def test_ties_go_to_the_first_edge_whatever_the_root(seed):
    weights = symmetric(np.random.default_rng(seed), 8, ties=True)
    expected = kruskal(weights)
    for root in range(8):
        assert edges_of(maximum_spanning_tree(weights, root)) == expected


def test_the_diagonal_and_the_argument_are_left_alone():
    weights = np.array([[np.nan, 1.0], [1.0, np.inf]])
    before = weights.copy()
    assert maximum_spanning_tree(weights).tolist() == [-1, 0]
    assert np.array_equal(weights, before, equal_nan=True)


@pytest.mark.parametrize(
    ("weights", "root", "message"),
    [
        (np.zeros((3, 4)), 0, r"shape \(3, 4\): a square matrix"),
        (np.zeros(3), 0, r"shape \(3,\)"),
        (np.zeros((0, 0)), 0, r"at least one node"),
        ([[0, np.nan], [1, 0]], 0, r"weights\[0, 1\] is nan: weights are finite"),
        ([[0, 1], [-np.inf, 0]], 0, r"weights\[1, 0\] is -inf"),
        ([[0, 1], [2, 0]], 0, r"weights\[0, 1\] is .*1\.0.* but weights\[1, 0\] is .*symmetric"),
        ([[0, 1], [1, 0]], 2, r"root 2 is out of range: 2 nodes have indices 0 to 1"),
        ([[0, 1], [1, 0]], -1, r"root -1 is out of range"),
    ],
)
def test_wrong_weights_and_roots_are_refused_in_words(weights, root, message):
    with pytest.raises(ValueError, match=message):
        maximum_spanning_tree(weights, root)
