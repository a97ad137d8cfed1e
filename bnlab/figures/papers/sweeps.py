"""Sweeps of parameters as small multiples: a panel a parameter, the value on one axis and the result on the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnlab.figures.labels import plain
from bnlab.figures.papers.panels import Sizes, panel_grid
from bnlab.figures.theme import GREY, VERMILLION, colour, symbol

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

ABREAST = 2
SIZES = Sizes(row=270, above=110, legend=42, below=90, between=0.04)


class SweepData(NamedTuple):
    """Results by the value of one parameter, the others held.

    Attributes
    ----------
    points : DataFrame with columns parameter, value, series, seed, result
    medians : DataFrame with columns parameter, value, series, seeds, median
    """

    points: pd.DataFrame
    medians: pd.DataFrame


def sweep_data(records: pd.DataFrame, results: Mapping[str, str]) -> SweepData:
    """Results of a sweep in one column or several.

    Parameters
    ----------
    records : DataFrame with columns parameter, value, seed, and the columns of results
    results : mapping of str to str
        Columns of results, and what their series are called.

    Raises
    ------
    ValueError
        If a column is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> records = pd.DataFrame({"parameter": "Q", "value": [10, 10, 20], "seed": [0, 1, 0], "gap": [3.0, 1.0, 0.5]})
    >>> sweep_data(records, {"gap": "found"}).medians
      parameter  value series  seeds  median
    0         Q     10  found      2     2.0
    1         Q     20  found      1     0.5
    """
    import pandas as pd

    for column in ("parameter", "value", "seed", *results):
        if column not in records:
            raise ValueError(f"no column {column!r} in the records: there are {', '.join(map(str, records.columns))}.")
    keys = ["parameter", "value"]
    parts = [records[[*keys, "seed"]].assign(series=name, result=records[column]) for column, name in results.items()]
    points = pd.concat(parts, ignore_index=True)
    medians = points.groupby([*keys, "series"], sort=False).result.agg(seeds="size", median="median").reset_index()
    return SweepData(points[[*keys, "series", "seed", "result"]], medians)


def sweep_figure(
    data: SweepData,
    *,
    settings: Mapping[str, float] | None = None,
    published: float | None = None,
    least: float = 0.01,
    unit: str = "gap, %",
    title: str = "Sweeps",
) -> go.Figure:
    """Draw a panel a parameter, both axes logarithmic: a dot a seed, a line through the medians.

    Parameters
    ----------
    data : SweepData
    settings : mapping of str to float, optional
        Value of each parameter while the others are swept, drawn as a vertical line.
    published : float, optional
        A result to draw as a horizontal line.
    least : float
        Smaller results are drawn here.
    unit, title : str
    """
    parameters = list(dict.fromkeys(data.points.parameter))
    figure, places = panel_grid(parameters, ABREAST, SIZES, title=title, shared=True)
    for k, parameter in enumerate(parameters):
        place = dict(zip(("row", "col"), places[parameter], strict=True))
        for i, series in enumerate(dict.fromkeys(data.points.series)):
            for trace in _line(data, parameter, series, i, least, shown=k == 0):
                figure.add_trace(trace, **place)
        if settings and parameter in settings:
            figure.add_vline(x=settings[parameter], line={"color": GREY, "width": 1.5, "dash": "dot"}, **place)
        if published is not None:
            figure.add_hline(y=published, line={"color": VERMILLION, "width": 1.5, "dash": "dash"}, **place)
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, tickfont={"size": 12})
    figure.update_yaxes(type="log", exponentformat="none", dtick=1)
    figure.update_yaxes(title=unit, col=1)
    return figure


def _line(data: SweepData, parameter: str, series: str, i: int, least: float, *, shown: bool) -> list[Any]:
    import plotly.graph_objects as go

    def of(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[(frame.parameter == parameter) & (frame.series == series)].sort_values("value", kind="stable")

    points, medians = of(data.points), of(data.medians)
    name = plain(series)
    head = f"{plain(parameter)} = %{{x:.4g}}, {name}<br>"
    dots = go.Scatter(
        x=points.value,
        y=points.result.clip(lower=least),
        mode="markers",
        marker={"size": 5, "color": colour(i), "opacity": 0.45, "symbol": symbol(i)},
        customdata=np.column_stack([points.seed, points.result]),
        hovertemplate=head + "seed %{customdata[0]}: %{customdata[1]:.4g}<extra></extra>",
        legendgroup=series,
        showlegend=False,
        name=name,
    )
    line = go.Scatter(
        x=medians.value,
        y=medians["median"].clip(lower=least),
        mode="lines",
        line={"color": colour(i), "width": 2},
        customdata=np.column_stack([medians["median"], medians.seeds]),
        hovertemplate=head + "median of %{customdata[1]}: %{customdata[0]:.4g}<extra></extra>",
        name=f"{name}, median",
        legendgroup=series,
        showlegend=shown,
    )
    return [dots, line]
