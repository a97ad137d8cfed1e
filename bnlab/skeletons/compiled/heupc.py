"""The PC algorithm of `bnlab.skeletons.heupc` as compiled loops."""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.citests.compiled.dependence import ask, first_combination, next_combination, separates


@njit()
def marginal(dep, strength):
    """Test every variable with all after it, given nothing; `strength` is filled on both sides."""
    n = strength.shape[0]
    nothing = np.empty(0, dtype=np.int64)
    for x in range(n):
        strength[x, x] = 0.0
        for y in range(x + 1, n):
            strength[x, y] = strength[y, x] = ask(dep, x, y, nothing, 0)


@njit()
def orders(dep, weakest_first, strongest_first, max_order):
    """Remove edges, one order after the other, and return what is left as a matrix of bool.

    The first edges, `weakest_first` of shape (edges, 2), are in the order in which they are tested. Row v of
    `strongest_first` has all variables in the order in which they come into a set that separates a neighbour of v.
    """
    n = dep.n
    joined, degree = np.zeros((n, n), dtype=np.bool_), np.zeros(n, dtype=np.int64)
    for x, y in weakest_first:
        joined[x, y] = joined[y, x] = True
        degree[x] += 1
        degree[y] += 1
    first, second = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    order = 0
    while order < max_order and max(degree) > order + 1:
        order += 1
        for x, y in weakest_first:
            if not joined[x, y]:
                continue
            a, b = (y, x) if degree[y] < degree[x] else (x, y)
            m_a = _others(joined, strongest_first, a, b, first)
            m_b = _others(joined, strongest_first, b, a, second)
            if _separated(dep, x, y, first[:m_a], order, first[:0]) or _separated(
                dep, x, y, second[:m_b], order, first[:m_a]
            ):
                joined[x, y] = joined[y, x] = False
                degree[x] -= 1
                degree[y] -= 1
    return joined


@inner
def _others(joined, strongest_first, a, b, others):
    m = 0
    for v in strongest_first[a]:
        if joined[a, v] and v != b:
            others[m] = v
            m += 1
    return m


@inner
def _separated(dep, x, y, others, order, tried):
    """Whether some set of `others` separates x and y, of those that are not within `tried`."""
    m = others.shape[0]
    if m < order:
        return False
    z = np.empty(order, dtype=np.int64)
    chosen = np.empty(order, dtype=np.int64)
    more = first_combination(chosen, order)
    while more:
        new = False
        for i in range(order):
            z[i] = others[chosen[i]]
            new = new or not _holds(tried, z[i])
        if new and separates(dep, x, y, z, order):
            return True
        more = next_combination(chosen, order, m)
    return False


@inner
def _holds(members, v):
    for member in members:  # noqa: SIM110 - any() of a generator is slower to compile
        if member == v:
            return True
    return False
