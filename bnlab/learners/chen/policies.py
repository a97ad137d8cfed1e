"""Initial randomised policies of the decision nodes (Matuszak and Miekisz 2012, section 3).

A policy matrix has a row for each node: [i, j] is the probability of deciding on the edge i -> j, [i, i] that of none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from bnlab.learners.edges import Node, as_node
from bnlab.learners.trees import gains
from bnlab.learners.types import Floats, Phi

Policies: TypeAlias = "str | Mapping[Node, Mapping[Node | None, float]] | Floats | None"

_SUM = 1e-6


def uniform_policies(n: int) -> Floats:
    """Every decision equally probable."""
    return np.full((n, n), 1.0 / n)


def gain_policies(phi: Phi, n: int, *, uniform: float = 0.1) -> Floats:
    """Policies in proportion to the square roots of the pairwise gains, where they are positive.

    Parameters
    ----------
    phi : callable (child, parents) -> float
    n : int
    uniform : float
        Weight of the uniform policy in the mixture, so that every decision, "none" too, has a positive probability.

    Examples
    --------
    >>> gain_policies(lambda child, parents: 4.0 * (parents == (0,)), 2, uniform=0.5)
    array([[0.25, 0.75],
           [0.25, 0.75]])
    """
    weight = np.sqrt(np.maximum(gains(phi, n), 0.0))
    total = weight.sum(axis=1, keepdims=True)
    chosen = np.divide(weight, total, out=np.eye(n), where=total > 0)
    policies: Floats = (1.0 - uniform) * chosen + uniform * uniform_policies(n)
    return policies


def start_policies(policies: Policies, phi: Phi, n: int, names: Sequence[str] | None) -> Floats:
    """Policy matrix of the option `policies`.

    Raises
    ------
    ValueError
        If a policy has a probability below zero or does not sum to one, or names an unknown node or its own.
    """
    if policies is None:
        return uniform_policies(n)
    if isinstance(policies, str):
        if policies != "gains":
            raise ValueError(f"policies={policies!r}: give 'gains', None for uniform ones, a mapping or a matrix.")
        return gain_policies(phi, n)
    matrix = _from_mapping(policies, n, names) if isinstance(policies, Mapping) else np.array(policies, dtype=float)
    if matrix.shape != (n, n):
        raise ValueError(f"policies have the shape {matrix.shape}: for {n} variables it is ({n}, {n}).")
    for i, row in enumerate(matrix):
        if not (np.isfinite(row).all() and (row >= 0).all() and abs(row.sum() - 1.0) < _SUM):
            raise ValueError(
                f"policy of node {_called(i, names)} sums to {row.sum():.6g}, its least probability is "
                f"{row.min():.6g}: probabilities are not negative and sum to one."
            )
    return matrix


def typical_gain(phi: Phi, n: int) -> float:
    """Mean over the nodes of the gain of their best single parent; 1 where nothing gains."""
    gain = gains(phi, n)
    np.fill_diagonal(gain, 0.0)
    return float(gain.max(axis=0).mean()) or 1.0


def check_range(name: str, value: Any, low: float, high: float, rule: str) -> None:
    """Raise an error unless a value is a number strictly between two others.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is nan or out of range.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}={value!r} is not a number: it must be {rule}.") from None
    if not (isfinite(number) and low < number < high):
        raise ValueError(f"{name}={value!r}: it must be {rule}.")


def _from_mapping(policies: Mapping[Node, Mapping[Node | None, float]], n: int, names: Sequence[str] | None) -> Floats:
    """Matrix of a mapping; nodes that it omits have the uniform policy."""
    matrix = uniform_policies(n)
    for node, policy in policies.items():
        i = as_node(node, n, names)
        matrix[i] = 0.0
        for child, probability in policy.items():
            j = i if child is None else as_node(child, n, names)
            if child is not None and j == i:
                raise ValueError(f"policy of node {node!r} names the node itself; None stands for no edge.")
            matrix[i, j] = probability
    return matrix


def _called(i: int, names: Sequence[str] | None) -> str:
    return repr(names[i]) if names is not None else str(i)
