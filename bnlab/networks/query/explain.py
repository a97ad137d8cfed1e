"""Most probable explanations: the most probable states of all nodes, or of some, given evidence.

References
----------
J. Park, A. Darwiche. Complexity results and approximation strategies for MAP explanations. Journal of Artificial
Intelligence Research 21, 2004.
D. Nilsson. An efficient algorithm for finding the M most probable configurations. Statistics and Computing 8, 1998.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import exp, inf

import numpy as np

from bnlab.networks.propagation import CodeArray, Numbers, Propagation
from bnlab.networks.query.evidence import Evidence, ImpossibleEvidence, findings_of
from bnlab.networks.query.inference import factors_given, is_possible
from bnlab.networks.types import Network


@dataclass(frozen=True)
class Explanation:
    """States of some nodes, and their joint probability given the evidence.

    Attributes
    ----------
    states : dict of str to state
        In node order.
    probability : float
        Joint probability of these states given the evidence; 0 if it is too small for a float.
    log_probability : float
        Its natural logarithm.
    runner_up : Explanation or None
        The second most probable states; None if no other states are possible, or for the runner-up itself.
    """

    states: dict[str, Hashable]
    probability: float
    log_probability: float
    runner_up: Explanation | None = None


def most_probable(net: Network, evidence: Evidence | None = None, of: Sequence[str] | None = None) -> Explanation:
    """Most probable states of some nodes given evidence, and the second most probable ones.

    Parameters
    ----------
    net : BayesianNetwork
    evidence : mapping of str to state, list, set or mapping, optional
        As for `marginal`.
    of : sequence of str, optional
        Nodes whose joint state is wanted, none of them observed; the others are summed out (marginal MAP). By default
        all nodes that are not observed (most probable explanation).

    Returns
    -------
    Explanation

    Raises
    ------
    ImpossibleEvidence
        (A ValueError.) If the evidence has probability 0.
    ValueError
        As for `marginal`, or if `of` names no node, a node twice, or an observed node.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> best = most_probable(asia(), {"xray": "yes", "dysp": "yes"}, of=["lung", "bronc"])
    >>> best.states, round(best.probability, 3)
    ({'lung': 'yes', 'bronc': 'yes'}, 0.393)
    >>> best.runner_up.states, round(best.runner_up.probability, 3)
    ({'lung': 'no', 'bronc': 'yes'}, 0.289)
    """
    evidence = dict(evidence or {})
    findings = findings_of(net, evidence)
    if of is None:
        wanted = [v for v in range(len(net)) if v not in findings.codes]
    else:
        wanted = sorted(net.dag.index(name) for name in ([of] if isinstance(of, str) else of))
        _check(net, wanted, findings.codes)
    factors = factors_given(net, wanted, findings)
    tree = Propagation([axes for _, axes in factors], net.arities, late=wanted)
    numbers, row = tree.product(factors), np.array(net.arities)
    whole = tree.summing().log_probabilities(numbers, row[:, None])[0]
    if whole == -inf:
        raise ImpossibleEvidence.among(evidence, lambda some: is_possible(net, some))
    best = tree.greatest(numbers, row)
    second = _second(tree, numbers, best)
    runner_up = None if second is None else _explanation(net, tree, numbers, wanted, second, whole)
    return replace(_explanation(net, tree, numbers, wanted, best, whole), runner_up=runner_up)


def _check(net: Network, wanted: list[int], codes: dict[int, int]) -> None:
    if not wanted:
        raise ValueError("of is empty: name at least one node whose state is wanted.")
    for position, v in enumerate(wanted):
        if v in wanted[:position]:
            raise ValueError(f"node {net.names[v]!r} is wanted twice: name each node once.")
        if v in codes:
            raise ValueError(f"node {net.names[v]!r} is both wanted and given as evidence: leave out one.")


def _second(tree: Propagation, numbers: Numbers, best: CodeArray) -> CodeArray | None:
    """Row of the second most probable states; None if all others are impossible.

    After an outward sweep, each cell of a clique has the greatest probability of all rows that agree with it, up to a
    factor of the connected component. The second row differs from the best one in some clique, and agrees with the best
    other cell of this clique.
    """
    from bnlab.engine.propagate import LOG_UNIT

    _, tables = tree.sweep(numbers, np.array(tree.arities), both=True)
    greatest, row = -inf, None
    for clique, table, maximal in zip(tree.cliques, tables, tree.flat.maximal, strict=True):
        if maximal:
            with np.errstate(divide="ignore"):
                logs = np.log(table[..., 0]) + LOG_UNIT * table[..., 1]
            own = tuple(best[v] for v in clique.nodes)
            logs, logs[own] = logs - logs[own], -inf
            cell = np.unravel_index(logs.argmax(), logs.shape)
            if logs[cell] > greatest:
                greatest, row = logs[cell], np.array(tree.arities)
                row[list(clique.nodes)] = cell
    return None if row is None else tree.greatest(numbers, row)


def _explanation(
    net: Network, tree: Propagation, numbers: Numbers, wanted: list[int], codes: CodeArray, log_evidence: float
) -> Explanation:
    row = np.array(tree.arities)
    row[wanted] = codes[wanted]
    log_probability = float(tree.summing().log_probabilities(numbers, row[:, None])[0]) - log_evidence
    states = {net.names[v]: net.variables[v].states[codes[v]] for v in wanted}
    return Explanation(states, exp(log_probability), log_probability)
