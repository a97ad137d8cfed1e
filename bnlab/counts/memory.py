"""Counts of a table in memory.

Tables with many more cells than rows are sparse: they have only the parent configurations that occur.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import reraise_interrupts, run_interruptible
from bnlab._runtime.threads import available_cores, run_parallel
from bnlab.counts.base import CountSource, in_order
from bnlab.counts.cache import BoundedCache
from bnlab.counts.layout import Layout
from bnlab.counts.sparse import count_sparse
from bnlab.counts.types import Families, Family, FamilyBatch, FamilyCounts, IntArray
from bnlab.data.gaps import refuse_gaps

if TYPE_CHECKING:
    from bnlab.data.table import Table
    from bnlab.engine.rows import Table as Rows

SPARSE_FLOOR = 1 << 16
DENSE_CELLS_PER_ROW = 8
STACK_CELLS = 1 << 18
_LIGHT_ROWS = 1 << 20  # rows of all families, below which a thread takes longer to wake than it saves
_TASK_ROWS = 1 << 26  # rows of the families of a task, after which Python handles Ctrl-C
_TASKS_PER_THREAD = 4  # so that all threads finish at about the same time
_PLAIN_ROWS = 1 << 22  # rows of families that a process counts before it is worth compiling code

_plain_rows = 0
_FIRST = np.zeros(1, dtype=np.int64)


class MemorySource(CountSource):
    """Counts families of a table in memory; scores and tests also use its methods beyond those of a `CountSource`.

    Parameters
    ----------
    table : Table
    threads : int, optional
        Threads that share the families of one call; by default every available core. The counts do not depend on it.
    max_bytes : int
        Bound of the cache of counted families.
    """

    def __init__(self, table: Table, *, threads: int | None = None, max_bytes: int = 128 << 20) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads={threads}: at least one thread is needed; leave it out to use every core")
        refuse_gaps(table)
        if table.interventions or table.weights is not None:
            raise ValueError(
                "a MemorySource counts every row once in every family, and some rows are interventions or have "
                "weights: bnlab.counts.count_source(table) respects that, and table.with_interventions(None) or "
                "table.with_weights(None) reads the rows without."
            )
        super().__init__(table.variables, table.n_rows)
        self.threads = threads or available_cores()
        self._arities = np.array(self.arities, dtype=np.int64)
        self._most_cells = max(SPARSE_FLOOR, DENSE_CELLS_PER_ROW * self.n_rows)
        self._max_bytes = max_bytes
        self._blocks = [(indices.tolist(), block) for indices, block in table.blocks()]
        self._cache: BoundedCache[Family, FamilyCounts] = BoundedCache(
            max_bytes, lambda counts: counts.table.nbytes + counts.configurations.nbytes + 200
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the table alone: another process builds its own bitmaps and caches."""
        from bnlab.data.table import Table

        rebuild = partial(MemorySource, threads=self.threads, max_bytes=self._max_bytes)
        return rebuild, (Table(self.variables, self._columns),)

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given (see `CountSource.count`); recent ones come from the cache."""
        return self._cache.find(families, lambda missing: in_order(self.batches(missing)))

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of one child arity and bounded size (see `CountSource.batches`)."""
        if not families:
            return
        with reraise_interrupts():
            layout = Layout.of(families, self._arities, self._most_cells, STACK_CELLS)
            for position in layout.left.tolist():
                yield np.array([position]), FamilyBatch.of([run_interruptible(self._count_sparse, families[position])])
            for stack in layout.stacks:
                places = layout.places(stack)
                cells = self.cells(layout.families.chosen(stack), places)
                yield stack, layout.batch(stack, cells, places, self.n_rows)

    def alone(self, family: Family) -> FamilyBatch | None:
        """Count one family as `batches` does, in less time.

        Parameters
        ----------
        family : (child, parents)
            Checked indices, parents ascending.

        Returns
        -------
        FamilyBatch or None
            None if the table is sparse.
        """
        child, parents = family
        arities = tuple([self.arities[p] for p in parents])
        q, r = prod(arities), self.arities[child]
        if q * r > self._most_cells:
            return None
        families = Families(np.array((*parents, child)), np.array((0, len(parents) + 1)))
        table = self.cells(families, np.array((0, q * r))).reshape(q, r)
        return FamilyBatch(table, _FIRST, np.array((q,), dtype=np.float64), (arities,), rows=self.n_rows)

    def cells(self, families: Families, places: IntArray) -> IntArray:
        """Tables of families one after the other, flat: family f has the cells ``places[f]:places[f + 1]``."""
        cells = np.empty(int(places[-1]), dtype=np.int64)
        rows = len(families) * self.n_rows
        if self._counts_plainly(rows):
            for f, (child, parents) in enumerate(families):
                self._count_plainly((*parents, child), cells[places[f] : places[f + 1]])
            return cells
        from bnlab.engine.rows import count

        # Bitmaps of all variables are worth their time where there are as many families.
        table = self.rows if "rows" in vars(self) or len(families) >= min(len(self.arities), 8) else self._rows_alone
        pieces = max(rows // _TASK_ROWS, self.threads * _TASKS_PER_THREAD if rows > _LIGHT_ROWS else 1)
        if pieces == 1 or len(families) == 1:
            count(table, families.variables, families.begins, places, cells)
            return cells
        tasks: list[Callable[[], None]] = []
        for share in np.array_split(np.arange(len(families)), min(pieces, len(families))):
            first, last = int(share[0]), int(share[-1]) + 1
            begins, own = families.begins[first : last + 1], places[first : last + 1]
            members = families.variables[begins[0] : begins[-1]]
            tasks.append(partial(count, table, members, begins - begins[0], own - own[0], cells[own[0] : own[-1]]))
        run_parallel(tasks, self.threads)
        return cells

    @cached_property
    def rows(self) -> Rows:
        """Rows of the table in the form of compiled code, with bitmaps, made when they are first needed."""
        from bnlab.engine.rows import table_of

        return table_of(self._codes, self._arities)

    @cached_property
    def _rows_alone(self) -> Rows:
        """Rows of the table in the form of compiled code, without bitmaps."""
        from bnlab.engine.rows import table_of

        return table_of(self._codes, self._arities, bitmaps=False)

    @cached_property
    def _codes(self) -> NDArray[Any]:
        """States of each variable in each row, shape (n, N), in the type of the variable with the most states."""
        if len(self._blocks) == 1:
            return self._blocks[0][1]
        widest = max((block.dtype for _, block in self._blocks), key=lambda dtype: dtype.itemsize)
        codes = np.empty((len(self.arities), self.n_rows), dtype=widest)
        for indices, block in self._blocks:
            codes[indices] = block
        return codes

    @cached_property
    def _columns(self) -> list[NDArray[Any]]:
        by_variable = {v: block[row] for indices, block in self._blocks for row, v in enumerate(indices)}
        return [by_variable[v] for v in range(len(self.arities))]

    def _counts_plainly(self, rows: int) -> bool:
        """Whether numpy counts: the first families of a process are done before code for them would be compiled."""
        global _plain_rows
        engine = sys.modules.get("bnlab.engine.rows")
        if _plain_rows + rows > _PLAIN_ROWS or (engine is not None and engine.count.signatures):
            return False
        _plain_rows += rows
        return True

    def _count_plainly(self, variables: Sequence[int], cells: IntArray) -> None:
        codes = np.zeros(self.n_rows, dtype=np.int64)
        for v in variables:
            codes *= self.arities[v]
            codes += self._columns[v]
        cells[:] = np.bincount(codes, minlength=len(cells))

    def _count_sparse(self, family: Family) -> FamilyCounts:
        return count_sparse(family, self._columns.__getitem__, self.arities)
