"""Part of a graph around some of its nodes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import networkx as nx

from bnlab.figures.graphs.network import Reference, edge_directions
from bnlab.graphs import Dag, Pdag

HIGHLIGHTS = ("none", "neighbours", "markov-blanket", "ancestors", "descendants")
"""What may be highlighted around a node."""
LARGE = 100
"""Nodes from which on a graph is offered in modules, which have colours."""


def neighbourhood(graph: Dag | Pdag, names: Collection[str], relation: str) -> tuple[str, ...]:
    """Names of nodes and of their neighbourhood, in the order of the graph.

    Parameters
    ----------
    graph : Dag or Pdag
    names : collection of str
    relation : {"neighbours", "markov-blanket", "ancestors", "descendants", "none"}
        "none" means neighbours.

    Examples
    --------
    >>> dag = Dag.from_edges("ABCD", [("A", "C"), ("B", "C"), ("C", "D")])
    >>> neighbourhood(dag, ["A"], "neighbours"), neighbourhood(dag, ["A"], "markov-blanket")
    (('A', 'C'), ('A', 'B', 'C'))
    >>> neighbourhood(dag, ["D"], "ancestors"), neighbourhood(dag, ["B"], "descendants")
    (('A', 'B', 'C', 'D'), ('B', 'C', 'D'))
    """
    edges = edge_directions(graph)
    arcs = [edge for edge, directed in edges.items() if directed]
    found = set(names)
    if relation in ("ancestors", "descendants"):
        reach = nx.DiGraph(arcs)
        reach.add_nodes_from(names)
        related = nx.ancestors if relation == "ancestors" else nx.descendants
        found = found.union(*(related(reach, name) for name in names))
    else:
        found |= {end for edge in edges for end in edge if not found.isdisjoint(edge)}
    if relation == "markov-blanket":
        children = {v for u, v in arcs if u in names}
        found |= {u for u, v in arcs if v in children}
    return tuple(name for name in graph.names if name in found)


@lru_cache(8)
def modules(graph: Dag | Pdag) -> dict[str, tuple[str, ...]]:
    """Groups of nodes with many edges among them, the largest first, by their nodes with the most edges inside.

    They are found in the skeleton by the method of Louvain (Blondel, Guillaume, Lambiotte and Lefebvre 2008), the same
    ones each time. Single nodes are in none.

    Examples
    --------
    >>> edges = [("A", "B"), ("A", "C"), ("B", "C"), ("C", "D"), ("D", "E"), ("D", "F"), ("E", "F")]
    >>> modules(Dag.from_edges("ABCDEFG", edges))
    {'A': ('A', 'B', 'C'), 'D': ('D', 'E', 'F')}
    """
    skeleton = nx.Graph()
    skeleton.add_nodes_from(graph.names)
    skeleton.add_edges_from(edge_directions(graph))
    index = {name: i for i, name in enumerate(graph.names)}
    groups = [sorted(group, key=index.__getitem__) for group in nx.community.louvain_communities(skeleton, seed=0)]
    groups = sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), index[group[0]]))
    return {max(group, key=skeleton.subgraph(group).degree): tuple(group) for group in groups}


def restricted(drawing: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Arguments of `GraphView.set_graph` restricted to some nodes and the edges between them.

    Examples
    --------
    >>> restricted({"graph": Dag.from_edges("ABC", [("A", "B"), ("B", "C")]), "labels": {("B", "C"): "0.2"}}, "AB")
    {'graph': Dag(2 nodes, 1 edge: [A][B|A]), 'labels': {}}
    """
    return {key: _part(value, frozenset(names)) for key, value in drawing.items()}


def _part(value: Any, names: frozenset[str]) -> Any:
    if isinstance(value, Dag | Pdag):
        return _induced(value, names)
    if isinstance(value, Reference):
        return replace(value, graph=_induced(value.graph, names))
    if isinstance(value, Mapping):
        return {key: shown for key, shown in value.items() if names.issuperset([key] if isinstance(key, str) else key)}
    return value


def _induced(graph: Dag | Pdag, names: frozenset[str]) -> Dag | Pdag:
    kept = [name for name in graph.names if name in names]
    edges = {edge: directed for edge, directed in edge_directions(graph).items() if names.issuperset(edge)}
    if isinstance(graph, Dag):
        return Dag.from_edges(kept, edges)
    index = {name: i for i, name in enumerate(kept)}
    pairs = {(index[u], index[v]): directed for (u, v), directed in edges.items()}
    return Pdag(
        kept, [p for p, directed in pairs.items() if directed], [p for p, directed in pairs.items() if not directed]
    )
