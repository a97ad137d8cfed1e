"""Convergence of searches: score against iterations or seconds, with bands over seeds and reference lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.figures.chart import LEGEND_IN_LINES, Chart, as_figure, hover, scatter
from bnlab.figures.labels import plain
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.searches.curve import MOST_POINTS, FloatArray, thinned
from bnlab.figures.searches.runs import AXES, NATS, TRUTH, ConvergenceData, check_axes, convergence_bands
from bnlab.figures.svg import shortened, text_width
from bnlab.figures.theme import GREY, TEMPLATE, TEXT, colour, symbol, translucent

if TYPE_CHECKING:
    import pandas as pd

DASHES = ("dash", "dot", "dashdot", "longdash")
LONGEST, NAME_SIZE = 28, 11
STILL_POINTS = 600
MARKS = {"permanent": ("diamond", 5, "permanent edge"), "restart": ("line-ns-open", 8, "new start")}
"""Marker, its size and its words for each kind of event."""


def convergence_json(
    data: ConvergenceData,
    *,
    by: str = "iteration",
    of: str = "score",
    most: int = MOST_POINTS,
    title: str = "Convergence",
    unit: str = NATS,
) -> Chart:
    """Draw score against iterations or seconds: a line a run with its best so far, a band where it has several seeds.

    Parameters
    ----------
    data : ConvergenceData
    by : "iteration" or "seconds"
    of : "score" or "best"
        What the bands are of. A run with one seed shows both.
    most : int
        Points drawn of each curve; peaks stay.
    title : str
    unit : str
        What the curves are of.

    Raises
    ------
    ValueError
        If `by` or `of` is unknown.
    """
    check_axes(by, of)
    bands = convergence_bands(data.curves, by=by, of=of)
    traces: list[dict[str, Any]] = []
    for i, run in enumerate(dict.fromkeys(data.curves.run)):
        band = bands[bands.run == run]
        if len(band):
            traces += _band(band, run, by, colour(i))
            continue
        curve = data.curves[data.curves.run == run]
        kept = curve.iloc[thinned(curve.score.to_numpy(float), most)]
        points = {column: kept[column].to_numpy(float) for column in (by, "score", "best")}
        events = data.events[data.events.run == run].to_dict("records")
        drawn = run_traces(run, i, points, events, by=by)
        traces += drawn if of == "score" else drawn[1:]
    return {"data": traces, "layout": convergence_layout(data.baselines, by=by, title=title, unit=unit)}


convergence_figure = as_figure("convergence_figure", convergence_json)


def convergence_picture(
    data: ConvergenceData, *, by: str = "iteration", title: str = "Convergence", unit: str = NATS
) -> Picture:
    """Static picture of `convergence_figure`, with its parameters.

    Raises
    ------
    ValueError
        If `by` is unknown.
    """
    ends = [
        f"{run}: {len(curve):,} iterations, best {curve.best.iloc[-1]:,.2f}"
        for run, curve in data.curves.groupby("run", sort=False)
    ]
    ends += [f"{name}: {score:,.2f}" for name, score in data.baselines.items()]
    figure = convergence_json(data, by=by, most=STILL_POINTS, title=title, unit=unit)
    return still(figure, words=f"{unit}, {'; '.join(ends) or 'nothing yet'}")


def convergence_layout(
    baselines: Mapping[str, float], *, by: str, title: str = "", unit: str = NATS, height: float = 440
) -> dict[str, Any]:
    """Layout of a convergence figure; each baseline is a line with its name at its end."""
    names = max((text_width(shortened(name, LONGEST), NAME_SIZE) for name in baselines), default=0.0)
    number = {"exponentformat": "none", "separatethousands": True}
    shapes, notes = [], []
    for i, (name, score) in enumerate(baselines.items()):
        dashed = {"width": 1.2, "color": GREY, "dash": DASHES[i % len(DASHES)]}
        line = {"width": 1.6, "color": TEXT} if name == TRUTH else dashed
        ends = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": score, "y1": score}
        shapes.append(ends | {"line": line})
        place = {"xref": "paper", "x": 1.01, "xanchor": "left", "yref": "y", "y": score, "yanchor": "middle"}
        text = {"text": plain(shortened(name, LONGEST)), "showarrow": False, "font": {"size": NAME_SIZE}}
        notes.append(place | text)
    return {
        "template": TEMPLATE,
        "title": {"text": plain(title)},
        "height": height,
        "margin": {"t": 96 if title else 50, "r": 20 + names + 10 * bool(baselines)},
        "hovermode": "closest",
        "legend": LEGEND_IN_LINES | {"y": 1.02, "yanchor": "bottom"},
        "xaxis": {"title": {"text": AXES[by]}, "rangemode": "tozero", **number},
        "yaxis": {"title": {"text": unit}, **number},
        "shapes": shapes,
        "annotations": notes,
    }


def run_traces(
    run: str,
    i: int,
    points: Mapping[str, FloatArray],
    events: Sequence[Mapping[str, Any]],
    *,
    by: str,
    values: Callable[[FloatArray], Any] = np.ndarray.tolist,
) -> list[dict[str, Any]]:
    """Traces of run number `i`: its score, the best so far with a marker at its end, and its events.

    `points` has the columns score, best, and that of `by`; `events` are as from `Curve.marks`; `values` makes JSON of
    an array.
    """
    name, x, best = plain(str(run)), points[by], points["best"]
    # The best changes seldom: the points of its steps are enough.
    steps = np.flatnonzero(np.r_[best[:-1] != best[1:], True][: len(best)])
    steps = np.union1d(steps[:-1] + 1, [0, len(best) - 1]) if len(best) else steps
    own, at = {"legendgroup": name}, f"{by} %{{x:,.6~g}}<br>"
    lines = [("score", x, points["score"], f"{name}, score", 1.2), ("best", x[steps], best[steps], name, 2.2)]
    traces = []
    for column, places, scores, label, width in lines:
        line = {"width": width, "color": colour(i), "shape": "hv" if column == "best" else "linear"}
        words = hover(f"{name}, {column}<br>{at}%{{y:,.1f}}")
        look = {"line": line, "opacity": 1.0 if column == "best" else 0.55, "name": label, "showlegend": False}
        traces.append(scatter("lines", values(places), values(scores), **own, **words, **look))
    # Where a run ends, in sight also when it ends long before the others; its entry in the legend has line and marker.
    marker = {"size": 8, "color": colour(i), "symbol": symbol(i)}
    look = {"line": {"width": 2.2, "color": colour(i)}, "marker": marker, "name": name, "showlegend": True}
    words = hover(f"{name}, end<br>{at}best %{{y:,.1f}}")
    end = scatter("lines+markers", x[-1:].tolist(), best[-1:].tolist(), **own, **words, **look)
    return [*traces, end, *_marks(events, run, by, colour(i))]


def _band(band: pd.DataFrame, run: str, by: str, ink: str) -> list[dict[str, Any]]:
    name, seeds = plain(str(run)), int(band.seeds.iloc[0])
    ends = [*band[by], *band[by][::-1]], [*band.high, *band.low[::-1]]
    look = {"fill": "toself", "fillcolor": translucent(ink, 0.18), "line": {"width": 0}, "hoverinfo": "skip"}
    around = scatter("lines", *ends, **look, name=f"{name}, 10 to 90 %", legendgroup=name, showlegend=False)
    words = hover(
        f"{name}, {seeds} seeds<br>{by} %{{x:,.6~g}}<br>median %{{y:,.1f}}<br>"
        "10 to 90 %: %{customdata[0]:,.1f} to %{customdata[1]:,.1f}",
        band[["low", "high"]].to_numpy().tolist(),
    )
    look = {"line": {"width": 2, "color": ink}, "name": f"{name}, median of {seeds}", "legendgroup": name}
    return [around, scatter("lines", band[by].tolist(), band["median"].tolist(), **words, **look)]


def _marks(events: Sequence[Mapping[str, Any]], run: str, by: str, ink: str) -> Iterator[dict[str, Any]]:
    for mark, (shape, size, words) in MARKS.items():
        rows = [event for event in events if event["mark"] == mark]
        if rows:
            edges = [f"{plain(row['u'])} → {plain(row['v'])}" if row["u"] else "" for row in rows]
            marker = {"symbol": shape, "size": size, "color": ink, "line": {"width": 1, "color": ink}}
            look = {"marker": marker, "opacity": 0.8, "name": f"{plain(str(run))}, {words}"}
            # New starts are many: a click on the legend shows them.
            legend = {"legendgroup": f"{run} {mark}", "visible": True if mark == "permanent" else "legendonly"}
            label = hover(f"{words} %{{customdata}}<br>{by} %{{x:,.6~g}}<br>%{{y:,.1f}}", edges)
            x, y = [row[by] for row in rows], [row["score"] for row in rows]
            yield scatter("markers", x, y, **label, **look, **legend)
