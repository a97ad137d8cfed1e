"""The network that Chen's search changes: sets of nodes as rows of bits.

Reachability is stored as the set of ancestors of every node. An added edge merges sets, and a removed edge rebuilds the
sets of the nodes below it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.engine.compiled import NOBODY, inner
from bnlab.engine.rows import popcount

Bits: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

# Places in `Instance.numbers`.
ITERATION, ACTIVE, COMPONENTS, RANDOM, BLOCKED = range(5)


class Instance(NamedTuple):
    """The present network (an instance in step 3), its scores, and the best network so far."""

    parents: Bits  # (n, words)
    neighbours: Bits  # (n, words)
    ancestors: Bits  # (n, words)
    local: Floats  # (n,) scores of the nodes
    numbers: Integers  # (5,)
    best: Floats  # (1,) greatest score so far
    best_parents: Bits  # (n, words)


@inner
def has(row, u):
    """Whether bit u of a row is set."""
    return (row[u >> 6] >> np.uint64(u & 63)) & np.uint64(1) != np.uint64(0)


@inner
def put(row, u):
    """Set bit u of a row."""
    row[u >> 6] |= np.uint64(1) << np.uint64(u & 63)


@inner
def drop(row, u):
    """Clear bit u of a row."""
    row[u >> 6] &= ~(np.uint64(1) << np.uint64(u & 63))


@inner
def disjoint(a, b):
    """Whether two rows share no bit."""
    shared = np.uint64(0)
    for w in range(a.shape[0]):
        shared |= a[w] & b[w]
    return shared == np.uint64(0)


@inner
def lowest(bits):
    """Position of the lowest set bit of a word."""
    return np.int64(popcount((bits & (~bits + np.uint64(1))) - np.uint64(1)))


@inner
def copy(source, target):
    """Copy sets."""
    for v in range(source.shape[0]):
        for w in range(source.shape[1]):
            target[v, w] = source[v, w]


@inner
def no_nodes(words):
    """Make an empty set without `np.zeros`, which takes twice as long to compile."""
    row = np.empty(words, dtype=np.uint64)
    for w in range(words):
        row[w] = np.uint64(0)
    return row


@inner
def clear(sets):
    """Empty all sets."""
    for v in range(sets.shape[0]):
        for w in range(sets.shape[1]):
            sets[v, w] = np.uint64(0)


@inner
def fits(net, i, h, max_parents):
    """Whether i -> h is a new edge that closes no cycle and gives h at most `max_parents` parents."""
    if has(net.parents[h], i) or has(net.ancestors[i], h):
        return False
    size = np.int64(0)
    for w in range(net.parents.shape[1]):
        size += np.int64(popcount(net.parents[h, w]))
    return size < max_parents


@inner
def link(net, u, v):
    """Add u -> v."""
    n, words = net.parents.shape
    put(net.parents[v], u)
    put(net.neighbours[u], v)
    put(net.neighbours[v], u)
    for x in range(n):
        if x == v or has(net.ancestors[x], v):
            for w in range(words):
                net.ancestors[x, w] |= net.ancestors[u, w]
            put(net.ancestors[x], u)


@inner
def unlink(net, u, v):
    """Remove u -> v."""
    n, words = net.parents.shape
    drop(net.parents[v], u)
    drop(net.neighbours[u], v)
    drop(net.neighbours[v], u)
    waiting = no_nodes(words)
    todo = np.empty(n, dtype=np.int64)
    left = 0
    for x in range(n):
        if x == v or has(net.ancestors[x], v):
            todo[left] = x
            left += 1
            put(waiting, x)
    while left > 0:
        k = 0
        while k < left:
            x = todo[k]
            if disjoint(net.parents[x], waiting):
                inherit(net, x)
                drop(waiting, x)
                left -= 1
                todo[k] = todo[left]
            else:
                k += 1


@inner
def inherit(net, x):
    """Build the ancestors of x from those of its parents."""
    words = net.parents.shape[1]
    for w in range(words):
        net.ancestors[x, w] = net.parents[x, w]
    for w in range(words):
        bits = net.parents[x, w]
        while bits != np.uint64(0):
            p = 64 * w + lowest(bits)
            bits &= bits - np.uint64(1)
            for y in range(words):
                net.ancestors[x, y] |= net.ancestors[p, y]


@inner
def component(neighbours, start, wanted, found):
    """Fill `found` with the nodes connected to `start` until `wanted` is among them; return whether it is."""
    words = neighbours.shape[1]
    stack = np.empty(neighbours.shape[0], dtype=np.int64)
    for w in range(words):
        found[w] = np.uint64(0)
    put(found, start)
    stack[0] = start
    height = 1
    while height > 0:
        height -= 1
        x = stack[height]
        for w in range(words):
            bits = neighbours[x, w] & ~found[w]
            found[w] |= bits
            while bits != np.uint64(0):
                stack[height] = 64 * w + lowest(bits)
                height += 1
                bits &= bits - np.uint64(1)
        if wanted >= 0 and has(found, wanted):
            return True
    return False


@inner
def count_components(neighbours):
    """Number of components of the skeleton."""
    n, words = neighbours.shape
    seen, found = no_nodes(words), no_nodes(words)
    number = 0
    for x in range(n):
        if not has(seen, x):
            number += 1
            component(neighbours, x, NOBODY, found)
            for w in range(words):
                seen[w] |= found[w]
    return number


@inner
def components_after(neighbours, components, i, h0, h1):
    """Number of components after i - h0 is removed and i - h1 added; h0 or h1 is i for no edge."""
    found = np.empty(neighbours.shape[1], dtype=np.uint64)
    splits = False
    # A common neighbour keeps the ends of the removed edge connected: no search is needed.
    if h0 != i and disjoint(neighbours[i], neighbours[h0]):
        drop(neighbours[i], h0)
        splits = not component(neighbours, i, h0, found)
        put(neighbours[i], h0)
    if h1 == i:
        return components + splits
    if splits:
        return components + has(found, h1)
    if components == 1:
        return 1
    return components - (not component(neighbours, i, h1, found))
