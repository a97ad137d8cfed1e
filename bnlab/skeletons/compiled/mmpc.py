"""MMPC of every variable, as `bnlab.skeletons.mmpc` has it, in compiled loops."""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.citests.compiled.dependence import ask, first_combination, next_combination, separator_size, without


@njit()
def mmpc(dep, use_symmetry, max_order):
    """Neighbours found for each target, as a matrix of bool whose rows are the targets; `dep` is a `Handle`."""
    n = dep.n
    found = np.zeros((n, n), dtype=np.bool_)
    association, cpc = np.empty(n), np.empty(n, dtype=np.int64)
    for t in range(n):
        for x in range(n):
            left_out = x == t or (use_symmetry and x < t and not found[x, t])
            association[x] = 0.0 if left_out else ask(dep, t, x, cpc, 0)
        m = _grow(dep, t, association, cpc, max_order)
        m = _shrink(dep, t, cpc, m, max_order)
        for x in cpc[:m]:
            found[t, x] = True
    return found


@inner
def _grow(dep, t, association, cpc, max_order):
    """Fill `cpc`, and return how many it has; `association` is 0 or less where no further test is needed."""
    m = 0
    while True:
        newest = 0
        for x in range(1, association.shape[0]):
            if association[x] > association[newest]:
                newest = x
        if not association[newest] > 0:
            return m
        association[newest] = 0.0
        for x in range(association.shape[0]):
            if association[x] > 0:
                association[x] = _least(dep, t, x, newest, cpc[:m], max_order, association[x])
        cpc[m] = newest
        m += 1


@inner
def _least(dep, t, x, newest, older, max_order, least):
    """Least association given sets of older members with the newest one, or as before; 0 if one of them separates."""
    m = older.shape[0]
    z = np.empty(m + 1, dtype=np.int64)
    chosen = np.empty(m, dtype=np.int64)
    for size in range(min(m, max_order - 1) + 1):
        more = first_combination(chosen, size)
        while more:
            for i in range(size):
                z[i] = older[chosen[i]]
            z[size] = newest
            strength = ask(dep, t, x, z, size + 1)
            if strength == 0:
                return 0.0
            if 0 < strength < least:
                least = strength
            more = next_combination(chosen, size, m)
    return least


@inner
def _shrink(dep, t, cpc, m, max_order):
    """Remove what some subset of the others separates from the target; return how many are left."""
    others = np.empty(m, dtype=np.int64)
    at = 0
    while at < m:
        k = without(cpc[:m], cpc[at], others)
        if separator_size(dep, t, cpc[at], others[:k], max_order) >= 0:
            m = without(cpc[:m], cpc[at], cpc)
        else:
            at += 1
    return m
