"""State of a hill climbing search, and its moves: their numbers, their rules, and the graph after a move."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple, TypeAlias

import numpy as np

from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.types import Integers, Mask, ParentTuples
from bnlab.scores.function import LocalScoreFunction, toggled

Move: TypeAlias = tuple[str, int, int]
Moves: TypeAlias = list[tuple[int, float]]
"""Numbers of moves (see `move_of`), each with the score of the graph after the move."""

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


class ClimbRules(NamedTuple):
    """Score, rules of edges and options that determine the moves of a search."""

    phi: LocalScoreFunction
    n: int  # number of variables
    edges: EdgeRules
    tabu: int = 0  # as in `HillClimbing`
    patience: int = 0  # as in `HillClimbing`; 0 ends a climb at the first graph that no move improves


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


def flat(parents: ParentTuples) -> tuple[Integers, Integers]:
    """Parents of all nodes in one array, and where those of each node begin, followed by the end."""
    begins = np.array([0, *accumulate(map(len, parents))])
    return np.fromiter(chain.from_iterable(parents), np.int64, begins[-1]), begins


def possible_moves(parents: Integers, begins: Integers, rules: EdgeRules) -> Mask:
    """Whether u -> v can be added, deleted and reversed: ndarray of bool, shape (3, n, n), [kind, u, v].

    Parameters
    ----------
    parents, begins : ndarray of int64
        The parents of v are ``parents[begins[v]:begins[v + 1]]``, as from `flat`.
    rules : EdgeRules
    """
    from bnlab.learners.compiled.hill_climbing import ancestors

    required, allowed, limits = rules
    n = len(allowed)
    room = np.diff(begins) < limits
    edge = np.zeros((n, n), dtype=np.bool_)
    edge[parents, np.repeat(np.arange(n), np.diff(begins))] = True
    bits = ancestors(parents, begins).astype("<u8", copy=False).view(np.uint8)
    above = np.unpackbits(bits, axis=1, count=n, bitorder="little").view(np.bool_)
    detour = above.T @ edge  # from u to v by another parent of v
    free = edge & ~required
    return np.stack([allowed & room & ~edge & ~above, free, free & allowed.T & room[:, None] & ~detour])
