"""The best network by integer programming: each variable takes one of its sets of parents, and cuts forbid cycles.

In an acyclic graph every cluster of variables has one whose parents all lie outside it, and two that have at most one
parent inside. Such a row is added for clusters where the present solution violates it, until the solution is a network.

References
----------
T. Jaakkola, D. Sontag, A. Globerson, M. Meila. Learning Bayesian network structure using LP relaxations. AISTATS 2010.
M. Bartlett, J. Cussens. Advances in Bayesian network learning using integer programming. UAI 2013.
J. Cussens. Bayesian network learning with cutting planes. UAI 2011 (rows of k variables).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnlab._runtime.interrupts import run_interruptible
from bnlab.learners.parent_sets import ParentSets, least_sets
from bnlab.learners.types import Floats, Integers, Mask, ParentTuples

ZERO = 1e-6
"""Shares of a solution below this are noise of the solver."""
VIOLATED = 1e-4
LARGEST_GROWN = 10


class Cluster(NamedTuple):
    """Variables with a row: at least `first` of them have fewer than `first` parents among them.

    The first k variables of a cluster in an order have fewer than k parents in it.

    Attributes
    ----------
    variables : tuple of int
        Ascending.
    first : int
        1 or 2.
    """

    variables: tuple[int, ...]
    first: int = 1


class Relaxation(NamedTuple):
    """Solution of the linear program or, with whole numbers, of the integer program.

    Attributes
    ----------
    bound : float
        No network within the clusters' rows scores more.
    shares : ndarray of float64, shape (columns,)
        How much of each set of parents is taken; zeros where the solver was stopped before it had a solution.
    costs : ndarray of float64, shape (columns,)
        What taking a whole set of parents would cost at least, in nats, on top of what the bound says.
    """

    bound: float
    shares: Floats
    costs: Floats


class Program:
    """Integer program over sets of parents: maximise the sum of scores, one set a variable, no cluster closed.

    Parameters
    ----------
    sets : tuple of tuple of (float, tuple of int)
        Result of a `ParentSetSearch`.

    Attributes
    ----------
    n : int
    node : ndarray of int64, shape (columns,)
        Variable of each column.
    score : ndarray of float64, shape (columns,)
    parents : ndarray of bool, shape (columns, n)
    """

    def __init__(self, sets: ParentSets) -> None:
        self.sets, self.n = sets, len(sets)
        self._least = least_sets(sets)
        columns = [(v, score, parents) for v, of_v in enumerate(sets) for score, parents in of_v]
        self.node: Integers = np.array([v for v, _, _ in columns])
        self.score: Floats = np.array([score for _, score, _ in columns])
        self.parents: Mask = np.zeros((len(columns), self.n), dtype=np.bool_)
        for column, (_, _, parents) in enumerate(columns):
            self.parents[column, list(parents)] = True

    def relaxed(self, clusters: Collection[Cluster], kept: Integers) -> Relaxation:
        """Solve the linear program with some columns, with a row for each cluster."""
        from scipy.optimize import linprog

        rows, one_each = self.rows(clusters, kept), self._one_each(kept)
        found: Any = run_interruptible(
            linprog,
            -self.score[kept],
            A_ub=-rows if clusters else None,
            b_ub=[-cluster.first for cluster in clusters] or None,
            A_eq=one_each,
            b_eq=np.ones(self.n),
            method="highs",
        )
        if found.x is None:
            raise RuntimeError(f"the linear program over {len(kept)} sets of parents has no solution: {found.message}")
        shares, costs = np.zeros(len(self.score)), np.full(len(self.score), np.inf)
        shares[kept], costs[kept] = found.x, found.lower.marginals
        return Relaxation(-float(found.fun), shares, costs)

    def whole(self, clusters: Collection[Cluster], kept: Integers, nodes: int) -> Relaxation:
        """Solve the integer program with some columns, for at most so many nodes of its tree."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        constraints = [LinearConstraint(self._one_each(kept), 1, 1)]
        if clusters:
            least = [cluster.first for cluster in clusters]
            constraints.append(LinearConstraint(self.rows(clusters, kept), least, np.inf))
        found: Any = run_interruptible(
            milp,
            -self.score[kept],
            integrality=np.ones(len(kept)),
            bounds=Bounds(0, 1),
            constraints=constraints,
            options={"node_limit": nodes, "mip_rel_gap": 0.0},
        )
        shares = np.zeros(len(self.score))
        if found.x is not None:
            shares[kept] = np.rint(found.x)
        return Relaxation(-float(found.mip_dual_bound), shares, np.zeros(len(self.score)))

    def violated(self, shares: Floats) -> set[Cluster]:
        """Clusters of which less than one variable has all its parents outside, or less than two all but one.

        They are grown greedily from edges. Rows of two variables cut off much more, but do not exclude all cycles:
        where none is grown, a small integer program looks for the most violated row of one variable, so that an empty
        result proves that there is none of that kind.
        """
        taken = np.flatnonzero((shares > ZERO) & self.parents.any(axis=1))
        if not len(taken):
            return set()
        solution = self.node[taken], self.parents[taken], shares[taken]
        return _grown(1, *solution) | _grown(2, *solution) or self._most_violated(*solution)

    def network(self, shares: Floats) -> ParentTuples:
        """Network near a solution: an order in which much of what is taken is possible, and the best sets in it."""
        left, order = list(range(self.n)), []
        placed = np.zeros(self.n, dtype=np.bool_)
        taken = np.flatnonzero(shares > ZERO)
        while left:
            possible = taken[~(self.parents[taken] & ~placed).any(axis=1)]
            weights = np.bincount(self.node[possible], weights=shares[possible], minlength=self.n)
            ready = [u for u in left if placed[list(self._least[u])].all()]
            v = max(ready, key=lambda u: (weights[u], -u))
            left.remove(v)
            order.append(v)
            placed[v] = True
        return self.best_in_order(order)

    def best_in_order(self, order: Sequence[int]) -> ParentTuples:
        """Best sets of parents of all variables among those before them."""
        network: list[tuple[int, ...]] = [()] * self.n
        before: set[int] = set()
        for v in order:
            network[v] = next(parents for _, parents in self.sets[v] if before.issuperset(parents))
            before.add(v)
        return tuple(network)

    def subsets_of(self, network: ParentTuples) -> ParentTuples:
        """Network with the best set of parents of each variable among those that it has."""
        return tuple(
            next(parents for _, parents in of_v if set(network[v]).issuperset(parents))
            for v, of_v in enumerate(self.sets)
        )

    def families(self, network: ParentTuples) -> Mask:
        """Which columns are the families of a network, shape (columns,)."""
        return np.array([parents == network[v] for v, of_v in enumerate(self.sets) for _, parents in of_v])

    def rows(self, clusters: Collection[Cluster], kept: Integers) -> Any:
        """Row of each cluster: its variables' sets of parents outside it."""
        from scipy.sparse import csr_array

        if not clusters:
            return None
        node, parents = self.node[kept], self.parents[kept].T.astype(np.float32)
        inside = _inside([cluster.variables for cluster in clusters], self.n)
        first = np.array([[cluster.first] for cluster in clusters])
        return csr_array(inside[:, node] & (inside.astype(np.float32) @ parents < first), dtype=np.float64)

    def _one_each(self, kept: Integers) -> Any:
        from scipy.sparse import csr_array

        return csr_array((np.ones(len(kept)), (self.node[kept], np.arange(len(kept)))), shape=(self.n, len(kept)))

    def _most_violated(self, node: Integers, parents: Mask, share: Floats) -> set[Cluster]:
        """Cluster whose row is violated most; none if no row is.

        Minimise the number of variables in the cluster less the shares of their sets that meet it. A set counts only
        if its variable is in the cluster and so is one of its parents.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array, hstack

        m = len(node)
        counted = csr_array(np.eye(m))
        own = csr_array((np.ones(m), (np.arange(m), node)), shape=(m, self.n))
        some = csr_array(parents.astype(np.float64))
        constraints = [
            LinearConstraint(hstack([-own, counted], format="csr"), -np.inf, 0),
            LinearConstraint(hstack([-some, counted], format="csr"), -np.inf, 0),
            LinearConstraint(np.concatenate([np.ones(self.n), np.zeros(m)])[None, :], 2, np.inf),
        ]
        found: Any = run_interruptible(
            milp,
            np.concatenate([np.ones(self.n), -share]),
            integrality=np.concatenate([np.ones(self.n), np.zeros(m)]),
            bounds=Bounds(0, 1),
            constraints=constraints,
        )
        if found.x is None or found.fun >= 1 - VIOLATED:
            return set()
        return {Cluster(tuple(np.flatnonzero(found.x[: self.n] > 0.5).tolist()))}


def _grown(first: int, node: Integers, parents: Mask, share: Floats) -> set[Cluster]:
    """Violated clusters that grow from edges, always by the variable that leaves least outside; each at its worst."""
    n = parents.shape[1]
    own, has = (node[:, None] == np.arange(n)).astype(np.float64), parents.astype(np.float64)
    inside = _inside(np.argwhere(np.triu(own.T @ has + has.T @ own)), n)
    every = np.arange(len(inside))
    worst, least = inside.copy(), np.full(len(inside), first - VIOLATED)
    for size in range(2, min(n, LARGEST_GROWN) + 1):
        # Parents of each column in each cluster, and its share if they are not few, shape (clusters, columns).
        met = inside @ has.T
        many = np.where(met < first, 0.0, share)
        counted = inside[:, node]
        value = size - (many * counted).sum(axis=1)
        lower = value < least
        worst[lower], least[lower] = inside[lower], value[lower]
        # Share that each further variable takes from what counts for the row, shape (clusters, n).
        taken = many @ own + np.where(counted & (met == first - 1), share, 0.0) @ has
        inside[every, np.argmax(np.where(inside, -np.inf, taken), axis=1)] = True
    return {Cluster(tuple(np.flatnonzero(row).tolist()), first) for row in worst[least < first - VIOLATED]}


def _inside(clusters: Collection[Sequence[int] | Integers], n: int) -> Mask:
    """Which variables each cluster has, shape (clusters, n)."""
    inside = np.zeros((len(clusters), n), dtype=np.bool_)
    for row, variables in zip(inside, clusters, strict=True):
        row[list(variables)] = True
    return inside
