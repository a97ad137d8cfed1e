"""Counts agree with pandas, whatever the kernel, the chunking and the number of threads."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from bnlab.counts import count_source, memory
from bnlab.counts.chunked import ChunkedSource
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable
from bnlab.scores import local_scores


def random_table(rng, n_rows, arities):
    codes = np.column_stack([rng.integers(0, r, n_rows) for r in arities]).reshape(n_rows, len(arities))
    return Table.from_codes(codes, [Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(arities)])


def random_families(rng, n, count, most_parents):
    for _ in range(count):
        child, *parents = rng.permutation(n)[: rng.integers(1, most_parents + 2)].tolist()
        yield child, tuple(parents)


def by_pandas(table, family):
    """Dense table of a family, of shape (*parent arities, r), by pandas alone."""
    child, parents = family
    order = [*parents, child]
    shape = [table.arities[v] for v in order]
    frame = pd.DataFrame({v: table.column(v) for v in order})
    dense = np.zeros(shape, dtype=np.int64)
    for state, rows in frame.groupby(order).size().items():
        dense[state if isinstance(state, tuple) else (state,)] = rows
    return dense


@pytest.fixture
def rng():
    return np.random.default_rng(7)


ARITIES = (2, 3, 2, 4, 1, 5, 16, 17, 300, 2)


@pytest.mark.parametrize("n_rows", [1, 2, 63, 64, 65, 4097, 33_000])
def test_counts_equal_pandas_for_any_kernel(rng, n_rows):
    table = random_table(rng, n_rows, ARITIES)
    families = list(random_families(rng, len(ARITIES), 40, 4))
    for family, counts in zip(families, MemorySource(table).count(families), strict=True):
        np.testing.assert_array_equal(counts.dense(), by_pandas(table, family))
        assert counts.n_rows == n_rows
        assert counts.table.any(axis=1).all()


FIRST_COUNTS = """
import sys
from bnlab.counts import memory
from bnlab.data import Table, Variable
table = Table([Variable("a", (0, 1)), Variable("b", (0, 1, 2))], [[0, 1, 1], [1, 0, 1]])
for _ in range(2):
    print([c.table.tolist() for c in memory.MemorySource(table).count([(0, ()), (1, (0,))])], "numba" in sys.modules)
    memory._PLAIN_ROWS = 0
"""


def test_the_first_counts_of_a_process_compile_nothing_and_are_the_same():
    done = subprocess.run([sys.executable, "-c", FIRST_COUNTS], capture_output=True, text=True)
    counts = "[[[1, 2]], [[0, 1, 0], [1, 1, 0]]]"
    assert done.stdout.split("\n") == [f"{counts} False", f"{counts} True", ""], done.stderr


def test_tables_too_large_for_bitmaps_are_counted_too(rng, monkeypatch):
    monkeypatch.setattr("bnlab.engine.rows.MAX_BYTES", 0)
    table = random_table(rng, 5000, (2, 3, 4, 2, 70))
    families = list(random_families(rng, 5, 40, 3))
    source = MemorySource(table)
    assert not len(source.rows.bits)
    for family, counts in zip(families, source.count(families), strict=True):
        np.testing.assert_array_equal(counts.dense(), by_pandas(table, family))


def test_families_without_parents_are_counted_and_scored_as_they_are_among_others(rng):
    table = random_table(rng, 300, ARITIES)
    alone = [(v, ()) for v in rng.permutation(len(ARITIES)).tolist()]
    for family, counts in zip(alone, MemorySource(table).count(alone), strict=True):
        np.testing.assert_array_equal(counts.dense(), by_pandas(table, family))
        assert counts.n_rows == 300
    for name in ("bic", "bdeu"):
        among = local_scores(table, name).many([*alone, (0, (1,))])
        assert local_scores(table, name).many(alone).tolist() == among[:-1].tolist()
    with pytest.raises(ValueError, match=r"variable -1 is not in 0\.\.9"):
        MemorySource(table).count([(3, ()), (-1, ())])


def test_a_family_with_more_configurations_than_memory_is_counted(rng):
    table = random_table(rng, 1000, (50,) * 8)
    (counts,) = MemorySource(table).count([(0, tuple(range(1, 8)))])
    assert counts.q == 50**7
    assert counts.n_rows == 1000
    assert len(counts.table) <= 1000


def test_a_family_with_uncountable_configurations_is_refused(rng):
    table = random_table(rng, 10, (300,) * 10)
    with pytest.raises(ValueError, match="use fewer parents"):
        MemorySource(table).count([(0, tuple(range(1, 10)))])


def test_stacks_of_bounded_size_hold_every_family_once(rng, monkeypatch):
    monkeypatch.setattr(memory, "STACK_CELLS", 50)
    monkeypatch.setattr(memory, "SPARSE_FLOOR", 100)
    monkeypatch.setattr(memory, "DENSE_CELLS_PER_ROW", 0)
    table = random_table(rng, 500, (2, 3, 4, 20, 2))
    families = list(random_families(rng, 5, 60, 3))
    for family, counts in zip(families, MemorySource(table).count(families), strict=True):
        np.testing.assert_array_equal(counts.dense(), by_pandas(table, family))


def test_batches_hold_the_same_counts(rng):
    table = random_table(rng, 2000, (2, 3, 4, 300, 2))
    families = list(random_families(rng, 5, 50, 3))
    source = MemorySource(table)
    seen = []
    for positions, batch in source.batches(families):
        ends = np.append(batch.first[1:], len(batch.table))
        for i, position in enumerate(positions):
            counts = source.count([families[position]])[0]
            rows = batch.table[batch.first[i] : ends[i]]
            np.testing.assert_array_equal(rows[rows.any(axis=1)], counts.table)
            assert batch.q[i] == counts.q
            assert batch.parent_arities[i] == counts.parent_arities
        seen.extend(positions.tolist())
    assert sorted(seen) == list(range(len(families)))


def test_chunks_with_other_states_are_refused(rng):
    chunks = [random_table(rng, 5, (2, 3)), random_table(rng, 5, (2, 4))]
    with pytest.raises(ValueError, match="recoded"):
        ChunkedSource(lambda: chunks)
    with pytest.raises(ValueError, match="no chunk"):
        ChunkedSource(list)
    used_up = iter(chunks[:1])
    with pytest.raises(ValueError, match="a second pass finds no chunk: `chunks` must return a new iterable"):
        ChunkedSource(lambda: used_up).count([(0, ())])


def test_threads_do_not_change_counts(rng, monkeypatch):
    monkeypatch.setattr(memory, "_LIGHT_ROWS", 0)
    table = random_table(rng, 50_000, (2, 3, 4, 20, 2, 17))
    families = list(random_families(rng, 6, 100, 3))
    alone, shared = MemorySource(table, threads=1), MemorySource(table, threads=4)
    for a, b in zip(alone.count(families), shared.count(families), strict=True):
        np.testing.assert_array_equal(a.table, b.table)


def test_the_cache_stays_within_its_bound_and_serves_repeats(rng):
    table = random_table(rng, 100, (2, 3, 4))
    source = MemorySource(table, max_bytes=500)
    families = [(0, ()), (0, (1,)), (0, (2,)), (1, (0, 2)), (2, (0, 1)), (2, (0,))]
    first, *_, last = [source.count([family])[0] for family in families]
    assert source.count([families[-1]])[0] is last
    assert source.count([families[0]])[0] is not first


@pytest.mark.parametrize(
    ("family", "rule"),
    [
        ((1, (1, 2)), "cannot be its own parent"),
        ((1, (0, 0)), "named twice"),
        ((5, ()), "not in 0..2"),
        ((0, (-1,)), "not in 0..2"),
    ],
)
def test_impossible_families_are_refused(rng, family, rule):
    source = MemorySource(random_table(rng, 10, (2, 2, 2)))
    for families in ([(0, ()), family], [family, (0, ())], [family]):
        with pytest.raises(ValueError, match=rule):
            source.count(families)


def test_one_table_has_one_source(rng):
    table = random_table(rng, 10, (2, 2))
    source = count_source(table)
    assert count_source(table) is source
    assert count_source(source) is source
    with pytest.raises(TypeError, match="a Table or a DataFrame is needed"):
        count_source([[0, 1]])
    with pytest.raises(ValueError, match="at least one thread"):
        MemorySource(table, threads=0)


def test_counts_of_disjoint_rows_add_and_other_families_do_not(rng):
    table = random_table(rng, 300, (2, 3, 4))
    whole = MemorySource(table).count([(0, (1, 2))])[0]
    parts = [MemorySource(table.take(np.arange(a, a + 100))).count([(0, (1, 2))])[0] for a in (0, 100, 200)]
    total = parts[0] + parts[1] + parts[2]
    np.testing.assert_array_equal(total.dense(), whole.dense())
    with pytest.raises(ValueError, match="same family"):
        whole + MemorySource(table).count([(0, (2, 1))])[0]
