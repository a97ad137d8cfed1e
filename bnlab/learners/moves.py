"""Compiled loop over the moves of a greedy search: which edges may be added, deleted or turned, and what each gains."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from bnlab._jit import njit

ADD, DELETE, REVERSE = 0, 1, 2


@njit()
def move_gains(toggles, parents, begins, allowed, limit):
    """Gains of adding, deleting and reversing u -> v, shape (3, n, n), [kind, u, v]; -inf where a move is not possible.

    Parameters
    ----------
    toggles : ndarray of float64, shape (n, n)
        What the score of v gains at [v, u] when u becomes, or stops being, a parent.
    parents, begins : ndarray of int64
        Those of v are ``parents[begins[v]:begins[v + 1]]``.
    allowed : ndarray of bool, shape (n, n)
        Whether u -> v may be used.
    limit : int
        Greatest number of parents.
    """
    n = toggles.shape[0]
    gain = np.full((3, n, n), -np.inf)
    above = ancestors(parents, begins)
    is_parent = np.zeros(n, dtype=np.bool_)
    for v in range(n):
        family = parents[begins[v] : begins[v + 1]]
        if family.shape[0] < limit:
            is_parent[family] = True
            for u in range(n):
                if allowed[u, v] and not is_parent[u] and not above[u, v]:
                    gain[ADD, u, v] = toggles[v, u]
            is_parent[family] = False
        for u in family:
            gain[DELETE, u, v] = toggles[v, u]
            if not allowed[v, u] or begins[u + 1] - begins[u] >= limit:
                continue
            detour = False
            for p in family:
                detour |= above[p, u]
            if not detour:
                gain[REVERSE, u, v] = toggles[v, u] + toggles[u, v]
    return gain


@njit()
def ancestors(parents, begins):
    """Matrix of directed paths, [v, u] where one leads from u to v; false on the diagonal."""
    n = begins.shape[0] - 1
    above = np.zeros((n, n), dtype=np.bool_)
    placed = np.zeros(n, dtype=np.bool_)
    stack = np.empty(parents.shape[0] + n, dtype=np.int64)
    for start in range(n):
        stack[0] = start
        height = 1
        while height:
            v = stack[height - 1]
            waiting = False
            for p in parents[begins[v] : begins[v + 1]]:
                if not placed[p]:
                    stack[height] = p
                    height += 1
                    waiting = True
            if waiting:
                continue
            height -= 1
            if not placed[v]:
                placed[v] = True
                for p in parents[begins[v] : begins[v + 1]]:
                    above[v, p] = True
                    for u in range(n):
                        above[v, u] |= above[p, u]
    return above
