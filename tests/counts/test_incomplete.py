"""Counts of tables with missing values against those that pandas makes of the same rows."""

import numpy as np
import pytest

from bnlab.counts import count_source
from bnlab.counts.base import in_order
from bnlab.counts.incomplete import AvailableCases, ExpectedCounts
from bnlab.data import Table, Variable
from bnlab.learners import learn
from bnlab.networks import asia
from bnlab.scores import PNAL, LocalScores, make_score
from bnlab.scores.make import SCORE_TABLE
from bnlab.scores.nml import multinomial_complexity
from tests.networks.gaps import COLLIDER, small_table

FAMILIES = [(2, (0, 1)), (1, (0,)), (0, ()), (1, (0, 2))]


def test_available_cases_are_the_rows_in_which_a_family_is_complete():
    _, table = small_table(COLLIDER, seed=2, n=200)
    frame = table.to_pandas()
    source = AvailableCases(table)
    for (child, parents), counts in zip(FAMILIES, source.count(FAMILIES), strict=True):
        members = [table.names[v] for v in (*parents, child)]
        known = frame[members].dropna()
        expected = np.zeros([table.arities[v] for v in (*parents, child)])
        np.add.at(expected, tuple(known[name].cat.codes for name in members), len(table) / len(known))
        found = np.zeros((counts.q, counts.r))
        found[counts.configurations] = counts.table
        np.testing.assert_allclose(found.reshape(expected.shape), expected)
        assert counts.table.any(axis=1).all()


def test_a_family_that_is_complete_in_no_row_is_scored_as_if_its_parents_were_constant():
    pair = [Variable("a", (0, 1)), Variable("b", (0, 1, 2)), Variable("c", (0, 1))]
    rng = np.random.default_rng(1)
    first = np.arange(100) < 50
    a, b = np.where(first, rng.integers(0, 2, 100), 2), np.where(first, 3, rng.integers(0, 3, 100))
    source = AvailableCases(Table(pair, [a, b, np.full(100, 2)], gaps=True))
    for child, parents in [(0, (1,)), (1, (0,)), (1, (0, 2)), (0, (2,)), (2, (0,))]:
        alone, joint = source.count([(child, ()), (child, parents)])
        assert joint.table.tolist() == alone.table.tolist()
        assert joint.q == np.prod([pair[p].arity for p in parents])
    for score in (make_score("bic"), make_score("bdeu"), PNAL(3)):
        assert learn(Table(pair, [a, b, np.full(100, 2)], gaps=True), "available-cases", score=score).edges == ()


def test_expected_counts_are_the_mean_of_those_of_the_tables():
    tables = [asia().sample(300, seed=seed) for seed in range(4)]
    singles = [count_source(table).count(FAMILIES) for table in tables]
    for k, found in enumerate(ExpectedCounts(tables).count(FAMILIES)):
        np.testing.assert_allclose(found.dense(), np.mean([single[k].dense() for single in singles], axis=0))


@pytest.mark.parametrize("name", [name for name, entry in SCORE_TABLE.items() if entry.offered])
def test_every_score_of_the_counts_of_equal_tables_is_that_of_one(name):
    table = asia().sample(300, seed=1)
    expected = LocalScores(table, make_score(name)).many(FAMILIES)
    for source in (ExpectedCounts([table] * 3), AvailableCases(table)):
        np.testing.assert_allclose(LocalScores(source, make_score(name)).many(FAMILIES), expected, rtol=1e-12)


def test_the_complexity_of_expected_counts_lies_between_those_of_whole_ones():
    half = ExpectedCounts([asia().sample(1, seed=1), asia().sample(1, seed=9)])
    table = half.count([(2, ())])[0].table
    assert table.tolist() == [[0.5, 0.5]] or table.max() == 1
    phi = LocalScores(ExpectedCounts([asia().sample(3, seed=seed) for seed in (1, 2)]), make_score("nml"))
    counts = phi.source.count([(4, (2,))])[0]
    n_ij = counts.table.sum(axis=1)
    likelihood = sum(x * np.log(x / n) for row, n in zip(counts.table, n_ij, strict=True) for x in row if x > 0)
    low, high = (sum(multinomial_complexity(2, bound(n_ij))) for bound in (np.floor, np.ceil))
    assert low <= likelihood - phi(4, (2,)) <= high


def test_stacks_are_the_single_counts_and_families_without_missing_values_those_of_all_rows():
    table = asia().sample(300, seed=1)
    gone = np.random.default_rng(1).random((8, 300)) < 0.2
    gone[[2, 4]] = False
    mixed = Table(table.variables, [np.where(g, 2, table.column(i)) for i, g in enumerate(gone)], gaps=True)
    families = [(0, (1,)), (2, (4,)), (4, ()), (3, (2, 4)), (4, (2,))]
    source = AvailableCases(mixed)
    exact = count_source(table).count(families)
    stacked = in_order(source.batches(families))
    for k, (a, b) in enumerate(zip(stacked, source.count(families), strict=True)):
        np.testing.assert_allclose(a.dense(), b.dense())
        assert (a.dense() == exact[k].dense()).all() == (k in (1, 2, 4))
