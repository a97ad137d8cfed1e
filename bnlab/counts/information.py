"""Mutual information of the empirical distribution, in nats (Carvalho 2009, equations 18, 19 and 24)."""

from __future__ import annotations

import numpy as np

from bnlab._runtime.budget import check_pairs
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab.counts.base import CountSource
from bnlab.counts.source import DataLike, count_source
from bnlab.counts.types import Families, FloatArray, IntArray

BYTES_A_PAIR = 240


@reraise_interrupts()
def mutual_information(data: DataLike, given: int | None = None) -> FloatArray:
    """Mutual information of every pair of variables, optionally conditional on one variable.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
    given : int, optional
        Index of the variable to condition on; its own row and column are 0.

    Returns
    -------
    ndarray of float64, shape (n, n)
        ``I(X_i; X_j)`` or ``I(X_i; X_j | X_given)`` in nats; symmetric, with the diagonal 0.

    Raises
    ------
    ValueError
        If the data have no row, or rows that are interventions, or the matrix would need more memory than one
        operation may use.

    Examples
    --------
    >>> import numpy as np
    >>> from bnlab.data import Table, Variable
    >>> codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> table = Table.from_codes(codes, [Variable("a", (0, 1)), Variable("b", (0, 1))])
    >>> float(mutual_information(table)[0, 1].round(6)) # ln 2
    0.693147
    """
    source = count_source(data)
    source.check_same_rows("mutual information")
    if source.n_rows == 0:
        raise ValueError("mutual information needs at least one row; the data have none")
    n = len(source.arities)
    check_pairs(n, BYTES_A_PAIR)
    context = [] if given is None else [given]
    variables = np.array([v for v in range(n) if v != given], dtype=np.int64)
    first, second = (variables[side] for side in np.triu_indices(len(variables), 1))
    matrix, alone = np.zeros((n, n)), np.zeros(n)
    alone[variables] = _log_likelihoods(source, *context, variables)
    gain = _log_likelihoods(source, *context, first, second) - alone[second]
    matrix[first, second] = matrix[second, first] = np.maximum(gain, 0.0) / source.n_rows
    return matrix


def _log_likelihoods(source: CountSource, *members: IntArray | int) -> FloatArray:
    """Log-likelihoods of the families whose first members are ``members[0]`` and so on, with the child last."""
    from bnlab.engine.score import log_likelihoods

    variables = np.column_stack(np.broadcast_arrays(*members))
    families = Families(variables.ravel(), np.arange(0, variables.size + 1, len(members)))
    values = np.empty(len(families))
    for positions, batch in source.batches(families):
        values[positions] = log_likelihoods(batch.table, batch.first, np.empty(0))
    return values
