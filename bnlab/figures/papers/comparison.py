"""Published numbers beside those of a rerun: a table, and a figure with each interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnlab.figures.labels import in_paper_order, plain, score_label
from bnlab.figures.papers.accuracy import check_records
from bnlab.figures.papers.panels import Sizes, panel_grid
from bnlab.figures.table import BAD, GOOD, HtmlTable, html_table, signed
from bnlab.figures.theme import BLUE, GREY, VERMILLION, translucent

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

FACETS_ABREAST = 3
ROUNDING = 0.005
"""Half of the last printed digit, in percent: a rerun this near to the end of an interval counts as inside."""


def comparison_data(records: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Published value, rerun, difference and verdict for every number that is printed.

    Parameters
    ----------
    records : DataFrame with columns accuracy (0 to 1) and what names a number in `published`
        Of one protocol. Several rows of one name, as from several seeds, become their median.
    published : DataFrame with columns accuracy, half_width (percent), and others, such as dataset and score
        The other columns name a number.

    Returns
    -------
    DataFrame
        The naming columns, then published, half_width, rerun, difference (rerun - published), all in percent, and
        inside: whether the rerun lies in the printed interval. One row a published number, in that order; rerun and
        difference are NaN, and inside is None, where there is no record.

    Raises
    ------
    ValueError
        If a column is missing or the records mix protocols.
    """
    keys = [column for column in published if column not in ("accuracy", "half_width")]
    check_records(records, [*keys, "accuracy"])
    printed = published.rename(columns={"accuracy": "published"})[[*keys, "published", "half_width"]]
    rerun = (
        (100 * records.groupby(_labelled(records, keys), sort=False).accuracy.median()).rename("rerun").reset_index()
    )
    if "score" in keys:
        printed = printed.assign(score=printed.score.map(score_label))
    data = printed.merge(rerun, on=keys, how="left")
    data["difference"] = data.rerun - data.published
    within = data.difference.abs() <= data.half_width + ROUNDING
    data["inside"] = within.astype(object).where(data.rerun.notna(), None)
    return data


def _labelled(records: pd.DataFrame, keys: list[str]) -> list[Any]:
    return [records[key].map(score_label) if key == "score" else records[key] for key in keys]


def verdict(inside: bool | None) -> str:
    """Say whether a rerun lies in its interval.

    Examples
    --------
    >>> verdict(True), verdict(False), verdict(None)
    ('✓ inside', '✗ outside', 'not run')
    """
    return "not run" if inside is None else "✓ inside" if inside else "✗ outside"


def comparison_table(data: pd.DataFrame) -> HtmlTable:
    """Table *published | rerun | difference | inside its interval?*, one row a number.

    Parameters
    ----------
    data : DataFrame
        From `comparison_data`, or with its columns, such as `bnlab.experiments.carvalho2009.table2` gives; the columns
        before "published" name a number.
    """
    naming = list(data.columns[: data.columns.get_loc("published")])
    shown = data[[*naming, "published", "rerun", "difference"]].assign(
        published=[f"{v:.2f} ± {half:.2f}" for v, half in zip(data.published, data.half_width, strict=True)],
        inside=list(map(verdict, data.inside)),
    )
    return html_table(
        shown.rename(columns={"inside": "inside its interval?"}),
        formats={"rerun": "{:.2f}".format, "difference": signed},
        grounds=lambda _, text: _ground(text[:1]),
        caption=_count(data),
    )


def comparison_matrix(data: pd.DataFrame) -> HtmlTable:
    """Table with a row a data set and a column a score: published → rerun, marked ✓ or ✗.

    Parameters
    ----------
    data : DataFrame
        From `comparison_data`, named by dataset and score.
    """
    import pandas as pd

    cells = {
        (row.dataset, row.score): f"{row.published:.2f}\n→\u00a0"
        + ("not\u00a0run" if row.inside is None else f"{row.rerun:.2f}\u00a0{'✓' if row.inside else '✗'}")
        for row in data.itertuples()
    }
    scores = in_paper_order(data.score)
    frame = pd.DataFrame(
        [[name, *(cells.get((name, score), "") for score in scores)] for name in dict.fromkeys(data.dataset)],
        columns=["dataset", *scores],
    )
    return html_table(
        frame,
        grounds=lambda _, text: _ground(text[-1:]),
        caption=f"published → rerun, %. {_count(data)}",
    )


def _ground(mark: str) -> str | None:
    return {"✓": GOOD, "✗": BAD}.get(mark)


def _count(data: pd.DataFrame) -> str:
    run = int(data.rerun.notna().sum())
    return f"{sum(inside is True for inside in data.inside)} of {run} reruns lie inside the published interval."


def comparison_figure(data: pd.DataFrame, *, title: str = "Published intervals and the rerun") -> go.Figure:
    """Draw each published interval as a bar with the rerun as a point, a panel a data set.

    Parameters
    ----------
    data : DataFrame
        From `comparison_data`, named by dataset and score.
    title : str
    """
    scores = in_paper_order(data.score)[::-1]
    figure, places = facets(list(dict.fromkeys(data.dataset)), scores, title, unit="correctly classified, %")
    for name, place in places.items():
        rows = data[data.dataset == name]
        for trace in _forest(rows, shown=place == (1, 1)):
            figure.add_trace(trace, *place)
        figure.update_xaxes(range=_reach(rows), row=place[0], col=place[1])
    return figure


def _reach(rows: pd.DataFrame) -> list[float]:
    low = min((rows.published - rows.half_width).min(), rows.rerun.min())
    high = max((rows.published + rows.half_width).max(), rows.rerun.max())
    return [low - 0.05 * (high - low), high + 0.05 * (high - low)]


def _forest(rows: pd.DataFrame, *, shown: bool) -> list[Any]:
    import plotly.graph_objects as go

    bars = go.Scatter(
        x=[end for r in rows.itertuples() for end in (r.published - r.half_width, r.published + r.half_width, None)],
        y=[plain(r.score) for r in rows.itertuples() for _ in range(3)],
        mode="lines",
        line={"width": 9, "color": translucent(GREY, 0.45)},
        hoverinfo="skip",
        name="interval",
        legendgroup="interval",
        showlegend=shown,
    )
    values = go.Scatter(
        x=rows.published,
        y=[plain(score) for score in rows.score],
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 9, "line": {"width": 2, "color": GREY}, "color": GREY},
        customdata=rows.half_width,
        hovertemplate="%{y}<br>published %{x:.2f} ± %{customdata:.2f}<extra></extra>",
        name="published",
        legendgroup="value",
        showlegend=shown,
    )
    points = [_reruns(rows[[i is inside for i in rows.inside]], inside, shown=shown) for inside in (True, False)]
    return [bars, values, *points]


def _reruns(rows: pd.DataFrame, inside: bool, *, shown: bool) -> Any:
    import plotly.graph_objects as go

    name = "rerun inside" if inside else "rerun outside"
    return go.Scatter(
        # A point that is not there keeps the entry in the legend.
        x=list(rows.rerun) or [None],
        y=[plain(score) for score in rows.score] or [""],
        mode="markers",
        marker={
            "symbol": "circle" if inside else "x",
            "size": 8,
            "color": BLUE if inside else VERMILLION,
            "line": {"width": 0},
        },
        customdata=rows[["published", "difference"]].to_numpy(),
        hovertemplate=(
            "%{y}<br>rerun %{x:.2f}, published %{customdata[0]:.2f}<br>difference %{customdata[1]:+.2f}<extra></extra>"
        ),
        name=name,
        legendgroup=name,
        showlegend=shown,
    )


def facets(
    names: list[str], categories: list[str], title: str, *, unit: str
) -> tuple[go.Figure, dict[str, tuple[int, int]]]:
    """Empty panels side by side, one a name, all with the same categories from bottom to top.

    Returns
    -------
    figure : plotly.graph_objects.Figure
    places : dict of str to (int, int)
        Row and column of each panel, from 1.
    """
    sizes = Sizes(row=22 * len(categories) + 70, above=104, legend=42, below=62, between=0.03)
    figure, places = panel_grid(names, FACETS_ABREAST, sizes, title=title, shared=True)
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[plain(c) for c in categories],
        range=[-0.6, len(categories) - 0.4],
        type="category",
    )
    figure.update_xaxes(nticks=5)
    last = max((row for row, _ in places.values()), default=1)
    figure.update_xaxes(title={"text": unit, "font": {"size": 12}}, row=last, col=1)
    return figure, places
