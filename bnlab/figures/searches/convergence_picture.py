"""Convergence as a picture, for where no chart runs: the still form of `convergence_figure`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isfinite, log10
from typing import TYPE_CHECKING

import numpy as np

from bnlab.figures.picture import Picture
from bnlab.figures.searches.convergence import ConvergenceData, FloatArray, glyph, thinned
from bnlab.figures.svg import document, element, label, number, shortened, text_width, written
from bnlab.figures.theme import GREY, INK, colour

if TYPE_CHECKING:
    import pandas as pd

WIDTH, HEIGHT = 860.0, 340.0
PAD, SIZE = 16.0, 12.0
LONGEST = 28
POINTS = 600
TICKS = 5


def convergence_picture(data: ConvergenceData, *, by: str = "iteration", title: str = "Convergence") -> Picture:
    """Draw the score of each run and the best so far against iterations or seconds, dark on white.

    Parameters
    ----------
    data : ConvergenceData
    by : "iteration" or "seconds"
    title : str
    """
    curves = {
        f"{run}, seed {seed}" if many else str(run): curve
        for run, group in data.curves.groupby("run", sort=False)
        for many in [group.seed.nunique() > 1]
        for seed, curve in group.groupby("seed", sort=False)
    }
    scores = [*data.baselines.values(), *data.curves.score, *data.curves.best]
    y_ticks = ticks(min(scores, default=0.0), max(scores, default=1.0))
    x_ticks = ticks(0.0, float(data.curves[by].max()) if len(data.curves) else 1.0)
    legend, top = _legend(list(curves))
    left = 2 * PAD + max(text_width(f"{tick:,.0f}", SIZE - 1) for tick in y_ticks)
    right = (
        WIDTH - PAD - max((text_width(shortened(name, LONGEST), SIZE - 1) + 8 for name in data.baselines), default=0)
    )
    bottom = HEIGHT - 44
    x_low, x_high = 0.0, max(x_ticks[-1], float(data.curves[by].max()) if len(data.curves) else 0.0)
    y_low, y_high = min(y_ticks[0], min(scores, default=0.0)), max(y_ticks[-1], max(scores, default=1.0))

    def across(x: FloatArray | float) -> FloatArray:
        return left + (np.asarray(x) - x_low) / max(x_high - x_low, 1e-12) * (right - left)

    def down(y: FloatArray | float) -> FloatArray:
        return bottom - (np.asarray(y) - y_low) / max(y_high - y_low, 1e-12) * (bottom - top)

    parts = []
    for tick in y_ticks:
        parts.append(_rule(left, float(down(tick)), right, float(down(tick))))
        words = f"{tick:,.0f}".replace("-", "−") if abs(y_high - y_low) > TICKS else f"{tick:g}"
        parts.append(label(words, left - 6, float(down(tick)), size=SIZE - 1, colour=INK, anchor="end"))
    for tick in x_ticks:
        words = f"{tick:,.0f}" if x_high > TICKS else f"{tick:g}"
        parts.append(label(words, float(across(tick)), bottom + 14, size=SIZE - 1, colour=INK))
    for name, score in data.baselines.items():
        y = float(down(score))
        line = element("line", x1=left, y1=y, x2=right, y2=y, stroke=GREY, stroke_width=1.4, stroke_dasharray="6 4")
        parts += [line, label(shortened(name, LONGEST), right + 6, y, size=SIZE - 1, colour=INK, anchor="start")]
    for i, (name, curve) in enumerate(curves.items()):
        x = across(curve[by].to_numpy(float))
        for column, width, opacity in (("score", 1.0, 0.45), ("best", 2.0, 1.0)):
            y_values = curve[column].to_numpy(float)
            parts.append(_line(x, down(y_values), y_values, i, width, opacity, f"{name}: {column}"))
        if len(curve):
            end = float(x[-1]), float(down(curve["best"].to_numpy(float)[-1]))
            parts.append(label(glyph(i), *end, size=SIZE, colour=colour(i)))
    svg = document(
        WIDTH,
        HEIGHT,
        element("rect", width=WIDTH, height=HEIGHT, rx=8, fill="#ffffff"),
        label(title, PAD, 18, size=14, colour=INK, anchor="start"),
        *legend,
        *parts,
        label(f"{by}; score in nats", (left + right) / 2, bottom + 32, size=SIZE, colour=INK),
        title=title,
        description=_words(curves, data.baselines),
    )
    return Picture(svg, f"{title}. {_words(curves, data.baselines)}", WIDTH)


def ticks(low: float, high: float) -> list[float]:
    """Round numbers that span a range.

    Examples
    --------
    >>> ticks(0.0, 9.5), ticks(3.0, 3.0)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [3.0])
    """
    if not (isfinite(low) and isfinite(high)) or high - low <= 1e-12 * max(abs(high), 1.0):
        return [low if isfinite(low) else 0.0]
    rough = (high - low) / TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first = int(np.ceil(low / step - 1e-9))
    return [round(k * step, 12) for k in range(first, int(np.floor(high / step + 1e-9)) + 1)]


def _legend(names: Sequence[str]) -> tuple[list[str], float]:
    parts: list[str] = []
    x, y = PAD, 42.0
    for i, name in enumerate(names):
        text = shortened(name, LONGEST)
        width = text_width(text, SIZE) + 44
        if x > PAD and x + width > WIDTH:
            x, y = PAD, y + 20
        parts.append(element("line", x1=x, x2=x + 18, y1=y, y2=y, stroke=colour(i), stroke_width=2.4))
        parts.append(label(glyph(i), x + 9, y, size=SIZE, colour=colour(i)))
        parts.append(label(text, x + 24, y, size=SIZE, colour=INK, anchor="start"))
        x += width
    return parts, y + 18


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke="#e2e2e2", stroke_width=1)


def _line(x: FloatArray, y: FloatArray, values: FloatArray, i: int, width: float, opacity: float, words: str) -> str:
    kept = thinned(values, POINTS) if len(values) else np.empty(0, dtype=np.int64)
    points = " ".join(f"{number(a)},{number(b)}" for a, b in zip(x[kept], y[kept], strict=True))
    line = {"points": points, "fill": "none", "stroke": colour(i), "stroke_width": width, "stroke_opacity": opacity}
    return element("polyline", element("title", written(words)), **line)


def _words(curves: Mapping[str, pd.DataFrame], baselines: Mapping[str, float]) -> str:
    parts = [
        f"{name}: {len(curve):,} iterations, best {curve.best.iloc[-1]:,.2f}" if len(curve) else f"{name}: not begun"
        for name, curve in curves.items()
    ]
    parts += [f"{name}: {score:,.2f}" for name, score in baselines.items()]
    return f"In nats, {'; '.join(parts) or 'nothing yet'}."
