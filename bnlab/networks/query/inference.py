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

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, prod

import numpy as np

from bnlab._runtime.budget import MAX_AXES
from bnlab._runtime.cached import cached_property
from bnlab.graphs.paths import reachable
from bnlab.networks.propagation import (
    CodeArray,
    Factor,
    FloatArray,
    Numbers,
    Propagation,
    check_size,
    factor_of,
    factors_of,
    other_axes,
    shares,
    summed,
)
from bnlab.networks.query.evidence import Evidence, Findings, ImpossibleEvidence, findings_of
from bnlab.networks.types import Network


def marginal(net: Network, nodes: str | Sequence[str], evidence: Evidence | None = None) -> FloatArray:
    """Joint distribution of some nodes, given evidence on others.

    Parameters
    ----------
    net : BayesianNetwork
    nodes : str or sequence of str
        One node or several distinct nodes.
    evidence : mapping of str to state, list, set or mapping, optional
        For each node an observed state, a list or set of states of which it has one, or a mapping that gives states
        their likelihoods: numbers of at least 0, of which only the ratios matter; a state that is not named has 0.
        None, NaN and pandas.NA are missing values. An observed node must not be in `nodes`.

    Returns
    -------
    ndarray of float64, shape (arity of each queried node)
        One axis per node, in the order of `nodes`; sums to 1.

    Raises
    ------
    ImpossibleEvidence
        (A ValueError.) If the evidence has probability 0; the message names the states that conflict.
    ValueError
        If a node or state is unknown, a node is named twice, a likelihood is negative or not finite, or the computation
        needs tables of more than 2**26 cells or more memory than one operation may have.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> marginal(asia(), "lung").round(3)
    array([0.055, 0.945])
    >>> marginal(asia(), "lung", {"xray": "yes", "smoke": "yes"}).round(3)
    array([0.646, 0.354])
    >>> marginal(asia(), "lung", {"xray": {"yes": 0.9, "no": 0.1}}).round(3)
    array([0.258, 0.742])
    """
    query = [net.dag.index(name) for name in ([nodes] if isinstance(nodes, str) else nodes)]
    evidence = dict(evidence or {})
    findings = findings_of(net, evidence)
    _check_query(net, query, findings)
    log_probability, joint = _eliminated(net, query, findings)
    if log_probability == -inf:
        raise ImpossibleEvidence.among(evidence, lambda some: is_possible(net, some))
    return shares(joint, tuple(range(len(query))))


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
    nothing = Findings({}, {}, 0.0)
    _check_query(net, query, nothing)
    rows = shares(_eliminated(net, query, nothing)[1], (len(parents),))
    rows[~rows.any(axis=-1)] = 1 / rows.shape[-1]
    return rows


def is_possible(net: Network, evidence: Evidence) -> bool:
    """Whether evidence has a probability above 0; also True if the computation is too large."""
    try:
        return _eliminated(net, [], findings_of(net, evidence))[0] > -inf
    except ValueError:
        return True


def _check_query(net: Network, query: list[int], findings: Findings) -> None:
    if not query:
        raise ValueError("nodes is empty: name at least one node whose distribution is wanted.")
    for position, i in enumerate(query):
        if i in query[:position]:
            raise ValueError(f"node {net.names[i]!r} is queried twice: name each node once.")
        if i in findings.codes:
            raise ValueError(f"node {net.names[i]!r} is both queried and given as evidence: leave out one.")
    if len(query) > MAX_AXES:
        raise ValueError(
            f"{len(query)} nodes are queried: numpy has tables of at most {MAX_AXES} axes; query fewer nodes, first "
            "without those of one state."
        )
    check_size(prod(net.arities[i] for i in query))


def _eliminated(net: Network, query: list[int], findings: Findings) -> tuple[float, Numbers]:
    """Log-probability of the evidence, and a table proportional to the distribution of the queried nodes given it."""
    arities, factors = net.arities, factors_given(net, query, findings)
    root = sorted(v for v in query if arities[v] > 1)
    tree = Propagation([axes for _, axes in factors], arities, root)
    log_probability, tables = tree.sweep(tree.product(factors), np.array(arities), both=False)
    joint = summed(tables[0], other_axes(tree.cliques[0].nodes, root))
    ascending = sorted(query)
    joint = joint.reshape(*(arities[v] for v in ascending), 2)
    return log_probability, joint.transpose(*(ascending.index(v) for v in query), len(query))


def factors_given(net: Network, query: Sequence[int], findings: Findings) -> list[Factor]:
    """Tables of the queried nodes, the evidence and their ancestors, restricted to the observed states."""
    known = {*query, *findings.codes, *findings.weights}
    nodes = sorted({*known, *reachable(net.dag.parents, tuple(known))})
    factors = [factor_of(net.cpts[i], (*net.dag.parents[i], i), net.arities, findings.codes) for i in nodes]
    return factors + [(weights, (i,)) for i, weights in findings.weights.items() if net.arities[i] > 1]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Marginals of all nodes given evidence.

    Attributes
    ----------
    marginals : dict of str to ndarray of float64, shape (r,)
        Distribution of each node, in node order. An observed node has probability 1 at its state.
    log_probability : float
        Natural logarithm of the probability of the evidence; with likelihoods, of their expected product.
    errors : dict of str to ndarray of float64, shape (r,)
        Standard error of each probability if the marginals are estimates; empty if they are exact.
    """

    marginals: dict[str, FloatArray]
    log_probability: float
    errors: dict[str, FloatArray] = field(default_factory=dict)


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
    bnlab.networks.query.evidence.ImpossibleEvidence: lung = yes and either = no have probability 0 together in ...
    """

    def __init__(self, net: Network) -> None:
        self.net = net
        self.propagation = Propagation.of_graph(net.dag, net.arities)
        self.n_cells = self.propagation.n_cells

    def __repr__(self) -> str:
        return f"JunctionTree({len(self.net)} nodes, {len(self.propagation.cliques)} cliques, {self.n_cells:,} cells)"

    def posterior(self, evidence: Evidence | None = None) -> Posterior:
        """Compute the marginals of all nodes given evidence on some.

        Parameters
        ----------
        evidence : mapping of str to state, list, set or mapping, optional
            As for `marginal`.

        Raises
        ------
        ImpossibleEvidence
            (A ValueError.) If the evidence has probability 0; the message names the states that conflict.
        ValueError
            If a node or a state is unknown, or a likelihood is negative or not finite.
        """
        evidence = dict(evidence or {})
        findings = findings_of(self.net, evidence)
        numbers, row = self.given(findings)
        found, logs = self.propagation.marginals(numbers, row[:, None], range(len(self.net)))
        if logs[0] == -inf:
            raise ImpossibleEvidence.among(evidence, lambda some: self.log_probability(some) > -inf)
        marginals = {name: table[0] for name, table in zip(self.net.names, found, strict=True)}
        return Posterior(marginals, float(logs[0]) + findings.log_scale)

    def log_probability(self, evidence: Evidence) -> float:
        """Log-probability of the evidence in nats; -inf if it is impossible, ValueError for an unknown state."""
        try:
            findings = findings_of(self.net, evidence)
        except ImpossibleEvidence:
            return -inf
        numbers, row = self.given(findings)
        return float(self.propagation.log_probabilities(numbers, row[:, None])[0]) + findings.log_scale

    @cached_property
    def numbers(self) -> Numbers:
        """Products of the tables of each clique. They are large, so they are made when they are first needed."""
        return self.propagation.product(factors_of(self.net.dag, self.net.cpts))

    def given(self, findings: Findings) -> tuple[Numbers, CodeArray]:
        """Products of the tables and likelihoods of each clique, and the row of the observed states, shape (n,)."""
        row = np.array(self.net.arities)
        row[list(findings.codes)] = list(findings.codes.values())
        weights = {v: table for v, table in findings.weights.items() if self.net.arities[v] > 1}
        return self.propagation.weighted(self.numbers, weights) if weights else self.numbers, row
