"""Sweeps through a tree of cliques, row by row, over the cells that agree with the observed values of the row.

A clique of ten binary nodes, two of which are missing in a row, has 4 such cells of 1024. Two cliques without a common
missing node need no message.

Three arrays hold the tree, parents before children. `cliques` and `nodes` have the columns named below, some of which
the sweeps fill in for each row; `down` holds the strides of the nodes of a parent in the message of each child. The
other six are work arrays for the cells of a row; the part of a clique begins where its table does. `places`, `ups` and
`others` are the places of the cells in the table, in the message to the parent and, for one clique at a time, in the
message from a child. `values` are the values of the cells; `messages` and `sums` the messages inward and outward.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import njit

# Columns of `cliques`. For the tree: parent or -1, start of table and message, first and last node, start of the nodes
# of the parent in `down`. For a row: number of missing nodes, number of these that the parent has too, number of cells,
# and the place in the message if all missing nodes have state 0.
PARENT, TABLE, FIRST, LAST, DOWN, FREE, SHARED, CELLS, BASE = range(9)
# Columns of `nodes`. For the tree: node of the clique, its arity, its stride in the table and in the message (0 if the
# parent lacks the node). For a row: positions of the missing nodes among the nodes of the clique.
NODE, ARITY, STRIDE, UP, WHICH = range(5)

_inlined = njit(no_cpython_wrapper=True, forceinline=True)


@_inlined
def _spread(cliques, nodes, c, strides, begin, base, found, at):
    """Write the place of each cell of a clique in a table, the last node fastest; return the number of cells."""
    found[at] = base
    n, first = 1, cliques[c, FIRST]
    for f in range(first + cliques[c, FREE] - 1, first - 1, -1):
        k = nodes[f, WHICH]
        stride, end = strides[begin + k], n * nodes[first + k, ARITY]
        for j in range(n, end):
            found[at + j] = found[at + j - n] + stride
        n = end
    return n


@_inlined
def _begin(cliques, nodes, strides, up, c, row, potentials, places, ups, values):
    """Find the cells of a clique and their potentials."""
    first, at = cliques[c, FIRST], cliques[c, TABLE]
    place, base, free, shared = 0, 0, 0, 0
    for k in range(first, cliques[c, LAST]):
        state = row[nodes[k, NODE]]
        if state < nodes[k, ARITY]:
            place += state * nodes[k, STRIDE]
            base += state * nodes[k, UP]
        else:
            nodes[first + free, WHICH] = k - first
            free += 1
            shared += nodes[k, UP] > 0
    cliques[c, FREE], cliques[c, SHARED], cliques[c, BASE] = free, shared, base
    n = cliques[c, CELLS] = _spread(cliques, nodes, c, strides, first, place, places, at)
    if shared:
        _spread(cliques, nodes, c, up, first, base, ups, at)
    for j in range(at, at + n):
        values[j] = potentials[at + places[j]]


@_inlined
def _inward(cliques, nodes, down, row, potentials, most, places, ups, others, values, messages):
    """Sweep to the roots by sums, or with `most` by maxima; return the logarithm of the result, -inf if impossible."""
    strides, up = nodes[:, STRIDE], nodes[:, UP]
    for c in range(len(cliques)):
        _begin(cliques, nodes, strides, up, c, row, potentials, places, ups, values)
    log = 0.0
    for c in range(len(cliques) - 1, -1, -1):
        begin, above = cliques[c, TABLE], cliques[c, PARENT]
        end = begin + cliques[c, CELLS]
        total = 0.0
        for j in range(begin, end):
            total = max(total, values[j]) if most else total + values[j]
        if not total > 0:
            return -np.inf
        log += np.log(total)
        for j in range(begin, end):
            values[j] /= total
        if cliques[c, SHARED]:
            for j in range(begin, end):
                messages[begin + ups[j]] = 0.0
            for j in range(begin, end):
                value = messages[begin + ups[j]]
                messages[begin + ups[j]] = max(value, values[j]) if most else value + values[j]
            n = _spread(cliques, nodes, above, down, cliques[c, DOWN], cliques[c, BASE], others, 0)
            for j in range(n):
                values[cliques[above, TABLE] + j] *= messages[begin + others[j]]
    return log


@_inlined
def _outward(cliques, nodes, down, ups, others, values, messages, sums):
    """Sweep from the roots; the values of each clique become its joint distribution given the row."""
    for c in range(len(cliques)):
        if cliques[c, SHARED]:
            begin, above = cliques[c, TABLE], cliques[c, PARENT]
            end = begin + cliques[c, CELLS]
            n = _spread(cliques, nodes, above, down, cliques[c, DOWN], cliques[c, BASE], others, 0)
            for j in range(n):
                sums[begin + others[j]] = 0.0
            for j in range(n):
                sums[begin + others[j]] += values[cliques[above, TABLE] + j]
            total = 0.0
            for j in range(begin, end):
                if values[j] > 0:
                    values[j] *= sums[begin + ups[j]] / messages[begin + ups[j]]
                total += values[j]
            for j in range(begin, end):
                values[j] /= total


@_inlined
def _chosen(cliques, nodes, c, row, number, most, places, ups, values):
    """Place of a cell that agrees with the values filled in so far: the first greatest, or drawn by a random number."""
    begin, shared, place = cliques[c, TABLE], cliques[c, SHARED], 0
    end = begin + cliques[c, CELLS]
    for k in range(cliques[c, FIRST], cliques[c, LAST] if shared else 0):
        if nodes[k, UP]:
            place += row[nodes[k, NODE]] * nodes[k, UP]
    total, greatest, chosen = 0.0, -1.0, begin
    for j in range(begin, end):
        if not shared or ups[j] == place:
            total += values[j]
            if values[j] > greatest:
                greatest, chosen = values[j], j
    if not most:
        drawn, total = number * total, 0.0
        for j in range(begin, end):
            if values[j] > 0 and (not shared or ups[j] == place):
                total, chosen = total + values[j], j
                if total > drawn:
                    break
    return places[chosen]


@njit(error_model="numpy")
def log_probabilities(cliques, nodes, down, places, ups, others, values, messages, sums, potentials, rows, found):
    """Fill in the log-probability of the observed values of each row, shape (rows,)."""
    for r in range(len(rows)):
        found[r] = _inward(cliques, nodes, down, rows[r], potentials, False, places, ups, others, values, messages)


@njit(error_model="numpy")
def add_expected(cliques, nodes, down, places, ups, others, values, messages, sums, potentials, rows, weights, totals):
    """Add the weighted joint distributions of all cliques given each row to `totals`; return the log-likelihood."""
    log_likelihood = 0.0
    for r in range(len(rows)):
        log = _inward(cliques, nodes, down, rows[r], potentials, False, places, ups, others, values, messages)
        log_likelihood += weights[r] * log
        if log > -np.inf:
            _outward(cliques, nodes, down, ups, others, values, messages, sums)
            for c in range(len(cliques)):
                at = cliques[c, TABLE]
                for j in range(at, at + cliques[c, CELLS]):
                    totals[at + places[j]] += weights[r] * values[j]
    return log_likelihood


@njit(error_model="numpy")
def complete(
    cliques, nodes, down, places, ups, others, values, messages, sums, potentials, rows, numbers, most, filled
):
    """Fill in the missing values of each row, `times` times, from the root cliques on.

    With `most` they are the jointly most probable values. Otherwise `numbers` in [0, 1), shape (times, cliques, rows),
    select them. `filled` has the shape (times, rows, n).
    """
    for r in range(len(rows)):
        _inward(cliques, nodes, down, rows[r], potentials, most, places, ups, others, values, messages)
        for t in range(len(filled)):
            row = filled[t, r]
            row[:] = rows[r]
            for c in range(len(cliques)):
                if cliques[c, FREE]:
                    place = _chosen(cliques, nodes, c, row, numbers[t, c, r], most, places, ups, values)
                    first = cliques[c, FIRST]
                    for f in range(first, first + cliques[c, FREE]):
                        k = first + nodes[f, WHICH]
                        row[nodes[k, NODE]] = place // nodes[k, STRIDE] % nodes[k, ARITY]
