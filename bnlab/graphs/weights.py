"""What the tree algorithms ask of their weights."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checked_weights(weights: ArrayLike) -> NDArray[np.float64]:
    """Copy a matrix of edge weights, its diagonal set to zero, once it is known to be one.

    Raises
    ------
    ValueError
        If it is not square, is empty, or has a weight off the diagonal that is nan or infinite.
    """
    matrix = np.array(weights, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"weights of shape {matrix.shape}: a square matrix is needed, [u, v] for edge u -> v.")
    if len(matrix) == 0:
        raise ValueError("weights of shape (0, 0): a tree has at least one node.")
    np.fill_diagonal(matrix, 0.0)
    if not np.isfinite(matrix).all():
        u, v = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(
            f"weights[{u}, {v}] is {matrix[u, v]}: weights are finite; to keep an edge out, "
            "give it a weight below the sum of all others."
        )
    return matrix


def checked_root(root: Any, n: int) -> int:
    """Root as an int, once it is known to be a node.

    Raises
    ------
    ValueError
        If it is out of range.
    TypeError
        If it is not an integer.
    """
    root = operator.index(root)
    if not 0 <= root < n:
        raise ValueError(f"root {root} is out of range: {n} nodes have indices 0 to {n - 1}.")
    return int(root)
