"""Tiling: large networks made of copies of a small one.

I. Tsamardinos, A. Statnikov, L. E. Brown and C. F. Aliferis (2006), Generating realistic large Bayesian networks by
tiling, FLAIRS, 592-597; the method is the one of their technical report of 2003.
"""

from __future__ import annotations

from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.values import at_least, check_counts
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.propagation import FloatArray
from bnlab.networks.query.inference import marginal

_ROUNDS = 10_000
_CLOSE = 1e-13
_SHUFFLED = 2000  # up to so many copies, one is drawn by shuffling all
BYTES_A_NODE, BYTES_A_CELL = 1100, 16
"""Memory of a node and of a probability of a copy, measured on 3,000 copies of Asia."""


def tile(net: BayesianNetwork, copies: int, *, seed: int, connectivity: int = 2) -> BayesianNetwork:
    """Join copies of a network by new arcs into their roots, which keep their distributions.

    The copies are put in a random order. Each root of a copy (a node without parents in `net`) may get parents in one
    earlier copy, so that there is no cycle. Nothing else in a copy changes.

    Parameters
    ----------
    net : BayesianNetwork
    copies : int
        At least 1.
    seed : int
        Not negative; the same seed gives the same network.
    connectivity : int
        The number of new parents of each root is uniform in 0, ..., `connectivity`.

    Returns
    -------
    BayesianNetwork
        Node "A" of copy 2 is "A_2"; the nodes of a copy are adjacent, in the order of `net`.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the copies would need more memory than one operation may have.
    TypeError
        If a parameter is not an integer.

    Notes
    -----
    Every root keeps its distribution: its new table is a random table scaled by iterative proportional fitting, which
    always succeeds (the report solves the same equations by a general method). The report states that each copy keeps
    its joint distribution. This is exact if the roots of the copy stay independent of each other; two roots with
    dependent parents become slightly dependent.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> big = tile(asia(), 3, seed=1)
    >>> len(big), big.names[8:10]
    (24, ('asia_2', 'tub_2'))
    >>> big.marginal("lung_3").round(6), asia().marginal("lung").round(6)
    (array([0.055, 0.945]), array([0.055, 0.945]))
    """
    at_least("copies", copies, 1)
    check_counts(0, seed=seed, connectivity=connectivity)
    check_memory(
        copies * (BYTES_A_NODE * len(net) + BYTES_A_CELL * sum(cpt.size for cpt in net.cpts)),
        f"{copies:.3g} copies of a network of {len(net)} nodes",
        "take fewer copies",
    )
    rng = np.random.default_rng(seed)
    n, arities = len(net), net.arities
    parents = [[copy * n + p for p in own] for copy in range(copies) for own in net.dag.parents]
    cpts = list(net.cpts) * copies
    joint = cache(lambda nodes: marginal(net, [net.names[v] for v in nodes]).ravel())
    order = rng.permutation(copies)
    for position, copy in enumerate(order[1:].tolist(), start=1):
        for root in (i for i, own in enumerate(net.dag.parents) if not own):
            rng.random()  # unused; without it, a seed would give another network than in earlier versions
            earlier = _draw_copy(rng, order[:position])
            size = min(int(rng.integers(connectivity + 1)), n)
            nodes = tuple(sorted(rng.choice(n, size, replace=False).tolist()))
            if nodes:
                weights = 1 - rng.random((prod(arities[v] for v in nodes), arities[root]))
                table = scale_to_marginal(weights, joint(nodes), net.cpts[root] / net.cpts[root].sum())
                parents[copy * n + root] = [earlier * n + v for v in nodes]
                cpts[copy * n + root] = table.reshape(*(arities[v] for v in nodes), arities[root])
    variables = [Variable(f"{v.name}_{copy + 1}", v.states) for copy in range(copies) for v in net.variables]
    return BayesianNetwork(Dag([v.name for v in variables], parents), variables, cpts)


def scale_to_marginal(weights: FloatArray, parents: FloatArray, marginal: FloatArray) -> FloatArray:
    """Table of conditional probabilities proportional to positive `weights`, up to factors of rows and columns.

    Iterative proportional fitting (Sinkhorn) scales the columns to `marginal` and the rows to 1, in turn. Weighted by
    the probabilities of the parent configurations, the rows then sum to `marginal`. The row of a configuration of
    probability 0 is `marginal`.

    Examples
    --------
    >>> x = scale_to_marginal(np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([0.5, 0.5]), np.array([0.2, 0.8]))
    >>> (0.5 * x[0] + 0.5 * x[1]).round(12)
    array([0.2, 0.8])
    """
    table: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    for _ in range(_ROUNDS):
        sums = parents @ table
        table *= np.divide(marginal, sums, out=np.zeros_like(sums), where=sums > 0)
        table /= table.sum(axis=1, keepdims=True)
        if np.abs(parents @ table - marginal).max() < _CLOSE:
            break
    table[parents == 0] = marginal
    return table


def _draw_copy(rng: np.random.Generator, copies: NDArray[np.int64]) -> int:
    """One of the copies at random; for many copies, in a time that does not depend on their number."""
    few = len(copies) <= _SHUFFLED
    return int(rng.permutation(copies)[0] if few else rng.choice(copies, 1, replace=False)[0])
