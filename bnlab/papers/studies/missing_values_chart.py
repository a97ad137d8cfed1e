"""Treatments of missing values over the share of missing values, one panel per mechanism."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from bnlab.figures.labels import capitalised
from bnlab.papers.base.panels import Layer, check_records, panel_curves, styles_of

PANELS = {"mcar": "Completely at random", "mar": "At random", "mnar": "Not at random"}


def missing_values_figure(frame: pd.DataFrame, value: str = "loss", *, unit: str = "", title: str = "") -> go.Figure:
    """Draw the mean of a value over tables, one curve per method, against the share of missing values.

    Parameters
    ----------
    frame : DataFrame with columns method, mechanism, share and the value
        From `bnlab.papers.studies.missing_values.records_frame`.
    value : str
        Column that is drawn, on a logarithmic axis.
    unit, title : str
        By default the column's name.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    check_records(frame, ["method", "mechanism", "share", value])
    points = frame.groupby(["mechanism", "method", "share"], sort=False)[value].mean().rename("y").reset_index()
    points = points.assign(panel=points.mechanism.map(PANELS), series=points.method, x=100 * points.share)
    points["text"] = [f"{row.method}\n{row.x:g} % missing: {row.y:.3g}" for row in points.itertuples()]
    styles = styles_of(frame.method)
    panels = [PANELS[name] for name in PANELS if name in set(points.mechanism)]
    layers = [Layer(points.sort_values("x", kind="stable"), marker={"size": 7})]
    figure, _ = panel_curves(panels, layers, styles, title=title or capitalised(value), columns=3, row=320, shared=True)
    figure.update_xaxes(title="Values missing, %", tickvals=sorted(points.x.unique()))
    figure.update_yaxes(type="log")
    figure.update_yaxes(title=capitalised(unit or value), col=1)
    return figure
