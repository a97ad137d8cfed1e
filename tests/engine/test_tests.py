"""Batches of G2 tests against sums over the cells of one table at a time, and means over all permutations."""

from __future__ import annotations

from itertools import permutations
from math import log

import numpy as np
import pytest
from scipy.stats import chi2

from bnlab.citests import tester
from bnlab.engine import tests
from bnlab.engine.rows import table_of
from bnlab.engine.tests import G2Rules, expected_g2, g2, g2_batch, terms_of


def g2_by_cells(codes: np.ndarray, z: list[int], x: int, y: int) -> tuple[float, int]:
    """G2 = 2 sum N_xyz ln(N_xyz N_z / (N_xz N_yz)), and (states of x that occur - 1)(those of y - 1) for each z."""
    strata: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for row in codes.T.tolist():
        strata.setdefault(tuple(row[v] for v in z), []).append((row[x], row[y]))
    statistic, df = 0.0, 0
    for rows in strata.values():
        xs, ys = [a for a, _ in rows], [b for _, b in rows]
        for a, b in set(rows):
            n = rows.count((a, b))
            statistic += 2 * n * log(n * len(rows) / (xs.count(a) * ys.count(b)))
        df += (len(set(xs)) - 1) * (len(set(ys)) - 1)
    return statistic, df


def sample(n_rows: int, arities: list[int], seed: int = 0) -> np.ndarray:
    """Columns that copy the first one in half of the rows."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(r, size=n_rows) for r in arities]
    return np.stack(
        [np.where(rng.random(n_rows) < 0.5, columns[0] % r, c) for r, c in zip(arities, columns, strict=True)]
    )


def batch(codes: np.ndarray, arities: list[int], questions: list[tuple[list[int], int, int]], sparse: bool = False):
    variables = np.concatenate([[*z, x, y] for z, x, y in questions])
    begins = np.cumsum([0, *(len(z) + 2 for z, _, _ in questions)])
    results = np.empty((len(questions), 3))
    below = np.inf if sparse else 0.0
    rules = G2Rules(False, 0.0, 0.0, below, below, log(0.05), log(0.05))
    kind = np.uint8 if max(arities) <= 256 else np.uint16
    table, terms = table_of(codes.astype(kind), np.array(arities)), terms_of(codes.shape[1])
    assert g2_batch(table, terms, rules, variables, begins, False, results) == len(questions)
    return results


QUESTIONS = [
    *(([], 0, y) for y in (1, 2, 3, 4, 5)),
    *(([2, 1], 0, y) for y in (3, 4, 5)),
    ([4], 3, 5),
    ([5], 3, 4),
    ([1, 2, 3, 5], 4, 0),
    ([0], 1, 2),
    ([0], 1, 3),
    ([0], 2, 3),
]


@pytest.mark.parametrize("n_rows", [1, 64, 700, 3000])
@pytest.mark.parametrize("arities", [[3, 2, 1, 4, 2, 5], [2, 3, 70, 2, 300, 4]])
def test_each_test_of_a_batch_is_that_of_its_cells(n_rows: int, arities: list[int]) -> None:
    codes = sample(n_rows, arities)
    found = batch(codes, arities, QUESTIONS)
    for (statistic, df, strength), question in zip(found.tolist(), QUESTIONS, strict=True):
        expected = g2_by_cells(codes, *question)
        assert statistic == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
        assert df == expected[1]
        log_p = chi2.logsf(statistic, df) if df else 0.0
        if log_p > -700:  # that of scipy underflows below
            assert strength == pytest.approx(-log_p if log_p <= log(0.05) else 0.0, rel=1e-9)


def test_tests_made_apart_are_those_of_the_batch() -> None:
    arities = [3, 2, 20, 4, 2, 5]
    codes = sample(900, arities)
    together = batch(codes, arities, QUESTIONS)
    apart = np.concatenate([batch(codes, arities, [question]) for question in QUESTIONS])
    turned = batch(codes, arities, [(z[::-1], y, x) for z, x, y in QUESTIONS])
    assert together.tolist() == apart.tolist() == turned.tolist()


@pytest.mark.parametrize("n_rows", [4, 6])
def test_the_mean_under_independence_is_that_of_all_permutations(n_rows: int) -> None:
    codes = sample(n_rows, [3, 3, 2], seed=n_rows)
    (mean,) = batch(codes, [3, 3, 2], [([], 0, 1)], sparse=True)[:, 1]
    statistics = [
        g2_by_cells(np.stack([codes[0], codes[1][list(order)]]), [], 0, 1)[0] for order in permutations(range(n_rows))
    ]
    assert mean == pytest.approx(np.mean(statistics), rel=1e-9)


def test_terms_of_counts_beyond_the_table_of_terms_are_computed() -> None:
    counts = np.array([[60_000, 5_000, 90_000, 10], [20_000, 70_000, 80_000, 30]])
    n_rows = int(counts.sum())
    assert len(terms_of(n_rows).of_counts) == tests.MAX_TERMS < counts.max()
    statistic, df = g2(counts, 2, terms_of(n_rows))
    by_hand = 0.0
    for stratum in (counts[:, :2], counts[:, 2:]):
        mean = np.outer(stratum.sum(1), stratum.sum(0)) / stratum.sum()
        by_hand += 2 * float((stratum * np.log(stratum / mean)).sum())
    assert statistic == pytest.approx(by_hand, rel=1e-9)
    assert df == 2
    assert expected_g2(counts, 2, terms_of(n_rows)) == pytest.approx(2, rel=1e-1)


def test_strengths_that_decide_nothing_have_the_numbers_that_learners_read() -> None:
    assert (tests.NOT_PERFORMED, tests.UNDECIDED) == (tester.NOT_PERFORMED, tester.UNDECIDED)
