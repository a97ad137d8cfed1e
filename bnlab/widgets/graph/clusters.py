"""Groups of nodes that are drawn as one node: their choice, their drawing and their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import networkx as nx

from bnlab._runtime.names import check_known
from bnlab.figures.graphs.drawing import NamedEdge
from bnlab.figures.graphs.network import edge_directions
from bnlab.graphs import Dag, Pdag
from bnlab.graphs.dag import counted
from bnlab.widgets.graph.data import Bundle, first_of
from bnlab.widgets.graph.focus import restricted

Clusters = Mapping[str, tuple[str, ...]]
SEED = 0  # so that the same graph always has the same communities
HOW_TO_EXPAND = "Enter or a double click expands it."


def communities(graph: Dag | Pdag) -> list[tuple[str, ...]]:
    """Groups of at least two nodes with many edges inside and few between them (Louvain method), in the graph's order.

    Examples
    --------
    >>> communities(Dag.from_edges("ABCDEFG", [("A", "B"), ("A", "C"), ("B", "C"), ("D", "E"), ("E", "F"), ("C", "D")]))
    [('A', 'B', 'C'), ('D', 'E', 'F')]
    """
    undirected = nx.Graph([*edge_directions(graph)])
    found = nx.community.louvain_communities(undirected, seed=SEED) if undirected else []
    groups = [tuple(name for name in graph.names if name in members) for members in found]
    return sorted((group for group in groups if len(group) > 1), key=lambda group: graph.names.index(group[0]))


def cluster_name(graph: Dag | Pdag, members: Sequence[str], taken: Collection[str]) -> str:
    """Name of a cluster: its node with the most edges, and the number of other nodes."""
    degrees = Counter(end for edge in edge_directions(graph) for end in edge)
    name = f"{max(members, key=lambda member: degrees[member])} +{len(members) - 1}"
    while name in taken:
        name += "'"
    return name


def checked(clusters: Mapping[str, Collection[str]], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Clusters with their members in the order of the graph; ValueError if they are not disjoint groups of nodes."""
    cluster_of: dict[str, str] = {}
    for cluster, members in clusters.items():
        if cluster in names:
            raise ValueError(f"collapsed: {cluster!r} is the name of a node; give the cluster another one.")
        if len({*members}) < 2:
            raise ValueError(
                f"collapsed: cluster {cluster!r} has {counted(len({*members}), 'node')}; give two or more."
            )
        for name in {*members}:
            check_known(name, names, f"collapsed: no node {name!r} in the graph")
            if name in cluster_of:
                raise ValueError(f"collapsed: node {name!r} is in the clusters {cluster_of[name]!r} and {cluster!r}.")
            cluster_of[name] = cluster
    return {cluster: tuple(name for name in names if name in members) for cluster, members in clusters.items()}


def members_of(names: Collection[str], clusters: Clusters) -> tuple[str, ...]:
    """Names in which each cluster is replaced by its members."""
    return tuple(member for name in names for member in clusters.get(name, (name,)))


def drawn_as(clusters: Clusters) -> dict[str, str]:
    """Cluster of each node in a cluster."""
    return {member: cluster for cluster, members in clusters.items() for member in members}


def contracted(drawing: Mapping[str, Any], clusters: Clusters) -> dict[str, Any]:
    """Arguments of `GraphView.set_graph` with one node per cluster, and one edge for all edges between two nodes.

    Its strength is that of the strongest of these edges. It has no direction in the layout if it would close a directed
    cycle.

    Examples
    --------
    >>> chain = Dag.from_edges("ABCDE", [("A", "B"), ("B", "C"), ("C", "D"), ("D", "E")])
    >>> drawn = contracted({"graph": chain, "labels": {("A", "B"): "0.2", ("B", "C"): "0.3"}}, {"group": ("C", "E")})
    >>> drawn["graph"], drawn["labels"], drawn["bundles"]["group", "D"].edges
    (Pdag(4 nodes, 3 edges: A -> B, B -> group, group - D), {('A', 'B'): '0.2'}, ('C → D', 'D → E'))
    """
    names = {*drawing["graph"].names}
    merged = {name: cluster for name, cluster in drawn_as(clusters).items() if name in names}
    shown = restricted(drawing, names - {*merged})
    shown["graph"], shown["bundles"] = _merged(drawing["graph"], merged)
    if reference := drawing.get("reference"):
        shown["reference"] = replace(reference, graph=_merged(reference.graph, merged)[0])
    strengths: Mapping[NamedEdge, float] = drawing.get("strengths") or {}
    strongest: dict[NamedEdge, float] = {}
    for (u, v), value in strengths.items():
        edge = merged.get(u, u), merged.get(v, v)
        edge = edge[::-1] if edge[::-1] in strongest else edge
        if edge[0] != edge[1]:
            strongest[edge] = max(value, strongest.get(edge, value))
    own = {cluster: [name for name in members if name in merged] for cluster, members in clusters.items()}
    kinds: Mapping[str, str] = drawing.get("node_kinds") or {}
    observed = {cluster: kinds[name] for cluster, members in own.items() for name in members if name in kinds}
    titles = {
        cluster: f"{cluster}: {first_of(members)}. {HOW_TO_EXPAND}" for cluster, members in own.items() if members
    }
    return shown | {
        **({"strengths": strongest} if strengths else {}),
        "titles": {**(shown.get("titles") or {}), **titles},
        "node_kinds": {**(shown.get("node_kinds") or {}), **observed},
        "shapes": dict.fromkeys(titles, "cluster"),
    }


def _merged(graph: Dag | Pdag, merged: Mapping[str, str]) -> tuple[Dag | Pdag, dict[NamedEdge, Bundle]]:
    """Graph with clusters in place of their members, and the bundle of edges behind each edge of a cluster."""
    names = [*dict.fromkeys(merged.get(name, name) for name in graph.names)]
    clusters, place = {*merged.values()}, {name: i for i, name in enumerate(names)}
    between: dict[NamedEdge, list[tuple[NamedEdge, str]]] = {}
    arcs, lines = nx.DiGraph(), set()
    for (u, v), directed in edge_directions(graph).items():
        a, b = merged.get(u, u), merged.get(v, v)
        if a == b:
            continue
        if directed:
            arcs.add_edge(a, b)
        else:
            lines.add(frozenset((a, b)))
        ends = (a, b) if place[a] < place[b] else (b, a)
        between.setdefault(ends, []).append(((a, b) if directed else ("", ""), f"{u} {'→' if directed else '–'} {v}"))
    # Without clusters there is no directed cycle, so every cycle goes through a cluster.
    part = {name: i for i, names in enumerate(nx.strongly_connected_components(arcs)) for name in names}
    directed_edges: list[tuple[int, int]] = []
    undirected: list[tuple[int, int]] = []
    bundles = {}
    for ends, found in between.items():
        is_bundle = not clusters.isdisjoint(ends)
        one_way = frozenset(ends) not in lines and not (is_bundle and part[ends[0]] == part[ends[1]])
        edge = found[0][0] if one_way else ends
        (directed_edges if one_way else undirected).append((place[edge[0]], place[edge[1]]))
        if is_bundle:
            ways = [way for way, _ in found]
            bundles[edge] = Bundle(ways.count(edge), ways.count(edge[::-1]), tuple(text for _, text in found))
    if isinstance(graph, Dag) and not undirected:
        return Dag.from_edges(names, [(names[i], names[j]) for i, j in directed_edges]), bundles
    return Pdag(names, directed_edges, undirected), bundles


def clusters_text(n_nodes: int, clusters: Clusters) -> str:
    """Message about the nodes that are drawn as clusters."""
    if not clusters:
        return f"All {counted(n_nodes, 'node')} are drawn."
    n = sum(map(len, clusters.values()))
    return f"{counted(n, 'node')} are drawn as {counted(len(clusters), 'cluster')}. {HOW_TO_EXPAND}"


def cluster_content(clusters: Clusters, nodes: Sequence[str], edge: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Details of a selected cluster or bundle of edges; None if neither is selected."""
    selected = [name for name in nodes if name in clusters]
    if selected:
        members = clusters[selected[-1]]
        text = f"cluster of {counted(len(members), 'node')}"
        return {"kind": "cluster", "title": selected[-1], "subtitle": text, "members": list(members)}
    if not nodes and edge is not None and "bundle" in edge:
        text = counted(len(edge["bundle"]), "edge")
        return {"kind": "edge", "title": edge["title"].splitlines()[0], "subtitle": text, "notes": edge["bundle"]}
    return None
