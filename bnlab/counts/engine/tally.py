"""Families of many cells, of whose tables a score needs to know only how often each count stands in them.

The sum of a function of N_ijk over all cells is a sum over the distinct counts, of which N rows leave room for
sqrt(2 N) at most, however many cells there are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.types import FloatArray, IntArray

LEAST_CELLS = 256
TABLE_CELLS = 1 << 17
MAX_TABLE_CELLS = 1 << 24
_DISTINCT = 1 << 16
_KEPT_CELLS = 1 << 20

_scratch = threading.local()


@dataclass(frozen=True, eq=False)
class TallyBatch:
    """Tallies of many families whose children have the same arity: what a `FamilyBatch` tells of how often, not where.

    Attributes
    ----------
    counts, times : ndarray of int64, shape (m,)
        Counts greater than 0 and how often each occurs: for each family those of its cells, N_ijk, and then those of
        its parent configurations, N_ij. Small ones are distinct and ascend.
    first : ndarray of int64, shape (2 families,)
        Where those of the cells of each family, and those of its configurations, begin.
    r : int
        Number of states of every child in the batch.
    q : ndarray of float64, shape (families,)
        Possible parent configurations of each family.
    parent_arities : sequence of tuple of int
        One tuple a family.
    rows : int
        Rows of data that each family counts.
    margins : callable
        Gives `marginal`.
    """

    counts: IntArray
    times: IntArray
    first: IntArray
    r: int
    q: FloatArray
    parent_arities: Sequence[tuple[int, ...]]
    rows: int
    margins: Callable[[], IntArray]

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def _sizes(self) -> IntArray:
        return np.diff(np.append(self.first, len(self.counts)))

    @cached_property
    def _is_cell(self) -> NDArray[np.bool_]:
        return np.repeat(np.arange(len(self.first)) % 2 == 0, self._sizes)

    @cached_property
    def cells(self) -> IntArray:
        """Distinct N_ijk of the families, one after the other."""
        return self.counts[self._is_cell]

    @cached_property
    def n_ij(self) -> IntArray:
        """Distinct N_ij of the families, one after the other."""
        return self.counts[~self._is_cell]

    @cached_property
    def n_rows(self) -> IntArray:
        """Rows of data counted by each family, ndarray of int64, shape (families,)."""
        return np.full(len(self), self.rows, dtype=np.int64)

    @cached_property
    def marginal(self) -> IntArray:
        """Counts of the child's states over all configurations, ndarray of int64, shape (families, r)."""
        return self.margins()

    def sum_cells(self, values: FloatArray) -> FloatArray:
        """Sum a value per element of `cells` over the cells of each family: shape (families,)."""
        return _sums(values * self.times[self._is_cell], self._sizes[::2])

    def sum_rows(self, values: FloatArray) -> FloatArray:
        """Sum a value per element of `n_ij` over the configurations of each family: shape (families,)."""
        return _sums(values * self.times[~self._is_cell], self._sizes[1::2])

    def per_cell(self, values: FloatArray) -> FloatArray:
        """Repeat values per family, shape (..., families), for each of its elements of `cells`."""
        return np.repeat(values, self._sizes[::2], axis=-1)

    def per_row(self, values: FloatArray) -> FloatArray:
        """Repeat values per family, shape (..., families), for each of its elements of `n_ij`."""
        return np.repeat(values, self._sizes[1::2], axis=-1)


def _sums(values: FloatArray, sizes: IntArray) -> FloatArray:
    sums: FloatArray = np.add.reduceat(values, np.cumsum(sizes) - sizes)
    return sums


def tally(
    columns: tuple[NDArray[np.unsignedinteger], ...], block: IntArray, row: IntArray, arities: IntArray,
    variables: IntArray, begins: IntArray, order: IntArray,
) -> list[tuple[int, int, IntArray, IntArray, IntArray]]:  # fmt: skip
    """Tally families, as many at a time as there is room for (see `tally_kernels.tally_families`).

    Returns
    -------
    list of (begin, end, counts, times, first)
        For families ``order[begin:end]`` the counts, times and first of a `TallyBatch`.
    """
    from bnlab.counts.engine import tally_kernels

    n_rows = max(column.shape[1] for column in columns)
    # It takes any family, once the parent configurations that occur are numbered.
    size = max(TABLE_CELLS, n_rows * int(arities.max()))
    table, sums = _two_tables(size) if size <= _KEPT_CELLS else np.empty((2, size), dtype=np.uint32)
    parts = []
    begin = 0
    while begin < len(order):
        counts, times = np.empty(_DISTINCT, dtype=np.int64), np.empty(_DISTINCT, dtype=np.int64)
        ends = np.zeros((len(order) - begin, 2), dtype=np.int64)
        done = tally_kernels.tally_families(
            *columns, block, row, arities, variables, begins, order[begin:], table, sums, counts, times, ends
        )
        bounds = ends[:done].ravel()
        used = bounds[-1]
        parts.append((begin, begin + done, counts[:used], times[:used], np.append(0, bounds[:-1])))
        begin += done
    return parts


def _two_tables(size: int) -> NDArray[np.uint32]:
    """Memory that a thread uses again and again: to return it to the system stops the other threads for a while."""
    tables: NDArray[np.uint32] | None = getattr(_scratch, "tables", None)
    if tables is None or tables.shape[1] < size:
        tables = _scratch.tables = np.empty((2, size), dtype=np.uint32)
    return tables
