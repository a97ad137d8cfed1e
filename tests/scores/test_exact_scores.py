"""Every score against its definition, computed row by row and in fractions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from bnlab.counts import FamilyBatch, FamilyCounts, count_source
from bnlab.data import Table
from bnlab.scores import AIC, BD, BIC, K2, LL, MDL, MIT, NML, BDeu, LocalScore
from tests.scores import exact_scores as exact

PAIRS: list[tuple[LocalScore, Callable[..., float], tuple[float, ...]]] = [
    (LL(), exact.ll, ()),
    (AIC(), exact.aic, ()),
    (BIC(), exact.bic, ()),
    (NML(), exact.nml, ()),
    (MIT(), exact.mit, (0.99,)),
    (MIT(0.5), exact.mit, (0.5,)),
    (K2(), exact.k2, ()),
    (BDeu(), exact.bdeu, (1.0,)),
    (BDeu(0.25), exact.bdeu, (0.25,)),
    (BDeu(64), exact.bdeu, (64.0,)),
]
SCORES = [pair[0] for pair in PAIRS] + [BD(0.5)]
FAMILIES = [
    (child, parents)
    for child in range(4)
    for k in range(4)
    for parents in combinations([v for v in range(4) if v != child], k)
]


def by_name(score: LocalScore) -> str:
    return repr(score)


@pytest.mark.parametrize(("score", "reference", "params"), PAIRS, ids=[by_name(p[0]) for p in PAIRS])
def test_score_of_every_family_is_its_definition(
    tiny: Table, score: LocalScore, reference: Callable[..., float], params: tuple[float, ...]
) -> None:
    found = [score(counts) for counts in count_source(tiny).count(FAMILIES)]
    expected = [reference(tiny, child, parents, *params) for child, parents in FAMILIES]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("score", SCORES, ids=by_name)
def test_a_stack_of_families_scores_like_each_alone(four: Table, score: LocalScore) -> None:
    source = count_source(four)
    together = np.empty(len(FAMILIES))
    for positions, batch in source.batches(FAMILIES):
        together[positions] = score.batch(batch)
    np.testing.assert_allclose(together, [score(c) for c in source.count(FAMILIES)], rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("score", SCORES, ids=by_name)
def test_configurations_that_no_row_shows_add_exactly_zero(score: LocalScore) -> None:
    row = np.array([[4, 0, 3]])
    plain = FamilyBatch(row, np.array([0]), np.array([6.0]), [(2, 3)])
    padded = FamilyBatch(np.vstack([row, np.zeros((5, 3), int)]), np.array([0]), np.array([6.0]), [(2, 3)])
    assert score.batch(padded)[0] == score.batch(plain)[0]


@pytest.mark.parametrize("score", SCORES, ids=by_name)
def test_sparse_counts_score_like_dense_ones(four: Table, score: LocalScore) -> None:
    (counts,) = count_source(four).count([(0, (1, 2, 3))])
    assert len(counts.table) < counts.q
    dense = FamilyCounts(counts.dense().reshape(-1, counts.r), np.arange(counts.q), counts.parent_arities)
    assert score(dense) == pytest.approx(score(counts), rel=1e-14)


@pytest.mark.parametrize("score", SCORES, ids=by_name)
def test_no_rows_give_no_evidence_only_a_penalty(score: LocalScore) -> None:
    nothing = FamilyCounts(np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64), (2, 2))
    expected = -8.0 if score == AIC() else -exact_quantiles(score) if isinstance(score, MIT) else 0.0
    assert score(nothing) == pytest.approx(expected, rel=1e-12)


def exact_quantiles(score: MIT) -> float:
    from scipy.stats import chi2

    return float(chi2.ppf(score.alpha, [2, 4]).sum())


@pytest.mark.parametrize("score", SCORES, ids=by_name)
def test_a_variable_of_one_state_is_certain_and_free(score: LocalScore) -> None:
    counts = FamilyCounts(np.array([[5], [7]]), np.array([0, 2]), (3,))
    assert score(counts) == pytest.approx(0.0, abs=1e-12)
    assert np.copysign(1.0, LL()(counts)) == 1.0


@pytest.mark.parametrize("score", SCORES, ids=by_name)
def test_the_order_of_the_parents_does_not_matter(four: Table, score: LocalScore) -> None:
    a, b, c = count_source(four).count([(1, (0, 2, 3)), (1, (3, 0, 2)), (1, (2, 3, 0))])
    assert score(a) == pytest.approx(score(b), rel=1e-12) == pytest.approx(score(c), rel=1e-12)


@pytest.mark.parametrize("score", SCORES, ids=by_name)
def test_scores_stay_finite_when_parent_configurations_outnumber_everything(score: LocalScore) -> None:
    parent_arities = (2,) * 62
    counts = FamilyCounts(np.eye(3, dtype=np.int64), np.array([0, 5, 2**61]), parent_arities)
    assert np.isfinite(score(counts))


@pytest.mark.parametrize("ess", [1e-300, 1e-12, 1e12])
def test_bdeu_stays_finite_for_extreme_sample_sizes(ess: float) -> None:
    counts = FamilyCounts(np.eye(3, dtype=np.int64) * 1000, np.array([0, 5, 2**61]), (2,) * 62)
    assert np.isfinite(BDeu(ess)(counts))


def test_mdl_is_bic() -> None:
    assert MDL is BIC
