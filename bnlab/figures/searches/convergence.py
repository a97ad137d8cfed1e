"""Convergence of searches: score against iterations or seconds, with bands over seeds and reference lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bnlab.figures.labels import plain
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.searches.curve import MOST_POINTS, thinned
from bnlab.figures.searches.runs import AXES, TRUTH, ConvergenceData, check_axes, convergence_bands
from bnlab.figures.svg import shortened
from bnlab.figures.theme import GREY, TEMPLATE, TEXT, colour, symbol, translucent

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

DASHES = ("dash", "dot", "dashdot", "longdash")
LONGEST = 28
STILL_POINTS = 600
MARKS = {"permanent": ("diamond", 5, "permanent edge"), "restart": ("line-ns-open", 8, "new start")}
"""Marker, its size and its words for each kind of event."""


def convergence_figure(
    data: ConvergenceData,
    *,
    by: str = "iteration",
    of: str = "score",
    most: int = MOST_POINTS,
    title: str = "Convergence",
) -> go.Figure:
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

    Raises
    ------
    ValueError
        If `by` or `of` is unknown.
    """
    import plotly.graph_objects as go

    return go.Figure(convergence_json(data, by=by, of=of, most=most, title=title))


def convergence_picture(data: ConvergenceData, *, by: str = "iteration", title: str = "Convergence") -> Picture:
    """Static picture of `convergence_figure`.

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
    figure = convergence_json(data, by=by, most=STILL_POINTS, title=title)
    return still(figure, words=f"in nats, {'; '.join(ends) or 'nothing yet'}")


def convergence_json(
    data: ConvergenceData,
    *,
    by: str = "iteration",
    of: str = "score",
    most: int = MOST_POINTS,
    title: str = "Convergence",
) -> dict[str, Any]:
    """JSON of `convergence_figure`, made without plotly, whose checks take far longer than the rest."""
    check_axes(by, of)
    bands = convergence_bands(data.curves, by=by, of=of)
    traces: list[dict[str, Any]] = []
    for i, run in enumerate(dict.fromkeys(data.curves.run)):
        band = bands[bands.run == run]
        if len(band):
            traces += _band(band, run, by, colour(i))
        else:
            traces += _single(data.curves[data.curves.run == run], run, by, of, i, most)
            traces += _marks(data.events[data.events.run == run], run, by, colour(i))
    lines = list(enumerate(data.baselines.items()))
    layout = {
        "template": TEMPLATE,
        "title": {"text": plain(title)},
        "height": 440,
        "margin": {"t": 96, "r": 170 if lines else 20},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        "xaxis": {"title": {"text": AXES[by]}, "rangemode": "tozero"},
        "yaxis": {"title": {"text": "score, nats"}, "exponentformat": "none", "separatethousands": True},
        "shapes": [_baseline(i, name, score) for i, (name, score) in lines],
        "annotations": [_baseline_name(name, score) for _, (name, score) in lines],
    }
    return {"data": traces, "layout": layout}


def _band(band: pd.DataFrame, run: str, by: str, ink: str) -> list[dict[str, Any]]:
    name, seeds = plain(str(run)), int(band.seeds.iloc[0])
    around = {
        "type": "scatter",
        "x": [*band[by], *band[by][::-1]],
        "y": [*band.high, *band.low[::-1]],
        "mode": "lines",
        "fill": "toself",
        "fillcolor": translucent(ink, 0.18),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "name": f"{name}, 10 to 90 %",
        "legendgroup": name,
        "showlegend": False,
    }
    middle = {
        "type": "scatter",
        "x": band[by].tolist(),
        "y": band["median"].tolist(),
        "mode": "lines",
        "line": {"width": 2, "color": ink},
        "customdata": band[["low", "high"]].to_numpy().tolist(),
        "hovertemplate": (
            f"{name}, {seeds} seeds<br>{by} %{{x:,.6~g}}<br>median %{{y:,.1f}}<br>"
            "10 to 90 %: %{customdata[0]:,.1f} to %{customdata[1]:,.1f}<extra></extra>"
        ),
        "name": f"{name}, median of {seeds}",
        "legendgroup": name,
    }
    return [around, middle]


def _single(curve: pd.DataFrame, run: str, by: str, of: str, i: int, most: int) -> Iterator[dict[str, Any]]:
    name = plain(str(run))
    own = {"type": "scatter", "legendgroup": name}
    for column, width, opacity in (("score", 1.2, 0.55), ("best", 2.2, 1.0)):
        if column == "score" and of == "best":
            continue
        rows = curve.iloc[thinned(curve[column].to_numpy(float), most)]
        yield {
            **own,
            "x": rows[by].tolist(),
            "y": rows[column].tolist(),
            "mode": "lines",
            "line": {"width": width, "color": colour(i), "shape": "hv" if column == "best" else "linear"},
            "opacity": opacity,
            "hovertemplate": f"{name}, {column}<br>{by} %{{x:,.6~g}}<br>%{{y:,.1f}}<extra></extra>",
            "name": name if column == "best" else f"{name}, score",
            "showlegend": False,
        }
    # Where a run ends, in sight also when it ends long before the others; its entry in the legend has line and marker.
    end = curve.iloc[-1:]
    yield {
        **own,
        "x": end[by].tolist(),
        "y": end.best.tolist(),
        "mode": "lines+markers",
        "line": {"width": 2.2, "color": colour(i)},
        "marker": {"size": 8, "color": colour(i), "symbol": symbol(i)},
        "hovertemplate": f"{name}, end<br>{by} %{{x:,.6~g}}<br>best %{{y:,.1f}}<extra></extra>",
        "name": name,
        "showlegend": True,
    }


def _marks(events: pd.DataFrame, run: str, by: str, ink: str) -> Iterator[dict[str, Any]]:
    for mark, (shape, size, words) in MARKS.items():
        rows = events[events.mark == mark]
        if not len(rows):
            continue
        yield {
            "type": "scatter",
            "x": rows[by].tolist(),
            "y": rows.score.tolist(),
            "mode": "markers",
            "marker": {"symbol": shape, "size": size, "color": ink, "line": {"width": 1, "color": ink}},
            "opacity": 0.8,
            "customdata": [f"{plain(u)} → {plain(v)}" if u else "" for u, v in zip(rows.u, rows.v, strict=True)],
            "hovertemplate": f"{words} %{{customdata}}<br>{by} %{{x:,.6~g}}<br>%{{y:,.1f}}<extra></extra>",
            "name": f"{plain(str(run))}, {words}",
            "legendgroup": f"{run} {mark}",
            # New starts are many: a click on the legend shows them.
            "visible": True if mark == "permanent" else "legendonly",
        }


def _baseline(i: int, name: str, score: float) -> dict[str, Any]:
    is_true = name == TRUTH
    look = {"width": 1.6, "color": TEXT} if is_true else {"width": 1.2, "color": GREY, "dash": DASHES[i % len(DASHES)]}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": score, "y1": score, "line": look}


def _baseline_name(name: str, score: float) -> dict[str, Any]:
    place = {"xref": "paper", "x": 1.01, "xanchor": "left", "yref": "y", "y": score, "yanchor": "middle"}
    return {**place, "text": plain(shortened(name, LONGEST)), "showarrow": False, "font": {"size": 11}}
