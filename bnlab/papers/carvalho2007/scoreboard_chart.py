"""All reported accuracies of the papers on classifiers in one chart: difference of the reproduced ones, and why."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnlab.figures.labels import capitalised, plain
from bnlab.figures.theme import BLUE, GREEN, GREY, LEGEND_IN_LINES, TEMPLATE, VERMILLION, translucent
from bnlab.papers.base.panels import Style, curve
from bnlab.papers.carvalho2007.scoreboard import EXPLANATIONS, MISPRINT, NAIVE_BAYES, OWN, UNEXPLAINED

LIMIT = 4.0
STYLES = {
    OWN: Style(BLUE, "circle"),
    NAIVE_BAYES: Style(GREEN, "square"),
    MISPRINT: Style(VERMILLION, "triangle-up"),
    UNEXPLAINED: Style(GREY, "x"),
}


def scoreboard_figure(explained: pd.DataFrame, *, title: str = "") -> go.Figure:
    """Draw reproduced minus reported accuracy in real 95 % half-widths, one panel per paper, one row per data set.

    Parameters
    ----------
    explained : DataFrame
        From `bnlab.papers.carvalho2007.scoreboard.explained`, all of it or one paper. Differences beyond four
        half-widths are drawn at four.
    title : str
    """
    papers = list(dict.fromkeys(explained.paper))
    datasets = list(dict.fromkeys(explained.dataset))[::-1]
    items = {paper: list(dict.fromkeys(explained["item"][explained.paper == paper])) for paper in papers}
    points = explained.assign(difference_95=explained.difference / explained.half_width_95)
    points["x"] = points.difference_95.clip(-LIMIT, LIMIT)
    points["y"] = [
        datasets.index(row.dataset) + 0.35 - 0.7 * items[row.paper].index(row.item) / (len(items[row.paper]) - 1)
        for row in points.itertuples()
    ]
    points["text"] = [
        f"{row.dataset}, {row.item}\nReported {row.published:.2f}, reproduced {row.rerun:.2f}\n"
        f"{row.difference_95:+.1f} real 95 % half-widths\n{capitalised(row.explanation)}"
        for row in points.itertuples()
    ]
    totals = explained.groupby("paper").agg(numbers=("inside_95", "size"), inside=("inside_95", "sum"))
    titles = [f"{year}: {row.inside} of {row.numbers} in the band" for year, row in totals.loc[papers].iterrows()]
    figure = make_subplots(1, len(papers), subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.03)
    in_legend: set[str] = set()
    for column, paper in enumerate(papers, start=1):
        for name in EXPLANATIONS:
            rows = points[(points.paper == paper) & (points.explanation == name)]
            if len(rows):
                new = name not in in_legend
                trace = curve(rows, capitalised(name), STYLES[name], mode="markers", named=new, marker={"size": 8})
                figure.add_trace(trace, 1, column)
                in_legend.add(name)
        figure.add_vrect(-1, 1, fillcolor=translucent(GREY, 0.15), line_width=0, layer="below", row=1, col=column)
    figure.update_annotations(font={"size": 13})
    plot, above, labels, legend = 26 * len(datasets), 76, 76, 44
    figure.update_layout(
        template=TEMPLATE,
        title=plain(title),
        height=plot + above + labels + legend,
        margin={"t": above, "b": labels + legend},
        legend=LEGEND_IN_LINES | {"y": -labels / plot},
    )
    figure.update_xaxes(
        title="Reproduced less reported,<br>in real 95 % half-widths", range=[-LIMIT - 0.4, LIMIT + 0.4]
    )
    ticks = {"tickvals": list(range(len(datasets))), "ticktext": [plain(name) for name in datasets]}
    figure.update_yaxes(range=[-0.6, len(datasets) - 0.4], **ticks)
    return figure
