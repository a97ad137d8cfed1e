"""Counts of families against additions row by row."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from bnlab.engine.rows import count, reordered, table_of, with_others


def counts_by_rows(codes: np.ndarray, arities: np.ndarray, family: list[int]) -> np.ndarray:
    """Rows in each joint state of a family; the last variable varies fastest."""
    table = np.zeros([arities[v] for v in family], dtype=np.int64)
    for row in codes[family].T.tolist():
        table[tuple(row)] += 1
    return table.ravel()


@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 5000, 40_000])
def test_counts_are_those_of_the_rows(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    arities = np.array([2, 3, 1, 7, 40, 5])
    codes = np.stack([rng.integers(r, size=n_rows) for r in arities]).astype(np.uint8)
    families = [[0], [4], [2, 1], [0, 1, 3], [3, 4, 5], [4, 3, 1, 5, 0]]
    variables = np.concatenate(families)
    begins = np.cumsum([0, *map(len, families)])
    places = np.cumsum([0, *(int(np.prod(arities[family])) for family in families)])
    cells = np.empty(places[-1], dtype=np.int64)
    count(table_of(codes, arities), variables, begins, places, cells)
    for f, family in enumerate(families):
        assert cells[places[f] : places[f + 1]].tolist() == counts_by_rows(codes, arities, family).tolist()


def test_a_reordered_table_counts_its_own_variables() -> None:
    rng = np.random.default_rng(1)
    arities = np.array([2, 3, 4])
    codes = np.stack([rng.integers(r, size=500) for r in arities]).astype(np.uint8)
    table = reordered(table_of(codes, arities), np.array([2, 0, 1]))
    cells = np.empty(8, dtype=np.int64)
    count(table, np.array([0, 1]), np.array([0, 2]), np.array([0, 8]), cells)
    assert cells.tolist() == counts_by_rows(codes, arities, [2, 0]).tolist()


@pytest.mark.parametrize("listed_first", [True, False])
def test_the_rows_of_states_are_all_rows_but_those_of_the_most_frequent_state(listed_first: bool) -> None:
    codes = np.array([[2, 0, 2, 1, 2], [0, 0, 0, 0, 0], [1, 0, 0, 1, 1]], dtype=np.uint8)
    order = np.array([2, 0, 1])
    table = table_of(codes, np.array([4, 2, 2]))
    table = reordered(with_others(table), order) if listed_first else with_others(reordered(table, order))
    for v, r in zip(range(3), (2, 4, 2), strict=True):
        ends = table.ends[table.places[v] : table.places[v] + r + 1]
        found = [table.others[begin:end].tolist() for begin, end in pairwise(ends)]
        rows = [np.flatnonzero(codes[order[v]] == state).tolist() for state in range(r)]
        most = max(range(r), key=lambda state: len(rows[state]))
        assert found == [some if state != most else [] for state, some in enumerate(rows)]
