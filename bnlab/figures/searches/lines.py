"""Traces of one run of a search in a convergence figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab.figures.labels import capitalised, plain
from bnlab.figures.searches.curve import FloatArray
from bnlab.figures.theme import GREY, colour, hover, scatter, symbol, translucent

if TYPE_CHECKING:
    import pandas as pd

BOUND = "upper bound"
LINES: dict[str, dict[str, Any]] = {
    "score": {"width": 0.8},
    "best": {"width": 2.2},
    BOUND: {"width": 1.6, "dash": "dot"},
}
"""Lines of a run."""
MARKS = {"permanent": ("diamond", 5, "permanent edge"), "restart": ("line-ns-open", 8, "new start")}
"""Marker, its size and its description for each kind of event."""
KEYS = {"score": "Thin: score of the iteration", "best": "Thick: best so far", BOUND: "Dotted: upper bound"}
"""Entries of the legend for the kinds of lines."""
FENCE = 10.0
"""A score is an outlier if it is this many times as far from the best as the median is, and further away than 0."""
LEVEL = 0.05
"""Share of the latest scores that may be below the axis."""
ROOM = 0.05
"""Share of the axis that is free above and below the curves."""


class ScoreRange(NamedTuple):
    """Ends of an axis of scores, and whether some scores are below it, or some bounds above."""

    low: float
    high: float
    cut: bool
    cut_above: bool = False

    def holds(self, score: float) -> bool:
        """Whether a score is on the axis."""
        return self.low <= score <= self.high


def score_range(curves: Iterable[Mapping[str, FloatArray]], lines: Iterable[float] = ()) -> ScoreRange | None:
    """Range of the best scores so far, most of the latest scores, and the latest bounds, without outliers.

    A bound is an outlier if it is more than twice as far above the best score as the median bound, and further than
    the lowest score is below it. The first bounds of a search are far above the score of any graph.

    Parameters
    ----------
    curves : iterable of mappings
        Columns score, best and bound of each curve.
    lines : iterable of float
        Scores drawn as lines.

    Returns
    -------
    ScoreRange or None
        None if no score is finite.

    Examples
    --------
    >>> columns = {"score": [-1e12, -30.0, -20.0], "best": [-1e12, -30.0, -20.0], "bound": [np.inf] * 3}
    >>> score_range([{name: np.array(values) for name, values in columns.items()}])
    ScoreRange(low=-30.5, high=-19.5, cut=True, cut_above=False)
    """
    low, high, least, bounds = np.inf, -np.inf, np.inf, [np.empty(0)]
    for curve in curves:
        best, score = (curve[name][np.isfinite(curve[name])] for name in ("best", "score"))
        if not len(best):
            continue
        latest = np.quantile(score[len(score) // 2 :], LEVEL) if len(score) else best[-1]
        low = min(low, _inner(np.unique(best)), _inner(np.array([best.max(), latest])))
        high = max(high, best.max())
        bounds.append(curve["bound"][np.isfinite(curve["bound"])])
        least = min(least, best.min(), score.min(initial=np.inf))
    if low > high:
        return None
    bound = np.unique(np.concatenate(bounds))
    reach = high + max(high - low, 2 * (float(np.median(bound)) - high) if len(bound) else 0.0)
    loose = bool((bound > reach).any())
    high = float(bound[bound <= reach].max(initial=high))
    near = [line for line in lines if abs(line - high) <= max(FENCE * (high - low), abs(high))]
    low, high = min([low, *near]), max([high, *near])
    room = ROOM * (high - low) or 1.0
    return ScoreRange(float(low - room), float(high + room), bool(least < low - room), loose)


def _inner(values: FloatArray) -> float:
    """Least value that is not an outlier."""
    top = values.max()
    # Of two values, the greater one counts as the median, so that the other one may be an outlier.
    middle = np.sort(values)[len(values) // 2]
    return float(values[values >= top - max(FENCE * (top - middle), abs(top))].min())


def key_traces(traces: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Entries of the legend that explain the kinds of lines and marks that are drawn, of all runs together."""
    shown = {name: any(trace["name"].endswith(f", {name}") for trace in traces) for name in ("score", BOUND)}
    shown["best"] = any(trace["mode"] == "lines+markers" for trace in traces)
    lines = [legend_entry(KEYS[name], {**line, "color": GREY}) for name, line in LINES.items() if shown[name]]
    groups = {trace["legendgroup"] for trace in traces}
    looks = {mark: _mark(mark, GREY) for mark in MARKS}
    marks = [
        scatter("markers", [None], [None], name=capitalised(MARKS[mark][2]), hoverinfo="skip", showlegend=True, **look)
        for mark, look in looks.items()
        if look["legendgroup"] in groups
    ]
    return [*marks, *lines]


def legend_entry(name: str, line: Mapping[str, Any]) -> dict[str, Any]:
    """Trace without points: a line in the legend."""
    # Entries of one group stand below each other.
    look = {"legendgroup": f"key {name}", "hoverinfo": "skip", "showlegend": True}
    return scatter("lines", [None], [None], line=dict(line), name=name, **look)


def run_traces(
    run: str,
    i: int,
    points: Mapping[str, FloatArray],
    events: Sequence[Mapping[str, Any]],
    *,
    by: str,
    values: Callable[[FloatArray], Any] = np.ndarray.tolist,
) -> list[dict[str, Any]]:
    """Traces of run number `i`: its score, the best so far with a marker at its end, upper bound and events.

    `points` has the columns score, best, bound and `by`; `events` come from `Curve.marks`; `values` turns an array into
    JSON.
    """
    name, x, best = plain(str(run)), points[by], points["best"]
    own, at = {"legendgroup": name}, f"{capitalised(by)} %{{x:,.6~g}}<br>"
    lines = {"score": f"{name}, score", "best": name, BOUND: f"{name}, {BOUND}"}
    traces = []
    for (column, label), scores in zip(lines.items(), (points["score"], best, points["bound"]), strict=True):
        # The best score and the bound rarely change, so the points of their steps are enough.
        kept = np.arange(len(x)) if column == "score" else _steps_of(scores)
        if column == BOUND:
            kept = kept[np.isfinite(scores[kept])]
            if not len(kept):
                continue
        words = hover(f"{name}, {column}<br>{at}%{{y:,.1f}}")
        line = {**LINES[column], "color": colour(i), "shape": "linear" if column == "score" else "hv"}
        look = {"line": line, "name": label, "showlegend": False}
        traces.append(scatter("lines", values(x[kept]), values(scores[kept]), **own, **words, **look))
    # A marker shows the end of a run, even if it is long before the others; the legend shows line and marker.
    marker = {"size": 8, "color": colour(i), "symbol": symbol(i)}
    look = {"line": {"width": 2.2, "color": colour(i)}, "marker": marker, "name": name, "showlegend": True}
    words = hover(f"{name}, end<br>{at}Best %{{y:,.1f}}")
    end = scatter("lines+markers", x[-1:].tolist(), best[-1:].tolist(), **own, **words, **look)
    return [*traces, end, *_marks(events, run, by, colour(i))]


def _steps_of(values: FloatArray) -> NDArray[np.int64]:
    """Indices of the first value, of each that differs from the one before, and of the last."""
    changes = np.flatnonzero(values[:-1] != values[1:]) + 1
    return np.union1d(changes, [0, len(values) - 1]) if len(values) else changes


def band_traces(band: pd.DataFrame, run: str, by: str, ink: str) -> list[dict[str, Any]]:
    """Traces of a run with several seeds, from `convergence_bands`: its band and its median."""
    name, seeds = plain(str(run)), int(band.seeds.iloc[0])
    ends = [*band[by], *band[by][::-1]], [*band.high, *band.low[::-1]]
    look = {"fill": "toself", "fillcolor": translucent(ink, 0.18), "line": {"width": 0}, "hoverinfo": "skip"}
    around = scatter("lines", *ends, **look, name=f"{name}, 10 to 90 %", legendgroup=name, showlegend=False)
    words = hover(
        f"{name}, {seeds} seeds<br>{capitalised(by)} %{{x:,.6~g}}<br>Median %{{y:,.1f}}<br>"
        "10 to 90 %: %{customdata[0]:,.1f} to %{customdata[1]:,.1f}",
        band[["low", "high"]].to_numpy().tolist(),
    )
    look = {"line": {"width": 2, "color": ink}, "name": f"{name}, median of {seeds}", "legendgroup": name}
    return [around, scatter("lines", band[by].tolist(), band["median"].tolist(), **words, **look)]


def _marks(events: Sequence[Mapping[str, Any]], run: str, by: str, ink: str) -> Iterator[dict[str, Any]]:
    for mark, (_, _, words) in MARKS.items():
        rows = [event for event in events if event["mark"] == mark]
        if rows:
            edges = [f"{plain(row['u'])} → {plain(row['v'])}" if row["u"] else "" for row in rows]
            look = {"name": f"{plain(str(run))}, {words}", "showlegend": False, **_mark(mark, ink)}
            label = hover(
                f"{capitalised(words)} %{{customdata}}<br>{capitalised(by)} %{{x:,.6~g}}<br>%{{y:,.1f}}", edges
            )
            x, y = [row[by] for row in rows], [row["score"] for row in rows]
            yield scatter("markers", x, y, **label, **look)


def _mark(mark: str, ink: str) -> dict[str, Any]:
    """Marker of a kind of event; those of all runs are shown and hidden together by a click on the legend."""
    shape, size, _ = MARKS[mark]
    marker = {"symbol": shape, "size": size, "color": ink, "line": {"width": 1, "color": ink}}
    # Restarts are many, so they are hidden at first.
    return {"marker": marker, "legendgroup": f"key {mark}", "visible": True if mark == "permanent" else "legendonly"}
