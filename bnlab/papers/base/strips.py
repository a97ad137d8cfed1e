"""Results of many seeds: as strips of dots beside reported numbers, and over the values of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from bnlab.figures.labels import plain
from bnlab.figures.theme import GREY, LEGEND_IN_LINES, TEMPLATE, VERMILLION, VIOLET, colour, symbol
from bnlab.papers.base.panels import Layer, Style, check_records, curve, panel_curves, styles_of

ROW_HEIGHT = 17


class ResultData(NamedTuple):
    """Results of runs and their summary.

    Attributes
    ----------
    by : tuple of str
        Columns that name a run.
    points : DataFrame with the columns `by`, series, seed, result
    summary : DataFrame with the columns `by`, series, seeds, low, median, high
        low and high are the least and the greatest result.
    """

    by: tuple[str, ...]
    points: pd.DataFrame
    summary: pd.DataFrame


def results_data(records: pd.DataFrame, results: Mapping[str, str], by: Sequence[str] = ("run",)) -> ResultData:
    """Collect the results of runs, from one column or several.

    Parameters
    ----------
    records : DataFrame with the columns `by`, seed, and the columns of results
    results : mapping of str to str
        Columns of results, and the names of their series.
    by : sequence of str
        Columns that name a run, such as ("parameter", "value") of a sweep.

    Raises
    ------
    ValueError
        If a column is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> records = pd.DataFrame({"run": ["a", "a", "a"], "seed": [0, 1, 2], "gap": [3.0, 1.0, 2.0]})
    >>> results_data(records, {"gap": "found"}).summary
      run series  seeds  low  median  high
    0   a  found      3  1.0     2.0   3.0
    """
    check_records(records, [*by, "seed", *results])
    parts = [records[[*by, "seed"]].assign(series=name, result=records[column]) for column, name in results.items()]
    points = pd.concat(parts, ignore_index=True).dropna(subset="result", ignore_index=True)
    groups = points.groupby([*by, "series"], sort=False).result
    summary = groups.agg(seeds="size", low="min", median="median", high="max").reset_index()
    return ResultData(tuple(by), points[[*by, "series", "seed", "result"]], summary)


def strips_figure(
    data: ResultData,
    *,
    published: Mapping[str, float] | None = None,
    reported: Mapping[str, float] | None = None,
    runs: Sequence[str] | None = None,
    least: float | None = None,
    unit: str = "Gap, %",
    title: str = "Gaps",
) -> go.Figure:
    """Draw one strip of dots per run and series, its median as a bar, and reported numbers as lines.

    Parameters
    ----------
    data : ResultData
        By one column.
    published : mapping of str to float, optional
        Numbers by name, each drawn as a line through all runs.
    reported : mapping of str to float, optional
        Numbers by run, each drawn as a line in the strip of its run.
    runs : sequence of str, optional
        Order from top to bottom; by default as in the data.
    least : float, optional
        If given, the axis is logarithmic, and smaller values are drawn at this one.
    unit, title : str
    """
    (by,) = data.by
    names = list(dict.fromkeys(data.points[by])) if runs is None else list(runs)
    series = list(dict.fromkeys(data.points.series))
    figure = go.Figure()
    for k, one in enumerate(series):
        shift = (k - (len(series) - 1) / 2) * 0.8 / len(series)
        place = {name: i + shift for i, name in enumerate(names)}
        dots, medians = (
            part.assign(y=part[by].map(place))[(part.series == one) & part[by].isin(place)]
            for part in _with_texts(data, f"{{0.{by}}}, {{0.series}}", "x", least)
        )
        style = Style(colour(k), symbol(k))
        figure.add_trace(curve(dots, one, style, mode="markers", marker={"size": 6, "opacity": 0.5}))
        bar = {"symbol": "line-ns-open", "size": 13, "line": {"width": 2.5}}
        figure.add_trace(curve(medians, one, style, mode="markers", named=False, marker=bar))
    if reported:
        texts = [f"{name}, reported: {value:g}" for name, value in reported.items()]
        lines = pd.DataFrame({"x": reported.values(), "y": [names.index(name) for name in reported], "text": texts})
        mark = {"symbol": "line-ns-open", "size": 34, "line": {"width": 3}}
        figure.add_trace(curve(lines, "Reported", Style(VIOLET, "line-ns-open"), mode="markers", marker=mark))
    for name, value in (published or {}).items():
        figure.add_vline(x=value, line={"color": VERMILLION, "width": 1.5, "dash": "dash"})
        # On a logarithmic axis, the coordinate of an annotation is a logarithm, unlike that of a line.
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
        legend=LEGEND_IN_LINES | {"yref": "container", "y": 1 - 42 / height},
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


def sweep_figure(
    data: ResultData,
    *,
    settings: Mapping[str, float] | None = None,
    published: float | None = None,
    least: float = 0.01,
    title: str = "Sweeps",
) -> go.Figure:
    """Draw one panel per parameter with logarithmic axes: one dot per seed, and a line through the medians.

    Parameters
    ----------
    data : ResultData
        By parameter and value: results by the value of one parameter, the others fixed.
    settings : mapping of str to float, optional
        Value of each parameter while the others are swept, drawn as a vertical line.
    published : float, optional
        A result to draw as a horizontal line.
    least : float
        Smaller results are drawn at this value.
    title : str
    """
    dots, medians = (
        part.assign(panel=part.parameter, x=part.value).sort_values("value", kind="stable")
        for part in _with_texts(data, "{0.parameter} = {0.value:.4g}, {0.series}", "y", least)
    )
    layers = [Layer(dots, "markers", {"size": 5, "opacity": 0.45}, named=False), Layer(medians, "lines")]
    grid: dict[str, Any] = {"title": title, "row": 270, "spacing": 0.04, "shared": True}
    figure, places = panel_curves(data.points.parameter, layers, styles_of(data.points.series), **grid)
    for parameter, (row, column) in places.items():
        if settings and parameter in settings:
            line = {"color": GREY, "width": 1.5, "dash": "dot"}
            figure.add_vline(x=settings[parameter], line=line, row=row, col=column)
        if published is not None:
            line = {"color": VERMILLION, "width": 1.5, "dash": "dash"}
            figure.add_hline(y=published, line=line, row=row, col=column)
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, tickfont={"size": 12})
    figure.update_yaxes(type="log", exponentformat="none", dtick=1)
    figure.update_yaxes(title="Gap, %", col=1)
    return figure


def _with_texts(data: ResultData, head: str, axis: str, least: float | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Points and medians with tooltips and their coordinate on an axis, which is at least `least`."""
    texts = ("{head}\nSeed {0.seed}: {0.result:.4g}", "{head}\nMedian of {0.seeds}: {0.median:.4g}")
    drawn = []
    for frame, value, text in zip((data.points, data.summary), ("result", "median"), texts, strict=True):
        lines = [text.format(row, head=head.format(row)) for row in frame.itertuples()]
        drawn.append(frame.assign(**{axis: frame[value].clip(lower=least), "text": lines}))
    return drawn[0], drawn[1]
