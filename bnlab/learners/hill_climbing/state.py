"""State of a hill climbing search, and the rules of its moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from bnlab.learners.types import LocalScoreFunction, Mask, ParentTuples

Moves: TypeAlias = list[tuple[int, float]]
"""Moves by their numbers (see `moves.numbered`), each with the score of the graph after it."""


@dataclass(frozen=True)
class HillClimbingState:
    """State of a `HillClimbing` search.

    Attributes
    ----------
    parents : tuple of tuple of int
        Ascending parents of each variable now.
    score : float
        Sum of φ over the present graph.
    best_parents, best_score
        The best graph so far.
    recent : tuple of (int, int)
        Pairs of nodes of the last moves; the latest last.
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
    """What the moves of a search must obey.

    Attributes
    ----------
    phi : LocalScoreFunction
    n : int
        Number of variables.
    allowed : ndarray of bool, shape (n, n)
        Whether u -> v may be used.
    limit : int
        Maximum number of parents.
    tabu, patience : int
        As in `HillClimbing`; a patience of 0 ends a climb at the first graph that no move improves.
    """

    phi: LocalScoreFunction
    n: int
    allowed: Mask
    limit: int
    tabu: int = 0
    patience: int = 0


class Engine(Protocol):
    """Finds the moves of a search: `climb.Climb` for any φ, `compiled_climb.CompiledClimb` for scores of a table."""

    @property
    def unit(self) -> float:
        """Power of two whose multiples the gains are."""

    def score(self, parents: ParentTuples) -> float:
        """Score of a graph."""

    def next_moves(self, state: HillClimbingState) -> Moves:
        """One or more of the next moves of a search; none where the climb ends."""
