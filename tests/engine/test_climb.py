"""The best move and the ancestors of a graph, against graphs that are made and looked at."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.engine.climb import CYCLE, NONE, Graph, ancestors, best_move, empty_graph, place
from bnlab.learners.edges import edge_rules
from bnlab.learners.hill_climbing.state import KINDS, after_move, possible_moves
from bnlab.learners.types import ParentTuples
from tests.learners.small_problems import is_acyclic


def drawn(seed: int, n: int = 6) -> tuple[ParentTuples, np.random.Generator]:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    edge = np.triu(rng.random((n, n)) < 0.45, 1)
    return tuple(tuple(sorted(order[np.flatnonzero(edge[:, at])].tolist())) for at in np.argsort(order)), rng


def graph_of(parents: ParentTuples, gains: np.ndarray) -> Graph:
    """Graph in which v gains ``gains[v, u]`` by a change of the parent u."""
    graph = empty_graph(len(parents))
    for v, family in enumerate(parents):
        values = gains[v].copy()
        values[v] = 0.0
        place(graph, v, np.array(family, dtype=np.int64), values, 1.0)
    return graph


@pytest.mark.parametrize("seed", range(12))
def test_moves_are_those_that_leave_an_allowed_graph_without_a_cycle(seed):
    parents, rng = drawn(seed)
    n, limit = len(parents), 3
    allowed = rng.random((n, n)) < 0.7
    np.fill_diagonal(allowed, False)
    possible = possible_moves(parents, edge_rules(n, within=allowed, max_parents=limit))
    for kind, name in enumerate(KINDS):
        for u in range(n):
            for v in range(n):
                fits = u != v and (u in parents[v]) == (name != "add")
                if fits and name == "add":
                    fits = allowed[u, v] and len(parents[v]) < limit
                if fits and name == "reverse":
                    fits = allowed[v, u] and len(parents[u]) < limit
                expected = fits and is_acyclic(after_move(parents, (name, u, v)))
                assert possible[kind, u, v] == expected, (name, u, v)


@pytest.mark.parametrize("n", [7, 70])
def test_ancestors_are_the_nodes_from_which_a_path_leads(n):
    parents, _ = drawn(3, n)
    edge = np.zeros((n, n))
    for v, family in enumerate(parents):
        edge[v, list(family)] = 1
    paths = np.linalg.inv(np.eye(n) - edge / n) - np.eye(n) > 1e-12
    graph, above = graph_of(parents, np.zeros((n, n))), np.empty((n, (n + 63) // 64), dtype=np.uint64)
    assert ancestors(graph.parents, graph.sizes, above)
    found = [[int(above[v, u >> 6]) >> (u & 63) & 1 for u in range(n)] for v in range(n)]
    np.testing.assert_array_equal(found, paths)


@pytest.mark.parametrize("seed", range(40))
def test_the_best_move_is_the_first_of_the_greatest_gains_that_is_not_tabu(seed):
    parents, rng = drawn(seed)
    n, limit = len(parents), 2 + seed % 4
    toggles = rng.integers(-3, 4, (n, n)).astype(np.float64)
    allowed = rng.random((n, n)) < 0.8
    np.fill_diagonal(allowed, False)
    edge = np.array([[u in family for u in range(n)] for family in parents])
    full = np.array([len(family) >= limit for family in parents])
    toggles[~edge & (full[:, None] | ~allowed.T)] = -np.inf
    tabu_pairs, aspiration = rng.integers(n, size=(3, 2)), 2.5
    gain = np.stack([toggles.T, toggles.T, toggles + toggles.T])
    gain[~possible_moves(parents, edge_rules(n, within=allowed, max_parents=limit))] = -np.inf
    for u, v in tabu_pairs:
        for a, b in ((u, v), (v, u)):
            gain[:, a, b] = np.where(gain[:, a, b] > aspiration, gain[:, a, b], -np.inf)
    graph = graph_of(parents, toggles)
    assert best_move(graph, tabu_pairs, aspiration, -np.inf) == gain.argmax()
    assert best_move(graph, tabu_pairs, aspiration, gain.max() - 0.5) == gain.argmax()
    assert best_move(graph, tabu_pairs, aspiration, gain.max()) == NONE


def test_a_graph_with_a_cycle_is_reported():
    graph = graph_of(((1,), (2,), (0,)), np.zeros((3, 3)))
    assert best_move(graph, np.empty((0, 2), dtype=np.int64), 0.0, -np.inf) == CYCLE
