"""Exact inference for many rows, each with its own missing values.

The sweeps through the cliques are those of `JunctionTree`, but compiled, and visit only the cells that agree with a
row. Messages are divided by their sums, so that no product underflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.networks.inference import MAX_TREE_CELLS, check_size
from bnlab.networks.propagation import axes_index, factor_of, other_axes
from bnlab.networks.scaled import FloatArray
from bnlab.networks.triangulation import clique_tree

CodeArray = NDArray[np.integer[Any]]

_CELLS_PER_CALL = 2**20
_SAMPLES_PER_CALL = 16


class RowTree:
    """Tree of cliques of a graph, for rows of codes in which the arity stands for a missing value.

    Parameters
    ----------
    dag : Dag
    arities : sequence of int

    Attributes
    ----------
    n_cells : int
        Number of cells of all cliques.

    Raises
    ------
    ValueError
        If the cliques need more than 2**26 cells, or more memory than one operation may have.
    """

    def __init__(self, dag: Dag, arities: Sequence[int]) -> None:
        self._arities = tuple(arities)
        self._families = [(*parents, i) for i, parents in enumerate(dag.parents)]
        # Nodes of one state have no axis.
        self._scopes = [tuple(sorted(v for v in family if arities[v] > 1)) for family in self._families]
        tree = clique_tree(self._scopes, arities, check=partial(check_size, MAX_TREE_CELLS))
        self._cliques, self._clique_of, self._sizes = tree.cliques, tree.clique_of, tree.sizes
        self._shapes = [tuple(arities[v] for v in clique.nodes) for clique in self._cliques]
        self.n_cells = sum(self._sizes)
        check_size(MAX_TREE_CELLS, self.n_cells)
        self._step = max(_CELLS_PER_CALL // self.n_cells, 1)

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
        from bnlab.networks.compiled import sweeps

        potentials, flat, totals = self._potentials(cpts), self._flat(), np.zeros(self.n_cells)
        log_likelihood = 0.0
        for part, rows in self._parts(codes):
            log_likelihood += sweeps.add_expected(*flat, potentials, rows, weights[part], totals)
        parts = np.split(totals, np.cumsum(self._sizes)[:-1])
        tables = [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]
        return [self._of_family(i, tables[c]) for i, c in enumerate(self._clique_of)], log_likelihood

    def log_probabilities(self, cpts: Sequence[FloatArray], codes: CodeArray) -> FloatArray:
        """Log-probability of the observed values of each row, in nats, shape (rows,)."""
        from bnlab.networks.compiled import sweeps

        potentials, flat, found = self._potentials(cpts), self._flat(), np.zeros(codes.shape[1])
        for part, rows in self._parts(codes):
            sweeps.log_probabilities(*flat, potentials, rows, found[part])
        return found

    def completed(
        self,
        cpts: Sequence[FloatArray],
        codes: CodeArray,
        method: Literal["map", "sample"],
        generators: Sequence[np.random.Generator],
    ) -> list[CodeArray]:
        """Rows with their missing values filled in, once for each random generator.

        With "map" the filled-in values are the jointly most probable ones; with "sample" they are drawn from their
        joint distribution given the observed values of the row, which must have a probability above 0.
        """
        from bnlab.networks.compiled import sweeps

        potentials, flat, n_cliques = self._potentials(cpts), self._flat(), len(self._cliques)
        found = [codes.copy() for _ in generators]
        for part, rows in self._parts(codes):
            for begin in range(0, len(generators), _SAMPLES_PER_CALL):
                some = slice(begin, begin + _SAMPLES_PER_CALL)
                numbers = np.stack([generator.random((n_cliques, len(rows))) for generator in generators[some]])
                filled = np.empty((len(numbers), *rows.shape), np.int32)
                sweeps.complete(*flat, potentials, rows, numbers, method == "map", filled)
                for completed, values in zip(found[some], filled, strict=True):
                    completed[:, part] = values.T
        for completed in found:
            for v, arity in enumerate(self._arities):
                if arity == 1:
                    completed[v] = 0
        return found

    def _parts(self, codes: CodeArray) -> Iterator[tuple[slice, NDArray[np.int32]]]:
        """Blocks of rows, so that Ctrl-C acts between two blocks: their slice, and their codes, shape (rows, n)."""
        for begin in range(0, codes.shape[1], self._step):
            part = slice(begin, begin + self._step)
            yield part, np.ascontiguousarray(codes[:, part].T, np.int32)

    def _potentials(self, cpts: Sequence[FloatArray]) -> FloatArray:
        """Products of the probability tables assigned to each clique, one clique after the other."""
        found = [np.ones(shape) for shape in self._shapes]
        for cpt, family, c in zip(cpts, self._families, self._clique_of, strict=True):
            table, axes = factor_of(cpt, family, self._arities, {})
            found[c] *= table[axes_index(axes, self._cliques[c].nodes)]
        return np.concatenate([table.ravel() for table in found])

    def _of_family(self, i: int, total: FloatArray) -> FloatArray:
        """Sum of a clique's table over the nodes outside a family, with the axes of the family's probability table."""
        family = self._families[i]
        ascending = sorted(family)
        table = total.sum(axis=other_axes(self._cliques[self._clique_of[i]].nodes, self._scopes[i]))
        table = table.reshape([self._arities[v] for v in ascending])
        return np.ascontiguousarray(table.transpose([ascending.index(v) for v in family]))

    def _flat(self) -> tuple[NDArray[Any], ...]:
        """Arrays of the tree for the sweeps, and their work arrays; see `bnlab.networks.compiled.sweeps`."""
        cliques: list[list[int]] = []
        nodes: list[list[int]] = []
        down: list[int] = []
        table = 0
        for clique, shape, size in zip(self._cliques, self._shapes, self._sizes, strict=True):
            above = () if clique.parent is None else self._cliques[clique.parent].nodes
            parent = -1 if clique.parent is None else clique.parent
            first, last = len(nodes), len(nodes) + len(clique.nodes)
            cliques.append([parent, table, first, last, len(down), 0, 0, 0, 0])
            strides, up = self._strides(clique.nodes, clique.nodes), self._strides(clique.separator, clique.nodes)
            nodes += [[*each, 0] for each in zip(clique.nodes, shape, strides, up, strict=True)]
            down += self._strides(clique.separator, above)
            table += size
        return (
            np.array(cliques, np.int64),
            np.array(nodes, np.int64).reshape(-1, 5),
            np.array(down, np.int64),
            np.empty(table, np.int32),
            np.empty(table, np.int32),
            np.empty(max(self._sizes), np.int32),
            *np.empty((3, table)),
        )

    def _strides(self, scope: Sequence[int], nodes: Sequence[int]) -> list[int]:
        """Strides of some nodes in a table over a scope, 0 for a node outside it."""
        return [prod(self._arities[u] for u in scope if u > v) if v in scope else 0 for v in nodes]


def codes_of_rows(table: Table, rows: NDArray[np.intp] | slice = slice(None)) -> CodeArray:
    """Codes of some rows, shape (n, rows); the arity stands for a missing value."""
    dtype = np.min_scalar_type(max(table.arities))
    return np.stack([table.column(i)[rows].astype(dtype) for i in range(table.n_variables)])


def incomplete_rows(table: Table) -> NDArray[np.bool_]:
    """Whether each row has a missing value, shape (N,)."""
    found = np.zeros(table.n_rows, dtype=bool)
    for name in table.gaps:
        found |= table.column(name) == table.arities[table.index(name)]
    return found
