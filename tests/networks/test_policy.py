"""The best policy of an influence diagram, against every policy there is."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import (
    BayesianNetwork,
    InfluenceDiagram,
    asia,
    best_policy,
    expected_utility,
    structure_learning_diagram,
)

STATES = {"A": ("0", "1"), "D": ("x", "y"), "B": ("0", "1", "2"), "E": ("x", "y", "z"), "C": ("0", "1")}
EDGES = [("A", "B"), ("D", "B"), ("A", "C"), ("B", "C"), ("E", "C")]


def random_diagram(seed, observed_first, observed_second):
    """Two decisions: D before B is seen, E after what the arguments name."""
    rng = np.random.default_rng(seed)
    dag = Dag(list(STATES), EDGES)
    variables = [Variable(name, states) for name, states in STATES.items()]
    arities = [v.arity for v in variables]
    cpts = [rng.dirichlet(np.ones(arities[i]), size=[arities[p] for p in ps]) for i, ps in enumerate(dag.parents)]
    net = BayesianNetwork(dag, variables, cpts)
    of_c = {key: float(rng.normal()) for key in product(STATES["C"], STATES["D"])}
    of_e = {key: float(rng.normal(scale=0.3)) for key in product(STATES["E"], STATES["A"])}
    diagram = InfluenceDiagram(
        ["A", "B", "C"],
        ["D", "E"],
        ["U", "V"],
        [
            *EDGES,
            *((name, "D") for name in observed_first),
            *((name, "E") for name in (*observed_second, "D")),
            *(("C", "U"), ("D", "U"), ("E", "V"), ("A", "V")),
        ],
        {"D": STATES["D"], "E": STATES["E"]},
        {"U": lambda s: of_c[s["C"], s["D"]], "V": lambda s: of_e[s["E"], s["A"]]},
    )
    return net, diagram, lambda s: of_c[s["C"], s["D"]] + of_e[s["E"], s["A"]]


def best_of_all_policies(net, utility, first, second):
    """Greatest expected utility over every function from what is known to the options of both decisions."""
    at_first = list(product(*(STATES[name] for name in first)))
    at_second = list(product(*(STATES[name] for name in second)))
    value = {}
    for configuration in product(*STATES.values()):
        s = dict(zip(STATES, configuration, strict=True))
        p = 1.0
        for name in "ABC":
            parents = net.dag.parents_of(name)
            p *= net.cpt(name)[tuple(STATES[v].index(s[v]) for v in (*parents, name))]
        key = (tuple(s[n] for n in first), s["D"], tuple(s[n] for n in second), s["E"])
        value[key] = value.get(key, 0.0) + p * utility(s)
    best = -np.inf
    for rule in product(STATES["D"], repeat=len(at_first)):
        decided = dict(zip(at_first, rule, strict=True))
        # The second rule may be chosen in each situation by itself, as its utilities add.
        total = 0.0
        for situation in at_second:
            sums = [sum(value.get((one, decided[one], situation, e), 0.0) for one in at_first) for e in STATES["E"]]
            total += max(sums)
        best = max(best, total)
    return best


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("first", "second"), [((), ()), ((), ("B",)), (("A",), ("B",)), (("A",), ())])
def test_the_best_policy_is_best_of_all(seed, first, second):
    net, diagram, utility = random_diagram(seed, first, second)
    policy = best_policy(diagram, net)
    remembered = ("D", *first, *second)
    assert policy.expected_utility == pytest.approx(best_of_all_policies(net, utility, first, remembered))
    assert list(policy.rules) == ["D", "E"]
    assert set(policy.rules["E"].columns) == {*remembered, "decision", "expected utility"}
    fixed = [expected_utility(diagram, net, {"D": d, "E": e}) for d in STATES["D"] for e in STATES["E"]]
    assert policy.expected_utility >= max(fixed) - 1e-12


def test_a_decision_is_an_intervention():
    net = asia()
    utilities = {"U": lambda s: 100.0 * (s["lung"] == "no") - 3.0 * (s["smoke"] == "no")}
    edges = [edge for edge in net.dag.edges if edge[1] != "smoke"]
    chance = [name for name in net.names if name != "smoke"]
    diagram = InfluenceDiagram(
        chance, ["smoke"], ["U"], [*edges, ("lung", "U"), ("smoke", "U")], {"smoke": ("yes", "no")}, utilities
    )
    for state in ("yes", "no"):
        expected = 100 * net.marginal("lung", do={"smoke": state})[1] - 3 * (state == "no")
        assert expected_utility(diagram, net, {"smoke": state}) == pytest.approx(expected)
    assert best_policy(diagram, net).rules["smoke"].decision.tolist() == ["no"]


def test_the_best_policy_of_structure_learning_is_the_best_network_of_single_choices():
    gain = np.array([[0, 5, 1], [6, 0, 3], [2, 4, 0]])
    names = ["X1", "X2", "X3"]
    diagram = structure_learning_diagram(names, lambda i, parents: float(sum(gain[p, i] for p in parents)))
    choices = [(p, c) for p, c in product(range(3), repeat=2) if p != c]
    values = []
    for size in range(4):
        for chosen in combinations(choices, size):
            if len({p for p, _ in chosen}) == size:
                try:
                    Dag.from_edges(names, [(names[p], names[c]) for p, c in chosen])
                except ValueError:
                    continue
                values.append(sum(gain[p, c] for p, c in chosen))
    policy = best_policy(diagram)
    assert policy.expected_utility == max(values)
    assert policy.rules["D(X1)"].loc[0, "expected utility"] == max(values)


def test_what_has_no_best_policy_is_refused():
    net, diagram, _ = random_diagram(0, (), ())
    other = BayesianNetwork(Dag(net.names, []), net.variables, [np.full(v.arity, 1 / v.arity) for v in net.variables])
    with pytest.raises(ValueError, match="'B' has the parents A, D in the diagram and none in the network"):
        best_policy(diagram, other)
    with pytest.raises(ValueError, match="no decision 'F'"):
        expected_utility(diagram, net, {"F": "x"})
    with pytest.raises(ValueError, match="D = 'z': the options are 'x', 'y'"):
        expected_utility(diagram, net, {"D": "z"})
    missing = InfluenceDiagram(["A"], ["D"], ["U"], [("D", "U")], {"D": STATES["D"]})
    with pytest.raises(ValueError, match="'U' has no function"):
        best_policy(missing, net)
    infinite = InfluenceDiagram(["A"], ["D"], ["U"], [("D", "U")], {"D": STATES["D"]}, {"U": lambda s: np.inf})
    with pytest.raises(ValueError, match="'U' has the value inf"):
        best_policy(infinite, net)
    names = [f"X{i}" for i in range(12)]
    with pytest.raises(ValueError, match=r"12 axes and .* cells"):
        best_policy(structure_learning_diagram(names, lambda i, parents: 0.0))
