"""Score differences as a picture, for where no chart runs: the still form of `differences_figure`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlab.figures.picture import Picture
from bnlab.figures.scores.differences import LONGEST, against, reach, stretched, ticks
from bnlab.figures.svg import document, element, label, number, shortened, text_width, written
from bnlab.figures.table import signed
from bnlab.figures.theme import GREY, INK, colour, symbol

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 860.0
ROW = 28.0
PAD = 16.0
SIZE = 12.0
RADIUS = 5.5

Corners = NDArray[np.complex128]


def _star(points: int, inner: float = 1.0, turn: float = 0.0) -> Corners:
    """Corners on two circles in turn; a regular polygon when they are one. A turn of 0 has a corner at the top."""
    angles = np.arange(2 * points) / (2 * points) + turn
    radii = np.tile([1.0, inner], points)
    corners = radii * np.exp(2j * np.pi * (angles - 0.25))
    return np.asarray(corners[:: 2 if inner == 1.0 else 1], dtype=np.complex128)


_PLUS = 1.15 * np.array([a * 1j**k for k in range(4) for a in (1 - 0.35j, 1 + 0.35j, 0.35 + 0.35j)])
SHAPES: dict[str, Corners] = {
    "circle": _star(24),
    "square": 1.2 * _star(4, turn=1 / 8),
    "diamond": 1.25 * _star(4),
    "triangle-up": 1.25 * _star(3),
    "cross": np.asarray(_PLUS),
    "x": np.asarray(_PLUS * 1j**0.5),
    "star": 1.4 * _star(5, inner=0.45),
    "hexagon": 1.1 * _star(6),
}
"""Corners of each marker, as x + iy, for a radius of 1."""


def differences_picture(
    data: pd.DataFrame,
    reference: str | None = None,
    *,
    labels: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
) -> Picture:
    """Draw how far each network is from the reference, a row of dots a score, dark on white.

    Parameters
    ----------
    data : DataFrame
        From `differences_data`.
    reference : str, optional
        The one that was given there.
    labels : sequence of str, optional
        What the scores are called; their columns by default.
    order : sequence of str, optional
        All networks, so that each keeps its colour and shape when only some are shown.
    """
    rows = [shortened(str(name), LONGEST) for name in (labels or data.columns)]
    networks = [str(name) for name in data.index]
    numbers = {name: list(order or networks).index(name) for name in networks}
    legend, legend_height = legend_of(networks, numbers)
    left = 2 * PAD + max(text_width(name, SIZE) for name in rows)
    top, bottom = 34 + legend_height, 34 + legend_height + ROW * len(rows)
    low, high = map(float, stretched(reach(data.to_numpy())))
    room = max(0.05 * (high - low), 0.1)

    def across(place: float) -> float:
        return left + (place - low + room) / (high - low + 2 * room) * (WIDTH - PAD - left)

    lines, names = [], []
    for i, name in enumerate(rows):
        y = top + (i + 0.5) * ROW
        lines.append(rule(left, y, WIDTH - PAD, y))
        names.append(label(name, left - PAD / 2, y, size=SIZE, colour=INK, anchor="end"))
    for place, text in zip(*ticks(*reach(data.to_numpy())), strict=True):
        x = across(place)
        lines.append(rule(x, top, x, bottom, strong=text == "0"))
        names.append(label(text, x, bottom + 12, size=SIZE - 1, colour=INK))
    dots = [
        dot(across(float(stretched(value))), top + (j + 0.5) * ROW, i, f"{name}, {rows[j]}: {signed(value)} nats")
        for (name, i), values in zip(numbers.items(), data.to_numpy(), strict=True)
        for j, value in enumerate(values)
    ]
    title = f"Difference from {against(reference)}"
    height = bottom + 50
    svg = document(
        WIDTH,
        height,
        element("rect", width=WIDTH, height=height, rx=8, fill="#ffffff"),
        label(title, PAD, 18, size=14, colour=INK, anchor="start"),
        *legend,
        *lines,
        *names,
        *dots,
        label("nats, logarithmic away from zero", (left + WIDTH - PAD) / 2, bottom + 34, size=SIZE, colour=INK),
        title=title,
        description=_words(data, rows),
    )
    return Picture(svg, f"{title}. {_words(data, rows)}", WIDTH)


def legend_of(networks: Sequence[str], numbers: Mapping[str, int]) -> tuple[list[str], float]:
    """Pieces that name the networks by their numbers' colours and shapes, in lines, and the height they take."""
    parts: list[str] = []
    x, y = PAD, 46.0
    for name in networks:
        text = shortened(name, LONGEST)
        width = text_width(text, SIZE) + 36
        if x > PAD and x + width > WIDTH:
            x, y = PAD, y + 22
        parts += [dot(x + 7, y, numbers[name], name), label(text, x + 18, y, size=SIZE, colour=INK, anchor="start")]
        x += width
    return parts, y - 46 + 30


def rule(x1: float, y1: float, x2: float, y2: float, *, strong: bool = False) -> str:
    """Line behind the data."""
    return element(
        "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=GREY if strong else "#e2e2e2", stroke_width=1.5 if strong else 1
    )


def dot(x: float, y: float, network: int, words: str) -> str:
    """Marker of a network, by its number."""
    corners = SHAPES[symbol(network)] * RADIUS + complex(x, y)
    points = " ".join(f"{number(c.real)},{number(c.imag)}" for c in corners)
    return element("polygon", element("title", written(words)), points=points, fill=colour(network))


def _words(data: pd.DataFrame, rows: Sequence[str]) -> str:
    parts = []
    for j, score in enumerate(rows):
        values = "; ".join(f"{name} {signed(value)}" for name, value in data.iloc[:, j].items())
        parts.append(f"{score}: {values}")
    return f"In nats, {'. '.join(parts)}."
