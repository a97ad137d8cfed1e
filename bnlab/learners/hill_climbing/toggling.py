"""Moves of a greedy search in Python: what their numbers mean, and the graph after one."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TypeAlias

import numpy as np

from bnlab.learners.types import Integers, ParentTuples, toggled

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
