"""Exact search: the network of greatest score, and until it is found an upper bound of all scores.

Up to 20 variables dynamic programming over subsets gives the optimum in one step. Beyond that each step solves a linear
or an integer program, which gives an upper bound, and forbids the cycles of its solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import at_least, check_counts
from bnlab.graphs.dag import Dag
from bnlab.learners.boss.search import BestOrderSearch
from bnlab.learners.chain import Chain
from bnlab.learners.edges import Known, Within
from bnlab.learners.exact.cutting_planes import Cluster, Program, Relaxation
from bnlab.learners.exact.dynamic_programming import best_network, score_of_sets
from bnlab.learners.parent_sets import ParentSets, ParentSetSearch, least_sets
from bnlab.learners.types import Integers, Mask, ParentTuples, Phi, check_time_limit
from bnlab.search import Described, Progress, Snapshot, Work, run

SUBSETS = 20
"""Variables up to which dynamic programming takes less than a few seconds and 200 MB."""
FIRST_NODES = 1 << 10
"""Nodes of the first tree of branch and bound; each further one may have twice as many."""
SAME = 1e-9
"""Part of the score below which bound and score are the same."""
TRIED_FIRST = 50
"""Restarts of the search whose network the cutting planes begin with."""


def exact_search(
    phi: Phi,
    n: int,
    max_parents: int | None = 3,
    *,
    within: Within = None,
    knowledge: Known = None,
    time_limit: float | None = None,
) -> Chain:
    """Search for the network of greatest score, with a proof.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score, greater is better.
    n : int
        Number of variables.
    max_parents : int, optional
        Greatest number of parents of a variable; None for any number.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be used, as for `allowed_edges`.
    knowledge : Knowledge, optional
        Edges that the network must have or may not have.
    time_limit : float, optional
        Seconds of cutting planes after which the best network so far is the result, without a proof. The parent sets
        are scored first and do not count.

    Returns
    -------
    Chain
        A `ParentSetSearch`, then an `OptimumSearch`.

    Raises
    ------
    ValueError
        If an option is out of range, or there are too many parent sets for the memory.

    Examples
    --------
    >>> parity = lambda child, parents: 1.0 * (child == 2 and parents == (0, 1))
    >>> run(exact_search(parity, 3))
    ((), (), (0, 1))
    """
    k = n - 1 if max_parents is None else at_least("max_parents", max_parents, 0)
    scored = ParentSetSearch(phi, n, k, within=within, knowledge=knowledge)

    def then(sets: ParentSets) -> OptimumSearch:
        if n <= SUBSETS:
            return OptimumSearch(sets, time_limit=time_limit)
        start = run(BestOrderSearch(phi, n, restarts=TRIED_FIRST, knowledge=scored.edges))
        return OptimumSearch(sets, start=start, time_limit=time_limit)

    return Chain(scored, then)


@dataclass(frozen=True, eq=False)
class OptimumState:
    """State of an `OptimumSearch`.

    Attributes
    ----------
    network : tuple of tuple of int
        Best network so far.
    score : float
        Its score.
    bound : float
        No network scores more.
    clusters : tuple of Cluster
        Clusters of variables whose rows the programs have.
    kept : ndarray of int64
        Columns that a better network may use.
    nodes : int
        Nodes that the next integer program may have; 0 while linear programs still find violated clusters.
    iteration : int
    seconds : float
        Duration of the steps so far; 0 without a time limit.
    done : bool
    """

    network: ParentTuples
    score: float
    bound: float
    clusters: tuple[Cluster, ...]
    kept: Integers
    nodes: int = 0
    iteration: int = 0
    seconds: float = 0.0
    done: bool = False

    @property
    def proven(self) -> bool:
        """Whether no network scores more than the best one so far."""
        return self.bound - self.score <= SAME * abs(self.score)


@dataclass(frozen=True)
class OptimumSearch(Described):
    """Search for the network of greatest score among those whose families are given: a `Search`.

    Parameters
    ----------
    sets : tuple of tuple of (float, tuple of int)
        Result of a `ParentSetSearch`: scores and parents of each variable's sets, best first. One of them, mostly the
        empty set, is part of all others.
    start : tuple of tuple of int, optional
        A good network: sets of parents that no better network can have are then left out early.
    subsets : int
        Number of variables up to which dynamic programming over subsets is used, and cutting planes beyond.
    time_limit : float, optional
        Seconds after which the search ends with its best network and an upper bound.

    Raises
    ------
    ValueError
        If a variable has no set of parents that is part of all its others, or the time limit is negative.

    Notes
    -----
    Scores are those of `ParentSetSearch`, which rounds them to about 1e-10 of the greatest. The search ends when the
    bound exceeds the score by no more than 1e-9 of it.
    """

    sets: ParentSets
    start: ParentTuples | None = field(default=None, kw_only=True)
    subsets: int = field(default=SUBSETS, kw_only=True)
    time_limit: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_counts(1, variables=len(self.sets))
        _ = self._least
        check_time_limit(self.time_limit)

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Dag:
        """DAG of a sketch: parents of each variable."""
        return Dag(names, sketch)

    def init(self) -> OptimumState:
        """Return the network to begin with; each variable with its best parents bounds the score."""
        network = self._program.subsets_of(self.start or self._least)
        bound = sum(of_v[0][0] for of_v in self.sets)
        columns = np.arange(len(self._program.score))
        return self._ended(OptimumState(network, score_of_sets(self.sets, network), bound, (), columns))

    def step(self, state: OptimumState) -> tuple[OptimumState, Progress]:
        """Solve one program: the optimum over subsets, a linear program, or an integer program with a limit."""
        began = perf_counter()
        if len(self.sets) <= self.subsets:
            network = best_network(self.sets)
            score = score_of_sets(self.sets, network)
            after = replace(state, network=network, score=score, bound=score)
        elif state.nodes:
            after = self._branched(state)
        else:
            after = self._cut(state)
        after = replace(after, iteration=state.iteration + 1)
        if self.time_limit is not None:
            after = replace(after, seconds=state.seconds + perf_counter() - began)
        after = self._ended(after)
        return after, Progress(after.iteration, (after.score,), after.score, bound=after.bound)

    def is_done(self, state: OptimumState) -> bool:
        """Whether the optimum is proven, or the time is over."""
        return state.done

    def result(self, state: OptimumState) -> ParentTuples:
        """Ascending parents of each variable in the best network so far."""
        return state.network

    def snapshot(self, state: OptimumState) -> Snapshot:
        """Programs solved, and the best network so far."""
        return Snapshot(Work(state.iteration, state.iteration + 1 - state.done, "programs"), state.network)

    @cached_property
    def _least(self) -> ParentTuples:
        """Parents that each variable has in all its sets."""
        return least_sets(self.sets)

    @cached_property
    def _program(self) -> Program:
        return Program(self.sets)

    def _ended(self, state: OptimumState) -> OptimumState:
        late = self.time_limit is not None and state.seconds >= self.time_limit
        return replace(state, done=late or state.proven)

    def _cut(self, state: OptimumState) -> OptimumState:
        """Solve a linear program, and add rows for the clusters that its solution violates."""
        found = self._program.relaxed(state.clusters, state.kept)
        after = self._better(state, found)
        clusters = self._program.violated(found.shares) - set(after.clusters)
        if not clusters:
            if np.all(np.minimum(found.shares, 1 - found.shares) < 1e-6):
                return replace(after, bound=after.score)
            return replace(after, nodes=FIRST_NODES)
        return replace(after, clusters=(*after.clusters, *sorted(clusters)))

    def _branched(self, state: OptimumState) -> OptimumState:
        """Solve an integer program, and add rows for the cycles of its solution."""
        found = self._program.whole(state.clusters, state.kept, state.nodes)
        after = self._better(state, found)
        clusters = self._program.violated(found.shares) - set(after.clusters)
        if not clusters:
            return replace(after, nodes=2 * state.nodes)
        return replace(after, clusters=(*after.clusters, *sorted(clusters)))

    def _better(self, state: OptimumState, found: Relaxation) -> OptimumState:
        """State with the bound of a solution, the network near it if that is better, and columns of no use left out."""
        bound = min(state.bound, found.bound)
        network, score = state.network, state.score
        near = self._program.network(found.shares)
        if (of_near := score_of_sets(self.sets, near)) > score:
            network, score = near, of_near
        useful: Mask = found.bound - found.costs[state.kept] >= score - SAME * abs(score)
        useful |= self._program.families(network)[state.kept]
        return replace(state, network=network, score=score, bound=max(bound, score), kept=state.kept[useful])
