"""Grow-shrink trees, compiled: walks through the trees of all variables, which stop at sets without a score."""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.jit import inner, njit
from bnlab.learners.compiled.instance import has, put
from bnlab.learners.compiled.score_table import find
from bnlab.learners.types import Floats, Integers
from bnlab.scores.compiled.neighbours import score_neighbours

UNKNOWN, REQUESTED = -1, -2
# With a NumPy type, like all numbers here: numba compiles every walk again for each value of a Python integer.
NOWHERE, ZERO = np.int64(-1), np.int64(0)
FAMILIES, BRANCHES = 0, 1
NEW_A_WALK = 4
"""Maximum number of new families in one walk; families 0 to n - 1 have only the required parents."""

Numbers = NDArray[np.int32]


class Trees(NamedTuple):
    """Trees of all variables; their nodes are numbers of families."""

    rows: NDArray[np.uint64]  # (families, words + 1) parents of each family as bits, then the child plus one
    keys: NDArray[np.uint64]  # (slots, words + 1) hash table of rows for `find`
    numbers: Floats  # (slots,) numbers of the rows in the hash table
    scores: Floats  # (families,) in units
    begins: Integers  # (families,) first branch of each family; `UNKNOWN` or `REQUESTED` if it is not scored
    ends: Integers  # (families,) end of the branches
    nodes: Numbers  # (branches,) node that each branch adds or removes
    after: Numbers  # (branches,) family that each leads to; `UNKNOWN` until a walk follows it
    used: Integers  # (2,) number of families and of branches
    pairs: Numbers  # (n, pairs, 2) pairs of parents to start from, best first, then `UNKNOWN`
    starts: Numbers  # (n, pairs) their families


@inner
def toggled_family(trees, f, u):
    """Family f with u added to the parents or removed; a new family is entered."""
    words = trees.rows.shape[1] - 1
    new = trees.used[FAMILIES]
    for w in range(words + 1):
        trees.rows[new, w] = trees.rows[f, w]
    trees.rows[new, u >> 6] ^= np.uint64(1) << np.uint64(u & 63)
    slot = find(trees.keys, trees.rows[new, :words], np.int64(trees.rows[f, words]) - 1)
    if trees.keys[slot, words] != np.uint64(0):
        return np.int64(trees.numbers[slot])
    for w in range(words + 1):
        trees.keys[slot, w] = trees.rows[new, w]
    trees.numbers[slot] = new
    trees.begins[new] = UNKNOWN
    trees.used[FAMILIES] += 1
    return new


@inner
def walk(trees, f, place, before, guest, asked):
    """Family at the end of a walk from f, or the first without a score; `asked` receives the nodes that it tests."""
    while trees.begins[f] >= 0:
        branch = -1
        for i in range(trees.begins[f], trees.ends[f]):
            u = trees.nodes[i]
            put(asked, u)
            if place[u] < before or u == guest:
                branch = i
                break
        if branch < 0:
            break
        if trees.after[branch] < 0:
            trees.after[branch] = toggled_family(trees, f, trees.nodes[branch])
        f = np.int64(trees.after[branch])
    return f


@inner
def request(trees, f, missing, n_missing):
    """Add a family to the list of those to score, unless it is scored or in the list."""
    if trees.begins[f] == UNKNOWN:
        trees.begins[f] = REQUESTED
        missing[n_missing] = f
        n_missing += 1
    return n_missing


@inner
def best(trees, v, place, before, guest, asked, missing, n_missing):
    """Family of v among the nodes at places below `before` and `guest`: the better result of two walks.

    `asked` is filled with the nodes, as bits, whose place affects the result.
    """
    asked[:] = 0
    f = walk(trees, v, place, before, guest, asked)
    n_missing = request(trees, f, missing, n_missing)
    for i in range(trees.pairs.shape[1]):
        u, w = trees.pairs[v, i]
        if u == UNKNOWN:
            break
        put(asked, u)
        put(asked, w)
        if (place[u] < before or u == guest) and (place[w] < before or w == guest):
            if trees.starts[v, i] == UNKNOWN:
                trees.starts[v, i] = toggled_family(trees, toggled_family(trees, v, u), w)
            g = walk(trees, np.int64(trees.starts[v, i]), place, before, guest, asked)
            n_missing = request(trees, g, missing, n_missing)
            if trees.begins[f] >= 0 and trees.begins[g] >= 0 and trees.scores[g] > trees.scores[f]:
                f = g
            break
    return f, n_missing


@njit()
def scores_by_place(trees, order, v, found, asked, missing, scores):
    """Find the score of an order with v at each place, in units; return the number of families to score first.

    `missing` is filled with those families, and `scores`, of shape (n,), with the scores, which are final if none is
    missing. `found` and `asked` are the results of `families` for the order: a node that v does not affect keeps its
    family.
    """
    n = order.shape[0]
    place = np.empty(n, dtype=np.int64)
    spare = np.empty((2, asked.shape[1]), dtype=np.uint64)
    own, other = spare[0], spare[1]  # unpacked rows have another layout, for which numba compiles everything again
    k = n_missing = ZERO
    for w in order:
        if w != v:
            place[w] = k
            k += 1
    place[v] = n
    above = below = 0.0
    scores[:] = 0.0
    k = ZERO
    f, n_missing = best(trees, v, place, k, NOWHERE, own, missing, n_missing)
    for w in order:
        if w == v:
            continue
        scores[k] += above + trees.scores[f]
        without = among = found[w]
        if has(asked[w], v):
            without, n_missing = best(trees, w, place, k, NOWHERE, other, missing, n_missing)
            among, n_missing = best(trees, w, place, k, v, other, missing, n_missing)
        above += trees.scores[without]
        below += trees.scores[among]
        scores[k + 1] -= below
        k += 1
        if has(own, w) or trees.begins[f] < 0:
            f, n_missing = best(trees, v, place, k, NOWHERE, own, missing, n_missing)
    scores[n - 1] += above + trees.scores[f]
    scores += below
    return n_missing


@njit()
def families(trees, order, missing, found, asked):
    """Find the family of each node in an order, in `found`; return the number of families to score first.

    ``asked[w]`` is filled with the nodes, as bits, whose place affects w: the family of w does not depend on whether
    other nodes come before it.
    """
    place = np.empty(order.shape[0], dtype=np.int64)
    n_missing = ZERO
    for k in range(order.shape[0]):
        place[order[k]] = k
    for k in range(order.shape[0]):
        w = order[k]
        found[w], n_missing = best(trees, w, place, k, NOWHERE, asked[w], missing, n_missing)
    return n_missing


@njit()
def score_families(score, rows, edges, unit, part, parts, values):
    """Fill `values`, (families, n), with scores of families that differ by one parent, where that is allowed.

    The entry of the child is for the family itself. Scores are in units; `rows` are as in `Trees`, and `edges` as in
    `bnlab.learners.boss.trees.TreeRules`. The nodes are divided into `parts`, of which `part` is scored; part 0 also
    scores the family itself.
    """
    required, allowed, limits = edges
    n = allowed.shape[0]
    is_parent, wanted, found = np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.bool_), np.empty(n)
    for k in range(rows.shape[0]):
        v = np.int64(rows[k, rows.shape[1] - 1]) - 1
        size = 0
        for u in range(n):
            is_parent[u] = has(rows[k], u)
            size += is_parent[u]
        removed = added = ZERO  # both are divided equally among the parts, because their costs differ
        for u in range(n):
            wanted[u] = (is_parent[u] or (allowed[u, v] and size < limits[v])) and not required[u, v]
            if wanted[u] and is_parent[u]:
                wanted[u] = removed % parts == part
                removed += 1
            elif wanted[u]:
                wanted[u] = added % parts == part
                added += 1
        score_neighbours(score, v, is_parent, wanted, found)
        for u in range(n):
            if wanted[u] or (u == v and part == 0):
                values[k, u] = np.rint(found[u] / unit)


@njit()
def grow(trees, missing, values, margin):
    """Enter scores and branches of families: changes that gain more than `margin`, best first, equal ones by node.

    `missing` has the numbers of the families, and `values` the results of `score_families`.
    """
    words = trees.rows.shape[1] - 1
    for k in range(missing.shape[0]):
        f = missing[k]
        v = np.int64(trees.rows[f, words]) - 1
        begin = end = trees.used[BRANCHES]
        for u in range(values.shape[1]):
            if u == v or not values[k, u] > values[k, v] + margin:
                continue
            i = end
            while i > begin and values[k, trees.nodes[i - 1]] < values[k, u]:
                trees.nodes[i] = trees.nodes[i - 1]
                i -= 1
            trees.nodes[i] = u
            trees.after[end] = UNKNOWN
            end += 1
        trees.scores[f], trees.begins[f], trees.ends[f] = values[k, v], begin, end
        trees.used[BRANCHES] = end
