"""Scores of all families that a posterior sums over: each variable with sets of at most k candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.edges import edge_rules
from bnlab.learners.parent_sets import SubsetSearch
from bnlab.learners.subsets import count_subsets
from bnlab.learners.types import Floats, Integers, ParentTuples, evaluate
from bnlab.scores.function import LocalScoreFunction
from bnlab.search import Snapshot, Work

BYTES_A_FAMILY = 60
"""For its score and bits, and the copies made for sorting."""


@dataclass(frozen=True, eq=False)
class FamilyScores:
    """Scored families of n variables.

    Attributes
    ----------
    candidates : tuple of tuple of int
        Possible parents of each variable, at most 62, those of its core first.
    bits : tuple of ndarray of int64, shape (sets,)
        Parent sets of each variable: bit k stands for its candidate k. Best first.
    scores : tuple of ndarray of float64, shape (sets,)
        Their local scores, in nats.
    names : tuple of str or None
    core : tuple of int, optional
        Size of each core, by default all candidates. A set has at most one candidate outside the core.
    odds, pairs : ndarray of float64, shape (n, n), optional
        Odds of edges and of pairs of edges that are left out, as in `Candidates`.
    """

    candidates: ParentTuples
    bits: tuple[Integers, ...]
    scores: tuple[Floats, ...]
    names: tuple[str, ...] | None = None
    core: tuple[int, ...] | None = None
    odds: Floats | None = None
    pairs: Floats | None = None

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.candidates)

    @property
    def core_sizes(self) -> tuple[int, ...]:
        """Size of the core of each variable."""
        return tuple(map(len, self.candidates)) if self.core is None else self.core

    def left_out(self, arcs: Floats) -> Floats:
        """Bound of how much the parent sets that are left out can change each probability, shape (n, n).

        These sets have two or more parents outside the core. The odds of two are those of both alone, multiplied, or
        those of the pair if they are greater. Three or more that gain only together are not noticed.

        Parameters
        ----------
        arcs : ndarray of float64, shape (n, n)
            Probabilities of the edges without these sets.
        """
        bound = np.zeros(arcs.shape)
        if self.odds is None or self.pairs is None:
            return bound
        for v, (of_v, size) in enumerate(zip(self.candidates, self.core_sizes, strict=True)):
            core, others, missing = list(of_v[:size]), list(of_v[size:]), np.flatnonzero(self.odds[:, v])
            inside = arcs[others, v].clip(0.0, 1 - 1e-9)
            odds = self.odds[:, v].copy()
            odds[others] = inside / (1 - inside)
            both = np.maximum(odds * (odds.sum() - odds), self.pairs[:, v])
            bound[others, v] = both[others] / (1 + both[others])
            alone = odds[missing] + both[missing]
            bound[missing, v] = alone / (1 + alone)
            bound[core, v] = both.sum() / (2 + both.sum())
        return bound

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
        """Required parents of each variable, which are in all its sets, ascending; mostly none."""
        common = [int(np.bitwise_and.reduce(of_v)) for of_v in self.bits]
        return tuple(
            tuple(u for k, u in enumerate(of_v) if common[v] >> k & 1) for v, of_v in enumerate(self.candidates)
        )


Scored: TypeAlias = "tuple[tuple[Integers, Floats], ...]"


@dataclass(frozen=True, eq=False)
class FamilyScoring(SubsetSearch):
    """Score each variable with all sets of at most k of its candidates: a search with one variable per step.

    Unlike `ParentSetSearch` it keeps sets that have a better subset, because a sum needs all sets. Further candidates
    join each set one at a time.

    Parameters
    ----------
    phi : LocalScoreFunction
    members : tuple of tuple of int
        Possible parents of each variable, ascending.
    k : int
        Maximum number of parents.
    rules : EdgeRules, optional
        Required parents, which are among the possible parents and in every set, and limits of single variables.
    others : tuple of tuple of int, optional
        Further candidates of each variable, ascending, of which a set has at most one.
    odds, pairs : ndarray of float64, shape (n, n), optional
        As in the result.

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
    members: ParentTuples
    k: int
    rules: EdgeRules | None = None
    others: ParentTuples | None = None
    odds: Floats | None = None
    pairs: Floats | None = None

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of variables."""
        return len(self.members)

    @cached_property
    def edges(self) -> EdgeRules:
        """Rules of the edges."""
        rules = edge_rules(self.n, max_parents=self.k)
        return rules if self.rules is None else self.rules._replace(limits=np.minimum(rules.limits, self.rules.limits))

    @cached_property
    def candidates(self) -> ParentTuples:  # type: ignore[override]
        """Possible parents of each variable that are not required."""
        return tuple(
            tuple(u for u in of_v if u not in needed) for of_v, needed in zip(self.members, self.required, strict=True)
        )

    def init(self) -> Scored:
        """State before the first variable."""
        total = self.total + sum(
            len(others) * count_subsets(len(self.candidates[v]), self._limit(v) - 1 - len(self.required[v]))
            for v, others in enumerate(self._others)
        )
        check_memory(
            BYTES_A_FAMILY * total,
            f"scores of {total:,} parent sets",
            f"lower max_parents={self.k}, or select fewer variables",
        )
        return ()

    def step(self, state: Scored) -> tuple[Scored, int]:
        """Score the families of the next variable, best first; the information is its index."""
        v, seen = len(state), 0
        bits, scores = [], []
        while not self.is_last(v, seen):
            block = self.parents_of_block(v, self.block(v, seen))
            seen += len(block)
            within = (np.int64(1) << np.searchsorted(self.members[v], block)).sum(axis=1)
            bits.append(within)
            scores.append(self._scores(v, block))
            if block.shape[1] < self._limit(v):
                for place, u in enumerate(self._others[v], len(self.members[v])):
                    bits.append(within | np.int64(1) << np.int64(place))
                    scores.append(self._scores(v, np.sort(np.insert(block, 0, u, axis=1))))
        joined = np.concatenate(scores)
        order = np.argsort(-joined, kind="stable")
        return (*state, (np.concatenate(bits)[order], joined[order])), v

    def is_done(self, state: Scored) -> bool:
        """Whether all variables are scored."""
        return len(state) == self.n

    def result(self, state: Scored) -> FamilyScores:  # type: ignore[override]
        """Families of the variables scored so far; the others have none."""
        empty = np.empty(0, dtype=np.int64), np.empty(0)
        of_all = [*state, *[empty] * (self.n - len(state))]
        bits, scores = (tuple(part) for part in zip(*of_all, strict=True)) if of_all else ((), ())
        candidates = tuple((*core, *others) for core, others in zip(self.members, self._others, strict=True))
        return FamilyScores(
            candidates, bits, scores, self.phi.names, tuple(map(len, self.members)), self.odds, self.pairs
        )

    def snapshot(self, state: Scored) -> Snapshot:
        """Number of variables scored."""
        return Snapshot(Work(len(state), self.n, "variables"))

    @property
    def _others(self) -> ParentTuples:
        return ((),) * self.n if self.others is None else self.others

    def _limit(self, v: int) -> int:
        """Greatest number of parents of a variable."""
        return int(self.edges.limits[v])

    def _scores(self, v: int, parents: Integers) -> Floats:
        return evaluate(self.local_scores, [(v, tuple(family)) for family in parents.tolist()], once=True)


def check_structure_prior(structure_prior: str) -> None:
    """Raise ValueError if a structure prior is unknown."""
    if structure_prior not in ("graphs", "orders"):
        raise ValueError(
            f"structure_prior={structure_prior!r}: 'graphs' (all DAGs have the same prior probability) or 'orders' "
            "(all orders of the variables have); bnlab.edge_probabilities also takes a bnlab.scores.EdgePrior."
        )
