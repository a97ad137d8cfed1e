"""Counts of rows of which some are interventions: a family leaves out the rows in which its child was set.

Such a row has no information on how the child depends on its parents; as a parent, the variable counts as usual (Cooper
and Yoo 1999). With these counts, every score that is a function of the counts of families is that of the mixed data.

References
----------
G. F. Cooper, C. Yoo. Causal discovery from a mixture of experimental and observational data. UAI 1999.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab.counts.base import CountSource, batches_of
from bnlab.counts.memory import MemorySource
from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray

if TYPE_CHECKING:
    from bnlab.data.table import Table

MAX_BYTES = 128 << 20


class InterventionalSource(CountSource):
    """Counts families of a table with interventions.

    Parameters
    ----------
    table : Table
        With `Table.interventions`.
    threads, max_bytes : int, optional
        As for `MemorySource`.

    Raises
    ------
    ValueError
        If the rows would need more memory than one operation may use: each variable that was set in some rows needs a
        copy of the other rows.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> coin = [Variable("coin", ("heads", "tails"))]
    >>> table = Table(coin, [[0, 1, 1]]).with_interventions(["", "", "coin"])
    >>> InterventionalSource(table).count([(0, ())])[0].table
    array([[1, 1]])
    """

    same_rows = False

    def __init__(self, table: Table, *, threads: int | None = None, max_bytes: int = MAX_BYTES) -> None:
        super().__init__(table.variables, table.n_rows)
        self._table, self._threads, self._max_bytes = table, threads, max_bytes
        self.experiments = table.experiments
        observed = [~table.intervened(name) for name in table.names]
        self._rows = [int(kept.sum()) for kept in observed]
        cells = sum(self._rows[v] for v in range(len(self.names)) if self._rows[v] < self.n_rows) * len(self.names)
        what = f"the rows in which each of {len(self.names)} variables was not set"
        check_memory(cells, what, "select fewer variables or rows")
        plain = table.with_interventions(None)
        share = max_bytes // (1 + sum(rows < self.n_rows for rows in self._rows))
        self._whole = MemorySource(plain, threads=threads, max_bytes=share)
        self._sources = [
            self._whole
            if kept.all()
            else MemorySource(plain.take(kept), threads=threads, max_bytes=share)
            if kept.any()
            else None
            for kept in observed
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its table."""
        return partial(InterventionalSource, threads=self._threads, max_bytes=self._max_bytes), (self._table,)

    def rows_of(self, child: int) -> int | float:
        """Number of rows in which a child was not set."""
        return self._rows[child]

    def seen(self) -> list[NDArray[np.bool_]]:
        """Which states the rows show, also those that were set: a variable that was set varies as a parent."""
        return self._whole.seen()

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given (see `CountSource.count`)."""
        counts: dict[int, FamilyCounts] = {}
        for source, positions in self._by_source(families):
            part = [families[p] for p in positions]
            found = map(self._empty, part) if source is None else source.count(part)
            counts.update(zip(positions, found, strict=True))
        return [counts[p] for p in range(len(families))]

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of one child arity (see `CountSource.batches`)."""
        for source, positions in self._by_source(families):
            part = [families[p] for p in positions]
            found = batches_of(list(map(self._empty, part))) if source is None else source.batches(part)
            yield from ((np.array(positions)[at], batch) for at, batch in found)

    def _by_source(self, families: Sequence[Family]) -> list[tuple[MemorySource | None, list[int]]]:
        """Positions of the families that each source counts."""
        found: dict[int, tuple[MemorySource | None, list[int]]] = {}
        for position, family in enumerate(families):
            source = self._sources[self.checked(family)[0]]
            found.setdefault(id(source), (source, []))[1].append(position)
        return list(found.values())

    def _empty(self, family: Family) -> FamilyCounts:
        """Counts of a family whose child was set in every row."""
        child, parents = self.checked(family)
        arities = tuple(self.arities[p] for p in parents)
        return FamilyCounts(np.zeros((0, self.arities[child]), np.int64), np.zeros(0, np.int64), arities)
