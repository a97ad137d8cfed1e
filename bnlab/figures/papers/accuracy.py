"""Accuracy curves of classifiers over data sets (Carvalho 2009, Figures 1 to 4), printed and run again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bnlab.experiments.metrics import half_width
from bnlab.figures.labels import in_paper_order, plain, score_label, score_style
from bnlab.figures.theme import TEMPLATE, translucent

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

PAPER_FIGURES = {
    1: ("LL", "BIC/MDL", "NML", "MIT(0.99)", "K2", "BDeu(1)", "BDeu(4)", "BDeu(16)"),
    2: ("K2", "BDeu(1)", "BDeu(4)", "BDeu(16)"),
    3: ("LL", "BIC/MDL", "NML", "MIT(0.99)"),
    4: ("LL", "NML", "K2"),
}
"""Scores that each figure of the paper compares."""

PUBLISHED, RERUN = "published", "rerun"
COLUMNS = ["dataset", "score", "source", "accuracy", "low", "high", "runs"]
SPREAD = 0.8


def accuracy_data(records: pd.DataFrame, published: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a data set, score and source, in percent.

    Parameters
    ----------
    records : DataFrame with columns dataset, score, accuracy (0 to 1), n_test
        Of one protocol. Several rows of one data set and score, as from several seeds, become their median.
    published : DataFrame with columns dataset, score, accuracy, half_width (percent), optional

    Returns
    -------
    DataFrame with columns dataset, score, source, accuracy, low, high, runs
        The source is "published", with the interval that is printed, or "rerun", with the 95 % interval of one run's
        test rows. Data sets are in the order of the published table, scores in that of the paper.

    Raises
    ------
    ValueError
        If a column is missing or the records mix protocols.
    """
    import pandas as pd

    parts = [] if published is None else [_published(published)]
    data = pd.concat([*parts, _rerun(records)], ignore_index=True)
    data["score"] = data.score.map(score_label)
    datasets = list(dict.fromkeys(data.dataset))
    scores = in_paper_order(data.score)
    ranks = {name: i for names in (datasets, scores) for i, name in enumerate(names)}
    return data.sort_values(["dataset", "score"], key=lambda column: column.map(ranks), kind="stable")[
        COLUMNS
    ].reset_index(drop=True)


def _published(published: pd.DataFrame) -> pd.DataFrame:
    low = (published.accuracy - published.half_width).clip(0, 100)
    high = (published.accuracy + published.half_width).clip(0, 100)
    return published[["dataset", "score", "accuracy"]].assign(source=PUBLISHED, low=low, high=high, runs=1)


def _rerun(records: pd.DataFrame) -> pd.DataFrame:
    check_records(records, ["dataset", "score", "accuracy", "n_test"])
    medians = records.groupby(["dataset", "score"], sort=False).agg(
        accuracy=("accuracy", "median"), n_test=("n_test", "median"), runs=("accuracy", "size")
    )
    halves = [half_width(a, int(n)) for a, n in zip(medians.accuracy, medians.n_test, strict=True)]
    percent = 100 * medians.accuracy
    low, high = (percent - [100 * h for h in halves]).clip(0, 100), (percent + [100 * h for h in halves]).clip(0, 100)
    return medians.assign(accuracy=percent, source=RERUN, low=low, high=high).reset_index()


def check_records(records: pd.DataFrame, needed: Sequence[str]) -> None:
    """Refuse records that lack a column or mix protocols.

    Raises
    ------
    ValueError
        Naming the columns or the protocols.
    """
    missing = [column for column in needed if column not in records]
    if missing:
        raise ValueError(f"the records lack the columns {', '.join(missing)}; they have {', '.join(records.columns)}.")
    if "protocol" in records and records.protocol.nunique() > 1:
        protocols = ", ".join(sorted(map(repr, records.protocol.unique())))
        raise ValueError(f"the records mix the protocols {protocols}: select one, records[records.protocol == ...].")


def accuracy_figure(
    data: pd.DataFrame, scores: Sequence[str] | None = None, *, title: str = "Accuracy of TAN by score"
) -> go.Figure:
    """Draw accuracy over data sets, a curve a score, with whiskers.

    A click in the legend shows or hides a score; the buttons choose between published, rerun and both.

    Parameters
    ----------
    data : DataFrame
        From `accuracy_data`.
    scores : sequence of str, optional
        Those to draw, such as ``PAPER_FIGURES[2]``; all by default.
    title : str

    Raises
    ------
    ValueError
        If the data have none of the scores.
    """
    import plotly.graph_objects as go

    chosen = [s for s in in_paper_order(data.score) if scores is None or s in set(map(score_label, scores))]
    if not chosen:
        raise ValueError(f"none of {list(scores or [])} is in the data: they have {', '.join(data.score.unique())}.")
    datasets = list(dict.fromkeys(data.dataset))
    sources = [s for s in (PUBLISHED, RERUN) if s in set(data.source)]
    step = SPREAD / (len(chosen) * len(sources))
    figure = go.Figure()
    for i, score in enumerate(chosen):
        for j, source in enumerate(sources):
            rows = data[(data.score == score) & (data.source == source)]
            shift = (i * len(sources) + j + 0.5) * step - SPREAD / 2
            figure.add_trace(_curve(rows, datasets, score, source, shift, named=source == sources[-1]))
    figure.update_layout(
        template=TEMPLATE,
        title={"text": plain(title), "subtitle": {"text": _key(sources), "font": {"size": 12}}},
        height=500,
        margin={"t": 116},
        hovermode="closest",
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.26, "yanchor": "top"},
        updatemenus=[_buttons([trace.meta for trace in figure.data])] if len(sources) == 2 else [],
    )
    figure.update_xaxes(
        tickvals=list(range(len(datasets))),
        ticktext=[plain(name) for name in datasets],
        ticklabeloverflow="allow",
        range=[-0.6, len(datasets) - 0.4],
        showgrid=False,
        zeroline=False,
    )
    figure.update_yaxes(title="correctly classified, %")
    _bands(figure, len(datasets))
    return figure


def _key(sources: Sequence[str]) -> str:
    """Say what tells the sources apart, for a picture without buttons."""
    marks = {PUBLISHED: "○ dotted: published", RERUN: "● solid: rerun"}
    return " · ".join([*(marks[source] for source in sources), "whiskers: 95 %, published ones as printed"])


def _curve(rows: pd.DataFrame, datasets: list[str], score: str, source: str, shift: float, *, named: bool) -> Any:
    import plotly.graph_objects as go

    colour, symbol = score_style(score)
    again = source == RERUN
    return go.Scatter(
        x=[datasets.index(name) + shift for name in rows.dataset],
        y=rows.accuracy,
        error_y={
            "type": "data",
            "symmetric": False,
            "array": rows.high - rows.accuracy,
            "arrayminus": rows.accuracy - rows.low,
            "thickness": 1.2,
            "width": 2,
            "color": colour,
        },
        mode="lines+markers",
        name=plain(score),
        legendgroup=score,
        showlegend=named,
        meta=source,
        opacity=1 if again else 0.75,
        line={"width": 1, "color": translucent(colour, 0.45), "dash": "solid" if again else "dot"},
        marker={"symbol": symbol if again else f"{symbol}-open", "size": 7, "color": colour},
        customdata=[
            [plain(name), low, high, f"median of {runs} runs" if runs > 1 else source]
            for name, low, high, runs in zip(rows.dataset, rows.low, rows.high, rows.runs, strict=True)
        ],
        hovertemplate=(
            f"<b>%{{customdata[0]}}</b>, {plain(score)}<br>%{{y:.2f}} %, %{{customdata[3]}}"
            "<br>interval %{customdata[1]:.2f} to %{customdata[2]:.2f}<extra></extra>"
        ),
    )


def _buttons(sources: list[str]) -> dict[str, Any]:
    def button(label: str, shown: str | None) -> dict[str, Any]:
        return {
            "label": label,
            "method": "restyle",
            "args": [{"visible": [shown in (None, source) for source in sources]}],
        }

    return {
        "type": "buttons",
        "direction": "right",
        "buttons": [
            button("both", None),
            button("○ published", PUBLISHED),
            button("● rerun", RERUN),
        ],
        "x": 0,
        "xanchor": "left",
        "y": 1.02,
        "yanchor": "bottom",
        "pad": {"b": 4},
        "bgcolor": "rgba(128, 128, 128, 0.12)",
        "bordercolor": "rgba(128, 128, 128, 0.5)",
        "font": {"size": 12},
    }


def _bands(figure: go.Figure, n: int) -> None:
    """Shade every other data set, so that points beside each other read as one group."""
    for i in range(0, n, 2):
        figure.add_vrect(i - 0.5, i + 0.5, fillcolor="rgba(128, 128, 128, 0.08)", line_width=0, layer="below")
