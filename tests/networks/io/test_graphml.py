"""GraphML, read back by networkx."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest

from bnlab.graphs import Dag, Pdag
from bnlab.networks import asia
from bnlab.networks.io.graphml import format_graphml

HOSTILE = ["<img src=x onerror=alert(1)>", '"); drop & "', "it's", "Größe"]


def test_networkx_reads_the_same_graph(tmp_path: Path) -> None:
    dag = Dag.from_edges(HOSTILE, [(HOSTILE[0], HOSTILE[1]), (HOSTILE[1], HOSTILE[3])])
    (tmp_path / "g.graphml").write_text(format_graphml(dag), encoding="utf-8")
    graph = nx.read_graphml(tmp_path / "g.graphml")
    assert graph.is_directed()
    assert tuple(graph.nodes) == dag.names
    assert set(graph.edges) == set(dag.edges)


def test_nodes_of_a_network_carry_their_states() -> None:
    graph = nx.parse_graphml(format_graphml(asia()))
    assert json.loads(graph.nodes["lung"]["states"]) == ["yes", "no"]
    assert set(graph.edges) == set(asia().dag.edges)


def test_a_skeleton_is_undirected() -> None:
    graph = nx.parse_graphml(format_graphml(Pdag("ABC", undirected=[(0, 1), (1, 2)])))
    assert not graph.is_directed()
    assert set(map(frozenset, graph.edges)) == {frozenset("AB"), frozenset("BC")}


def test_undirected_edges_among_directed_ones_say_so() -> None:
    root = ElementTree.fromstring(format_graphml(Pdag("ABC", directed=[(0, 1)], undirected=[(1, 2)])))
    edges = root.findall(".//{http://graphml.graphdrawing.org/xmlns}edge")
    assert [(e.get("source"), e.get("target"), e.get("directed")) for e in edges] == [
        ("A", "B", None),
        ("B", "C", "false"),
    ]


def test_a_name_that_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match=r"node 'a\\x00b': its name has a character that XML cannot hold"):
        format_graphml(Dag.empty(["a\x00b"]))
