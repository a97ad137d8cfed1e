"""Graphs of other packages and in other notations, each as names and edges: the one place that knows them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np


class Edges(NamedTuple):
    """Names of the nodes, in their order, and pairs of names."""

    names: tuple[str, ...]
    directed: tuple[tuple[str, str], ...]
    undirected: tuple[tuple[str, str], ...] = ()


def foreign_edges(graph: Any) -> Edges | None:
    """Nodes and edges of a graph that is not bnlab's own; None for an object of another kind, such as a name.

    Parameters
    ----------
    graph : object
        A graph of networkx; a model, DAG or PDAG of pgmpy; a BayesNet, DAG with names or essential graph of pyAgrum; a
        graph of causal-learn; a square DataFrame of 0 and 1, where row i and column j say i -> j; or text: a model
        string of bnlearn, ``[A][B|A]``, DOT, or a graph of DAGitty, ``dag { A -> B }``. Edges in both directions are
        undirected.

    Raises
    ------
    ValueError
        If a text with a bracket or brace is none of these, a DataFrame is not square, or an edge has an end that is
        neither arrowhead nor tail.

    Examples
    --------
    >>> foreign_edges("[rain][wet|rain]")
    Edges(names=('rain', 'wet'), directed=(('rain', 'wet'),), undirected=())
    >>> foreign_edges("dag { wet <- rain -> slippery }").directed
    (('rain', 'wet'), ('rain', 'slippery'))
    """
    if isinstance(graph, str):
        return _from_text(graph) if set("[{") & set(graph) else None
    packages = {base.__module__.partition(".")[0] for base in type(graph).__mro__}
    convert = next((convert for package, convert in _CONVERTERS.items() if package in packages), None)
    return None if convert is None else convert(graph)


def _of_pairs(names: Iterable[Any], pairs: Iterable[tuple[Any, Any]], both: Iterable[tuple[Any, Any]] = ()) -> Edges:
    """Edges of pairs, of which those in both directions are undirected."""
    known = dict.fromkeys(pairs)
    undirected = {frozenset(pair): pair for pair in both}
    undirected |= {frozenset(pair): pair for pair in known if pair[::-1] in known and pair[0] != pair[1]}
    directed = tuple(pair for pair in known if frozenset(pair) not in undirected)
    return Edges(tuple(names), directed, tuple(undirected.values()))


def _from_networkx(graph: Any) -> Edges:
    if not graph.is_directed():
        return _of_pairs(graph.nodes, (), graph.edges())
    return _of_pairs(graph.nodes, graph.edges())


def _from_pgmpy(graph: Any) -> Edges:
    if "cpds" in vars(graph) and graph.cpds:
        _warn_of_tables("pgmpy")
    return _from_networkx(graph)


def _from_pyagrum(graph: Any) -> Edges:
    import pyagrum as gum

    if isinstance(graph, gum.BayesNet):
        _warn_of_tables("pyAgrum")
        names = {i: graph.variable(i).name() for i in sorted(graph.nodes())}
        return _of_pairs(names.values(), [(names[u], names[v]) for u, v in sorted(graph.arcs())])
    kind = type(graph).__name__
    names = {i: str(i) for i in sorted(graph.nodes())}
    arcs = [(names[u], names[v]) for u, v in sorted(graph.arcs())] if kind != "UndiGraph" else []
    both = [(names[u], names[v]) for u, v in sorted(graph.edges())] if kind not in ("DiGraph", "DAG") else []
    return _of_pairs(names.values(), arcs, both)


def _from_causallearn(graph: Any) -> Edges:
    graph = graph.G if type(graph).__name__ == "CausalGraph" else graph
    directed, undirected = [], []
    for edge in graph.get_graph_edges():
        a, b = edge.get_node1().get_name(), edge.get_node2().get_name()
        ends = edge.get_endpoint1().name, edge.get_endpoint2().name
        if ends == ("TAIL", "ARROW"):
            directed.append((a, b))
        elif ends == ("ARROW", "TAIL"):
            directed.append((b, a))
        elif ends == ("TAIL", "TAIL"):
            undirected.append((a, b))
        else:
            raise ValueError(f"the edge {edge} has an end that no directed or undirected edge has: remove it.")
    return Edges(tuple(node.get_name() for node in graph.get_nodes()), tuple(directed), tuple(undirected))


def _from_pandas(frame: Any) -> Edges:
    names = tuple(map(str, frame.columns))
    values = np.asarray(frame)
    if tuple(map(str, frame.index)) != names or not np.isin(values, [0, 1]).all():
        raise ValueError(
            "a DataFrame is a graph if its rows and columns have the same names, in one order, and hold 0 and 1 "
            "(row i, column j: i -> j); for data, use bnlab.load_data."
        )
    return _of_pairs(names, [(names[i], names[j]) for i, j in np.argwhere(values)])


_CONVERTERS: dict[str, Callable[[Any], Edges]] = {
    "pgmpy": _from_pgmpy,
    "pyagrum": _from_pyagrum,
    "causallearn": _from_causallearn,
    "networkx": _from_networkx,
    "pandas": _from_pandas,
}


def _warn_of_tables(package: str) -> None:
    warnings.warn(
        f"only the graph of this {package} model is used, not its tables: bnlab.networks.as_network(model) keeps them.",
        UserWarning,
        stacklevel=5,
    )


_MODEL = re.compile(r"(?:\s*\[([^\[\]|]+)(?:\|([^\[\]|]+))?\])+\s*")
_BLOCK = re.compile(r"\s*(?:strict\s+)?(digraph|graph|dag|pdag|mag|pag)\b[^{]*\{(.*)\}\s*", re.DOTALL | re.IGNORECASE)
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*(?s:.*?)\*/')
_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*)"|(<->|->|<-@|<-|@->|@-@|@--|--@|--)|(\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\])|([;{}=,])|([^\s;{}=,\[\]"<>-]+)'
)
_HEADS = re.compile(r'\bdir\s*=\s*"?(forward|back|both|none)\b')
_KEYWORDS = ("node", "edge", "graph", "subgraph")


def _from_text(text: str) -> Edges:
    if _MODEL.fullmatch(text):
        families = [(name.strip(), given) for name, given in re.findall(r"\[([^\[\]|]+)(?:\|([^\[\]|]+))?\]", text)]
        return Edges(
            tuple(name for name, _ in families),
            tuple((parent.strip(), name) for name, given in families for parent in given.split(":") if parent.strip()),
        )
    block = _BLOCK.fullmatch(_COMMENT.sub(lambda match: match[1] or "", text))
    if block is None:
        raise ValueError(
            f"{text[:60]!r} is no graph in text: a model string of bnlearn ([A][B|A]), DOT (digraph {{ A -> B }}) or "
            "DAGitty (dag { A -> B }) is."
        )
    return _from_block(block[2])


def _from_block(body: str) -> Edges:
    """Nodes and edges of the statements of DOT and DAGitty, such as ``A -> B <- C; D [exposure]``."""
    names: dict[str, None] = {}
    edges: list[tuple[str, str, str]] = []  # each with the ends that have an arrowhead
    begin, usual = 0, "forward"  # first edge of the statement, and heads of edges without an attribute of their own
    last: str | None = None
    arrow = before = ""
    for match in _TOKEN.finditer(body):
        quoted, edge, attributes, mark, word = match.groups()
        name = None if word in _KEYWORDS else word if quoted is None else re.sub(r'\\(["\\])', r"\1", quoted)
        if (arrow and name is None) or (edge and last is None):
            raise ValueError(f"an edge {arrow or edge} joins two nodes, not a group of them: write an edge for each.")
        if attributes and (given := _HEADS.search(attributes)):
            usual = given[1] if before == "edge" else usual
            edges[begin:] = [(u, v, given[1]) for u, v, _ in edges[begin:]]
        elif edge:
            arrow = edge
        elif mark in ("=", "{") and last is not None:  # an attribute of the graph (rankdir=LR), the name of a subgraph
            names.pop(last, None)
        elif name is not None and before != "=":
            names.setdefault(name)
            if arrow and last is not None:
                u, v = (name, last) if arrow == "<-" else (last, name)
                edges.append((u, v, "both" if arrow == "<->" or "@" in arrow else "none" if arrow == "--" else usual))
            else:
                begin = len(edges)
            last, arrow = name, ""
        if mark or word in _KEYWORDS:
            last, begin = None, len(edges)
        before = mark or word or ""
    if arrow or any(heads == "both" for _, _, heads in edges):
        raise ValueError(
            "an edge has one end, two arrowheads, or a circle: a graph here has directed and undirected edges."
        )
    directed = [(v, u) if heads == "back" else (u, v) for u, v, heads in edges if heads != "none"]
    return _of_pairs(names, directed, [(u, v) for u, v, heads in edges if heads == "none"])
