"""Probability tables from rows with missing values: the expectation-maximisation algorithm.

Each step computes the expected counts of all families given the observed values, by exact inference, and estimates the
tables from them as from counts. No step decreases the objective,

    sum over rows of log P(observed values) + sum over i, j, k of a_ik log theta_ijk,

which is the log-likelihood of the observed values or, with a prior, the log-posterior density up to a constant.

A noisy-OR is the one of greatest likelihood for the expected counts, found by a second expectation-maximisation, over
which causes acted (`bnlab.networks.noisy_or`).

References
----------
Dempster, Laird and Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm.
Lauritzen (1995), The EM algorithm for graphical association models with missing data.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.types import fits
from bnlab._runtime.values import at_least
from bnlab.counts.source import count_source
from bnlab.counts.types import FamilyCounts, FloatArray
from bnlab.data.load import as_table
from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.graphs.dag import GraphLike, as_dag
from bnlab.networks.expert import ExpertCounts, expert_tables
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.noisy_or import NoisyNodes, fitted_noisy_or, noisy_nodes
from bnlab.networks.propagation import CodeArray, Propagation, factors_of, ordered_as
from bnlab.networks.rows import codes_of_rows, impossible_row, incomplete_rows
from bnlab.networks.set_variables import SameSet, by_set_variables
from bnlab.networks.smoothing import Smoothing, checked_smoothing
from bnlab.search import Progress

Tables = tuple[FloatArray, ...]


class EMState(NamedTuple):
    """State of the algorithm.

    Attributes
    ----------
    tables : tuple of ndarray of float64
        Current probability tables.
    objective : float
        Log-likelihood, or log-posterior density, before the last step.
    iteration : int
        Number of steps of all runs.
    run : int
        Number of the current run; the first one is 0.
    since : int
        Number of steps of the current run.
    best, best_objective
        Tables and objective of the best finished run; None and -inf before the first one has finished.
    """

    tables: Tables
    objective: float
    iteration: int
    run: int
    since: int
    best: Tables | None
    best_objective: float


class ExpectationMaximization:
    """Expectation-maximisation of the parameters of a graph, as a search that can be watched and stopped.

    Complete rows are counted once. Equal incomplete rows are computed once, all in the same sweeps. A row that sets a
    variable says nothing on how this variable depends on its parents, and does not count for its table.

    Parameters
    ----------
    dag : Dag, networkx.DiGraph or iterable of (parent, child) names
    table : Table
        On the same variables; with or without missing values.
    smoothing : Smoothing, optional
        By default `MaximumLikelihood`. `MarginalPseudoRows` uses the observed frequencies of the child.
    restarts : int
        Number of further runs, which start from random tables; the best result is returned. The first run starts from
        the rows in which a family is complete, plus one row per cell; if a variable is never observed, it starts from
        random tables too.
    tolerance : float
        A run ends when a step improves the objective by at most this fraction of its absolute value.
    max_iterations : int
        Maximum number of steps of a run.
    seed : int
        Seed of the random tables.
    start : BayesianNetwork, optional
        Network of the same graph; the first run starts from its tables.

    Raises
    ------
    ValueError
        If graph and data have different variables, an option is out of range, or exact inference in the graph needs too
        much memory; `ImpossibleEvidence` in a step if a row has probability 0 under the tables of `start`.
    TypeError
        If the table or `smoothing` has another type, or an option that must be an integer is not.

    Examples
    --------
    >>> from bnlab.data import Variable
    >>> from bnlab.search import run
    >>> table = Table([Variable("x", ("a", "b")), Variable("y", (0, 1))], [[0, 0, 1, 1, 0], [0, 1, 1, 1, 2]], gaps=True)
    >>> run(ExpectationMaximization([("x", "y")], table)).cpt("x").round(3)
    array([0.6, 0.4])
    """

    def __init__(
        self,
        dag: GraphLike,
        table: Table,
        smoothing: Smoothing | None = None,
        *,
        restarts: int = 0,
        tolerance: float = 1e-6,
        max_iterations: int = 1000,
        seed: int = 0,
        start: BayesianNetwork | None = None,
    ) -> None:
        for name, value, least in (("restarts", restarts, 0), ("max_iterations", max_iterations, 1), ("seed", seed, 0)):
            at_least(name, value, least)
        if not fits(tolerance, float) or not tolerance > 0:
            raise ValueError(f"tolerance={tolerance!r}: a number greater than 0 is needed.")
        table = as_table(table)
        self.dag = as_dag(dag, table.names)
        same = isinstance(start, BayesianNetwork) and (start.variables, start.dag) == (table.variables, self.dag)
        if start is not None and not same:
            raise ValueError("start: a network of the same graph, variables and states is needed.")
        self._smoothing = checked_smoothing(smoothing)
        self._table, self._start = table, start
        self._restarts, self._tolerance, self._max_iterations, self._seed = restarts, tolerance, max_iterations, seed
        self._shapes = [tuple(table.arities[v] for v in (*p, i)) for i, p in enumerate(self.dag.parents)]
        gappy = incomplete_rows(table)
        counted = gappy if table.weights is None else gappy & (table.weights > 0)
        self._incomplete = [_Incomplete.of(table, same) for same in by_set_variables(table, self.dag, counted)]
        self._noisy: Mapping[int, Mapping[str, Hashable]] = {}
        self._expert: Mapping[int, FloatArray] = {}
        self._complete = [np.zeros(shape) for shape in self._shapes]
        if not gappy.all():
            counts = count_source(table.take(~gappy)).count(list(enumerate(self.dag.parents)))
            self._complete = [c.dense().astype(np.float64) for c in counts]

    def with_prior(self, prior: ExpertCounts | None) -> ExpectationMaximization:
        """Return the search with expert counts of some nodes, as for `bnlab.networks.fit`, beside the rows."""
        new, added = copy(self), expert_tables(prior, self.dag, self._table.variables)
        new._complete = [c + added[i] if i in added else c for i, c in enumerate(self._complete)]
        new._expert = added
        return new

    def with_noisy_or(self, noisy_or: NoisyNodes) -> ExpectationMaximization:
        """Return the search with tables of some nodes that are noisy-ORs, as for `bnlab.networks.fit`."""
        new = copy(self)
        new._noisy = noisy_nodes(noisy_or, self.dag, self._table.variables)
        return new

    @cached_property
    def _prior(self) -> list[FloatArray]:
        """Pseudo-counts a_k of each variable; smoothing that uses frequencies gets those observed or expert."""
        found = []
        for i, arity in enumerate(self._table.arities):
            kept = ~self._table.intervened(self._table.names[i])
            weights = None if self._table.weights is None else self._table.weights[kept]
            observed = np.bincount(self._table.column(i)[kept], weights, arity + 1)[:arity]
            if i in self._expert:
                observed = observed + self._expert[i].reshape(-1, arity).sum(axis=0)
            counts = FamilyCounts(observed[None, :], np.zeros(1, np.int64), self._shapes[i][:-1])
            found.append(np.asarray(self._smoothing.pseudo_counts(counts), dtype=np.float64))
        return found

    def init(self) -> EMState:
        """Tables of the first start."""
        return EMState(self._first_tables(), -np.inf, 0, 0, 0, None, -np.inf)

    def step(self, state: EMState) -> tuple[EMState, Progress]:
        """Make one step of expectation and maximisation; the progress reports the objective before it."""
        tables, objective = self._improved(state.tables)
        gain = objective - state.objective
        iteration, since = state.iteration + 1, state.since + 1
        best, best_objective, run = state.best, state.best_objective, state.run
        if (since > 1 and gain <= self._tolerance * abs(objective)) or since >= self._max_iterations:
            if best is None or objective > best_objective:
                best, best_objective = tables, objective
            run, since = run + 1, 0
            if run <= self._restarts:
                tables = self._random_tables(run)
        after = EMState(tables, objective if since else -np.inf, iteration, run, since, best, best_objective)
        return after, Progress(iteration, (objective,), max(objective, best_objective))

    def is_done(self, state: EMState) -> bool:
        """Whether all runs have ended."""
        return state.run > self._restarts

    def result(self, state: EMState) -> BayesianNetwork:
        """Return the network with the best tables so far."""
        tables = state.tables if state.best is None or state.objective > state.best_objective else state.best
        return BayesianNetwork(self.dag, self._table.variables, tables)

    def counts(self, state: EMState) -> list[FamilyCounts]:
        """Return the expected counts of all families under the best tables so far."""
        expected, _ = self._expected(self.result(state).cpts)
        return [family_counts(table) for table in expected]

    def _expected(self, tables: Tables) -> tuple[list[FloatArray], float]:
        """Expected counts, and the log-likelihood of the incomplete rows."""
        counts, log_likelihood = list(self._complete), 0.0
        for part in self._incomplete:
            found, value = part.expected_counts(tables)
            log_likelihood += value
            counts = [a if b is None else a + b for a, b in zip(counts, found, strict=True)]
        return counts, log_likelihood

    def _improved(self, tables: Tables) -> tuple[Tables, float]:
        """Tables after a step, and the objective before it."""
        expected, objective = self._expected(tables)
        for counts, table, added in zip(self._complete, tables, self._prior, strict=True):
            weights = counts + added
            objective += float(np.sum(weights[weights > 0] * np.log(table[weights > 0])))
        total = [counts + added for counts, added in zip(expected, self._prior, strict=True)]
        return self._constrained(tuple(map(_estimated, total)), total), objective

    def _constrained(self, tables: Tables, counts: Sequence[FloatArray]) -> Tables:
        """Tables of which those of some nodes are the noisy-OR of greatest likelihood for these counts."""
        variables, parents = self._table.variables, self.dag.parents
        ors = {
            i: fitted_noisy_or(counts[i], variables[i], [variables[p] for p in parents[i]], on)
            for i, on in self._noisy.items()
        }
        return tuple(ors.get(i, table) for i, table in enumerate(tables))

    def _first_tables(self) -> Tables:
        if self._start is not None:
            return self._constrained(self._start.cpts, self._start.cpts)
        table = self._table
        counted = slice(None) if table.weights is None else table.weights > 0
        if any((table.column(i)[counted] == arity).all() for i, arity in enumerate(table.arities)):
            return self._random_tables(0)
        observed = [self._observed(i) + 1 for i in range(len(self._shapes))]
        return self._constrained(tuple(map(_estimated, observed)), observed)

    def _observed(self, i: int) -> FloatArray:
        """Counts of a family in the rows in which it is complete and its child was not set."""
        code = np.zeros(self._table.n_rows, dtype=np.intp)
        known = ~self._table.intervened(self._table.names[i])
        for v, arity in zip((*self.dag.parents[i], i), self._shapes[i], strict=True):
            column = self._table.column(v)
            known &= column < arity
            code = code * arity + column
        size = int(np.prod(self._shapes[i]))
        weights = None if self._table.weights is None else self._table.weights[known]
        return np.bincount(code[known], weights, size).reshape(self._shapes[i]).astype(np.float64)

    def _random_tables(self, run: int) -> Tables:
        generator = np.random.default_rng([self._seed, run])
        tables = tuple(generator.dirichlet(np.ones(shape[-1]), shape[:-1]) for shape in self._shapes)
        return self._constrained(tables, tables)


class _Incomplete(NamedTuple):
    """Incomplete rows in which the same variables were set; equal rows once, with the sum of their weights."""

    same: SameSet
    variables: tuple[Variable, ...]
    tree: Propagation
    codes: CodeArray
    times: FloatArray
    correction: float

    @classmethod
    def of(cls, table: Table, same: SameSet) -> _Incomplete:
        rows: Any = codes_of_rows(table, same.rows)
        codes, where = np.unique(rows, axis=1, return_inverse=True)
        weights = None if table.weights is None else table.weights[same.rows]
        times = np.bincount(where.ravel(), weights, codes.shape[1]).astype(np.float64)
        correction = float(same.correction(codes, table.arities) @ times)
        tree = Propagation.of_graph(same.dag, table.arities)
        return cls(same, table.variables, tree, codes, times, correction)

    def expected_counts(self, tables: Tables) -> tuple[list[FloatArray | None], float]:
        """Expected counts of each family, None if its child was set; and the log-likelihood."""
        cpts = self.same.tables(tables)
        found, value = self.tree.expected(self.tree.product(factors_of(self.same.dag, cpts)), self.codes, self.times)
        if value == -np.inf:
            raise impossible_row(BayesianNetwork(self.same.dag, self.variables, cpts), self.codes)
        families = [(*parents, i) for i, parents in enumerate(self.same.dag.parents)]
        counts = [
            None if i in self.same.targets else ordered_as(family, table, self.tree.arities)
            for i, (family, table) in enumerate(zip(families, found, strict=True))
        ]
        return counts, value + self.correction


def family_counts(table: FloatArray) -> FamilyCounts:
    """Counts of a family from its whole table, shape ``(*parent_arities, r)``."""
    rows: Any = table.reshape(-1, table.shape[-1])
    occurs = np.flatnonzero(rows.any(axis=1))
    return FamilyCounts(rows[occurs], occurs, table.shape[:-1])


def _estimated(table: FloatArray) -> FloatArray:
    """Probabilities from counts, shape (*parent_arities, r); uniform where all are 0."""
    total = table.sum(axis=-1, keepdims=True)
    return np.where(total > 0, table / np.where(total > 0, total, 1.0), 1 / table.shape[-1])
