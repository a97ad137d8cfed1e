"""Undirected edges in GraphML; tests of hostile names have networks read back by networkx."""

from __future__ import annotations

from xml.etree import ElementTree

import networkx as nx

from bnlab.graphs import Pdag
from bnlab.networks.io.graphml import format_graphml


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
