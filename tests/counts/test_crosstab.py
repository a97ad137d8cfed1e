"""Counts of any small table against pandas.crosstab, whichever way the engine takes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.counts import memory
from bnlab.counts.chunked import ChunkedSource
from bnlab.counts.memory import MemorySource
from bnlab.counts.types import Family, IntArray
from bnlab.data import Table, Variable
from tests.soak import times


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Up to five variables of up to five states, some of them never seen, and up to 200 rows."""
    arities = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    seen = [draw(st.integers(1, arity)) for arity in arities]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.sampled_from([1, 2, 63, 64, 65, 200]))
    variables = [Variable(f"v{i}", tuple(range(arity))) for i, arity in enumerate(arities)]
    return Table(variables, [rng.integers(0, r, n_rows).astype(np.uint8) for r in seen])


@st.composite
def families(draw: st.DrawFn, n: int) -> list[Family]:
    orders = draw(st.lists(st.permutations(range(n)), min_size=1, max_size=6))
    return [(order[0], tuple(order[1 : draw(st.integers(1, n))])) for order in orders]


def crosstab(table: Table, family: Family) -> IntArray:
    """Table of a family of shape (*parent arities, r), by pandas."""
    child, parents = family
    axes = [table.arities[v] for v in (*parents, child)]
    rows = [pd.Series(table.column(p), name=f"p{p}") for p in parents] or [
        pd.Series(0, range(table.n_rows), name="all")
    ]
    found = pd.crosstab(rows, pd.Series(table.column(child), name="child"))
    ranges = [range(table.arities[p]) for p in parents]
    index = pd.MultiIndex.from_product(ranges) if len(parents) > 1 else pd.Index(ranges[0] if parents else [0])
    whole = found.reindex(index=index, columns=range(axes[-1]), fill_value=0)
    return whole.to_numpy().reshape(axes)


@given(st.data())
@settings(max_examples=times(25, 500))
def test_counts_of_any_table_are_those_of_crosstab(data: st.DataObject) -> None:
    table = data.draw(tables())
    asked = data.draw(families(table.n_variables))
    for family, counts in zip(asked, MemorySource(table).count(asked), strict=True):
        np.testing.assert_array_equal(counts.dense(), crosstab(table, family))
        assert counts.n_rows == table.n_rows
        assert counts.table.any(axis=1).all()


@given(st.data())
@settings(max_examples=times(12, 200))
def test_all_ways_to_count_give_the_same(data: st.DataObject) -> None:
    table = data.draw(tables())
    asked = data.draw(families(table.n_variables))
    ways = {"SPARSE_FLOOR": 0, "_TASK_ROWS": 1, "_LIGHT_ROWS": 0}
    for name, value in ways.items():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(memory, name, value)
            patch.setattr(memory, "DENSE_CELLS_PER_ROW", 0)
            patch.setattr(memory, "_PLAIN_ROWS", 0)  # compiled code counts, also in a process that has counted nothing
            found = MemorySource(table).count(asked)
        for family, counts in zip(asked, found, strict=True):
            np.testing.assert_array_equal(counts.dense(), crosstab(table, family))


@given(st.data())
@settings(max_examples=times(12, 200))
def test_chunks_cut_anywhere_add_up(data: st.DataObject) -> None:
    table = data.draw(tables())
    asked = data.draw(families(table.n_variables))
    bounds = sorted({0, table.n_rows, *data.draw(st.lists(st.integers(0, table.n_rows), max_size=4))})
    chunks = [table.take(np.arange(a, b)) for a, b in pairwise(bounds)]
    for family, counts in zip(asked, ChunkedSource(lambda: chunks).count(asked), strict=True):
        np.testing.assert_array_equal(counts.dense(), crosstab(table, family))
