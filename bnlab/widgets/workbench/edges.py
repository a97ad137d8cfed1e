"""Table of the edges of the shown network, which selects them in the picture."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan

import pandas as pd

from bnlab.data.table import Table
from bnlab.figures.graphs.node_tables import EdgeStrengths
from bnlab.figures.scores.graph_scores import GraphScores
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import any_member
from bnlab.graphs.pdag import Pdag
from bnlab.widgets.base import controls as kit

FORMATS = {
    "confidence": "{:.0%}",
    "direction": "{:.0%}",
    "mutual_information": "{:.3f}",
    "gain": "{:,.1f}",
    "p_value": "{:.2g}",
}
"""Columns of numbers, and their formats."""
INCOMPLETE = "Values are missing: mutual information, BIC gain and p-value need complete rows."
UNITS = (
    "Mutual information in nats; BIC gain: BIC with the edge less BIC without it, nats; p-value of the G² test given "
    "the other parents."
)
OPEN_EDGES = "– has no direction that data can decide; without “Essential graph”, one graph of the class is drawn."
LISTED = 200
"""Maximum number of edges in the table."""


def strengths_on(table: Table | None) -> EdgeStrengths | None:
    """Strengths of edges on a table; None if it has missing values."""
    return None if table is None or table.has_gaps else EdgeStrengths(GraphScores(table))


def edge_frame(
    graph: Dag | Pdag, strengths: EdgeStrengths | None, found: EdgeConfidence | None, shown: Dag | Pdag | None = None
) -> pd.DataFrame:
    """Numbers of each edge of a network.

    Parameters
    ----------
    graph : Dag or Pdag
    strengths : EdgeStrengths or None
        Measured on data.
    found : EdgeConfidence or None
    shown : Dag or Pdag, optional
        Class of the graph, whose undirected edges have no direction in the table.

    Returns
    -------
    DataFrame
        u, v : str; directed : bool; confidence : float, share of the bootstrap samples or posterior probability of the
        edge either way; direction : float, share of u -> v in it; mutual_information : float, nats; gain : float, nats
        of BIC lost when the edge is removed; p_value : float, of the G2 test given the other parents. NaN for an
        unknown number.
    """
    rows, dag, shown = [], any_member(graph), shown or graph
    lines = {frozenset(edge) for edge in shown.undirected_edges} if isinstance(shown, Pdag) else set()
    for u, v in (dag or graph).edges:
        share, direction, numbers = nan, nan, (nan, nan, nan)
        if found is not None:
            i, j = found.names.index(u), found.names.index(v)
            share = float(found.strength[i, j])
            direction = float(found.arcs[i, j] / share) if share else nan
        if strengths is not None and dag is not None:
            own = strengths.of(dag, dag.index(u), dag.index(v))
            numbers = own.mutual_information, own.gains["bic"], own.p_value
        rows.append((u, v, frozenset((u, v)) not in lines, share, direction, *numbers))
    return pd.DataFrame(rows, columns=["u", "v", "directed", *FORMATS])


def edge_heads(edges: pd.DataFrame, found: EdgeConfidence | None) -> dict[str, str]:
    """Columns of the table, and their heads."""
    share = "Found in" if found is None or found.method == "bootstrap" else "Posterior probability"
    heads = {
        "confidence": share,
        "direction": "In this direction",
        "mutual_information": "Mutual information",
        "gain": "BIC gain",
        "p_value": "p-value",
    }
    return {"edge": "Edge"} | {name: head for name, head in heads.items() if edges[name].notna().any()}


def edge_lines(
    edges: pd.DataFrame, heads: Mapping[str, str], order: tuple[str, bool], selected: tuple[str, str] | None
) -> kit.Lines:
    """Edges sorted by `order`, a column and whether it descends; by the first numeric column if that is absent."""
    if not len(edges):
        return []
    first = [name for name in heads if name != "edge"]
    by, descending = order if order[0] in heads else (first[0], True) if first else ("edge", False)
    names = edges["u"] + edges["directed"].map({True: " → ", False: " – "}) + edges["v"]
    frame = edges.assign(edge=names).sort_values(by, ascending=not descending, kind="stable", na_position="last")
    rows, chosen = [], ""
    listed = frame.head(LISTED)
    for i, edge in zip(listed.index, listed.to_dict("records"), strict=True):
        numbers = [(edge[name], FORMATS[name]) for name in heads if name != "edge"]
        texts = ["–" if isnan(value) else form.format(value).replace("-", "−") for value, form in numbers]
        if "p_value" in heads and edge["p_value"] == 0:
            texts[-1] = "<1e−300"  # it underflows
        rows.append((str(i), [edge["edge"], *texts]))
        ends = [(edge["u"], edge["v"]), *([] if edge["directed"] else [(edge["v"], edge["u"])])]
        chosen = str(i) if selected in ends else chosen
    more = len(edges) - LISTED
    return [
        [kit.table("edge", "Edges", list(heads.values()), rows, chosen, order=(heads[by], descending))],
        [kit.message("more", f"{more:,} further edges are not listed.")] if more > 0 else [],
        [kit.message("open", OPEN_EDGES, hint=True)] if not edges["directed"].all() else [],
        [kit.message("units", UNITS if "gain" in heads else INCOMPLETE, hint=True)],
    ]


def next_order(order: tuple[str, bool], heads: Mapping[str, str], head: str) -> tuple[str, bool]:
    """Order after a click on a head: descending, but ascending for names and p-values; a second click reverses it.

    Examples
    --------
    >>> heads = {"gain": "BIC gain", "p_value": "p-value"}
    >>> next_order(("gain", True), heads, "p-value"), next_order(("gain", True), heads, "BIC gain")
    (('p_value', False), ('gain', False))
    """
    by = next(name for name, text in heads.items() if text == head)
    return by, not order[1] if by == order[0] else by not in ("edge", "p_value")
