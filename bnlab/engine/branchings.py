"""Maximum spanning arborescence of a complete directed graph, Edmonds' algorithm in its dense O(n²) form.

The graph is contracted without regard to a root until one node is left (Tarjan). Each chosen edge is the best one
into the node at the head of a path (Gabow et al.). The contractions are then undone from a root. One contraction
therefore serves all roots, and the sums of the chosen weights show which root is best.

Weights are converted to integers first: every difference that a contraction takes is then exact, equal weights stay
equal, and the result does not depend on the order of additions.

References
----------
J. Edmonds. Optimum branchings. Journal of Research of the National Bureau of Standards 71B, 1967.
R. E. Tarjan. Finding optimum branchings. Networks 7, 1977.
P. M. Camerini, L. Fratta, F. Maffioli. A note on finding optimum branchings. Networks 9, 1979.
H. N. Gabow, Z. Galil, T. Spencer, R. E. Tarjan. Efficient algorithms for finding minimum spanning trees in
undirected and directed graphs. Combinatorica 6, 1986.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab.engine.compiled import compiled, inner
from bnlab.graphs.checks import checked_root, checked_weights

Ints: TypeAlias = NDArray[np.int64]


@reraise_interrupts()
def maximum_arborescence(weights: ArrayLike, root: int | None = None, *, spanning: bool = True) -> NDArray[np.int64]:
    """Directed spanning tree, or forest, of greatest total weight (Carvalho 2009, Algorithm 4, step 3).

    Ties are broken in this order: the smallest index of a root (when it is free and the tree spans), then the
    fewest edges, then the smallest sum of the parents' indices, then a fixed order of computation, which is the same
    on every machine.

    Parameters
    ----------
    weights : array_like of float, shape (n, n)
        [u, v] is the weight of u -> v; finite, of any sign; the diagonal is ignored. They are compared
        on a grid of n * 2**-58 of the greatest absolute weight (2e-15 of it for 500 nodes), so those that
        differ by less may count as equal.
    root : int, optional
        Node without a parent; by default the one that gives the greatest weight.
    spanning : bool
        If False, the result is a forest: other nodes than the root may have no parent either. It has no edge of
        weight zero or less, because the forest without it weighs as much or more and has fewer edges.

    Returns
    -------
    ndarray of int64, shape (n,)
        Parent of each node, -1 for a root.

    Raises
    ------
    ValueError
        If the weights are not square and finite, or the root is not a node.

    Examples
    --------
    >>> weights = [[0, 5, 1], [6, 0, 3], [2, 4, 0]]
    >>> maximum_arborescence(weights)
    array([ 1,  2, -1])
    >>> maximum_arborescence(weights, root=0)
    array([-1,  0,  1])
    >>> maximum_arborescence([[0, -1], [-2, 0]], spanning=False)
    array([-1, -1])
    """
    matrix = checked_weights(weights)
    n = len(matrix)
    chosen = -1 if root is None else checked_root(root, n)
    # Units so small that sums of 2n weights just fit 64 bits; n² for an edge outweighs the indices of n parents.
    _, exponent = np.frexp(np.abs(matrix).max())
    units: Ints = np.rint(np.ldexp(matrix, 60 - n.bit_length() - exponent)).astype(np.int64)
    ties: Ints = np.repeat(-(n * n + np.arange(n, dtype=np.int64)), n).reshape(n, n)
    return _arborescence(units, ties, chosen) if spanning else _forest(units, ties, chosen)


def _arborescence(units: Ints, ties: Ints, root: int) -> Ints:
    n = len(units)
    nodes: Ints = np.full((4, 2 * n - 1), -1)
    nodes[3] = 0
    ends: Ints = np.repeat(np.arange(n), n).reshape(n, n)
    made = _contract(units.T.copy(), ties.T.copy(), ends, nodes)
    into, source, target, best = nodes[:, :made]
    root = _best_root(into, best, n) if root < 0 else root
    parents: Ints = _open(into, source, target, root, n)
    return parents


def _forest(units: Ints, ties: Ints, root: int) -> Ints:
    """Arborescence from an added node, whose edges of weight zero mean no parent.

    A given root takes the role of the added node: its edges without gain then mean no parent.
    """
    n = len(units)
    if root < 0:
        parents = _arborescence(np.pad(units, (0, 1)), np.pad(ties, (0, 1)), n)[:n]
        parents[parents == n] = -1
        return parents
    useless = units[root] <= 0
    units[root, useless] = ties[root, useless] = 0
    parents = _arborescence(units, ties, root)
    parents[(parents == root) & useless] = -1
    return parents


@compiled
def _contract(units: Ints, ties: Ints, ends: Ints, nodes: Ints) -> int:
    """Contract a complete graph to one node; [c, u] is the weight of u -> c, and is overwritten.

    After a contraction, row c holds the best edge from each node u into the contracted node c, less the weights chosen
    within it. ``ends[c, u]`` is the given node that this edge leads to, at first c. Returns the number of nodes, given
    or contracted, and fills in `nodes` for each: the contracted node it became part of (-1 for the last); source and
    target of the edge chosen into it, between given nodes; and the weight of that edge at that time.
    """
    # Loops, because numpy's functions take four times as long to compile.
    n = len(units)
    into, source, target, best = nodes[0], nodes[1], nodes[2], nodes[3]
    row_of, node_of, path = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    on_path = np.empty(n, dtype=np.bool_)
    for v in range(n):
        row_of[v], node_of[v], path[v], on_path[v] = v, v, 0, False
    length, left, made = 1, n, n
    on_path[0] = True
    while left > 1:
        c = path[length - 1]
        u = _best_source(units[c], ties[c], row_of, c)
        source[node_of[c]], target[node_of[c]], best[node_of[c]] = u, ends[c, u], units[c, u]
        weight, tie = units[c, u], ties[c, u]
        for v in range(n):
            units[c, v] -= weight
            ties[c, v] -= tie
        into_row = row_of[u]
        if not on_path[into_row]:
            path[length] = into_row
            on_path[into_row] = True
            length += 1
            continue
        into[node_of[into_row]] = made
        while path[length - 1] != into_row:
            length -= 1
            left -= 1
            merged = path[length]
            into[node_of[merged]] = made
            _merge(units, ties, ends, into_row, merged)
            for v in range(n):
                if row_of[v] == merged:
                    row_of[v] = into_row
        node_of[into_row] = made
        made += 1
    return made


@inner
def _best_source(units: Ints, ties: Ints, row_of: Ints, row: int) -> int:
    best = -1
    for u in range(len(units)):
        outside = row_of[u] != row
        if outside and (best < 0 or (units[u], ties[u]) > (units[best], ties[best])):
            best = u
    return best


@inner
def _merge(units: Ints, ties: Ints, ends: Ints, row: int, other: int) -> None:
    """Replace edges of one row by the better edges of another."""
    for u in range(units.shape[1]):
        ours = (units[row, u], ties[row, u], -ends[row, u])
        if (units[other, u], ties[other, u], -ends[other, u]) > ours:
            units[row, u], ties[row, u], ends[row, u] = units[other, u], ties[other, u], ends[other, u]


@compiled
def _best_root(into: Ints, best: Ints, n: int) -> int:
    """First root with the least loss: the weight of the chosen edges into it and into all nodes that contain it."""
    root, least = -1, np.int64(0)
    for v in range(n):
        lost, c = np.int64(0), v
        while c >= 0:
            lost += best[c]
            c = into[c]
        if root < 0 or lost < least:
            root, least = v, lost
    return root


@compiled
def _open(into: Ints, source: Ints, target: Ints, root: int, n: int) -> Ints:
    """Undo the contractions, the last one first: the edge into a node replaces the one chosen into its part."""
    source[-1], target[-1] = -1, root
    for c in range(len(into) - 1, n - 1, -1):
        part = target[c]
        while into[part] != c:
            part = into[part]
        source[part], target[part] = source[c], target[c]
    return source[:n]
