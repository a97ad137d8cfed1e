"""Exact edge probabilities against a sum over every DAG."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from math import comb, lgamma, log

import numpy as np
import pytest

from bnlab._runtime.budget import MemoryBudget
from bnlab.learners.posterior.exact import bytes_needed, check_exact, exact_probabilities
from bnlab.learners.posterior.families import FamilyScores, FamilyScoring
from bnlab.learners.types import as_local_scores
from bnlab.search import run
from tests.learners.small_problems import RandomScores, every_family


def others(n: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(u for u in range(n) if u != v) for v in range(n))


def scored(phi: object, n: int, max_parents: int | None = None) -> FamilyScores:
    return run(FamilyScoring(as_local_scores(phi, n), others(n), n if max_parents is None else max_parents))


@cache
def every_graph(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Bits of the parents of each variable in every DAG, shape (graphs, n), and how many orders each agrees with."""
    families = [[sum(1 << u for u in p) for v, p in every_family(n) if v == child] for child in range(n)]
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*families, indexing="ij")], axis=1)
    orders = np.zeros(len(grid), dtype=np.int64)
    for order in permutations(range(n)):
        before, agrees = 0, np.ones(len(grid), dtype=bool)
        for v in order:
            agrees &= grid[:, v] & ~before == 0
            before |= 1 << v
        orders += agrees
    return grid[orders > 0], orders[orders > 0]


def brute_force(phi: RandomScores, n: int, prior: str, max_parents: int) -> tuple[np.ndarray, float]:
    graphs, orders = every_graph(n)
    table = np.full((n, 1 << n), -np.inf)
    for v, parents in every_family(n):
        if len(parents) <= max_parents:
            table[v, sum(1 << u for u in parents)] = phi(v, parents)
    weights = np.exp(sum(table[v, graphs[:, v]] for v in range(n))) * (orders if prior == "orders" else 1)
    total = weights.sum()
    arcs = np.array([[weights[graphs[:, v] >> u & 1 == 1].sum() / total for v in range(n)] for u in range(n)])
    return arcs, log(total)


def test_there_are_29281_graphs_of_five_variables():
    assert [len(every_graph(n)[0]) for n in (3, 4, 5)] == [25, 543, 29281]


@pytest.mark.parametrize("prior", ["graphs", "orders"])
@pytest.mark.parametrize(("n", "max_parents"), [(1, 0), (2, 1), (3, 2), (4, 3), (4, 1), (5, 4), (5, 2)])
def test_probabilities_are_those_of_a_sum_over_every_graph(n, max_parents, prior):
    for seed in range(3):
        phi = RandomScores(n, seed)
        arcs, total = exact_probabilities(scored(phi, n, max_parents), prior)
        expected, expected_total = brute_force(phi, n, prior, max_parents)
        np.testing.assert_allclose(arcs, expected, atol=1e-8)
        assert total == pytest.approx(expected_total, abs=1e-8)


@pytest.mark.parametrize("prior", ["graphs", "orders"])
def test_scores_of_thousands_of_nats_do_not_underflow(prior):
    far = RandomScores(4, 1)
    far.scores = {(v, p): 200.0 * s - 5000.0 * (not p) - 9000.0 for (v, p), s in far.scores.items()}
    graphs, orders = every_graph(4)
    arcs, _ = exact_probabilities(scored(far, 4), prior)
    table = {(v, sum(1 << u for u in p)): s for (v, p), s in far.scores.items()}
    totals = np.array([sum(table[v, bits] for v, bits in enumerate(row)) for row in graphs.tolist()])
    weights = np.exp(totals - totals.max()) * (orders if prior == "orders" else 1)
    expected = [[weights[graphs[:, v] >> u & 1 == 1].sum() / weights.sum() for v in range(4)] for u in range(4)]
    np.testing.assert_allclose(arcs, expected, atol=1e-8)


def test_equal_scores_count_the_graphs_and_orders():
    """Robinson's numbers of labelled DAGs (OEIS A003024), and orders times subsets of those before."""
    n = 10
    families = scored(lambda child, parents: 0.0, n)
    arcs, total = exact_probabilities(families, "graphs")
    assert total == pytest.approx(log(4175098976430598143), abs=1e-9)
    np.testing.assert_allclose(arcs[~np.eye(n, dtype=bool)], arcs[0, 1], atol=1e-9)
    assert np.diagonal(arcs).tolist() == [0.0] * n
    _, total = exact_probabilities(families, "orders")
    assert total == pytest.approx(lgamma(n + 1) + comb(n, 2) * log(2), abs=1e-9)


def test_candidates_limit_the_edges():
    phi = RandomScores(3, 0)
    families = run(FamilyScoring(as_local_scores(phi, 3), ((), (0,), (1,)), 2))
    arcs, _ = exact_probabilities(families, "graphs")
    expected = 1 / (1 + np.exp(phi(1, ()) - phi(1, (0,))))
    assert arcs[0, 1] == pytest.approx(expected)
    assert (arcs > 0).sum() == 2


def test_too_many_variables_are_refused_before_anything_is_scored(monkeypatch):
    with pytest.raises(ValueError, match=r"method='mcmc', or structure_prior='orders'"):
        check_exact(18, "graphs")
    monkeypatch.setenv("BNLAB_MEMORY", "100M")
    check_exact(18, "orders")
    with pytest.raises(MemoryBudget, match="use method='mcmc'"):
        check_exact(20, "orders")
    assert bytes_needed(20, "orders") > 20 * 8 << 19


def test_too_many_parent_sets_are_refused(monkeypatch):
    monkeypatch.setenv("BNLAB_MEMORY", "1M")
    with pytest.raises(MemoryBudget, match="lower max_parents=9"):
        scored(lambda child, parents: 0.0, 20, 9)
