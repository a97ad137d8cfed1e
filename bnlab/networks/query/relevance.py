"""Information of each variable about a target, to choose the variable to observe next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bnlab.networks.query.evidence import Evidence, findings_of
from bnlab.networks.query.inference import JunctionTree, Posterior
from bnlab.networks.types import Network

if TYPE_CHECKING:
    import pandas as pd


def what_matters(net: Network, target: str, evidence: Evidence | None = None) -> pd.DataFrame:
    """Exact information about a target of each variable that is not observed yet.

    Parameters
    ----------
    net : BayesianNetwork
    target : str
    evidence : mapping of str to state, list, set or mapping, optional
        As for `marginal`; no state of the target. A variable of which only likelihoods are known is not observed.

    Returns
    -------
    DataFrame
        One row per variable that is neither observed nor the target, the greatest `information` first. Columns:

        blanket : bool
            Whether it is in the Markov blanket: a parent, a child or another parent of a child of the target. Given
            the whole blanket, no other variable has any information about the target.
        information : float
            Mutual information with the target given the evidence, I(T; V | e) = H(T | e) - sum_v P(v | e) H(T | v, e),
            in nats. It is the expected information gain of observing the variable next.
        share : float
            `information` as a share of H(T | e), the uncertainty about the target; 0 if the target is certain already.
        change : float
            Greatest change of the probability of a state of the target by an observation of the variable,
            ``max |P(t | v, e) - P(t | e)|`` over the possible states t and v.
        accuracy : float
            Expected increase of the probability that the most probable state of the target is the true one,
            sum_v P(v | e) max_t P(t | v, e) - max_t P(t | e): the value of the observation for predicting the target.

    Raises
    ------
    ImpossibleEvidence
        (A ValueError.) If the evidence has probability 0.
    ValueError
        If a node or a state is unknown or the target is observed; also as for `JunctionTree`.

    Notes
    -----
    These are statements about observations: a variable may have much information about the target and no effect on it.
    Variables may share information, so that the values of several observations do not add up.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> what_matters(asia(), "lung", {"dysp": "yes"}).round(3).head(3)
            blanket  information  share  change  accuracy
    either     True        0.281  0.848   0.750     0.085
    xray      False        0.209  0.632   0.518     0.039
    smoke      True        0.024  0.072   0.079     0.000
    """
    import pandas as pd

    evidence = dict(evidence or {})
    t = net.dag.index(target)
    observed = findings_of(net, evidence).codes
    if t in observed:
        raise ValueError(f"target {target!r} is observed: leave it out of the evidence.")
    tree = JunctionTree(net)
    now = tree.posterior(evidence)
    prior = now.marginals[target]
    # One sweep for each state of the target gives P(v | t, e) of all variables at once.
    given = [
        tree.posterior({**evidence, target: state}) if prior[k] > 0 else None
        for k, state in enumerate(net.variables[t].states)
    ]
    others = [name for v, name in enumerate(net.names) if v != t and v not in observed]
    rows = {name: _row(prior, name, given, now) for name in others}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["information", "share", "change", "accuracy"])
    blanket = {*net.dag.parents_of(target), *net.dag.children_of(target)}
    blanket.update(parent for child in net.dag.children_of(target) for parent in net.dag.parents_of(child))
    frame.insert(0, "blanket", [name in blanket for name in frame.index])
    return frame.sort_values("information", ascending=False, kind="stable")


def _row(
    prior: np.ndarray, name: str, given: list[Posterior | None], now: Posterior
) -> tuple[float, float, float, float]:
    """Numbers of one variable, from the joint distribution of the target and the variable."""
    alone = now.marginals[name]
    joint = np.array([p * (alone if g is None else g.marginals[name]) for p, g in zip(prior, given, strict=True)])
    joint = joint[:, joint.any(axis=0)]
    of_state = joint.sum(axis=0)
    posterior = joint / of_state
    entropy = _entropy(prior)
    information = max(entropy - float(of_state @ [_entropy(column) for column in posterior.T]), 0.0)
    return (
        information,
        information / entropy if entropy > 0 else 0.0,
        float(np.abs(posterior - prior[:, None]).max()),
        max(float(joint.max(axis=0).sum() - prior.max()), 0.0),
    )


def _entropy(p: np.ndarray) -> float:
    """Entropy in nats."""
    some = p[p > 0]
    return float(-(some @ np.log(some))) + 0.0
