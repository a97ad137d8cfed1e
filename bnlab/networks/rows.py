"""Rows of tables with missing values, as codes for exact inference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnlab.data.table import Table
from bnlab.networks.propagation import CodeArray
from bnlab.networks.query.evidence import ImpossibleEvidence
from bnlab.networks.query.inference import JunctionTree
from bnlab.networks.types import Network


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


def impossible_row(net: Network, codes: CodeArray) -> ImpossibleEvidence:
    """Error that names the values that conflict in the first impossible row; one of the rows must be impossible."""
    tree = JunctionTree(net)
    first = np.flatnonzero(np.isneginf(tree.propagation.log_probabilities(tree.numbers, codes)))[0]
    row = codes[:, first].tolist()
    known = {v.name: v.states[code] for v, code in zip(net.variables, row, strict=True) if code < v.arity}
    return ImpossibleEvidence.among(known, lambda some: tree.log_probability(some) > -np.inf)
