"""How the families of a call are counted: by which kernel, where each table is stored, and which serve several."""

# mypy: allow-untyped-defs
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.jit import njit
from bnlab.counts.engine.bitmaps import MAX_ARITY, MAX_BITMAP_DEPTH
from bnlab.counts.types import Families, Family, FamilyBatch, FloatArray, IntArray, ParentArities, refuse_family

STACK_CELLS = 1 << 22


class Plan(NamedTuple):
    """Families flattened for the kernels, and their tables in stacks as `lay_out` describes them.

    `arities` are those of all variables; `by_bits` says whether bitmaps count a family faster. Families without a place
    in a stack are last in `order`.
    """

    arities: IntArray
    families: Families
    child_arity: IntArray
    cell_begins: IntArray
    order: IntArray
    first: IntArray
    n_cells: FloatArray
    cost: FloatArray
    q: FloatArray
    by_bits: NDArray[np.bool_]
    stacks: list[list[int]]
    batches: list[list[int]]

    @classmethod
    def of(
        cls,
        families: Sequence[Family],
        arities: IntArray,
        rates: tuple[float, ...],
        most_cells: tuple[float, float],
        stack_cells: float | None = None,
    ) -> Plan:
        """Plan families (ValueError as `refuse_family`); the other arguments are limits of `lay_out`."""
        flat = Families.of(families)
        n = len(flat)
        shapes, costs, by_bits = np.empty((4, n), np.int64), np.empty((3, n)), np.empty(n, np.bool_)
        stacks, batches = np.empty((n, 4), np.int64), np.empty((n, 5), np.int64)
        limits = np.array((*rates, MAX_ARITY, MAX_BITMAP_DEPTH, *most_cells, stack_cells or STACK_CELLS), np.float64)
        given = flat.variables, flat.begins, arities, limits
        wrong, n_stacks, n_batches = lay_out(*given, shapes, costs, by_bits, stacks, batches)
        if wrong >= 0:
            refuse_family(families[wrong], len(arities))
        stacks, batches = stacks[:n_stacks], batches[:n_batches]
        return cls(arities, flat, *shapes, *costs, by_bits, stacks.tolist(), batches.tolist())  # type: ignore[call-arg]

    @property
    def left(self) -> IntArray:
        """Families that have no place in a stack."""
        return self.order[self.batches[-1][1] if self.batches else 0 :]

    @property
    def flat(self) -> tuple[IntArray, IntArray]:
        """Variables of the families one after the other, and where each family begins."""
        return self.families.variables, self.families.begins

    def parent_arities(self, chosen: IntArray) -> ParentArities:
        """Arities of the parents of some families."""
        return ParentArities(self.arities, self.families, chosen)

    def cut(self, batches: list[list[int]], cells: IntArray, rows: int) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Batches of a stack, from its cells when they are counted, and which families each holds."""
        for first, last, r, first_cell, last_cell in batches:
            here, table = slice(first, last), cells[first_cell:last_cell].reshape(-1, r)
            arities = self.parent_arities(self.order[here])
            yield self.order[here], FamilyBatch(table, self.first[here], self.q[here], arities, rows=rows)


@njit()
def lay_out(variables, begins, arities, limits, shapes, costs, by_bits, stacks, batches):
    """Sort families by the arity of the child, and lay their tables one behind the other in stacks.

    Parameters
    ----------
    limits : ndarray of float64, shape (9,)
        The nanoseconds that bitmaps take a cell, and a histogram a family, for each of its variables and at most for
        its cells; the most states and variables of a family that bitmaps serve. Families of more cells than the
        seventh, when bitmaps do not count them, or than the eighth are left to the end of the order and have no place.
        A stack holds about the ninth.
    shapes : ndarray of int64, shape (4, families)
        Filled in: arity of each child; where in its stack each family's table begins; the order; and for each place in
        it the first row in the table of its batch, which holds the families of a stack that have one arity.
    costs : ndarray of float64, shape (3, families)
        Filled in: cells of each family, and the nanoseconds that it takes; parent configurations for each place.
    by_bits : ndarray of bool, shape (families,)
        Filled in: whether bitmaps count a family faster.
    stacks : ndarray of int64, shape (families, 4)
        Filled in: begin and end in `batches`, cells, and the nanoseconds that counting them takes.
    batches : ndarray of int64, shape (families, 5)
        Filled in: begin and end in the order, arity, and begin and end in the cells of the stack.

    Returns
    -------
    wrong : int
        First family that names a variable twice or one that does not exist, -1 when there is none.
    n_stacks, n_batches : int
    """
    child_arity, cell_begins, order, first = shapes[0], shapes[1], shapes[2], shapes[3]
    n_cells, cost, q = costs[0], costs[1], costs[2]
    n_families = order.shape[0]
    # Loops where numpy has functions, and memory from the caller: both take long to compile.
    most = 0
    for f in range(n_families):
        cells = 1.0
        widest = 0
        for a in range(begins[f], begins[f + 1]):
            v = variables[a]
            if v < 0 or v >= arities.shape[0]:
                return f, 0, 0
            for other in range(begins[f], a):
                if variables[other] == v:
                    return f, 0, 0
            cells *= arities[v]
            widest = max(widest, arities[v])
        depth = begins[f + 1] - begins[f]
        by_bitmap, by_histogram = cells * limits[0], limits[1] + depth * limits[2] + min(cells, limits[3])
        by_bits[f] = by_bitmap < by_histogram and widest <= limits[4] and depth <= limits[5]
        child_arity[f] = arities[variables[begins[f + 1] - 1]]
        most = max(most, child_arity[f])
        n_cells[f], cost[f] = cells, by_bitmap if by_bits[f] else by_histogram
    begin_of = np.empty(most + 2, dtype=np.int64)
    for r in range(most + 2):
        begin_of[r] = 0
    for f in range(n_families):
        is_large = n_cells[f] > (limits[7] if by_bits[f] else min(limits[6], limits[7]))
        first[f] = -1 if is_large else child_arity[f]  # until the order is known
        if not is_large:
            begin_of[child_arity[f] + 1] += 1
    for r in range(most + 1):
        begin_of[r + 1] += begin_of[r]
    size = last = begin_of[most + 1]
    for f in range(n_families):
        if first[f] < 0:
            order[last] = f
            last += 1
        else:
            order[begin_of[first[f]]] = f
            begin_of[first[f]] += 1
    n_stacks = n_batches = first_batch = 0
    cell = np.int64(0)
    took = 0.0
    for i in range(size):
        f = order[i]
        r = child_arity[f]
        if n_batches == first_batch or batches[n_batches - 1, 2] != r:
            batches[n_batches, 0], batches[n_batches, 2], batches[n_batches, 3] = i, r, cell
            n_batches += 1
        at = n_batches - 1
        cell_begins[f], first[i], q[i] = cell, (cell - batches[at, 3]) // r, n_cells[f] / r
        cell += np.int64(n_cells[f])
        batches[at, 1], batches[at, 4] = i + 1, cell
        took += cost[f]
        if i + 1 == size or cell >= limits[8]:
            stacks[n_stacks, 0], stacks[n_stacks, 1] = first_batch, n_batches
            stacks[n_stacks, 2], stacks[n_stacks, 3] = cell, np.int64(took)
            n_stacks += 1
            first_batch, cell, took = n_batches, np.int64(0), 0.0
    return -1, n_stacks, n_batches


@njit()
def arrange(variables, begins, arities, order, sources, cells, cell_begins):
    """Copy the table of ``sources[i]`` to family ``order[i]``, which holds the same variables in another order.

    Returns, for each, whether its source holds other variables; its table is then unchanged.
    """
    left = np.empty(order.shape[0], dtype=np.bool_)
    state = np.empty(64, dtype=np.int64)
    stride = np.empty(64, dtype=np.int64)
    for i in range(order.shape[0]):
        left[i] = False
        f, source_family = order[i], sources[i]
        if f == source_family:
            continue
        mine, theirs = (
            variables[begins[f] : begins[f + 1]],
            variables[begins[source_family] : begins[source_family + 1]],
        )
        axes = mine.shape[0]
        if not _strides(mine, theirs, arities, stride):
            left[i] = True
            continue
        for axis in range(axes):
            state[axis] = 0
        out, cell = cell_begins[f], cell_begins[source_family]
        while True:
            cells[out] = cells[cell]
            out += 1
            axis = axes - 1
            while axis >= 0:
                r = arities[mine[axis]]
                state[axis] += 1
                cell += stride[axis]
                if state[axis] < r:
                    break
                cell -= stride[axis] * r
                state[axis] = 0
                axis -= 1
            if axis < 0:
                break
    return left


@njit(inline="always")
def _strides(mine, theirs, arities, stride):
    """Cells of a table over `theirs` between two states of each of `mine`; false when they are not the same set."""
    if mine.shape[0] != theirs.shape[0]:
        return False
    for axis in range(mine.shape[0]):
        step, found = 1, False
        for other in range(theirs.shape[0] - 1, -1, -1):
            if theirs[other] == mine[axis]:
                stride[axis] = step
                found = True
            step *= arities[theirs[other]]
        if not found:
            return False
    return True
