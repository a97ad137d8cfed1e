"""Convergence of searches: score against iterations or seconds, with bands over seeds and reference lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from bnlab._runtime.names import check_known
from bnlab.figures.labels import capitalised, plain
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.searches.curve import COLUMNS, MOST_POINTS, Curve, FloatArray, thinned
from bnlab.figures.searches.lines import ScoreRange, band_traces, key_traces, run_traces, score_range
from bnlab.figures.svg import shortened, text_width
from bnlab.figures.theme import GREY, LEGEND_IN_LINES, SMALL, TEMPLATE, TEXT, Chart, as_figure, colour
from bnlab.search import Trace

Traces: TypeAlias = "Trace | Curve | Mapping[str, Trace | Curve | Sequence[Trace | Curve]]"

NATS = "score in nats"
TRUTH = "true network"
AXES = {"iteration": "Iteration", "seconds": "Seconds"}
BAND_POINTS = 200
QUANTILES = {"low": 0.1, "median": 0.5, "high": 0.9}
DASHES = ("dash", "dot", "dashdot", "longdash")
LONGEST, NAME_SIZE = 28, SMALL
STILL_POINTS = 600


class ConvergenceData(NamedTuple):
    """Curves of runs, each with one seed or several.

    Attributes
    ----------
    curves : DataFrame with columns run, seed, iteration, seconds, score, best, bound
        One row per iteration; seconds are spread evenly over the iterations of a step. No graph scores more than the
        bound, which is infinite if none is known.
    events : DataFrame with columns run, seed, iteration, seconds, score, mark, kind, u, v
        The mark is "permanent", of an edge, or "restart". u and v are names if these are known, and "" without an edge.
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
        Runs by name. A sequence has the traces of a run under several seeds, numbered from 0. Each trace may also be a
        `Curve`.
    baselines : mapping of str to float, optional
        Scores of other methods, drawn as lines.
    truth : float, optional
        Score of the true network, drawn as a line.
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
        run  seed  iteration  seconds  score  best  bound
    0  chen     0          1     0.25   -9.0  -9.0    inf
    1  chen     0          2     0.50   -7.0  -7.0    inf
    2  chen     0          3     0.75   -8.0  -7.0    inf
    """
    runs = {"search": traces} if isinstance(traces, Trace | Curve) else dict(traces)
    curves, events = [], []
    for run, found in runs.items():
        for seed, trace in enumerate([found] if isinstance(found, Trace | Curve) else found):
            curve = Curve.of(trace, names) if isinstance(trace, Trace) else trace
            own = {"run": run, "seed": seed}
            columns = {column: curve.column(column) for column in COLUMNS}
            curves.append(pd.DataFrame(own | columns, columns=["run", "seed", *COLUMNS]))
            events += [own | mark for mark in curve.marks(most=None)]
    if not curves:
        raise ValueError("no traces to draw: give a Trace, or a mapping of names to traces.")
    together = pd.concat([curve for curve in curves if len(curve)] or curves[:1], ignore_index=True)
    places = ["run", "seed", "iteration", "seconds", "score", "mark", "kind", "u", "v"]
    lines = ({} if truth is None else {TRUTH: float(truth)}) | {k: float(v) for k, v in (baselines or {}).items()}
    return ConvergenceData(together.astype({"iteration": "int64"}), pd.DataFrame(events, columns=places), lines)


def convergence_bands(
    curves: pd.DataFrame, *, by: str = "iteration", of: str = "score", points: int = BAND_POINTS
) -> pd.DataFrame:
    """Median and 10 to 90 % quantiles over the seeds of each run that has several.

    After its end, a curve keeps its last value. Before its start, it has none.

    Parameters
    ----------
    curves : DataFrame
        Of `ConvergenceData`.
    by : "iteration" or "seconds"
    of : "score" or "best"
    points : int
        Number of places along each run, evenly spaced.

    Returns
    -------
    DataFrame with columns run, seeds, (the name of `by`), low, median, high

    Raises
    ------
    ValueError
        If `by` or `of` is unknown.
    """
    check_axes(by, of)
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


def _bounded(curves: pd.DataFrame) -> pd.DataFrame:
    """Curves with a column of upper bounds, infinite if they have none, as stored curves may."""
    return curves if "bound" in curves else curves.assign(bound=np.inf)


def check_axes(by: str, of: str) -> None:
    """Raise ValueError unless `by` is in `AXES`, and `of` is "score" or "best"."""
    check_known(by, AXES, f"by={by!r}")
    check_known(of, ("score", "best"), f"of={of!r}")


def convergence_json(
    data: ConvergenceData,
    *,
    by: str = "iteration",
    of: str = "score",
    most: int = MOST_POINTS,
    title: str = "Convergence",
    unit: str = NATS,
) -> Chart:
    """Draw score against iterations or seconds: one line per run, with its best so far, or a band over several seeds.

    Parameters
    ----------
    data : ConvergenceData
    by : "iteration" or "seconds"
    of : "score" or "best"
        Column of the bands. A run with one seed always shows its best so far, and with "score" its score, too.
    most : int
        Maximum number of points of each curve; peaks are kept.
    title : str
    unit : str
        Quantity and unit of the curves.

    Raises
    ------
    ValueError
        If `by` or `of` is unknown.
    """
    check_axes(by, of)
    curves = _bounded(data.curves)
    bands = convergence_bands(curves, by=by, of=of)
    traces: list[dict[str, Any]] = []
    for i, run in enumerate(dict.fromkeys(curves.run)):
        band = bands[bands.run == run]
        if len(band):
            traces += band_traces(band, run, by, colour(i))
            continue
        curve = curves[curves.run == run]
        kept = curve.iloc[thinned(curve.score.to_numpy(float), most)]
        points = {column: kept[column].to_numpy(float) for column in (by, "score", "best", "bound")}
        events = data.events[data.events.run == run].to_dict("records")
        drawn = run_traces(run, i, points, events, by=by)
        traces += drawn if of == "score" else drawn[1:]
    columns = ("score", "best", "bound")
    seeds = [seed for _, seed in curves.groupby(["run", "seed"], sort=False)]
    around = score_range(
        ({name: seed[name].to_numpy(float) for name in columns} for seed in seeds), data.baselines.values()
    )
    layout = convergence_layout(data.baselines, by=by, title=title, unit=unit, around=around)
    return {"data": [*traces, *key_traces(traces)], "layout": layout}


convergence_figure = as_figure("convergence_figure", convergence_json)


def convergence_picture(data: ConvergenceData, *, by: str = "iteration", unit: str = NATS) -> Picture:
    """Static picture of `convergence_figure`, with its parameters.

    Raises
    ------
    ValueError
        If `by` is unknown.
    """
    ends = [
        end_text(str(run), len(curve), curve.best.iloc[-1], curve.bound.iloc[-1])
        for run, curve in _bounded(data.curves).groupby("run", sort=False)
    ]
    ends += [f"{name}: {score:,.2f}" for name, score in data.baselines.items()]
    figure = convergence_json(data, by=by, most=STILL_POINTS, unit=unit)
    return still(figure, words=f"{unit}, {'; '.join(ends) or 'nothing yet'}")


def end_text(run: str, iterations: int, best: float, bound: float = np.inf) -> str:
    """State of a run: its iterations, its best score, and the upper bound if there is one.

    Examples
    --------
    >>> end_text("exact", 1200, -7.5, -7.0), end_text("chen", 0, -np.inf)
    ('exact: 1,200 iterations, best -7.50, upper bound -7.00', 'chen: 0 iterations')
    """
    scores = {"best": best, "upper bound": bound}
    return f"{run}: {iterations:,} iterations" + "".join(
        f", {name} {score:,.2f}" for name, score in scores.items() if np.isfinite(score)
    )


def convergence_layout(
    baselines: Mapping[str, float],
    *,
    by: str,
    title: str = "",
    unit: str = NATS,
    height: float = 440,
    around: ScoreRange | None = None,
) -> dict[str, Any]:
    """Layout of a convergence figure; each baseline within the range is a line with its name at its end."""
    if around is not None:
        baselines = {name: score for name, score in baselines.items() if around.holds(score)}
        cut = [*(["outliers below"] if around.cut else []), *(["looser bounds"] if around.cut_above else [])]
        unit += f"<br>({' and '.join(cut)} are cut off)" if cut else ""
    names = max((text_width(shortened(name, LONGEST), NAME_SIZE) for name in baselines), default=0.0)
    number = {"exponentformat": "none", "separatethousands": True}
    shapes, notes = [], []
    for i, (name, score) in enumerate(baselines.items()):
        dashed = {"width": 1.2, "color": GREY, "dash": DASHES[i % len(DASHES)]}
        line = {"width": 1.6, "color": TEXT} if name == TRUTH else dashed
        ends = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": score, "y1": score}
        shapes.append(ends | {"line": line})
        place = {"xref": "paper", "x": 1.01, "xanchor": "left", "yref": "y", "y": score, "yanchor": "middle"}
        text = {
            "text": capitalised(name) if name == TRUTH else plain(name, LONGEST),
            "showarrow": False,
            "font": {"size": NAME_SIZE},
        }
        notes.append(place | text)
    return {
        "template": TEMPLATE,
        "title": {"text": plain(title)},
        "height": height,
        "margin": {"t": 96 if title else 50, "r": 20 + names + 10 * bool(baselines)},
        "hovermode": "closest",
        "legend": LEGEND_IN_LINES | {"y": 1 - (42 if title else 6) / height, "yref": "container"},
        "xaxis": {"title": {"text": AXES[by]}, "rangemode": "tozero", **number},
        "yaxis": {"title": {"text": capitalised(unit)}, **number}
        | ({} if around is None else {"range": [*around[:2]]}),
        "shapes": shapes,
        "annotations": notes,
    }
