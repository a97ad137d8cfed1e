"""Grow-shrink trees: the compiled ones against the readable ones, and the walks against their definition."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
import pytest

import bnlab
from bnlab.counts.memory import MemorySource
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.boss import trees
from bnlab.learners.boss.trees import GrowShrinkTrees
from bnlab.learners.edges import edge_rules
from bnlab.learners.hill_climbing.neighbours import Neighbours
from bnlab.learners.hill_climbing.ranked import Ranked
from bnlab.learners.types import as_local_scores
from bnlab.scores import LocalScores, make_score, table_scores
from bnlab.scores.function import LocalScoreFunction
from tests.learners.boss.readable_trees import ReadableTrees
from tests.learners.small_problems import RandomScores
from tests.scores.small_tables import make_table

SCORES = [("bic", {}), ("k2", {}), ("bdeu", {"ess": 10.0}), ("mit", {})]


class Rules(NamedTuple):
    """A score over ranks, and rules of edges between them."""

    phi: Ranked
    edges: EdgeRules

    @property
    def trees(self) -> GrowShrinkTrees:
        return GrowShrinkTrees(Neighbours(self.phi, self.edges), self.phi.unit)


def rules_of(phi, n: int, limit: int | None = None, allowed=None, knowledge=None) -> Rules:
    ranked = Ranked(as_local_scores(phi, n), n)
    allowed = ~np.eye(n, dtype=bool) if allowed is None else allowed
    return Rules(ranked, edge_rules(n, within=allowed, max_parents=limit, knowledge=knowledge))


def all_pairs(made: GrowShrinkTrees) -> set[tuple[int, ...]]:
    """Each child with each pair of parents that the walks start from."""
    return {(v, *pair) for v in range(37) for pair in made.find_pairs(v).tolist()}


def assert_same(rules: Rules, orders: int = 6) -> None:
    readable, compiled, n = ReadableTrees(*rules), rules.trees, len(rules.edges.allowed)
    rng = np.random.default_rng(0)
    for _ in range(orders):
        order = rng.permutation(n).tolist()
        assert compiled.families(order) == readable.families(order)
        for v in rng.permutation(n)[:4].tolist():
            np.testing.assert_array_equal(compiled.scores_by_place(order, v), readable.scores_by_place(order, v))


@pytest.mark.parametrize(("score", "params"), SCORES, ids=str)
def test_compiled_trees_give_the_scores_and_parents_of_readable_ones(score, params):
    table = make_table((2, 3, 2, 4, 2, 3, 2, 2), 300, seed=1)
    assert_same(rules_of(LocalScores(table, make_score(score, **params)), 8))


@pytest.mark.parametrize("phi", ["bdeu", "mit", None])
def test_they_agree_where_some_parents_are_not_considered(phi, monkeypatch):
    monkeypatch.setattr(trees, "MIN_CANDIDATES", 2)
    monkeypatch.setattr(trees, "MIN_SINGLES", 1)
    monkeypatch.setattr(trees, "MAX_SINGLES", 1)
    table = make_table((2, 3, 2, 4, 2, 3, 2, 2), 300, seed=1)
    rules = rules_of(LocalScores(table, make_score(phi)) if phi else RandomScores(8, 1), 8)
    assert_same(rules)
    monkeypatch.setattr(trees, "MIN_CANDIDATES", 8)
    orders = list(permutations(range(8)))[::2000]
    families = [rules.trees.families(order)[0] for order in orders]
    monkeypatch.setattr(trees, "MIN_CANDIDATES", 2)
    assert families != [rules.trees.families(order)[0] for order in orders]


@pytest.mark.parametrize("score", ["aic", "bic", "nml", "bdeu", "k2"])
def test_a_sample_rules_out_few_of_the_useful_pairs(score, monkeypatch):
    rows = bnlab.load_network("alarm").sample(6000, seed=1)
    rules = rules_of(LocalScores(rows, make_score(score)), 37)
    monkeypatch.setattr(trees, "PAIRS_A_NODE", 37)
    monkeypatch.setattr(trees, "MAX_PAIRS", 37**2)
    every = all_pairs(rules.trees)
    monkeypatch.setattr(trees, "MIN_CANDIDATES", 8)
    found = all_pairs(rules.trees)
    assert found < every
    assert len(found) > 0.9 * len(every)


def test_a_sample_needs_many_rows_and_no_prior_of_structures():
    rows = bnlab.load_network("asia").sample(4000, seed=1)
    phi = table_scores.table_scores(MemorySource(rows), make_score("bic"))
    assert phi.of_sample(2000) is not None
    assert phi.of_sample(2001) is None
    assert table_scores.table_scores(MemorySource(rows), make_score("bic"), np.zeros((8, 8))).of_sample(2000) is None


def test_they_agree_with_few_parents_and_few_edges_allowed():
    phi = LocalScores(bnlab.load_network("alarm").sample(300, seed=2), make_score("bic"))
    allowed = np.random.default_rng(3).random((37, 37)) < 0.4
    np.fill_diagonal(allowed, False)
    assert_same(rules_of(phi, 37, 2, allowed), 2)
    assert_same(rules_of(phi, 37, 1), 2)
    assert_same(rules_of(phi, 37, 0), 1)


@pytest.mark.parametrize("score", ["bdeu", "mit"])
def test_they_agree_where_edges_are_required_and_limits_differ(score):
    table = make_table((2, 3, 2, 4, 2, 3, 2, 2), 300, seed=1)
    free = edge_rules(8)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        required = np.triu(rng.random((8, 8)) < 0.2, 1)
        limits = required.sum(axis=0) + rng.integers(3, size=8)
        rules = rules_of(LocalScores(table, make_score(score)), 8, knowledge=EdgeRules(required, free.allowed, limits))
        assert_same(rules, 3)
        parents, _ = rules.trees.families(range(8))
        assert rules.edges.violations(parents) == ()


def test_they_agree_on_more_variables_than_a_word_has_bits():
    phi = LocalScores(make_table((2,) * 66, 60, seed=4), make_score("bic"))
    allowed = np.random.default_rng(3).random((66, 66)) < 0.2
    np.fill_diagonal(allowed, False)
    assert_same(rules_of(phi, 66, 2, allowed), 1)


def test_they_agree_on_arbitrary_scores():
    for seed in range(5):
        assert_same(rules_of(RandomScores(5, seed), 5))


def test_a_cache_that_is_emptied_changes_no_score(monkeypatch):
    phi = LocalScores(make_table((2, 3, 2, 4, 2, 3, 2, 2), 300, seed=1), make_score("bdeu", ess=10.0))
    rules = rules_of(phi, 8)
    order = list(range(8))
    expected = [rules.trees.scores_by_place(order, v).tolist() for v in order]
    monkeypatch.setattr(trees, "MAX_WORDS", 18)
    compiled = rules.trees
    assert [compiled.scores_by_place(order, v).tolist() for v in order] == expected


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_threads_do_not_change_the_families(score, monkeypatch):
    table = bnlab.load_network("alarm").sample(300, seed=2)
    monkeypatch.setattr(table_scores, "_MIN_SHARED_NS", 0.0)
    found = []
    for threads in (1, 3):
        phi = LocalScores(MemorySource(table, threads=threads), make_score(score))
        found.append((rules_of(phi, 37).trees.families(range(37)), phi.misses))
    assert found[0] == found[1]


def test_scores_by_place_are_the_scores_of_the_orders():
    trees = rules_of(RandomScores(5, 7), 5).trees
    for order in list(permutations(range(5)))[::17]:
        for v in order:
            others = [w for w in order if w != v]
            expected = [trees.families([*others[:k], v, *others[k:]])[1] for k in range(5)]
            assert trees.scores_by_place(order, v).tolist() == expected


def test_the_parents_stand_before_the_child_and_no_single_change_improves_them():
    phi = RandomScores(6, 8)
    rules = rules_of(phi, 6)
    order = [3, 0, 5, 1, 4, 2]
    parents, score = rules.trees.families(order)
    found = rules.phi.many(list(enumerate(parents)))
    assert score == pytest.approx(found.sum())
    for k, v in enumerate(order):
        before = set(order[:k])
        assert before.issuperset(parents[v])
        changed = [tuple(sorted(before & ({*parents[v]} ^ {u}))) for u in before]
        assert all(rules.phi(v, family) <= found[v] + 1e-6 for family in changed)
        pairs = [rules.phi(v, pair) for pair in combinations(sorted(before), 2)]
        assert all(value <= found[v] + 1e-6 for value in pairs)


class Failing(LocalScoreFunction):
    """Local scores that fail once."""

    def __init__(self) -> None:
        self.phi, self.fails = RandomScores(5, 9), False

    def __call__(self, child, parents, /):
        if self.fails and len(parents) > 1:
            self.fails = False
            raise KeyboardInterrupt
        return self.phi(child, parents)


def test_trees_are_whole_after_an_interrupt():
    phi = Failing()
    trees, expected = rules_of(phi, 5).trees, rules_of(phi, 5).trees
    order = [4, 2, 0, 1, 3]
    phi.fails = True
    with pytest.raises(KeyboardInterrupt):
        trees.families(order)
    assert trees.families(order) == expected.families(order)
