"""Scores of all families that a posterior sums over: each variable with the sets of at most so many candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import TypeAlias

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.parent_sets import WINDOW
from bnlab.learners.subsets import count_subsets, lexicographic
from bnlab.learners.types import Floats, Integers, LocalScoreFunction, ParentTuples, evaluate
from bnlab.search import Described, Snapshot, Work

BYTES_A_FAMILY = 60
"""Its score and bits, and the copies made while they are sorted."""


@dataclass(frozen=True, eq=False)
class FamilyScores:
    """Scored families of n variables.

    Attributes
    ----------
    candidates : tuple of tuple of int
        Possible parents of each variable, ascending, at most 62.
    bits : tuple of ndarray of int64, shape (sets,)
        Parent sets of each variable: bit k stands for its candidate k. Best first.
    scores : tuple of ndarray of float64, shape (sets,)
        Their local scores, in nats.
    names : tuple of str or None
    """

    candidates: ParentTuples
    bits: tuple[Integers, ...]
    scores: tuple[Floats, ...]
    names: tuple[str, ...] | None = None

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.candidates)

    def score_of(self, parents: Sequence[Sequence[int]]) -> float | None:
        """Score of a network; None if one of its families is not among these."""
        total = 0.0
        for v, (family, candidates) in enumerate(zip(parents, self.candidates, strict=True)):
            if not {*family} <= {*candidates}:
                return None
            at = np.flatnonzero(self.bits[v] == sum(1 << candidates.index(u) for u in family))
            if not len(at):
                return None
            total += float(self.scores[v][at[0]])
        return total

    @cached_property
    def required(self) -> ParentTuples:
        """Parents of each variable that all its sets have, ascending; mostly none."""
        common = [int(np.bitwise_and.reduce(of_v)) for of_v in self.bits]
        return tuple(
            tuple(u for k, u in enumerate(of_v) if common[v] >> k & 1) for v, of_v in enumerate(self.candidates)
        )


Scored: TypeAlias = "tuple[tuple[Integers, Floats], ...]"


@dataclass(frozen=True, eq=False)
class FamilyScoring(Described):
    """Score each variable with all sets of at most `max_parents` of its candidates: a search, one variable a step.

    Unlike `ParentSetSearch` it leaves out no set that has a better subset: a sum needs them all.

    Parameters
    ----------
    phi : LocalScoreFunction
    candidates : tuple of tuple of int
        Possible parents of each variable.
    max_parents : int
    rules : EdgeRules, optional
        Required parents, which are candidates and in every set, and limits of single variables.

    Raises
    ------
    MemoryBudget
        (A ValueError.) By `init`, if there are too many sets.
    ValueError
        By `step`, if a score is nan or infinite.

    Examples
    --------
    >>> from bnlab.learners.types import as_local_scores
    >>> from bnlab.search import run
    >>> phi = as_local_scores(lambda child, parents: float(sum(parents)))
    >>> found = run(FamilyScoring(phi, ((1, 2), (), ()), 2))
    >>> found.bits[0].tolist(), found.scores[0].tolist()
    ([3, 2, 1, 0], [3.0, 2.0, 1.0, 0.0])
    """

    phi: LocalScoreFunction
    candidates: ParentTuples
    max_parents: int
    rules: EdgeRules | None = None

    def init(self) -> Scored:
        """Nothing is scored."""
        sets = sum(
            count_subsets(len(of_v) - len(needed), limit - len(needed))
            for of_v, needed, limit in zip(self.candidates, self._required, self._limits, strict=True)
        )
        check_memory(
            BYTES_A_FAMILY * sets,
            f"scores of {sets:,} parent sets",
            f"lower max_parents={self.max_parents}, or select fewer variables",
        )
        return ()

    def step(self, state: Scored) -> tuple[Scored, int]:
        """Score the families of the next variable, whose index is the information."""
        v = len(state)
        return (*state, _scored(self.phi, v, self.candidates[v], self._required[v], self._limits[v])), v

    def is_done(self, state: Scored) -> bool:
        """Whether all variables are scored."""
        return len(state) == len(self.candidates)

    def result(self, state: Scored) -> FamilyScores:
        """Families of the variables that are scored; those of others are none."""
        empty = np.empty(0, dtype=np.int64), np.empty(0)
        of_all = [*state, *[empty] * (len(self.candidates) - len(state))]
        bits, scores = (tuple(part) for part in zip(*of_all, strict=True)) if of_all else ((), ())
        return FamilyScores(self.candidates, bits, scores, self.phi.names)

    def snapshot(self, state: Scored) -> Snapshot:
        """Number of variables that are scored."""
        return Snapshot(Work(len(state), len(self.candidates), "variables"))

    def variable_names(self) -> tuple[str, ...] | None:
        """Names of the variables."""
        return self.phi.names

    @property
    def _required(self) -> ParentTuples:
        return ((),) * len(self.candidates) if self.rules is None else self.rules.parents

    @property
    def _limits(self) -> list[int]:
        if self.rules is None:
            return [self.max_parents] * len(self.candidates)
        limits: list[int] = np.minimum(self.rules.limits, self.max_parents).tolist()
        return limits


def _scored(
    phi: LocalScoreFunction, v: int, candidates: Sequence[int], required: Sequence[int], most: int
) -> tuple[Integers, Floats]:
    """Bits and scores of the families of one variable, best first."""
    members = np.array(candidates, dtype=np.int64)
    needed = np.flatnonzero(np.isin(members, required))
    free = np.flatnonzero(~np.isin(members, required))
    bits, scores = [], []
    for size in range(min(most - len(needed), len(free)) + 1):
        number = comb(len(free), size)
        for begin in range(0, number, WINDOW):
            block = free[lexicographic(len(free), size, begin, min(begin + WINDOW, number))]
            block = np.sort(np.hstack([block, np.tile(needed, (len(block), 1))]), axis=1)
            bits.append((np.int64(1) << block).sum(axis=1))
            scores.append(evaluate(phi, [(v, tuple(family)) for family in members[block].tolist()], once=True))
    joined = np.concatenate(scores)
    order = np.argsort(-joined, kind="stable")
    return np.concatenate(bits)[order], joined[order]


def check_structure_prior(structure_prior: str) -> None:
    """Raise ValueError when a prior is unknown."""
    if structure_prior not in ("graphs", "orders"):
        raise ValueError(
            f"structure_prior={structure_prior!r}: 'graphs' (all DAGs have the same prior probability) or 'orders' "
            "(all orders of the variables have); bnlab.edge_probabilities also takes a bnlab.scores.EdgePrior."
        )
