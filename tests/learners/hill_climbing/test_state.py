"""The compiled loop over moves against graphs that are made and looked at."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.learners.compiled.hill_climbing import ancestors, best_move
from bnlab.learners.edges import edge_rules
from bnlab.learners.hill_climbing.state import KINDS, after_move, flat, possible_moves

from ..small_problems import is_acyclic


def drawn(seed, n=6):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    edge = np.triu(rng.random((n, n)) < 0.45, 1)
    return tuple(tuple(sorted(order[np.flatnonzero(edge[:, at])].tolist())) for at in np.argsort(order)), rng


@pytest.mark.parametrize("seed", range(12))
def test_moves_are_those_that_leave_an_allowed_graph_without_a_cycle(seed):
    parents, rng = drawn(seed)
    n, limit = len(parents), 3
    allowed = rng.random((n, n)) < 0.7
    np.fill_diagonal(allowed, False)
    possible = possible_moves(*flat(parents), edge_rules(n, within=allowed, max_parents=limit))
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


@pytest.mark.parametrize("seed", range(4))
def test_ancestors_are_the_nodes_from_which_a_path_leads(seed):
    parents, _ = drawn(seed, 7)
    edge = np.zeros((7, 7), dtype=np.int64)
    for v, family in enumerate(parents):
        edge[v, list(family)] = 1
    paths = sum(np.linalg.matrix_power(edge, k) for k in range(1, 7)) > 0
    above = [[int(word) >> u & 1 for u in range(7)] for (word,) in ancestors(*flat(parents))]
    np.testing.assert_array_equal(above, paths)


@pytest.mark.parametrize("seed", range(40))
def test_the_best_move_is_the_first_of_the_greatest_gains_that_is_not_tabu(seed):
    parents, rng = drawn(seed)
    n, limit = len(parents), 2 + seed % 4
    toggles = rng.integers(-3, 4, (n, n)).astype(np.float64)
    allowed = rng.random((n, n)) < 0.8
    np.fill_diagonal(allowed, False)
    tabu_pairs, aspiration = rng.integers(n, size=(3, 2)), 2.5
    graph, rules = flat(parents), edge_rules(n, within=allowed, max_parents=limit)
    gain = np.stack([toggles.T, toggles.T, toggles + toggles.T])
    gain[~possible_moves(*graph, rules)] = -np.inf
    for u, v in tabu_pairs:
        for a, b in ((u, v), (v, u)):
            gain[:, a, b] = np.where(gain[:, a, b] > aspiration, gain[:, a, b], -np.inf)
    assert best_move(toggles, *graph, *rules[1:], tabu_pairs, aspiration, -np.inf) == gain.argmax()
    assert best_move(toggles, *graph, *rules[1:], tabu_pairs, aspiration, gain.max() - 0.5) == gain.argmax()
    assert best_move(toggles, *graph, *rules[1:], tabu_pairs, aspiration, gain.max()) == -1
