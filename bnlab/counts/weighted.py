"""Counts of rows that have weights: a count is the sum of the weights of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.base import CountSource
from bnlab.counts.types import Family, FamilyCounts
from bnlab.data.gaps import refuse_gaps

if TYPE_CHECKING:
    from bnlab.data.table import Table

MOST_CELLS = 1 << 20
"""Up to so many cells, a table is counted whole; beyond, only the configurations that occur."""


class WeightedSource(CountSource):
    """Counts families of a table with weights, also if some rows are interventions.

    Whole weights give whole counts, those of a table that repeats its rows. The compiled code of `MemorySource` counts
    rows, so that this source is slower.

    Parameters
    ----------
    table : Table
        With `Table.weights`.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> coin = Table([Variable("coin", ("heads", "tails"))], [[0, 1, 1]]).with_weights([0.5, 2.0, 1.0])
    >>> WeightedSource(coin).count([(0, ())])[0].table
    array([[0.5, 3. ]])
    """

    def __init__(self, table: Table) -> None:
        refuse_gaps(table)
        super().__init__(table.variables, table.total)
        self._table = table
        self._weights = np.ones(table.n_rows, np.int64) if table.weights is None else table.weights
        self.whole = self._weights.dtype.kind == "i"
        self.same_rows, self.experiments = not table.interventions, table.experiments

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its table."""
        return WeightedSource, (self._table,)

    def rows_of(self, child: int) -> int | float:
        """Sum of the weights of the rows in which a child was not set."""
        total: int | float = self._weights[~self._table.intervened(self.names[child])].sum().item()
        return total

    def seen(self) -> list[NDArray[np.bool_]]:
        """Which states the rows show whose weight is not 0."""
        counted = self._weights > 0
        return [np.bincount(self._table.column(v)[counted], minlength=r) > 0 for v, r in enumerate(self.arities)]

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given."""
        return [self._count(*self.checked(family)) for family in families]

    def _count(self, child: int, parents: tuple[int, ...]) -> FamilyCounts:
        kept: Any = slice(None)
        if self.names[child] in self._table.interventions:
            kept = ~self._table.intervened(self.names[child])
        arities, r = tuple(self.arities[p] for p in parents), self.arities[child]
        q = prod(arities)
        if q * r > np.iinfo(np.int64).max:
            raise ValueError(
                f"family {(child, parents)}: {q:.3g} parent configurations are too many; use fewer parents."
            )
        weights = self._weights[kept]
        code = np.zeros(len(weights), dtype=np.int64)
        for parent in parents:
            code = code * self.arities[parent] + self._table.column(parent)[kept]
        if q * r > MOST_CELLS:
            rows, code = np.unique(code, return_inverse=True)
        else:
            rows = np.arange(q)
        cells = np.bincount(code * r + self._table.column(child)[kept], weights, len(rows) * r).reshape(-1, r)
        occurs = np.flatnonzero(cells.any(axis=1))
        return FamilyCounts(cells[occurs].astype(self._weights.dtype), rows[occurs], arities)
