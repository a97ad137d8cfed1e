"""HPC of every variable, as `bnlab.skeletons.hpc` has it, in compiled loops.

What it shares with OptHPC takes a graph from which it cuts links; HPC has none, and never reads the one that it gives.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.citests.compiled.dependence import ask, separates, separator_size, without
from bnlab.skeletons.compiled.opthpc import are_same, flags, shrink, strongest, with_room

JOINED, BY_NOTHING = -2, -1  # in place of the one variable that separates a pair


@njit()
def hpc(dep, max_order):
    """Neighbours found for each target, as a matrix of bool whose rows are the targets; `dep` is a `Handle`."""
    n = dep.n
    found, links = flags(n, n), flags(n, n)
    apart = np.empty(n, dtype=np.int64)
    pc = np.empty(n, dtype=np.int64)
    for t in range(n):
        pcs = _pc_superset(dep, t, apart)
        scope = _with_spouses(dep, t, pcs, apart)
        for v in pc[: _inter_iapc(dep, links, t, scope, max_order, pc)]:
            found[t, v] = True
        for x in pcs:
            if not found[t, x]:
                for v in pc[: _inter_iapc(dep, links, x, scope, max_order, pc)]:
                    if v == t:
                        found[t, x] = True
    return found


@inner
def _pc_superset(dep, t, apart):
    """Variables that stay joined to t, ascending; writes to `apart` what separates each of the others."""
    z = np.empty(1, dtype=np.int64)
    pcs = np.empty(dep.n, dtype=np.int64)
    m = 0
    for x in range(dep.n):
        apart[x] = JOINED
        if x != t:
            if ask(dep, t, x, z, 0) == 0:
                apart[x] = BY_NOTHING
            else:
                pcs[m] = x
                m += 1
    at = 0
    while at < m:
        x = pcs[at]
        for y in pcs[:m]:
            z[0] = y
            if y != x and separates(dep, t, x, z, 1):
                apart[x] = y
                break
        if apart[x] == JOINED:
            at += 1
        else:
            m = without(pcs[:m], x, pcs)
    return pcs[:m]


@inner
def _with_spouses(dep, t, pcs, apart):
    """Variables, ascending: t, `pcs`, and those that depend on t once some x of `pcs` is given as well."""
    inside = np.zeros(dep.n, dtype=np.bool_)
    inside[t] = True
    z = np.empty(2, dtype=np.int64)
    found = np.empty(dep.n, dtype=np.int64)
    for x in pcs:
        inside[x] = True
        m = 0
        for y in range(dep.n):
            if apart[y] != JOINED and apart[y] != x:
                k = 0
                if apart[y] != BY_NOTHING:
                    z[0] = apart[y]
                    k = 1
                z[k] = x
                if ask(dep, t, y, z, k + 1) > 0:
                    found[m] = y
                    m += 1
        z[0] = x
        at = 0
        while at < m:
            y = found[at]
            is_apart = False
            for other in found[:m]:
                z[1] = other
                if other != y and separates(dep, t, y, z, 2):
                    is_apart = True
                    break
            if is_apart:
                m = without(found[:m], y, found)
            else:
                at += 1
        for y in found[:m]:
            inside[y] = True
    return np.flatnonzero(inside)


@inner
def _inter_iapc(dep, links, t, scope, max_order, pc):
    """Write the parents and children of t within `scope` to `pc`, and return how many they are."""
    blanket = np.empty(scope.shape[0], dtype=np.int64)
    others = np.empty(scope.shape[0], dtype=np.int64)
    m = _blanket(dep, links, t, scope, blanket, others)
    size = 0
    for x in blanket[:m]:
        k = without(blanket[:m], x, others)
        if separator_size(dep, t, x, others[:k], max_order) < 0:
            pc[size] = x
            size += 1
    return size


@inner
def _blanket(dep, links, t, scope, blanket, others):
    seen = flags(4, dep.n)  # the blankets after each round, and the empty one before the first
    rounds = m = 0
    while True:
        best = strongest(dep, links, t, scope, seen[rounds], blanket[:m])
        if best >= 0:
            blanket[m] = best
            m += 1
        m = shrink(dep, links, t, blanket, m, others)
        rounds += 1
        if rounds == seen.shape[0]:
            seen = with_room(seen)
        for x in blanket[:m]:
            seen[rounds, x] = True
        for before in range(min(rounds - 1, 1), rounds):
            if are_same(seen[before], seen[rounds]):
                return m
