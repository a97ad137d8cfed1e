"""Exact inference for many rows at once, each with missing values of its own.

The sweeps through the cliques are those of `JunctionTree`, with the rows as one more axis, the last. Messages are
divided by their sums, row by row, so that no product underflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.networks.inference import MAX_TREE_CELLS, check_size
from bnlab.networks.propagation import axes_index, other_axes
from bnlab.networks.triangulation import clique_tree, home_of

FloatArray = NDArray[np.float64]
CodeArray = NDArray[np.integer[Any]]

_CELLS_AT_ONCE = 2**20


class RowTree:
    """Tree of cliques of a graph, for rows of codes in which the arity stands for a missing value.

    Parameters
    ----------
    dag : Dag
    arities : sequence of int

    Attributes
    ----------
    n_cells : int
        Of all cliques.

    Raises
    ------
    ValueError
        If the cliques need more than 2**26 cells, or more memory than one operation may have.
    """

    def __init__(self, dag: Dag, arities: Sequence[int]) -> None:
        self._arities = tuple(arities)
        self._scopes = [tuple(sorted({*parents, i})) for i, parents in enumerate(dag.parents)]
        self._families = [(*parents, i) for i, parents in enumerate(dag.parents)]
        scopes = [self._with_states(scope) for scope in self._scopes]
        self._cliques, homes = clique_tree(scopes, arities, (), partial(check_size, MAX_TREE_CELLS))
        self._home = [home_of(scope, homes) for scope in scopes]
        self._shapes = [tuple(arities[v] for v in clique.nodes) for clique in self._cliques]
        sizes = [int(np.prod(shape)) for shape in self._shapes]
        self.n_cells = sum(sizes)
        check_size(MAX_TREE_CELLS, self.n_cells)
        self._step = max(_CELLS_AT_ONCE // self.n_cells, 1)
        self._entered: list[list[int]] = [[] for _ in self._cliques]
        for v in homes:
            inside = [c for c, clique in enumerate(self._cliques) if v in clique.nodes]
            self._entered[min(inside, key=sizes.__getitem__)].append(v)

    def _with_states(self, nodes: Sequence[int]) -> tuple[int, ...]:
        """Nodes that can vary: those of one state have no axis."""
        return tuple(v for v in nodes if self._arities[v] > 1)

    def expected_counts(
        self, cpts: Sequence[FloatArray], codes: CodeArray, weights: FloatArray
    ) -> tuple[list[FloatArray], float]:
        """Expected counts of all families and the log-likelihood of the observed values.

        Parameters
        ----------
        cpts : sequence of ndarray of float64, shape (*parent_arities, r)
        codes : ndarray of int, shape (n, rows)
        weights : ndarray of float64, shape (rows,)
            How often each row occurs.

        Returns
        -------
        counts : list of ndarray of float64, shape (*parent_arities, r)
        log_likelihood : float
            Nats; -inf if a row is impossible.
        """
        potentials = self._potentials(cpts)
        totals = [np.zeros(shape) for shape in self._shapes]
        log_likelihood = 0.0
        for rows in self._parts(codes.shape[1]):
            tables, messages, logs = self._inward(potentials, codes[:, rows])
            self._outward(tables, messages)
            for total, table in zip(totals, tables, strict=True):
                sums = np.add.reduce(table.reshape(-1, table.shape[-1]), axis=0)
                total += table @ np.divide(weights[rows], sums, out=np.zeros_like(sums), where=sums > 0)
            log_likelihood += float(logs @ weights[rows])
        return [self._of_family(i, totals[self._home[i]]) for i in range(len(self._families))], log_likelihood

    def log_probabilities(self, cpts: Sequence[FloatArray], codes: CodeArray) -> FloatArray:
        """Log-probability of the observed values of each row, in nats, shape (rows,)."""
        potentials = self._potentials(cpts)
        parts = [self._inward(potentials, codes[:, rows])[2] for rows in self._parts(codes.shape[1])]
        return np.concatenate(parts) if parts else np.zeros(0)

    def completed(
        self,
        cpts: Sequence[FloatArray],
        codes: CodeArray,
        method: Literal["map", "sample"],
        generators: Sequence[np.random.Generator],
    ) -> list[CodeArray]:
        """Rows with their missing values filled in, once for each random generator.

        Under "map" they are the most probable ones together, under "sample" drawn from their joint distribution given
        the observed values of the row. An impossible row is filled in as if everything were equally probable.
        """
        potentials = self._potentials(cpts)
        found = [codes.copy() for _ in generators]
        for rows in self._parts(codes.shape[1]):
            tables = self._inward(potentials, codes[:, rows], np.maximum if method == "map" else np.add)[0]
            for filled, generator in zip(found, generators, strict=True):
                self._fill(tables, filled[:, rows], generator if method == "sample" else None)
        for filled in found:
            for v, arity in enumerate(self._arities):
                if arity == 1:
                    filled[v] = 0
        return found

    def _parts(self, n_rows: int) -> Iterator[slice]:
        return (slice(begin, begin + self._step) for begin in range(0, n_rows, self._step))

    def _potentials(self, cpts: Sequence[FloatArray]) -> list[FloatArray]:
        """Product of the probability tables that each clique is given."""
        found = [np.ones(shape) for shape in self._shapes]
        for i, cpt in enumerate(cpts):
            scope, c = self._scopes[i], self._home[i]
            table = (cpt / cpt.sum(axis=-1, keepdims=True)).transpose([self._families[i].index(v) for v in scope])
            table = table.reshape([self._arities[v] for v in self._with_states(scope)])
            found[c] *= table[axes_index(self._with_states(scope), self._cliques[c].nodes)]
        return found

    def _of_family(self, i: int, total: FloatArray) -> FloatArray:
        """Sum of a clique's table over the nodes outside a family, axes in the order of the family's table."""
        scope = self._scopes[i]
        table = total.sum(axis=other_axes(self._cliques[self._home[i]].nodes, self._with_states(scope)))
        table = table.reshape([self._arities[v] for v in scope])
        return np.ascontiguousarray(table.transpose([scope.index(v) for v in self._families[i]]))

    def _inward(
        self, potentials: Sequence[FloatArray], codes: CodeArray, reduce: np.ufunc = np.add
    ) -> tuple[list[FloatArray], list[FloatArray], FloatArray]:
        """Sweep to the roots: the tables, the messages and the logarithm of all that they were divided by."""
        tables: list[FloatArray] = [np.empty(0)] * len(self._cliques)
        messages = list(tables)
        waiting: list[list[FloatArray]] = [[] for _ in self._cliques]
        logs = np.zeros(codes.shape[1])
        for c in range(len(self._cliques) - 1, -1, -1):
            clique = self._cliques[c]
            table = potentials[c][..., None]
            for v in self._entered[c]:
                table = table * self._evidence(v, codes[v])[axes_index((v,), clique.nodes)]
            for message in waiting[c]:
                table = table * message
            if table.shape[-1] != codes.shape[1]:
                table = np.repeat(table, codes.shape[1], axis=-1)
            waiting[c] = []
            message = reduce.reduce(table, axis=other_axes(clique.nodes, clique.separator), keepdims=True)
            total = reduce.reduce(message.reshape(-1, message.shape[-1]), axis=0)
            with np.errstate(divide="ignore"):
                logs += np.log(total)
            tables[c], messages[c] = table, message
            if clique.parent is not None:
                scaled = message / np.where(total > 0, total, 1.0)
                waiting[clique.parent].append(scaled[axes_index(clique.nodes, self._cliques[clique.parent].nodes)])
        return tables, messages, logs

    def _outward(self, tables: list[FloatArray], messages: Sequence[FloatArray]) -> None:
        """Sweep from the roots, after which each table is proportional to the joint distribution given the row."""
        for c, clique in enumerate(self._cliques):
            if clique.parent is None:
                continue
            above = self._cliques[clique.parent].nodes
            sums = np.add.reduce(tables[clique.parent], axis=other_axes(above, clique.separator), keepdims=True)
            known = messages[c]
            ratio = sums[axes_index(above, clique.nodes)] / np.where(known > 0, known, 1.0)
            sums = np.add.reduce(ratio.reshape(-1, ratio.shape[-1]), axis=0)
            tables[c] = tables[c] * (ratio / np.where(sums > 0, sums, 1.0))

    def _evidence(self, v: int, codes: CodeArray) -> FloatArray:
        """Whether each state of a node agrees with each row, as 0 or 1, shape (r, rows)."""
        arity = self._arities[v]
        return np.vstack([np.eye(arity), np.ones(arity)]).T[:, codes]

    def _fill(self, tables: Sequence[FloatArray], codes: CodeArray, generator: np.random.Generator | None) -> None:
        """Fill in codes, cliques from the roots on, at random or with the greatest product."""
        n_rows = codes.shape[1]
        for c, clique in enumerate(self._cliques):
            free = [v for v in clique.nodes if v not in clique.separator]
            if not free:
                continue
            order = [clique.nodes.index(v) for v in (*free, *clique.separator)]
            table = tables[c].transpose([*order, len(order)])
            at = (*(codes[v].astype(np.intp) for v in clique.separator), np.arange(n_rows))
            shape = [self._arities[v] for v in free]
            given = table[(*(slice(None) for _ in free), *at)].reshape(-1, n_rows)
            if generator is None:
                chosen = given.argmax(axis=0)
            else:
                sums = np.cumsum(given, axis=0)
                drawn = np.minimum(generator.random(n_rows) * sums[-1], np.nextafter(sums[-1], 0))
                chosen = np.argmax(sums > drawn, axis=0)
            for v, states in zip(free, np.unravel_index(chosen, shape), strict=True):
                codes[v] = states


def codes_of_rows(table: Table, rows: NDArray[np.bool_] | slice = slice(None)) -> CodeArray:
    """Codes of some rows, one variable a row, shape (n, rows); the arity stands for a missing value."""
    dtype = np.min_scalar_type(max(table.arities))
    return np.stack([table.column(i)[rows].astype(dtype) for i in range(table.n_variables)])


def incomplete_rows(table: Table) -> NDArray[np.bool_]:
    """Which rows have a missing value, shape (N,)."""
    found = np.zeros(table.n_rows, dtype=bool)
    for name in table.gaps:
        found |= table.column(name) == table.arities[table.index(name)]
    return found
