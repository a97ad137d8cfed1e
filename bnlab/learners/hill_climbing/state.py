"""State of a hill climbing search, and its moves: their numbers, their rules, and the graph after a move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.types import Mask, ParentTuples
from bnlab.scores.function import toggled

Move: TypeAlias = tuple[str, int, int]

KINDS = ("add", "delete", "reverse")


@dataclass(frozen=True)
class HillClimbingState:
    """State of a `HillClimbing` search.

    Attributes
    ----------
    parents : tuple of tuple of int
        Ascending parents of each variable in the present graph.
    score : float
        Sum of φ over the present graph.
    best_parents, best_score
        The best graph so far.
    recent : tuple of (int, int)
        Pairs of nodes of the last moves, oldest first.
    stalled : int
        Moves since the best graph of this climb was found.
    climb_score : float
        Score of the best graph of this climb.
    iteration, restart : int
        Moves made, and climbs started after the first.
    done : bool
    """

    parents: ParentTuples
    score: float
    best_parents: ParentTuples
    best_score: float
    recent: tuple[tuple[int, int], ...] = ()
    stalled: int = 0
    climb_score: float = -np.inf
    iteration: int = 0
    restart: int = 0
    done: bool = False


def move_of(number: int, n: int) -> Move:
    """Move with a number; numbers are sorted by kind, then u, then v.

    Examples
    --------
    >>> move_of(9 + 3 * 2 + 1, 3)
    ('delete', 2, 1)
    """
    kind, edge = divmod(number, n * n)
    return KINDS[kind], *divmod(edge, n)


def after_move(parents: ParentTuples, move: Move) -> ParentTuples:
    """Graph after a move.

    Examples
    --------
    >>> after_move(((), (0,), ()), ("reverse", 0, 1))
    ((1,), (), ())
    """
    kind, u, v = move
    families = list(parents)
    families[v] = toggled(families[v], u)
    if kind == "reverse":
        families[u] = toggled(families[u], v)
    return tuple(families)


def possible_moves(parents: ParentTuples, rules: EdgeRules) -> Mask:
    """Whether u -> v can be added, deleted and reversed: ndarray of bool, shape (3, n, n), [kind, u, v]."""
    from bnlab.engine.climb import ancestors

    required, allowed, limits = rules
    n, sizes = len(allowed), np.array([len(family) for family in parents])
    edge, padded = np.zeros((n, n), dtype=np.bool_), np.zeros((n, sizes.max()), dtype=np.int32)
    for v, family in enumerate(parents):
        edge[list(family), v] = True
        padded[v, : len(family)] = family
    bits = np.zeros((n, (n + 63) // 64), dtype=np.uint64)
    ancestors(padded, sizes, bits)
    octets = bits.astype("<u8", copy=False).view(np.uint8)
    above = np.unpackbits(octets, axis=1, count=n, bitorder="little").view(np.bool_)
    detour = above.T @ edge  # from u to v by another parent of v
    room, free = sizes < limits, edge & ~required
    return np.stack([allowed & room & ~edge & ~above, free, free & allowed.T & room[:, None] & ~detour])
