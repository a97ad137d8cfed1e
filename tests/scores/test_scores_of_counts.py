"""Every score of any counts, from none to ten million rows, against its formula to 50 digits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bnlab.counts import FamilyBatch, FamilyCounts
from bnlab.scores import AIC, BD, BIC, K2, LL, MDL, MIT, NML, BDeu, LocalScore
from tests.scores import exact_counts as exact
from tests.soak import times

EPS = np.finfo(float).eps
PAIRS: list[tuple[LocalScore, Callable[[FamilyCounts], Any]]] = [
    (LL(), exact.ll),
    (AIC(), exact.aic),
    (BIC(), exact.bic),
    (NML(), exact.nml),
    (MIT(0.95), exact.mit(0.95)),
    (K2(), exact.k2),
    (BDeu(1.0), exact.bdeu(1.0)),
    (BDeu(0.001), exact.bdeu(0.001)),
    (BDeu(1e6), exact.bdeu(1e6)),
    (BD(0.5), lambda counts: exact.bd(counts, exact.mpf(0.5))),
]
WIDE = FamilyCounts(np.eye(3, dtype=np.int64), np.array([0, 5, 2**61]), (2,) * 62)
SCORES = pytest.mark.parametrize(("score", "reference"), PAIRS, ids=[repr(pair[0]) for pair in PAIRS])


def counts_of(table: list[list[int]], configurations: list[int], parent_arities: tuple[int, ...]) -> FamilyCounts:
    r = len(table[0]) if table else 3
    return FamilyCounts(np.array(table, np.int64).reshape(-1, r), np.array(configurations, np.int64), parent_arities)


@st.composite
def families(draw: st.DrawFn) -> FamilyCounts:
    """Counts with configurations that no row shows, constant variables, single rows, and up to ten million rows.

    Half of them are real numbers, such as expected counts.
    """
    arities = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    r = draw(st.integers(1, 4))
    seen = draw(st.lists(st.integers(0, prod(arities) - 1), max_size=4, unique=True))
    scale = draw(st.sampled_from([1, 1, 50, 10_000, 10_000_000]))
    cell = st.integers(0, scale)
    rows = [draw(st.lists(cell, min_size=r, max_size=r)) for _ in seen]
    kept = sorted((j, row) for j, row in zip(seen, rows, strict=True) if any(row))
    table = np.array([row for _, row in kept], np.int64).reshape(-1, r)
    counts = FamilyCounts(table, np.array([j for j, _ in kept], np.int64), arities)
    return replace(counts, table=table * draw(st.floats(0.001, 2.0))) if draw(st.booleans()) else counts


def error_bound(score: LocalScore, counts: FamilyCounts, value: float) -> float:
    """Rounding of a few functions of each cell, the greatest about (N + N') ln (N + N')."""
    n, hyper = counts.n_rows, getattr(score, "ess", 0.0)
    return 16 * EPS * (n * np.log(n + 2) + abs(value) + hyper * np.log(hyper + 2) + 100)


@SCORES
@given(counts=families())
@example(counts=counts_of([], [], (2, 3)))
@example(counts=counts_of([[1, 0, 0]], [5], (2, 3)))
@example(counts=counts_of([[10_000_000]], [0], ()))
@example(counts=counts_of([[10_000_000, 0, 0], [0, 1, 9_999_999]], [0, 3], (4,)))
@example(counts=counts_of([[3_333_333, 3_333_333, 3_333_334]], [0], ()))
@example(counts=counts_of([[9_999_999, 1]], [0], ()))
@example(counts=FamilyCounts(np.array([[0.25, 0.5], [1.75, 0.0]]), np.array([0, 2]), (3,)))
@settings(max_examples=times(10, 60))
def test_a_score_of_any_counts_is_its_formula(
    score: LocalScore, reference: Callable[[FamilyCounts], Any], counts: FamilyCounts
) -> None:
    expected = float(reference(counts))
    assert score(counts) == pytest.approx(expected, rel=0, abs=error_bound(score, counts, expected))


@SCORES
@given(counts=families())
@settings(max_examples=times(10, 60))
def test_no_family_passes_the_bound_of_its_shape(
    score: LocalScore, reference: Callable[[FamilyCounts], Any], counts: FamilyCounts
) -> None:
    bound = score.upper_bound(counts.r, np.array([float(counts.q)]), counts.n_rows)[0]
    assert score(counts) <= bound + error_bound(score, counts, score(counts))


@SCORES
@given(stack=st.lists(families(), min_size=1, max_size=5))
@example(stack=[counts_of([[4, 0, 3]], [0], (2, 3)), counts_of([[1, 0, 0], [0, 2, 0], [0, 0, 9]], [0, 4, 5], (2, 3))])
@settings(max_examples=times(10, 60))
def test_a_stack_of_any_families_scores_like_each_alone(
    score: LocalScore, reference: Callable[[FamilyCounts], Any], stack: list[FamilyCounts]
) -> None:
    alike = [counts for counts in stack if counts.r == stack[0].r]
    together = score.batch(FamilyBatch.of(alike))
    for value, counts in zip(together, alike, strict=True):
        assert value == pytest.approx(score(counts), rel=0, abs=error_bound(score, counts, value))


@SCORES
def test_scores_stay_finite_when_parent_configurations_outnumber_everything(
    score: LocalScore, reference: Callable[[FamilyCounts], Any]
) -> None:
    assert np.isfinite(score(WIDE))


@pytest.mark.parametrize("ess", [1e-300, 1e-12, 1e12])
def test_bdeu_stays_finite_for_extreme_sample_sizes(ess: float) -> None:
    assert np.isfinite(BDeu(ess)(replace(WIDE, table=1000 * WIDE.table)))


def test_mdl_is_bic() -> None:
    assert MDL is BIC
