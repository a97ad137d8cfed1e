"""Grow-shrink trees, compiled: walks through the trees of all variables, which stop at sets that are not scored yet."""

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
# Of a type, as all numbers here: from plain ones numba would compile every walk again for each of their values.
NOWHERE, ZERO = np.int64(-1), np.int64(0)
FAMILIES, BRANCHES = 0, 1
NEW_A_WALK = 4
"""Families that one walk may enter; those with the required parents alone are 0 to n - 1."""

Numbers = NDArray[np.int32]


class Trees(NamedTuple):
    """Trees of all variables: their nodes are families, by numbers."""

    rows: NDArray[np.uint64]  # (families, words + 1) parents of each family as bits and, last, the child plus one
    keys: NDArray[np.uint64]  # (slots, words + 1) table in which `find` looks up the number of a row
    numbers: Floats  # (slots,) numbers of the rows in that table
    scores: Floats  # (families,) in units
    begins: Integers  # (families,) branches of each family; `UNKNOWN` or `REQUESTED` where it is not scored
    ends: Integers  # (families,)
    nodes: Numbers  # (branches,) what each branch adds or removes
    after: Numbers  # (branches,) family to which each leads; `UNKNOWN` until it is walked
    used: Integers  # (2,) number of families and of branches
    pairs: Numbers  # (n, pairs, 2) pairs of parents to start from, best first; `UNKNOWN` where there are no more
    starts: Numbers  # (n, pairs) their families


@inner
def toggled_family(trees, f, u):
    """Family f with u added to the parents or removed; it is entered where it is new."""
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
    """Family at the end of a walk from f, or the first one not scored; each node is put in `asked` that it asks for."""
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
    """Enter a family in the list of those to be scored, unless it is scored or there."""
    if trees.begins[f] == UNKNOWN:
        trees.begins[f] = REQUESTED
        missing[n_missing] = f
        n_missing += 1
    return n_missing


@inner
def best(trees, v, place, before, guest, asked, missing, n_missing):
    """Family of v for the nodes at places up to `before`, and `guest`; of two walks the one with the greater score.

    `asked`, bits of nodes, is filled with those whose place matters.
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
    """Score of an order with v at each place, in units; the number of families that must be scored first, 0 when done.

    `missing` is filled with those families, and `scores`, of shape (n,), with the scores. `found` and `asked` are what
    `families` found for the order: where v does not matter to a node, its family remains.
    """
    n = order.shape[0]
    place = np.empty(n, dtype=np.int64)
    spare = np.empty((2, asked.shape[1]), dtype=np.uint64)
    own, other = spare[0], spare[1]  # unpacked, they are of another layout, for which all is compiled again
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
    """Fill in the family of each node in an order; the number of families that must be scored first.

    ``asked[w]``, bits of nodes, is filled with those whose place matters to w: it has the same family whether any of
    the others stands before it or not.
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

    The place of the child is for the family itself. Scores are in units, `rows` those of `Trees`, and `edges` those of
    `bnlab.learners.boss.trees.TreeRules`. The nodes are divided into so many `parts`, of which this one is scored: the
    first scores the family itself.
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
        removed = added = ZERO  # each part has about equally many of both, for their costs differ
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
    """Enter scores and branches of families: what gains more than `margin`, best first, of equal ones the first.

    `missing` has the numbers of the families, and `values` what `score_families` found.
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
