"""Scores of a family and of all that differ by one parent, by compiled code, against the formulas of the scores."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import bnlab
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable
from bnlab.engine.rows import reordered
from bnlab.engine.score import BDEU, K2, LIKELIHOOD, reordered_score, score_of
from bnlab.scores import EdgePrior, LocalScores, make_score, table_scores
from bnlab.scores.table_scores import TableScores
from tests.scores.small_tables import make_table

SCORES = [
    ("ll", {}), ("aic", {}), ("bic", {}), ("nml", {}), ("k2", {}),
    ("bdeu", {"ess": 1e-3}), ("bdeu", {}), ("bdeu", {"ess": 1e4}),
]  # fmt: skip
SHAPES = [
    ((2, 3, 2, 4, 1, 2, 3), 3000),
    ((16, 2, 5, 3, 16), 700),
    ((90, 2, 30, 3), 400),
    ((300, 2, 3), 500),
    ((2, 2, 3), 1),
    ((3,) * 8, 64),
    ((2,) * 10, 128),
]


def compiled(phi: LocalScores) -> TableScores:
    scores = phi.compiled()
    assert scores is not None
    return scores


def by_formula(phi: LocalScores, child: int, parents: tuple[int, ...]) -> np.ndarray:
    """Scores of the family, at the child, and with each node added to the parents or removed."""
    families = [tuple(sorted({*parents} ^ {u} - {child})) for u in range(phi.n)]
    return phi.many([(child, family) for family in families])


def drawn_families(n: int, seed: int = 0) -> list[tuple[int, tuple[int, ...]]]:
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(n).tolist()[: rng.integers(1, n + 1)] for _ in range(12)]
    return [(child, tuple(sorted(parents))) for child, *parents in drawn]


@pytest.mark.parametrize(("name", "params"), SCORES, ids=str)
@pytest.mark.parametrize(("arities", "rows"), SHAPES, ids=str)
def test_scores_are_those_of_the_formulas(name, params, arities, rows):
    phi = LocalScores(make_table(arities, rows, seed=1), make_score(name, **params))
    rng = np.random.default_rng(0)
    for child, parents in drawn_families(len(arities)):
        wanted = np.where(rng.random(len(arities)) < 0.8, -np.inf, np.inf)
        wanted[child] = np.inf
        (found,) = compiled(phi).toggles([(child, parents)], wanted[None])
        expected = by_formula(phi, child, parents)
        expected[(wanted == np.inf) & (np.arange(len(arities)) != child)] = -np.inf
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize(("name", "params"), SCORES, ids=str)
def test_a_bound_hides_no_score_that_matters(name, params):
    network = bnlab.load_network("alarm")
    phi = LocalScores(network.sample(200, seed=3).select(network.names[:14]), make_score(name, **params))
    rng = np.random.default_rng(1)
    hidden = 0
    for child, parents in drawn_families(14, seed=2):
        expected = by_formula(phi, child, parents)
        least = expected + rng.normal(scale=5.0, size=14)
        least[child] = np.inf
        (found,) = compiled(phi).toggles([(child, parents)], least[None], 0.0)
        added = ~np.isin(np.arange(14), [child, *parents])
        matters = (expected > least + 1e-9) & (~added | (expected > expected[child] + 1e-9))
        np.testing.assert_allclose(found[matters], expected[matters], rtol=1e-11)
        hidden += np.isneginf(found[added]).sum()
    assert hidden > 0 or name not in ("aic", "bic")


@pytest.mark.parametrize(("name", "params"), SCORES, ids=str)
@pytest.mark.parametrize("count", [255, 256, 257])
def test_counts_about_the_end_of_a_table_of_terms_are_scored_alike(name, params, count):
    columns = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [count, 5, count - 7, 7], axis=0)
    phi = LocalScores(Table.from_codes(columns, [Variable(v, (0, 1)) for v in "xy"]), make_score(name, **params))
    for child in (0, 1):
        wanted = np.where(np.arange(2) == child, np.inf, -np.inf)
        (found,) = compiled(phi).toggles([(child, ())], wanted[None])
        np.testing.assert_allclose(found, by_formula(phi, child, ()), rtol=1e-11)


def test_more_hyperparameters_than_tables_of_terms_are_scored_right():
    phi = LocalScores(make_table((2, 3, 5, 7, 11, 13, 4, 6, 9), 900, seed=3), make_score("bdeu", ess=2))
    scores = compiled(phi)
    for child, parents in [*drawn_families(9, 4), *drawn_families(9, 5), *drawn_families(9, 6)]:
        wanted = np.where(np.arange(9) == child, np.inf, -np.inf)
        (found,) = scores.toggles([(child, parents)], wanted[None])
        np.testing.assert_allclose(found, by_formula(phi, child, parents), rtol=1e-11)


def test_a_prior_of_structures_is_added():
    table = make_table((2, 3, 2, 4), 300, seed=5)
    prior = EdgePrior({(table.names[0], table.names[1]): 0.9, (table.names[2], table.names[1]): 0.01})
    phi = LocalScores(table, make_score("bdeu"), structure_prior=prior)
    for child, parents in ((1, (2,)), (1, (0, 2)), (0, ())):
        wanted = np.where(np.arange(4) == child, np.inf, -np.inf)
        (found,) = compiled(phi).toggles([(child, parents)], wanted[None], 0.0)
        np.testing.assert_allclose(found, by_formula(phi, child, parents), rtol=1e-11)


@pytest.mark.parametrize(("name", "params"), SCORES, ids=str)
def test_threads_do_not_change_the_last_bit(monkeypatch, name, params):
    monkeypatch.setattr(table_scores, "_MIN_SHARED_NS", 0.0)
    table, families = make_table((2, 3, 1, 4, 2, 3, 2, 5), 3000, seed=9), drawn_families(8)
    wanted = np.full((12, 8), -np.inf)
    wanted[np.arange(12), [child for child, _ in families]] = np.inf
    found = []
    for threads in (1, 2, 16):
        phi = LocalScores(MemorySource(table, threads=threads), make_score(name, **params))
        found.append(compiled(phi).toggles(families, wanted))
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_a_score_of_ones_own_has_no_compiled_form():
    class Shifted(bnlab.scores.BIC):
        def batch(self, batch):
            return super().batch(batch) + 1.0

    assert LocalScores(make_table((2, 3), 50, seed=1), Shifted()).compiled() is None


def test_a_table_whose_bitmaps_would_not_fit_has_no_compiled_form(monkeypatch):
    monkeypatch.setattr(table_scores, "MAX_BITMAP_BYTES", 30)
    assert LocalScores(make_table((2, 3), 50, seed=1), make_score("bic")).compiled() is None


def test_functions_are_compiled_once_for_all_scores_and_for_reordered_tables():
    rows = MemorySource(make_table((2, 3, 2), 100, seed=1)).rows
    other = reordered(rows, np.array([2, 0, 1]))
    scores = [score_of(LIKELIHOOD, rows, 2), score_of(K2, rows), score_of(BDEU, rows, ess=2)]
    scores += [
        score_of(LIKELIHOOD, rows, complexity=np.zeros((4, 101))),
        reordered_score(scores[0], np.array([2, 0, 1])),
    ]
    assert numba.typeof(rows) == numba.typeof(other)
    assert len({numba.typeof(score) for score in scores}) == 1


def test_a_family_of_more_cells_than_an_integer_holds_is_scored():
    table = make_table((2,) * 70, 40, seed=4)
    wanted = np.where(np.arange(70) == 0, np.inf, -np.inf)
    (found,) = compiled(LocalScores(table, make_score("bdeu"))).toggles([(0, tuple(range(1, 66)))], wanted[None])
    # 40 configurations of one row each, whose two states are equally probable before it is seen
    np.testing.assert_allclose(found[[0, *range(66, 70)]], 40 * np.log(0.5), rtol=1e-12)
