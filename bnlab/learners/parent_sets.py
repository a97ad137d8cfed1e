"""Searches that score all small sets of candidate parents, a block of them a step.

The sets of one node are numbered by size, then lexicographically. Any number is turned into its set directly, so a
search that is stopped stores two numbers and resumes from there.

References
----------
M. Teyssier, D. Koller. Ordering-based search: a simple and effective algorithm for learning Bayesian networks.
UAI 2005.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from math import comb
from typing import TypeAlias

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import at_least
from bnlab.graphs.dag import Dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.edges import Known, Within, edge_rules
from bnlab.learners.subsets import count_subsets, lexicographic, lexicographic_rank
from bnlab.learners.types import Floats, Integers, Mask, ParentTuples, Phi, ScoreSearch, evaluate, rounding_unit
from bnlab.search import Snapshot, Work

ScoredSet: TypeAlias = tuple[float, tuple[int, ...]]
ParentSets: TypeAlias = tuple[tuple[ScoredSet, ...], ...]

WINDOW = 1 << 12
"""Sets examined in one step; this is some hundred times cheaper than to score them."""
ONCE = 1 << 16
"""More sets than this would only flush the cache of φ."""
MOST = 1 << 62
BYTES_A_SET = 24
BYTES_A_KEPT_SET = 200
"""For the tuples of its score and its parents."""


class SubsetSearch(ScoreSearch):
    """Base of searches that score each node with its required parents and each set of some of its candidates.

    Attributes
    ----------
    candidates : tuple of tuple of int
        Possible further parents of each node, ascending.
    k : int
        Greatest number of parents; a node with fewer candidates may have all of them.
    edges : EdgeRules
        Required parents and, for each node, the greatest number of parents, at most k.
    """

    candidates: ParentTuples
    k: int

    @property
    @abstractmethod
    def edges(self) -> EdgeRules:
        """Rules of the edges."""

    @cached_property
    def required(self) -> ParentTuples:
        """Required parents of each node, ascending."""
        return self.edges.parents

    def number_of_sets(self, node: int) -> int:
        """Number of sets of parents of a node."""
        most = int(self.edges.limits[node]) - len(self.required[node])
        return count_subsets(self.number_of_candidates(node), most)

    def number_of_candidates(self, node: int) -> int:
        """Number of candidates of a node."""
        return len(self.candidates[node])

    def check_subsets(self) -> None:
        """Refuse what cannot be searched.

        Raises
        ------
        ValueError
            If k is out of range, or there are too many sets to number.
        TypeError
            If k is not an integer.
        """
        at_least("k", self.k, 0)
        if self.total > MOST:
            raise ValueError(
                f"{self.total:.1e} sets of at most {self.k} parents are too many to score: allow fewer parents"
            )

    @cached_property
    def total(self) -> int:
        """Number of sets of parents of all nodes."""
        return sum(map(self.number_of_sets, range(self.n)))

    def work(self, done: int) -> Work:
        """Parent sets scored or excluded, of all."""
        return Work(done, self.total, "parent sets")

    def is_last(self, node: int, number: int) -> bool:
        """Whether so many sets of a node are all of them."""
        return number == self.number_of_sets(node)

    def block(self, node: int, begin: int) -> Integers:
        """Sets of one size from number `begin` on, shape (sets, size): positions among the node's candidates."""
        n = len(self.candidates[node])
        size = 0
        while begin >= (here := comb(n, size)):
            begin -= here
            size += 1
        return lexicographic(n, size, begin, min(begin + WINDOW, here))

    def scores_of_block(self, node: int, block: Integers, floor: float | Floats) -> Floats:
        """Score the sets of a block.

        Parameters
        ----------
        node : int
        block : ndarray of int64, shape (sets, size)
        floor : float or ndarray of float64, shape (sets,)
            A set whose upper bound is not above its floor is not scored.

        Returns
        -------
        ndarray of float64, shape (sets,)
            -inf where not scored.
        """
        parents = self.parents_of_block(node, block)
        above = np.flatnonzero(self.local_scores.bounds(node, parents) > floor)
        values = np.full(len(block), -np.inf)
        if len(above):
            families = [(node, tuple(family)) for family in parents[above].tolist()]
            values[above] = evaluate(self.local_scores, families, once=self.total > ONCE)
        return values

    def scored_sets(self, node: int, block: Integers, values: Floats, better: Mask) -> tuple[ScoredSet, ...]:
        """Scores and parents of the sets of a block that a mask selects."""
        rows = np.flatnonzero(better)
        parents = self.parents_of_block(node, block[rows]).tolist()
        return tuple((score, tuple(family)) for score, family in zip(values[rows].tolist(), parents, strict=True))

    def parents_of_block(self, node: int, block: Integers) -> Integers:
        """Sets of a block with the required parents, shape (sets, parents of each), ascending."""
        parents = self._positions[node][block]
        if not self.required[node]:
            return parents
        return np.sort(np.hstack([parents, np.tile(self.required[node], (len(block), 1))]), axis=1)

    @cached_property
    def _positions(self) -> list[Integers]:
        return [np.array(candidates, dtype=np.int64) for candidates in self.candidates]


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
class ParentSetSearch(SubsetSearch):
    """Sets of parents that may be best in some order, with their scores: the data of an `OrderingSearch`.

    A set is left out when one of its subsets scores no less: wherever the set is possible, so is the subset. Scores
    are rounded to multiples of `rounding_unit` of those with one parent or none, so that rounding decides
    no tie.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score, greater is better.
    n : int
        Number of variables, at least one.
    k : int
        Greatest number of parents, 0 or more.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be used, as for `allowed_edges`.
    knowledge : Knowledge, optional
        Edges that the network must have or may not have.

    Raises
    ------
    ValueError
        If n or k is out of range, or there are too many sets.
    MemoryBudget
        (A ValueError.) By `step`, if the sets that may be best do not fit into memory.
    TypeError
        If k is not an integer.
    """

    phi: Phi
    n: int
    k: int = 2
    within: Within = field(default=None, kw_only=True)
    knowledge: Known = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"n = {self.n}: a network has at least one variable.")
        at_least("k", self.k, 0)
        most = max(map(self.number_of_sets, range(self.n)))
        check_memory(
            BYTES_A_SET * most,
            f"the {most:.3g} sets of at most {self.k} parents of {self.n} variables",
            "select fewer variables or allow fewer parents",
        )
        self.check_subsets()

    @cached_property
    def candidates(self) -> ParentTuples:  # type: ignore[override]
        """All other nodes, or those from which an edge may be used but need not be."""
        return tuple(tuple(np.flatnonzero(column).tolist()) for column in self._free.T)

    def number_of_candidates(self, node: int) -> int:
        """Number of candidates of a node, without those of all nodes, which take long for many."""
        return int(self._numbers[node])

    @cached_property
    def _numbers(self) -> Integers:
        numbers: Integers = np.count_nonzero(self._free, axis=0)
        return numbers

    @property
    def _free(self) -> Mask:
        return self.edges.allowed & ~self.edges.required

    @cached_property
    def edges(self) -> EdgeRules:
        """Rules of the edges."""
        return edge_rules(
            self.n, self.variable_names(), within=self.within, knowledge=self.knowledge, max_parents=self.k
        )

    def init(self) -> ParentSetState:
        """Before the first node."""
        return ParentSetState()

    def step(self, state: ParentSetState) -> tuple[ParentSetState, Work]:
        """Score the next sets of parents of the next node."""
        node = len(state.sets)
        block = self.block(node, len(state.best))
        below = self._best_below(node, state.best, block)
        values = np.rint(self.scores_of_block(node, block, below) / self._unit) * self._unit
        better = values > below
        number = sum(map(len, state.sets)) + len(state.kept) + int(better.sum())
        check_memory(
            BYTES_A_KEPT_SET * number,
            f"{number:,} sets of parents that may be best, after {node} of {self.n} variables",
            "select fewer variables, allow fewer parents, or take a score that penalises parents more",
        )
        kept = (*state.kept, *self.scored_sets(node, block, values, better))
        best = np.concatenate([state.best, np.maximum(values, below)])
        done = state.done + len(values)
        scored = state.scored + int(np.isfinite(values).sum())
        after = ParentSetState(state.sets, kept, best, done, scored)
        if self.is_last(node, len(best)):
            ranked = tuple(sorted(kept, key=lambda scored_set: (-scored_set[0], len(scored_set[1]), scored_set[1])))
            after = ParentSetState((*state.sets, ranked), done=done, scored=scored)
        return after, self.work(done)

    def is_done(self, state: ParentSetState) -> bool:
        """Whether all nodes have their sets."""
        return len(state.sets) == self.n

    def result(self, state: ParentSetState) -> ParentSets:  # type: ignore[override]
        """Scores and ascending parents of each node's sets, best first; of tied ones the smallest, then by members."""
        return state.sets

    def snapshot(self, state: ParentSetState) -> Snapshot:
        """Parent sets scored or excluded; there is no graph yet."""
        return Snapshot(self.work(state.done))

    @cached_property
    def _unit(self) -> float:
        pairs = [(i, (j,)) for i in range(self.n) for j in range(self.n) if i != j and self.k]
        return rounding_unit(evaluate(self.local_scores, [*((i, ()) for i in range(self.n)), *pairs]))

    def _best_below(self, node: int, best: Floats, block: Integers) -> Floats:
        """Greatest score among the proper subsets of each set of a block."""
        n, size = len(self.candidates[node]), block.shape[1]
        below = np.full(len(block), -np.inf)
        for left_out in range(size):
            rank = lexicographic_rank(n, np.delete(block, left_out, axis=1))
            first = count_subsets(n, size - 2) if size > 1 else 0
            np.maximum(below, best[first + rank], out=below)
        return below


def least_sets(sets: ParentSets) -> ParentTuples:
    """Parents of each variable that all its sets have, which are one of them: mostly none.

    Raises
    ------
    ValueError
        If no set of a variable is part of all its others, or these parents close a cycle.

    Examples
    --------
    >>> least_sets((((1.0, (1, 2)), (0.0, (2,))), ((0.0, ()),), ((0.0, ()),)))
    ((2,), (), ())
    """
    least = []
    for v, of_v in enumerate(sets):
        least.append(min((parents for _, parents in of_v), key=len, default=()))
        if not of_v or any(not set(least[v]).issubset(parents) for _, parents in of_v):
            raise ValueError(
                f"variable {v} has no score without parents, nor a set that all its others contain: add its empty set "
                "of parents"
            )
    return Dag([str(v) for v in range(len(sets))], least).parents
