"""The move that a hill climbing search makes next, for any local scores: they are asked for, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab.learners.hill_climbing.toggling import applied, flat, numbered, toggled
from bnlab.learners.types import (
    Family,
    Floats,
    LocalScoreFunction,
    Mask,
    ParentTuples,
    evaluate,
    rounding_unit,
    scores_alone,
)

if TYPE_CHECKING:
    from bnlab.learners.hill_climbing.search import HillClimbingState

MAX_GAINS = 1 << 22
"""Gains of single edges that are kept; all are forgotten when there are more."""


class StepwiseClimb:
    """What each move from a graph gains.

    Parameters
    ----------
    phi : LocalScoreFunction
        As for `HillClimbing`.
    n : int
        Number of variables.
    allowed : ndarray of bool, shape (n, n)
        Whether u -> v may be used.
    limit : int
        Greatest number of parents.
    """

    def __init__(self, phi: LocalScoreFunction, n: int, allowed: Mask, limit: int) -> None:
        self._phi, self._n, self._allowed, self._limit = phi, n, allowed, limit
        self._gains: dict[Family, tuple[float, Floats]] = {}
        # The graph that was looked at last, for the next step begins with it.
        self._latest: tuple[ParentTuples, list[tuple[float, Floats]]] = ((), [])

    @cached_property
    def unit(self) -> float:
        """Gains are whole multiples of this power of two."""
        return rounding_unit(scores_alone(self._phi, self._n))

    def score(self, parents: ParentTuples) -> float:
        """Score of a graph."""
        return fsum(score for score, _ in self._toggles(parents))

    def ahead(self, state: HillClimbingState, tabu: int, patience: int) -> list[tuple[int, float]]:
        """Next move of a search by its number, with the score of the graph after it; none where the climb ends."""
        from bnlab.learners.hill_climbing.moves import best_move

        bar = state.best_score - state.score + self.unit / 2
        tired = np.array(state.recent, dtype=np.int64).reshape(-1, 2)
        floor = 0.0 if state.stalled >= patience else -np.inf
        toggles = np.concatenate([gain for _, gain in self._toggles(state.parents)]).reshape(self._n, self._n)
        number = best_move(toggles, *flat(state.parents), self._allowed, self._limit, tired, bar, floor)
        if number < 0:
            return []
        return [(number, self.score(applied(state.parents, numbered(number, self._n))))]

    def _toggles(self, parents: ParentTuples) -> list[tuple[float, Floats]]:
        """For each node its score, and what the score gains when each other node becomes, or stops being, a parent."""
        latest, toggles = self._latest
        if latest is parents:
            return toggles
        families = list(enumerate(parents))
        missing = [family for family in families if family not in self._gains]
        if missing:
            if (len(self._gains) + self._n) * self._n > MAX_GAINS:
                self._gains.clear()
                missing = families
            self._gains.update(zip(missing, self._evaluated(missing), strict=True))
        toggles = [self._gains[family] for family in families]
        self._latest = parents, toggles
        return toggles

    def _evaluated(self, families: Sequence[Family]) -> list[tuple[float, Floats]]:
        neighbours = [self._neighbours(child, parents) for child, parents in families]
        found = []
        for values, others in zip(toggled_scores(self._phi, families, neighbours), neighbours, strict=True):
            gain = np.full(self._n, -np.inf)
            gain[np.fromiter(others, np.int64, len(others))] = (
                np.rint((values[:-1] - values[-1]) / self.unit) * self.unit
            )
            found.append((float(values[-1]), gain))
        return found

    def _neighbours(self, child: int, parents: tuple[int, ...]) -> tuple[int, ...]:
        """Nodes that may become a parent, or stop being one, ascending."""
        free = self._free[child] if len(parents) < self._limit else ()
        return free if free and set(parents).issubset(free) else tuple(sorted({*free, *parents}))

    @cached_property
    def _free(self) -> list[tuple[int, ...]]:
        """Nodes that may become a parent of each node."""
        return [tuple(np.flatnonzero(column).tolist()) for column in self._allowed.T]


def toggled_scores(
    phi: LocalScoreFunction, families: Sequence[Family], neighbours: Sequence[tuple[int, ...]]
) -> list[Floats]:
    """Scores of families with each of some nodes in turn made, or no more, a parent; and last as they are.

    Raises
    ------
    ValueError
        If a score is nan or infinite.
    """
    scores = phi.toggled(families, neighbours)
    if all(np.isfinite(values).all() for values in scores):
        return scores
    asked = [
        (child, family)
        for (child, parents), others in zip(families, neighbours, strict=True)
        for family in (*(toggled(parents, u) for u in others), parents)
    ]
    ends = np.cumsum([len(others) + 1 for others in neighbours])
    return np.split(evaluate(phi, asked), ends[:-1])
