"""Exact inference: joint distributions of some nodes, and marginals of all nodes at once, given evidence.

`marginal` eliminates variables for one query. It uses only the queried nodes, the evidence and their ancestors: every
other node is barren and sums to one (Shachter 1986). Tables are restricted to the observed states before the cliques
are made, so that evidence makes the cliques smaller. `JunctionTree` is compiled once for many queries; each query is
an inward and an outward sweep through all cliques.

References
----------
F. V. Jensen, S. L. Lauritzen, K. G. Olesen. Bayesian updating in causal probabilistic networks by local computations.
Computational Statistics Quarterly 4, 1990.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, prod
from typing import Any

import numpy as np

from bnlab._runtime.budget import MAX_AXES, check_memory
from bnlab._runtime.cached import cached_property
from bnlab.graphs.paths import reachable
from bnlab.networks.propagation import Propagation, factors_of, product
from bnlab.networks.scaled import FloatArray, Scaled, range_checked
from bnlab.networks.types import Network

MAX_TREE_CELLS = 2**26
MAX_CELLS = 2**27
BYTES_A_CELL = 24
"""Of a tree: for the products of all cliques, their tables after the sweeps, and temporary tables."""
MOST_NAMED = 10


class ImpossibleEvidence(ValueError):
    """Evidence of probability 0.

    Attributes
    ----------
    conflict : dict of str to state
        Minimal part of the evidence that is impossible: without any one of its nodes it is possible. If it has more
        than ten nodes, this holds for the first ten only.
    """

    def __init__(self, conflict: Mapping[str, Hashable]) -> None:
        self.conflict = dict(conflict)
        stated = [f"{name} = {state}" for name, state in self.conflict.items()]
        if len(stated) > MOST_NAMED:
            stated[MOST_NAMED:] = [f"{len(stated) - MOST_NAMED:,} more observations"]
        together = " together" if len(stated) > 1 else ""
        listed = " and ".join(filter(None, [", ".join(stated[:-1]), *stated[-1:]]))
        verb, some = ("have", "one of them") if together else ("has", "it")
        super().__init__(f"{listed} {verb} probability 0{together} in this network: remove {some} from the evidence.")

    @classmethod
    def among(
        cls, evidence: Mapping[str, Hashable], possible: Callable[[Mapping[str, Hashable]], bool]
    ) -> ImpossibleEvidence:
        """Error that names a minimal part of impossible evidence, found by bisection (QuickXplain, Junker 2004)."""
        items = list(evidence.items())
        needed: list[tuple[str, Hashable]] = []
        begin = 0
        # `needed` and the items from `begin` on are impossible together, and possible without any one of `needed`.
        while begin < len(items) and (not needed or possible(dict(needed))):
            if len(needed) == MOST_NAMED:
                needed += items[begin:]
                break
            low, high = begin, len(items)
            while high - low > 1:
                middle = (low + high) // 2
                if possible(dict(needed + items[middle:])):
                    high = middle
                else:
                    low = middle
            needed.append(items[low])
            begin = low + 1
        return cls(dict(needed))


def marginal(net: Network, nodes: str | Sequence[str], evidence: Mapping[str, Hashable] | None = None) -> FloatArray:
    """Joint distribution of some nodes, given the states of others.

    Parameters
    ----------
    net : BayesianNetwork
    nodes : str or sequence of str
        One node or several distinct nodes.
    evidence : mapping of str to state, optional
        Observed states of nodes that are not in `nodes`; None, NaN and pandas.NA are missing values.

    Returns
    -------
    ndarray of float64, shape (arity of each queried node)
        One axis per node, in the order of `nodes`; sums to 1.

    Raises
    ------
    ImpossibleEvidence
        (A ValueError.) If the evidence has probability 0; the message names the states that conflict.
    ValueError
        If a node or state is unknown, a node is named twice, or the computation needs a table of more than 2**27
        cells or more memory than one operation may have.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> marginal(asia(), "lung").round(3)
    array([0.055, 0.945])
    >>> marginal(asia(), "lung", {"xray": "yes", "smoke": "yes"}).round(3)
    array([0.646, 0.354])
    """
    query = [net.dag.index(name) for name in ([nodes] if isinstance(nodes, str) else nodes)]
    evidence = dict(evidence or {})
    codes = codes_of(net, evidence)
    _check_query(net, query, codes)
    joint = _sum_over(net, query, codes)
    if not joint.values.any():
        raise ImpossibleEvidence.among(evidence, lambda part: _is_possible(net, codes_of(net, part)))
    return joint.shares(tuple(range(len(query))))


def conditional(net: Network, node: str, parents: Sequence[str]) -> FloatArray:
    """Distribution of a node given each configuration of some other nodes; errors are those of `marginal`.

    The axes are the parents, then the node. Rows sum to 1; the row of a configuration of probability 0 is uniform.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> conditional(asia(), "smoke", ["lung"]).round(3)
    array([[0.909, 0.091],
           [0.476, 0.524]])
    """
    query = [net.dag.index(name) for name in (*parents, node)]
    _check_query(net, query, {})
    rows = _sum_over(net, query, {}).shares((len(parents),))
    rows[~rows.any(axis=-1)] = 1 / rows.shape[-1]
    return rows


def _is_possible(net: Network, codes: Mapping[int, int]) -> bool:
    """Whether evidence has a probability above 0; also True if the computation is too large."""
    try:
        return bool(_sum_over(net, [], codes).values.any())
    except ValueError:
        return True


def _check_query(net: Network, query: list[int], codes: Mapping[int, int]) -> None:
    if not query:
        raise ValueError("nodes is empty: name at least one node whose distribution is wanted.")
    for position, i in enumerate(query):
        if i in query[:position]:
            raise ValueError(f"node {net.names[i]!r} is queried twice: name each node once.")
        if i in codes:
            raise ValueError(f"node {net.names[i]!r} is both queried and given as evidence: leave out one.")
    if len(query) > MAX_AXES:
        raise ValueError(
            f"{len(query)} nodes are queried: numpy has tables of at most {MAX_AXES} axes; query fewer nodes, first "
            "without those of one state."
        )
    check_size(MAX_CELLS, prod(net.arities[i] for i in query))


def check_size(most: int, cells: float) -> None:
    way_out = "query fewer nodes, give nodes fewer parents, or estimate from a sample"
    if cells > most:
        raise ValueError(f"exact inference needs tables of {cells:.3g} cells, more than {most:.3g}: {way_out}.")
    check_memory(BYTES_A_CELL * cells, f"exact inference with tables of {cells:.3g} cells", way_out)


def _sum_over(net: Network, query: list[int], codes: Mapping[int, int]) -> Scaled:
    """Joint probability of the states of the queried nodes and the observed states, one axis per queried node."""
    arities = net.arities
    nodes = sorted({*query, *codes, *reachable(net.dag.parents, (*query, *codes))})
    root = [v for v in query if arities[v] > 1]
    tree = Propagation(factors_of(net, nodes, codes), arities, root, partial(check_size, MAX_CELLS))
    return tree.total(root)[tuple(None if arities[v] == 1 else slice(None) for v in query)]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Marginals of all nodes given evidence.

    Attributes
    ----------
    marginals : dict of str to ndarray of float64, shape (r,)
        Distribution of each node, in node order. An observed node has probability 1 at its state.
    log_probability : float
        Natural logarithm of the probability of the evidence.
    """

    marginals: dict[str, FloatArray]
    log_probability: float


class JunctionTree:
    """Inference in one network, compiled once for many queries.

    Parameters
    ----------
    net : BayesianNetwork

    Attributes
    ----------
    n_cells : int
        Number of cells of all clique tables.

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
    bnlab.networks.inference.ImpossibleEvidence: lung = yes and either = no have probability 0 together in ...
    """

    def __init__(self, net: Network) -> None:
        self.net = net
        factors = factors_of(net, range(len(net)), {})
        self._tree = Propagation(factors, net.arities, check=partial(check_size, MAX_TREE_CELLS))
        sizes = self._tree.sizes
        self.n_cells = sum(sizes)
        check_size(MAX_TREE_CELLS, self.n_cells)
        self._cliques_of: dict[int, list[int]] = {v: [] for v in range(len(net))}
        for c in sorted(range(len(sizes)), key=sizes.__getitem__):
            for v in self._tree.cliques[c].nodes:
                self._cliques_of[v].append(c)

    def __repr__(self) -> str:
        return f"JunctionTree({len(self.net)} nodes, {len(self._tree.cliques)} cliques, {self.n_cells:,} cells)"

    def posterior(self, evidence: Mapping[str, Hashable] | None = None) -> Posterior:
        """Compute the marginals of all nodes given the states of some.

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
        codes = codes_of(self.net, evidence)
        with range_checked():
            swept = list(self._tree.inward(self._given(codes)))[::-1]
            tables, messages = [table for _, table, _ in swept], [message for _, _, message in swept]
            total = product([messages[c] for c in self._tree.roots]).log()
            if total == -inf:
                raise ImpossibleEvidence.among(evidence, lambda part: self.log_probability(part) > -inf)
            self._tree.outward(tables, messages)
            return Posterior(self._marginals(tables, codes), total)

    def log_probability(self, evidence: Mapping[str, Hashable]) -> float:
        """Log-probability of the evidence in nats; -inf if it is impossible, ValueError for an unknown state."""
        with range_checked():
            swept = self._tree.inward(self._given(codes_of(self.net, evidence)))
            return product([message for c, _, message in swept if self._tree.cliques[c].parent is None]).log()

    @cached_property
    def _products(self) -> list[list[Scaled]]:
        """Product of the tables assigned to each clique. It is large, so it is made when it is first needed."""
        return [[product(given)] if given else [] for given in map(self._tree.given, range(len(self._tree.cliques)))]

    def _given(self, codes: Mapping[int, int]) -> Callable[[int], list[Scaled]]:
        """Function from a clique to its product, restricted to the observed states."""
        products = self._products
        cuts: dict[int, list[slice]] = {}
        for v, code in codes.items():
            for c in self._cliques_of[v]:
                nodes = self._tree.cliques[c].nodes
                cuts.setdefault(c, [slice(None)] * len(nodes))[nodes.index(v)] = slice(code, code + 1)

        return lambda c: [_cut(table, cuts[c]) for table in products[c]] if c in cuts else products[c]

    def _marginals(self, tables: list[Scaled], codes: Mapping[int, int]) -> dict[str, FloatArray]:
        found: dict[str, FloatArray] = {}
        for i, name in enumerate(self.net.names):
            if i in codes or not self._cliques_of[i]:
                found[name] = np.zeros(self.net.arities[i])
                found[name][codes.get(i, 0)] = 1.0
            else:
                c = self._cliques_of[i][0]
                axes = tuple(axis for axis, v in enumerate(self._tree.cliques[c].nodes) if v != i)
                found[name] = tables[c].sum(axes).shares(tuple(range(len(axes) + 1))).ravel()
        return found


def codes_of(net: Network, evidence: Mapping[str, Hashable]) -> dict[int, int]:
    """Codes of the observed states by the index of their nodes; ValueError if a node or a state is unknown.

    None, NaN and pandas.NA are missing values: a node with such a state is not observed.
    """
    states = {net.dag.index(name): state for name, state in evidence.items()}
    return {i: net.variables[i].code(state) for i, state in states.items() if not _is_missing(state)}


def _is_missing(state: Any) -> bool:
    try:
        return state is None or bool(state != state)
    except TypeError:  # pandas.NA is neither equal to itself nor different
        return True


def _cut(table: Scaled, cuts: Sequence[slice]) -> Scaled:
    """Table restricted to the observed states; it does not depend on nodes whose axis has length 1."""
    return table[tuple(slice(None) if length == 1 else cut for cut, length in zip(cuts, table.shape, strict=True))]
