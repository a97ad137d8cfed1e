"""Graphs as GraphML, which networkx, igraph, Gephi, Cytoscape and yEd read.

References
----------
U. Brandes, M. Eiglsperger, I. Herman, M. Himsolt, M. S. Marshall. GraphML progress report. Graph Drawing 2001.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from xml.etree import ElementTree

from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.graphs.pdag import Pdag
from bnlab.networks.network import BayesianNetwork

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_WRITABLE = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


def format_graphml(graph: Dag | Pdag | BayesianNetwork, variables: Sequence[Variable] | None = None) -> str:
    """Text of a graph in GraphML, whose node ids are the names.

    Undirected edges have the attribute ``directed="false"``.

    Parameters
    ----------
    graph : Dag, Pdag or BayesianNetwork
    variables : sequence of Variable, optional
        Variables of the graph, in its order; the nodes then have ``states``, a JSON list. A network has its own.

    Raises
    ------
    ValueError
        If a name has a character that XML cannot represent.

    Examples
    --------
    >>> text = format_graphml(Dag.from_edges(["A", "<B>"], [("A", "<B>")]))
    >>> import networkx
    >>> networkx.parse_graphml(text).edges
    OutEdgeView([('A', '<B>')])
    """
    if isinstance(graph, BayesianNetwork):
        variables, graph = graph.variables, graph.dag
    pdag = Pdag.from_dag(graph) if isinstance(graph, Dag) else graph
    directed, undirected = pdag.directed_edges, pdag.undirected_edges
    root = ElementTree.Element("graphml", xmlns=NAMESPACE)
    if variables is not None:
        states = {"id": "states", "for": "node", "attr.name": "states", "attr.type": "string"}
        ElementTree.SubElement(root, "key", states)
    body = ElementTree.SubElement(root, "graph", edgedefault="directed" if directed or not undirected else "undirected")
    for i, name in enumerate(pdag.names):
        node = ElementTree.SubElement(body, "node", id=_written(name))
        if variables is not None:
            ElementTree.SubElement(node, "data", key="states").text = json.dumps(list(map(str, variables[i].states)))
    for u, v in directed:
        ElementTree.SubElement(body, "edge", source=u, target=v)
    for u, v in undirected:
        ElementTree.SubElement(body, "edge", source=u, target=v, directed="false")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _written(name: str) -> str:
    if not _WRITABLE.fullmatch(name):
        raise ValueError(f"node {name!r}: its name has a character that XML cannot hold; rename it to write GraphML.")
    return name
