"""Accuracies over many random splits, and where a published value falls among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bnlab.figures.labels import in_paper_order, plain, score_label
from bnlab.figures.papers.accuracy import check_records
from bnlab.figures.papers.comparison import facets
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
    import pandas as pd

    check_records(records, ["dataset", "score", "seed", "accuracy"])
    runs = records[["dataset", "score", "seed"]].assign(
        score=records.score.map(score_label), accuracy=100 * records.accuracy
    )
    printed = {} if published is None else _values(published)
    summary = pd.DataFrame(
        [
            _summary(dataset, score, group.accuracy, printed.get((dataset, score)))
            for (dataset, score), group in runs.groupby(["dataset", "score"], sort=False)
        ]
    )
    return SeedData(runs.reset_index(drop=True), summary)


def _values(published: pd.DataFrame) -> dict[tuple[str, str], float]:
    names = zip(published.dataset, published.score.map(score_label), strict=True)
    return dict(zip(names, published.accuracy, strict=True))


def _summary(dataset: str, score: str, accuracies: pd.Series[float], published: float | None) -> dict[str, Any]:
    low, median, high = accuracies.quantile([0.025, 0.5, 0.975])
    known = published is not None
    return {
        "dataset": dataset,
        "score": score,
        "runs": len(accuracies),
        "low": low,
        "median": median,
        "high": high,
        "published": published if known else float("nan"),
        "share_below": (accuracies <= published).mean() if known else float("nan"),
        "inside": bool(low <= published <= high) if published is not None else None,
    }


def seeds_figure(data: SeedData, *, title: str = "Accuracy over random splits") -> go.Figure:
    """Draw each run as a dot with a box around the middle half, and the published value, a panel a data set.

    Parameters
    ----------
    data : SeedData
    title : str
    """
    import plotly.graph_objects as go

    scores = in_paper_order(data.runs.score)[::-1]
    figure, places = facets(list(dict.fromkeys(data.runs.dataset)), scores, title, unit="correctly classified, %")
    for name, place in places.items():
        runs = data.runs[data.runs.dataset == name]
        printed = data.summary[(data.summary.dataset == name) & data.summary.published.notna()]
        first = place == (1, 1)
        figure.add_trace(
            go.Box(
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
                showlegend=first,
            ),
            *place,
        )
        figure.add_trace(
            go.Scatter(
                x=list(printed.published) or [None],
                y=[plain(score) for score in printed.score] or [""],
                mode="markers",
                marker={"symbol": "diamond-tall", "size": 11, "color": VERMILLION, "line": {"width": 0}},
                customdata=list(100 * printed.share_below),
                hovertemplate=(
                    "%{y}<br>published %{x:.2f}<br>%{customdata:.0f} % of the runs are not above it<extra></extra>"
                ),
                name="published",
                legendgroup="published",
                showlegend=first,
            ),
            *place,
        )
    return figure
