"""Pieces that pictures of graphs are drawn from: nodes, arrows, tags and legends as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.figures.graphs.layout import NODE_HEIGHT, Layout
from bnlab.figures.picture import Picture
from bnlab.figures.svg import document, element, label, number, shortened, text_width, written
from bnlab.figures.theme import GREY, INK, MARKED_OUTLINE, MARKED_PAPER, OUTLINE, PAPER, colour

FloatArray: TypeAlias = NDArray[np.float64]
NamedEdge: TypeAlias = tuple[str, str]

LONGEST_NAME = 24
NAME_SIZE = 13.0
LABEL_SIZE = 11.0
MARGIN = 6.0
HEAD_LENGTH, HEAD_WIDTH = 9.0, 7.0
DASHES = (None, "7 4", "2 4", "11 3 2 3")


@dataclass(frozen=True)
class Stroke:
    """How the edges of one class are drawn."""

    colour: str
    width: float = 1.6
    dash: str | None = None


def widths(names: Sequence[str]) -> FloatArray:
    """Widths of ellipses that hold the names."""
    return np.array([max(52.0, 1.07 * text_width(shortened(name, LONGEST_NAME), NAME_SIZE) + 18) for name in names])


def node(name: str, centre: FloatArray, width: float, marked: bool) -> str:
    x, y = centre.tolist()
    shape = element(
        "ellipse",
        cx=x,
        cy=y,
        rx=width / 2,
        ry=NODE_HEIGHT / 2,
        fill=MARKED_PAPER if marked else PAPER,
        stroke=MARKED_OUTLINE if marked else OUTLINE,
        stroke_width=2.6 if marked else 1.4,
    )
    text = label(shortened(name, LONGEST_NAME), x, y, size=NAME_SIZE, colour=INK)
    return element("g", element("title", written(name)), shape, text)


def tag(text: str, at: FloatArray) -> str:
    """Text on a plate of its own, across its edge."""
    text = shortened(text, LONGEST_NAME)
    width = text_width(text, LABEL_SIZE) + 10
    plate = element("rect", x=at[0] - width / 2, y=at[1] - 9, width=width, height=18, rx=5, fill="#ffffff", stroke=GREY)
    return plate + label(text, float(at[0]), float(at[1]), size=LABEL_SIZE, colour=INK)


def strokes(classes: Iterable[str], *, width: float) -> dict[str, Stroke]:
    """Stroke of each class, told apart by colour and by dashes, in the order in which they occur."""
    return {name: Stroke(colour(i), width, DASHES[i % len(DASHES)]) for i, name in enumerate(dict.fromkeys(classes))}


@dataclass(frozen=True)
class Legend:
    """Stroke of each class, and the class of each edge that has one."""

    strokes: Mapping[str, Stroke]
    classed: Sequence[str]

    def chips(self, limit: float) -> tuple[list[str], float, float]:
        """Chips with a piece of line, name and count of each class, which wrap at `limit`; their width and height."""
        chips: list[str] = []
        left, top, right = 0.0, 18.0, 0.0
        for name, stroke in self.strokes.items():
            text = f"{name} {self.classed.count(name)}"
            width = text_width(text, 12) + 56
            if left > 0 and left + width > max(limit, 240):
                left, top = 0.0, top + 30
            chips.append(_chip(text, left, top, width, stroke))
            right = max(right, left + width)
            left += width + 8
        return chips, right, top + 24 if chips else 0.0


def picture(parts: Sequence[str], layout: Layout, legend: Legend, summary: str, description: str) -> Picture:
    """Parts of a graph drawn by its layout, with a legend below, as one picture."""
    chips, chips_width, chips_height = legend.chips(layout.size[0])
    width = max(layout.size[0], chips_width) + 2 * MARGIN
    height = layout.size[1] + chips_height + 2 * MARGIN
    drawn = element("g", *parts, transform=_shift((width - layout.size[0]) / 2, MARGIN))
    below = [element("g", *chips, transform=_shift(MARGIN, layout.size[1] + MARGIN))] if chips else []
    svg = document(width, height, drawn, *below, title=summary, description=description)
    return Picture(svg, f"{summary}. {description}", width)


def _shift(x: float, y: float) -> str:
    return f"translate({number(x)} {number(y)})"


def _chip(text: str, x: float, y: float, width: float, stroke: Stroke) -> str:
    return (
        element("rect", x=x, y=y, width=width, height=24, rx=6, fill="#ffffff", stroke=GREY)
        + element(
            "line",
            x1=x + 10,
            x2=x + 38,
            y1=y + 12,
            y2=y + 12,
            stroke=stroke.colour,
            stroke_width=stroke.width,
            stroke_dasharray=stroke.dash,
        )
        + label(text, x + 46, y + 12, size=12, colour=INK, anchor="start")
    )


def line(curve: list[FloatArray], stroke: Stroke, directed: bool, words: str) -> str:
    head = ""
    if directed:
        tip = curve[-1][3]
        curve = _until(curve, lambda p: float(np.hypot(*(p - tip))) > HEAD_LENGTH - 1)
        head = _head(curve[-1][3], tip, stroke)
    path = "M" + " ".join(map(number, curve[0][0]))
    for piece in curve:
        path += "C" + " ".join(number(c) for c in piece[1:].ravel())
    line = element(
        "path",
        d=path,
        fill="none",
        stroke=stroke.colour,
        stroke_width=stroke.width,
        stroke_dasharray=stroke.dash,
    )
    return element("g", element("title", written(words)), line, head)


def _head(base: FloatArray, tip: FloatArray, stroke: Stroke) -> str:
    along = (tip - base) / max(float(np.hypot(*(tip - base))), 1e-9)
    across = np.array([-along[1], along[0]]) * (HEAD_WIDTH + stroke.width) / 2
    back = tip - along * HEAD_LENGTH
    corners = np.array([tip, back + across, back - across])
    return element("polygon", points=" ".join(map(number, corners.ravel())), fill=stroke.colour)


def between_rims(curve: list[FloatArray], layout: Layout, u: int, v: int) -> list[FloatArray]:
    """Part of a curve, of Bézier pieces of shape (4, 2) each, between the rims of the nodes at its ends."""
    curve = _until(curve, lambda p: _outside(p, layout, v))
    return _backwards(_until(_backwards(curve), lambda p: _outside(p, layout, u)))


def _outside(point: FloatArray, layout: Layout, node: int) -> bool:
    return float((((point - layout.centres[node]) / (layout.sizes[node] / 2 + 1)) ** 2).sum()) > 1


def _backwards(curve: list[FloatArray]) -> list[FloatArray]:
    return [piece[::-1] for piece in reversed(curve)]


def _until(curve: list[FloatArray], clear: Callable[[FloatArray], bool]) -> list[FloatArray]:
    """Curve up to the last point that is clear of what lies at its end."""
    kept = list(curve)
    while len(kept) > 1 and not clear(kept[-1][0]):
        kept.pop()
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if clear(_point(kept[-1], middle)):
            low = middle
        else:
            high = middle
    return [*kept[:-1], _split(kept[-1], low)]


def _point(piece: FloatArray, t: float) -> FloatArray:
    weights = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    at: FloatArray = weights @ piece
    return at


def at(curve: list[FloatArray], share: float) -> FloatArray:
    """Point at a share of the curve's pieces."""
    along = share * len(curve)
    piece = min(int(along), len(curve) - 1)
    return _point(curve[piece], along - piece)


def _split(piece: FloatArray, t: float) -> FloatArray:
    """First part of a Bézier piece, up to t (de Casteljau)."""
    corners, rest = [piece[0]], piece
    while len(rest) > 1:
        rest = (1 - t) * rest[:-1] + t * rest[1:]
        corners.append(rest[0])
    return np.array(corners)
