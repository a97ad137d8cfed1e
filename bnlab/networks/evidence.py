"""Exact marginals of all nodes at once, given evidence: a junction tree and one sweep to and fro.

The moral graph is triangulated by the smallest fill-in; cliques pass each other sums of their tables, inward and then
outward, after which every clique holds the joint distribution of its nodes and the evidence. Observed axes are cut to
the state observed, so that evidence makes the sweep cheaper.

References
----------
F. V. Jensen, S. L. Lauritzen, K. G. Olesen. Bayesian updating in causal probabilistic networks by local computations.
Computational Statistics Quarterly 4, 1990.
U. Kjærulff. Triangulation of graphs: algorithms giving small total state space. Aalborg University, 1990 (fill-in).
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import inf, log, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab.networks.network import BayesianNetwork

FloatArray = NDArray[np.float64]

MAX_CELLS = 2**26
BYTES_A_CELL = 24
"""The products of all cliques, their tables after the sweeps, and one on the way."""


class ImpossibleEvidence(ValueError):
    """Evidence of probability 0.

    Attributes
    ----------
    conflict : dict of str to state
        A part of the evidence that is impossible already, and would not be with one node fewer.
    """

    def __init__(self, conflict: Mapping[str, Hashable]) -> None:
        self.conflict = dict(conflict)
        stated = [f"{name} = {state}" for name, state in self.conflict.items()]
        if len(stated) == 1:
            words = f"{stated[0]} has probability 0"
        elif len(stated) == 2:
            words = f"{stated[0]} and {stated[1]} cannot hold together"
        else:
            words = f"{', '.join(stated[:-1])} and {stated[-1]} cannot all hold together"
        super().__init__(f"{words} in this network: nothing follows from it. Take one of them back.")


@dataclass(frozen=True, eq=False)
class Posterior:
    """What follows from evidence.

    Attributes
    ----------
    marginals : dict of str to ndarray of float64, shape (r,)
        Distribution of each node, in node order; of an observed node 1 at its state.
    log_probability : float
        Natural logarithm of the probability of the evidence.
    """

    marginals: dict[str, FloatArray]
    log_probability: float


@dataclass(frozen=True)
class _Clique:
    """Nodes of a clique in ascending order, its parent in the tree, and how their tables meet."""

    nodes: tuple[int, ...]
    parent: int | None
    separator: tuple[int, ...]

    def summed(self) -> tuple[int, ...]:
        """Axes to sum over on the way to the parent."""
        return tuple(axis for axis, node in enumerate(self.nodes) if node not in self.separator)


class JunctionTree:
    """Inference in one network, compiled once and asked often.

    Parameters
    ----------
    net : BayesianNetwork

    Attributes
    ----------
    n_cells : int
        Cells of all clique tables together.

    Raises
    ------
    ValueError
        If the cliques need more than 2**26 cells, or more memory than one operation may have.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> tree = JunctionTree(asia())
    >>> tree.posterior({"xray": "yes", "smoke": "yes"}).marginals["lung"].round(3)
    array([0.646, 0.354])
    >>> tree.posterior({"lung": "yes", "either": "no"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    bnlab.networks.evidence.ImpossibleEvidence: lung = yes and either = no cannot hold together in this network: ...
    """

    def __init__(self, net: BayesianNetwork) -> None:
        self.net = net
        arities = net.arities
        self._cliques = _join(_elimination(_moral(net), arities))
        self.n_cells = sum(prod(arities[v] for v in clique.nodes) for clique in self._cliques)
        _check_cells(self.n_cells)
        self._homes = _cliques_of(range(len(net)), self._cliques, arities)

    def __repr__(self) -> str:
        return f"JunctionTree({len(self.net)} nodes, {len(self._cliques)} cliques, {self.n_cells:,} cells)"

    def posterior(self, evidence: Mapping[str, Hashable] | None = None) -> Posterior:
        """Marginals of all nodes given the states of some.

        Parameters
        ----------
        evidence : mapping of str to state, optional

        Raises
        ------
        ImpossibleEvidence
            (A ValueError.) If the evidence has probability 0; the message names the states that conflict.
        ValueError
            If a node or a state is unknown.
        """
        evidence = dict(evidence or {})
        codes = self._codes(evidence)
        tables, total = self._calibrated(codes)
        if total == -inf:
            raise ImpossibleEvidence(self._conflict(evidence))
        return Posterior(self._marginals(tables, codes), total)

    def log_probability(self, evidence: Mapping[str, Hashable]) -> float:
        """Logarithm of the probability of evidence, in nats; -inf when it is impossible.

        Raises
        ------
        ValueError
            If a node or a state is unknown.
        """
        return self._collected(self._codes(evidence))[2]

    def _codes(self, evidence: Mapping[str, Hashable]) -> dict[int, int]:
        at = {name: self.net.dag.index(name) for name in evidence}
        return {at[name]: self.net.variables[at[name]].code(state) for name, state in evidence.items()}

    def _conflict(self, evidence: dict[str, Hashable]) -> dict[str, Hashable]:
        """Evidence with everything left out that it is impossible without."""
        kept = dict(evidence)
        for name in evidence:
            rest = {other: state for other, state in kept.items() if other != name}
            if self.log_probability(rest) == -inf:
                kept = rest
        return kept

    @cached_property
    def _products(self) -> list[FloatArray]:
        """Product of the tables that each clique is given, spread over its axes; large, so made when asked for."""
        arities = self.net.arities
        tables = [np.ones([arities[v] for v in clique.nodes]) for clique in self._cliques]
        families = [(*parents, i) for i, parents in enumerate(self.net.dag.parents)]
        for i, family in enumerate(families):
            at = min(
                (c for c in self._homes[i] if set(family) <= set(self._cliques[c].nodes)), key=lambda c: tables[c].size
            )
            order = sorted(range(len(family)), key=family.__getitem__)
            cpt = self.net.cpts[i] / self.net.cpts[i].sum(axis=-1, keepdims=True)
            tables[at] *= _spread(cpt.transpose(order), sorted(family), self._cliques[at].nodes)
        return tables

    def _collected(self, codes: Mapping[int, int]) -> tuple[list[FloatArray], list[FloatArray], float]:
        """Sweep from the leaves to the roots: tables, the messages passed, and the log-probability of the evidence."""
        tables = [
            table[tuple(slice(codes[v], codes[v] + 1) if v in codes else slice(None) for v in clique.nodes)]
            for clique, table in zip(self._cliques, self._products, strict=True)
        ]
        messages = [np.ones(())] * len(tables)
        total = 0.0
        for c in range(len(tables) - 1, -1, -1):
            clique = self._cliques[c]
            message = tables[c].sum(axis=clique.summed())
            weight = float(message.sum())
            if weight == 0.0:
                return tables, messages, -inf
            total += log(weight)
            if clique.parent is not None:
                messages[c] = message = message / weight
                tables[clique.parent] = tables[clique.parent] * _spread(
                    message, clique.separator, self._cliques[clique.parent].nodes
                )
        return tables, messages, total

    def _calibrated(self, codes: Mapping[int, int]) -> tuple[list[FloatArray], float]:
        """Tables after both sweeps, each proportional to the joint distribution of its clique and the evidence."""
        tables, messages, total = self._collected(codes)
        if total == -inf:
            return tables, total
        for c, clique in enumerate(self._cliques):
            if clique.parent is None:
                continue
            above = self._cliques[clique.parent].nodes
            back = tables[clique.parent].sum(axis=tuple(a for a, v in enumerate(above) if v not in clique.separator))
            sent = messages[c]
            # What was sent as 0 is 0 above as well: 0 / 0 stands for 0.
            ratio = np.divide(back, sent, out=np.zeros_like(back), where=sent > 0)
            tables[c] = tables[c] * _spread(ratio / back.sum(), clique.separator, clique.nodes)
        return tables, total

    def _marginals(self, tables: list[FloatArray], codes: Mapping[int, int]) -> dict[str, FloatArray]:
        found: dict[str, FloatArray] = {}
        for i, name in enumerate(self.net.names):
            at = self._homes[i][0]
            marginal = np.zeros(self.net.arities[i])
            if i in codes:
                marginal[codes[i]] = 1.0
            else:
                axes = tuple(axis for axis, v in enumerate(self._cliques[at].nodes) if v != i)
                marginal[:] = tables[at].sum(axis=axes)
                marginal /= marginal.sum()
            found[name] = marginal
        return found


def _check_cells(cells: float) -> None:
    if cells > MAX_CELLS:
        raise ValueError(
            f"exact inference in this network needs tables of {cells:.3g} cells, more than {MAX_CELLS:.3g}: give nodes "
            "fewer parents, or estimate from a sample."
        )
    check_memory(
        BYTES_A_CELL * cells,
        f"exact inference in this network, with tables of {cells:.3g} cells,",
        "give nodes fewer parents, or estimate from a sample",
    )


def _moral(net: BayesianNetwork) -> list[set[int]]:
    """Neighbours of each node in the graph that joins each node, its parents, and the parents among themselves."""
    neighbours: list[set[int]] = [set() for _ in net.names]
    for i, parents in enumerate(net.dag.parents):
        for u, v in combinations((*parents, i), 2):
            neighbours[u].add(v)
            neighbours[v].add(u)
    return neighbours


def _elimination(neighbours: list[set[int]], arities: tuple[int, ...]) -> list[tuple[int, set[int]]]:
    """Nodes in the order of elimination, each with the neighbours it has then; the smallest fill-in first."""

    def cost(v: int) -> tuple[int, float, int]:
        near = neighbours[v]
        present = sum(len(neighbours[u] & near) for u in near) // 2
        return len(near) * (len(near) - 1) // 2 - present, prod((float(arities[u]) for u in near), start=1.0), v

    costs = {v: cost(v) for v in range(len(neighbours))}
    queue = sorted(costs.values())
    eliminated: list[tuple[int, set[int]]] = []
    while costs:
        least = heapq.heappop(queue)
        v = least[-1]
        if costs.get(v) != least:
            continue
        near = neighbours[v]
        _check_cells(prod((float(arities[u]) for u in near), start=float(arities[v])))
        eliminated.append((v, set(near)))
        del costs[v]
        for u in near:
            neighbours[u] |= near
            neighbours[u] -= {u, v}
        for u in near.union(*(neighbours[u] for u in near)) if near else ():
            costs[u] = cost(u)
            heapq.heappush(queue, costs[u])
    return eliminated


def _join(eliminated: list[tuple[int, set[int]]]) -> list[_Clique]:
    """Cliques of the triangulated graph as a forest, parents before children."""
    rank = {v: k for k, (v, _) in enumerate(eliminated)}
    nodes: list[set[int]] = []
    parents: list[int | None] = []
    separators: list[set[int]] = []
    home: dict[int, int] = {}
    for v, near in reversed(eliminated):
        above = home[min(near, key=rank.__getitem__)] if near else None
        if above is not None and nodes[above] == near:
            nodes[above].add(v)
            home[v] = above
            continue
        home[v] = len(nodes)
        nodes.append({v, *near})
        parents.append(above)
        separators.append(near)
    return [
        _Clique(tuple(sorted(clique)), parent, tuple(sorted(separator)))
        for clique, parent, separator in zip(nodes, parents, separators, strict=True)
    ]


def _cliques_of(nodes: Iterable[int], cliques: list[_Clique], arities: tuple[int, ...]) -> dict[int, list[int]]:
    """Cliques that hold each node, the one of the smallest table first."""
    sizes = [prod(arities[v] for v in clique.nodes) for clique in cliques]
    held: dict[int, list[int]] = {v: [] for v in nodes}
    for c in sorted(range(len(cliques)), key=sizes.__getitem__):
        for v in cliques[c].nodes:
            held[v].append(c)
    return held


def _spread(table: FloatArray, axes: Iterable[int], nodes: tuple[int, ...]) -> FloatArray:
    """Table over some of a clique's nodes, with axes of length 1 for the others."""
    lengths: dict[int, Any] = dict(zip(axes, table.shape, strict=True))
    return table.reshape([lengths.get(v, 1) for v in nodes])
