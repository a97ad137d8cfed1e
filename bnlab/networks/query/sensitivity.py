"""Sensitivity of a query to each probability of the network.

References
----------
A. Darwiche. A differential approach to inference in Bayesian networks. Journal of the ACM 50, 2003.
H. Chan, A. Darwiche. When do numbers really matter? Journal of Artificial Intelligence Research 17, 2002.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.networks.propagation import FloatArray, Propagation, factors_of, ordered_as
from bnlab.networks.query.evidence import Evidence, Findings, findings_of
from bnlab.networks.query.inference import JunctionTree, marginal
from bnlab.networks.types import Network

if TYPE_CHECKING:
    import pandas as pd

NEAR_ZERO = 2.0**-600  # stands for probabilities of 0, whose derivatives are not 0; its own contribution is negligible


def sensitivity(
    net: Network,
    target: str,
    state: Hashable,
    evidence: Evidence | None = None,
    *,
    change: float = 0.1,
    threshold: float = 0.5,
) -> pd.DataFrame:
    """How the probability of a state given evidence depends on each probability in the network's tables.

    If one probability of a row changes, the others of the row change in proportion, so that the row sums to 1 (if it is
    1, the others get equal shares of the rest). The probability of the state is then a quotient of two linear functions
    of it. Two propagations give all of them.

    Parameters
    ----------
    net : BayesianNetwork
    target : str
        A node without evidence.
    state : state of the target
    evidence : mapping, optional
        As for `marginal`.
    change : float
        Each probability is lowered and raised by this much, but not below 0 or above 1.
    threshold : float
        Probability of the state at which a decision changes.

    Returns
    -------
    DataFrame
        One row per probability of a node with at least two states, the greatest absolute derivative first. Columns:

        node, given, state : str, tuple of states, state
            The probability P(node = state | parents = given), parents as in `Dag.parents_of`.
        probability : float
            Its value.
        derivative : float
            Of P(target = state | evidence) by this probability.
        low, high : float
            The lowered and the raised probability.
        at_low, at_high : float
            P(target = state | evidence) with these; NaN if the evidence would be impossible.
        needed : float
            Value of this probability at which P(target = state | evidence) equals the threshold; NaN if there is none.

    Raises
    ------
    ImpossibleEvidence
        (A ValueError.) If the evidence has probability 0.
    ValueError
        As for `marginal`, or if there is evidence on the target.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> found = sensitivity(asia(), "lung", "yes", {"xray": "yes"})
    >>> found[["node", "given", "state", "probability", "needed"]].head(3).round(3)
       node  given state  probability  needed
    0  xray  (no,)   yes         0.05   0.047
    1  xray  (no,)    no         0.95   0.953
    2   tub  (no,)   yes         0.01   0.007
    """
    import pandas as pd

    evidence = dict(evidence or {})
    t = net.dag.index(target)
    code = net.variables[t].code(state)
    findings = findings_of(net, evidence)
    if t in {*findings.codes, *findings.weights}:
        raise ValueError(f"target {target!r} has evidence: leave it out of the evidence.")
    now = float(marginal(net, target, evidence)[code])
    tree = JunctionTree(net).propagation
    log_all, of_all = _derivatives(net, tree, findings)
    both = findings._replace(codes={**findings.codes, t: code})
    log_both, of_both = _derivatives(net, tree, both)
    share = np.exp(log_both - log_all)
    parts = []
    for i, (cpt, d_all, d_both) in enumerate(zip(net.cpts, of_all, of_both, strict=True)):
        if cpt.shape[-1] > 1:
            theta = cpt / cpt.sum(axis=-1, keepdims=True)
            slopes = _along(theta, d_all), share * _along(theta, d_both)
            parts.append(_of_node(net, i, theta, slopes, now, change, threshold))
    if not parts:
        raise ValueError("every node has one state: there is no probability to change.")
    # One frame of lists, because frames of each node would take most of the time.
    found = pd.DataFrame({name: [x for part in parts for x in part[name]] for name in parts[0]})
    order = found.derivative.abs().sort_values(ascending=False, kind="stable").index
    return found.loc[order].reset_index(drop=True)


def _derivatives(net: Network, tree: Propagation, findings: Findings) -> tuple[float, list[FloatArray]]:
    """Log-probability of evidence, and its derivatives by each probability, divided by the probability."""
    cpts = [cpt / cpt.sum(axis=-1, keepdims=True) for cpt in net.cpts]
    cpts = [np.where(cpt > 0, cpt, NEAR_ZERO) for cpt in cpts]
    numbers = tree.product(factors_of(net.dag, cpts))
    weights = {v: table for v, table in findings.weights.items() if net.arities[v] > 1}
    row = np.array(net.arities)
    row[list(findings.codes)] = list(findings.codes.values())
    counts, log_probability = tree.expected(tree.weighted(numbers, weights), row[:, None], np.ones(1))
    families = [(*parents, i) for i, parents in enumerate(net.dag.parents)]
    shares = [ordered_as(family, table, net.arities) for family, table in zip(families, counts, strict=True)]
    return log_probability, [table / cpt for table, cpt in zip(shares, cpts, strict=True)]


def _along(theta: FloatArray, derivatives: FloatArray) -> FloatArray:
    """Derivatives along changes in which the rest of a row changes in proportion."""
    rest = (theta * derivatives).sum(axis=-1, keepdims=True) - theta * derivatives
    equal = (derivatives.sum(axis=-1, keepdims=True) - derivatives) / (theta.shape[-1] - 1)
    others = np.where(theta < 1, rest / np.where(theta < 1, 1 - theta, 1.0), equal)
    return np.asarray(derivatives - others)


def _of_node(
    net: Network,
    i: int,
    theta: FloatArray,
    slopes: tuple[FloatArray, FloatArray],
    now: float,
    change: float,
    threshold: float,
) -> dict[str, list[Any]]:
    """Columns of the result for a node; slopes of P(evidence) and P(target, evidence), both divided by P(evidence)."""
    of_all, of_both = slopes

    def at(value: FloatArray) -> FloatArray:
        below = 1 + (value - theta) * of_all
        possible = below > 1e-12
        found = (now + (value - theta) * of_both) / np.where(possible, below, 1.0)
        return np.where(possible, found.clip(0, 1), np.nan)

    slope = of_both - threshold * of_all
    needed = theta + (threshold - now) / np.where(slope != 0, slope, np.nan)
    low, high = (theta - change).clip(0, 1), (theta + change).clip(0, 1)
    parents = [net.variables[p].states for p in net.dag.parents[i]]
    cells = list(np.ndindex(theta.shape))
    numbers = {
        "probability": theta,
        "derivative": of_both - now * of_all,
        "low": low,
        "high": high,
        "at_low": at(low),
        "at_high": at(high),
        "needed": np.where((needed >= 0) & (needed <= 1) & ~np.isnan(at(needed)), needed, np.nan),
    }
    return {
        "node": [net.names[i]] * len(cells),
        "given": [tuple(states[k] for states, k in zip(parents, cell, strict=False)) for cell in cells],
        "state": [net.variables[i].states[cell[-1]] for cell in cells],
        **{name: values.ravel().tolist() for name, values in numbers.items()},
    }
