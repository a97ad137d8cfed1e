"""Interventions in a network, against the truncated factorisation over all configurations."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.networks import BayesianNetwork, ImpossibleEvidence, asia


def truncated(net: BayesianNetwork, codes: dict[int, int]) -> np.ndarray:
    """Product of the tables of all nodes that are not set, where these have their states; 0 elsewhere."""
    total = np.zeros(net.arities)
    for configuration in np.ndindex(*net.arities):
        if all(configuration[v] == k for v, k in codes.items()):
            families = [(i, parents) for i, parents in enumerate(net.dag.parents) if i not in codes]
            total[configuration] = np.prod(
                [net.cpts[i][tuple(configuration[v] for v in (*ps, i))] for i, ps in families]
            )
    return total


@pytest.mark.parametrize("seed", range(6))
def test_interventions_equal_the_truncated_factorisation(random_network, seed):
    net = random_network(seed, n=6)
    rng = np.random.default_rng(seed)
    for n_set in (1, 2):
        target, seen, *chosen = rng.permutation(6)[: n_set + 2].tolist()
        codes = {v: int(rng.integers(net.arities[v])) for v in chosen}
        do = {net.names[v]: net.variables[v].states[k] for v, k in codes.items()}
        full = truncated(net, codes)
        assert full.sum() == pytest.approx(1)
        state = int(rng.integers(net.arities[seen]))
        evidence = {net.names[seen]: net.variables[seen].states[state]}
        for given, part in (({}, full), (evidence, np.take(full, [state], axis=seen))):
            expected = part.sum(axis=tuple(v for v in range(6) if v != target)) / part.sum()
            name = net.names[target]
            assert net.marginal(name, given, do=do) == pytest.approx(expected, abs=1e-12)
            assert net.posterior(given, do=do).marginals[name] == pytest.approx(expected, abs=1e-12)


def test_the_mutilated_network_lacks_only_the_edges_into_the_nodes_set():
    net = asia()
    cut = net.do({"either": "yes", "smoke": "no"})
    assert set(net.dag.edges) - set(cut.dag.edges) == {("tub", "either"), ("lung", "either")}
    assert cut.cpt("either").tolist() == [1.0, 0.0]
    assert cut.sample(50, seed=1).column("either").max() == 0
    assert net.do({}) == net


def test_what_a_network_cannot_be_set_to_is_refused():
    net = asia()
    with pytest.raises(ValueError, match="did you mean 'smoke'"):
        net.do({"smoek": "yes"})
    with pytest.raises(ValueError, match="maybe"):
        net.do({"smoke": "maybe"})
    with pytest.raises(ValueError, match="'smoke' is both set by `do` and observed"):
        net.marginal("lung", {"smoke": "no"}, do={"smoke": "yes"})
    with pytest.raises(ImpossibleEvidence, match="either = no"):
        net.posterior({"either": "no", "xray": "yes"}, do={"lung": "yes"})
