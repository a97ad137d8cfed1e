"""Structures from rows with missing values: structural expectation-maximisation with any learner.

Each round estimates the parameters of the present graph by expectation-maximisation, draws the missing values of each
row several times from their distribution given the observed ones, and learns a graph from the mean of the counts of
the drawn tables, which is the Monte Carlo estimate of the expected counts (Wei and Tanner 1990).

References
----------
Friedman (1997), Learning belief networks in the presence of missing values and hidden variables.
Friedman (1998), The Bayesian structural EM algorithm.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple, TypeAlias

from bnlab.counts.incomplete import AvailableCases, ExpectedCounts
from bnlab.counts.source import CountSource
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.learners.edges import at_least
from bnlab.learners.growing_tree import GrowingTree
from bnlab.learners.types import ParentTuples
from bnlab.networks.em import ExpectationMaximization
from bnlab.networks.fit import fit
from bnlab.networks.impute import impute
from bnlab.networks.smoothing import BDeuPrior
from bnlab.scores import local_scores
from bnlab.search import Progress, Search, Trace, run

TOLERANCE = 1e-4
MAX_ITERATIONS = 10
"""Of the parameters in a round: the graph changes anyway, and the next round starts from what this one found."""

MakeSearch: TypeAlias = Callable[[CountSource], Search[Any, Any, ParentTuples]]


class StructuralState(NamedTuple):
    """State of structural expectation-maximisation.

    Attributes
    ----------
    parents : tuple of tuple of int
        Present graph.
    source : CountSource
        Counts that it is learned from.
    seen : frozenset
        All graphs so far.
    iteration : int
        Rounds made.
    done : bool
        Whether the last round led to a graph seen before, or was the last one.
    best : float
        Greatest log-posterior density of the parameters of a graph, in nats.
    """

    parents: ParentTuples
    source: CountSource | None = None
    seen: frozenset[ParentTuples] = frozenset()
    iteration: int = 0
    done: bool = False
    best: float = -inf


class StructuralEM:
    """Structural expectation-maximisation, as a search that can be watched and stopped.

    The first graph is the tree of greatest BIC, each family scored on the rows in which it is complete: exact inference
    in a tree is fast. The search ends with a round that leads to a graph seen before.

    Parameters
    ----------
    table : Table
        With missing values.
    make : callable (CountSource) -> Search
        Makes the search that learns a graph from counts.
    draws : int
        Number of times that the missing values are drawn in a round.
    rounds : int
        Greatest number of rounds.
    seed : int
        Of the values drawn.

    Raises
    ------
    ValueError
        When `draws` or `rounds` is less than 1, or `seed` less than 0.

    Examples
    --------
    >>> import numpy as np
    >>> from bnlab.learners import make_search
    >>> from bnlab.networks import cancer
    >>> table = cancer().sample(5000, seed=1)
    >>> gaps = np.random.default_rng(1).random((5, 5000)) < 0.1
    >>> columns = [np.where(gap, 2, table.column(i)) for i, gap in enumerate(gaps)]
    >>> incomplete = Table(table.variables, columns, gaps=True)
    >>> search = StructuralEM(incomplete, lambda source: make_search(source, "exact", score="bic"))
    >>> sorted(Dag(table.names, run(search)).edges)
    [('Cancer', 'Dyspnoea'), ('Cancer', 'Xray'), ('Pollution', 'Cancer'), ('Smoker', 'Cancer')]
    """

    def __init__(self, table: Table, make: MakeSearch, *, draws: int = 10, rounds: int = 20, seed: int = 0) -> None:
        self._table, self._make = table, make
        self._draws, self._rounds = at_least("draws", draws, 1), at_least("rounds", rounds, 1)
        self._seed = at_least("seed", seed, 0)

    def init(self) -> StructuralState:
        """Graph without edges, before the first is learned."""
        return StructuralState(((),) * self._table.n_variables)

    def step(self, state: StructuralState) -> tuple[StructuralState, Progress]:
        """Learn a graph; information: the log-posterior density of the parameters of the graph before it, in nats."""
        if state.source is None:
            source: CountSource = AvailableCases(self._table)
            parents = run(GrowingTree(local_scores(source), self._table.n_variables))
            return StructuralState(parents, source), Progress(0, (), -inf)
        source, score = self._expected(state.parents, state.source)
        parents, iteration = run(self._make(source)), state.iteration + 1
        done = parents in state.seen or iteration >= self._rounds
        best = max(score, state.best)
        seen = state.seen | {parents}
        return StructuralState(parents, source, seen, iteration, done, best), Progress(iteration, (score,), best)

    def is_done(self, state: StructuralState) -> bool:
        """Whether the last round led to a graph seen before, or was the last one."""
        return state.done

    def result(self, state: StructuralState) -> ParentTuples:
        """Parents of each variable in the present graph."""
        return state.parents

    def _expected(self, parents: ParentTuples, source: CountSource) -> tuple[CountSource, float]:
        """Expected counts under a graph, and the log-posterior density of its parameters."""
        graph = Dag(self._table.names, parents)
        start = fit(graph, source, BDeuPrior())
        search = ExpectationMaximization(
            graph, self._table, BDeuPrior(), tolerance=TOLERANCE, max_iterations=MAX_ITERATIONS, start=start
        )
        trace = Trace()
        net = search.result(trace.run(search))
        tables = impute(net, self._table, "sample", seed=self._seed, n=self._draws)
        return ExpectedCounts(tables), float(trace.scores[-1])
