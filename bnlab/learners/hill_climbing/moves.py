"""Moves of a greedy search: which edges may be added, deleted or turned, and which move gains the most."""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.jit import njit

if TYPE_CHECKING:
    from bnlab.learners.types import Integers

ADD, DELETE, REVERSE = 0, 1, 2


def possible_moves(parents: Integers, begins: Integers, allowed: NDArray[np.bool_], limit: int) -> NDArray[np.bool_]:
    """Whether u -> v can be added, deleted and reversed, ndarray of bool of shape (3, n, n), [kind, u, v].

    Parameters
    ----------
    parents, begins : ndarray of int64
        Those of v are ``parents[begins[v]:begins[v + 1]]``.
    allowed : ndarray of bool, shape (n, n)
        Whether u -> v may be used.
    limit : int
        Greatest number of parents.
    """
    n = len(allowed)
    room = np.diff(begins) < limit
    edge = np.zeros((n, n), dtype=np.bool_)
    edge[parents, np.repeat(np.arange(n), np.diff(begins))] = True
    above = ancestors(parents, begins)
    detour = above.T @ edge  # from u to v by another parent of v
    return np.stack([allowed & room & ~edge & ~above, edge, edge & allowed.T & room[:, None] & ~detour])


@njit()
def best_move(toggles, parents, begins, allowed, limit, tired, bar, floor):
    """Number of the possible move of greatest gain above a floor, the first of equal ones; -1 when there is none.

    Parameters
    ----------
    toggles : ndarray of float64, shape (n, n)
        What the score of v gains at [v, u] when u becomes, or stops being, a parent.
    parents, begins, allowed, limit
        As for `possible_moves`, in whose ravelled array the number of a move is its place.
    tired : ndarray of int64, shape (pairs, 2)
        Nodes between which only a gain beyond `bar` counts.
    bar, floor : float
    """
    n = toggles.shape[0]
    above = ancestors(parents, begins)
    is_parent, rests = np.zeros(n, dtype=np.bool_), np.zeros((n, n), dtype=np.bool_)
    for i in range(tired.shape[0]):
        rests[tired[i, 0], tired[i, 1]] = rests[tired[i, 1], tired[i, 0]] = True
    best = -1
    for v in range(n):
        for i in range(begins[v], begins[v + 1]):
            is_parent[parents[i]] = True
        room = begins[v + 1] - begins[v] < limit
        for u in range(n):
            for kind in range(ADD, DELETE) if not is_parent[u] else range(DELETE, REVERSE + 1):
                gain = toggles[v, u] + (toggles[u, v] if kind == REVERSE else 0.0)
                if gain < floor or not (gain > bar or not rests[u, v]):
                    continue
                number = (kind * n + u) * n + v
                if gain == floor and not number < best:
                    continue
                if kind == ADD and (not room or not allowed[u, v] or above[u, v]):
                    continue
                if kind == REVERSE:
                    possible = allowed[v, u] and begins[u + 1] - begins[u] < limit
                    for i in range(begins[v], begins[v + 1]):
                        possible = possible and not above[parents[i], u]
                    if not possible:
                        continue
                floor, best = gain, number
        for i in range(begins[v], begins[v + 1]):
            is_parent[parents[i]] = False
    return best


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
