"""The moves that a hill climbing search makes next, found ahead of its steps in one compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import fsum
from threading import local
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab._runtime.fork import Locked
from bnlab._runtime.threads import shared
from bnlab.learners.hill_climbing.stepwise_moves import StepwiseClimb
from bnlab.learners.types import Family, Floats, LocalScoreFunction, Mask, ParentTuples, rounding_unit

if TYPE_CHECKING:
    from bnlab.learners.hill_climbing.search import HillClimbingState
    from bnlab.scores.neighbour_tables import CompiledScore

_TEAM = 1.5e7  # rows times states of all nodes; below, a move takes less than 0.7 ms, and to wake a thread 0.1 ms of it
_TURNS = 4  # tasks of a thread when the neighbours of several nodes are scored
_PART = 1e8  # rows times states of all nodes that one call may score, of half a nanosecond or so each at worst
MAX_NODES = 2048  # so that the gains of all pairs have room
_NO_MOVES = np.empty((0, 2), dtype=np.int64), 0, 0, 0, np.zeros(4), np.empty(0), np.empty(0, dtype=np.int64), 0, True


def compiled_climb(phi: LocalScoreFunction, n: int, allowed: Mask, limit: int) -> CompiledClimb | None:
    """`CompiledClimb` over the n variables of local scores that have a compiled form and are finite; else None."""
    if phi.n != n or n > MAX_NODES:
        return None
    score = phi.compiled()
    climb = None if score is None else CompiledClimb(phi, score, allowed, limit)
    return climb if climb is not None and climb.finite else None


class CompiledClimb(Locked):
    """Graph that moves, with the scores of its families and of all that are one edge away.

    Parameters
    ----------
    phi : LocalScoreFunction
        Is told how many families were scored.
    score : CompiledScore
        Of these local scores.
    allowed : ndarray of bool, shape (n, n)
        Whether u -> v may be used.
    limit : int
        Greatest number of parents.

    Attributes
    ----------
    unit : float
        Gains are whole multiples of this power of two.
    finite : bool
        Whether the scores without and with one parent are.
    """

    def __init__(self, phi: LocalScoreFunction, score: CompiledScore, allowed: Mask, limit: int) -> None:
        super().__init__()
        n, n_rows = score.codes.shape
        self._phi, self._score, self._allowed, self._limit = phi, score, allowed, limit
        work = n_rows * int(score.arities.sum())
        self._families = max(1, int(_PART / work))
        self._threads: int = phi.threads if work >= _TEAM else 1
        self._own = local()
        self._graph: ParentTuples = ()
        self._is_parent = np.zeros((n, n), dtype=np.bool_)
        self._gains, self._scores = np.empty((n, n)), np.empty(n)
        self.unit = 0.0
        self._go_to(((),) * n)
        self.finite = bool(np.isfinite(self._scores).all() and not np.isnan(self._gains).any())
        self.unit = rounding_unit(self._scores)
        self._gains = np.rint(self._gains / self.unit) * self.unit

    def score(self, parents: ParentTuples) -> float:
        """Score of a graph."""
        with self._lock:
            self._go_to(parents)
            return fsum(self._scores.tolist())

    def ahead(self, state: HillClimbingState, tabu: int, patience: int) -> list[tuple[int, float]]:
        """Some of the next moves of a search, none where the climb ends, each with the score of the graph after it.

        Returns
        -------
        list of (int, float)
            Moves by their numbers (see `moves.best_move`).
        """
        most = max(1, self._families // 2)
        totals, moves = np.empty(most), np.empty(most, dtype=np.int64)
        known = len(state.recent)
        tired = np.empty((known + most, 2), dtype=np.int64)
        if known:
            tired[:known] = state.recent
        progress = np.array([state.score, state.best_score, state.climb_score, state.stalled], dtype=np.float64)
        with self._lock:
            self._go_to(state.parents)
            self._graph = ()
            made = self._moved(tired, known, tabu, patience, progress, totals, moves)
            self._graph = self._parents()
        return list(zip(moves[:made].tolist(), totals[:made].tolist(), strict=True))

    def evaluated(self, families: Sequence[Family]) -> list[tuple[float, Floats]]:
        """Score of families of one graph, and what each gains when a node becomes, or stops being, a parent."""
        with self._lock:
            self._graph = ()
            self._place(families)
            return [(float(self._scores[v]), self._gains[v].copy()) for v, _ in families]

    def _go_to(self, parents: ParentTuples) -> None:
        """Make this the graph, and score what differs; an interrupt on the way costs no more than the graph before."""
        before, self._graph = self._graph, ()
        self._place([(v, family) for v, family in enumerate(parents) if not before or family != before[v]])
        self._graph = parents

    def _place(self, families: Sequence[Family]) -> None:
        for v, family in families:
            self._is_parent[v] = False
            self._is_parent[v, list(family)] = True
        changed = [v for v, _ in families]
        if self._threads > 1:
            self._score_together(changed)
            return
        for begin in range(0, len(changed), self._families):
            self._phi.misses += self._run(self._stale(changed[begin : begin + self._families]))[1]

    def _moved(self, *climb: Any) -> int:
        """Make moves; returns their number."""
        stale = self._stale([])
        if self._threads == 1:
            made, scored = self._run(stale, 0, 1, *climb, 0, True)
            self._phi.misses += scored
            return made
        made, before = 0, -1
        while made > before:
            self._score_together(np.flatnonzero(stale).tolist())
            stale[:] = False
            before, (made, _) = made, self._run(stale, 0, 1, *climb, made, False)
        return made

    def _parents(self) -> ParentTuples:
        parents = np.nonzero(self._is_parent)[1].tolist()
        ends = np.cumsum(self._is_parent.sum(axis=1)).tolist()
        return tuple(tuple(parents[begin:end]) for begin, end in zip([0, *ends], ends, strict=False))

    def _score_together(self, nodes: Sequence[int]) -> None:
        """Score nodes and their neighbours, which the threads share; each value is the same whoever finds it."""
        parts = self._threads if len(nodes) < _TURNS * self._threads else 1
        tasks = [partial(self._run, self._stale([v]), part, parts) for v in nodes for part in range(parts)]
        self._phi.misses += sum(scored for _, scored in shared(tasks, self._threads))

    def _stale(self, nodes: Sequence[int]) -> Mask:
        stale = np.zeros(len(self._scores), dtype=np.bool_)
        stale[nodes] = True
        return stale

    def _run(self, stale: Mask, part: int = 0, parts: int = 1, *climb: Any) -> tuple[int, int]:
        """Moves made, and families scored."""
        from bnlab.learners.compiled import hill_climbing as climb_kernels

        scored = np.zeros(1, dtype=np.int64)
        graph = self._allowed, self._limit, self.unit, self._is_parent, stale, part, parts, self._gains, self._scores
        if not hasattr(self._own, "score"):
            self._own.score = self._score.for_another_thread()
        made: int = climb_kernels.climb(*self._own.score, *graph, scored, *(climb or _NO_MOVES))
        return made, int(scored[0])


class RememberedClimb(StepwiseClimb):
    """One move after the other, by compiled scores that are kept: for climbs that come back to the same families.

    Parameters
    ----------
    compiled : CompiledClimb
        Of the same rules.
    *rules
        Of `StepwiseClimb`.
    """

    def __init__(self, compiled: CompiledClimb, *rules: Any) -> None:
        super().__init__(*rules)
        self.unit = compiled.unit
        self._compiled = compiled

    def _evaluated(self, families: Sequence[Family]) -> list[tuple[float, Floats]]:
        return self._compiled.evaluated(families)
