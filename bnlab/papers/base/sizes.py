"""Results over growing sizes on logarithmic axes: learning curves, and running times with their exponents."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bnlab.papers.base.panels import Layer, check_records, panel_curves, styles_of


def learning_curves_figure(
    points: pd.DataFrame, *, unit: str = "Nats per test row", title: str = "Learning curves"
) -> go.Figure:
    """Draw one panel per data set and one curve per series, with whiskers, over the number of training rows.

    Parameters
    ----------
    points : DataFrame with columns dataset, series, rows, seeds, low, mean, high
        From `bnlab.papers.carvalho2009.conditional.curve_points`.
    unit, title : str

    Raises
    ------
    ValueError
        If a column is missing.
    """
    check_records(points, ["dataset", "series", "rows", "seeds", "low", "mean", "high"])
    texts = [
        f"{row.dataset}, {row.series}\n{row.rows:,.0f} rows: {row.mean:.3f}, {row.low:.3f} to {row.high:.3f} "
        f"({row.seeds} samples)"
        for row in points.itertuples()
    ]
    drawn = points.assign(panel=points.dataset, x=points.rows, y=points["mean"], y_low=points.low, y_high=points.high)
    drawn = drawn.assign(text=texts).sort_values("rows", kind="stable")
    styles = styles_of(points.series)
    figure, _ = panel_curves(points.dataset, [Layer(drawn, marker={"size": 6})], styles, title=title, row=260)
    figure.update_xaxes(**_log_axis(sorted(points.rows.unique())))
    figure.update_yaxes(title=unit, col=1)
    return figure


def complexity_figure(times: pd.DataFrame, exponents: pd.DataFrame, *, title: str = "Running times") -> go.Figure:
    """Draw seconds over n, one panel per algorithm: a dot for each run, a line through the medians of each row number.

    Parameters
    ----------
    times : DataFrame with columns algorithm, n, rows, seed, seconds
        From `bnlab.papers.studies.complexity.records_frame`.
    exponents : DataFrame
        From `bnlab.papers.studies.complexity.exponents`; the panels' titles name them.
    title : str

    Raises
    ------
    ValueError
        If a column is missing.
    """
    check_records(times, ["algorithm", "n", "rows", "seed", "seconds"])
    names = {algorithm: _panel(algorithm, exponents) for algorithm in dict.fromkeys(times.algorithm)}
    several = times.groupby("algorithm").rows.transform("nunique") > 1
    series = [f"{rows:,} rows" if many else "Time" for rows, many in zip(times.rows, several, strict=True)]
    dots = times.assign(panel=times.algorithm.map(names), series=series, x=times.n, y=times.seconds)
    dots["text"] = [f"{row.algorithm}, n = {row.n}\n{row.seconds:.3g} s" for row in dots.itertuples()]
    lines = dots.groupby(["panel", "series", "x"], sort=True)[["y"]].median().reset_index()
    lines["text"] = [f"Median {y:.3g} s" for y in lines.y]
    styles = styles_of(series)
    layers = [Layer(dots, "markers", {"size": 6, "opacity": 0.6}), Layer(lines, "lines", named=False)]
    figure, places = panel_curves(list(names.values()), layers, styles, title=title, row=260)
    figure.update_yaxes(title="Seconds", col=1)
    for panel, (row, column) in places.items():
        own = dots[dots.panel == panel]
        figure.update_xaxes(row=row, col=column, **_log_axis(sorted(own.n.unique())))
        figure.update_yaxes(row=row, col=column, **_log_axis(_round_values(own.seconds.min(), own.seconds.max())))
    return figure


def _log_axis(ticks: Sequence[float]) -> dict[str, Any]:
    return {"type": "log", "tickvals": list(ticks), "ticktext": [f"{tick:,g}" for tick in ticks]}


def _round_values(low: float, high: float) -> list[float]:
    """Powers of ten between two numbers or just beyond; if they are few, also their double and fivefold."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    digits = (1, 2, 5) if high < 200 * low else (1,)
    values = [digit * 10.0**power for power in powers for digit in digits]
    return [value for value in values if low / 1.5 <= value <= high * 1.5]


def _panel(algorithm: str, exponents: pd.DataFrame) -> str:
    """Title of a panel: the measured exponents with their intervals, and the claim."""
    own = exponents.loc[algorithm]
    measured = ", ".join(
        f"{'N' if size == 'rows' else size}^{row.exponent:.2f} ({row.low:.2f} to {row.high:.2f})"
        for size, row in own.iterrows()
    )
    return f"{algorithm}: {measured}\nClaimed {own.claim.iloc[0]}"
