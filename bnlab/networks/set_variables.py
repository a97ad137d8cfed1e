"""Rows in which variables were set from outside, and the network that such rows follow.

A variable that was set does not depend on its parents: the rows follow the truncated factorisation (Pearl 2009, section
3.2). The value that it was set to has no probability; if it is missing, every state is as likely as any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.types import FloatArray
from bnlab.data.carried import experiments_of
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag


@dataclass(frozen=True, eq=False)
class SameSet:
    """Rows in which the same variables were set.

    Attributes
    ----------
    rows : ndarray of int, ascending
        Positions in the table.
    targets : tuple of int
        The variables that were set; empty if the rows were only observed.
    dag : Dag
        The graph without the edges into them.
    """

    rows: NDArray[np.intp]
    targets: tuple[int, ...]
    dag: Dag

    def tables(self, cpts: Sequence[FloatArray]) -> tuple[FloatArray, ...]:
        """Probability tables on `dag`: equal probabilities for the states of a variable that was set."""
        equal = {v: np.full(cpts[v].shape[-1], 1 / cpts[v].shape[-1]) for v in self.targets}
        return tuple(equal.get(v, cpt) for v, cpt in enumerate(cpts))

    def correction(self, codes: NDArray[np.integer], arities: Sequence[int]) -> FloatArray:
        """What to add to the log-probabilities of rows, so that values that were set have none; shape (rows,).

        Parameters
        ----------
        codes : ndarray of int, shape (n, rows)
        arities : sequence of int, length n
        """
        total = np.zeros(codes.shape[1])
        for v in self.targets:
            total += np.where(codes[v] < arities[v], np.log(arities[v]), 0.0)
        return total


def by_set_variables(table: Table, dag: Dag, among: NDArray[np.bool_] | None = None) -> list[SameSet]:
    """Rows of a table, by default all, grouped by the variables that were set in them.

    Parameters
    ----------
    table : Table
    dag : Dag
        On the variables of the table.
    among : ndarray of bool, shape (N,), optional
        The rows to group.
    """
    chosen = np.arange(table.n_rows) if among is None else np.flatnonzero(among)
    found = []
    for names, rows in experiments_of(table.interventions, chosen).items():
        targets = tuple(sorted(table.index(name) for name in names))
        graph = Dag(dag.names, [() if v in targets else p for v, p in enumerate(dag.parents)]) if targets else dag
        found.append(SameSet(rows, targets, graph))
    return found
