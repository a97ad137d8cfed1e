"""Moves of hill climbing: their numbers, which are possible, and the graph after one."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TypeAlias

import numpy as np

from bnlab.learners.types import Integers, Mask, ParentTuples, toggled

Move: TypeAlias = tuple[str, int, int]

KINDS = ("add", "delete", "reverse")


def numbered(number: int, n: int) -> Move:
    """Move of a number, which counts kinds, then u, then v.

    Examples
    --------
    >>> numbered(9 + 3 * 2 + 1, 3)
    ('delete', 2, 1)
    """
    kind, edge = divmod(number, n * n)
    return KINDS[kind], *divmod(edge, n)


def applied(parents: ParentTuples, move: Move) -> ParentTuples:
    """Graph after a move.

    Examples
    --------
    >>> applied(((), (0,), ()), ("reverse", 0, 1))
    ((1,), (), ())
    """
    kind, u, v = move
    families = list(parents)
    families[v] = toggled(families[v], u)
    if kind == "reverse":
        families[u] = toggled(families[u], v)
    return tuple(families)


def flat(parents: ParentTuples) -> tuple[Integers, Integers]:
    """All parents one after the other, and where those of each node begin; at last where they end."""
    begins = np.array([0, *accumulate(map(len, parents))])
    return np.fromiter(chain.from_iterable(parents), np.int64, begins[-1]), begins


def possible_moves(parents: Integers, begins: Integers, allowed: Mask, limit: int) -> Mask:
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
    from bnlab.learners.compiled.hill_climbing import ancestors

    n = len(allowed)
    room = np.diff(begins) < limit
    edge = np.zeros((n, n), dtype=np.bool_)
    edge[parents, np.repeat(np.arange(n), np.diff(begins))] = True
    above = ancestors(parents, begins)
    detour = above.T @ edge  # from u to v by another parent of v
    return np.stack([allowed & room & ~edge & ~above, edge, edge & allowed.T & room[:, None] & ~detour])
