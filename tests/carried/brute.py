"""What rows say, read off them one by one: counts, likelihoods, estimates, and which graphs the data tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import log

import numpy as np

from bnlab.counts import CountSource, FamilyCounts
from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork
from bnlab.scores import local_scores
from tests.learners.small_problems import every_dag

Row = tuple[int, ...]


def rows_of(table: Table) -> Iterator[tuple[Row, frozenset[int], float]]:
    """Codes of each row, the arity for a missing value; the variables that were set in it; and its weight."""
    weights = [1] * table.n_rows if table.weights is None else table.weights.tolist()
    columns = [table.column(v).tolist() for v in range(table.n_variables)]
    was_set = [table.intervened(name) for name in table.names]
    for n, row in enumerate(zip(*columns, strict=True)):
        yield row, frozenset(v for v in range(table.n_variables) if was_set[v][n]), weights[n]


def counts_of(table: Table, child: int, parents: tuple[int, ...]) -> FamilyCounts:
    """Weights of rows that do not set the child and miss no member, times those that do not set it by these."""
    found: dict[int, np.ndarray] = {}
    counted = total = 0.0
    for row, was_set, weight in rows_of(table):
        if child in was_set or not weight:
            continue
        total += weight
        if any(row[v] == table.arities[v] for v in (child, *parents)):
            continue
        counted += weight
        code = 0
        for parent in parents:
            code = code * table.arities[parent] + row[parent]
        found.setdefault(code, np.zeros(table.arities[child]))[row[child]] += weight
    codes = sorted(found)
    cells = np.array([found[code] for code in codes]).reshape(len(codes), table.arities[child])
    scaled = cells * (total / (counted or 1.0))
    if np.array_equal(scaled, scaled.round()):
        scaled = scaled.astype(np.int64)
    return FamilyCounts(scaled, np.array(codes, np.int64), tuple(table.arities[p] for p in parents))


class BruteForce(CountSource):
    """Counts of a table, row by row."""

    def __init__(self, table: Table) -> None:
        weights = [weight for _, _, weight in rows_of(table)]
        super().__init__(table.variables, sum(weights))
        self._table = table
        self.experiments = frozenset(frozenset(table.names[v] for v in was_set) for _, was_set, _ in rows_of(table))
        self.same_rows = self.experiments == {frozenset()} and not table.gaps
        self.whole = not table.gaps and all(weight == round(weight) for weight in weights)

    def count(self, families):
        return [counts_of(self._table, *family) for family in families]

    def rows_of(self, child):
        return sum(weight for _, was_set, weight in rows_of(self._table) if child not in was_set)


def completions(table: Table, row: Row) -> Iterator[Row]:
    return product(*(range(r) if code == r else (code,) for code, r in zip(row, table.arities, strict=True)))


def weights_of(net: BayesianNetwork, table: Table, row: Row, was_set: frozenset[int]) -> dict[Row, float]:
    """Probability of each completion of a row; values that were set count as 1, or as equally likely if missing."""
    found = {}
    for full in completions(table, row):
        weight = 1.0
        for v, parents in enumerate(net.dag.parents):
            if v not in was_set:
                weight *= float(net.cpts[v][tuple(full[u] for u in (*parents, v))])
            elif row[v] == table.arities[v]:
                weight /= table.arities[v]
        found[full] = weight
    return found


def log_likelihood(net: BayesianNetwork, table: Table) -> list[float]:
    return [log(sum(weights_of(net, table, row, was_set).values())) for row, was_set, _ in rows_of(table)]


def most_probable(net: BayesianNetwork, table: Table) -> list[list[int]]:
    """Each row with its most probable missing values."""
    found = []
    for row, was_set, _ in rows_of(table):
        weights = weights_of(net, table, row, was_set)
        found.append(list(max(weights, key=weights.__getitem__)))
    return found


def expectation_maximisation(dag: Dag, table: Table, ess: float = 0.0, tolerance: float = 1e-6) -> BayesianNetwork:
    """Probability tables by enumeration of all completions, from the rows in which a family is complete plus one.

    The equivalent sample size of a BDeu prior is spread over the cells of each table.
    """
    tables = []
    for v, parents in enumerate(dag.parents):
        cells = np.ones([table.arities[u] for u in (*parents, v)])
        for row, was_set, often in rows_of(table):
            member = tuple(row[u] for u in (*parents, v))
            if v not in was_set and all(row[u] < table.arities[u] for u in (*parents, v)):
                cells[member] += often
        tables.append(cells / cells.sum(axis=-1, keepdims=True))
    before = -np.inf
    for step in range(1000):
        net = BayesianNetwork(dag, table.variables, tables)
        expected = [np.full(cpt.shape, ess / cpt.size) for cpt in tables]
        objective = sum(ess * float(np.log(cpt).mean()) for cpt in tables) if ess else 0.0
        for row, was_set, often in rows_of(table):
            weights = weights_of(net, table, row, was_set)
            total = sum(weights.values())
            objective += often * log(total)
            for full, weight in weights.items():
                for v, parents in enumerate(dag.parents):
                    if v not in was_set:
                        expected[v][tuple(full[u] for u in (*parents, v))] += often * weight / total
        sums = [cells.sum(axis=-1, keepdims=True) for cells in expected]
        tables = [
            np.where(s > 0, cells / np.where(s > 0, s, 1), 1 / cells.shape[-1])
            for cells, s in zip(expected, sums, strict=True)
        ]
        if step and objective - before < tolerance * abs(objective):
            break
        before = objective
    return BayesianNetwork(dag, table.variables, tables)


def arcs_of_class(dag: Dag, table: Table) -> np.ndarray:
    """Share of each direction of an edge: 1 if all graphs that score the same on any such rows have it, else a half.

    Complete random rows with the same interventions stand for any rows.
    """
    rng = np.random.default_rng(0)
    rows = Table(table.variables, [rng.integers(0, r, table.n_rows) for r in table.arities]).carrying(table)
    phi = local_scores(BruteForce(rows), "bdeu")
    own = phi.total(dag.parents)
    alike = [parents for parents in every_dag(len(dag.names)) if abs(phi.total(parents) - own) < 1e-9]
    arcs = np.zeros((len(dag.names), len(dag.names)))
    for v, parents in enumerate(dag.parents):
        for u in parents:
            fixed = all(u in other[v] for other in alike)
            arcs[u, v], arcs[v, u] = (1.0, 0.0) if fixed else (0.5, 0.5)
    return arcs


def repeated(table: Table) -> Table:
    """Rows without weights, each as often as its weight says."""
    often = [int(weight) for _, _, weight in rows_of(table)]
    return table.with_weights(None).take([row for row, times in enumerate(often) for _ in range(times)])


def random_table(
    seed: int, *, gaps: bool = False, interventions: bool = False, weights: str = "", n_rows: int = 90
) -> Table:
    """Three dependent variables; in two of five rows one or two were set, and every sixth value is missing.

    Weights are whole numbers from 0 to 3, or fractions.
    """
    rng = np.random.default_rng(seed)
    arities = (2, 3, 2)
    x = rng.integers(0, 2, n_rows)
    y = np.where(rng.random(n_rows) < 0.7, x, rng.integers(0, 3, n_rows))
    z = np.where(rng.random(n_rows) < 0.7, y > 0, rng.integers(0, 2, n_rows)).astype(int)
    columns = [x, y, z]
    variables = [Variable(name, tuple(range(r))) for name, r in zip("xyz", arities, strict=True)]
    targets = [""] * n_rows
    if interventions:
        targets = [("", "", "", "y", "x;z", "z")[k] for k in rng.integers(0, 6, n_rows)]
        columns = [
            np.where([name in target for target in targets], rng.integers(0, r, n_rows), column)
            for name, r, column in zip("xyz", arities, columns, strict=True)
        ]
    if gaps:
        columns = [np.where(rng.random(n_rows) < 1 / 6, r, column) for r, column in zip(arities, columns, strict=True)]
    table = Table(variables, columns, gaps=gaps).with_interventions(targets)
    if not weights:
        return table
    return table.with_weights(rng.integers(0, 4, n_rows) if weights == "whole" else rng.exponential(1.0, n_rows))
