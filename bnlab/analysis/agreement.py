"""Comparison of networks: edges that they share, and distances between them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, pairwise

import pandas as pd

from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.comparison import compare
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag


def edge_agreement(networks: Mapping[str, Dag], confidence: Mapping[str, EdgeConfidence] | None = None) -> pd.DataFrame:
    """Edges of any of several networks, those of the most networks first.

    Parameters
    ----------
    networks : mapping of str to Dag
        On the same variables.
    confidence : mapping of str to EdgeConfidence, optional
        Bootstrap results of some of them.

    Returns
    -------
    DataFrame
        u, v : str, in the direction of most networks, or of the first one if both directions are equally frequent;
        networks : int, the number of networks with the edge in either direction; one column per network, "->", "<-" or
        ""; strength : float, the greatest share of bootstrap samples, NaN without a bootstrap.

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
    seen: dict[frozenset[str], list[tuple[str, str]]] = {}
    for edge in chain.from_iterable(dag.edges for dag in networks.values()):
        seen.setdefault(frozenset(edge), []).append(edge)
    strengths: dict[frozenset[str], float] = {}
    for found in (confidence or {}).values():
        for u, v, strength, _ in found.edge_list().itertuples(index=False, name=None):
            strengths[frozenset((u, v))] = max(strengths.get(frozenset((u, v)), 0.0), strength)
    edges = [set(dag.edges) for dag in networks.values()]
    rows = []
    for pair, directions in sorted(seen.items(), key=lambda item: -len(item[1])):
        u, v = max(dict.fromkeys(directions), key=directions.count)
        marks = ["->" if (u, v) in own else "<-" if (v, u) in own else "" for own in edges]
        rows.append((u, v, len(directions), *marks, strengths.get(pair, float("nan"))))
    return pd.DataFrame(rows, columns=["u", "v", "networks", *networks, "strength"])


def distances(networks: Mapping[str, Dag], *, equivalence: bool = False) -> pd.DataFrame:
    """Structural Hamming distances between networks.

    Parameters
    ----------
    networks : mapping of str to Dag
        On the same variables.
    equivalence : bool
        Whether to compare essential graphs: 0 then means that no data can distinguish the two networks.

    Returns
    -------
    DataFrame of int, shape (networks, networks)

    Raises
    ------
    ValueError
        If the networks are on different variables.
    """
    _check(networks)
    rows = []
    for a in networks.values():
        compared = [compare(a, b) for b in networks.values()]
        rows.append([found.shd_cpdag if equivalence else found.shd for found in compared])
    return pd.DataFrame(rows, index=list(networks), columns=list(networks), dtype="int64")


def _check(networks: Mapping[str, Dag]) -> None:
    for a, b in pairwise(networks.values()):
        check_same_variables(b.names, a.names)
