"""Initial randomised policies of the decision nodes (Matuszak and Miekisz 2012, section 3).

A policy matrix has a row for each node: [i, j] is the probability of choosing the edge i -> j, and [i, i] of no edge.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from bnlab.learners.trees import gains
from bnlab.learners.types import Floats, Phi

Policies: TypeAlias = "str | Floats | None"

UNIFORM_SHARE = 0.1
_TOLERANCE = 1e-6


def start_policies(policies: Policies, phi: Phi, n: int) -> Floats:
    """Policy matrix for the option `policies`.

    Parameters
    ----------
    policies : None, "gains" or ndarray of shape (n, n)
        None for uniform policies. "gains" for probabilities in proportion to the square roots of the positive pairwise
        gains, mixed with the uniform policy, so that every decision has a positive probability.
    phi : callable (child, parents) -> float
    n : int

    Raises
    ------
    ValueError
        If a policy has a negative probability or does not sum to one.

    Examples
    --------
    >>> start_policies("gains", lambda child, parents: 4.0 * (parents == (0,)), 2)
    array([[0.05, 0.95],
           [0.05, 0.95]])
    """
    if policies is None:
        return np.full((n, n), 1.0 / n)
    if isinstance(policies, str):
        if policies != "gains":
            raise ValueError(f"policies={policies!r}: give 'gains', None for uniform ones, or a matrix.")
        weight = np.sqrt(np.maximum(gains(phi, n), 0.0))
        total = weight.sum(axis=1, keepdims=True)
        chosen = np.divide(weight, total, out=np.eye(n), where=total > 0)
        return np.asarray((1.0 - UNIFORM_SHARE) * chosen + UNIFORM_SHARE * (1.0 / n))
    matrix = np.array(policies, dtype=float, order="C")
    if matrix.shape != (n, n):
        raise ValueError(f"policies have the shape {matrix.shape}: for {n} variables it is ({n}, {n}).")
    for i, row in enumerate(matrix):
        if not (np.isfinite(row).all() and (row >= 0).all() and abs(row.sum() - 1.0) < _TOLERANCE):
            raise ValueError(
                f"policy of node {i} sums to {row.sum():.6g}, its least probability is {row.min():.6g}: "
                "probabilities are not negative and sum to one."
            )
    return matrix


def typical_gain(phi: Phi, n: int) -> float:
    """Mean over the nodes of the gain of their best single parent; 1 if it is 0."""
    return float(gains(phi, n).max(axis=0).mean()) or 1.0
