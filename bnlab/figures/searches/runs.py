"""Curves of searches as tables: every iteration, events, and bands over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.figures.searches.curve import COLUMNS, Curve, FloatArray
from bnlab.search import Trace

if TYPE_CHECKING:
    import pandas as pd

Traces: TypeAlias = "Trace | Curve | Mapping[str, Trace | Curve | Sequence[Trace | Curve]]"

NATS = "score in nats"
TRUTH = "true network"
AXES = {"iteration": "iteration", "seconds": "seconds"}
BAND_POINTS = 200
QUANTILES = {"low": 0.1, "median": 0.5, "high": 0.9}


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
        A run each by its name; the traces of a sequence are the run under other seeds, numbered from 0. Each may be a
        `Curve` as well.
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

    runs = {"search": traces} if isinstance(traces, Trace | Curve) else dict(traces)
    curves, events = [], []
    for run, found in runs.items():
        for seed, one in enumerate([found] if isinstance(found, Trace | Curve) else found):
            curve = Curve.of(one, names) if isinstance(one, Trace) else one
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


def check_axes(by: str, of: str) -> None:
    """Raise ValueError unless `by` is in `AXES`, and `of` is "score" or "best"."""
    if by not in AXES:
        raise ValueError(f"by={by!r}: {nearest(by, AXES)}")
    if of not in ("score", "best"):
        raise ValueError(f"of={of!r}: {nearest(of, ('score', 'best'))}")
