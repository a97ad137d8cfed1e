"""The next move of hill climbing for any local score: the readable engine, with a cache of the gains of families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum
from typing import TypeAlias

import numpy as np

from bnlab.learners.hill_climbing.state import (
    ClimbRules,
    HillClimbingState,
    Moves,
    after_move,
    flat,
    move_of,
    possible_moves,
)
from bnlab.learners.types import Family, Floats, ParentTuples, evaluate_neighbours, rounding_unit, scores_alone
from bnlab.scores.function import toggled

MAX_GAINS = 1 << 22
"""Maximum number of gains of single edges in the cache, which is emptied beyond that."""

AHEAD = 8
"""Families of likely later moves that are scored in the same pass over remote data."""

Gains: TypeAlias = tuple[float, Floats]
"""Score of a family, and the gain of each other node becoming a parent or being removed from the parents."""


class Climb:
    """Find the next move of a search, one at a time.

    Parameters
    ----------
    rules : ClimbRules
    unit : float, optional
        Gains are rounded to multiples of this power of two; by default the rounding unit of φ.
    gains_of : callable, optional
        Returns the gains of families of one graph; by default they are computed by `phi.toggled`.
    """

    def __init__(
        self,
        rules: ClimbRules,
        unit: float | None = None,
        gains_of: Callable[[Sequence[Family]], list[Gains]] | None = None,
    ) -> None:
        self._rules = rules
        self._gains_of = gains_of or self._evaluate
        self._gains: dict[Family, Gains] = {}
        # Graph of the latest move, from which the next step starts.
        self._latest: tuple[ParentTuples, list[Gains]] = ((), [])
        self.unit = rounding_unit(scores_alone(rules.phi, rules.n)) if unit is None else unit

    def score(self, parents: ParentTuples) -> float:
        """Score of a graph."""
        return fsum(score for score, _ in self._toggles(parents))

    def next_moves(self, state: HillClimbingState) -> Moves:
        """Next move of a search, or none if the climb ends."""
        from bnlab.learners.compiled.hill_climbing import best_move

        n, edges, patience = self._rules.n, self._rules.edges, self._rules.patience
        aspiration = state.best_score - state.score + self.unit / 2
        tabu_pairs = np.array(state.recent, dtype=np.int64).reshape(-1, 2)
        min_gain = 0.0 if state.stalled >= patience else -np.inf
        toggles = np.concatenate([gain for _, gain in self._toggles(state.parents)]).reshape(n, n)
        number = best_move(toggles, *flat(state.parents), edges.allowed, edges.limits, tabu_pairs, aspiration, min_gain)
        if number < 0:
            return []
        return [(number, self.score(after_move(state.parents, move_of(number, n))))]

    def _toggles(self, parents: ParentTuples) -> list[Gains]:
        """Gains of the family of each node."""
        latest, toggles = self._latest
        if latest is parents:
            return toggles
        families = list(enumerate(parents))
        missing = [family for family in families if family not in self._gains]
        if missing:
            if (len(self._gains) + self._rules.n) * self._rules.n > MAX_GAINS:
                self._gains.clear()
                missing = families
            elif self._rules.phi.by_passes:
                missing += self._likely(parents)
            self._gains.update(zip(missing, self._gains_of(missing), strict=True))
        toggles = [self._gains[family] for family in families]
        self._latest = parents, toggles
        return toggles

    def _likely(self, parents: ParentTuples) -> list[Family]:
        """Families after the moves of greatest gain, one per node: most moves do not change those of other nodes."""
        n, edges = self._rules.n, self._rules.edges
        gains = np.full((n, n), -np.inf)
        for family in enumerate(parents):
            if family in self._gains:
                gains[family[0]] = self._gains[family][1]
        adding, deleting, _ = possible_moves(*flat(parents), edges)
        gains[~(adding | deleting).T] = -np.inf
        best, gain = gains.argmax(axis=1).tolist(), gains.max(axis=1)
        found: list[Family] = []
        seen = set()
        for v in np.lexsort((best, -gain))[: np.count_nonzero(gain > 0)].tolist():
            family = v, toggled(parents[v], best[v])
            # Both directions of an edge often gain the same, and only one can be added.
            if family not in self._gains and (best[v], v) not in seen:
                found.append(family)
            seen.add((v, best[v]))
        return found[:AHEAD]

    def _evaluate(self, families: Sequence[Family]) -> list[Gains]:
        found = evaluate_neighbours(self._rules.phi, families, self._rules.edges)
        return [(score, np.rint((values - score) / self.unit) * self.unit) for score, values in found]
