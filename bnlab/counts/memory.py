"""Counts of a table in memory, with the faster kernel for each family.

Tables with many more cells than rows are sparse: they have only the parent configurations that occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import MAX_AXES
from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import reraise_interrupt, reraise_interrupts, run_interruptible
from bnlab._runtime.threads import available_cores, run_parallel
from bnlab.counts.base import CountSource, in_order
from bnlab.counts.cache import BoundedCache
from bnlab.counts.engine.bitmaps import (
    MAX_ARITY,
    MAX_BITMAP_DEPTH,
    NO_BITS,
    Bitmaps,
    BitmapStore,
    StateBitmaps,
    state_bitmaps,
)
from bnlab.counts.engine.compiling import say_if_compiling
from bnlab.counts.engine.cost_model import CostModel
from bnlab.counts.engine.sparse import count_sparse
from bnlab.counts.types import (
    Family,
    FamilyBatch,
    FamilyCounts,
    FloatArray,
    IntArray,
    TallyBatch,
    refuse_family,
)
from bnlab.data.gaps import refuse_gaps

if TYPE_CHECKING:
    from bnlab.counts.engine.plan import Plan
    from bnlab.data.table import Table
    from bnlab.engine.rows import Table as Rows

_LIGHT_NS = 0.6e6  # ns of counting below which a thread takes longer to wake than it saves
_LEAST_TASK_NS = 0.2e6  # least ns of a task
_LEAST_TALLY_NS = 20.0  # least ns per row of a task of tallies, which needs tables of its own
_TASKS_PER_THREAD = 4  # so that all threads finish at about the same time
_TASK_NS = 30e6  # ns of work between two checks for Ctrl-C

MAX_JOINT_CELLS = 1 << 27
SPARSE_FLOOR = 1 << 16
STACK_CELLS = 1 << 22
DENSE_CELLS_PER_ROW = 4
MAX_STATE_ROWS = 1 << 17
LEAST_TALLIED_CELLS = 256  # and at least one for eight rows: smaller tables are scored faster as they are
MAX_TABLE_CELLS = 1 << 24

T = TypeVar("T")

_FIRST = np.zeros(1, dtype=np.int64)
_NONE = np.empty(0, dtype=np.int64)


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
        if table.interventions:
            raise ValueError(
                "a MemorySource counts every row in every family, and some rows are interventions: "
                "bnlab.counts.count_source(table) leaves them out where they set the child, and "
                "table.with_interventions(None) reads all rows as observed."
            )
        super().__init__(table.variables, table.n_rows)
        self.threads = threads or available_cores()
        self._arities = np.array(self.arities, dtype=np.int64)
        self._costs = CostModel.of(self.n_rows)
        self._bits_below = self._costs.bitmaps_below()
        self._wide = frozenset(v for v, arity in enumerate(self.arities) if arity > MAX_ARITY)
        self._least_tallied = max(LEAST_TALLIED_CELLS, self.n_rows // 8)
        self._max_bytes = max_bytes
        self._place_columns(table)
        self._cache: BoundedCache[Family, FamilyCounts] = BoundedCache(
            max_bytes, lambda counts: counts.table.nbytes + counts.configurations.nbytes + 200
        )
        self._bitmaps = BitmapStore(self._blocks[0], self._row, self._arities, self.threads)
        self._used_scratch = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the table alone: another process builds its own bitmaps and caches."""
        from bnlab.data.table import Table

        columns = [self._column(v) for v in range(len(self.arities))]
        rebuild = partial(MemorySource, threads=self.threads, max_bytes=self._max_bytes)
        return rebuild, (Table(self.variables, columns),)

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given (see `CountSource.count`); recent ones come from the cache."""
        return self._cache.find(families, lambda missing: in_order(self.batches(missing)))

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of one child arity and bounded size (see `CountSource.batches`)."""
        if not families:
            return
        with reraise_interrupts():
            if not any(parents for _, parents in families):
                yield from self._without_parents(families)
                return
            plan = self._plan(families, np.inf)
            for position in plan.left.tolist():
                yield np.array([position]), FamilyBatch.of([run_interruptible(self._count_sparse, families[position])])
            yield from self._stacks(plan)

    def tallies(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch | TallyBatch]]:
        """As `batches`, but large tables are given only as how often each count occurs."""
        if not families:
            return
        most = max(self.arities)
        small = most < self._least_tallied and not any(parents for _, parents in families)
        if small or self.n_rows == 0 or self.n_rows * most > MAX_TABLE_CELLS:
            yield from self.batches(families)
            return
        with reraise_interrupts():
            plan = self._plan(families, self._least_tallied - 1.0)
            large = plan.left
            if len(large):
                for position in large[np.isinf(plan.n_cells[large])].tolist():
                    self._count_sparse(families[position])  # raises the error that explains why it cannot
                for r in np.unique(plan.child_arity[large]):
                    yield from self._tallied(plan, large[plan.child_arity[large] == r])
            yield from self._stacks(plan)

    def _without_parents(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Batches of families without parents: searches begin with them, and other kernels take seconds to compile."""
        say_if_compiling()
        children = [child for child, _ in families]
        if min(children) < 0 or max(children) >= len(self.arities):
            refuse_family(next(f for f in families if not 0 <= f[0] < len(self.arities)), len(self.arities))
        for positions, table in self._margins_by_arity(children):
            n = len(positions)
            yield positions, FamilyBatch(table, np.arange(n), np.ones(n), [()] * n, rows=self.n_rows)

    def alone(self, family: Family) -> FamilyBatch | None:
        """Count one family as `tallies` does, without making a plan.

        Parameters
        ----------
        family : (child, parents)
            Checked indices, parents ascending.

        Returns
        -------
        FamilyBatch or None
            None if the table is large and `tallies` would not count it from bitmaps.
        """
        child, parents = family
        arities = tuple([self.arities[p] for p in parents])
        variables = (*parents, child)
        q, r = prod(arities), self.arities[child]
        if q * r >= self._least_tallied and not (q * r <= SPARSE_FLOOR and self._suits_bits(variables, q * r)):
            return None
        say_if_compiling()
        table = self._joint(variables, q * r).reshape(q, r)
        return FamilyBatch(table, _FIRST, np.array((q,), dtype=np.float64), (arities,), rows=self.n_rows)

    def _plan(self, families: Sequence[Family], bin_cells: float) -> Plan:
        from bnlab.counts.engine.plan import Limits, Plan

        dense_cells = float(max(SPARSE_FLOOR, DENSE_CELLS_PER_ROW * self.n_rows))
        return Plan.of(families, self._arities, Limits(self._costs, bin_cells, dense_cells, float(STACK_CELLS)))

    def _stacks(self, plan: Plan) -> Iterator[tuple[IntArray, FamilyBatch]]:
        for begin, end, n_cells, cost in plan.stacks:
            batches = plan.batches[begin:end]
            families = plan.order[batches[0][0] : batches[-1][1]]
            cells = np.empty(n_cells, dtype=np.int64)
            self._run(plan, families, cells, light=cost <= _LIGHT_NS)
            yield from plan.cut(batches, cells, self.n_rows)

    def _tallied(self, plan: Plan, order: IntArray) -> Iterator[tuple[IntArray, TallyBatch]]:
        """Tallies of families whose children have the same arity."""
        from bnlab.counts.engine.tally import tally

        r = int(plan.child_arity[order[0]])
        shares = self._shares(order, plan.cost, self.n_rows * _LEAST_TALLY_NS)
        tasks = [partial(tally, self._codes, self._arities, plan.families, share) for share in shares]
        for share, parts in zip(shares, run_parallel(tasks, self.threads), strict=True):
            for begin, end, counts, times, first in parts:
                chosen = share[begin:end]
                margins = partial(self._margins, plan.families.variables[plan.families.begins[chosen + 1] - 1])
                q, arities = plan.n_cells[chosen] / r, plan.parent_arities(chosen)
                yield chosen, TallyBatch(counts, times, first, r, q, arities, self.n_rows, margins)

    def _margins(self, children: IntArray) -> IntArray:
        distinct, where = np.unique(children, return_inverse=True)
        return np.stack(self.margins(distinct.tolist()))[where]

    def margins(self, variables: Sequence[int]) -> list[IntArray]:
        """Number of rows in each state of some variables: for each variable an ndarray of int64, shape (arity,)."""
        found = [_NONE] * len(variables)
        for positions, table in self._margins_by_arity(variables):
            for place, counts in zip(positions.tolist(), table, strict=True):
                found[place] = counts
        return found

    def _margins_by_arity(self, variables: Sequence[int]) -> Iterator[tuple[IntArray, IntArray]]:
        """Positions of the variables of each arity r, and the rows in each of their states, shape (positions, r)."""
        first, ones, _ = self._bitmaps.kept([v for v in variables if v not in self._wide])
        given = np.array(variables, dtype=np.int64)
        arities = self._arities[given]
        for r in np.unique(arities).tolist():
            positions = np.flatnonzero(arities == r)
            if r > MAX_ARITY:
                counts = [np.bincount(self._column(v), minlength=r) for v in given[positions].tolist()]
                yield positions, np.stack(counts)
                continue
            table = np.empty((len(positions), r), dtype=np.int64)
            table[:, :-1] = ones[first[given[positions], np.newaxis] + np.arange(r - 1)]
            table[:, -1] = self.n_rows - table[:, :-1].sum(axis=1)
            yield positions, table

    def joint(self, variables: Sequence[int]) -> IntArray:
        """Contingency table of some variables, counted immediately, for callers whose next table depends on it.

        Parameters
        ----------
        variables : sequence of int
            At least one, all distinct.

        Returns
        -------
        ndarray of int64, shape (arity of each variable)

        Raises
        ------
        ValueError
            When the table would have too many cells, or more axes than numpy has.
        """
        shape = tuple(self.arities[v] for v in variables)
        n_cells = prod(shape)
        if n_cells > MAX_JOINT_CELLS or len(shape) > MAX_AXES:
            raise ValueError(
                f"the table of variables {tuple(variables)} would have {len(shape)} axes and {n_cells:.3g} cells, "
                f"more than {MAX_AXES} or {MAX_JOINT_CELLS:.3g}: use fewer variables, or count a family, whose "
                "table may be sparse"
            )
        try:
            return self._joint(variables, n_cells).reshape(shape)
        except (SystemError, RuntimeError) as error:
            reraise_interrupt(error)
            raise

    def _joint(self, variables: Sequence[int], n_cells: int) -> IntArray:
        members = np.array(variables, dtype=np.int64)
        if self._suits_bits(variables, n_cells):
            from bnlab.counts.engine import kernels

            bitmaps = self._bitmaps.kept(variables)
            counted: IntArray = kernels.count_joint(self._arities, *bitmaps, self.n_rows, members)
            return counted
        cells = np.empty(n_cells, dtype=np.int64)
        self._count_bins(_FIRST, members, np.array((0, len(variables))), cells, _FIRST)
        return cells

    def _suits_bits(self, variables: Sequence[int], n_cells: int) -> bool:
        depth = len(variables)
        return depth <= MAX_BITMAP_DEPTH and n_cells < self._bits_below[depth] and self._wide.isdisjoint(variables)

    def bits(self) -> tuple[NDArray[Any], ...]:
        """Bitmaps of all variables of few states, for callers with kernels that count one small table after the other.

        Returns
        -------
        first, ones, words
            See `bnlab.counts.engine.bitmaps.Bitmaps`.
        below : ndarray of float64
            A table of k variables is counted faster from bitmaps than by a histogram if it has fewer cells than
            ``below[k]``; empty if no variable has bitmaps.
        """
        narrow = [v for v in range(len(self.arities)) if v not in self._wide]
        if not narrow:
            return NO_BITS
        return *self._bitmaps.kept(narrow), self._bits_below

    def codes(self) -> tuple[NDArray[Any], ...]:
        """Columns in the form of the kernels: the blocks of each width, then the block and the row of each variable."""
        return self._codes

    @cached_property
    def rows(self) -> Rows:
        """Rows of the table in the form of compiled code, made when they are first needed."""
        from bnlab.engine.rows import table_of

        widest = max((block.dtype for block in self._blocks if len(block)), key=lambda dtype: dtype.itemsize)
        if len(self._blocks[0]) == len(self.arities):
            return table_of(self._blocks[0], self._arities)
        return table_of(np.stack([self._column(v).astype(widest) for v in range(len(self.arities))]), self._arities)

    def states(self) -> StateBitmaps | None:
        """Bitmaps of all states; None if there are too many rows or states for them."""
        return self._states

    @cached_property
    def _states(self) -> StateBitmaps | None:
        if self.n_rows > MAX_STATE_ROWS or max(self.arities) > MAX_ARITY:
            return None
        say_if_compiling()
        return state_bitmaps(self._blocks[0], self._arities, self.threads)

    def _run(self, plan: Plan, order: IntArray, cells: IntArray, *, light: bool) -> None:
        """Count some families of a plan in tasks of a few hundredths of a second, which the threads share."""
        by_bits = plan.by_bits[order]
        bits, bins = (order, _NONE) if by_bits.all() else (order[by_bits], order[~by_bits])
        families = *plan.flat, cells, plan.cell_begins
        tasks: list[Callable[[], None]] = []
        if len(bits):
            shares = [bits] if light else self._shares(bits, plan.cost)
            members, bitmaps = self._bitmaps_for(plan, once=len(shares) == 1)
            tasks += [partial(self._count_bits, members, bitmaps, share, *families) for share in shares]
        if len(bins):
            tasks += [partial(self._count_bins, share, *families) for share in self._shares(bins, plan.cost)]
        run_parallel(tasks, self.threads)

    def _bitmaps_for(self, plan: Plan, *, once: bool) -> tuple[IntArray, Bitmaps]:
        """Variables whose bitmaps the kernel builds in scratch memory, if this may be the only pass; and bitmaps."""
        say_if_compiling()
        if self._bitmaps.complete:
            return _NONE, self._bitmaps.kept(())
        variables, begins = plan.flat
        if not plan.by_bits.all():
            variables = variables[np.repeat(plan.by_bits, np.diff(begins))]
        members = np.bincount(variables).nonzero()[0]
        if once and not self._used_scratch:
            self._used_scratch = True
            return members, self._bitmaps.scratch()
        return _NONE, self._bitmaps.kept(members.tolist())

    def _shares(self, order: IntArray, cost: FloatArray, least: float = 0.0) -> list[IntArray]:
        """Split families into runs of about equal cost, enough for every thread and for checks for Ctrl-C."""
        share = cost[order]
        total = float(share.sum())
        most = self.threads * _TASKS_PER_THREAD if self.threads > 1 and total > _LIGHT_NS else 1
        pieces = max(int(total / _TASK_NS) + 1, min(most, int(total / max(_LEAST_TASK_NS, least))))
        if pieces == 1:
            return [order]
        return np.split(order, np.flatnonzero(np.diff((np.cumsum(share) - share) // (total / pieces))) + 1)

    def _count_bits(self, members: IntArray, bitmaps: Bitmaps, order: IntArray, *families: IntArray) -> None:
        from bnlab.counts.engine import kernels

        codes = self._blocks[0], self._row, members
        kernels.count_bitmaps(codes, self._arities, tuple(bitmaps), order, *families)

    def _count_bins(self, order: IntArray, *families: IntArray) -> None:
        from bnlab.counts.engine import kernels

        kernels.count_histograms(self._codes, self._arities, order, *families)

    def _place_columns(self, table: Table) -> None:
        by_dtype = {block.dtype.itemsize: (indices, block) for indices, block in table.blocks()}
        self._block = np.zeros(len(self.arities), dtype=np.int64)
        self._row = np.zeros(len(self.arities), dtype=np.int64)
        blocks = []
        for number, dtype in enumerate((np.uint8, np.uint16, np.uint32)):
            nothing = np.empty(0, np.int64), np.empty((0, 0), dtype)
            nothing[1].flags.writeable = False  # like all blocks: otherwise kernels are compiled for each combination
            indices, block = by_dtype.get(np.dtype(dtype).itemsize, nothing)
            self._block[indices] = number
            self._row[indices] = np.arange(len(indices))
            blocks.append(block)
        self._blocks = tuple(blocks)
        self._codes = *self._blocks, self._block, self._row

    def _column(self, variable: int) -> NDArray[Any]:
        column: NDArray[Any] = self._blocks[self._block[variable]][self._row[variable]]
        return column

    def _count_sparse(self, family: Family) -> FamilyCounts:
        return count_sparse(family, self._column, self.arities)
