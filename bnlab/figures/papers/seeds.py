"""Accuracies over many random splits, and where a reported value falls among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bnlab.figures.labels import in_paper_order, plain, score_label
from bnlab.figures.papers.panels import Sizes, Style, check_records, curve, panel_grid
from bnlab.figures.theme import BLUE, VERMILLION, translucent

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


class SeedData(NamedTuple):
    """Runs and their summary, accuracies in percent.

    Attributes
    ----------
    runs : DataFrame with columns dataset, score, seed, accuracy
    summary : DataFrame with columns dataset, score, runs, low, median, high, published, share_below, inside
        low and high are the 2.5 % and 97.5 % quantiles of the runs; share_below is the share of runs at or below the
        published value, and inside whether that value lies from low to high (None when nothing is published).
    """

    runs: pd.DataFrame
    summary: pd.DataFrame


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
    runs["published"] = float("nan")
    if published is not None:
        values = published.assign(score=published.score.map(score_label)).set_index(keys).accuracy
        runs["published"] = [values.get(name) for name in zip(runs.dataset, runs.score, strict=True)]
    runs["published"] = runs.published.astype(float)
    runs["below"] = (runs.accuracy <= runs.published).where(runs.published.notna()).astype(float)
    groups = runs.groupby(keys, sort=False)
    summary = groups.agg(runs=("accuracy", "size"))
    for name, quantile in (("low", 0.025), ("median", 0.5), ("high", 0.975)):
        summary[name] = groups.accuracy.quantile(quantile)
    summary = summary.join(groups.agg(published=("published", "first"), share_below=("below", "mean"))).reset_index()
    inside = summary.published.between(summary.low, summary.high)
    summary["inside"] = inside.astype(object).where(summary.published.notna(), None)
    return SeedData(runs[[*keys, "seed", "accuracy"]].reset_index(drop=True), summary)


def seeds_figure(data: SeedData, *, title: str = "Accuracy over random splits") -> go.Figure:
    """Draw each run as a dot with a box around the middle half, and the reported value, a panel a data set.

    Parameters
    ----------
    data : SeedData
    title : str
    """
    import plotly.graph_objects as go

    scores = in_paper_order(data.runs.score)[::-1]
    sizes = Sizes(row=22 * len(scores) + 70, above=104, legend=42, below=62, between=0.03)
    figure, places = panel_grid(list(dict.fromkeys(data.runs.dataset)), 3, sizes, title=title, shared=True)
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
            name="a run each",
            legendgroup="runs",
            showlegend=(row, column) == (1, 1),
        )
        reported = data.summary[(data.summary.dataset == name) & data.summary.published.notna()]
        points = reported.assign(x=reported.published, y=reported.score.map(plain))
        points["text"] = [
            f"{one.score}\nreported {one.published:.2f}\n{100 * one.share_below:.0f} % of the runs are not above it"
            for one in points.itertuples()
        ]
        style, large = Style(VERMILLION, "diamond-tall"), {"size": 11}
        diamonds = curve(points, "reported", style, mode="markers", named=(row, column) == (1, 1), marker=large)
        figure.add_traces([box, diamonds], [row] * 2, [column] * 2)
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[plain(score) for score in scores],
        range=[-0.6, len(scores) - 0.4],
        type="category",
    )
    figure.update_xaxes(nticks=5)
    last = max((row for row, _ in places.values()), default=1)
    figure.update_xaxes(title={"text": "correctly classified, %", "font": {"size": 12}}, row=last, col=1)
    return figure
