"""Sets of parents that may be best for some order of the variables, with their scores.

References
----------
M. Teyssier, D. Koller. Ordering-based search: a simple and effective algorithm for learning Bayesian networks.
UAI 2005.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab.learners.subsets import SubsetInfo, SubsetScores, count_subsets, lexicographic_rank
from bnlab.learners.types import Floats, Integers, Phi, ScoreSearch, evaluate, rounding_unit
from bnlab.search import Snapshot, Work

BYTES_A_SET = 24

ScoredSet: TypeAlias = tuple[float, tuple[int, ...]]
ParentSets: TypeAlias = tuple[tuple[ScoredSet, ...], ...]


@dataclass(frozen=True, eq=False)
class ParentSetState:
    """State of a `ParentSetSearch`.

    Attributes
    ----------
    sets : tuple of tuple of (float, tuple of int)
        Scores and sets of the nodes that are finished.
    kept : tuple of (float, tuple of int)
        Those of the next node so far.
    best : ndarray of float64
        Greatest score among the subsets of each set of the next node examined, by its number.
    done, scored : int
        Sets examined for all nodes, and how many of them were scored.
    """

    sets: ParentSets = ()
    kept: tuple[ScoredSet, ...] = ()
    best: Floats = field(default_factory=lambda: np.empty(0))
    done: int = 0
    scored: int = 0


@dataclass(frozen=True)
class ParentSetSearch(ScoreSearch):
    """Sets of parents that may be best in some order, with their scores: the data of an `OrderingSearch`.

    A set is left out when one of its subsets scores no less: wherever the set is possible, so is the subset. Scores
    are rounded to multiples of `rounding_unit` of those with one parent or none, so that noise in their last digits
    settles no tie.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score, greater is better.
    n : int
        Number of variables, at least one.
    k : int
        Greatest number of parents, 0 or more.
    batch : int, optional
        As for `CkGSearch`.

    Raises
    ------
    ValueError
        If n, k or the batch is out of range.
    TypeError
        If k is not an integer.
    """

    phi: Phi
    n: int
    k: int = 2
    batch: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"n = {self.n}: a network has at least one variable.")
        most = count_subsets(self.n - 1, self.k) if isinstance(self.k, int) and self.k >= 0 else 0
        check_memory(
            BYTES_A_SET * most,
            f"the {most:.3g} sets of at most k={self.k} of {self.n} variables",
            "select fewer variables or take a smaller k",
        )
        self._scores  # noqa: B018 - refuses a bad k or batch now, not at the first step

    @property
    def total(self) -> int:
        """Number of sets of parents of all nodes."""
        return self._scores.total

    def init(self) -> ParentSetState:
        """Before the first node."""
        return ParentSetState()

    def step(self, state: ParentSetState) -> tuple[ParentSetState, SubsetInfo]:
        """Score the next sets of parents of the next node."""
        node, seen = len(state.sets), len(state.best)
        block = self._scores.block(node, seen)
        below = self._best_below(state.best, block)
        values = np.rint(self._scores.score(node, block, below) / self._unit) * self._unit
        below = below[: len(values)]
        rows = np.flatnonzero(values > below)
        kept = (*state.kept, *((float(values[row]), self._scores.parents(node, block[row])) for row in rows))
        best = np.concatenate([state.best, np.maximum(values, below)])
        done = state.done + len(values)
        scored = state.scored + int(np.isfinite(values).sum())
        info = SubsetInfo(node, done, self.total, scored)
        if len(best) < self._scores.totals[node]:
            return ParentSetState(state.sets, kept, best, done, scored), info
        return ParentSetState((*state.sets, tuple(sorted(kept, key=_rank))), done=done, scored=scored), info

    def is_done(self, state: ParentSetState) -> bool:
        """Whether all nodes have their sets."""
        return len(state.sets) == self.n

    def result(self, state: ParentSetState) -> ParentSets:
        """Scores and ascending parents of each node's sets, best first; of tied ones the smallest, then by members."""
        return state.sets

    def snapshot(self, state: ParentSetState) -> Snapshot:
        """Parent sets scored or excluded; there is no graph yet."""
        return Snapshot(Work(state.done, self.total, "parent sets"))

    @cached_property
    def _scores(self) -> SubsetScores:
        others = [[j for j in range(self.n) if j != i] for i in range(self.n)]
        return SubsetScores(self.phi, others, self.k, self.batch)

    @cached_property
    def _unit(self) -> float:
        pairs = [(i, (j,)) for i in range(self.n) for j in range(self.n) if i != j and self.k]
        return rounding_unit(evaluate(self._phi, [*((i, ()) for i in range(self.n)), *pairs]))

    def _best_below(self, best: Floats, block: Integers) -> Floats:
        """Greatest score among the proper subsets of each set of a block."""
        size = block.shape[1]
        below = np.full(len(block), -np.inf)
        for left_out in range(size):
            rank = lexicographic_rank(self.n - 1, np.delete(block, left_out, axis=1))
            first = count_subsets(self.n - 1, size - 2) if size > 1 else 0
            np.maximum(below, best[first + rank], out=below)
        return below


def _rank(scored: ScoredSet) -> tuple[float, int, tuple[int, ...]]:
    score, parents = scored
    return -score, len(parents), parents
