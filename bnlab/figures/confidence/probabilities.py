"""Probabilities of edges as a heat map, parent by child."""

from __future__ import annotations

from typing import Any

import numpy as np

from bnlab.figures.labels import plain
from bnlab.figures.searches.policies import SCALE
from bnlab.figures.theme import BLUE, Chart, as_figure, chart_layout, colour_bar, hover, scatter
from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import GraphLike, as_dag

CELL, ABOVE, BELOW = 22, 92, 110
"""Pixels of a row, and above and below all rows."""
LONGEST = 20


def probabilities_json(
    confidence: EdgeConfidence,
    *,
    truth: GraphLike | None = None,
    title: str = "Probability of each edge",
) -> Chart:
    """Draw a row for each parent and a column for each child: the darker a cell, the more probable the edge.

    Variables are in the order of the consensus graph, parents first.

    Parameters
    ----------
    confidence : EdgeConfidence
        Probabilities of edges; `confidence.to_frame()` is the same as a table.
    truth : Dag, networkx.DiGraph or anything with a `dag`, optional
        True network, whose edges are marked.
    title : str

    Raises
    ------
    ValueError
        If the true network has other variables.
    """
    consensus = confidence.consensus()
    names = [consensus.names[v] for v in consensus.topological_order]
    at = [confidence.names.index(name) for name in names]
    arcs, errors = confidence.arcs[np.ix_(at, at)], confidence.errors[np.ix_(at, at)]
    values = arcs.astype(object)
    np.fill_diagonal(values, None)
    shown = list(map(plain, names))
    labels = [
        [
            f"{u} → {v}<br>Probability {p:.3f}" + (f" ± {error:.3f}" if error else "")
            for v, p, error in zip(shown, row, of_row, strict=True)
        ]
        for u, row, of_row in zip(shown, arcs, errors, strict=True)
    ]
    ticks = list(range(len(names)))
    scale = {"zmin": 0, "zmax": 1, "colorscale": SCALE, "showscale": True, "colorbar": colour_bar("Probability")}
    cells = {"z": values.tolist(), "x": ticks, "y": ticks, "xgap": 1, "ygap": 1, "hoverongaps": False}
    traces: list[dict[str, Any]] = [{"type": "heatmap", **cells, **scale, **hover("%{customdata}", labels)}]
    if truth is not None:
        dag = as_dag(truth)
        check_same_variables(dag.names, confidence.names)
        edges = [(names.index(v), names.index(u)) for u, v in dag.edges]
        x, y = ([*ends] for ends in zip(*edges, strict=True)) if edges else ([None], [None])
        ring = {"size": 9, "symbol": "circle-open", "color": BLUE, "line": {"width": 2, "color": BLUE}}
        look = {"marker": ring, "name": "Edge of the true network", "hoverinfo": "skip", "showlegend": True}
        traces.append(scatter("markers", x, y, **look))
    axis: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [plain(name, LONGEST) for name in names],
    }
    axis |= {"showgrid": False, "zeroline": False, "tickfont": {"size": 10 if len(names) > 20 else 12}}
    plot = max(CELL * len(names), 120)
    layout = chart_layout(plain(title), plot, above=ABOVE, below=BELOW, legend=True) | {
        "xaxis": axis | {"title": {"text": "Child"}, "tickangle": -90, "range": [-0.5, len(names) - 0.5]},
        "yaxis": axis | {"title": {"text": "Parent"}, "range": [len(names) - 0.5, -0.5]},
    }
    return {"data": traces, "layout": layout}


probabilities_figure = as_figure("probabilities_figure", probabilities_json)
