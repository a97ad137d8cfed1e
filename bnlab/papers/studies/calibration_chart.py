"""Reliability diagrams: shares of edges that exist, among edges with about the same probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from bnlab.figures.theme import GREY
from bnlab.papers.base.panels import Layer, check_records, panel_curves, styles_of

SIZES = (5.0, 14.0)
"""Diameters of the markers of the bins with the fewest and the most pairs."""


def reliability_figure(
    points: pd.DataFrame,
    *,
    panel: str = "",
    labels: Mapping[str, str] | None = None,
    title: str = "Calibration",
) -> go.Figure:
    """Draw the share of edges that exist over the probability given to them, one curve per method.

    Curves of calibrated probabilities follow the diagonal; below it, edges are claimed with too much confidence.

    Parameters
    ----------
    points : DataFrame
        From `bnlab.papers.studies.calibration.reliability`.
    panel : str, optional
        Column whose values have a panel each, such as "rows"; by default there is one panel.
    labels : mapping of str to str, optional
        Names of the methods' curves.
    title : str

    Raises
    ------
    ValueError
        If a column is missing.
    """
    check_records(points, ["method", *([panel] if panel else []), "count", "given", "observed", "low", "high"])
    names = points.method.map(lambda value: (labels or {}).get(value, str(value)))
    panels: Sequence[str] = [_label(panel, value) for value in points[panel]] if panel else ["all"] * len(points)
    drawn = points.assign(panel=panels, series=names, x=points.given, y=points.observed)
    drawn = drawn.assign(y_low=points.low, y_high=points.high, size=_sizes(points["count"].to_numpy()))
    drawn["text"] = [
        f"{row.series}: {row.count:,} with a probability of about {row.given:.2f}\n"
        f"{row.observed:.2f} of them exist ({row.low:.2f} to {row.high:.2f})"
        for row in drawn[["series", "count", "given", "observed", "low", "high"]].itertuples(index=False)
    ]
    options: dict[str, Any] = {"title": title, "columns": 3 if panel else 1}
    figure, places = panel_curves(panels, [Layer(drawn)], styles_of(names), row=330 if panel else 440, **options)
    if not panel:
        figure.layout.annotations = ()
    for row, column in places.values():
        diagonal = {"width": 1.2, "color": GREY, "dash": "dash"}
        figure.add_shape(type="line", x0=0, x1=1, y0=0, y1=1, line=diagonal, layer="below", row=row, col=column)
    for column, row in {column: row for row, column in places.values()}.items():
        figure.update_xaxes(title="Probability given", row=row, col=column)
    figure.update_xaxes(range=[-0.03, 1.03])
    figure.update_yaxes(range=[-0.03, 1.03])
    figure.update_yaxes(title="Share that exists", col=1)
    return figure


def _label(name: str, value: Any) -> str:
    return f"{value:,} {name}" if isinstance(value, (int, np.integer)) else str(value)


def _sizes(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Diameters that grow with the logarithm of the counts."""
    logs = np.log(counts)
    spread = float(logs.max() - logs.min()) or 1.0
    return np.asarray(SIZES[0] + (SIZES[1] - SIZES[0]) * (logs - logs.min()) / spread)
