"""HPC* of every variable with one graph for all, as `bnlab.skeletons.opthpc` has it, in compiled loops.

The names of the functions, and their order, are those of that file. ``links[a, b]`` is true of a link a -> b.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.citests.compiled.dependence import ask, separates, separator_into, separator_size, without


@njit()
def opthpc(dep, zero_order_first, whole_blanket, max_order):
    """Neighbours found for each target, as a matrix of bool whose rows are the targets; `dep` is a `Handle`.

    With `whole_blanket` separators are sought in the whole Markov blanket (``sepset="mb"``).
    """
    n = dep.n
    links, found = flags(n, n), flags(n, n)
    for t in range(n):
        for x in range(n):
            links[t, x] = x != t
    if zero_order_first:
        for t in range(n):
            _test_marginally(dep, links, t)
    for t in range(n):
        _hpc(dep, links, t, whole_blanket, max_order, found[t])
    return found


@inner
def flags(rows, columns):
    """Matrix of False, without `np.zeros`, which takes twice as long to compile."""
    matrix = np.empty((rows, columns), dtype=np.bool_)
    for i in range(rows):
        for j in range(columns):
            matrix[i, j] = False
    return matrix


@inner
def _adjacent(links, t):
    """Nodes with a link from or to t, ascending."""
    n = links.shape[0]
    found = np.empty(n, dtype=np.int64)
    m = 0
    for v in range(n):
        if links[t, v] or links[v, t]:
            found[m] = v
            m += 1
    return found[:m]


@inner
def _joined(links, a, b):
    return links[a, b] | links[b, a]


@inner
def _cut(links, a, b):
    links[a, b] = links[b, a] = False


@inner
def _is_spouse_by(links, t, x, y):
    # Without branches, with which numba counts references to the matrix: half of all that a search counted.
    arrows = links[t, x] & (not links[x, t]) & links[y, x] & (not links[x, y])
    return arrows & (y != t) & (not (links[t, y] | links[y, t]))


@njit(inline="always")
def _hpc(dep, links, t, whole_blanket, max_order, found):
    _test_marginally(dep, links, t)
    for x in _adjacent(links, t):
        if _separated_by_one(dep, links, t, x):
            _cut(links, t, x)
    _de_sps(dep, links, t)
    pcs = _adjacent(links, t)
    inside = np.empty(links.shape[0], dtype=np.int64)
    pc = np.empty(links.shape[0], dtype=np.int64)
    size = 0
    for v in range(links.shape[0]):
        near = v == t or _joined(links, t, v)
        for x in pcs:
            near = near or _is_spouse_by(links, t, x, v)
        if near:
            inside[size] = v
            size += 1
    scope = inside[:size]
    for i in range(-1, pcs.shape[0]):  # from t, and from each neighbour that this does not find
        x = t if i < 0 else pcs[i]
        if i >= 0 and found[x]:
            continue
        for v in pc[: _inter_iapc(dep, links, x, scope, whole_blanket, max_order, pc)]:
            if i < 0:
                found[v] = True
            elif v == t:
                found[x] = True


@inner
def _test_marginally(dep, links, t):
    z = np.empty(0, dtype=np.int64)
    for x in _adjacent(links, t):
        if ask(dep, t, x, z, 0) == 0:
            _cut(links, t, x)


@njit(inline="always")
def _separated_by_one(dep, links, t, x):
    of_t, of_x = _adjacent(links, t), _adjacent(links, x)
    if of_t.shape[0] == 1 or of_x.shape[0] == 1:  # each other
        return False
    z = np.empty(1, dtype=np.int64)
    for turn in range(3):  # common neighbours, those of t alone, those of x alone
        for y in of_x if turn == 2 else of_t:
            common = _joined(links, t, y) and _joined(links, x, y)
            if y != t and y != x and common == (turn == 0):
                z[0] = y
                if separates(dep, t, x, z, 1):
                    return True
    return False


@njit(inline="always")
def _de_sps(dep, links, t):
    z = np.empty(links.shape[0], dtype=np.int64)
    known = np.empty(links.shape[0], dtype=np.bool_)
    for x in _adjacent(links, t):
        for y in range(links.shape[0]):
            known[y] = y == t or _joined(links, t, y) or _is_spouse_by(links, t, x, y)
        for y in _adjacent(links, x):
            if known[y]:
                continue
            k = separator_into(dep, t, y, z)
            if k == 1 and z[0] == x:
                continue
            z[k] = x
            if ask(dep, t, y, z, k + 1) > 0:
                links[t, x] = links[y, x] = True
                links[x, t] = links[x, y] = False
        _review_spouses(dep, links, t, x)


@njit(inline="always")
def _review_spouses(dep, links, t, x):
    z = np.empty(2, dtype=np.int64)
    for y in range(dep.n):
        if not _is_spouse_by(links, t, x, y):
            continue
        for other in range(dep.n):
            if other != y and _is_spouse_by(links, t, x, other):
                z[0], z[1] = x, other
                if separates(dep, t, y, z, 2):
                    links[x, y] = True
                    break


@njit(inline="always")
def _inter_iapc(dep, links, t, scope, whole_blanket, max_order, pc):
    """Write the parents and children of t within `scope` to `pc`, and return how many they are."""
    blanket = np.empty(scope.shape[0], dtype=np.int64)
    others = np.empty(scope.shape[0], dtype=np.int64)
    m = size = _blanket(dep, links, t, scope, blanket, others)
    for i in range(m):
        pc[i] = blanket[i]
    if m < 2:
        return m
    for x in blanket[:m]:
        k = without(blanket[:m] if whole_blanket else pc[:size], x, others)
        order = separator_size(dep, t, x, others[:k], max_order)
        if order >= 0:
            size = without(pc[:size], x, pc)
            if order < 2:
                _cut(links, t, x)
    return size


@njit(inline="always")
def _blanket(dep, links, t, scope, blanket, others):
    n = links.shape[0]
    seen = flags(4, n)  # the blankets after each round, and the empty one before the first
    rounds = m = 0
    while True:
        best = strongest(dep, links, t, scope, seen[rounds], blanket[:m])
        if best < 0:
            return m
        blanket[m] = best
        m = shrink(dep, links, t, blanket, m + 1, others)
        rounds += 1
        if rounds == seen.shape[0]:
            seen = with_room(seen)
        for x in blanket[:m]:
            seen[rounds, x] = True
        for before in range(min(rounds - 1, 1), rounds):
            if are_same(seen[before], seen[rounds]):
                return m


@inner
def with_room(rows):
    """Copy with twice as many rows, the new ones False."""
    more = flags(2 * rows.shape[0], rows.shape[1])
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            more[i, j] = rows[i, j]
    return more


@inner
def are_same(a, b):
    """Whether two arrays of one length are equal."""
    for i in range(a.shape[0]):  # noqa: SIM110 - all() of a generator is slower to compile
        if a[i] != b[i]:
            return False
    return True


@inner
def strongest(dep, links, t, scope, blanket, given):
    """Variable of `scope` outside the blanket that depends most on t, -1 if none does; cuts what is independent."""
    best, greatest = -1, 0.0
    k = given.shape[0]
    for x in scope:
        if x == t or blanket[x]:
            continue
        strength = ask(dep, t, x, given, k)
        if strength > greatest:
            best, greatest = x, strength
        if strength == 0 and k < 2:
            _cut(links, t, x)
    return best


@inner
def shrink(dep, links, t, blanket, m, others):
    """Remove from the m variables of `blanket` what the others separate from t, and return how many are left."""
    at = 0
    while at < m:
        x = blanket[at]
        k = without(blanket[:m], x, others)
        if separates(dep, t, x, others, k):
            m = without(blanket[:m], x, blanket)
            if k < 2:
                _cut(links, t, x)
        else:
            at += 1
    return m
