"""Grow-shrink trees: the parents of a variable among the variables before it in an order.

A node of the tree of a variable is a set of parents. Its branches are the parents that improve the score when they are
added or removed, best first. A walk follows the first branch whose parent is before the variable in the order, until
there is none. A family without a score ends a walk; the caller scores it and starts again.

References
----------
B. Andrews, J. Ramsey, R. Sanchez Romero, J. Camchong, E. Kummerfeld. Fast scalable and accurate discovery of DAGs
using the best order score search and grow-shrink trees. NeurIPS 2023.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.climb import has
from bnlab.engine.compiled import NOBODY, ZERO, compiled, inner

UNKNOWN, REQUESTED = np.int64(-1), np.int64(-2)
FAMILIES, BRANCHES = 0, 1
MARGIN = 1.0  # least gain of a branch, in units, so that the scores of a walk increase despite rounding
NEW_A_WALK = 4  # most new families of one walk: two lead to a pair, and two walks end in others


class Trees(NamedTuple):
    """Trees of all variables. Families 0 to n - 1 have no parents."""

    sets: np.ndarray  # (families, words + 1) uint64: parents as bits, then the child plus one
    slots: np.ndarray  # (slots,) number of a family plus one, by its hash; 0 for none
    scores: np.ndarray  # (families,) in units
    begins: np.ndarray  # (families,) first branch; `UNKNOWN` or `REQUESTED` where it has no score
    ends: np.ndarray  # (families,) end of the branches
    nodes: np.ndarray  # (branches,) node that each branch adds or removes
    after: np.ndarray  # (branches,) family that it leads to; `UNKNOWN` until a walk follows it
    used: np.ndarray  # (2,) numbers of families and branches
    pairs: np.ndarray  # (n, most, 2) pairs of parents from which walks also begin, best first, then `UNKNOWN`
    starts: np.ndarray  # (n, most) their families


class Order(NamedTuple):
    """An order, and the family of each node in it."""

    nodes: np.ndarray  # (n,)
    found: np.ndarray  # (n,) numbers of the families
    asked: np.ndarray  # (n, words) nodes whose place affects each family, as bits


@inner
def put(bits, v):
    """Add v to a set."""
    bits[v >> 6] |= np.uint64(1) << np.uint64(v & 63)


@compiled
def enter(sets, slots, f):
    """Number of the family whose set is in row f: that of an equal one entered before, else f, which is entered."""
    words = sets.shape[1]
    mix = np.uint64(0)
    for w in range(words):
        mix = (mix ^ sets[f, w]) * np.uint64(0x9E3779B97F4A7C15)
        mix ^= mix >> np.uint64(29)
    slot = np.int64(mix & np.uint64(slots.shape[0] - 1))
    while slots[slot]:
        other, same = slots[slot] - 1, True
        for w in range(words):
            same &= sets[other, w] == sets[f, w]
        if same:
            return other
        slot = (slot + 1) & (slots.shape[0] - 1)
    slots[slot] = f + 1
    return f


@inner
def toggled_family(trees, f, u):
    """Family f with u added to the parents or removed."""
    new = trees.used[FAMILIES]
    for w in range(trees.sets.shape[1]):
        trees.sets[new, w] = trees.sets[f, w]
    trees.sets[new, u >> 6] ^= np.uint64(1) << np.uint64(u & 63)
    found = enter(trees.sets, trees.slots, new)
    if found == new:
        trees.begins[new] = UNKNOWN
        trees.used[FAMILIES] += 1
    return found


@inner
def walk(trees, f, place, before, guest, asked, missing):
    """Family at the end of a walk from f among the nodes at places below `before` and `guest`.

    `asked` receives the nodes whose places are tested. A family without a score ends the walk: it is added to
    `missing`, whose first number is how many it has.
    """
    while trees.begins[f] >= 0:
        branch = -1
        for i in range(trees.begins[f], trees.ends[f]):
            u = trees.nodes[i]
            put(asked, u)
            if place[u] < before or u == guest:
                branch = i
                break
        if branch < 0:
            return f
        if trees.after[branch] < 0:
            trees.after[branch] = toggled_family(trees, f, trees.nodes[branch])
        f = np.int64(trees.after[branch])
    if trees.begins[f] == UNKNOWN:
        trees.begins[f] = REQUESTED
        missing[0] += 1
        missing[missing[0]] = f
    return f


@inner
def best_family(trees, v, place, before, guest, asked, missing):
    """The better result of a walk from no parents and one from the best pair that is possible."""
    for w in range(asked.shape[0]):
        asked[w] = 0
    f = walk(trees, v, place, before, guest, asked, missing)
    for i in range(trees.pairs.shape[1]):
        u, w = trees.pairs[v, i]
        if u < 0:
            break
        put(asked, u)
        put(asked, w)
        if (place[u] < before or u == guest) and (place[w] < before or w == guest):
            if trees.starts[v, i] < 0:
                trees.starts[v, i] = toggled_family(trees, toggled_family(trees, v, u), w)
            g = walk(trees, np.int64(trees.starts[v, i]), place, before, guest, asked, missing)
            if trees.begins[f] >= 0 and trees.begins[g] >= 0 and trees.scores[g] > trees.scores[f]:
                return g
            break
    return f


@compiled
def find_families(trees, order, begin, end, missing):
    """Find the family of each node at places `begin` to `end` - 1 of an order, if it has a score; see `walk`."""
    n = order.nodes.shape[0]
    place = np.empty(n, dtype=np.int64)
    missing[0] = 0
    for k in range(n):
        place[order.nodes[k]] = k
    for k in range(begin, end):
        w = order.nodes[k]
        order.found[w] = best_family(trees, w, place, k, NOBODY, order.asked[w], missing)


@compiled
def scores_by_place(trees, order, v, missing, scores):
    """Score of an order with v at each place, in units, as far as the families have scores; see `walk`."""
    n = order.nodes.shape[0]
    place, spare = np.empty(n, dtype=np.int64), np.empty((2, order.asked.shape[1]), dtype=np.uint64)
    own, other = spare[0], spare[1]
    missing[0] = 0
    k = 0
    for w in order.nodes:
        if w != v:
            place[w] = k
            k += 1
    place[v] = n
    above = below = 0.0
    k = ZERO
    f = best_family(trees, v, place, ZERO, NOBODY, own, missing)
    for i in range(n):
        scores[i] = 0.0
    for w in order.nodes:
        if w == v:
            continue
        scores[k] += above + trees.scores[f]
        without = among = order.found[w]
        if has(order.asked[w], v):
            without = best_family(trees, w, place, k, NOBODY, other, missing)
            among = best_family(trees, w, place, k, v, other, missing)
        above += trees.scores[without]
        below += trees.scores[among]
        k += 1
        scores[k] -= below
        if has(own, w) or trees.begins[f] < 0:
            f = best_family(trees, v, place, k, NOBODY, own, missing)
    scores[n - 1] += above + trees.scores[f]
    for i in range(n):
        scores[i] += below


@compiled
def grow(trees, f, values, unit):
    """Enter the score of a family and its branches: changes that gain more than `MARGIN`, best first."""
    v = np.int64(trees.sets[f, trees.sets.shape[1] - 1]) - 1
    own, begin = np.rint(values[v] / unit), trees.used[BRANCHES]
    end = begin
    kept = np.empty(values.shape[0])
    for u in range(values.shape[0]):
        value = np.rint(values[u] / unit)
        if u == v or not value > own + MARGIN:
            continue
        i = end
        while i > begin and kept[i - begin - 1] < value:
            trees.nodes[i], kept[i - begin] = trees.nodes[i - 1], kept[i - begin - 1]
            i -= 1
        trees.nodes[i], kept[i - begin] = u, value
        trees.after[end] = UNKNOWN
        end += 1
    trees.scores[f], trees.begins[f], trees.ends[f] = own, begin, end
    trees.used[BRANCHES] = end
