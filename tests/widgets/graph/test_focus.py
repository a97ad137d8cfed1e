"""The neighbourhood of some nodes, drawn alone."""

from __future__ import annotations

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlab.graphs import Dag, Knowledge, essential_graph
from bnlab.networks import asia
from bnlab.networks.influence import InfluenceDiagram
from bnlab.widgets import NetworkGraph
from bnlab.widgets.graph.focus import modules, neighbourhood
from tests.widgets.graph.acting import ask


def large(n: int = 80) -> Dag:
    rng = np.random.default_rng(1)
    return Dag(
        [f"v{i}" for i in range(n)], [{int(rng.integers(0, i)) for _ in range(2)} if i else [] for i in range(n)]
    )


def names(graph: NetworkGraph) -> list[str]:
    return [node["name"] for node in graph.view.nodes]


@given(st.integers(0, 39), st.integers(0, 10_000))
def test_a_neighbourhood_is_that_of_networkx(start: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag = Dag([f"v{i}" for i in range(40)], [{*rng.integers(0, i, 2).tolist()} if i else set() for i in range(40)])
    graph, name = nx.DiGraph([*dag.edges]), f"v{start}"
    blanket = {p for child in graph.successors(name) for p in graph.predecessors(child)}
    expected = {
        "neighbours": {name, *nx.all_neighbors(graph, name)},
        "markov-blanket": {name, *nx.all_neighbors(graph, name), *blanket},
        "ancestors": {name, *nx.ancestors(graph, name)},
        "descendants": {name, *nx.descendants(graph, name)},
    }
    assert {relation: {*neighbourhood(dag, [name], relation)} for relation in expected} == expected


def cliques(count: int, size: int) -> Dag:
    """Cliques whose first nodes are a chain; names are shuffled."""
    names = np.random.default_rng(2).permutation([f"v{i}" for i in range(count * size)]).tolist()
    groups = [names[k * size : (k + 1) * size] for k in range(count)]
    edges = [pair for group in groups for pair in combinations(group, 2)]
    return Dag.from_edges(sorted(names), [*edges, *pairwise(group[0] for group in groups)])


def test_modules_are_planted_cliques_and_are_chosen_in_the_view_menu() -> None:
    dag = cliques(12, 9)
    planted = {frozenset(part) for part in nx.find_cliques(nx.Graph([*dag.edges])) if len(part) == 9}
    found = modules(dag)
    assert {frozenset(group) for group in found.values()} == planted
    graph = NetworkGraph(dag)
    numbers = {node["name"]: node["module"] for node in graph.view.nodes}
    assert {frozenset(name for name in numbers if numbers[name] == i) for i in range(12)} == planted
    choice = next(control for control in graph.view.toolbar["view"] if control["id"] == "module")
    assert [value for value, _ in choice["options"]] == ["", *found]
    head = next(iter(found))
    ask(graph, type="control", id="module", value=head)
    around = {end for edge in dag.edges if set(edge) & set(found[head]) for end in edge}
    assert {*names(graph)} == {*found[head]} | around
    assert len(graph.status) < 150
    ask(graph, type="control", id="module", value="")
    assert len(names(graph)) == 108


def test_a_small_graph_is_offered_whole() -> None:
    graph = NetworkGraph(cliques(3, 4))
    assert "module" not in [control["id"] for control in graph.view.toolbar["view"]]
    assert {node["module"] for node in graph.view.nodes} == {None}


def test_a_focus_draws_and_lays_out_its_part_only() -> None:
    graph = NetworkGraph(large(), focus=("v40",))
    expected = neighbourhood(graph.graph, ["v40"], "neighbours")
    assert names(graph) == [*expected]
    assert {(edge["u"], edge["v"]) for edge in graph.view.edges} == {
        (u, v) for u, v in graph.graph.edges if u in expected and v in expected
    }
    heights = [node["y"] + node["h"] / 2 for node in graph.view.nodes]
    assert max(heights) < 500, "a layout of its own, not a cut of the large one"
    assert f"{len(expected)} nodes" in graph.view.picture().svg


def test_keys_and_the_menu_focus_and_show_all_again_where_it_was() -> None:
    graph = NetworkGraph(large())
    places = [(node["name"], node["x"], node["y"]) for node in graph.view.nodes]
    graph.view.positions = {"v3": [5.0, 6.0]}
    ask(graph, type="focus", node="v40")
    assert graph.focus == ("v40",)
    assert len(names(graph)) < 20
    ask(graph, type="focus", node="v40")
    assert graph.focus == ()
    assert [(node["name"], node["x"], node["y"]) for node in graph.view.nodes] == places
    assert graph.view.positions == {"v3": [5.0, 6.0]}
    graph.selected_node = "v7"
    ask(graph, type="control", id="focus", value=True)
    assert graph.focus == ("v7",)
    ask(graph, type="control", id="focus", value=False)
    assert graph.focus == ()


def test_edits_evidence_rules_and_comparison_work_in_a_part() -> None:
    net = asia()
    fewer = Dag.from_edges(net.names, [edge for edge in net.dag.edges if edge != ("lung", "either")])
    knowledge = Knowledge(forbidden=[("smoke", "asia"), ("lung", "xray")])
    graph = NetworkGraph(fewer, net.sample(500, seed=1), truth=net, knowledge=knowledge, focus=("lung", "xray"))
    assert names(graph) == [name for name in net.names if name in {"smoke", "lung", "either", "xray"}]
    kinds = {(edge["u"], edge["v"]): edge["kind"] for edge in graph.view.edges}
    assert kinds["lung", "either"] == "missing"
    assert kinds["lung", "xray"] == "forbidden"
    graph.evidence = {"xray": "yes", "dysp": "yes"}
    graph.edit("add", "lung", "either")
    assert ("lung", "either") in graph.graph.edges
    assert "asia" in graph.marginals().index
    graph.show_essential = True
    assert graph.view._data.graph.names == tuple(names(graph))
    graph.focus = ()
    assert names(graph) == [*net.names]


def test_a_part_of_an_essential_graph_can_be_drawn() -> None:
    chain = essential_graph(Dag.from_edges("abcde", [*pairwise("abcde")]))
    assert names(NetworkGraph(chain, focus=("c",))) == ["b", "c", "d"]


def test_an_influence_diagram_is_drawn_as_a_whole() -> None:
    diagram = InfluenceDiagram(["Rain"], ["Take"], ["U"], [("Rain", "U"), ("Take", "U")], {"Take": ("yes", "no")})
    with pytest.raises(ValueError, match="drawn as a whole"):
        NetworkGraph(diagram, focus=("Rain",))
