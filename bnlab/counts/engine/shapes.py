"""Compiled bookkeeping around the counting kernels: the shape of each family, and tables that serve several of them."""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import njit


@njit()
def toggled(child, parents, others, variables, begins):
    """Flatten the families of `others`, ascending, each in turn made or no more a parent, and last the family itself.

    `variables` has room for two members more than the family, for each of the families.
    """
    size = parents.shape[0]
    begins[0] = 0
    end = 0
    for f in range(others.shape[0] + 1):
        at = 0
        if f < others.shape[0]:
            other = others[f]
            while at < size and parents[at] < other:
                variables[end + at] = parents[at]
                at += 1
            end += at
            if at < size and parents[at] == other:
                at += 1
            else:
                variables[end] = other
                end += 1
        for left in range(at, size):
            variables[end] = parents[left]
            end += 1
        variables[end] = child
        end += 1
        begins[f + 1] = end


@njit()
def survey(variables, begins, arities, rates, limits, child_arity, n_cells, by_bits, cost):
    """Fill in the shape of each family and what it costs to count.

    `rates` are the nanoseconds that bitmaps take for a cell, and a histogram for a family, for each of its variables
    and at most for its cells; bitmaps serve up to ``limits[0]`` states and ``limits[1]`` variables.

    Returns the first family that names a variable twice or one that does not exist, -1 when there is none.
    """
    max_arity, max_depth = limits
    last_family = np.full(arities.shape[0], -1, dtype=np.int64)
    for f in range(begins.shape[0] - 1):
        n_cells[f] = 1.0
        widest = 0
        for a in range(begins[f], begins[f + 1]):
            v = variables[a]
            if v < 0 or v >= arities.shape[0] or last_family[v] == f:
                return f
            last_family[v] = f
            n_cells[f] *= arities[v]
            widest = max(widest, arities[v])
        child_arity[f] = arities[variables[begins[f + 1] - 1]]
        depth = begins[f + 1] - begins[f]
        by_bitmap, by_histogram = n_cells[f] * rates[0], rates[1] + depth * rates[2] + min(n_cells[f], rates[3])
        by_bits[f] = by_bitmap < by_histogram and widest <= max_arity and depth <= max_depth
        cost[f] = by_bitmap if by_bits[f] else by_histogram
    return -1


@njit()
def lay_out(sizes, child_arity, n_cells, by_bits, cost, order, cell_begins, arity, begins, q):
    """Sort families by the arity of the child, and lay their tables one behind the other in stacks.

    `sizes` are three numbers of cells. Families of more than the first, when bitmaps do not count them, or of more than
    the second are left to the end of `order` and have no place. A stack holds about the third. Fills in where in its
    stack each family's table begins, and for each place in `order` that too, the arity, and the number of parent
    configurations.

    Returns
    -------
    ndarray of int64, shape (stacks, 4)
        Begin and end in `order`, cells, and the nanoseconds that counting them takes.
    """
    bin_cells, dense_cells, stack_cells = sizes
    size = _sort(child_arity, n_cells, by_bits, bin_cells, dense_cells, order)
    stacks = np.empty((size, 4), dtype=np.int64)
    n_stacks = stack_begin = 0
    cell = np.int64(0)
    took = 0.0
    for i in range(size):
        f = order[i]
        cell_begins[f] = begins[i] = cell
        arity[i] = child_arity[f]
        q[i] = n_cells[f] / child_arity[f]
        cell += np.int64(n_cells[f])
        took += cost[f]
        if i + 1 == size or cell >= stack_cells:
            stack = stacks[n_stacks]
            stack[0], stack[1], stack[2], stack[3] = stack_begin, i + 1, cell, np.int64(took)
            n_stacks += 1
            stack_begin, cell, took = i + 1, np.int64(0), 0.0
    return stacks[:n_stacks]


@njit()
def plan(variables, begins, arities, rates, limits, sizes, whole, real, by_bits):
    """Do both at once: `survey` and, unless a family is wrong, `lay_out`; returns what each returns.

    The rows of `whole` are child_arity, cell_begins, order, arity and begins, those of `real` n_cells, cost and q.
    """
    wrong = survey(variables, begins, arities, rates, limits, whole[0], real[0], by_bits, real[1])
    if wrong >= 0:
        return wrong, np.empty((0, 4), dtype=np.int64)
    return wrong, lay_out(sizes, whole[0], real[0], by_bits, real[1], whole[2], whole[1], whole[3], whole[4], real[2])


@njit()
def _sort(child_arity, n_cells, by_bits, bin_cells, dense_cells, order):
    """Stable order by the arity of the child, families of too many cells last; returns the number of the others."""
    bin_cells = min(bin_cells, dense_cells)
    widest = 0
    for r in child_arity:
        widest = max(widest, r)
    begins = np.zeros(widest + 2, dtype=np.int64)
    dense = 0
    for f in range(order.shape[0]):
        if n_cells[f] <= (dense_cells if by_bits[f] else bin_cells):
            begins[child_arity[f] + 1] += 1
            dense += 1
    for r in range(1, begins.shape[0]):
        begins[r] += begins[r - 1]
    last = dense
    for f in range(order.shape[0]):
        if n_cells[f] <= (dense_cells if by_bits[f] else bin_cells):
            order[begins[child_arity[f]]] = f
            begins[child_arity[f]] += 1
        else:
            order[last] = f
            last += 1
    return dense


@njit()
def number_bitmaps(variables, begins, by_bits, arities, first_bitmap):
    """Number the bitmaps of the variables in some of the families; returns these variables, and the bitmaps' number."""
    first_bitmap[:] = -1
    for f in range(begins.shape[0] - 1):
        if by_bits[f]:
            for v in variables[begins[f] : begins[f + 1]]:
                first_bitmap[v] = 0
    members = np.empty(first_bitmap.shape[0], dtype=np.int64)
    found = count = 0
    for v in range(first_bitmap.shape[0]):
        if first_bitmap[v] == 0:
            first_bitmap[v] = count
            count += arities[v] - 1
            members[found] = v
            found += 1
    return members[:found], count


@njit()
def arrange(variables, begins, arities, order, twins, cells, cell_begins):
    """Copy the table of ``twins[i]`` to family ``order[i]``, which holds the same variables in another order.

    Returns the families whose twin holds other variables, and so stay as they were.
    """
    left = np.zeros(order.shape[0], dtype=np.bool_)
    state = np.zeros(64, dtype=np.int64)
    stride = np.zeros(64, dtype=np.int64)
    for i in range(order.shape[0]):
        f, twin = order[i], twins[i]
        if f == twin:
            continue
        mine, theirs = variables[begins[f] : begins[f + 1]], variables[begins[twin] : begins[twin + 1]]
        axes = mine.shape[0]
        if not _strides(mine, theirs, arities, stride):
            left[i] = True
            continue
        state[:axes] = 0
        out, source = cell_begins[f], cell_begins[twin]
        while True:
            cells[out] = cells[source]
            out += 1
            axis = axes - 1
            while axis >= 0:
                r = arities[mine[axis]]
                state[axis] += 1
                source += stride[axis]
                if state[axis] < r:
                    break
                source -= stride[axis] * r
                state[axis] = 0
                axis -= 1
            if axis < 0:
                break
    return order[left]


@njit()
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
