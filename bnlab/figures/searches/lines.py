"""Traces of one run of a search in a convergence figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab.figures.labels import plain
from bnlab.figures.searches.curve import FloatArray
from bnlab.figures.theme import colour, hover, scatter, symbol, translucent

if TYPE_CHECKING:
    import pandas as pd

BOUND = "upper bound"
LINES: dict[str, dict[str, Any]] = {
    "score": {"width": 1.2},
    "best": {"width": 2.2},
    BOUND: {"width": 1.6, "dash": "dot"},
}
"""Lines of a run."""
MARKS = {"permanent": ("diamond", 5, "permanent edge"), "restart": ("line-ns-open", 8, "new start")}
"""Marker, its size and its words for each kind of event."""


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

    `points` has the columns score, best, bound, and that of `by`; `events` are as from `Curve.marks`; `values` makes
    JSON of an array.
    """
    name, x, best = plain(str(run)), points[by], points["best"]
    own, at = {"legendgroup": name}, f"{by} %{{x:,.6~g}}<br>"
    lines = {"score": f"{name}, score", "best": name, BOUND: f"{name}, {BOUND}"}
    traces = []
    for (column, label), scores in zip(lines.items(), (points["score"], best, points["bound"]), strict=True):
        # A score that rarely changes: the points of its steps are enough.
        kept = np.arange(len(x)) if column == "score" else _steps_of(scores)
        if column == BOUND:
            kept = kept[np.isfinite(scores[kept])]
            if not len(kept):
                continue
        words = hover(f"{name}, {column}<br>{at}%{{y:,.1f}}")
        line = {**LINES[column], "color": colour(i), "shape": "linear" if column == "score" else "hv"}
        look = {"line": line, "opacity": 0.55 if column == "score" else 1.0, "name": label, "showlegend": False}
        traces.append(scatter("lines", values(x[kept]), values(scores[kept]), **own, **words, **look))
    # Where a run ends, visible even if it ends long before the others; its entry in the legend has line and marker.
    marker = {"size": 8, "color": colour(i), "symbol": symbol(i)}
    look = {"line": {"width": 2.2, "color": colour(i)}, "marker": marker, "name": name, "showlegend": True}
    words = hover(f"{name}, end<br>{at}best %{{y:,.1f}}")
    end = scatter("lines+markers", x[-1:].tolist(), best[-1:].tolist(), **own, **words, **look)
    return [*traces, end, *_marks(events, run, by, colour(i))]


def _steps_of(values: FloatArray) -> NDArray[np.int64]:
    """Indices of the first value, of each that differs from the one before, and of the last."""
    changes = np.flatnonzero(values[:-1] != values[1:]) + 1
    return np.union1d(changes, [0, len(values) - 1]) if len(values) else changes


def band_traces(band: pd.DataFrame, run: str, by: str, ink: str) -> list[dict[str, Any]]:
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
