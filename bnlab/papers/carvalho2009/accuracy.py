"""Accuracies of classifiers over data sets, reported and reproduced (Carvalho 2009, Figures 1 to 4), and over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go

from bnlab.figures.labels import in_paper_order, plain, score_label, score_style
from bnlab.figures.theme import BLUE, LEGEND_IN_LINES, TEMPLATE, VERMILLION, translucent
from bnlab.papers.base.metrics import half_width, in_order_of
from bnlab.papers.base.panels import Style, check_records, curve, panel_grid

PAPER_FIGURES = {
    1: ("LL", "BIC/MDL", "NML", "MIT(0.99)", "K2", "BDeu(1)", "BDeu(4)", "BDeu(16)"),
    2: ("K2", "BDeu(1)", "BDeu(4)", "BDeu(16)"),
    3: ("LL", "BIC/MDL", "NML", "MIT(0.99)"),
    4: ("LL", "NML", "K2"),
}
"""Scores that each figure of the paper compares."""

SOURCES = {"published": "○ Dotted: reported", "rerun": "● Solid: reproduced"}
COLUMNS = ["dataset", "score", "source", "accuracy", "low", "high", "runs"]
SPREAD = 0.8


def accuracy_data(records: pd.DataFrame, published: pd.DataFrame | None = None) -> pd.DataFrame:
    """Accuracies in percent, one row per data set, score and source.

    Parameters
    ----------
    records : DataFrame with columns dataset, score, accuracy (0 to 1), n_test
        Of one protocol. Several rows of one data set and score, as from several seeds, are reduced to their median.
    published : DataFrame with columns dataset, score, accuracy, half_width (percent), optional

    Returns
    -------
    DataFrame with columns dataset, score, source, accuracy, low, high, runs
        The source is "published", with the reported interval, or "rerun", with the 95 % interval of one run's test
        rows. Data sets are in the order of the published table, scores in that of the paper.

    Raises
    ------
    ValueError
        If a column is missing or the records mix protocols.
    """
    check_records(records, ["dataset", "score", "accuracy", "n_test"])
    groups = records.groupby(["dataset", "score"], sort=False)
    found = groups.agg(accuracy=("accuracy", "median"), n_test=("n_test", "median"), runs=("accuracy", "size"))
    found["half_width"] = [100 * half_width(a, int(n)) for a, n in zip(found.accuracy, found.n_test, strict=True)]
    parts = [found.assign(accuracy=100 * found.accuracy, source="rerun").reset_index()]
    if published is not None:
        parts.insert(0, published.assign(source="published", runs=1))
    data = pd.concat(parts, ignore_index=True)
    data["low"] = (data.accuracy - data.half_width).clip(0, 100)
    data["high"] = (data.accuracy + data.half_width).clip(0, 100)
    data["score"] = data.score.map(score_label)
    return in_order_of(data, ["dataset", "score"], data.dataset.unique(), in_paper_order(data.score))[COLUMNS]


def accuracy_figure(
    data: pd.DataFrame, scores: Sequence[str] | None = None, *, title: str = "Accuracy of TAN by score"
) -> go.Figure:
    """Draw accuracy over data sets, one curve per score, with whiskers.

    A click in the legend shows or hides a score; the buttons choose between reported, reproduced and both.

    Parameters
    ----------
    data : DataFrame
        From `accuracy_data`.
    scores : sequence of str, optional
        Scores to draw, such as ``PAPER_FIGURES[2]``; by default all.
    title : str

    Raises
    ------
    ValueError
        If the data have none of the scores.
    """
    chosen = [s for s in in_paper_order(data.score) if scores is None or s in set(map(score_label, scores))]
    if not chosen:
        raise ValueError(f"none of {list(scores or [])} is in the data: they have {', '.join(data.score.unique())}.")
    place = {name: i for i, name in enumerate(data.dataset.unique())}
    sources = [source for source in SOURCES if source in set(data.source)]
    points = data.assign(y=data.accuracy, y_low=data.low, y_high=data.high)
    points["text"] = [
        f"{row.dataset}, {row.score}\n{row.accuracy:.2f} %, "
        + ("reported" if row.source == "published" else f"median of {row.runs} runs" if row.runs > 1 else "reproduced")
        + f"\nInterval {row.low:.2f} to {row.high:.2f}"
        for row in data.itertuples()
    ]
    # Points of one data set are side by side, so that their whiskers do not cover each other.
    step = SPREAD / (len(chosen) * len(sources))
    figure = go.Figure()
    for i, (score, source) in enumerate(product(chosen, sources)):
        rows = points[(points.score == score) & (points.source == source)]
        rows = rows.assign(x=rows.dataset.map(place) + (i + 0.5) * step - SPREAD / 2)
        colour, symbol = score_style(score)
        reported = source == "published"
        style = Style(colour, f"{symbol}-open", "dot") if reported else Style(colour, symbol)
        options: dict[str, Any] = {"named": source == sources[-1], "marker": {"size": 7}, "meta": source}
        figure.add_trace(curve(rows, score, style, opacity=0.75 if reported else 1, **options))
    figure.update_traces(line_width=1)
    key = " · ".join([*(SOURCES[source] for source in sources), "Whiskers: 95 %, published ones as reported"])
    figure.update_layout(
        template=TEMPLATE,
        title={"text": plain(title), "subtitle": {"text": key, "font": {"size": 12}}},
        height=500,
        margin={"t": 116},
        hovermode="closest",
        legend=LEGEND_IN_LINES | {"y": -0.26},
        updatemenus=[_buttons([trace.meta for trace in figure.data])] if len(sources) == 2 else [],
    )
    figure.update_xaxes(
        tickvals=list(place.values()),
        ticktext=[plain(name) for name in place],
        ticklabeloverflow="allow",
        range=[-0.6, len(place) - 0.4],
        showgrid=False,
        zeroline=False,
    )
    figure.update_yaxes(title="Correctly classified, %")
    for k in range(0, len(place), 2):  # shaded, so that the points of a data set read as one group
        figure.add_vrect(k - 0.5, k + 0.5, fillcolor="rgba(128, 128, 128, 0.08)", line_width=0, layer="below")
    return figure


def _buttons(sources: list[str]) -> dict[str, Any]:
    labels = {"Both": None, "○ Reported": "published", "● Reproduced": "rerun"}
    visible = {label: [shown in (None, source) for source in sources] for label, shown in labels.items()}
    look = {"bgcolor": "rgba(128, 128, 128, 0.12)", "bordercolor": "rgba(128, 128, 128, 0.5)", "font": {"size": 12}}
    place = {"direction": "right", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom", "pad": {"b": 4}}
    buttons = [{"label": label, "method": "restyle", "args": [{"visible": on}]} for label, on in visible.items()]
    return {"type": "buttons", "buttons": buttons, **place, **look}


class SeedData(NamedTuple):
    """Accuracies of runs and reported accuracies, in percent.

    Attributes
    ----------
    runs : DataFrame with columns dataset, score, seed, accuracy
    reported : DataFrame with columns dataset, score, published, share_below
        One row per reported value; share_below is the share of runs at or below it.
    """

    runs: pd.DataFrame
    reported: pd.DataFrame


def seeds_data(records: pd.DataFrame, published: pd.DataFrame | None = None) -> SeedData:
    """Distribution of accuracies over seeds.

    Parameters
    ----------
    records : DataFrame with columns dataset, score, seed, accuracy (0 to 1)
        Of one protocol.
    published : DataFrame with columns dataset, score, accuracy (percent), optional

    Raises
    ------
    ValueError
        If a column is missing or the records mix protocols.
    """
    check_records(records, ["dataset", "score", "seed", "accuracy"])
    keys = ["dataset", "score"]
    runs = records[[*keys, "seed"]].assign(score=records.score.map(score_label), accuracy=100 * records.accuracy)
    reported = pd.DataFrame(columns=[*keys, "accuracy"]) if published is None else published
    reported = reported.assign(score=reported.score.map(score_label)).rename(columns={"accuracy": "published"})
    beside = runs.merge(reported, on=keys)
    beside["share_below"] = beside.accuracy <= beside.published
    beside = beside.groupby([*keys, "published"], sort=False, as_index=False).share_below.mean()
    return SeedData(runs.reset_index(drop=True), beside)


def seeds_figure(data: SeedData, *, title: str = "Accuracy over random splits") -> go.Figure:
    """Draw each run as a dot with a box around the middle half, and the reported value, one panel per data set.

    Parameters
    ----------
    data : SeedData
    title : str
    """
    scores = in_paper_order(data.runs.score)[::-1]
    height = 22 * len(scores) + 92
    figure, places = panel_grid(
        list(dict.fromkeys(data.runs.dataset)), 3, title=title, row=height, spacing=0.03, shared=True
    )
    for name, (row, column) in places.items():
        runs = data.runs[data.runs.dataset == name]
        box = go.Box(
            x=runs.accuracy,
            y=[plain(score) for score in runs.score],
            orientation="h",
            boxpoints="all",
            jitter=0.5,
            pointpos=0,
            width=0.6,
            line={"width": 1.2, "color": BLUE},
            fillcolor=translucent(BLUE, 0.12),
            marker={"size": 3, "opacity": 0.55, "color": BLUE},
            customdata=runs.seed,
            hovertemplate="%{y}, seed %{customdata}<br>%{x:.2f} %<extra></extra>",
            hoveron="points",
            name="Runs",
            legendgroup="runs",
            showlegend=(row, column) == (1, 1),
        )
        reported = data.reported[data.reported.dataset == name]
        points = reported.assign(x=reported.published, y=reported.score.map(plain))
        points["text"] = [
            f"{one.score}\nReported {one.published:.2f}\n{100 * one.share_below:.0f} % of the runs are not above it"
            for one in points.itertuples()
        ]
        style, large = Style(VERMILLION, "diamond-tall"), {"size": 11}
        diamonds = curve(points, "Reported", style, mode="markers", named=(row, column) == (1, 1), marker=large)
        figure.add_traces([box, diamonds], [row] * 2, [column] * 2)
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[plain(score) for score in scores],
        range=[-0.6, len(scores) - 0.4],
        type="category",
    )
    figure.update_xaxes(nticks=5)
    last = max((row for row, _ in places.values()), default=1)
    figure.update_xaxes(title={"text": "Correctly classified, %", "font": {"size": 12}}, row=last, col=1)
    return figure
