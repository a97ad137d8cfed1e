"""Table of the edges of the shown network, which selects them in the picture."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING

from bnlab.figures.graphs.node_tables import EdgeStrengths
from bnlab.figures.scores.graph_scores import GraphScores
from bnlab.graphs.dag import Dag
from bnlab.widgets.base import controls as kit

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.table import Table
    from bnlab.graphs.confidence import EdgeConfidence

HEADS = {
    "confidence": "Confidence",
    "direction": "Direction",
    "mutual_information": "Mutual information",
    "gain": "BIC loss",
    "p_value": "p-value",
}
"""Columns, and their heads."""
LISTED = 200
"""Most edges in the table."""


def edge_frame(graph: Dag, table: Table | None, found: EdgeConfidence | None) -> pd.DataFrame:
    """Numbers of each edge of a network.

    Parameters
    ----------
    graph : Dag
    table : Table or None
        Without missing values.
    found : EdgeConfidence or None

    Returns
    -------
    DataFrame
        u, v : str; confidence : float, share of the bootstrap samples or posterior probability of the edge either way;
        direction : float, share of u -> v of that; mutual_information : float, nats; gain : float, nats of BIC lost
        when the edge is removed; p_value : float, of the G2 test given the other parents. NaN for an unknown number.
    """
    import pandas as pd

    strengths = None if table is None or table.has_gaps else EdgeStrengths(GraphScores(table))
    rows = []
    for u, v in graph.edges:
        share, direction, numbers = nan, nan, (nan, nan, nan)
        if found is not None:
            i, j = found.names.index(u), found.names.index(v)
            share = float(found.strength[i, j])
            direction = float(found.arcs[i, j] / share) if share else nan
        if strengths is not None:
            own = strengths.of(graph, graph.index(u), graph.index(v))
            numbers = own.mutual_information, own.gains["bic"], own.p_value
        rows.append((u, v, share, direction, *numbers))
    return pd.DataFrame(rows, columns=["u", "v", *HEADS])


def edge_lines(edges: pd.DataFrame, sort: str, selected: tuple[str, str] | None) -> kit.Lines:
    """Edges, the greatest number first, or the least p-value."""
    present = [name for name in HEADS if edges[name].notna().any()]
    if not present:
        return []
    by = sort if sort in present else present[0]
    ordered = edges.sort_values(by, ascending=by == "p_value", kind="stable").head(LISTED)
    formats = {"confidence": "{:.0%}", "direction": "{:.0%}", "mutual_information": "{:.3f}", "gain": "{:,.1f}"}
    rows, chosen = [], ""
    for i, edge in ordered.iterrows():
        texts = ["–" if isnan(edge[name]) else formats.get(name, "{:.2g}").format(edge[name]) for name in present]
        rows.append((str(i), [f"{edge['u']} → {edge['v']}", *(text.replace("-", "−") for text in texts)]))
        chosen = str(i) if (edge["u"], edge["v"]) == selected else chosen
    more = len(edges) - LISTED
    return [
        [kit.select("sort", "Sort by", by, [(name, HEADS[name]) for name in present])],
        [kit.table("edge", "Edges", ("Edge", *(HEADS[name] for name in present)), rows, chosen)],
        [kit.message("more", f"{more:,} further edges are not listed.")] if more > 0 else [],
    ]
