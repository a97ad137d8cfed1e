"""Operations on counts keep the fractions of expected counts, scaled counts and weights."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

import bnlab
from bnlab.counts import FamilyBatch, FamilyCounts
from bnlab.counts.incomplete import AvailableCases, ExpectedCounts
from bnlab.counts.information import mutual_information
from bnlab.data import Table, Variable
from bnlab.scores.fcll import LAMBDA, A, B
from bnlab.scores.likelihood import log_likelihood

ARITIES = (2, 3, 2)


def random_counts(rng: np.random.Generator, arities: tuple[int, ...] = ARITIES, r: int = 3) -> FamilyCounts:
    """Real counts, many of them below 1, of some of the configurations."""
    q = int(np.prod(arities))
    seen = np.sort(rng.choice(q, size=rng.integers(1, q), replace=False))
    return FamilyCounts(rng.exponential(0.7, (len(seen), r)), seen, arities)


def dense(counts: FamilyCounts) -> np.ndarray:
    """Whole table, cell by cell."""
    found = np.zeros((*counts.parent_arities, counts.r))
    for code, row in zip(counts.configurations.tolist(), counts.table.tolist(), strict=True):
        found[np.unravel_index(code, counts.parent_arities)] = row
    return found


@pytest.mark.parametrize("seed", range(5))
def test_operations_on_one_family_keep_fractions(seed):
    rng = np.random.default_rng(seed)
    a, b = random_counts(rng), random_counts(rng)
    np.testing.assert_allclose(dense(a + b), dense(a) + dense(b))
    np.testing.assert_allclose(a.dense(), dense(a))
    for place in range(len(ARITIES)):
        np.testing.assert_allclose(dense(a.without_parent(place)), dense(a).sum(axis=place))
    assert a.n_rows == pytest.approx(dense(a).sum())
    np.testing.assert_allclose(a.n_ij, a.table.sum(axis=1))
    whole = FamilyCounts(np.array([[3, 0, 1]]), np.array([4]), ARITIES)
    np.testing.assert_allclose(dense(a + whole), dense(a) + dense(whole))
    assert (whole + whole).table.dtype == np.int64
    assert isinstance(whole.n_rows, int)


@pytest.mark.parametrize("seed", range(5))
def test_operations_on_a_stack_keep_fractions(seed):
    rng = np.random.default_rng(seed)
    nothing = FamilyCounts(np.zeros((0, 3), np.int64), np.zeros(0, np.int64), (2,))
    families = [random_counts(rng), nothing, random_counts(rng, (2,)), random_counts(rng, (3, 2))]
    batch = FamilyBatch.of(families)
    np.testing.assert_allclose(batch.n_rows, [dense(c).sum() for c in families])
    np.testing.assert_allclose(batch.marginal, [c.table.sum(axis=0) for c in families])
    np.testing.assert_allclose(batch.n_ij[batch.first[2] :][: len(families[2].table)], families[2].table.sum(axis=1))
    for part, expected in zip(batch.families(), families, strict=True):
        np.testing.assert_allclose(dense(part), dense(expected))
    halves = [total for half in batch.split(2) for total in half.n_rows.tolist()]
    np.testing.assert_allclose(halves, batch.n_rows)
    entropies = [sum(x * log(x / sum(row)) for row in c.table.tolist() for x in row if x) for c in families]
    np.testing.assert_allclose(log_likelihood(batch), entropies)
    stated = FamilyBatch(batch.table, batch.first, batch.q, batch.parent_arities, batch.configurations, rows=2.5)
    assert stated.n_rows.tolist() == [2.5] * 4


def test_mutual_information_of_expected_counts_is_that_of_their_table():
    rng = np.random.default_rng(3)
    pair = [Variable("a", (0, 1, 2)), Variable("b", (0, 1))]
    tables = [Table(pair, [rng.integers(0, 3, 5), rng.integers(0, 2, 5)]) for _ in range(7)]
    joint = np.zeros((3, 2))
    for table in tables:
        np.add.at(joint, (table.column(0), table.column(1)), 1 / 7)
    p = joint / joint.sum()
    outer = p.sum(axis=1, keepdims=True) * p.sum(axis=0)
    expected = float((p[p > 0] * np.log(p[p > 0] / outer[p > 0])).sum())
    assert mutual_information(ExpectedCounts(tables))[0, 1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_conditional_likelihood_of_available_cases_is_the_formula_on_complete_rows(seed):
    rng = np.random.default_rng(seed)
    arities, n_rows = (3, 2, 2), 61
    columns = [rng.integers(0, r, n_rows) for r in arities]
    for v, share in ((0, 0.2), (1, 0.1)):
        columns[v] = np.where(rng.random(n_rows) < share, arities[v], columns[v])
    table = Table([Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(arities)], columns, gaps=True)
    rows = [row for row in zip(*(c.tolist() for c in columns), strict=True) if row[0] < 3 and row[1] < 2]

    def likelihood(parents: tuple[int, ...]) -> float:
        total = 0.0
        for row in rows:
            same = [other for other in rows if all(other[p] == row[p] for p in parents)]
            total += log(sum(other[0] == row[0] for other in same) / len(same))
        return total * n_rows / len(rows)

    phi = bnlab.scores.local_scores(AvailableCases(table), "fcll", target="v2")
    expected = (A + B - B * LAMBDA) * likelihood((1, 2)) + B * LAMBDA * likelihood((1,))
    assert phi(0, (1, 2)) == pytest.approx(expected)
