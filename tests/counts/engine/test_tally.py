"""Tallies of large tables hold what the tables do, but for the places."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.counts.engine import tally as tally_module
from bnlab.counts.memory import MemorySource
from bnlab.counts.types import TallyBatch
from bnlab.data import Table, Variable
from bnlab.scores import LocalScores, make_score

ARITIES = (3, 300, 7, 70_000, 16, 16, 16, 16, 16, 1)
FAMILIES = [
    (0, (1, 2)),
    (1, (4, 5)),
    (3, (4,)),
    (4, (5, 6, 7)),
    (4, (5, 6, 7, 8)),
    (4, (0, 1, 2, 3, 5, 6, 7, 8)),
    (3, (0, 1, 2, 4, 5, 6, 7, 8)),
    (9, (4, 5, 6)),
    (2, (1, 9)),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    # Skewed, so that some cells hold most of the rows and some one each.
    columns = [np.minimum(rng.geometric(0.4, size=200) - 1, r - 1) for r in ARITIES]
    columns[3] = rng.integers(ARITIES[3], size=200)
    return Table([Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(ARITIES)], columns)


def tallies(source, families):
    found = {}
    for positions, batch in source.tallies(families):
        if isinstance(batch, TallyBatch):
            ends = np.append(batch.first, len(batch.counts))
            for at, position in enumerate(positions.tolist()):
                cells, rows = (slice(*ends[2 * at + k : 2 * at + k + 2]) for k in range(2))
                found[position] = [(batch.counts[part], batch.times[part]) for part in (cells, rows)]
    return found


def check_tallies(table, families):
    found = tallies(MemorySource(table, threads=1), families)
    assert len(found) == len(families)
    for family, parts in enumerate(found[f] for f in range(len(families))):
        counts = MemorySource(table).count([families[family]])[0]
        for values, (distinct, times) in zip((counts.table, counts.n_ij), parts, strict=True):
            expected, often = np.unique(values[values > 0], return_counts=True)
            np.testing.assert_array_equal(distinct, expected)
            np.testing.assert_array_equal(times, often)


def test_tallies_are_those_of_the_tables(table):
    check_tallies(table, FAMILIES)


def test_great_counts_are_tallied_and_small_tables_are_not():
    rng, arities = np.random.default_rng(1), (16, 17, 40, 30, 20)
    columns = [np.minimum(rng.geometric(0.6, size=20_000) - 1, r - 1) for r in arities]
    table = Table([Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(arities)], columns)
    families = [(1, (0, 2)), (3, (2, 4)), (2, (1, 3)), (0, (1, 3))]
    assert MemorySource(table).count(families[:1])[0].table.max() > 1000
    check_tallies(table, families)
    assert not tallies(MemorySource(table), [(0, (1,)), (3, (2,))])


def test_tallies_do_not_depend_on_threads_nor_on_the_room_for_them(table, monkeypatch):
    expected = tallies(MemorySource(table, threads=1), FAMILIES * 3)
    monkeypatch.setattr(tally_module, "_DISTINCT", 100)
    monkeypatch.setattr("bnlab.counts.memory._TASK_NS", 1.0)
    found = tallies(MemorySource(table, threads=2), FAMILIES * 3)
    assert found.keys() == expected.keys()
    for family in expected:
        for part, other in zip(found[family], expected[family], strict=True):
            np.testing.assert_array_equal(part, other)


@pytest.mark.parametrize("name", ["ll", "aic", "bic", "nml", "mit", "k2", "bdeu"])
def test_a_score_of_tallies_is_that_of_the_tables(table, name):
    score, source = make_score(name), MemorySource(table)
    counts = source.count(FAMILIES)
    np.testing.assert_allclose(LocalScores(source, score).many(FAMILIES), [score(c) for c in counts], rtol=1e-12)


def test_a_child_that_its_parents_determine_has_a_likelihood_of_exactly_one(table):
    codes = np.column_stack([table.column(i) for i in (4, 5, 6)]).astype(np.int64)
    copied = Table(
        [*(Variable(f"p{i}", tuple(range(16))) for i in range(3)), Variable("sum", tuple(range(46)))],
        [*codes.T, codes.sum(axis=1)],
    )
    phi = LocalScores(copied, make_score("ll"))
    assert tallies(phi.source, [(3, (0, 1, 2))])
    assert phi(3, (0, 1, 2)) == 0.0


def test_tables_that_would_take_too_much_memory_are_not_tallied(table, monkeypatch):
    monkeypatch.setattr("bnlab.counts.memory.MAX_TABLE_CELLS", 1 << 10)
    assert not tallies(MemorySource(table), FAMILIES[:1])


def test_a_family_of_more_configurations_than_a_float_holds_is_refused():
    bits = Table([Variable(f"b{i}", (0, 1)) for i in range(1101)], [[0, 1, 1]] * 1101)
    phi = LocalScores(bits, make_score("bic"))
    assert np.isfinite(phi(0, tuple(range(1, 100))))
    with pytest.raises(ValueError, match="too many to number"):
        phi(0, tuple(range(1, 1101)))
