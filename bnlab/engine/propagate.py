"""Exact inference in a tree of cliques, row by row, over the cells that agree with the observed values of the row.

A clique of ten binary nodes, two of which are missing in a row, has 4 such cells of 1024. Two cliques without a common
missing node need no message.

A number is a pair (value, power) that stands for ``value * 2**(512 * power)``, with a value from `TINY` to `HUGE`, so
that no product of probabilities leaves the range of floats. Zero is (0, `LOWEST`). Each number has one such pair: of
two numbers, the one with the greater power is greater, then the one with the greater value.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import NO, ZERO, compiled, inner

TINY, HUGE = 2.0**-256, 2.0**256
UP, DOWN = 2.0**512, 2.0**-512
LOWEST = -(2.0**40)
LOG_UNIT = 512 * float(np.log(2))


class Tree(NamedTuple):
    """A tree of cliques, parents before children; `first` and the like have one more entry than there are cliques."""

    parent: np.ndarray  # (cliques,) int64: parent, or -1
    maximal: np.ndarray  # (cliques,) bool: whether the nodes that the parent lacks are maximised rather than summed out
    table: np.ndarray  # first cell of the table of each clique
    message: np.ndarray  # first cell of its message to its parent
    first: np.ndarray  # its first node
    down: np.ndarray  # the first node of its parent in `down_stride`
    node: np.ndarray  # nodes of the cliques, int64
    arity: np.ndarray  # their numbers of states
    stride: np.ndarray  # their strides in the table
    up_stride: np.ndarray  # their strides in the message, 0 if the parent lacks the node
    down_stride: np.ndarray  # strides of the nodes of the parent in the message, 0 if the clique lacks the node


class Work(NamedTuple):
    """What a sweep finds for one row. Numbers are pairs in a last axis of length 2."""

    free: np.ndarray  # (cliques,) int64: number of missing nodes
    shared: np.ndarray  # (cliques,) how many of them the parent has too
    cells: np.ndarray  # (cliques,) number of cells that agree with the row
    base: np.ndarray  # (cliques,) place among the messages if all missing nodes have state 0
    which: np.ndarray  # (nodes,) positions of the missing nodes among the nodes of the clique
    places: np.ndarray  # int32: place of each cell among all cells; those of a clique begin where its table does
    ups: np.ndarray  # int32: its place among the messages
    others: np.ndarray  # (largest table,) int32: places of the cells of a parent among the messages
    tables: np.ndarray  # number of each cell
    messages: np.ndarray  # numbers sent to the parents
    sums: np.ndarray  # sums of the parent's table, over the nodes that the child lacks


def work_of(tree: Tree) -> Work:
    """Arrays to work in."""
    cells, places = int(tree.table[-1]), int(tree.message[-1])
    free, shared, used, base = np.empty((4, len(tree.parent)), np.int64)
    which = np.empty(len(tree.node), np.int64)
    at, ups, others = (np.empty(size, np.int32) for size in (cells, cells, int(np.diff(tree.table).max())))
    tables, messages, sums = (np.empty((size, 2)) for size in (cells, places, places))
    return Work(free, shared, used, base, which, at, ups, others, tables, messages, sums)


@inner
def times(v, p, w, q):
    """Product of two numbers."""
    v, p = v * w, p + q
    if v < TINY:
        if v == 0.0:
            return 0.0, LOWEST
        return v * UP, p - 1.0
    if v >= HUGE:
        return v * DOWN, p + 1.0
    return v, p


@inner
def joined(v, p, w, q, maximal):
    """Sum of two numbers, or the greater one."""
    if maximal:
        if q > p or (q == p and w > v):
            return w, q
        return v, p
    if p == q:
        return v + w, p
    if p > q:
        return (v + w * DOWN if p == q + 1.0 else v), p
    return (w + v * DOWN if q == p + 1.0 else w), q


@inner
def ratio(v, p, w, q):
    """Quotient of two numbers of which the first is less, as a float."""
    x = v / w
    for _ in range(int(min(q - p, 4.0))):
        x *= DOWN
    return x


@inner
def spread(first, free, which, arity, strides, begin, found, at):
    """Write the place of each cell of a clique in an array, the last node fastest; return the number of cells.

    `first` is its first node and `free` the number of missing ones. `strides` has those of its nodes from `begin` on.
    The place of the first cell is in ``found[at]``.
    """
    n = 1
    for f in range(first + free - 1, first - 1, -1):
        k = which[f]
        stride, end = strides[begin + k], n * arity[first + k]
        for j in range(at + n, at + end):
            found[j] = found[j - n] + stride
        n = end
    return n


@inner
def restrict(tree, work, potentials, row):
    """Find the cells of all cliques that agree with a row, and their potentials."""
    first, node, arity, stride, up_stride = tree.first, tree.node, tree.arity, tree.stride, tree.up_stride
    which, places, ups, tables = work.which, work.places, work.ups, work.tables
    for c in range(first.shape[0] - 1):
        begin, at, free, shared = first[c], tree.table[c], ZERO, ZERO
        place, base = at, tree.message[c]
        for k in range(begin, first[c + 1]):
            state = row[node[k]]
            if state < arity[k]:
                place += state * stride[k]
                base += state * up_stride[k]
            else:
                which[begin + free] = k - begin
                free += 1
                shared += up_stride[k] > 0
        work.free[c], work.shared[c], work.base[c] = free, shared, base
        places[at] = place
        n = work.cells[c] = spread(begin, free, which, arity, stride, begin, places, at)
        if shared:
            ups[at] = base
            spread(begin, free, which, arity, up_stride, begin, ups, at)
        for j in range(at, at + n):
            tables[j, 0], tables[j, 1] = potentials[places[j], 0], potentials[places[j], 1]


@inner
def total(tables, at, n, maximal):
    """Sum, or maximum, of n numbers from `at` on."""
    value, power = tables[at, 0], tables[at, 1]
    for j in range(at + 1, at + n):
        value, power = joined(value, power, tables[j, 0], tables[j, 1], maximal)
    return value, power


@inner
def gather(target, places, first, source, at, n, maximal):
    """Sum, or maximise, n numbers of `source` from `at` on; the places in `target` are from ``places[first]`` on."""
    for j in range(first, first + n):
        target[places[j], 0], target[places[j], 1] = 0.0, LOWEST
    for j in range(n):
        k = places[first + j]
        target[k, 0], target[k, 1] = joined(target[k, 0], target[k, 1], source[at + j, 0], source[at + j, 1], maximal)


@inner
def inward(tree, work, potentials, row):
    """Sweep to the roots; return the probability of the row, or of its most probable completion."""
    restrict(tree, work, potentials, row)
    parent, first, table, down = tree.parent, tree.first, tree.table, tree.down
    free, cells, tables, messages, others = work.free, work.cells, work.tables, work.messages, work.others
    which, arity, strides, ups = work.which, tree.arity, tree.down_stride, work.ups
    value, power = 1.0, 0.0
    for c in range(parent.shape[0] - 1, -1, -1):
        at, maximal = table[c], tree.maximal[c]
        if not work.shared[c]:
            v, p = total(tables, at, cells[c], maximal)
            value, power = times(value, power, v, p)
            continue
        gather(messages, ups, at, tables, at, cells[c], maximal)
        above, to = parent[c], table[parent[c]]
        others[0] = work.base[c]
        n = spread(first[above], free[above], which, arity, strides, down[c], others, ZERO)
        for j in range(n):
            k = others[j]
            tables[to + j, 0], tables[to + j, 1] = times(
                tables[to + j, 0], tables[to + j, 1], messages[k, 0], messages[k, 1]
            )
    return value, power


@inner
def outward(tree, work):
    """Sweep from the roots; each table becomes proportional to its joint distribution given the row."""
    parent, first, table, down = tree.parent, tree.first, tree.table, tree.down
    free, cells, tables, sums, others = work.free, work.cells, work.tables, work.sums, work.others
    which, arity, strides, ups = work.which, tree.arity, tree.down_stride, work.ups
    for c in range(parent.shape[0]):
        if work.shared[c]:
            above, at = parent[c], table[c]
            others[0] = work.base[c]
            n = spread(first[above], free[above], which, arity, strides, down[c], others, ZERO)
            gather(sums, others, ZERO, tables, table[above], n, tree.maximal[c])
            for j in range(at, at + cells[c]):
                if tables[j, 0] > 0.0:
                    k = ups[j]
                    v, p = times(tables[j, 0], tables[j, 1], sums[k, 0], sums[k, 1])
                    message, q = work.messages[k, 0], work.messages[k, 1]
                    tables[j, 0], tables[j, 1] = times(v, p, 1.0 / message, -q)


@compiled
def sweep(tree, work, potentials, row, both):
    """Sweep inward and, for `both`, outward; return the logarithm of the probability of the row, -inf for 0.

    The table of a clique is then in `work.tables`, from `tree.table` of the clique on.
    """
    value, power = inward(tree, work, potentials, row)
    if both and value > 0.0:
        outward(tree, work)
    return np.log(value) + LOG_UNIT * power if value > 0.0 else -np.inf


@compiled
def log_probabilities(tree, work, potentials, rows, found):
    """Fill in the log-probability of the observed values of each row, shape (rows,)."""
    for r in range(rows.shape[0]):
        value, power = inward(tree, work, potentials, rows[r])
        found[r] = np.log(value) + LOG_UNIT * power if value > 0.0 else -np.inf


@compiled
def add_expected(tree, work, potentials, rows, weights, totals):
    """Add the weighted joint distributions of all cliques given each row to `totals`; return the log-likelihood."""
    log_likelihood, tables, places = 0.0, work.tables, work.places
    for r in range(rows.shape[0]):
        value, power = inward(tree, work, potentials, rows[r])
        if value == 0.0:
            return -np.inf
        log_likelihood += weights[r] * (np.log(value) + LOG_UNIT * power)
        outward(tree, work)
        for c in range(tree.parent.shape[0]):
            at, n = tree.table[c], work.cells[c]
            value, power = total(tables, at, n, NO)
            for j in range(at, at + n):
                totals[places[j]] += weights[r] * ratio(tables[j, 0], tables[j, 1], value, power)
    return log_likelihood


@compiled
def marginals(tree, work, potentials, rows, where, found, logs):
    """Fill in distributions of some nodes given each row, shape (rows, states of all these nodes); NaN if impossible.

    `where` has a line for each of these nodes: its place in `tree.node`, and the clique there. `logs` are the
    log-probabilities of the rows.
    """
    for r in range(rows.shape[0]):
        row, at = rows[r], 0
        value, power = inward(tree, work, potentials, row)
        logs[r] = np.log(value) + LOG_UNIT * power if value > 0.0 else -np.inf
        if value > 0.0:
            outward(tree, work)
        for t in range(where.shape[0]):
            k, c = where[t, 0], where[t, 1]
            out = found[r, at : at + tree.arity[k]]
            at += out.shape[0]
            out[:] = 0.0 if value > 0.0 else np.nan
            if value > 0.0:
                if row[tree.node[k]] < tree.arity[k]:
                    out[row[tree.node[k]]] = 1.0
                else:
                    add_shares(tree, work, c, k, out)


@inner
def add_shares(tree, work, c, k, out):
    """Add the share of each cell of a clique to the state that a node has there; `k` is the place in `tree.node`."""
    tables, places = work.tables, work.places
    at, n, arity, stride = tree.table[c], work.cells[c], tree.arity[k], tree.stride[k]
    value, power = total(tables, at, n, NO)
    for j in range(at, at + n):
        out[(places[j] - at) // stride % arity] += ratio(tables[j, 0], tables[j, 1], value, power)


@inner
def chosen(tree, work, c, row, number):
    """Place of a cell that agrees with the values filled in so far: the first greatest, or drawn by a random number."""
    tables, ups = work.tables, work.ups
    at, shared, place = tree.table[c], work.shared[c] > 0, tree.message[c]
    end = at + work.cells[c]
    for k in range(tree.first[c], tree.first[c + 1] if shared else 0):
        if tree.up_stride[k]:
            place += row[tree.node[k]] * tree.up_stride[k]
    value, power, best = 0.0, LOWEST, at
    for j in range(at, end):
        if not shared or ups[j] == place:
            v, p = tables[j, 0], tables[j, 1]
            if p > power or (p == power and v > value):
                value, power, best = v, p, j
    if tree.maximal[c]:
        return work.places[best] - at
    whole = 0.0
    for j in range(at, end):
        if not shared or ups[j] == place:
            whole += ratio(tables[j, 0], tables[j, 1], value, power)
    drawn, whole = number * whole, 0.0
    for j in range(at, end):
        if tables[j, 0] > 0.0 and (not shared or ups[j] == place):
            best = j
            whole += ratio(tables[j, 0], tables[j, 1], value, power)
            if whole > drawn:
                break
    return work.places[best] - at


@compiled
def complete(tree, work, potentials, rows, numbers, filled):
    """Fill in the missing values of each row several times, from the root cliques on.

    In maximal cliques they are the most probable values. In the others `numbers` in [0, 1), shape (times, cliques,
    rows), select them. `filled` has the shape (times, rows, n).
    """
    for r in range(rows.shape[0]):
        inward(tree, work, potentials, rows[r])
        for t in range(filled.shape[0]):
            row = filled[t, r]
            for v in range(row.shape[0]):  # an assignment of arrays takes two seconds to compile
                row[v] = rows[r, v]
            for c in range(tree.parent.shape[0]):
                if work.free[c]:
                    place = chosen(tree, work, c, row, numbers[t, c, r])
                    first = tree.first[c]
                    for f in range(first, first + work.free[c]):
                        k = first + work.which[f]
                        row[tree.node[k]] = place // tree.stride[k] % tree.arity[k]
