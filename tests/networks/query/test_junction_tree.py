"""The junction tree: conflicting evidence, observations taken back, large networks; test_query has the numbers."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, ImpossibleEvidence, JunctionTree, asia, load_network, marginal


def test_a_network_without_nodes_has_no_marginals() -> None:
    assert JunctionTree(BayesianNetwork(Dag.empty([]), [], [])).posterior().marginals == {}


@pytest.mark.parametrize(
    ("shown", "conflict", "words"),
    [
        (
            {"xray": "yes", "lung": "yes", "smoke": "no", "either": "no"},
            {"lung": "yes", "either": "no"},
            "lung = yes and either = no have probability 0 together in this network: remove one of them",
        ),
        (
            {"either": "yes", "asia": "yes", "tub": "no", "lung": "no"},
            {"either": "yes", "tub": "no", "lung": "no"},
            "either = yes, tub = no and lung = no have probability 0 together in this network",
        ),
    ],
)
def test_impossible_evidence_names_the_states_that_conflict(shown, conflict, words) -> None:
    for infer in (JunctionTree(asia()).posterior, lambda shown: marginal(asia(), "dysp", shown)):
        with pytest.raises(ImpossibleEvidence, match=words) as refused:
            infer(shown)
        assert refused.value.conflict == conflict
    assert JunctionTree(asia()).log_probability(shown) == -np.inf


def test_a_single_state_that_cannot_be_is_named_alone() -> None:
    net = BayesianNetwork(Dag.empty(["X"]), [Variable("X", ("a", "b"))], [[1.0, 0.0]])
    with pytest.raises(
        ImpossibleEvidence, match="X = b has probability 0 in this network: remove it from the evidence"
    ):
        JunctionTree(net).posterior({"X": "b"})


@pytest.mark.needs_data
@pytest.mark.parametrize("name", ["alarm", "insurance", "hailfinder"])
def test_large_networks_agree_with_a_query_for_each_node(shared_data, name) -> None:
    net = load_network(name)
    row = net.sample(1, seed=3)
    shown = {v.name: v.states[int(row.column(v.name)[0])] for v in net.variables[2::7]}
    found = JunctionTree(net).posterior(shown)
    for variable in net.variables[::3]:
        if variable.name not in shown:
            assert found.marginals[variable.name] == pytest.approx(marginal(net, variable.name, shown), abs=1e-13)


def test_observations_added_and_taken_back_leave_no_trace(random_network) -> None:
    net = random_network(5, n=8)
    tree, rng = JunctionTree(net), np.random.default_rng(0)
    shown: dict[str, Hashable] = {}
    for _ in range(60):
        name = net.names[int(rng.integers(8))]
        if name in shown:
            del shown[name]
        else:
            shown[name] = net.variables[net.names.index(name)].states[0]
        found, fresh = tree.posterior(shown), JunctionTree(net).posterior(shown)
        assert found.log_probability == fresh.log_probability == tree.log_probability(shown)
        for other in net.names:
            assert np.array_equal(found.marginals[other], fresh.marginals[other])


def test_nodes_of_one_state_take_no_part_and_are_not_too_many() -> None:
    names = [*(f"v{i}" for i in range(70)), "last"]
    variables = [Variable(name, ("only",)) for name in names[:-1]] + [Variable("last", ("a", "b"))]
    parents = [()] * 40 + [tuple(range(k, k + 20)) for k in range(30)] + [tuple(range(25))]
    cpts = [np.ones([1] * (len(p) + 1)) for p in parents[:-1]] + [np.reshape([0.3, 0.7], (1,) * 25 + (2,))]
    tree = JunctionTree(BayesianNetwork(Dag(names, parents), variables, cpts))
    found = tree.posterior({"v60": "only"})
    assert found.marginals["last"] == pytest.approx([0.3, 0.7], abs=1e-15)
    assert found.marginals["v3"].tolist() == found.marginals["v60"].tolist() == [1.0]
    assert tree.log_probability({"v3": "only", "last": "a"}) == pytest.approx(np.log(0.3))
