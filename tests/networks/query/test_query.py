"""Questions to a network, against the joint distribution of all its nodes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, ImpossibleEvidence, JunctionTree, asia, load_network

SEEDS = range(8)


def weighted(net: BayesianNetwork, full: np.ndarray, evidence: dict) -> np.ndarray:
    """Joint probability of each configuration times the likelihoods of the evidence."""
    for name, finding in evidence.items():
        v = net.names.index(name)
        if isinstance(finding, dict):
            weights = [finding.get(state, 0.0) for state in net.variables[v].states]
        else:
            some = finding if isinstance(finding, list | set) else [finding]
            weights = [float(state in some) for state in net.variables[v].states]
        full = full * np.reshape(weights, [-1 if u == v else 1 for u in range(full.ndim)])
    return full


def random_evidence(net: BayesianNetwork, seed: int) -> dict:
    """Hard evidence on one node, likelihoods on two, several states of one."""
    rng = np.random.default_rng(seed)
    hard, first, second, some = rng.permutation(len(net))[:4].tolist()
    states = [variable.states for variable in net.variables]
    return {
        net.names[hard]: states[hard][0],
        net.names[first]: dict(zip(states[first], (rng.random(len(states[first])) * 50).tolist(), strict=True)),
        net.names[second]: {states[second][0]: 0.2, states[second][-1]: 3},
        net.names[some]: list(states[some][:-1] or states[some]),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_likelihoods_and_several_states_are_evidence_like_any_other(random_network, joint, seed) -> None:
    net = random_network(seed, n=7)
    evidence = random_evidence(net, seed)
    full = weighted(net, joint(net), evidence)
    found, tree = net.posterior(evidence), JunctionTree(net)
    assert found.log_probability == pytest.approx(np.log(full.sum()), abs=1e-10)
    assert tree.log_probability(evidence) == found.log_probability
    for v, name in enumerate(net.names):
        expected = full.sum(axis=tuple(u for u in range(7) if u != v)) / full.sum()
        assert found.marginals[name] == pytest.approx(expected, abs=1e-12)
        if not isinstance(evidence.get(name), str | int):
            assert net.marginal(name, evidence) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_joint_distribution_names_its_states(random_network, joint, seed) -> None:
    net = random_network(seed, n=7)
    evidence = random_evidence(net, seed)
    full = weighted(net, joint(net), evidence)
    hidden = [name for name in net.names if name not in evidence]
    found = net.joint(hidden[::-1], evidence)
    assert found.sum() == pytest.approx(1)
    assert list(found.index.names) == hidden[::-1]
    for states, value in found.items():
        at = dict(zip(hidden[::-1], states, strict=True))
        cut = tuple(
            net.variables[v].states.index(at[name]) if name in at else slice(None) for v, name in enumerate(net.names)
        )
        assert value == pytest.approx(full[cut].sum() / full.sum(), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("size", [None, 1, 2, 4])
def test_the_two_most_probable_explanations_are_those_of_all_configurations(random_network, joint, seed, size) -> None:
    net = random_network(seed, n=7)
    evidence = random_evidence(net, seed)
    full = weighted(net, joint(net), evidence)
    hard = next(iter(evidence))
    rng = np.random.default_rng(seed)
    free = [name for name in net.names if name != hard]
    of = free if size is None else rng.permutation(free)[:size].tolist()
    kept = [v for v, name in enumerate(net.names) if name in of]
    sums = full.sum(axis=tuple(v for v in range(7) if v not in kept)).ravel() / full.sum()
    found = net.most_probable(evidence, None if size is None else of)
    assert set(found.states) == set(of)
    first, *others = sorted(sums[sums > 0], reverse=True)
    assert found.probability == pytest.approx(first, abs=1e-12)
    for explanation, expected in ((found, first), (found.runner_up, others[0] if others else None)):
        if expected is None:
            assert explanation is None
        else:
            assert explanation.probability == pytest.approx(expected, abs=1e-12)
            assert explanation.log_probability == pytest.approx(np.log(expected), abs=1e-10)
            assert net.joint(of, evidence)[tuple(explanation.states[name] for name in of)] == pytest.approx(
                expected, abs=1e-12
            )
    if found.runner_up is not None:
        assert found.runner_up.states != found.states


def test_a_certain_explanation_has_no_runner_up() -> None:
    net = BayesianNetwork(Dag.empty("xy"), [Variable("x", (0, 1)), Variable("y", ("only",))], [[0.0, 1.0], [1.0]])
    found = net.most_probable()
    assert found.states == {"x": 1, "y": "only"}
    assert (found.probability, found.runner_up) == (1.0, None)


def test_the_best_explanation_of_many_nodes_is_found_without_their_joint_table() -> None:
    """A chain of 400 nodes, every second one wanted: dynamic programming in logarithms."""
    n, rng = 400, np.random.default_rng(3)
    steps = rng.dirichlet(np.ones(2), (n, 2))
    names = [f"x{i}" for i in range(n)]
    net = BayesianNetwork(
        Dag(names, [(i - 1,) if i else () for i in range(n)]),
        [Variable(name, (0, 1)) for name in names],
        [steps[0, 0], *steps[1:]],
    )
    best = np.log(steps[0, 0])
    for i in range(2, n, 2):
        best = (best[:, None] + np.log(steps[i - 1] @ steps[i])).max(axis=0)
    found = net.most_probable(of=names[::2])
    assert found.log_probability == pytest.approx(best.max(), rel=1e-12)
    assert found.runner_up.log_probability <= found.log_probability


def test_interventions_go_with_uncertain_evidence() -> None:
    net = asia()
    evidence = {"dysp": {"yes": 0.9, "no": 0.2}}
    assert net.marginal("lung", evidence, do={"smoke": "yes"}) == pytest.approx(
        net.do({"smoke": "yes"}).marginal("lung", evidence)
    )
    with pytest.raises(ValueError, match="both set by `do` and observed"):
        net.marginal("lung", {"smoke": ["yes", "no"]}, do={"smoke": "yes"})


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"lung": {"yes": -1.0}}, "the likelihood of 'yes' is -1.0"),
        ({"lung": {"yes": float("nan")}}, "the likelihood of 'yes' is nan"),
        ({"lung": ["maybe"]}, "has no state 'maybe'"),
        ({"lungs": ["yes"]}, "did you mean 'lung'"),
    ],
)
def test_wrong_evidence_is_refused(evidence, words) -> None:
    for ask in (asia().posterior, lambda given: asia().marginal("dysp", given), asia().most_probable):
        with pytest.raises(ValueError, match=words):
            ask(evidence)


@pytest.mark.parametrize(
    ("evidence", "conflict"),
    [
        ({"lung": {"yes": 0}, "smoke": "yes"}, {"lung"}),
        ({"lung": []}, {"lung"}),
        ({"lung": {"yes": 0.5}, "either": ["no"], "smoke": "yes"}, {"lung", "either"}),
    ],
)
def test_impossible_evidence_is_one_error(evidence, conflict) -> None:
    rows = pd.DataFrame({"lung": ["yes"], "either": ["no"]})
    net = asia()
    for ask in (net.posterior, lambda given: net.marginal("dysp", given), net.most_probable):
        with pytest.raises(ImpossibleEvidence) as refused:
            ask(evidence)
        assert set(refused.value.conflict) == conflict
    for predicted in (lambda: net.predict(rows), lambda: net.predict_proba(rows, "dysp")):
        with pytest.raises(ImpossibleEvidence, match="lung = yes and either = no"):
            predicted()


@pytest.mark.parametrize("seed", SEEDS)
def test_predictions_of_rows_with_gaps_equal_a_query_for_each_row(random_network, seed) -> None:
    net = random_network(seed, n=7)
    rng = np.random.default_rng(seed)
    frame = net.sample(20, seed=seed).to_pandas().astype(object)
    frame = frame.mask(rng.random(frame.shape) < 0.4).drop(columns=net.names[1])
    frame.index = [f"row {k}" for k in range(20)]
    frame["note"] = "other column"
    target = net.names[0]
    found = net.predict_proba(frame, target)
    assert list(found.index) == list(frame.index)
    assert list(found.columns) == list(net.variables[0].states)
    filled, one = net.predict(frame), net.predict(frame, target)
    assert list(one.columns) == [target]
    assert {net.names[1]} <= set(filled.columns)
    for row in frame.index:
        known = {name: frame.loc[row, name] for name in net.names if name in frame and pd.notna(frame.loc[row, name])}
        others = {name: state for name, state in known.items() if name != target}
        assert found.loc[row].to_numpy() == pytest.approx(net.marginal(target, others), abs=1e-12)
        assert one.loc[row, target] == net.variables[0].states[int(net.marginal(target, others).argmax())]
        for name in filled.columns:
            v = net.names.index(name)
            best = net.variables[v].states[int(net.posterior(known).marginals[name].argmax())]
            assert filled.loc[row, name] == known.get(name, best)


def test_integers_match_the_text_that_a_file_gives_back() -> None:
    dag = Dag.from_edges("xy", [("x", "y")])
    tables = [[0.3, 0.7], [[0.9, 0.1], [0.2, 0.8]]]
    of_text = BayesianNetwork(dag, [Variable(name, ("0", "1")) for name in "xy"], tables)
    of_numbers = BayesianNetwork(dag, [Variable(name, (0, 1)) for name in "xy"], tables)
    frame = pd.DataFrame({"y": [0, 1, None]})  # floats
    expected = of_text.predict_proba(pd.DataFrame({"y": ["0", "1", None]}), "x").to_numpy()
    for net in (of_text, of_numbers):
        for state in (1, "1", 1.0, np.int64(1)):
            assert net.marginal("x", {"y": state}) == pytest.approx([0.03 / 0.59, 0.56 / 0.59])
        assert net.marginal("x", {"y": {1: 2.0}}) == pytest.approx([0.03 / 0.59, 0.56 / 0.59])
        assert net.predict_proba(frame, "x").to_numpy() == pytest.approx(expected)


def test_ten_thousand_rows_of_alarm_with_gaps_agree_with_single_queries() -> None:
    net = load_network("alarm")
    frame = net.sample(10_000, seed=1).to_pandas().astype(object)
    frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.2)
    found = net.predict_proba(frame, "HR")
    for r in range(0, 10_000, 1000):
        known = {name: state for name, state in frame.iloc[r].items() if pd.notna(state) and name != "HR"}
        assert found.iloc[r].to_numpy() == pytest.approx(net.marginal("HR", known), abs=1e-12)


def test_evidence_that_is_no_finding_is_named() -> None:
    for wrong in (np.array([0.5, 0.5]), pd.Series({"yes": 1.0})):
        with pytest.raises(
            TypeError, match=r"evidence on 'smoke' is a (ndarray|Series): give a state, a list of states"
        ):
            asia().marginal("lung", {"smoke": wrong})
    with pytest.raises(ValueError, match=r"the likelihood of 'yes' is '0[.]3'; likelihoods"):
        asia().marginal("lung", {"smoke": {"yes": "0.3"}})


def test_rows_with_two_columns_of_a_name_are_refused() -> None:
    rows = pd.DataFrame([["yes", "no", 1, 2]], columns=["dysp", "dysp", "other", "other"])
    assert asia().predict(rows.iloc[:, 1:], "lung").shape == (1, 1)
    with pytest.raises(ValueError, match="two columns are called 'dysp'"):
        asia().predict(rows, "lung")


def test_a_missing_value_beside_an_intervention_is_no_observation() -> None:
    after = asia().marginal("lung", do={"smoke": "yes"})
    assert asia().marginal("lung", {"smoke": None}, do={"smoke": "yes"}).tolist() == after.tolist()
