"""Posterior marginals by sampling, for networks whose exact tables would be too large.

References
----------
R. Fung, K.-C. Chang. Weighing and integrating evidence for stochastic simulation in Bayesian networks. Uncertainty in
Artificial Intelligence 5, 1989 (likelihood weighting).
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from bnlab._runtime.names import check_known
from bnlab.networks.propagation import FloatArray
from bnlab.networks.query.evidence import Evidence, Findings, findings_of
from bnlab.networks.query.inference import JunctionTree, Posterior
from bnlab.networks.types import Network

Method: TypeAlias = Literal["auto", "exact", "estimate"]

ROUND = 4096  # samples drawn at a time
MOST_ROUNDS = 16
CLOSE = 0.005  # greatest standard error at which sampling stops
LEAST_EFFECTIVE = 10.0


class LikelihoodWeighting:
    """Estimates of posterior marginals from weighted samples; offers what `JunctionTree` does.

    Each node is drawn given its parents and its own evidence, parents first. The weight of a sample is the product of
    the probabilities that the nodes with evidence had before they were drawn.

    Parameters
    ----------
    net : BayesianNetwork
    seed : int
        The same seed and evidence give the same estimates.
    """

    def __init__(self, net: Network, seed: int = 0) -> None:
        self.net, self.seed = net, seed

    def posterior(self, evidence: Evidence | None = None) -> Posterior:
        """Estimate the marginals of all nodes, with a standard error of each probability.

        It draws samples until every standard error is at most 0.005, and at most 65,536.

        Raises
        ------
        ImpossibleEvidence
            (A ValueError.) If no state of a node has a likelihood above 0.
        ValueError
            If a node or a state is unknown, or the samples hardly agree with the evidence: they are then worth fewer
            than 10 independent ones.
        """
        findings = findings_of(self.net, dict(evidence or {}))
        rng = np.random.default_rng(self.seed)
        states = np.empty((len(self.net), 0), np.int32)
        logs = np.empty(0)
        for _ in range(MOST_ROUNDS):
            drawn, weights = self._draw(findings, rng)
            states, logs = np.concatenate([states, drawn], axis=1), np.concatenate([logs, weights])
            found = self._summarised(states, logs, findings)
            if found is not None and max(float(error.max()) for error in found.errors.values()) <= CLOSE:
                break
        if found is None:
            raise ValueError(
                f"{len(logs):,} samples are worth fewer than {LEAST_EFFECTIVE:g} independent ones, because the "
                "evidence is improbable: estimate with less evidence, or give nodes fewer parents, so that exact "
                "inference is possible."
            )
        return found

    def _draw(self, findings: Findings, rng: np.random.Generator) -> tuple[np.ndarray, FloatArray]:
        """States of all nodes, shape (n, samples), and the logarithms of the weights."""
        net = self.net
        states, logs = np.empty((len(net), ROUND), np.int32), np.zeros(ROUND)
        for v in net.dag.topological_order:
            rows = net.cpts[v][tuple(states[p] for p in net.dag.parents[v])]
            rows = np.broadcast_to(rows / rows.sum(axis=-1, keepdims=True), (ROUND, net.arities[v]))
            weights = findings.weights.get(v)
            if v in findings.codes:
                weights = np.eye(net.arities[v])[findings.codes[v]]
            if weights is not None:
                rows = rows * weights
                with np.errstate(divide="ignore"):
                    logs += np.log(rows.sum(axis=1))
            cumulative = rows.cumsum(axis=1)
            drawn = rng.random(ROUND) * cumulative[:, -1]
            states[v] = np.minimum((cumulative <= drawn[:, None]).sum(axis=1), net.arities[v] - 1)
        return states, logs

    def _summarised(self, states: np.ndarray, logs: FloatArray, findings: Findings) -> Posterior | None:
        """Posterior of weighted samples; None if they are worth too few independent ones."""
        greatest = logs.max()
        if np.isneginf(greatest):
            return None
        weights = np.exp(logs - greatest)
        total, effective = weights.sum(), weights.sum() ** 2 / (weights**2).sum()
        if effective < LEAST_EFFECTIVE:
            return None
        marginals, errors = {}, {}
        for v, (name, arity) in enumerate(zip(self.net.names, self.net.arities, strict=True)):
            shares = np.bincount(states[v], weights, arity) / total
            squares = np.bincount(states[v], weights**2, arity)
            # Variance of a ratio of sums; a state that no sample shows still has the error of so few samples.
            variance = (squares * (1 - 2 * shares) + shares**2 * squares.sum()) / total**2
            smoothed = (shares * effective + 1) / (effective + 2)
            marginals[name] = shares
            errors[name] = np.sqrt(np.maximum(variance, smoothed * (1 - smoothed) / effective))
            if v in findings.codes:
                errors[name] = np.zeros(arity)
        log_probability = float(np.log(total / len(logs)) + greatest) + findings.log_scale
        return Posterior(marginals, log_probability, errors)


def inference_of(net: Network, method: Method = "auto", seed: int = 0) -> JunctionTree | LikelihoodWeighting:
    """Exact inference in a network, or estimates by sampling.

    Parameters
    ----------
    net : BayesianNetwork
    method : {"auto", "exact", "estimate"}
        "auto" estimates only if the exact tables would be too large.
    seed : int
        Seed of the samples.

    Raises
    ------
    ValueError
        If the method is unknown; for "exact", as for `JunctionTree`.
    """
    check_known(method, get_args(Method), f"method={method!r}")
    if method != "estimate":
        try:
            return JunctionTree(net)
        except ValueError:
            if method == "exact":
                raise
    return LikelihoodWeighting(net, seed)
