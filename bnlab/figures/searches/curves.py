"""Curves of searches as tables: every iteration, bands over seeds, events, and points that are enough to draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import nearest
from bnlab.search import Event, Trace

if TYPE_CHECKING:
    import pandas as pd

FloatArray: TypeAlias = NDArray[np.float64]
Traces: TypeAlias = "Trace | Mapping[str, Trace | Sequence[Trace]]"

TRUTH = "true network"
AXES = {"iteration": "iteration", "seconds": "seconds"}
MOST_POINTS = 2000
BAND_POINTS = 200
QUANTILES = {"low": 0.1, "median": 0.5, "high": 0.9}
RESTARTS = ("instance", "restart", "turn")
PERMANENT = ("converged", "forced")


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
            **dict(zip("uv", event_edge(event, names), strict=True)),
        }
        for (event, mark), second, score in zip(marked, seconds, scores, strict=True)
    ]


def event_edge(event: Event, names: Sequence[str] | None) -> tuple[str, str]:
    """Names of the edge that an event made permanent, "" for other events.

    Examples
    --------
    >>> event_edge(Event(3, "converged", 0, 1), "AB"), event_edge(Event(9, "instance"), None)
    (('A', 'B'), ('', ''))
    """
    if event_mark(event) != "permanent":
        return "", ""
    u, v = (str(node) if names is None else str(names[node]) for node in (event.u, event.v))
    return u, v


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


def check_axes(by: str, of: str) -> None:
    """Refuse unknown axes.

    Raises
    ------
    ValueError
        If `by` is not in `AXES`, or `of` is neither "score" nor "best".
    """
    if by not in AXES:
        raise ValueError(f"by={by!r}: {nearest(by, AXES)}")
    if of not in ("score", "best"):
        raise ValueError(f"of={of!r}: {nearest(of, ('score', 'best'))}")
