"""The junction tree, against enumeration of the joint distribution."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import product

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, ImpossibleEvidence, JunctionTree, asia, load_network, marginal


def check_against_joint(net: BayesianNetwork, full: np.ndarray, tree: JunctionTree, codes: dict[int, int]) -> None:
    cut = full[tuple(slice(codes[v], codes[v] + 1) if v in codes else slice(None) for v in range(full.ndim))]
    shown = {net.names[v]: net.variables[v].states[k] for v, k in codes.items()}
    if cut.sum() == 0:
        with pytest.raises(ImpossibleEvidence):
            tree.posterior(shown)
        return
    found = tree.posterior(shown)
    assert found.log_probability == pytest.approx(np.log(cut.sum()), abs=1e-10)
    assert list(found.marginals) == list(net.names)
    for v, name in enumerate(net.names):
        if v in codes:
            assert found.marginals[name].tolist() == [float(k == codes[v]) for k in range(net.arities[v])]
        else:
            expected = cut.sum(axis=tuple(u for u in range(full.ndim) if u != v)) / cut.sum()
            assert found.marginals[name] == pytest.approx(expected, abs=1e-12)


def test_asia_given_every_evidence_on_up_to_three_nodes_equals_the_joint(joint) -> None:
    net = asia()
    full, tree = joint(net), JunctionTree(net)
    rng = np.random.default_rng(1)
    chosen = [codes for codes in product((None, 0, 1), repeat=8) if sum(k is not None for k in codes) <= 3]
    assert len(chosen) == 577
    for codes in [chosen[i] for i in rng.permutation(len(chosen))]:
        check_against_joint(net, full, tree, {v: k for v, k in enumerate(codes) if k is not None})


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


@pytest.mark.parametrize(
    ("shown", "words"), [({"lungs": "yes"}, "did you mean 'lung'"), ({"lung": "maybe"}, "has no state 'maybe'")]
)
def test_unknown_nodes_and_states_are_refused(shown, words) -> None:
    with pytest.raises(ValueError, match=words):
        JunctionTree(asia()).posterior(shown)


def test_a_network_too_dense_for_exact_inference_is_refused_before_any_table_is_made() -> None:
    """A grid whose moral graph has a clique of more than 2**26 cells."""
    side = 30
    names = [f"x{i},{j}" for i in range(side) for j in range(side)]
    at = {(i, j): i * side + j for i in range(side) for j in range(side)}
    parents = [[at[p] for p in ((i - 1, j), (i, j - 1)) if p in at] for i, j in at]
    cpts = [np.full([2] * (len(p) + 1), 0.5) for p in parents]
    net = BayesianNetwork(Dag(names, parents), [Variable(name, (0, 1)) for name in names], cpts)
    with pytest.raises(ValueError, match="give nodes fewer parents"):
        JunctionTree(net)


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
