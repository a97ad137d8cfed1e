"""Structures from rows with missing values: structural expectation-maximisation with any learner.

Each round estimates the parameters of the present graph by expectation-maximisation, draws the missing values of each
row several times from their distribution given the observed ones, and learns a graph from the mean of the counts of
the drawn tables, which is the Monte Carlo estimate of the expected counts (Wei and Tanner 1990).

Two variables without an edge are drawn as independent. The expected counts therefore underestimate an edge that the
present graph lacks: if a share f of the rows has both values, they show about f times the evidence. Therefore the first
rounds weigh the counts by 1 / f, and a second run starts from a graph with more edges. Two further runs start from the
graphs of single imputation and of a missing state, because a missing value is informative if some states are missing
more often than others. With `not_at_random` one more run starts from the best graph so far and models this
(`bnlab.learners.indicators`). With few variables a search over pairs follows. It adds the edge between the two to the
best graph so far, or removes it, and learns a graph from the counts under the changed graph, which neither hide nor
exaggerate that edge. It ends when no pair leads to a better graph. The result is the graph of greatest observed-data
score among all that the learner found,

    score(B, expected counts) - log-likelihood(B, expected counts) + log P(observed values | B, its parameters),

which is BIC of the observed values for BIC, and approximates the marginal likelihood for a Bayesian score (Cheeseman
and Stutz 1996).

References
----------
Cheeseman and Stutz (1996), Bayesian classification (AutoClass): theory and results.
Friedman (1997), Learning belief networks in the presence of missing values and hidden variables.
Friedman (1998), The Bayesian structural EM algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import at_least
from bnlab.counts.base import CountSource
from bnlab.counts.incomplete import AvailableCases, ExpectedCounts
from bnlab.counts.source import count_source
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.graphs.pdag import Pdag, essential_graph
from bnlab.learners.growing_tree import GrowingTree
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.indicators import MissingIndicators, Tables
from bnlab.learners.types import ParentTuples
from bnlab.networks.em import ExpectationMaximization
from bnlab.networks.fit import fit
from bnlab.networks.impute import impute
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.propagation import Propagation
from bnlab.networks.smoothing import BDeuPrior
from bnlab.scores import LocalScores, local_scores
from bnlab.search import Described, Progress, Search, Snapshot, Trace, run

TOLERANCE = 1e-4
MAX_ITERATIONS = 10
"""Iterations for the parameters in a round. The graph changes anyway, and the next round starts from their result."""
EXPLORING = 2
"""Rounds with weighted counts at the start of the first run, and of the run that models how values are missing."""
PATIENCE = 2
"""Rounds without a better graph after which a run ends."""
MAX_WEIGHT = 4.0
MAX_PAIRED = 8
"""Maximum number of variables for the search over pairs: with 11 it takes ten times as long as the four runs before."""
MAX_CELLS = 2**15
"""Maximum number of cells in the cliques of a graph that may have too many edges: more take inference too long."""

MakeSearch: TypeAlias = Callable[[CountSource], Search[Any, Any, ParentTuples]]


class StructuralState(NamedTuple):
    """State of structural expectation-maximisation.

    Attributes
    ----------
    parents : tuple of tuple of int
        Present graph.
    start : tuple of ndarray of float64, optional
        Conditional probabilities of the graph from the counts that it was learned from; None before the first graph of
        a run.
    seen : frozenset of Pdag
        Essential graphs so far in this run, except those from weighted counts, or in the search over pairs.
    iteration : int
        Rounds made.
    run, since : int
        Number of the run, and number of its rounds so far; a pair counts as a run.
    reached : float
        Greatest observed-data score of a graph of the learner in this run, in nats.
    stale : int
        Number of rounds or pairs since it last rose by more than the tolerance.
    best : float
        Greatest observed-data score of a graph of the learner, in nats.
    best_parents : tuple of tuple of int, optional
        That graph.
    mechanism, best_mechanism : tuple of ndarray of float64
        P(missing | value) of each variable with gaps, in this run and with the best graph; empty if values are
        assumed to be missing at random.
    """

    parents: ParentTuples
    start: Tables | None = None
    seen: frozenset[Pdag] = frozenset()
    iteration: int = 0
    run: int = 0
    since: int = 0
    reached: float = -inf
    stale: int = 0
    best: float = -inf
    best_parents: ParentTuples | None = None
    mechanism: Tables = ()
    best_mechanism: Tables = ()


class StructuralEM(Described):
    """Structural expectation-maximisation, as a search that can be watched and stopped.

    The first run starts from the tree of greatest BIC. The second starts from a graph with at most two parents per
    variable that hill climbing finds. Both score each family on the rows in which it is complete. The third and the
    fourth start from the graphs that the learner finds when each missing value is the most frequent state of its
    variable, or one more state. With `not_at_random` a fifth starts from the best graph so far. A run ends with a round
    that leads to a graph equivalent to one seen before, or after two rounds in which the observed-data score did not
    rise. With at most eight variables the search continues with pairs. For each pair, a round starts from the best
    graph so far with the edge between them added or removed, until no pair leads to a better graph.

    Parameters
    ----------
    table : Table
        With missing values.
    make : callable (CountSource) -> Search
        Makes the search that learns a graph from counts.
    scores : callable (CountSource) -> LocalScores
        Local scores to compare graphs by, the same that the learner maximises; by default BIC.
    draws : int
        Number of times that the missing values are drawn in a round.
    rounds : int
        Maximum number of rounds of a run.
    seed : int
        Seed of the values drawn.
    not_at_random : bool
        Whether one more run models values that are missing more often in some of their own states, such as high
        incomes. Its graph is the result only if this model explains which values are missing better, by BIC, than the
        other variables do.

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

    def __init__(
        self,
        table: Table,
        make: MakeSearch,
        *,
        scores: Callable[[CountSource], LocalScores] = local_scores,
        draws: int = 10,
        rounds: int = 20,
        seed: int = 0,
        not_at_random: bool = False,
    ) -> None:
        self._table = table = table.repeated()  # each row draws its own values
        self._make, self._scores = make, scores
        self._draws, self._rounds = at_least("draws", draws, 1), at_least("rounds", rounds, 1)
        self._seed = at_least("seed", seed, 0)
        self._not_at_random = not_at_random and table.has_gaps
        observed = 1 - sum(table.gaps.values()) / max(table.n_rows * table.n_variables, 1)
        self._weight = min(max(observed, 1e-9) ** -2, MAX_WEIGHT)
        self._exploring = min(EXPLORING, self._rounds - 1) if table.has_gaps else 0
        n = table.n_variables
        self._pairs = [*combinations(range(n), 2)] if table.has_gaps and n <= MAX_PAIRED else []
        make(self._available)  # raises for wrong options before any work

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Dag:
        """DAG of a sketch: parents of each variable."""
        return Dag(names, sketch)

    def init(self) -> StructuralState:
        """Graph without edges, before the first run."""
        return StructuralState(((),) * self._table.n_variables)

    def step(self, state: StructuralState) -> tuple[StructuralState, Progress]:
        """Begin a run, or learn a graph; information: the observed-data score of the graph before it, in nats."""
        if state.run >= self._runs:
            return self._try_pair(state)
        if state.start is None:
            if state.run < len(self._starts):
                parents, since = self._starts[state.run]
            else:
                parents, since = self.result(state), 1
                state = state._replace(reached=state.best, mechanism=self._indicators.constant)
            after = state._replace(parents=parents, start=self._cpts(parents, self._available), since=since)
            return after, Progress(state.iteration, (), state.best)
        source, score, mechanism = self._expected_counts(state.parents, state.start, state.mechanism)
        after = state._replace(iteration=state.iteration + 1, since=state.since + 1, mechanism=mechanism)
        if state.since:
            after = _update_best(after, state.parents, score)
        exploring = state.since < self._exploring and state.run in (0, len(self._starts))
        parents = self._learn(source, self._weight if exploring else 1.0)
        after = after._replace(parents=parents, start=(start := self._cpts(parents, source)))
        if exploring:
            return after._replace(stale=0), Progress(after.iteration, (score,), after.best)
        seen = state.seen | {self._essential_graph(state.parents)} if state.since else state.seen
        found = self._essential_graph(after.parents)
        if found in seen or after.stale >= PATIENCE or after.since >= self._rounds:
            if found not in seen:
                after = _update_best(after, parents, self._expected_counts(parents, start, mechanism)[1])
            ended = StructuralState(after.parents, iteration=after.iteration, run=after.run + 1, best=after.best)
            after = ended._replace(best_parents=after.best_parents, best_mechanism=after.best_mechanism)
        else:
            after = after._replace(seen=seen | {found})
        return after, Progress(after.iteration, (score,), after.best)

    def is_done(self, state: StructuralState) -> bool:
        """Whether all runs have ended, and no pair leads to a better graph."""
        return state.run >= self._runs and state.stale >= len(self._pairs)

    def result(self, state: StructuralState) -> ParentTuples:
        """Parents of each variable in the best graph of the learner so far, or in its first; none before it has one."""
        if state.best_parents is not None:
            return state.best_parents
        return state.parents if state.since else ((),) * len(state.parents)

    def snapshot(self, state: StructuralState) -> Snapshot:
        """Present graph, and the best one so far."""
        return Snapshot(sketch=state.parents, best=self.result(state))

    def variable_names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self._table.names

    def _try_pair(self, state: StructuralState) -> tuple[StructuralState, Progress]:
        """Learn a graph from the counts under the best one with the edge between two variables added or removed."""
        pair, graph = self._pairs[(state.run - self._runs) % len(self._pairs)], self.result(state)
        u, v = sorted(pair, key=Dag(self._table.names, graph).topological_order.index)
        changed = list(graph)
        changed[v] = tuple(p for p in graph[v] if p != u) if u in graph[v] else (*graph[v], u)
        after = state._replace(iteration=state.iteration + 1, run=state.run + 1, stale=state.stale + 1)
        if not self._is_small(tuple(changed)):
            return after, Progress(after.iteration, (state.best,), state.best)
        start = self._cpts(tuple(changed), self._available)
        counts, score, mechanism = self._expected_counts(tuple(changed), start, state.best_mechanism)
        parents = self._learn(counts, 1.0)
        found = self._essential_graph(parents)
        if found not in state.seen | {self._essential_graph(graph)}:
            known = state._replace(reached=state.best, seen=state.seen | {found}, mechanism=mechanism)
            start = self._cpts(parents, counts)
            known = _update_best(known, parents, self._expected_counts(parents, start, mechanism)[1])
            after = known._replace(parents=parents, iteration=after.iteration, run=after.run)
        return after, Progress(after.iteration, (score,), after.best)

    @cached_property
    def _starts(self) -> list[tuple[ParentTuples, int]]:
        """Graph that each run starts from, and the rounds that count as made: one if the learner found the graph."""
        phi, n = local_scores(self._available), self._table.n_variables
        starts: list[tuple[ParentTuples, int]] = [(run(GrowingTree(phi, n)), 0)]
        if self._table.has_gaps:
            starts.append((run(HillClimbing(phi, n, max_parents=2)), 0))
            alone = fit(Dag(self._table.names, ((),) * n), self._available, BDeuPrior())
            for source in (count_source(impute(alone, self._table)), self._available.with_missing_state):
                starts.append((run(self._make(source)), 1))
        return [start for k, start in enumerate(starts) if not k or self._is_small(start[0])]

    @cached_property
    def _runs(self) -> int:
        """Number of runs before the pairs."""
        return len(self._starts) + self._not_at_random

    @cached_property
    def _indicators(self) -> MissingIndicators:
        return MissingIndicators(self._table, self._available.with_missing_state)

    @cached_property
    def _available(self) -> AvailableCases:
        return AvailableCases(self._table)

    def _learn(self, source: ExpectedCounts, weight: float) -> ParentTuples:
        """Graph from expected counts times a weight, if it is not too large for exact inference."""
        if weight > 1:
            parents = run(self._make(source.weighted(weight)))
            if self._is_small(parents):
                return parents
        return run(self._make(source))

    def _is_small(self, parents: ParentTuples) -> bool:
        try:
            return Propagation.of_graph(Dag(self._table.names, parents), self._table.arities).n_cells <= MAX_CELLS
        except ValueError:
            return False

    def _essential_graph(self, parents: ParentTuples) -> Pdag:
        return essential_graph(Dag(self._table.names, parents), self._table.experiments)

    def _cpts(self, parents: ParentTuples, source: CountSource) -> Tables:
        """Conditional probabilities of a graph from some counts."""
        return fit(Dag(self._table.names, parents), source, BDeuPrior()).cpts

    def _expected_counts(
        self, parents: ParentTuples, cpts: Tables, mechanism: Tables
    ) -> tuple[ExpectedCounts, float, Tables]:
        """Expected counts under a graph, its observed-data score, and P(missing | value) if it is modelled.

        Expectation-maximisation for the parameters starts from the conditional probabilities given.
        """
        graph, table = Dag(self._table.names, parents), self._table
        start = BayesianNetwork(graph, table.variables, cpts)
        if mechanism:
            start, table = self._indicators.added(start, mechanism), self._indicators.table
        search = ExpectationMaximization(
            start.dag, table, BDeuPrior(), tolerance=TOLERANCE, max_iterations=MAX_ITERATIONS, start=start
        )
        trace = Trace()
        net = search.result(trace.run(search))
        drawn = impute(net, table, "sample", seed=self._seed, n=self._draws)
        counts = ExpectedCounts([each.select(graph.names) for each in drawn] if mechanism else drawn)
        # The prior weighs as much as one row per family, so that its part of the objective is a mean.
        log_likelihood = float(trace.scores[-1]) - sum(float(np.log(cpt).mean()) for cpt in net.cpts)
        penalty = local_scores(counts, "ll").total(parents) - self._scores(counts).total(parents)
        penalty += self._indicators.penalty if mechanism else 0.0
        return counts, log_likelihood - penalty, net.cpts[len(parents) :]


def _update_best(state: StructuralState, parents: ParentTuples, score: float) -> StructuralState:
    """State after a comparison with a graph of the learner and its score."""
    stale = 0 if score - state.reached > TOLERANCE * abs(score) else state.stale + 1
    state = state._replace(reached=max(score, state.reached), stale=stale)
    if score <= state.best:
        return state
    return state._replace(best=score, best_parents=parents, best_mechanism=state.mechanism)
