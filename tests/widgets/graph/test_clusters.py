"""Groups of nodes that are drawn as one."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlab.figures.graphs.network import edge_directions
from bnlab.graphs import Dag, Knowledge, essential_graph
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.networks import asia
from bnlab.widgets import NetworkGraph
from bnlab.widgets.graph.clusters import communities, contracted
from tests.widgets.graph.test_focus import large, names, press


def shown_edges(graph: NetworkGraph) -> dict[tuple[str, str], str]:
    return {(edge["u"], edge["v"]): edge["title"] for edge in graph.view.edges}


@given(st.integers(0, 10_000), st.booleans())
def test_the_edges_between_clusters_are_those_of_the_quotient_graph(seed: int, essential: bool) -> None:
    rng = np.random.default_rng(seed)
    n = 12
    dag = Dag(list(map(str, range(n))), [{*rng.integers(0, i, 2).tolist()} if i else set() for i in range(n)])
    graph = essential_graph(dag) if essential else dag
    group_of = rng.integers(0, 4, n)
    clusters = {f"g{k}": tuple(map(str, np.flatnonzero(group_of == k))) for k in range(3) if (group_of == k).sum() > 1}
    drawn = contracted({"graph": graph}, clusters)
    parts = [*clusters.values(), *((name,) for name in dag.names if not any(name in g for g in clusters.values()))]
    of = {part: next((c for c, group in clusters.items() if group == part), part[0]) for part in parts}
    edges = nx.Graph([*edge_directions(graph)])
    edges.add_nodes_from(dag.names)
    quotient = nx.quotient_graph(edges, [set(part) for part in parts])
    expected = {frozenset(of[next(p for p in parts if set(p) == node)] for node in ends) for ends in quotient.edges}
    assert {frozenset(edge) for edge in edge_directions(drawn["graph"])} == expected
    ends = {name: of[part] for part in parts for name in part}
    for edge, bundle in drawn["bundles"].items():
        inner = [pair for pair, directed in edge_directions(graph).items() if directed]
        ways = [(ends[u], ends[v]) for u, v in inner]
        assert (bundle.along, bundle.against) == (ways.count(edge), ways.count(edge[::-1]))


def test_a_cluster_is_one_node_with_the_number_of_the_others_and_bundled_edges() -> None:
    net = asia()
    graph = NetworkGraph(net, truth=net)
    places = graph.view.places
    graph.collapse(["tub", "lung", "either", "dysp"])
    assert names(graph) == ["asia", "either +3", "smoke", "bronc", "xray"]
    assert shown_edges(graph)["asia", "either +3"] == "asia → either +3 (true)\n1 edge: asia → tub"
    node = graph.view.nodes[1]
    assert node["shape"] == "cluster"
    assert node["title"] == "either +3: tub, lung, either, dysp. Enter or a double click expands it."
    assert "5 nodes" in graph.view.picture().svg
    graph.expand("either +3")
    assert names(graph) == [*net.names]
    assert graph.view.places == places


def test_edges_in_both_directions_are_one_edge_with_two_heads() -> None:
    dag = Dag.from_edges("ABCD", [("A", "C"), ("C", "B"), ("D", "C"), ("A", "D")])
    graph = NetworkGraph(dag)
    graph.collapse(["A", "B"], "ends")
    edges = {(edge["u"], edge["v"]): (edge["share"], edge["title"]) for edge in graph.view.edges}
    assert edges["ends", "C"] == (0.5, "ends ↔ C\n2 edges: A → C, C → B")
    assert edges["ends", "D"] == (None, "ends → D\n1 edge: A → D")
    assert edges["D", "C"] == (None, "D → C")


def test_evidence_and_selection_survive() -> None:
    graph = NetworkGraph(asia())
    graph.evidence = {"lung": "yes", "xray": "yes"}
    expected = graph.marginals()
    graph.view.selected = ["tub", "lung"]
    press(graph, type="collapse")
    assert graph.view.selected == ["tub +1"] or graph.view.selected == ["lung +1"]
    (cluster,) = graph.collapsed
    assert graph.selected_node == cluster
    assert graph._inspector.content["members"] == ["tub", "lung"]
    assert {node["name"]: node["kind"] for node in graph.view.nodes}[cluster] == "evidence"
    assert graph.evidence == {"lung": "yes", "xray": "yes"}
    graph.do = {"smoke": "no"}
    graph.do = {}
    assert graph.marginals().equals(expected)
    press(graph, type="expand", node=cluster)
    assert graph.view.selected == ["tub", "lung"]
    assert graph.selected_node == "lung"


def test_a_cluster_takes_in_others_and_opens_for_a_selected_node() -> None:
    graph = NetworkGraph(asia())
    graph.collapse(["tub", "lung"], "disease")
    graph.collapse(["disease", "either"], "all")
    assert graph.collapsed == {"all": ("tub", "lung", "either")}
    graph.collapse(["smoke", "bronc"], "other")
    graph.selected_node = "lung"
    assert [*graph.collapsed] == ["other"]
    assert graph.view.selected == ["lung"]
    press(graph, type="control", id="expand", value=True)
    assert graph.collapsed == {}
    assert graph.status == "All 8 nodes are drawn."


def test_an_edge_of_a_cluster_lists_its_edges_and_is_not_edited() -> None:
    net = asia()
    graph = NetworkGraph(net, net.sample(300, seed=1), strength="mutual-information", labels=True)
    graph.collapse(["tub", "lung"], "disease")
    graph.selected_edge = ("disease", "either")
    assert graph._inspector.content["notes"] == ["tub → either", "lung → either"]
    strengths = graph.to_frame().set_index(["u", "v"]).strength
    drawn = {(edge["u"], edge["v"]): edge["strength"] for edge in graph.view.edges}
    assert drawn["disease", "either"] == pytest.approx(strengths["lung", "either"] / strengths.max())
    press(graph, type="edit", action="delete", u="disease", v="either")
    assert "disease is a cluster of nodes; expand it" in graph.status
    graph.edit("delete", "tub", "either")
    assert shown_edges(graph)["disease", "either"].endswith("1 edge: lung → either")
    graph.selected_edge = None
    graph.view.selected = ["disease", "xray"]
    assert graph._inspector.content["kind"] == "cluster"


def test_clusters_go_with_focus_bars_knowledge_confidence_and_another_graph() -> None:
    net = asia()
    knowledge = Knowledge(forbidden=[("smoke", "asia"), ("lung", "xray")])
    graph = NetworkGraph(net, net.sample(300, seed=1), truth=net, knowledge=knowledge, bars=True, show_essential=True)
    graph.collapse(["tub", "lung"], "disease")
    graph.show_essential = False
    press(graph, type="focus", node="xray")
    assert names(graph) == ["either", "xray"]
    press(graph, type="focus", node="disease")
    assert names(graph) == ["asia", "disease", "smoke", "either"]
    graph.focus = ()
    graph.switch(Dag(net.names, [set()] * 8))
    assert "disease" in names(graph)
    plain = NetworkGraph(net)
    plain.collapse(["tub", "lung"])
    plain.switch(Dag("XY", [set(), {0}]))
    assert plain.collapsed == {}
    arcs = np.triu(np.full((3, 3), 0.4), 1)
    confident = NetworkGraph(EdgeConfidence(("A", "B", "C"), arcs + 0.3 * (arcs.T > 0), 10), labels=True, threshold=0.5)
    confident.collapse(["A", "B"], "pair")
    assert {edge["strength"] for edge in confident.view.edges} == {0.7}


def test_communities_are_those_of_two_joined_cliques() -> None:
    cliques = [(f"{c}{i}", f"{c}{j}") for c in "ab" for i in range(5) for j in range(i + 1, 5)]
    dag = Dag.from_edges([f"{c}{i}" for c in "ab" for i in range(5)] + ["alone"], [*cliques, ("a0", "b0")])
    assert communities(dag) == [tuple(f"a{i}" for i in range(5)), tuple(f"b{i}" for i in range(5))]
    graph = NetworkGraph(large(70))
    press(graph, type="control", id="communities", value=True)
    assert len(names(graph)) < 20
    assert sum(map(len, graph.collapsed.values())) <= 70
    assert "are drawn as" in graph.status


def test_wrong_clusters_are_refused() -> None:
    graph = NetworkGraph(asia())
    with pytest.raises(ValueError, match="has 1 node; give two or more"):
        graph.collapse(["lung"])
    with pytest.raises(ValueError, match="no node 'lungs' in the graph: did you mean 'lung'"):
        graph.collapse(["lungs", "tub"])
    with pytest.raises(ValueError, match="'smoke' is the name of a node"):
        graph.collapse(["lung", "tub"], "smoke")
    with pytest.raises(ValueError, match="in the clusters 'a' and 'b'"):
        graph.collapsed = {"a": ("lung", "tub"), "b": ("tub", "xray")}
    with pytest.raises(ValueError, match="communities get names of their own"):
        graph.collapse(name="x")
    graph.collapse(["lung", "tub"], "x")
    with pytest.raises(ValueError, match="another cluster has this name"):
        graph.collapse(["smoke", "bronc"], "x")
    with pytest.raises(ValueError, match="no cluster 'y'"):
        graph.expand("y")
