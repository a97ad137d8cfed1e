"""Counts of a table in memory, by the kernel that is cheaper for each family.

The bit-sliced kernel costs about (cells of the table) x (words of a bitmap), the histogram kernel about
(rows) x (variables); `_BIT`, `_BIN` and `_READ` are the measured nanoseconds of each. Tables of more cells than a
few times the rows are kept sparse: only the parent configurations that occur.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, pairwise
from math import prod
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.cache import BoundedCache
from bnlab.counts.family import Family, FamilyBatch, FamilyCounts, IntArray, ParentArities
from bnlab.counts.source import check_families

if TYPE_CHECKING:
    from bnlab.data.table import Table

_BIT = 0.13  # ns for a word of one cell
_CELL = 15.0  # ns to start the work on one cell of one block
_BIN = 0.5  # ns to add a row to a histogram
_READ = 0.12  # ns to read one code
_TASK = 30e6  # ns of work between two looks at the keyboard

MAX_BITMAP_ARITY = 16  # so that only columns of uint8 have bitmaps
MAX_BITMAP_DEPTH = 16
MAX_JOINT_CELLS = 1 << 27
MAX_BATCH_CELLS = 1 << 22
SPARSE_FLOOR = 1 << 16
FEW_FAMILIES = 64
DENSE_CELLS_PER_ROW = 4

logger = logging.getLogger("bnlab")

_FIRST = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class _Plan:
    """Families flattened for the kernels: variables of each one, parents first and child last."""

    variables: IntArray
    begins: IntArray
    cell_begins: IntArray

    @classmethod
    def of(cls, variables: IntArray, lengths: IntArray, arities: IntArray) -> _Plan:
        begins = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        sizes = np.multiply.reduceat(arities[variables], begins[:-1])
        return cls(variables, begins, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    @property
    def depth(self) -> IntArray:
        return np.diff(self.begins)

    def take(self, chosen: IntArray, arities: IntArray) -> _Plan:
        lengths = self.depth[chosen]
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return _Plan.of(self.variables[np.repeat(self.begins[chosen], lengths) + within], lengths, arities)


def available_threads() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class MemorySource:
    """Counts families of a table that is in memory.

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
        self.variables = table.variables
        self.names = table.names
        self.arities = table.arities
        self.n_rows = table.n_rows
        self.threads = threads or available_threads()
        self._arities = np.array(table.arities, dtype=np.int64)
        self._max_bytes = max_bytes
        self._place_columns(table)
        self._cache: BoundedCache[Family, FamilyCounts] = BoundedCache(
            max_bytes, lambda counts: counts.table.nbytes + counts.configurations.nbytes + 200
        )
        self._bitmaps: NDArray[np.uint64] | None = None
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its table: another process builds bitmaps and caches of its own."""
        from bnlab.data.table import Table

        columns = [self._column(v) for v in range(len(self.arities))]
        rebuild = partial(MemorySource, threads=self.threads, max_bytes=self._max_bytes)
        return rebuild, (Table(self.variables, columns),)

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given; families seen lately come from the cache.

        Raises
        ------
        ValueError
            When a family names a variable twice or one that does not exist.
        """
        found = {family: self._cache.get(family) for family in families}
        missing = [family for family, counts in found.items() if counts is None]
        for positions, batch in self.batches(missing):
            ends = np.append(batch.first[1:], len(batch.table))
            for position, begin, end in zip(positions, batch.first, ends, strict=True):
                family = missing[position]
                counts = self._observed(family, batch, begin, end)
                self._cache.put(family, counts)
                found[family] = counts
        return [found[family] for family in families]  # type: ignore[misc]

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of one child arity and bounded size (see `CountSource.batches`)."""
        if not families:
            return
        lengths = np.fromiter((len(parents) + 1 for _, parents in families), np.int64, len(families))
        flat = chain.from_iterable((*parents, child) for child, parents in families)
        variables = np.fromiter(flat, np.int64, int(lengths.sum()))
        check_families(families, variables, lengths, len(self.arities))
        begins = np.cumsum(lengths) - lengths
        cells = np.multiply.reduceat(self._arities[variables].astype(np.float64), begins)
        dense = cells <= max(SPARSE_FLOOR, DENSE_CELLS_PER_ROW * self.n_rows)
        for position in np.flatnonzero(~dense).tolist():
            yield np.array([position]), FamilyBatch.of([self._count_sparse(families[position])])
        child_arity = self._arities[variables[begins + lengths - 1]]
        where = np.flatnonzero(dense)
        where = where[np.argsort(child_arity[where], kind="stable")]
        whole = _Plan(variables, np.append(begins, len(variables)), np.empty(0, np.int64))
        stack = np.cumsum(cells[where]) // MAX_BATCH_CELLS
        for part in np.split(where, np.flatnonzero(np.diff(stack)) + 1):
            if len(part):
                yield from self._count_dense(part, whole.take(part, self._arities), child_arity[part])

    def joint(self, variables: Sequence[int]) -> IntArray:
        """Contingency table of some variables, counted at once and alone: for callers whose next table depends on it.

        Parameters
        ----------
        variables : sequence of int
            At least one, all different.

        Returns
        -------
        ndarray of int64, shape (arity of each variable)

        Raises
        ------
        ValueError
            When the table would have more than 2**27 cells.
        """
        shape = tuple(self.arities[v] for v in variables)
        n_cells = prod(shape)
        if n_cells > MAX_JOINT_CELLS:
            raise ValueError(
                f"the table of variables {tuple(variables)} would have {n_cells:.3g} cells, more than "
                f"{MAX_JOINT_CELLS:.3g}: use fewer variables, or count a family, whose table may be sparse"
            )
        depth = len(shape)
        plan = _Plan(np.array(variables, dtype=np.int64), np.array([0, depth]), np.array([0, n_cells]))
        cells = np.empty(n_cells, dtype=np.int64)
        bit_cost, bin_cost = self._costs(n_cells, depth)
        if bit_cost < bin_cost and max(shape) <= MAX_BITMAP_ARITY and depth <= MAX_BITMAP_DEPTH:
            self._bit_kernel(plan.variables)(_FIRST, plan, cells)
        else:
            self._bin_kernel(_FIRST, plan, cells)
        return cells.reshape(shape)

    def _observed(self, family: Family, batch: FamilyBatch, begin: int, end: int) -> FamilyCounts:
        parent_arities = tuple(self.arities[p] for p in family[1])
        if batch.configurations is not None:
            return FamilyCounts(batch.table[begin:end], batch.configurations[begin:end], parent_arities)
        rows = batch.table[begin:end]
        observed = np.flatnonzero(rows.any(axis=1))
        return FamilyCounts(rows[observed], observed.astype(np.int64), parent_arities)

    def _count_dense(
        self, positions: IntArray, plan: _Plan, child_arity: IntArray
    ) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count the families of a plan, which is sorted by the arity of the child, and stack them by it."""
        counted = np.empty(plan.cell_begins[-1], dtype=np.int64)
        distinct = self._distinct(plan)
        if distinct is None:
            self._run(plan, counted)
        else:
            self._run_distinct(plan, counted, *distinct)
        arities = self._arities[plan.variables]
        bounds = [0, *(np.flatnonzero(np.diff(child_arity)) + 1).tolist(), len(positions)]
        for low, high in pairwise(bounds):
            r = int(child_arity[low])
            begins = plan.cell_begins[low : high + 1]
            parent_arities = ParentArities(arities, plan.begins[low:high], plan.begins[low + 1 : high + 1] - 1)
            table = counted[begins[0] : begins[-1]].reshape(-1, r)
            yield (
                positions[low:high],
                FamilyBatch(table, (begins[:-1] - begins[0]) // r, np.diff(begins) / r, parent_arities),
            )

    def _distinct(self, plan: _Plan) -> tuple[IntArray, IntArray] | None:
        """Families over the same set of variables: index of one of each, and which one serves each family.

        None when every set occurs once, when two sets share a hash, or when the families are too few to care.
        """
        if len(plan.begins) <= FEW_FAMILIES:
            return None
        hashes = np.random.default_rng(0).integers(1 << 62, size=len(self.arities), dtype=np.int64)
        keys = np.add.reduceat(hashes[plan.variables], plan.begins[:-1])
        _, chosen, which = np.unique(keys, return_index=True, return_inverse=True)
        if len(chosen) == len(keys):
            return None
        depth = plan.depth
        width = int(depth.max())
        sets = np.full((len(keys), width), -1, dtype=np.int64)
        rows = np.repeat(np.arange(len(keys)), depth)
        sets[rows, np.arange(len(plan.variables)) - plan.begins[rows]] = plan.variables
        sets.sort(axis=1)
        if not np.array_equal(sets[chosen[which]], sets):
            return None
        return chosen.astype(np.int64), which.astype(np.int64)

    def _run_distinct(self, plan: _Plan, cells: IntArray, chosen: IntArray, which: IntArray) -> None:
        from bnlab.counts import kernels

        source_plan = plan.take(chosen, self._arities)
        sources = np.empty(source_plan.cell_begins[-1], dtype=np.int64)
        self._run(source_plan, sources)
        strides = self._strides(plan, source_plan, which)
        kernels.arrange(
            sources,
            source_plan.cell_begins,
            which,
            strides,
            self._arities[plan.variables],
            plan.begins,
            cells,
            plan.cell_begins,
        )

    def _strides(self, plan: _Plan, source: _Plan, which: IntArray) -> IntArray:
        """Cells of the source table between two states of each variable of each family."""
        depth = plan.depth
        strides = np.zeros(len(plan.variables), dtype=np.int64)
        for width in np.unique(depth):
            members = np.flatnonzero(depth == width)
            mine = plan.variables[plan.begins[members][:, None] + np.arange(width)]
            theirs = source.variables[source.begins[which[members]][:, None] + np.arange(width)]
            sizes = self._arities[theirs]
            moves = np.cumprod(np.c_[sizes[:, 1:], np.ones(len(members), np.int64)][:, ::-1], axis=1)[:, ::-1]
            match = mine[:, :, None] == theirs[:, None, :]
            strides[plan.begins[members][:, None] + np.arange(width)] = (match * moves[:, None, :]).sum(axis=2)
        return strides

    def _run(self, plan: _Plan, cells: IntArray) -> None:
        """Count every family of a plan, split into tasks of a few hundredths of a second over the threads."""
        depth = plan.depth
        n_cells = np.diff(plan.cell_begins)
        widest = np.maximum.reduceat(self._arities[plan.variables], plan.begins[:-1])
        bit_cost, bin_cost = self._costs(n_cells, depth)
        bits = (bit_cost < bin_cost) & (widest <= MAX_BITMAP_ARITY) & (depth <= MAX_BITMAP_DEPTH)
        tasks: list[Callable[[], None]] = []
        if bits.any():
            run_bits = self._bit_kernel(plan.variables[np.repeat(bits, depth)])
            tasks += self._tasks(run_bits, np.flatnonzero(bits), bit_cost, plan, cells)
        if not bits.all():
            tasks += self._tasks(self._bin_kernel, np.flatnonzero(~bits), bin_cost, plan, cells)
        if self.threads == 1 or len(tasks) == 1:
            for task in tasks:
                task()
            return
        with ThreadPoolExecutor(self.threads) as pool:
            futures = [pool.submit(task) for task in tasks]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _costs(self, n_cells: Any, depth: Any) -> tuple[Any, Any]:
        """Nanoseconds that the bit-sliced and the histogram kernel take for tables of this size, by the model."""
        words = (self.n_rows + 63) // 64
        bit_sliced = n_cells * (words * _BIT + _CELL * (words // 512 + 1))
        return bit_sliced, self.n_rows * (depth * _READ + _BIN) + n_cells

    def _tasks(
        self,
        kernel: Callable[[IntArray, _Plan, IntArray], None],
        order: IntArray,
        cost: NDArray[Any],
        plan: _Plan,
        cells: IntArray,
    ) -> list[Callable[[], None]]:
        share = cost[order]
        total = float(share.sum())
        # A thread costs more to wake than a millisecond of counting saves.
        fair = total / self.threads if total > 2e6 else total
        step = max(min(fair, _TASK), 1.0)
        parts = np.split(order, np.flatnonzero(np.diff((np.cumsum(share) - share) // step)) + 1)
        return [lambda part=part: kernel(part, plan, cells) for part in parts]  # type: ignore[misc]

    def _bit_kernel(self, variables: IntArray) -> Callable[[IntArray, _Plan, IntArray], None]:
        from bnlab.counts import kernels

        bitmaps = self._build_bitmaps(variables)

        def run(order: IntArray, plan: _Plan, cells: IntArray) -> None:
            kernels.count_bitmaps(
                bitmaps,
                self._first_bitmap,
                self._ones,
                self.n_rows,
                self._arities,
                order,
                plan.variables,
                plan.begins,
                cells,
                plan.cell_begins,
            )

        return run

    def _bin_kernel(self, order: IntArray, plan: _Plan, cells: IntArray) -> None:
        from bnlab.counts import kernels

        kernels.count_histograms(
            *self._blocks,
            self._block,
            self._row,
            self._arities,
            order,
            plan.variables,
            plan.begins,
            cells,
            plan.cell_begins,
        )

    def _place_columns(self, table: Table) -> None:
        by_dtype = {block.dtype.itemsize: (indices, block) for indices, block in table.blocks()}
        self._block = np.zeros(len(self.arities), dtype=np.int64)
        self._row = np.zeros(len(self.arities), dtype=np.int64)
        blocks = []
        for number, dtype in enumerate((np.uint8, np.uint16, np.uint32)):
            nothing = np.empty(0, np.int64), np.empty((0, 0), dtype)
            indices, block = by_dtype.get(np.dtype(dtype).itemsize, nothing)
            self._block[indices] = number
            self._row[indices] = np.arange(len(indices))
            blocks.append(block)
        self._blocks = tuple(blocks)

    def _column(self, variable: int) -> NDArray[Any]:
        column: NDArray[Any] = self._blocks[self._block[variable]][self._row[variable]]
        return column

    def _build_bitmaps(self, variables: IntArray) -> NDArray[np.uint64]:
        from bnlab.counts import kernels

        with self._lock:
            if self._bitmaps is None:
                say_if_compiling()
                states = np.where(self._arities <= MAX_BITMAP_ARITY, self._arities - 1, 0)
                self._first_bitmap = np.concatenate([[0], np.cumsum(states)]).astype(np.int64)
                # Pages are touched only when a variable's bitmaps are built.
                self._bitmaps = np.empty((self._first_bitmap[-1], (self.n_rows + 63) // 64), dtype=np.uint64)
                self._ones = np.zeros(self._first_bitmap[-1], dtype=np.int64)
                self._built = np.zeros(len(self.arities), dtype=bool)
            for v in dict.fromkeys(variables[~self._built[variables]].tolist()):
                here = slice(self._first_bitmap[v], self._first_bitmap[v + 1])
                kernels.build_bitmaps(self._column(v), self._bitmaps[here], self._ones[here])
                self._built[v] = True
            return self._bitmaps

    def _count_sparse(self, family: Family) -> FamilyCounts:
        """Count only the parent configurations that occur, by sorting their codes."""
        child, parents = family
        codes = np.zeros(self.n_rows, dtype=np.int64)
        parent_arities = tuple(self.arities[p] for p in parents)
        reach = 1
        for parent, arity in zip(parents, parent_arities, strict=True):
            reach *= arity
            if reach > np.iinfo(np.int64).max:
                raise ValueError(
                    f"family {family}: {reach:.3g} or more parent configurations are too many to number "
                    f"(the limit is 2**63); use fewer parents"
                )
            codes *= arity
            codes += self._column(parent)
        configurations, where = np.unique(codes, return_inverse=True)
        r = self.arities[child]
        flat = where.ravel() * r + self._column(child)
        table = np.bincount(flat, minlength=len(configurations) * r).reshape(-1, r)
        return FamilyCounts(table.astype(np.int64, copy=False), configurations, parent_arities)


@cache
def say_if_compiling() -> None:
    """Log a line when the kernels' machine code is not on disk yet, so that the first call's wait is explained."""
    from bnlab.counts import kernels

    path = Path(kernels.count_bitmaps.stats.cache_path or "")
    if not any(path.glob("kernels.count_bitmaps*.nbi")):
        logger.warning("bnlab compiles its counting kernels; this happens once and takes a few seconds.")
