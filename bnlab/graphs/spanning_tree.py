"""Maximum spanning tree of a complete undirected graph, by Prim's algorithm in its dense O(n²) form.

References
----------
R. C. Prim. Shortest connection networks and some generalizations. Bell System Technical Journal 36, 1957.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.jit import njit
from bnlab.graphs.weights import checked_root, checked_weights


@reraise_interrupts()
def maximum_spanning_tree(weights: ArrayLike, root: int = 0) -> NDArray[np.int64]:
    """Spanning tree of greatest total weight, directed away from a root (Carvalho 2009, Algorithm 3, steps 3-4).

    Of edges of equal weight the one whose smaller index is smaller goes first, then the one whose larger index
    is. Each set of weights has thus one tree, whatever the root, and on every machine.

    Parameters
    ----------
    weights : array_like of float, shape (n, n)
        Symmetric and finite, of any sign; the diagonal is not looked at.
    root : int

    Returns
    -------
    ndarray of int64, shape (n,)
        Parent of each node, -1 for the root.

    Raises
    ------
    ValueError
        If the weights are not square, symmetric and finite, or the root is not a node.

    Examples
    --------
    >>> maximum_spanning_tree([[0, 5, 1], [5, 0, 3], [1, 3, 0]], root=2)
    array([ 1,  2, -1])
    """
    matrix = checked_weights(weights)
    if not np.array_equal(matrix, matrix.T):
        u, v = np.argwhere(matrix != matrix.T)[0]
        raise ValueError(
            f"weights[{u}, {v}] is {matrix[u, v]!r} but weights[{v}, {u}] is {matrix[v, u]!r}: undirected edges "
            "need symmetric weights; (w + w.T) / 2 evens out rounding, maximum_arborescence takes directed ones."
        )
    parents: NDArray[np.int64] = _prim(matrix, checked_root(root, len(matrix)))
    return parents


@njit()
def _prim(weights: NDArray[np.float64], root: int) -> NDArray[np.int64]:
    n = len(weights)
    parents = np.full(n, root)
    outside = np.ones(n, dtype=np.bool_)
    outside[root] = False
    parents[root] = -1
    for _ in range(n - 1):
        v = -1
        for candidate in range(n):
            if outside[candidate] and (v < 0 or _goes_first(weights, parents[candidate], candidate, parents[v], v)):
                v = candidate
        outside[v] = False
        for other in range(n):
            if outside[other] and _goes_first(weights, v, other, parents[other], other):
                parents[other] = v
    return parents


@njit()
def _goes_first(weights: NDArray[np.float64], u: int, v: int, a: int, b: int) -> bool:
    """Whether the edge u - v comes before the edge a - b."""
    if weights[u, v] != weights[a, b]:
        return bool(weights[u, v] > weights[a, b])
    if min(u, v) != min(a, b):
        return min(u, v) < min(a, b)
    return max(u, v) < max(a, b)
