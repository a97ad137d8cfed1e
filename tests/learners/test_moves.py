"""The compiled loop over moves against graphs that are made and looked at."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.learners.hill_climbing import KINDS, applied
from bnlab.learners.moves import ancestors, move_gains

from .small_problems import is_acyclic


def drawn(seed, n=6):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    edge = np.triu(rng.random((n, n)) < 0.45, 1)
    return tuple(tuple(sorted(order[np.flatnonzero(edge[:, at])].tolist())) for at in np.argsort(order)), rng


def flat(parents):
    begins = np.cumsum([0, *map(len, parents)])
    return np.array([p for family in parents for p in family], dtype=np.int64), begins


@pytest.mark.parametrize("seed", range(12))
def test_moves_are_those_that_leave_an_allowed_graph_without_a_cycle(seed):
    parents, rng = drawn(seed)
    n, limit = len(parents), 3
    allowed = rng.random((n, n)) < 0.7
    np.fill_diagonal(allowed, False)
    toggles = rng.standard_normal((n, n))
    gain = move_gains(toggles, *flat(parents), allowed, limit)
    for kind, name in enumerate(KINDS):
        for u in range(n):
            for v in range(n):
                expected = -np.inf
                fits = u != v and (u in parents[v]) == (name != "add")
                if fits and name == "add":
                    fits = allowed[u, v] and len(parents[v]) < limit
                if fits and name == "reverse":
                    fits = allowed[v, u] and len(parents[u]) < limit
                if fits and is_acyclic(applied(parents, (name, u, v))):
                    expected = toggles[v, u] + (toggles[u, v] if name == "reverse" else 0.0)
                assert gain[kind, u, v] == expected, (name, u, v)


@pytest.mark.parametrize("seed", range(4))
def test_ancestors_are_the_nodes_from_which_a_path_leads(seed):
    parents, _ = drawn(seed, 7)
    edge = np.zeros((7, 7), dtype=np.int64)
    for v, family in enumerate(parents):
        edge[v, list(family)] = 1
    paths = sum(np.linalg.matrix_power(edge, k) for k in range(1, 7)) > 0
    np.testing.assert_array_equal(ancestors(*flat(parents)), paths)
