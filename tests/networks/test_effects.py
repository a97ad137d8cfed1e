"""Causal effects against brute force, and against every graph of an equivalence class."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.data import Variable
from bnlab.graphs import Dag, adjustment_sets, essential_graph
from bnlab.networks import (
    BayesianNetwork,
    adjusted,
    asia,
    causal_effect,
    effects_over_graphs,
    fit,
    possible_effects,
)
from bnlab.papers.carvalho2007 import all_dags

TRIALS = {"to": "yes", "reference": "no", "of": "yes"}


def test_an_effect_compares_two_interventions(random_network):
    for seed in range(4):
        net = random_network(seed, n=5)
        x, y = sorted(range(5), key=net.arities.__getitem__)[-2:]
        states = net.variables[x].states
        value = {state: 2.0 * k - 1 for k, state in enumerate(net.variables[y].states)}
        after = [net.marginal(net.names[y], do={net.names[x]: states[k]}) for k in (-1, 0)]
        expected = np.array(list(value.values())) @ (after[0] - after[1])
        found = causal_effect(net, net.names[x], net.names[y], to=states[-1], reference=states[0], of=value)
        assert found == pytest.approx(expected, abs=1e-12)


def test_states_that_are_numbers_are_their_own_values():
    dice = Variable("dice", (1, 2, 3, 4, 5, 6))
    loaded = Variable("loaded", (False, True))
    net = BayesianNetwork(
        Dag(["loaded", "dice"], [("loaded", "dice")]), [loaded, dice], [[0.9, 0.1], [[1 / 6] * 6, [0] * 5 + [1]]]
    )
    assert causal_effect(net, "loaded", "dice", to=True, reference=False) == pytest.approx(6 - 3.5)


@pytest.mark.parametrize("seed", range(8))
def test_adjustment_for_a_back_door_set_gives_the_effect(random_network, seed):
    net = random_network(seed, n=6)
    for x, y in permutations(net.names, 2):
        after = [net.marginal(y, do={x: state}) for state in net.variables[net.dag.index(x)].states]
        for z in adjustment_sets(net, x, y):
            assert adjusted(net, x, y, z) == pytest.approx(np.array(after), abs=1e-9)


def effect_in(dag, full):
    """Effect of A on C in one graph with a given joint distribution, by the truncated factorisation."""
    others = tuple(v for v in range(1, 4) if v not in dag.parents[0])
    of_family = full.sum(axis=others, keepdims=True)
    after = (full * of_family.sum(axis=0, keepdims=True) / of_family).sum(axis=(1, 3))
    return after[1, 1] - after[0, 1]


def test_the_range_is_that_of_all_graphs_of_the_class_with_four_nodes(joint):
    names = ("A", "B", "C", "D")
    variables = [Variable(name, ("no", "yes")) for name in names]
    classes = defaultdict(list)
    for parents in all_dags(4):
        dag = Dag(names, parents)
        classes[essential_graph(dag)].append(dag)
    rng = np.random.default_rng(0)
    for dags in classes.values():
        net = BayesianNetwork(dags[0], variables, [rng.dirichlet([1, 1], size=[2] * len(ps)) for ps in dags[0].parents])
        full = joint(net)
        found = possible_effects(net, "A", "C", **TRIALS)
        expected = {dag.parents_of("A"): effect_in(dag, full) for dag in dags}
        assert dict(zip(found.parents, found.effect, strict=True)) == pytest.approx(expected, abs=1e-12)


def test_effects_over_graphs_are_those_of_the_fitted_networks():
    net = bnlab.load_network("cancer")
    data = net.sample(2000, seed=1)
    reverse = Dag(net.names, [("Cancer", "Smoker"), *(edge for edge in net.dag.edges if edge != ("Smoker", "Cancer"))])
    states = {"to": "True", "reference": "False", "of": "True"}
    found = effects_over_graphs([net.dag, reverse, net.dag], data, "Smoker", "Cancer", **states)
    expected = causal_effect(fit(net.dag, data, bnlab.networks.BDeuPrior()), "Smoker", "Cancer", **states)
    assert found.effect.tolist() == pytest.approx([expected, 0, expected])
    assert found.identified.tolist() == [True, False, True]
    assert (found.low[1], found.high[1]) == pytest.approx((0, expected), abs=0.01)
    pd.testing.assert_series_equal(found.loc[0], found.loc[2], check_names=False)


def test_no_effect_is_exactly_zero_for_every_method():
    net = bnlab.load_network("cancer")
    states = {"to": "low", "reference": "high", "of": "True"}
    assert causal_effect(net, "Pollution", "Smoker", **states) == 0
    assert possible_effects(net, "Pollution", "Smoker", **states).effect.tolist() == [0]


def test_what_has_no_effect_to_compute_is_refused():
    net = asia()
    for arguments, message in (
        ({"to": "maybe"}, "maybe"),
        ({"of": "maybe"}, "of='maybe' is no state of 'dysp'"),
        ({"of": None}, "'dysp' are no numbers: name the state .* of='yes'"),
        ({"of": {"yes": 1}}, "lacks 'no'"),
        ({"of": {"yes": 1, "no": 0, "yess": 2}}, "names 'yess'"),
        ({"of": {"yes": 1, "no": float("nan")}}, "must be finite"),
    ):
        for effect in (causal_effect, possible_effects):
            with pytest.raises(ValueError, match=message):
                effect(net, "smoke", "dysp", **{**TRIALS, **arguments})
    with pytest.raises(ValueError, match="both 'smoke'"):
        causal_effect(net, "smoke", "smoke", **TRIALS)
    with pytest.raises(ValueError, match="either = no has probability 0 under some possible states of tub, lung"):
        possible_effects(net, "either", "xray", **TRIALS)
    with pytest.raises(ValueError, match="no graph"):
        effects_over_graphs([], net.sample(10, seed=1), "smoke", "dysp", **TRIALS)


def test_a_state_that_is_not_compared_may_be_impossible() -> None:
    x, y = Variable("x", ("a", "never", "b")), Variable("y", (0, 1))
    net = BayesianNetwork(Dag(["x", "y"], [(), (0,)]), [x, y], [[0.25, 0, 0.75], [[0.9, 0.1], [0.5, 0.5], [0.4, 0.6]]])
    found = possible_effects(net, "x", "y", to="b", reference="a", of=1)
    assert found.effect.tolist() == pytest.approx([0.5, 0.0])
    for refused in (
        lambda: possible_effects(net, "x", "y", to="never", reference="a"),
        lambda: adjusted(net, "x", "y"),
    ):
        with pytest.raises(ValueError, match="x = never has probability 0"):
            refused()
