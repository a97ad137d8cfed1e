"""The leaderboard as figures: performance profiles, and the gap to the best score against processor time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnlab._runtime.names import check_known
from bnlab.figures.theme import PALETTE, colour, symbol
from bnlab.papers.base.panels import Layer, Style, check_records, panel_curves
from bnlab.papers.studies.leaderboard import LEARNERS, profile

LEAST = 1e-4
"""Gap in percent at which gaps of zero are drawn, because the axis is logarithmic."""
MOST = 10.0
DASHES = ("solid", "dash", "dot", "dashdot")
TICKS = {"tickvals": [LEAST, 1e-3, 1e-2, 0.1, 1, 10], "ticktext": ["0", "0.001", "0.01", "0.1", "1", "10"]}
SECONDS = {"tickvals": [1e-3, 1e-2, 0.1, 1, 10, 100], "ticktext": ["1 ms", "10 ms", "0.1 s", "1 s", "10 s", "100 s"]}


def profiles_figure(
    frame: pd.DataFrame, learners: Sequence[str] | None = None, *, title: str = "Profiles"
) -> go.Figure:
    """Draw the share of runs within some percent of the best score, one curve per learner and one panel per score.

    Parameters
    ----------
    frame : DataFrame
        From `bnlab.papers.studies.leaderboard.records_frame`.
    learners : sequence of str, optional
        Learners to draw, in the order of the legend; by default all.
    title : str

    Raises
    ------
    ValueError
        If a column is missing, or there is no record of a learner.
    """
    check_records(frame, ["learner", "gap_percent", "score"])
    gaps = np.geomspace(LEAST, MOST, 61)
    gaps[0] = 1e-6  # equal but for rounding
    parts = []
    for name, own in frame.groupby("score", sort=False):
        shares = profile(own, gaps.tolist()).set_axis(np.maximum(gaps, LEAST), axis=1)
        long = shares.reset_index(names="series").melt("series", var_name="x", value_name="y")
        parts.append(long.assign(panel=str(name)))
    points = pd.concat(parts, ignore_index=True)
    points["y"] *= 100.0
    points["text"] = [
        f"{row.series}\n{row.y:.0f} % of the runs " + ("are the best" if row.x <= LEAST else f"within {row.x:.2g} %")
        for row in points.itertuples()
    ]
    figure, _ = panel_curves(
        points.panel, [Layer(points, "lines")], _styles(frame, learners), title=title, row=380, shared=True
    )
    figure.update_traces(line={"shape": "hv", "width": 2.2})
    figure.update_xaxes(title="Gap to the best score, %", type="log", **TICKS)
    figure.update_yaxes(range=[-3, 103])
    figure.update_yaxes(title="Runs, %", col=1)
    return figure


def cost_figure(
    frame: pd.DataFrame, learners: Sequence[str] | None = None, *, panel: str = "network", title: str = "Gap and time"
) -> go.Figure:
    """Draw the mean gap to the best score against the median processor time, one point per learner.

    A whisker ends at the greatest gap; gaps of zero are drawn at the lower end.

    Parameters
    ----------
    frame, learners, title
        As for `profiles_figure`.
    panel : str
        Column whose values have a panel each.

    Raises
    ------
    ValueError
        If a column is missing, or there is no record of a learner.
    """
    check_records(frame, ["learner", "gap_percent", "seconds", panel])
    groups = frame.assign(panel=frame[panel].astype(str)).groupby(["panel", "learner"], sort=False)
    found = groups.agg(
        runs=("gap_percent", "size"),
        mean=("gap_percent", "mean"),
        worst=("gap_percent", "max"),
        x=("seconds", "median"),
    ).reset_index()
    texts = [
        f"{row.learner}, {row.panel}\nMean gap {row.mean:.3g} %, greatest {row.worst:.3g} %\n"
        f"{row.x:.3g} s (median of {row.runs} runs)"
        for row in found.itertuples()
    ]
    y = found["mean"].clip(LEAST, MOST)
    points = found.assign(
        series=found.learner, text=texts, y=y, y_low=y, y_high=np.maximum(y, found.worst.clip(LEAST, MOST))
    )
    layers = [Layer(points, "markers", {"size": 10})]
    figure, _ = panel_curves(points.panel, layers, _styles(frame, learners), title=title, row=380, shared=True)
    figure.update_xaxes(title="Processor time", type="log", **SECONDS)
    figure.update_yaxes(type="log", range=[np.log10(LEAST) - 0.2, np.log10(MOST) + 0.1], **TICKS)
    figure.update_yaxes(title="Gap to the best score, %", col=1)
    return figure


def _styles(frame: pd.DataFrame, learners: Sequence[str] | None) -> dict[str, Style]:
    """Style of each learner; those of bnlab have the same style in all figures, and no two share one."""
    found = list(dict.fromkeys(frame.learner))
    known: dict[Any, Style] = {}
    for i, name in enumerate(dict.fromkeys([*LEARNERS, *found])):
        cycle = i // len(PALETTE)
        known[name] = Style(colour(i), symbol(i + cycle), DASHES[cycle % len(DASHES)])
    for name in learners or ():
        check_known(name, found, f"no record is of the learner {name!r}")
    return {name: known[name] for name in (found if learners is None else learners)}
