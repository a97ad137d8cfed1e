"""Derivatives of queries by the probabilities of a network, against networks with changed tables."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.networks import BayesianNetwork, ImpossibleEvidence, asia
from bnlab.networks.query.sensitivity import sensitivity


def changed(net: BayesianNetwork, row, value: float) -> BayesianNetwork:
    """Network in which one probability has another value, and the rest of its row changes in proportion."""
    i = net.names.index(row.node)
    at = tuple(net.variables[p].code(s) for p, s in zip(net.dag.parents[i], row.given, strict=True))
    k = net.variables[i].code(row.state)
    cpt = net.cpts[i].copy()
    old = cpt[at] / cpt[at].sum()
    others = np.full(len(old), 1 / (len(old) - 1)) if old[k] == 1 else old / (1 - old[k])
    new = others * (1 - value)
    new[k] = value
    cpt[at] = new
    return BayesianNetwork(net.dag, net.variables, [cpt if v == i else table for v, table in enumerate(net.cpts)])


def probability(net: BayesianNetwork, target: str, state, evidence) -> float:
    try:
        found = net.marginal(target, evidence)
    except ImpossibleEvidence:
        return float("nan")
    return float(found[net.variables[net.names.index(target)].code(state)])


def cases(random_network):
    yield asia(), "lung", "yes", {"xray": "yes", "dysp": "no"}
    yield asia(), "either", "no", {"dysp": {"yes": 0.8, "no": 0.3}}
    for seed in range(3):
        net = random_network(seed, n=5)
        target = max(net.names, key=lambda name: net.arities[net.names.index(name)])
        v = net.names.index(target)
        other = next(u for u in range(5) if u != v)
        yield net, target, net.variables[v].states[-1], {net.names[other]: net.variables[other].states[0]}


def test_derivatives_and_ends_are_those_of_changed_networks(random_network) -> None:
    step = 1e-6
    for net, target, state, evidence in cases(random_network):
        found = sensitivity(net, target, state, evidence, change=1, threshold=0.4)
        assert len(found) == sum(cpt.size for cpt in net.cpts if cpt.shape[-1] > 1)
        assert found.derivative.abs().is_monotonic_decreasing
        for row in found.itertuples():
            low, high = max(row.probability - step, 0), min(row.probability + step, 1)
            values = [probability(changed(net, row, x), target, state, evidence) for x in (low, high)]
            assert (values[1] - values[0]) / (high - low) == pytest.approx(row.derivative, abs=1e-3, rel=1e-3)
            assert (row.low, row.high) == (0, 1)
            for end, value in ((row.low, row.at_low), (row.high, row.at_high)):
                expected = probability(changed(net, row, end), target, state, evidence)
                assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)
            if not np.isnan(row.needed):
                assert probability(changed(net, row, row.needed), target, state, evidence) == pytest.approx(0.4)
            elif not np.isnan(row.at_low + row.at_high):
                assert (row.at_low - 0.4) * (row.at_high - 0.4) >= -1e-12


def test_evidence_on_the_target_and_impossible_evidence_are_refused() -> None:
    with pytest.raises(ValueError, match="target 'lung' has evidence"):
        sensitivity(asia(), "lung", "yes", {"lung": "no"})
    with pytest.raises(ImpossibleEvidence):
        sensitivity(asia(), "smoke", "yes", {"lung": "yes", "either": "no"})
