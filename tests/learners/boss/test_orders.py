"""Orders in which neighbours in a network are near each other: parents come first, and edges are short."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bnlab
from bnlab.graphs.paths import parents_first
from bnlab.learners.boss.orders import neighbours_near


def mean_length(parents, order):
    place = {v: k for k, v in enumerate(order)}
    return np.mean([place[v] - place[u] for v, family in enumerate(parents) for u in family])


@pytest.mark.parametrize("name", ["alarm", "hailfinder", "andes"])
def test_parents_come_first_and_edges_are_shorter_than_in_other_orders_of_the_network(name):
    parents = bnlab.load_network(name).dag.parents
    n = len(parents)
    rng = np.random.default_rng(0)
    found = [neighbours_near(parents, rng) for _ in range(40)]
    assert len(set(found)) > 30
    for order in found:
        assert sorted(order) == list(range(n))
        assert order == parents_first(parents, order)
    others = [parents_first(parents, rng.permutation(n).tolist()) for _ in range(40)]
    assert np.mean([mean_length(parents, order) for order in found]) < 0.9 * np.mean(
        [mean_length(parents, order) for order in others]
    )


def test_edges_of_a_long_path_with_arrows_both_ways_are_half_as_long_as_in_other_orders():
    n, rng = 60, np.random.default_rng(1)
    parents = [()] * n
    for u, v in itertools.pairwise(rng.permutation(n).tolist()):
        u, v = (u, v) if rng.random() < 0.5 else (v, u)
        parents[v] = (*parents[v], u)
    found = [mean_length(parents, neighbours_near(tuple(parents), rng)) for _ in range(40)]
    others = [mean_length(parents, parents_first(parents, rng.permutation(n).tolist())) for _ in range(40)]
    assert np.mean(found) < 0.6 * np.mean(others)


@pytest.mark.parametrize("n", [1, 2, 7, 700])
def test_nodes_without_edges_come_in_any_order(n):
    found = {neighbours_near(((),) * n, np.random.default_rng(seed)) for seed in range(30)}
    assert all(sorted(order) == list(range(n)) for order in found)
    assert len(found) >= min(n, 30)
