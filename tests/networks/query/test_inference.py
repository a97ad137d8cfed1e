from __future__ import annotations

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, asia, load_network, marginal


def by_enumeration(full: np.ndarray, asked: list[int], evidence: dict[int, int]) -> np.ndarray:
    cut = full[tuple(evidence.get(v, slice(None)) for v in range(full.ndim))]
    left = [v for v in range(full.ndim) if v not in evidence]
    summed = cut.sum(axis=tuple(left.index(v) for v in left if v not in asked))
    order = [sorted(asked).index(v) for v in asked]
    return summed.transpose(order) / summed.sum()


@pytest.mark.parametrize("seed", range(6))
def test_marginals_equal_enumeration_of_the_joint(random_network, joint, seed):
    net = random_network(seed, n=6)
    full = joint(net)
    rng = np.random.default_rng(seed)
    for size in (1, 2, 3):
        for known in (0, 1, 2):
            chosen = rng.permutation(6)[: size + known].tolist()
            asked, given = chosen[:size], chosen[size:]
            codes = {v: int(rng.integers(net.arities[v])) for v in given}
            evidence = {net.names[v]: net.variables[v].states[k] for v, k in codes.items()}
            found = marginal(net, [net.names[v] for v in asked], evidence)
            assert found == pytest.approx(by_enumeration(full, asked, codes), abs=1e-12)


def test_axes_come_in_the_order_asked_for():
    net = asia()
    assert marginal(net, ["xray", "dysp"]) == pytest.approx(marginal(net, ["dysp", "xray"]).T)


@pytest.mark.parametrize(
    ("nodes", "evidence", "words"),
    [
        ("lungs", None, "did you mean 'lung'"),
        ([], None, "nodes is empty"),
        (["lung", "lung"], None, "is queried twice"),
        ("lung", {"lung": "yes"}, "both queried and given"),
        ("lung", {"xray": "abnormal"}, "'xray' has no state 'abnormal'"),
        ("lung", {"x-ray": "yes"}, "did you mean 'xray'"),
    ],
)
def test_wrong_questions_are_refused(nodes, evidence, words):
    with pytest.raises(ValueError, match=words):
        marginal(asia(), nodes, evidence)


def test_a_distribution_too_large_for_memory_is_refused():
    names = [f"x{i}" for i in range(30)]
    variables = [Variable(name, ("a", "b")) for name in names]
    net = BayesianNetwork(Dag.empty(names), variables, [[0.5, 0.5]] * 30)
    with pytest.raises(ValueError, match="query fewer nodes"):
        marginal(net, names)


@pytest.mark.needs_data
@pytest.mark.parametrize("name", ["alarm", "andes"])
def test_samples_of_large_networks_agree_with_exact_marginals(shared_data, name):
    net = load_network(name)
    table = net.sample(100_000, seed=1)
    deviations = []
    for variable in net.variables[::5]:
        exact = marginal(net, variable.name)
        found = np.bincount(table.column(variable.name), minlength=variable.arity) / 100_000
        possible = (exact > 0) & (exact < 1)
        sigma = np.sqrt(exact * (1 - exact) / 100_000)[possible]
        deviations.extend(np.abs(found - exact)[possible] / sigma)
    assert max(deviations) < 5


def test_nodes_of_one_state_take_no_part_and_are_not_too_many():
    names = [f"v{i}" for i in range(70)]
    variables = [Variable(name, ("only",)) for name in names] + [Variable("last", ("a", "b"))]
    dag = Dag([*names, "last"], [()] * 70 + [tuple(range(25))])
    net = BayesianNetwork(dag, variables, [[1.0]] * 70 + [np.reshape([0.3, 0.7], (1,) * 25 + (2,))])
    assert marginal(net, ["v65", "last", "v3"], {"v1": "only"}).tolist() == [[[0.3], [0.7]]]
    with pytest.raises(ValueError, match=r"70 nodes are queried: .* query fewer"):
        marginal(net, names)
