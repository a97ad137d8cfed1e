"""What surrounds the traces of a plotly figure: axes, title, shapes and annotations as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import cos, radians, sin
from typing import Any, NamedTuple

from bnlab.figures.plotly_svg.axes import Axis
from bnlab.figures.plotly_svg.paint import paint, stroke, text_block, text_size
from bnlab.figures.plotly_svg.values import Spec
from bnlab.figures.svg import element
from bnlab.figures.theme import AXIS, GRID, INK

TICK_SIZE, TITLE_SIZE, NOTE_SIZE = 12.0, 13.0, 12.0
GAP = 5.0
"""Pixels between an axis, its tick labels and its title."""

Axes = Mapping[str, Axis]


class Area(NamedTuple):
    """Plot area in pixels."""

    left: float
    right: float
    top: float
    bottom: float

    def across(self, share: float) -> float:
        """Pixel of a share of the width, from the left."""
        return self.left + share * (self.right - self.left)

    def down(self, share: float) -> float:
        """Pixel of a share of the height, from the bottom."""
        return self.bottom - share * (self.bottom - self.top)


def placed(axis: Axis, area: Area) -> Axis:
    """The axis with the pixels of its ends."""
    to_pixels = area.across if axis.horizontal else area.down
    begin, end = map(to_pixels, domain(axis))
    return replace(axis, begin=begin, end=end)


def domain(axis: Axis) -> tuple[float, float]:
    """Share of the plot area that an axis spans."""
    begin, end = axis.spec.get("domain") or (0.0, 1.0)
    return float(begin), float(end)


class Labels(NamedTuple):
    """Tick labels of an axis: their size, angle, and the pixels that they take away from the axis."""

    texts: list[tuple[float, str]]
    size: float
    angle: float
    room: float


def tick_labels(axis: Axis) -> Labels:
    """Tick labels of an axis."""
    size = axis.spec.get("tickfont", {}).get("size", TICK_SIZE)
    texts = axis.ticks() if axis.spec.get("showticklabels", True) else []
    angle = axis.label_angle([text for _, text in texts], size)
    sizes = [text_size(text, size) for _, text in texts]
    slant = abs(sin(radians(angle))), abs(cos(radians(angle)))
    turned = [(slant[1] * w + slant[0] * h, slant[0] * w + slant[1] * h) for w, h in sizes]
    room = max((box[axis.horizontal] for box in turned), default=0.0)
    return Labels(texts, size, angle, room + GAP)


def title_of(axis: Axis) -> tuple[str, float]:
    """Title of an axis and the size of its letters."""
    title = axis.spec.get("title") or {}
    if isinstance(title, str):
        return title, TITLE_SIZE
    return title.get("text") or "", title.get("font", {}).get("size", TITLE_SIZE)


def room_of(axis: Axis) -> float:
    """Pixels that labels and title take beside an axis."""
    text, size = title_of(axis)
    return tick_labels(axis).room + (text_size(text, size)[1] + GAP if text else 0.0) + GAP


def draw_grid(axis: Axis, other: Axis) -> Iterator[str]:
    """Grid lines of an axis, the one at zero stronger."""
    spec = axis.spec
    zero = spec.get("zeroline", True) and not axis.log and not axis.categories
    for at, _ in axis.ticks() if spec.get("showgrid", True) else ():
        yield _rule(axis, other, at, {"color": spec.get("gridcolor", GRID), "width": 1})
    if zero and min(axis.low, axis.high) <= 0 <= max(axis.low, axis.high):
        look = {"color": spec.get("zerolinecolor", AXIS), "width": spec.get("zerolinewidth", 1)}
        yield _rule(axis, other, float(axis.at(0.0)), look)


def _rule(axis: Axis, other: Axis, at: float, look: Spec) -> str:
    ends = (at, other.begin, at, other.end) if axis.horizontal else (other.begin, at, other.end, at)
    return element("line", **dict(zip(("x1", "y1", "x2", "y2"), ends, strict=True)), **stroke(look, GRID))


def draw_labels(axis: Axis, other: Axis) -> Iterator[str]:
    """Tick labels and title of an axis, below or to the left of its plot."""
    labels = tick_labels(axis)
    text, size = title_of(axis)
    edge = other.begin
    middle = (axis.begin + axis.end) / 2
    for at, words in labels.texts:
        yield _tick_label(axis, edge, at, words, labels)
    if not text:
        return
    away = labels.room + GAP + text_size(text, size)[1] / 2
    if axis.horizontal:
        yield text_block(text, middle, edge + away, size=size, colour=INK)
    else:
        yield text_block(text, edge - away, middle, size=size, colour=INK, angle=-90)


def _tick_label(axis: Axis, edge: float, at: float, words: str, labels: Labels) -> str:
    if not axis.horizontal:
        return text_block(words, edge - GAP, at, size=labels.size, colour=INK, anchor="end")
    height = text_size(words, labels.size)[1]
    if not labels.angle:
        return text_block(words, at, edge + GAP + height / 2, size=labels.size, colour=INK)
    anchor = "end" if labels.angle < 0 else "start"
    below = edge + GAP + (labels.size / 2 if abs(labels.angle) < 60 else 0)
    return text_block(words, at, below, size=labels.size, colour=INK, anchor=anchor, angle=labels.angle)


def draw_title(layout: Spec) -> Iterator[str]:
    """Title and subtitle."""
    title = layout.get("title") or {}
    title = {"text": title} if isinstance(title, str) else title
    x, y = title.get("pad", {}).get("l", 0.0), title.get("pad", {}).get("t", 0.0) - 3
    size = title.get("font", {}).get("size", 16)
    for text, letters in (
        (title.get("text"), size),
        (title.get("subtitle", {}).get("text"), title.get("subtitle", {}).get("font", {}).get("size", NOTE_SIZE)),
    ):
        if text:
            height = text_size(text, letters)[1]
            yield text_block(text, x, y + height / 2, size=letters, colour=INK, anchor="start")
            y += height + 2


def position(owner: Spec, end: str, axes: Axes, area: Area, *, is_log10: bool = False) -> float:
    """Pixel of one coordinate of a shape or an annotation.

    Parameters
    ----------
    owner : dict
        Entries of the shape or the annotation.
    end : str
        Name of the coordinate: "x", "x0", "y1", ...
    axes : mapping of str to Axis
    area : Area
    is_log10 : bool
        Whether the coordinate on a logarithmic axis is a logarithm, as plotly has it for annotations.
    """
    reference = owner.get(f"{end[0]}ref", end[0])
    value = owner.get(end, 0.0)
    if reference == "paper":
        return area.across(value) if end[0] == "x" else area.down(value)
    name, _, whole = reference.partition(" ")
    axis = axes[name]
    if whole == "domain":
        return float(axis.begin + value * (axis.end - axis.begin))
    if isinstance(value, str) or (axis.log and not is_log10):
        return float(axis.pixels([value])[0])
    return float(axis.at(value))


def draw_shape(shape: Spec, axes: Axes, area: Area) -> str:
    """Line, rectangle or ellipse.

    Raises
    ------
    ValueError
        If it is another shape.
    """
    x0, x1, y0, y1 = (position(shape, end, axes, area) for end in ("x0", "x1", "y0", "y1"))
    opacity = shape.get("opacity", 1.0)
    look = stroke(shape.get("line", {}), INK, opacity)
    if shape.get("type") == "line":
        return element("line", x1=x0, x2=x1, y1=y0, y2=y1, **look)
    look |= paint(shape.get("fillcolor") or "none", opacity)
    look |= {} if look["stroke_width"] else {"stroke": "none"}
    wide, tall = abs(x1 - x0), abs(y1 - y0)
    if shape.get("type") == "circle":
        return element("ellipse", cx=(x0 + x1) / 2, cy=(y0 + y1) / 2, rx=wide / 2, ry=tall / 2, **look)
    if shape.get("type") != "rect":
        raise ValueError(f"shape of type {shape.get('type')!r}: SVG is drawn with 'line', 'rect' and 'circle'.")
    return element("rect", x=min(x0, x1), y=min(y0, y1), width=wide, height=tall, **look)


def draw_annotation(note: Spec, axes: Axes, area: Area) -> str:
    """Text at a place.

    Raises
    ------
    ValueError
        If it has an arrow.
    """
    if note.get("showarrow", True):
        raise ValueError(f"annotation {note.get('text')!r} has an arrow: SVG is drawn without, so set showarrow=False.")
    x, y = (position(note, end, axes, area, is_log10=True) for end in "xy")
    size, colour = note.get("font", {}).get("size", NOTE_SIZE), note.get("font", {}).get("color", INK)
    height = text_size(note["text"], size)[1]
    rise = {"top": height / 2, "bottom": -height / 2}.get(_anchor(note, "y"), 0.0)
    anchor = {"left": "start", "right": "end"}.get(_anchor(note, "x"), "middle")
    x, y = x + note.get("xshift", 0.0), y + rise - note.get("yshift", 0.0)
    return text_block(note["text"], x, y, size=size, colour=colour, anchor=anchor, angle=note.get("textangle", 0.0))


def _anchor(note: Spec, name: str) -> str:
    given = note.get(f"{name}anchor", "auto")
    if given != "auto":
        return str(given)
    share: Any = note.get(name, 0.5) if note.get(f"{name}ref") == "paper" else 0.5
    low, high = ("left", "right") if name == "x" else ("bottom", "top")
    return low if share < 1 / 3 else high if share > 2 / 3 else "middle"
