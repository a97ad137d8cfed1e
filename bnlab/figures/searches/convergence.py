"""Convergence of searches: score against iterations or seconds, with bands over seeds and lines to measure against.

What is drawn is thinned so that peaks stay; what the data hold is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import nearest
from bnlab.figures.labels import plain
from bnlab.figures.theme import GREY, TEMPLATE, TEXT, colour, symbol, translucent
from bnlab.search import Event, Trace

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

FloatArray: TypeAlias = NDArray[np.float64]
Traces: TypeAlias = "Trace | Mapping[str, Trace | Sequence[Trace]]"

TRUTH = "true network"
AXES = {"iteration": "iteration", "seconds": "seconds"}
MOST_POINTS = 2000
BAND_POINTS = 200
QUANTILES = {"low": 0.1, "median": 0.5, "high": 0.9}
DASHES = ("dash", "dot", "dashdot", "longdash")
RESTARTS = ("instance", "restart", "turn")
PERMANENT = ("converged", "forced")
GLYPHS = ("●", "■", "◆", "▲", "✚", "✖", "★", "⬢")
"""Characters that look like `bnlab.figures.theme.SYMBOLS`, for runs that not everybody tells apart by colour."""
MARKS = {"permanent": ("diamond", 4, "permanent edge"), "restart": ("line-ns-open", 8, "new start")}


class ConvergenceData(NamedTuple):
    """Curves of runs, each with one seed or several.

    Attributes
    ----------
    curves : DataFrame with columns run, seed, iteration, seconds, score, best
        A row for every iteration; seconds are spread evenly over the iterations of a step.
    events : DataFrame with columns run, seed, iteration, seconds, score, mark, kind, u, v
        "permanent" edges and "restart"s; u and v are names if there are any, "" where there is no edge.
    baselines : dict of str to float
        Scores to draw as lines, that of the true network first.
    """

    curves: pd.DataFrame
    events: pd.DataFrame
    baselines: dict[str, float]


def convergence_data(
    traces: Traces,
    baselines: Mapping[str, float] | None = None,
    *,
    truth: float | None = None,
    names: Sequence[str] | None = None,
) -> ConvergenceData:
    """Curves, events and baselines as tables.

    Parameters
    ----------
    traces : Trace, or mapping of str to Trace or sequence of Trace
        A run each by its name; the traces of a sequence are the run under other seeds, numbered from 0.
    baselines : mapping of str to float, optional
        Scores of other methods, to be drawn as lines.
    truth : float, optional
        Score of the true network, a line of its own.
    names : sequence of str, optional
        Variables, for the edges of the events.

    Raises
    ------
    ValueError
        If there is no trace.

    Examples
    --------
    >>> from bnlab.search import Progress
    >>> trace = Trace()
    >>> trace.add(Progress(2, (-9.0, -7.0), -7.0), seconds=0.5)
    >>> trace.add(Progress(3, (-8.0,), -7.0), seconds=0.25)
    >>> convergence_data({"chen": trace}, {"k2": -7.5}).curves
        run  seed  iteration  seconds  score  best
    0  chen     0          1     0.25   -9.0  -9.0
    1  chen     0          2     0.50   -7.0  -7.0
    2  chen     0          3     0.75   -8.0  -7.0
    """
    import pandas as pd

    runs = {"search": traces} if isinstance(traces, Trace) else dict(traces)
    seeds = [
        (run, seed, trace)
        for run, found in runs.items()
        for seed, trace in enumerate([found] if isinstance(found, Trace) else found)
    ]
    if not seeds:
        raise ValueError("no traces to draw: give a Trace, or a mapping of names to traces.")
    curves, events = [], []
    for run, seed, trace in seeds:
        curve = trace_frame(trace)
        curve.insert(0, "run", run)
        curve.insert(1, "seed", seed)
        curves.append(curve)
        events += [{"run": run, "seed": seed, **event} for event in _events(trace.events, curve, names)]
    columns = ["run", "seed", "iteration", "seconds", "score", "mark", "kind", "u", "v"]
    lines = ({} if truth is None else {TRUTH: float(truth)}) | {k: float(v) for k, v in (baselines or {}).items()}
    return ConvergenceData(pd.concat(curves, ignore_index=True), pd.DataFrame(events, columns=columns), lines)


def trace_frame(trace: Trace) -> pd.DataFrame:
    """Every iteration of a trace.

    Returns
    -------
    DataFrame with columns iteration, seconds, score, best
        Seconds are spread evenly over the iterations of a step; best is the greatest score so far.
    """
    import pandas as pd

    scores, ends = trace.scores, np.asarray(trace.iterations, dtype=np.int64)
    if not len(scores):
        return pd.DataFrame({"iteration": ends[:0], "seconds": scores, "score": scores, "best": scores})
    first = int(ends[-1]) - len(scores)
    iteration = np.arange(first + 1, ends[-1] + 1)
    made = np.diff(ends, prepend=first) > 0
    spent = np.asarray(trace.seconds)[made]
    seconds = np.interp(iteration, np.concatenate([[first], ends[made]]), np.concatenate([[0.0], spent]))
    best = np.maximum.accumulate(scores)
    # A search that was resumed may know of a better graph than its trace shows.
    known = np.full(len(scores), -np.inf)
    at = ends - first - 1
    known[at[at >= 0]] = np.asarray(trace.best)[at >= 0]
    best = np.maximum.accumulate(np.maximum(best, known))
    return pd.DataFrame({"iteration": iteration, "seconds": seconds, "score": scores, "best": best})


def glyph(i: int) -> str:
    """Character that stands for run number `i`; they start over after the last."""
    return GLYPHS[i % len(GLYPHS)]


def event_mark(event: Event) -> str | None:
    """What an event is drawn as: "permanent", "restart" or not at all.

    Examples
    --------
    >>> event_mark(Event(3, "converged", 0, 1)), event_mark(Event(9, "instance")), event_mark(Event(1, "add", 0, 1))
    ('permanent', 'restart', None)
    """
    if event.kind in RESTARTS:
        return "restart"
    return "permanent" if event.kind in PERMANENT and event.u != event.v else None


def _events(events: Iterable[Event], curve: pd.DataFrame, names: Sequence[str] | None) -> list[dict[str, Any]]:
    marked = [(event, mark) for event in events if (mark := event_mark(event)) is not None]
    if not marked or not len(curve):
        return []
    iterations = curve.iteration.to_numpy()
    rows = np.searchsorted(iterations, [event.iteration for event, _ in marked]).clip(0, len(curve) - 1)
    seconds, scores = curve.seconds.to_numpy()[rows], curve.score.to_numpy()[rows]
    return [
        {
            "iteration": event.iteration,
            "seconds": float(second),
            "score": float(score),
            "mark": mark,
            "kind": event.kind,
            "u": _named(event.u, names) if mark == "permanent" else "",
            "v": _named(event.v, names) if mark == "permanent" else "",
        }
        for (event, mark), second, score in zip(marked, seconds, scores, strict=True)
    ]


def _named(node: int, names: Sequence[str] | None) -> str:
    return str(node) if names is None else str(names[node])


def convergence_bands(
    curves: pd.DataFrame, *, by: str = "iteration", of: str = "score", points: int = BAND_POINTS
) -> pd.DataFrame:
    """Median and 10 to 90 % quantiles over the seeds of each run that has several.

    A curve that has ended keeps its last value, and one that begins later has none before.

    Parameters
    ----------
    curves : DataFrame
        Of `ConvergenceData`.
    by : "iteration" or "seconds"
    of : "score" or "best"
    points : int
        Places along each run, evenly spaced.

    Returns
    -------
    DataFrame with columns run, seeds, (the name of `by`), low, median, high

    Raises
    ------
    ValueError
        If `by` or `of` is unknown.
    """
    import pandas as pd

    _check(by, of)
    bands = []
    for run, group in curves.groupby("run", sort=False):
        seeds = [seed for _, seed in group.groupby("seed")]
        if len(seeds) < 2:
            continue
        places = np.linspace(group[by].min(), group[by].max(), points)
        values = np.array([_steps(seed[by].to_numpy(float), seed[of].to_numpy(float), places) for seed in seeds])
        begun = ~np.isnan(values).all(axis=0)
        quantiles = np.nanquantile(values[:, begun], list(QUANTILES.values()), axis=0)
        band = pd.DataFrame({"run": run, "seeds": len(seeds), by: places[begun]})
        bands.append(band.assign(**dict(zip(QUANTILES, quantiles, strict=True))))
    columns = ["run", "seeds", by, *QUANTILES]
    return pd.concat(bands, ignore_index=True) if bands else pd.DataFrame(columns=columns)


def _steps(x: FloatArray, y: FloatArray, places: FloatArray) -> FloatArray:
    """Value of the last point at or before each place; nan before the first."""
    at = np.searchsorted(x, places + 1e-12 * np.abs(places), side="right") - 1
    return np.where(at >= 0, y[at.clip(0)], np.nan)


def thinned(values: FloatArray, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Indices of at most `most` points that keep a curve's ends and, of every stretch, its least and greatest.

    Parameters
    ----------
    values : ndarray of float, shape (points,)
    most : int
        At least 4.

    Raises
    ------
    ValueError
        If `most` is less than 4.

    Examples
    --------
    >>> thinned(np.array([0.0, 1, 9, 1, 0, 1, -9, 1, 0, 1]), 6)
    array([0, 2, 4, 5, 6, 9])
    """
    if most < 4:
        raise ValueError(f"most={most}: a thinned curve keeps its ends and some stretches; give at least 4.")
    n = len(values)
    if n <= most:
        return np.arange(n)
    stretches = (most - 2) // 2
    length = -(-(n - 2) // stretches)
    begin = 1 + length * np.arange((n - 2) // length)
    inner = values[1 : 1 + length * len(begin)].reshape(len(begin), length)
    kept = np.concatenate([[0, n - 1], begin + inner.argmin(axis=1), begin + inner.argmax(axis=1)])
    rest = values[1 + inner.size : -1]
    if len(rest):
        kept = np.append(kept, 1 + inner.size + np.array([rest.argmin(), rest.argmax()]))
    return np.unique(kept)


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

    _check(by, of)
    bands = convergence_bands(data.curves, by=by, of=of)
    figure = go.Figure()
    for i, run in enumerate(dict.fromkeys(data.curves.run)):
        band = bands[bands.run == run]
        if len(band):
            figure.add_traces(_band(band, run, by, colour(i)))
        else:
            curve = data.curves[data.curves.run == run]
            figure.add_traces(_single(curve, run, by, of, i, most))
            figure.add_traces(_marks(data.events[data.events.run == run], run, by, colour(i)))
    _baselines(figure, data.baselines)
    figure.update_layout(
        template=TEMPLATE,
        title=plain(title),
        height=440,
        margin={"t": 96, "r": 130 if data.baselines else 20},
        hovermode="closest",
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        xaxis={"title": AXES[by], "rangemode": "tozero"},
        yaxis={"title": "score, nats", "exponentformat": "none", "separatethousands": True},
    )
    return figure


def _check(by: str, of: str) -> None:
    if by not in AXES:
        raise ValueError(f"by={by!r}: {nearest(by, AXES)}")
    if of not in ("score", "best"):
        raise ValueError(f"of={of!r}: {nearest(of, ('score', 'best'))}")


def _band(band: pd.DataFrame, run: str, by: str, ink: str) -> list[Any]:
    import plotly.graph_objects as go

    name, seeds = plain(str(run)), int(band.seeds.iloc[0])
    around = go.Scatter(
        x=[*band[by], *band[by][::-1]],
        y=[*band.high, *band.low[::-1]],
        fill="toself",
        fillcolor=translucent(ink, 0.18),
        line={"width": 0},
        hoverinfo="skip",
        name=f"{name}, 10 to 90 %",
        legendgroup=name,
        showlegend=False,
    )
    middle = go.Scatter(
        x=band[by],
        y=band["median"],
        mode="lines",
        line={"width": 2, "color": ink},
        customdata=band[["low", "high"]].to_numpy(),
        hovertemplate=(
            f"{name}, {seeds} seeds<br>{by} %{{x:,.6~g}}<br>median %{{y:,.1f}}<br>"
            "10 to 90 %: %{customdata[0]:,.1f} to %{customdata[1]:,.1f}<extra></extra>"
        ),
        name=f"{name}, median of {seeds}",
        legendgroup=name,
    )
    return [around, middle]


def _single(curve: pd.DataFrame, run: str, by: str, of: str, i: int, most: int) -> list[Any]:
    import plotly.graph_objects as go

    ink = colour(i)
    name = plain(str(run))
    drawn = []
    for column, width, opacity in (("score", 1.2, 0.55), ("best", 2.2, 1.0)):
        if column == "score" and of == "best":
            continue
        rows = curve.iloc[thinned(curve[column].to_numpy(float), most)]
        drawn.append(
            go.Scatter(
                x=rows[by],
                y=rows[column],
                mode="lines",
                line={"width": width, "color": ink, "shape": "hv" if column == "best" else "linear"},
                opacity=opacity,
                hovertemplate=f"{name}, {column}<br>{by} %{{x:,.6~g}}<br>%{{y:,.1f}}<extra></extra>",
                name=name if column == "best" else f"{name}, score",
                legendgroup=name,
                showlegend=column == "best",
            )
        )
    # Where a run ends, in sight also when it ends long before the others.
    end = curve.iloc[-1:]
    drawn.append(
        go.Scatter(
            x=end[by],
            y=end.best,
            mode="markers",
            marker={"size": 8, "color": ink, "symbol": symbol(i)},
            hovertemplate=f"{name}, end<br>{by} %{{x:,.6~g}}<br>best %{{y:,.1f}}<extra></extra>",
            legendgroup=name,
            showlegend=False,
        )
    )
    return drawn


def _marks(events: pd.DataFrame, run: str, by: str, ink: str) -> list[Any]:
    import plotly.graph_objects as go

    drawn = []
    for mark, (shape, size, words) in MARKS.items():
        rows = events[events.mark == mark]
        if not len(rows):
            continue
        edges = [f"{plain(u)} → {plain(v)}" if u else "" for u, v in zip(rows.u, rows.v, strict=True)]
        drawn.append(
            go.Scatter(
                x=rows[by],
                y=rows.score,
                mode="markers",
                marker={"symbol": shape, "size": size, "color": ink, "line": {"width": 1, "color": ink}},
                opacity=0.8,
                customdata=edges,
                hovertemplate=f"{words} %{{customdata}}<br>{by} %{{x:,.6~g}}<br>%{{y:,.1f}}<extra></extra>",
                name=f"{plain(str(run))}, {words}",
                legendgroup=f"{run} {mark}",
                # New starts are many: a click on the legend shows them.
                visible=True if mark == "permanent" else "legendonly",
            )
        )
    return drawn


def _baselines(figure: go.Figure, baselines: Mapping[str, float]) -> None:
    for i, (name, score) in enumerate(baselines.items()):
        true = name == TRUTH
        figure.add_hline(
            y=score,
            line={
                "width": 1.6 if true else 1.2,
                "color": TEXT if true else GREY,
                "dash": None if true else DASHES[i % 4],
            },
            annotation={
                "text": plain(name),
                "x": 1.01,
                "xanchor": "left",
                "yanchor": "middle",
                "showarrow": False,
                "font": {"size": 11},
            },
        )
