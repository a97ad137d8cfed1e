"""Colours, dashes, markers and texts of plotly as SVG."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab.figures.svg import element, label, number, text_width
from bnlab.figures.theme import INK

Corners = NDArray[np.complex128]
LINE_HEIGHT = 1.3

_RGB = re.compile(r"rgba?\(([^)]*)\)")
_TAG = re.compile(r"<[^>]*>")
_DASHES = {"dot": (1, 1), "dash": (3, 3), "longdash": (5, 5), "dashdot": (3, 1, 1, 1), "longdashdot": (5, 1, 1, 1)}


def _star(points: int, inner: float = 1.0, turn: float = 0.0) -> Corners:
    """Corners on two circles in turn, or of a regular polygon if `inner` is 1; if `turn` is 0, one is at the top."""
    angles = np.arange(2 * points) / (2 * points) + turn
    radii = np.tile([1.0, inner], points)
    corners = radii * np.exp(2j * np.pi * (angles - 0.25))
    return np.asarray(corners[:: 2 if inner == 1.0 else 1], dtype=np.complex128)


_PLUS = 1.15 * np.array([a * 1j**k for k in range(4) for a in (1 - 0.35j, 1 + 0.35j, 0.35 + 0.35j)])
SHAPES: dict[str, Corners] = {
    "circle": _star(24),
    "square": 1.2 * _star(4, turn=1 / 8),
    "diamond": 1.25 * _star(4),
    "diamond-tall": np.array([-1.4j, 0.7, 1.4j, -0.7]),
    "triangle-up": 1.25 * _star(3),
    "cross": np.asarray(_PLUS),
    "x": np.asarray(_PLUS * 1j**0.5),
    "star": 1.4 * _star(5, inner=0.45),
    "hexagon": 1.1 * _star(6),
    "line-ns": np.array([-1.4j, 1.4j]),
}
"""Corners of each marker, as x + iy, for a radius of 1."""
HATCHES = {
    "/": "M-1 1l2-2M0 6l6-6M5 7l2-2",
    "\\": "M-1 5l2 2M0 0l6 6M5-1l2 2",
    "x": "M0 0l6 6M0 6l6-6",
    "|": "M3 0v6",
    "-": "M0 3h6",
    "+": "M3 0v6M0 3h6",
    ".": "M2 3h2",
}
"""White lines of each pattern of a bar, in a square of 6 pixels."""


def paint(colour: str, opacity: float = 1.0, name: str = "fill") -> dict[str, Any]:
    """Attributes for a colour of plotly; opacity becomes a separate attribute, which all viewers support.

    Examples
    --------
    >>> paint("rgba(27, 93, 228, 0.5)", 0.5)
    {'fill': '#1b5de4', 'fill_opacity': '0.25'}
    >>> paint("#1b5de4", name="stroke")
    {'stroke': '#1b5de4'}
    """
    found = _RGB.fullmatch(colour)
    if found is not None:
        red, green, blue, *rest = (float(part) for part in found[1].split(","))
        colour, opacity = f"#{round(red):02x}{round(green):02x}{round(blue):02x}", opacity * (rest[0] if rest else 1.0)
    return {name: colour} | ({f"{name}_opacity": f"{opacity:.3g}"} if opacity < 1 else {})


def dashes(dash: str | None, width: float) -> str | None:
    """Dash of plotly in the notation of SVG.

    Examples
    --------
    >>> dashes("dash", 2), dashes("6px,5px", 1), dashes("solid", 1)
    ('9 9', '6 5', None)
    """
    if dash is None or dash == "solid":
        return None
    if dash in _DASHES:
        return " ".join(number(part * max(width, 3.0)) for part in _DASHES[dash])
    return " ".join(re.findall(r"[\d.]+", dash))


def stroke(line: dict[str, Any], colour: str, opacity: float = 1.0, width: float = 2.0) -> dict[str, Any]:
    """Attributes for a line of plotly, with its defaults."""
    width = line.get("width", width)
    return {
        **paint(line.get("color") or colour, opacity, "stroke"),
        "stroke_width": width,
        "stroke_dasharray": dashes(line.get("dash"), width),
        "fill": "none",
    }


def hatch_name(pattern: str) -> str:
    """Name of a pattern of bars within an SVG file."""
    if pattern not in HATCHES:
        raise ValueError(f"bar pattern {pattern!r}: SVG is drawn with {' '.join(HATCHES)}.")
    return f"hatch-{list(HATCHES).index(pattern)}"


def hatch(pattern: str) -> str:
    """Pattern of white lines, to which the fill of bars refers by name."""
    name = hatch_name(pattern)
    lines = element("path", d=HATCHES[pattern], stroke="#ffffff", stroke_width=1.6, fill="none")
    return element("pattern", lines, id=name, width=6, height=6, patternUnits="userSpaceOnUse")


def polyline(x: Any, y: Any, **look: Any) -> str:
    """Line through points in pixels."""
    return element("polyline", points=_points(zip(x, y, strict=True)), stroke_linejoin="round", **look)


def marker(symbol: str, x: float, y: float, size: float, look: dict[str, Any]) -> str:
    """Marker of plotly by centre and diameter; `look` has the entries colour, opacity, outline (colour) and width."""
    name = symbol.removesuffix("-open")
    if name not in SHAPES:
        raise ValueError(f"marker symbol {symbol!r}: SVG is drawn with {', '.join(SHAPES)}, each also '-open'.")
    is_open, opacity = name != symbol, look["opacity"]
    line = look["outline"] if not is_open else look["outline"] or look["colour"]
    width = look["width"] or (1.0 if is_open else 0.0)
    ink = {"fill": "none"} if is_open else paint(look["colour"], opacity)
    edge = paint(line or look["colour"], opacity, "stroke") | {"stroke_width": width} if width else {}
    if name == "circle":
        return element("circle", cx=x, cy=y, r=size / 2, **ink, **edge)
    corners = SHAPES[name] * (size / 2) + complex(x, y)
    return element("polygon", points=_points((c.real, c.imag) for c in corners), **ink, **edge)


def dots(x: Any, y: Any, size: float, colour: str, opacity: float) -> str:
    """Many equal dots as one path: lines of length 0 with round ends, in a fraction of the bytes of circles."""
    places = "".join(f"M{number(a)} {number(b)}h0" for a, b in zip(x, y, strict=True))
    ink = paint(colour, opacity, "stroke") | {"stroke_width": size, "stroke_linecap": "round"}
    return element("path", d=places, fill="none", **ink)


def _points(pairs: Any) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in pairs)


def text_lines(text: str) -> list[tuple[str, bool]]:
    """Lines of a text of plotly, and whether each is bold; its other tags are dropped.

    Examples
    --------
    >>> text_lines("<b>A</b><br>10<sup>3</sup> &lt;b&gt;")
    [('A', True), ('10³ <b>', False)]
    """
    raised = re.sub("<sup>(.*?)</sup>", lambda found: found[1].translate(_RAISED), text)
    return [(unescape(_TAG.sub("", part)), "<b>" in part) for part in raised.split("<br>")]


_RAISED = str.maketrans("0123456789−-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")


def text_size(text: str, size: float) -> tuple[float, float]:
    """Width and height in pixels that a text of plotly takes."""
    lines = text_lines(text)
    return max(text_width(line, size, bold=bold) for line, bold in lines), len(lines) * size * LINE_HEIGHT


def text_block(
    text: str, x: float, y: float, *, size: float, colour: str = INK, anchor: str = "middle", angle: float = 0.0
) -> str:
    """Text of plotly with its tags, centred on `y`; the angle is in degrees, clockwise, around (x, y)."""
    lines, ink = text_lines(text), paint(colour)
    first = y - (len(lines) - 1) * size * LINE_HEIGHT / 2
    if angle:
        ink["transform"] = f"rotate({number(angle)} {number(x)} {number(y)})"
    return "".join(
        label(line, x, first + k * size * LINE_HEIGHT, size=size, anchor=anchor, bold=bold, **ink)
        for k, (line, bold) in enumerate(lines)
        if line
    )
