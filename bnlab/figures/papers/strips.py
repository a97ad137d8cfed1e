"""Results of many runs as strips of dots, one dot a seed, beside a published number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnlab.figures.labels import plain
from bnlab.figures.theme import TEMPLATE, VERMILLION, colour, symbol

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

ROW_HEIGHT = 17


class StripData(NamedTuple):
    """Values of runs and their summary.

    Attributes
    ----------
    points : DataFrame with columns run, series, seed, value
    summary : DataFrame with columns run, series, seeds, low, median, high
        low and high are the least and the greatest value.
    """

    points: pd.DataFrame
    summary: pd.DataFrame


def strips_data(records: pd.DataFrame, values: Mapping[str, str], *, by: str = "run") -> StripData:
    """Values of runs in one column or several.

    Parameters
    ----------
    records : DataFrame with columns seed, the name of `by`, and the columns of values
    values : mapping of str to str
        Columns of values, and what their series are called.
    by : str
        Column that names the strips.

    Raises
    ------
    ValueError
        If a column is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> records = pd.DataFrame({"run": ["a", "a", "a"], "seed": [0, 1, 2], "gap": [3.0, 1.0, 2.0]})
    >>> strips_data(records, {"gap": "found"}).summary
      run series  seeds  low  median  high
    0   a  found      3  1.0     2.0   3.0
    """
    import pandas as pd

    for column in (by, "seed", *values):
        if column not in records:
            raise ValueError(f"no column {column!r} in the records: there are {', '.join(map(str, records.columns))}.")
    parts = [
        pd.DataFrame({"run": records[by], "series": name, "seed": records.seed, "value": records[column]})
        for column, name in values.items()
    ]
    points = pd.concat(parts, ignore_index=True).dropna(subset="value", ignore_index=True)
    by_strip = points.groupby(["run", "series"], sort=False).value
    summary = by_strip.agg(seeds="size", low="min", median="median", high="max").reset_index()
    return StripData(points, summary)


def strips_figure(
    data: StripData,
    *,
    published: Mapping[str, float] | None = None,
    runs: Sequence[str] | None = None,
    least: float | None = None,
    unit: str = "gap, %",
    title: str = "Gaps",
) -> go.Figure:
    """Draw a strip of dots a run and series, its median as a bar, and published numbers as lines.

    Parameters
    ----------
    data : StripData
    published : mapping of str to float, optional
        Numbers by what they are called.
    runs : sequence of str, optional
        Order from top to bottom; by default as in the data.
    least : float, optional
        With it the axis is logarithmic, and smaller values are drawn here.
    unit, title : str
    """
    import plotly.graph_objects as go

    names = list(dict.fromkeys(data.points.run)) if runs is None else list(runs)
    series = list(dict.fromkeys(data.points.series))
    figure = go.Figure()
    for k, one in enumerate(series):
        figure.add_traces(_strip(data, names, one, k, len(series), least))
    for name, value in (published or {}).items():
        figure.add_vline(x=value, line={"color": VERMILLION, "width": 1.5, "dash": "dash"})
        # Unlike a line, a note takes its place on a logarithmic axis as a logarithm.
        figure.add_annotation(
            x=log10(value) if least else value,
            y=1.0,
            yref="paper",
            yanchor="bottom",
            text=plain(name),
            font={"color": VERMILLION, "size": 12},
            showarrow=False,
        )
    height = len(names) * (ROW_HEIGHT * len(series) + 8) + 190
    figure.update_layout(
        template=TEMPLATE,
        title=plain(title),
        height=height,
        margin={"t": 116, "r": 20},
        legend={"orientation": "h", "x": 0, "yref": "container", "y": 1 - 42 / height, "yanchor": "top"},
        xaxis={"title": unit, "exponentformat": "none", **({"type": "log", "dtick": 1} if least else {})},
        yaxis={
            "tickvals": list(range(len(names))),
            "ticktext": [plain(name) for name in names],
            "range": [len(names) - 0.4, -0.6],
            "showgrid": False,
            "zeroline": False,
        },
    )
    return figure


def _strip(data: StripData, names: list[str], series: str, k: int, n_series: int, least: float | None) -> list[Any]:
    import plotly.graph_objects as go

    shift = (k - (n_series - 1) / 2) * 0.8 / n_series
    place = {name: i + shift for i, name in enumerate(names)}
    points = data.points[(data.points.series == series) & data.points.run.isin(place)]
    middles = data.summary[(data.summary.series == series) & data.summary.run.isin(place)]
    dots = go.Scatter(
        x=_drawn(points.value, least),
        y=points.run.map(place),
        mode="markers",
        marker={"size": 6, "color": colour(k), "opacity": 0.5, "symbol": symbol(k)},
        customdata=np.column_stack([points.seed, points.value, [plain(str(run)) for run in points.run]]),
        hovertemplate=(
            f"%{{customdata[2]}}, {plain(series)}<br>seed %{{customdata[0]}}: %{{customdata[1]:.4g}}<extra></extra>"
        ),
        name=plain(series),
        legendgroup=series,
    )
    medians = go.Scatter(
        x=_drawn(middles["median"], least),
        y=middles.run.map(place),
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 13, "color": colour(k), "line": {"width": 2.5}},
        customdata=np.column_stack([middles["median"], middles.seeds]),
        hovertemplate="median of %{customdata[1]}: %{customdata[0]:.4g}<extra></extra>",
        name=f"{plain(series)}, median",
        legendgroup=series,
        showlegend=False,
    )
    return [dots, medians]


def _drawn(values: pd.Series[float], least: float | None) -> pd.Series[float]:
    return values if least is None else values.clip(lower=least)
