"""The next moves of hill climbing over the scores of a table: the compiled engine, which finds several at once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from bnlab._runtime.fork import Locked
from bnlab._runtime.threads import run_parallel
from bnlab.learners.hill_climbing.state import ClimbRules, HillClimbingState, Moves, flat
from bnlab.learners.types import Family, Floats, Mask, ParentTuples, rounding_unit

if TYPE_CHECKING:
    from bnlab.learners.compiled.hill_climbing import Ahead
    from bnlab.scores.compiled.neighbours import CompiledScore

# The unit of work is a row times a state, for all nodes; it takes about half a nanosecond at worst.
_MIN_SHARED = 1.5e7  # least work for threads: below, a move takes less than 0.7 ms, and waking a thread 0.1 ms
_TASKS_A_THREAD = 4  # when the neighbours of several nodes are scored
_MAX_CALL = 1e8  # most work of one call


def compiled_climb(rules: ClimbRules) -> CompiledClimb | None:
    """`CompiledClimb`, or None if φ has no compiled form, is of other variables, or is not finite."""
    if rules.phi.n != rules.n:
        return None
    score = rules.phi.compiled()
    climb = None if score is None else CompiledClimb(rules, score)
    return climb if climb is not None and climb.finite else None


class CompiledClimb(Locked):
    """Present graph, with the scores of its families and of all graphs that differ by one edge.

    Parameters
    ----------
    rules : ClimbRules
    score : CompiledScore
        Compiled form of φ in `rules`, whose `misses` grow by the families scored.
    known : (float, ndarray, ndarray), optional
        Unit, gains and scores of the graph without edges, all finite.

    Attributes
    ----------
    unit : float
        Gains are whole multiples of this power of two.
    alone : ndarray of float64, shape (n,)
        Scores without parents.
    finite : bool
        Whether all scores with at most one parent are finite.
    """

    def __init__(
        self, rules: ClimbRules, score: CompiledScore, known: tuple[float, Floats, Floats] | None = None
    ) -> None:
        from bnlab.scores.compiled.neighbours import OwnScore

        super().__init__()
        n, n_rows = score.codes.shape
        self._rules, self._phi = rules, rules.phi
        work = n_rows * int(score.arities.sum())
        self._nodes_a_call = max(1, int(_MAX_CALL / work))
        self._threads: int = rules.phi.threads if work >= _MIN_SHARED else 1
        self._own = OwnScore(score)
        empty: ParentTuples = ((),) * n
        self._graph: ParentTuples = ()
        self._is_parent = np.zeros((n, n), dtype=np.bool_)
        self._parents, self._begins = np.empty(0, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
        self._best, self._outdated = np.empty(n, dtype=np.int64), np.ones(n, dtype=np.bool_)
        if known is not None:
            self.finite, self._graph = True, empty
            self.unit, self._gains, self._scores = known
        else:
            self.unit, self._gains, self._scores = 0.0, np.empty((n, n)), np.empty(n)
            self._go_to(empty)
            self.finite = bool(np.isfinite(self._scores).all() and not np.isnan(self._gains).any())
            self.unit = rounding_unit(self._scores)
            self._gains = np.rint(self._gains / self.unit) * self.unit
        self.alone = self._scores.copy()

    def reordered(self, order: Sequence[int], rules: ClimbRules) -> CompiledClimb:
        """New climb whose variable k is ``order[k]`` here, without edges; `rules` refer to the new order."""
        at = list(order)
        known = self.unit, self._gains[np.ix_(at, at)], self._scores[at]
        return CompiledClimb(rules, self._own.score.permuted(order), known)

    def score(self, parents: ParentTuples) -> float:
        """Score of a graph."""
        with self._lock:
            self._go_to(parents)
            return fsum(self._scores.tolist())

    def next_moves(self, state: HillClimbingState) -> Moves:
        """Some of the next moves of a search, or none if the climb ends."""
        from bnlab.learners.compiled.hill_climbing import Ahead

        most, known = max(1, self._nodes_a_call // 2), len(state.recent)
        totals, moves = np.empty(most), np.empty(most, dtype=np.int64)
        pairs = np.empty((known + most, 2), dtype=np.int64)
        if known:
            pairs[:known] = state.recent
        progress = np.array([state.score, state.best_score, state.climb_score, state.stalled], dtype=np.float64)
        tabu, patience = self._rules.tabu, self._rules.patience
        with self._lock:
            self._go_to(state.parents)
            self._graph = ()
            self._parents = np.concatenate([self._parents[: self._begins[-1]], moves])  # room for one edge per move
            made = self._make_moves(Ahead(pairs, known, tabu, patience, progress, totals, moves, self._threads == 1))
            ends = self._begins.tolist()
            parents = tuple(self._parents[: ends[-1]].tolist())
            self._graph = tuple(parents[begin:end] for begin, end in itertools.pairwise(ends))
        return list(zip(moves[:made].tolist(), totals[:made].tolist(), strict=True))

    def gains_of(self, families: Sequence[Family]) -> list[tuple[float, Floats]]:
        """Score of families of one graph, and the gain of each node becoming a parent or being removed."""
        with self._lock:
            self._graph = ()
            self._place(families)
            return [(float(self._scores[v]), self._gains[v].copy()) for v, _ in families]

    def _go_to(self, parents: ParentTuples) -> None:
        """Set the graph and score the families that differ; after an interrupt all are scored again."""
        before, self._graph = self._graph, ()
        families = [(v, family) for v, family in enumerate(parents) if not before or family != before[v]]
        if families:
            self._parents, self._begins = flat(parents)
            self._outdated[:] = True
            self._place(families)
        self._graph = parents

    def _place(self, families: Sequence[Family]) -> None:
        """Set the parents of some nodes, and score them."""
        for v, family in families:
            self._is_parent[v] = False
            self._is_parent[v, list(family)] = True
        self._rescore([v for v, _ in families])

    def _rescore(self, nodes: Sequence[int]) -> None:
        """Score nodes and their neighbours in several threads; the values do not depend on the division."""
        parts = self._threads if len(nodes) < _TASKS_A_THREAD * self._threads else 1
        size = self._nodes_a_call if self._threads == 1 else 1
        some = [nodes[begin : begin + size] for begin in range(0, len(nodes), size)]
        tasks = [partial(self._run, self._stale(few), part, parts) for few in some for part in range(parts)]
        self._phi.misses += sum(scored for _, scored in run_parallel(tasks, self._threads))

    def _make_moves(self, search: Ahead) -> int:
        """Make moves; return their number."""
        stale = self._stale([])
        if search.alone:
            made, scored = self._run(stale, search=search)
            self._phi.misses += scored
            return made
        made, before = 0, -1
        while made > before:
            self._rescore(np.flatnonzero(stale).tolist())
            stale[:] = False
            before, (made, _) = made, self._run(stale, search=search, made=made)
        return made

    def _stale(self, nodes: Sequence[int]) -> Mask:
        stale = np.zeros(len(self._scores), dtype=np.bool_)
        stale[nodes] = True
        return stale

    def _run(
        self, stale: Mask, part: int = 0, parts: int = 1, search: Ahead | None = None, made: int = 0
    ) -> tuple[int, int]:
        """Run the compiled loop; return the numbers of moves made and of families scored."""
        from bnlab.learners.compiled.hill_climbing import Ahead, Graph, climb

        scored = np.zeros(1, dtype=np.int64)
        graph = Graph(
            *self._rules.edges, self.unit, self._is_parent, self._parents, self._begins, self._gains, self._scores,
            self._best, self._outdated,
        )  # fmt: skip
        if search is None:
            nothing = np.empty(0, dtype=np.int64)
            search = Ahead(np.empty((0, 2), dtype=np.int64), 0, 0, 0, np.zeros(4), np.empty(0), nothing, True)
        made = climb(self._own.score, graph, stale, part, parts, search, made, scored)
        return made, int(scored[0])
