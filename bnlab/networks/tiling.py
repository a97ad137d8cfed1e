"""Tiling: large networks made of copies of a small one.

I. Tsamardinos, A. Statnikov, L. E. Brown and C. F. Aliferis (2006), Generating realistic large Bayesian networks by
tiling, FLAIRS, 592-597; the method is the one of their technical report of 2003.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.inference import marginal, product_over
from bnlab.networks.network import BayesianNetwork

FloatArray = NDArray[np.float64]

_ROUNDS = 10_000
_CLOSE = 1e-13
_MOST_CELLS = 2**24  # of a distribution over copies: each new parent makes the next one larger, and slower
_SHUFFLED = 2000  # copies of which some are drawn by shuffling all
BYTES_A_NODE, BYTES_A_CELL = 1100, 16
"""What a node and a probability of a copy take, measured on 3,000 copies of Asia."""


def tile(
    net: BayesianNetwork,
    copies: int,
    *,
    seed: int,
    connectivity: int = 2,
    from_copies: int = 1,
    roots_per_copy: int | None = None,
    connect_probability: float = 1.0,
) -> BayesianNetwork:
    """Join copies of a network by new arcs into their roots, which keep their distributions.

    The copies are put in a random order. A root of a copy (a node without parents in `net`) may get parents in copies
    that come before its own, so there is no cycle. Everything else of a copy stays as it is.

    Parameters
    ----------
    net : BayesianNetwork
    copies : int
        At least 1.
    seed : int
        Not negative; the same seed gives the same network.
    connectivity : int
        For each root and each copy that it draws from, the number of new parents is uniform in 0, ..., `connectivity`.
    from_copies : int
        Number of earlier copies that a root draws from, or all where they are fewer.
    roots_per_copy : int, optional
        Number of roots, drawn at random, that may be connected in each copy; by default all.
    connect_probability : float
        Probability that one of these roots is connected at all.

    Returns
    -------
    BayesianNetwork
        Node "A" of copy 2 is "A_2"; the nodes of a copy lie side by side, in the order of `net`.

    Raises
    ------
    ValueError
        If a parameter is out of range, the copies would need more memory than one operation may have, or parents in
        several copies have a joint distribution that is out of reach of exact inference; with ``from_copies=1`` there
        are none.

    Notes
    -----
    Every connected root keeps its distribution: its new table is a random one scaled by iterative proportional
    fitting, which always succeeds (the report solves the same equations by a general method). Where all of a root's
    parents lie in one copy, the distribution of these is taken from `net`; else it is computed in the tiled network
    so far. The report says that each copy keeps its joint distribution. That is exact when its roots stay independent
    of each other, as they do with ``roots_per_copy=1``; two roots with dependent parents become slightly dependent.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> big = tile(asia(), 3, seed=1)
    >>> len(big), big.names[8:10]
    (24, ('asia_2', 'tub_2'))
    >>> big.marginal("lung_3").round(6), asia().marginal("lung").round(6)
    (array([0.055, 0.945]), array([0.055, 0.945]))
    """
    _check(copies, connectivity, from_copies, roots_per_copy, connect_probability)
    check_memory(
        copies * (BYTES_A_NODE * len(net) + BYTES_A_CELL * sum(cpt.size for cpt in net.cpts)),
        f"{copies:.3g} copies of a network of {len(net)} nodes",
        "take fewer copies",
    )
    rng = np.random.default_rng(seed)
    tiled = _Tiled(net, copies)
    order = rng.permutation(copies)
    roots = [i for i, parents in enumerate(net.dag.parents) if not parents]
    for position, copy in enumerate(order[1:].tolist(), start=1):
        chosen = roots if roots_per_copy is None else sorted(rng.permutation(roots)[:roots_per_copy].tolist())
        for root in chosen:
            if rng.random() < connect_probability:
                earlier = _drawn(rng, order[:position], from_copies)
                tiled.connect(copy, root, _draw_parents(rng, earlier, connectivity, len(net)), rng)
    return tiled.network()


def scale_to_marginal(weights: FloatArray, parents: FloatArray, marginal: FloatArray) -> FloatArray:
    """Table of conditional probabilities in proportion to `weights`, up to factors of rows and columns.

    Iterative proportional fitting (Sinkhorn): the rows are scaled to `parents`, the columns to `marginal`, in turn.

    Parameters
    ----------
    weights : ndarray of float64, shape (q, r)
        Positive.
    parents : ndarray of float64, shape (q,)
        Probability of each parent configuration; one of probability 0 gets `marginal` for its row.
    marginal : ndarray of float64, shape (r,)
        Distribution that the child shall have.

    Returns
    -------
    ndarray of float64, shape (q, r)
        Rows sum to 1, and weighted by `parents` they sum to `marginal`.

    Examples
    --------
    >>> x = scale_to_marginal(np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([0.5, 0.5]), np.array([0.2, 0.8]))
    >>> (0.5 * x[0] + 0.5 * x[1]).round(12)
    array([0.2, 0.8])
    """
    possible = parents > 0
    joint = weights[possible] * parents[possible, None]
    for _ in range(_ROUNDS):
        sums = joint.sum(axis=0)
        joint *= np.divide(marginal, sums, out=np.zeros_like(sums), where=sums > 0)
        joint *= (parents[possible] / joint.sum(axis=1))[:, None]
        if np.abs(joint.sum(axis=0) - marginal).max() < _CLOSE:
            break
    table = np.tile(marginal, (len(parents), 1))
    table[possible] = joint / joint.sum(axis=1, keepdims=True)
    return table


def _drawn(rng: np.random.Generator, copies: NDArray[np.int64], size: int) -> list[int]:
    """Some different copies; of many, in a time that does not grow with them."""
    few = len(copies) <= _SHUFFLED
    drawn = rng.permutation(copies)[:size] if few else rng.choice(copies, min(size, len(copies)), replace=False)
    found: list[int] = drawn.tolist()
    return found


def _draw_parents(rng: np.random.Generator, earlier: Sequence[int], connectivity: int, n: int) -> list[tuple[int, int]]:
    """Pairs (copy, node), up to `connectivity` from each of the earlier copies."""
    drawn = []
    for copy in earlier:
        size = min(int(rng.integers(connectivity + 1)), n)
        drawn += [(copy, node) for node in rng.choice(n, size, replace=False).tolist()]
    return sorted(drawn)


class _Tiled:
    """Copies of a network, the nodes of each side by side, and the parents and tables that roots got so far."""

    def __init__(self, net: BayesianNetwork, copies: int) -> None:
        n = len(net)
        self.net = net
        self.names = [f"{name}_{copy + 1}" for copy in range(copies) for name in net.names]
        self.arities = net.arities * copies
        self.parents = [[copy * n + p for p in parents] for copy in range(copies) for parents in net.dag.parents]
        self.cpts = list(net.cpts) * copies
        self._within = cache(lambda nodes: marginal(net, [net.names[v] for v in nodes]).ravel())

    def connect(self, copy: int, root: int, parents: list[tuple[int, int]], rng: np.random.Generator) -> None:
        """Give a root parents in other copies, and a random table that keeps its distribution."""
        if not parents:
            return
        arities = self.net.arities
        joint = self._joint(parents)
        prior = self.net.cpts[root] / self.net.cpts[root].sum()
        table = scale_to_marginal(1 - rng.random((joint.size, arities[root])), joint, prior)
        at = copy * len(self.net) + root
        self.parents[at] = self._places(parents)
        self.cpts[at] = table.reshape(*(arities[node] for _, node in parents), arities[root])

    def _joint(self, parents: list[tuple[int, int]]) -> FloatArray:
        if len({copy for copy, _ in parents}) == 1:
            within: FloatArray = self._within(tuple(node for _, node in parents))
            return within
        places = self._places(parents)
        try:
            joint = product_over(self.parents, self.cpts, self.arities, places, {}, _MOST_CELLS).ravel()
        except ValueError as error:
            names = ", ".join(self.names[at] for at in places)
            raise ValueError(
                f"new parents {names}: {error} In a tiling, from_copies=1 or fewer copies help."
            ) from error
        scaled: FloatArray = joint / joint.sum()
        return scaled

    def _places(self, nodes: list[tuple[int, int]]) -> list[int]:
        return [copy * len(self.net) + node for copy, node in nodes]

    def network(self) -> BayesianNetwork:
        """Return the network so far; a root's new parents are ascending, as its table's axes are."""
        states = [v.states for v in self.net.variables] * (len(self.names) // len(self.net))
        variables = [Variable(name, given) for name, given in zip(self.names, states, strict=True)]
        return BayesianNetwork(Dag(self.names, self.parents), variables, self.cpts)


def _check(
    copies: int,
    connectivity: int,
    from_copies: int,
    roots_per_copy: int | None,
    connect_probability: float,
) -> None:
    if copies < 1:
        raise ValueError(f"copies={copies}: a tiling has at least one copy")
    if connectivity < 0:
        raise ValueError(f"connectivity={connectivity}: a root draws 0 parents or more")
    if from_copies < 1:
        raise ValueError(f"from_copies={from_copies}: a connected root draws from one copy at least")
    if roots_per_copy is not None and roots_per_copy < 1:
        raise ValueError(f"roots_per_copy={roots_per_copy}: it is at least 1; None connects every root")
    if not 0 <= connect_probability <= 1:
        raise ValueError(f"connect_probability={connect_probability}: a probability lies between 0 and 1")
