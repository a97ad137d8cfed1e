"""Maximum spanning tree of a complete undirected graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab.graphs.checks import checked_root, checked_weights


def maximum_spanning_tree(weights: ArrayLike, root: int = 0) -> NDArray[np.int64]:
    """Spanning tree of greatest total weight, directed away from a root (Carvalho 2009, Algorithm 3, steps 3-4).

    Edges of equal weight are taken in the order of their smaller index, then of their larger index. The undirected
    tree is therefore unique: it is the same for every root and on every machine.

    Parameters
    ----------
    weights : array_like of float, shape (n, n)
        Symmetric and finite, of any sign; the diagonal is ignored.
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
    root, n = checked_root(root, len(matrix)), len(matrix)
    nodes = np.arange(n)
    parents, weight, place = np.full(n, -1), np.full(n, -np.inf), np.full(n, n * n)  # of the best edge to each node
    outside = np.ones(n, dtype=np.bool_)
    newest = root
    for _ in range(n - 1):
        # Prim's algorithm. No two edges have the same weight and the same place, so the tree is unique.
        outside[newest] = False
        weight[newest], place[newest] = -np.inf, n * n
        places = np.minimum(nodes, newest) * n + np.maximum(nodes, newest)
        row = matrix[newest]
        nearer = outside & ((row > weight) | ((row == weight) & (places < place)))
        weight[nearer], place[nearer], parents[nearer] = row[nearer], places[nearer], newest
        heaviest = np.flatnonzero(weight == weight.max())
        newest = int(heaviest[place[heaviest].argmin()])
    return parents
