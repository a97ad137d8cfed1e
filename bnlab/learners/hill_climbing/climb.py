"""Gains of the moves of a graph, and the best move: a cache of scores, whose answers depend on the graph alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from bnlab.learners.hill_climbing.neighbours import Neighbours
from bnlab.learners.hill_climbing.state import possible_moves
from bnlab.learners.types import Family, Integers, ParentTuples
from bnlab.scores.function import toggled

if TYPE_CHECKING:
    from bnlab.engine.climb import Graph

AHEAD = 8
"""Families of likely later moves that are scored in the same pass over remote data."""


class Climb:
    """Gains of the moves of graphs.

    Parameters
    ----------
    neighbours : Neighbours
    unit : float
        Gains are rounded to multiples of this power of two.
    """

    def __init__(self, neighbours: Neighbours, unit: float) -> None:
        self._neighbours, self._n, self.unit = neighbours, neighbours.n, unit

    def score(self, parents: ParentTuples) -> float:
        """Score of a graph."""
        graph = self._take(parents)
        score = fsum(graph.scores.tolist())
        self._latest = parents, graph
        return score

    def best_move(self, parents: ParentTuples, tabu_pairs: Integers, aspiration: float, min_gain: float) -> int:
        """Number of the move of greatest gain (see `move_of`), negative if there is none.

        Parameters
        ----------
        parents : tuple of tuple of int
        tabu_pairs : ndarray of int64, shape (pairs, 2)
            Pairs of nodes that only change if the gain is above `aspiration`.
        aspiration, min_gain : float
            The gain of the move is above `min_gain`.

        Raises
        ------
        ValueError
            If the graph has a cycle.
        """
        from bnlab.engine.climb import CYCLE, best_move

        graph = self._take(parents)
        number: int = best_move(graph, tabu_pairs, aspiration, min_gain)
        if number == CYCLE:
            raise ValueError("the state is not one of this search: its graph has a cycle")
        self._latest = parents, graph
        return number

    def _take(self, parents: ParentTuples) -> Graph:
        """Gains of a graph, from those of the latest one; meanwhile no other thread has them, nor after an error."""
        from bnlab.engine.climb import empty_graph, place

        before, graph = vars(self).pop("_latest", None) or ((None,) * self._n, empty_graph(self._n))
        if before is parents:
            return graph
        changed = [
            (v, new) for v, (old, new) in enumerate(zip(before, parents, strict=True)) if old is not new and old != new
        ]
        if changed:
            self._check(changed)
            ahead = partial(self._likely, parents) if self._neighbours.phi.by_passes else None
            for (v, family), values in zip(changed, self._neighbours.rows(changed, ahead), strict=True):
                place(graph, v, np.array(family, dtype=np.int64), values, self.unit)
        return graph

    def _check(self, families: Sequence[Family]) -> None:
        """Raise for families of other variables, whose numbers compiled code would follow anywhere."""
        for v, family in families:
            if family and not (min(family) >= 0 and max(family) < self._n and len({v, *family}) == len(family) + 1):
                raise ValueError(f"the state is not one of this search: a node has the parents {family}")

    def _likely(self, parents: ParentTuples) -> list[Family]:
        """Families after the moves of greatest gain, one per node: most moves do not change those of other nodes."""
        gains = np.full((self._n, self._n), -np.inf)
        known = [family for family in enumerate(parents) if family in self._neighbours]
        for (v, _), values in zip(known, self._neighbours.rows(known), strict=True):
            gains[v] = values - values[v]
        adding, deleting, _ = possible_moves(parents, self._neighbours.edges)
        gains[~(adding | deleting).T] = -np.inf
        best, gain = gains.argmax(axis=1).tolist(), gains.max(axis=1)
        found: list[Family] = []
        seen = set()
        for v in np.lexsort((best, -gain))[: np.count_nonzero(gain > 0)].tolist():
            family = v, toggled(parents[v], best[v])
            # Both directions of an edge often gain the same, and only one can be added.
            if family not in self._neighbours and (best[v], v) not in seen:
                found.append(family)
            seen.add((v, best[v]))
        return found[:AHEAD]
