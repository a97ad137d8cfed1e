"""How the families of a call are counted: by which kernel, and where each table is stored."""

# mypy: allow-untyped-defs
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.jit import inner, njit
from bnlab.counts.engine.bitmaps import MAX_ARITY, MAX_BITMAP_DEPTH
from bnlab.counts.engine.cost_model import CostModel
from bnlab.counts.types import Families, Family, FamilyBatch, FloatArray, IntArray, ParentArities, refuse_family


class Limits(NamedTuple):
    """Limits that decide which kernel counts a family, and whether its table has a place in a stack.

    Attributes
    ----------
    costs : CostModel
    histogram_cells : float
        Families of more cells have no place in a stack if a histogram counts them.
    cells : float
        Families of more cells have no place in a stack with either kernel.
    stack_cells : float
        Approximate number of cells of a stack.
    """

    costs: CostModel
    histogram_cells: float
    cells: float
    stack_cells: float


class Plan(NamedTuple):
    """Families flattened for the kernels, and their tables in stacks as `lay_out` describes them.

    `arities` are those of all variables; `by_bits` is true if bitmaps count a family faster. Families without a place
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
    def of(cls, families: Sequence[Family], arities: IntArray, limits: Limits) -> Plan:
        """Plan families; ValueError as `refuse_family`."""
        flat = Families.of(families)
        n = len(flat)
        shapes, costs, by_bits = np.empty((4, n), np.int64), np.empty((3, n)), np.empty(n, np.bool_)
        stacks, batches = np.empty((4, n), np.int64), np.empty((5, n), np.int64)
        given = flat.variables, flat.begins, arities, limits
        wrong, n_stacks, n_batches = lay_out(*given, shapes, costs, by_bits, stacks, batches)
        if wrong >= 0:
            refuse_family(families[wrong], len(arities))
        stacks, batches = stacks[:, :n_stacks].T, batches[:, :n_batches].T
        return cls(arities, flat, *shapes, *costs, by_bits, stacks.tolist(), batches.tolist())  # type: ignore[call-arg]

    @property
    def left(self) -> IntArray:
        """Families without a place in a stack."""
        return self.order[self.batches[-1][1] if self.batches else 0 :]

    @property
    def flat(self) -> tuple[IntArray, IntArray]:
        """Variables of the families one after the other, and the position where each family begins."""
        return self.families.variables, self.families.begins

    def parent_arities(self, chosen: IntArray) -> ParentArities:
        """Arities of the parents of some families."""
        return ParentArities(self.arities, self.families, chosen)

    def cut(self, batches: list[list[int]], cells: IntArray, rows: int) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Batches of a stack, made of its counted cells, each with the indices of its families."""
        for first, last, r, first_cell, last_cell in batches:
            here, table = slice(first, last), cells[first_cell:last_cell].reshape(-1, r)
            arities = self.parent_arities(self.order[here])
            yield self.order[here], FamilyBatch(table, self.first[here], self.q[here], arities, rows=rows)


@njit()
def lay_out(variables, begins, arities, limits, shapes, costs, by_bits, stacks, batches):
    """Sort families by the arity of the child, and place their tables one after the other in stacks.

    Parameters
    ----------
    limits : Limits
    shapes : ndarray of int64, shape (4, families)
        Filled in: arity of each child; where in its stack each family's table begins; the order; and for each place in
        it the first row in the table of its batch, which holds the families of a stack that have one arity.
    costs : ndarray of float64, shape (3, families)
        Filled in: cells of each family, and the nanoseconds that it takes; parent configurations for each place.
    by_bits : ndarray of bool, shape (families,)
        Filled in: whether bitmaps count a family faster.
    stacks : ndarray of int64, shape (4, families)
        Filled in: begin and end in `batches`, cells, and the nanoseconds that counting them takes.
    batches : ndarray of int64, shape (5, families)
        Filled in: begin and end in the order, arity, and begin and end in the cells of the stack.

    Returns
    -------
    wrong : int
        First family that names a variable twice or one that does not exist, -1 if there is none.
    n_stacks, n_batches : int
    """
    # Loops instead of numpy functions, and memory from the caller, because both alternatives take long to compile.
    child_arity, cell_begins, order, first = shapes[0], shapes[1], shapes[2], shapes[3]
    n_cells, cost, q = costs[0], costs[1], costs[2]
    wrong = _choose_kernels(variables, begins, arities, limits.costs, child_arity, n_cells, cost, by_bits)
    if wrong >= 0:
        return wrong, 0, 0
    size = _sort_by_arity(child_arity, n_cells, by_bits, limits, first, order)
    stack_begin, stack_end, stack_size, stack_cost = stacks[0], stacks[1], stacks[2], stacks[3]
    batch_begin, batch_end, batch_arity = batches[0], batches[1], batches[2]
    batch_first_cell, batch_last_cell = batches[3], batches[4]
    n_stacks = n_batches = first_batch = 0
    cell = np.int64(0)
    took = 0.0
    for i in range(size):
        f = order[i]
        r = child_arity[f]
        if n_batches == first_batch or batch_arity[n_batches - 1] != r:
            batch_begin[n_batches], batch_arity[n_batches], batch_first_cell[n_batches] = i, r, cell
            n_batches += 1
        at = n_batches - 1
        cell_begins[f], first[i], q[i] = cell, (cell - batch_first_cell[at]) // r, n_cells[f] / r
        cell += np.int64(n_cells[f])
        batch_end[at], batch_last_cell[at] = i + 1, cell
        took += cost[f]
        if i + 1 == size or cell >= limits.stack_cells:
            stack_begin[n_stacks], stack_end[n_stacks] = first_batch, n_batches
            stack_size[n_stacks], stack_cost[n_stacks] = cell, np.int64(took)
            n_stacks += 1
            first_batch, cell, took = n_batches, np.int64(0), 0.0
    return -1, n_stacks, n_batches


@inner
def _choose_kernels(variables, begins, arities, costs, child_arity, n_cells, cost, by_bits):
    """Fill in what each family costs and which kernel counts it; returns the first that is wrong, or -1."""
    for f in range(by_bits.shape[0]):
        cells = 1.0
        widest = 0
        for a in range(begins[f], begins[f + 1]):
            v = variables[a]
            if v < 0 or v >= arities.shape[0]:
                return f
            for other in range(begins[f], a):
                if variables[other] == v:
                    return f
            cells *= arities[v]
            widest = max(widest, arities[v])
        depth = begins[f + 1] - begins[f]
        by_bitmap = cells * costs.bitmap_cell
        by_histogram = costs.histogram + depth * costs.histogram_variable + min(cells, costs.histogram_most_cells)
        by_bits[f] = by_bitmap < by_histogram and widest <= MAX_ARITY and depth <= MAX_BITMAP_DEPTH
        child_arity[f] = arities[variables[begins[f + 1] - 1]]
        n_cells[f], cost[f] = cells, by_bitmap if by_bits[f] else by_histogram
    return -1


@inner
def _sort_by_arity(child_arity, n_cells, by_bits, limits, is_large, order):
    """Write the order of the families: those with a place in a stack by the arity of the child, then the others.

    Returns how many have a place. `is_large` is scratch memory.
    """
    most = 0
    for f in range(order.shape[0]):
        most = max(most, child_arity[f])
    begin_of = np.empty(most + 2, dtype=np.int64)
    for r in range(most + 2):
        begin_of[r] = 0
    for f in range(order.shape[0]):
        is_large[f] = n_cells[f] > limits.cells or (n_cells[f] > limits.histogram_cells and not by_bits[f])
        if not is_large[f]:
            begin_of[child_arity[f] + 1] += 1
    for r in range(most + 1):
        begin_of[r + 1] += begin_of[r]
    size = last = begin_of[most + 1]
    for f in range(order.shape[0]):
        if is_large[f]:
            order[last] = f
            last += 1
        else:
            order[begin_of[child_arity[f]]] = f
            begin_of[child_arity[f]] += 1
    return size
