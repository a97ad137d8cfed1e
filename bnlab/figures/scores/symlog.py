"""Differences of scores on a symlog scale: ticks, axes, traces of networks, and their legend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bnlab.figures.labels import plain
from bnlab.figures.svg import text_width
from bnlab.figures.table import signed
from bnlab.figures.theme import AXIS, LEGEND_IN_LINES, Chart, chart_layout, colour, hover, scatter, symbol

LONGEST = 28
ABOVE, BELOW = 56, 66
"""Pixels for the title, and for the axis."""
LEGEND_WIDTH = 420
PLOT_HEIGHT = 250
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
FIRST_TICK = 0.1
"""Nats of the smallest tick: the label of a smaller one would touch that of 0."""


def symlog(values: ArrayLike) -> NDArray[np.float64]:
    """Differences on a symlog scale: sign(d) log10(1 + |d|).

    Examples
    --------
    >>> symlog([-9, 0, 99]).tolist()
    [-1.0, 0.0, 2.0]
    """
    d = np.asarray(values, dtype=np.float64)
    return np.asarray(np.sign(d) * np.log10(1 + np.abs(d)))


def ticks(low: float, high: float, most: int = 7) -> tuple[list[float], list[str]]:
    """Places and texts of ticks, 0 and powers of 10, for differences from `low` to `high` on the symlog scale.

    If all differences are smaller than the smallest tick, that tick lies beyond them.

    Examples
    --------
    >>> ticks(-2500, 20)[1], ticks(-3e6, 0, most=4)[1]
    (['−1k', '−100', '−10', '0', '10'], ['−1M', '−10k', '−100', '0'])
    >>> ticks(-0.02, 0)[1]
    ['−0.1', '0']
    """
    if max(-low, high) < FIRST_TICK:
        low, high = FIRST_TICK * np.sign(low), FIRST_TICK * np.sign(high)
    largest = max(-low, high)
    top = floor(log10(largest)) if largest > 0 else 0
    for step in range(1, top + 3):
        powers = [10.0**k for k in range(top, min(top, 1) - 1, -step)]
        values = [-p for p in powers if p <= -low] + [0.0] + [p for p in reversed(powers) if p <= high]
        if len(values) <= most:
            break
    return symlog(values).tolist(), [_short(v) for v in values]


def _short(value: float) -> str:
    size, letter = next(((s, c) for s, c in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if abs(value) >= s), (1.0, ""))
    return f"{value / size:{',g' if letter else 'g'}}{letter}".replace("-", "−")


def difference_axis(values: ArrayLike, title: str) -> dict[str, Any]:
    """Axis of a chart for differences, with room for 0 and the smallest ticks."""
    differences = np.append(values, 0.0)
    low, high = float(differences.min()), float(differences.max())
    places, texts = ticks(low, high)
    begin, end = symlog([low, high]).tolist()
    room = max(0.08 * (end - begin), 0.1)
    return {"tickvals": places, "ticktext": texts, "range": [begin - room, end + room], "title": {"text": title}}


def series(name: Any, values: ArrayLike, where: str) -> dict[str, Any]:
    """Entries of a network's trace without coordinates: its name, and hover labels with its differences."""
    words = hover(f"{plain(str(name))}<br>{where}: %{{customdata}} nats", [signed(v) for v in np.asarray(values)])
    return words | {"name": plain(str(name), LONGEST)}


def curves_chart(
    data: pd.DataFrame, order: Iterable[str] | None, where: str, title: str, *, above: float = ABOVE
) -> Chart:
    """Chart of the differences of networks, the columns of `data`, over its index; axes and legend are not set yet.

    `order` has all networks, so that each keeps its colour when only some are shown.
    """
    x, everyone = data.index.to_list(), list(order or map(str, data.columns))
    traces = []
    for name, values in data.items():
        i = everyone.index(str(name))
        line = {"color": colour(i), "width": 2, "dash": DASHES[i % len(DASHES)]}
        look = {"line": line, "marker": {"symbol": symbol(i), "size": 8}}
        traces.append(scatter("lines+markers", x, symlog(values).tolist(), **series(name, values, where), **look))
    return {"data": traces, "layout": chart_layout(title, PLOT_HEIGHT, above=above, below=BELOW)}


def upright(x: float, top: float = 1.0, **line: Any) -> dict[str, Any]:
    """Shape of a vertical line through the plot."""
    place = {"type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": top}
    return place | {"line": {"color": AXIS, **line}}


def add_legend(traces: Sequence[dict[str, Any]], layout: dict[str, Any], *, legend: bool) -> Chart:
    """Chart with a legend below the axis, or without one; the height of the plot does not change."""
    if not legend:
        return {"data": traces, "layout": layout | {"showlegend": False}}
    widths = [text_width(trace["name"], 13) for trace in traces]
    lines = ceil(len(widths) / max(1, LEGEND_WIDTH // (max(widths, default=0.0) + 60)))
    more, margin = 12 + 20 * lines, layout["margin"]
    plot = layout["height"] - margin["t"] - margin["b"]
    layout |= {"showlegend": True, "legend": LEGEND_IN_LINES | {"y": -BELOW / plot}}
    layout |= {"height": layout["height"] + more, "margin": margin | {"b": margin["b"] + more}}
    return {"data": traces, "layout": layout}
