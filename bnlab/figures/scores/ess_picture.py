"""Networks over the equivalent sample size as a picture, for where no chart runs: the still form of `ess_figure`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import ceil, floor, log10
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.figures.picture import Picture
from bnlab.figures.scores.differences import LONGEST, stretched, ticks
from bnlab.figures.scores.differences_picture import PAD, SIZE, WIDTH, dot, legend_of, rule
from bnlab.figures.scores.ess import EssData, ess_words, written_ess
from bnlab.figures.svg import document, element, label, number, shortened, text_width, written
from bnlab.figures.theme import GREY, INK, colour

RIBBON = 26.0
HEIGHT = 190.0
DASHES = (None, "8 4", "2 4", "8 4 2 4", "14 5")
DOTS = 9

FloatArray: TypeAlias = NDArray[np.float64]


def ess_picture(
    data: EssData,
    *,
    title: str = "BDeu over the equivalent sample size",
    order: Iterable[str] | None = None,
) -> Picture:
    """Draw each network's distance to the best over ess, below a ribbon that names the winners, dark on white.

    Parameters
    ----------
    data : EssData
    title : str
    order : iterable of str, optional
        All networks, so that each keeps its colour and shape.
    """
    names = [str(name) for name in data.differences.columns]
    everyone = list(order or names)
    numbers = {name: everyone.index(name) for name in names}
    legend, legend_height = legend_of(names, numbers)
    place = _Place(data, 34 + legend_height)
    words = f"In this range {ess_words(data, most=12)}."
    svg = document(
        WIDTH,
        place.bottom + 50,
        element("rect", width=WIDTH, height=place.bottom + 50, rx=8, fill="#ffffff"),
        label(title, PAD, 18, size=14, colour=INK, anchor="start"),
        *legend,
        *_grid(place),
        *_ribbon(data, place, numbers),
        *(part for name in names for part in _curve(data, place, name, numbers[name])),
        label("equivalent sample size (ess)", place.middle, place.bottom + 34, size=SIZE, colour=INK),
        title=title,
        description=words,
    )
    return Picture(svg, f"{title}. {words}", WIDTH)


class _Place:
    """Where ess and differences lie in the picture."""

    def __init__(self, data: EssData, top: float) -> None:
        self.ess = data.differences.index.to_numpy(dtype=np.float64)
        self.low = float(data.differences.to_numpy().min())
        self.y_ticks = list(zip(*ticks(self.low, 0.0), strict=True))
        self.left = 2 * PAD + max(text_width(text, SIZE - 1) for _, text in self.y_ticks)
        self.right = WIDTH - 2 * PAD
        self.middle = (self.left + self.right) / 2
        self.ribbon = top + 14
        self.top = self.ribbon + RIBBON + 8
        self.bottom = self.top + HEIGHT

    def across(self, ess: FloatArray | float) -> FloatArray:
        low, high = log10(self.ess[0]), log10(self.ess[-1])
        return np.asarray(self.left + (np.log10(ess) - low) / ((high - low) or 1.0) * (self.right - self.left))

    def down(self, place: FloatArray | float) -> FloatArray:
        deepest = min(float(stretched(self.low)), -0.1)
        return np.asarray(self.top + 6 + np.asarray(place) / deepest * (HEIGHT - 12))


def _grid(place: _Place) -> list[str]:
    parts = []
    for value, text in place.y_ticks:
        y = float(place.down(value))
        parts += [rule(place.left, y, place.right, y, strong=text == "0")]
        parts += [label(text, place.left - 6, y, size=SIZE - 1, colour=INK, anchor="end")]
    for power in range(ceil(log10(place.ess[0]) - 1e-9), floor(log10(place.ess[-1]) + 1e-9) + 1):
        x = float(place.across(10.0**power))
        parts += [rule(x, place.top, x, place.bottom)]
        parts += [label(written_ess(10.0**power), x, place.bottom + 12, size=SIZE - 1, colour=INK)]
    return parts


def _ribbon(data: EssData, place: _Place, numbers: dict[str, int]) -> list[str]:
    parts = []
    for name, low, high in data.winners:
        x1, x2 = float(place.across(low)), float(place.across(high))
        hue = colour(numbers[name])
        box = {"x": x1, "y": place.ribbon, "width": x2 - x1, "height": RIBBON, "stroke": hue, "stroke_width": 1.5}
        wins = f"{data.winner(name)} from ess {written_ess(low)} to {written_ess(high)}"
        parts.append(element("rect", element("title", written(wins)), fill=hue, fill_opacity=0.2, **box))
        text = shortened(data.winner(name), LONGEST)
        if text_width(text, SIZE) + 6 < x2 - x1:
            parts.append(label(text, (x1 + x2) / 2, place.ribbon + RIBBON / 2, size=SIZE, colour=INK))
    last = -np.inf
    for (_, _, high), _ in pairwise(data.winners):
        x = float(place.across(high))
        line = {"x1": x, "x2": x, "y1": place.ribbon, "y2": place.bottom, "stroke": GREY, "stroke_dasharray": "2 3"}
        parts.append(element("line", **line))
        if x - last > 40:
            last = x
            parts.append(label(written_ess(high), x, place.ribbon - 8, size=SIZE - 1, colour=INK))
    return parts


def _curve(data: EssData, place: _Place, name: str, i: int) -> list[str]:
    x, y = place.across(place.ess), place.down(stretched(data.differences[name].to_numpy()))
    points = " ".join(f"{number(a)},{number(b)}" for a, b in zip(x, y, strict=True))
    line = {"points": points, "fill": "none", "stroke": colour(i), "stroke_width": 2}
    every = max(1, len(x) // DOTS)
    shown = range((i * every // 5) % every, len(x), every)
    return [
        element("polyline", element("title", written(name)), stroke_dasharray=DASHES[i % len(DASHES)], **line),
        *(dot(float(x[k]), float(y[k]), i, name) for k in shown),
    ]
