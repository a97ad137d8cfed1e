"""Relevance for a target: bars with the information that each observation would give about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnlab.figures.labels import plain, row_labels
from bnlab.figures.theme import BLUE, GREY, Chart, as_figure, chart_layout, hover

if TYPE_CHECKING:
    import pandas as pd

LONGEST, ROW, ABOVE, BELOW = 28, 24, 92, 60
AXIS = "Share of the target's entropy that the observation is expected to resolve"
KINDS = {True: ("In the Markov blanket", BLUE), False: ("Other variable", GREY)}


def relevance_json(frame: pd.DataFrame, target: str, *, most: int = 20, title: str = "") -> Chart:
    """Draw the `share` of each variable as a bar, the greatest first, with the Markov blanket in another colour.

    Parameters
    ----------
    frame : DataFrame
        From `bnlab.networks.what_matters`.
    target : str
    most : int
        Maximum number of bars.
    title : str
        By default it names the most informative observation.
    """
    shown = frame.sort_values("share", ascending=False, kind="stable").head(most)
    best = f": {shown.index[0]} says most" if len(shown) and shown.share.iloc[0] > 0 else ""
    rows = dict(zip(shown.index, row_labels(shown.index, LONGEST), strict=True))
    traces = []
    for in_blanket, (name, ink) in KINDS.items():
        own = shown[shown.blanket == in_blanket]
        if not len(own):
            continue
        labels = [
            f"{plain(str(row.Index))}<br>{name}<br>{row.information:.4f} nats, {row.share:.1%} of the entropy<br>"
            f"Probabilities change by up to {row.change:.3f}<br>Accuracy rises by {row.accuracy:.3f}"
            for row in own.itertuples()
        ]
        bars = {"x": own.share.tolist(), "y": [rows[label] for label in own.index], "orientation": "h"}
        look = {"marker": {"color": ink}, "name": name, "showlegend": True}
        traces.append({"type": "bar", **bars, **look, **hover("%{customdata}", labels)})
    layout = chart_layout(
        plain(title or f"What matters for {target}{best}"),
        ROW * max(len(shown), 2),
        above=ABOVE,
        below=BELOW,
        legend=True,
    )
    layout |= {
        "barmode": "overlay",
        "bargap": 0.25,
        "xaxis": {"title": {"text": AXIS}, "rangemode": "tozero"},
        "yaxis": {"type": "category", "categoryorder": "array", "categoryarray": list(rows.values())[::-1]},
    }
    return {"data": traces, "layout": layout}


relevance_figure = as_figure("relevance_figure", relevance_json)
