"""Maximum spanning tree of a complete undirected graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab.graphs.checks import checked_root, checked_weights


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
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    matrix = checked_weights(weights)
    if not np.array_equal(matrix, matrix.T):
        u, v = np.argwhere(matrix != matrix.T)[0]
        raise ValueError(
            f"weights[{u}, {v}] is {matrix[u, v]!r} but weights[{v}, {u}] is {matrix[v, u]!r}: undirected edges "
            "need symmetric weights; (w + w.T) / 2 evens out rounding, maximum_arborescence takes directed ones."
        )
    root, n = checked_root(root, len(matrix)), len(matrix)
    u, v = np.triu_indices(n, 1)
    ranks = np.empty(len(u), dtype=np.int64)
    ranks[np.argsort(-matrix[u, v], kind="stable")] = np.arange(1, len(u) + 1)  # all different: there is one tree
    tree = minimum_spanning_tree(csr_array((ranks, (u, v)), shape=(n, n)))
    _, parents = breadth_first_order(tree, root, directed=False)
    return np.where(parents < 0, -1, parents).astype(np.int64)
