"""Comparison of networks: edges that they share, and distances between them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import pandas as pd

from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.comparison import compare
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import shown_graph
from bnlab.graphs.pdag import Pdag


def edge_agreement(
    networks: Mapping[str, Dag | Pdag], confidence: Mapping[str, EdgeConfidence] | None = None
) -> pd.DataFrame:
    """Edges of any of several networks, those of the most networks first.

    Parameters
    ----------
    networks : mapping of str to Dag or Pdag
        On the same variables.
    confidence : mapping of str to EdgeConfidence, optional
        Bootstrap results of some of them.

    Returns
    -------
    DataFrame
        u, v : str, in the direction of most networks, or of the first one if both directions are equally frequent;
        networks : int, the number of networks with the edge in either direction; one column per network, "->", "<-",
        "--" for an undirected edge or one that `Dag.undecided` names, or ""; strength : float, the greatest share of
        bootstrap samples, NaN without a bootstrap.

    Raises
    ------
    ValueError
        If the networks are on different variables.

    Examples
    --------
    >>> a = Dag.from_edges(["X", "Y", "Z"], [("X", "Y"), ("Y", "Z")])
    >>> b = Dag.from_edges(["X", "Y", "Z"], [("Y", "X")])
    >>> edge_agreement({"a": a, "b": b})[["u", "v", "networks", "a", "b"]].values.tolist()
    [['X', 'Y', 2, '->', '<-'], ['Y', 'Z', 1, '->', '']]
    """
    _check(networks)
    own = [_directions(shown_graph(graph)) for graph in networks.values()]
    seen: dict[frozenset[str], list[tuple[tuple[str, str], bool]]] = {}
    for directions in own:
        for pair, edge in directions.items():
            seen.setdefault(pair, []).append(edge)
    strengths: dict[frozenset[str], float] = {}
    for found in (confidence or {}).values():
        for u, v, strength, _ in found.edge_list().itertuples(index=False, name=None):
            strengths[frozenset((u, v))] = max(strengths.get(frozenset((u, v)), 0.0), strength)
    rows = []
    for pair, edges in sorted(seen.items(), key=lambda item: -len(item[1])):
        directed = [edge for edge, known in edges if known] or [edges[0][0]]
        u, v = max(dict.fromkeys(directed), key=directed.count)
        marks = [_mark(directions.get(pair), u) for directions in own]
        rows.append((u, v, len(edges), *marks, strengths.get(pair, float("nan"))))
    return pd.DataFrame(rows, columns=["u", "v", "networks", *networks, "strength"])


def distances(networks: Mapping[str, Dag | Pdag], *, equivalence: bool = False) -> pd.DataFrame:
    """Structural Hamming distances between networks.

    Parameters
    ----------
    networks : mapping of str to Dag or Pdag
        On the same variables.
    equivalence : bool
        Whether to compare essential graphs: 0 then means that no data can distinguish the two networks.

    Returns
    -------
    DataFrame of int, shape (networks, networks)

    Raises
    ------
    ValueError
        If the networks are on different variables, or one is a Pdag and `equivalence` is not set.
    """
    _check(networks)
    if not equivalence and (classes := [name for name, graph in networks.items() if isinstance(graph, Pdag)]):
        raise ValueError(
            f"{classes[0]!r} is an equivalence class: give equivalence=True, or one of its graphs, "
            "bnlab.graphs.member(graph)."
        )
    rows = []
    for a in networks.values():
        compared = [compare(a, b) for b in networks.values()]
        rows.append([found.shd_cpdag if equivalence else found.shd for found in compared])
    return pd.DataFrame(rows, index=list(networks), columns=list(networks), dtype="int64")


def _directions(graph: Dag | Pdag) -> dict[frozenset[str], tuple[tuple[str, str], bool]]:
    """Edge of each adjacent pair, and whether it has a direction."""
    if isinstance(graph, Dag):
        return {frozenset(edge): (edge, True) for edge in graph.edges}
    directed = {frozenset(edge): (edge, True) for edge in graph.directed_edges}
    return directed | {frozenset(edge): (edge, False) for edge in graph.undirected_edges}


def _mark(found: tuple[tuple[str, str], bool] | None, u: str) -> str:
    if found is None:
        return ""
    edge, directed = found
    return ("->" if edge[0] == u else "<-") if directed else "--"


def _check(networks: Mapping[str, Dag | Pdag]) -> None:
    for a, b in pairwise(networks.values()):
        check_same_variables(b.names, a.names)
