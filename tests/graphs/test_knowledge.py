"""Background knowledge as a value: what it means as matrices, and which rules contradict each other."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

from bnlab import Dag, Knowledge
from bnlab.graphs import Pdag, markov_equivalent
from bnlab.graphs.paths import parents_first
from tests.learners.small_problems import every_dag

NAMES = ("a", "b", "c", "d")

VALUES = [
    Knowledge(),
    Knowledge(required=[("a", "b"), ("c", "b")], forbidden=[("b", "d")], max_parents={"b": 2, None: 1}),
    Knowledge(tiers=[["d", "a"], ["c"]], max_parents=1),
    Knowledge(within=[("b", "a"), ("c", "d")], max_parents={"a": 0}),
    Knowledge(within=Pdag(NAMES, directed=[(0, 1)], undirected=[(1, 2)]), required=[("a", "b")]),
    Knowledge(within=[]),
    Knowledge(max_parents=0),
]

CONFLICTS = {
    "required and forbidden": (
        {"required": [("a", "b")], "forbidden": [("a", "b")]},
        "edge 'a' -> 'b' is required and forbidden",
    ),
    "a cycle": (
        {"required": [("a", "b"), ("b", "c"), ("c", "a")]},
        "the required edges close a cycle, c -> a -> b -> c|a -> b -> c -> a|b -> c -> a -> b",
    ),
    "against the tiers": (
        {"required": [("c", "a")], "tiers": [["a", "b"], ["c"]]},
        "required edge 'c' -> 'a' leads from tier 2 back to tier 1",
    ),
    "too many parents": (
        {"required": [("a", "c"), ("b", "c")], "max_parents": {"c": 1}},
        "'c' has 2 required parents, 'a', 'b', but may have 1",
    ),
    "too many parents of any": (
        {"required": [("a", "c")], "max_parents": 0},
        "'c' has 1 required parents, 'a', but may have 0",
    ),
    "outside within": (
        {"required": [("a", "c")], "within": [("a", "b")]},
        "required edge 'a' -> 'c' is outside `within`",
    ),
    "against the direction of within": (
        {"required": [("b", "a")], "within": Dag.from_edges(NAMES, [("a", "b")])},
        "required edge 'b' -> 'a' is outside `within`",
    ),
    "in two tiers": ({"tiers": [["a"], ["b", "a"]]}, "'a' is in tier 1 and in tier 2"),
    "its own parent": ({"forbidden": [("a", "a")]}, r"forbidden holds \('a', 'a'\): a variable cannot be"),
    "a negative maximum": ({"max_parents": {"a": -1}}, "max_parents of 'a' is -1: it must be at least 0"),
}


def agrees(rules: dict, edges: set[tuple[str, str]]) -> bool:
    """Whether edges agree with rules, by their definition."""
    tier = {name: k for k, group in enumerate(rules.get("tiers", ())) for name in group}
    most = rules.get("max_parents", {})
    return (
        set(rules.get("required", ())) <= edges
        and not set(rules.get("forbidden", ())) & edges
        and all(tier.get(u, -1) <= tier.get(v, 9) for u, v in edges)
        and all(sum(child == v for _, child in edges) <= most.get(v, 9) for v in NAMES)
        and ("within" not in rules or all({*edge} in [{*pair} for pair in rules["within"]] for edge in edges))
    )


@pytest.mark.parametrize("name", CONFLICTS)
def test_rules_that_contradict_each_other_are_refused_by_name(name):
    rules, message = CONFLICTS[name]
    with pytest.raises(ValueError, match=message):
        Knowledge(**rules)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"required": ["ab"]}, "required holds 'ab': an edge is a pair of names"),
        ({"forbidden": [(0, 1)]}, r"forbidden holds \(0, 1\): an edge is a pair of names"),
        ({"tiers": ["ab"]}, "tiers holds 'ab': a tier is a list of names"),
        ({"max_parents": 1.5}, "max_parents is 1.5: it must be an integer"),
        ({"max_parents": {3: 1}}, "max_parents has the key 3"),
    ],
)
def test_rules_of_a_wrong_type_are_refused(rules, message):
    with pytest.raises(TypeError, match=message):
        Knowledge(**rules)


def test_an_empty_tier_says_nothing():
    knowledge = Knowledge(required=[("a", "b"), ("b", "c")], tiers=[[], ["a"], [], ["b"], []])
    assert knowledge.violations([("a", "b"), ("b", "c")]) == ()
    assert knowledge.violations([("a", "b"), ("b", "c"), ("c", "d")]) == ()
    with pytest.raises(ValueError, match="'b' -> 'a' leads from tier 4 back to tier 2"):
        Knowledge(required=[("b", "a")], tiers=knowledge.tiers)


def test_unknown_variables_are_refused_with_the_nearest_name():
    with pytest.raises(ValueError, match="knowledge: no variable 'Smokre'; did you mean 'Smoker'"):
        Knowledge(forbidden=[("Smokre", "Cancer")]).resolved(["Smoker", "Cancer"])
    with pytest.raises(ValueError, match="the local score has no names"):
        Knowledge().resolved(None)


@pytest.mark.parametrize("knowledge", VALUES, ids=repr)
def test_its_text_is_code_that_makes_an_equal_value(knowledge):
    again = eval(repr(knowledge), {"Knowledge": Knowledge})
    assert again == knowledge
    assert hash(again) == hash(knowledge)
    for mine, other in zip(knowledge.resolved(NAMES), again.resolved(NAMES), strict=True):
        np.testing.assert_array_equal(mine, other)


def agreeing(knowledge):
    """Graphs of the four nodes that agree with knowledge."""
    rules = knowledge.resolved(NAMES)
    return {parents for parents in every_dag(4) if not rules.violations(parents)}


@pytest.mark.parametrize("first", VALUES, ids=repr)
def test_combined_knowledge_agrees_with_the_graphs_that_agree_with_both(first):
    own = agreeing(first)
    for second in VALUES:
        try:
            both = first | second
        except ValueError:
            assert not own & agreeing(second), second
        else:
            assert agreeing(both) == own & agreeing(second), second


@pytest.mark.parametrize("seed", range(30))
def test_violations_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    pairs = [(u, v) for u in NAMES for v in NAMES if u != v]
    rules = {
        "required": [pairs[i] for i in rng.permutation(12)[: rng.integers(3)]],
        "forbidden": [pairs[i] for i in rng.permutation(12)[: rng.integers(4)]],
        "tiers": [NAMES[:2], NAMES[2:3]] if rng.random() < 0.5 else [],
        "max_parents": {str(rng.choice(NAMES)): int(rng.integers(3))} if rng.random() < 0.5 else {},
    }
    if rng.random() < 0.5:
        rules["within"] = [pairs[i] for i in rng.permutation(12)[:6]]
    graphs = [
        {(NAMES[u], NAMES[v]) for v, family in enumerate(parents) for u in family} for parents in every_dag(4)[::5]
    ]
    try:
        knowledge = Knowledge(**rules)
    except ValueError:
        assert not any(agrees(rules, edges) for edges in graphs)
        return
    for edges in graphs:
        assert (knowledge.violations(sorted(edges)) == ()) == agrees(rules, edges)


def test_a_graph_within_which_edges_lie_may_be_of_any_kind():
    chain = Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    expected = Knowledge(within=[("a", "b"), ("b", "c")], forbidden=[("b", "a"), ("c", "b")])
    assert Knowledge(within=chain) == expected
    assert Knowledge(within=nx.DiGraph(chain.edges)) == expected
    assert Knowledge(within=nx.Graph(chain.edges)) == Knowledge(within=chain.edges)


def test_required_parents_come_first_and_the_rest_of_an_order_stays():
    rng = np.random.default_rng(0)
    for parents in every_dag(4)[::7]:
        order = rng.permutation(4).tolist()
        found = parents_first(parents, order)
        assert sorted(found) == [0, 1, 2, 3]
        assert all(found.index(u) < found.index(v) for v in range(4) for u in parents[v])
        assert parents_first(parents, found) == found
        if all(order.index(u) < order.index(v) for v in range(4) for u in parents[v]):
            assert list(found) == order


@pytest.mark.parametrize("seed", range(30))
def test_the_essential_graph_directs_what_all_equivalent_graphs_that_agree_direct(seed):
    rng = np.random.default_rng(seed)
    every = every_dag(4)
    dag = Dag(NAMES, every[rng.integers(len(every))])
    pairs = [(u, v) for u, v in product(NAMES, NAMES) if u != v and (u, v) not in dag.edges]
    knowledge = Knowledge(
        required=[edge for edge in dag.edges if rng.random() < 0.2],
        forbidden=[pair for pair in pairs if rng.random() < 0.15],
    )
    alike = [other for parents in every if markov_equivalent(other := Dag(NAMES, parents), dag)]
    agreeing = [set(other.edges) for other in alike if not knowledge.violations(other)]
    found = knowledge.essential_graph(dag)
    assert set(found.directed_edges) == set.intersection(*agreeing)
    joined = {frozenset(edge) for edge in dag.edges}
    assert {frozenset(edge) for edge in (*found.directed_edges, *found.undirected_edges)} == joined


def test_a_graph_that_disagrees_has_no_essential_graph():
    with pytest.raises(ValueError, match="the graph disagrees with the knowledge: required edge 'a' -> 'b' is missing"):
        Knowledge(required=[("a", "b")]).essential_graph(Dag.from_edges("ab", []))
