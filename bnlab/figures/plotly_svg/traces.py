"""Traces of plotly figures as SVG: scatter, bar, heat map and box."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bnlab.figures.plotly_svg.axes import Axis
from bnlab.figures.plotly_svg.paint import dots, marker, paint, polyline, stroke, text_block
from bnlab.figures.plotly_svg.values import FloatArray, Spec, listed, numbers, repeated
from bnlab.figures.svg import element
from bnlab.figures.theme import INK

MARKER = 6.0
MANY = 50
"""Markers above which equal ones are drawn as one path."""
SHORT = 20
"""Points below which plotly draws markers unless told otherwise."""


class Group(NamedTuple):
    """Place of a bar among those that share its category: which one of how many, and the shares left free."""

    number: int
    of: int
    gap: float
    group_gap: float


class Span(NamedTuple):
    """Values that a trace takes along one axis, and whether the axis has room around them and grid lines."""

    values: list[Any]
    padded: bool
    grid: bool = True


def mode(trace: Spec) -> str:
    """Parts of a scatter trace: lines, markers and text."""
    return str(trace.get("mode") or ("lines+markers" if len(listed(trace.get("x"))) < SHORT else "lines"))


def spans(trace: Spec) -> tuple[Span, Span]:
    """What a trace takes along its x and its y axis."""
    x, y = (listed(trace.get(name)) for name in "xy")
    if trace["type"] == "heatmap":
        return Span(_edges(x), False, False), Span(_edges(y), False, False)
    if trace["type"] == "bar":
        flat = trace.get("orientation") == "h"
        return Span([*x, 0.0] if flat else x, flat, flat), Span(y if flat else [*y, 0.0], not flat, not flat)
    if trace["type"] == "box":
        return Span(x, True), Span(y, False, False)
    with_markers = mode(trace) != "lines"
    ends = [[*values, *_error_ends(trace, name, values)] for name, values in (("x", x), ("y", y))]
    return Span(ends[0], with_markers), Span(ends[1], True)


def _edges(values: list[Any]) -> list[Any]:
    if not values or isinstance(values[0], str):
        return values
    half = (values[1] - values[0]) / 2 if len(values) > 1 else 0.5
    return [*values, values[0] - half, values[-1] + half]


def _error_ends(trace: Spec, name: str, values: list[Any]) -> list[float]:
    bars = trace.get(f"error_{name}")
    if not bars or bars.get("array") is None:
        return []
    above = numbers(listed(bars["array"]))
    below = numbers(listed(bars["arrayminus"])) if bars.get("arrayminus") is not None else above
    middle = numbers(values)
    return [*(middle - below).tolist(), *(middle + above).tolist()]


def draw_scatter(trace: Spec, x_axis: Axis, y_axis: Axis, colour: str, _: Group) -> Iterator[str]:
    """Lines, fill, error bars, markers and texts of a scatter trace."""
    x, y = x_axis.pixels(listed(trace["x"])), y_axis.pixels(listed(trace["y"]))
    opacity, parts, line = trace.get("opacity", 1.0), mode(trace), trace.get("line", {})
    if trace.get("fill") not in (None, "none", "toself"):
        raise ValueError(f"fill={trace['fill']!r}: SVG is drawn with 'toself' only.")
    if trace.get("fill") == "toself":
        yield polyline(x, y, **paint(trace.get("fillcolor") or colour, opacity), stroke="none")
    if "lines" in parts and line.get("width", 2) > 0:
        for k in _stretches(x, y):
            look = stroke(line, colour, opacity)
            yield polyline(*_stepped(x[k], y[k], line.get("shape", "linear")), **look)
    for name in "xy":
        yield from _error_bars(trace, name, x, y, y_axis if name == "y" else x_axis, colour)
    if "markers" in parts:
        yield from _markers(trace, x, y, colour)
    if "text" in parts:
        size = trace.get("textfont", {}).get("size", 12)
        away = (size + repeated(trace.get("marker", {}).get("size", MARKER), 1)[0]) / 2 + 3
        rise = {"top": -away, "bottom": away}.get(str(trace.get("textposition", "middle")).partition(" ")[0], 0.0)
        for a, b, text in zip(x, y, repeated(trace.get("text", ""), len(x)), strict=True):
            yield text_block(str(text), a, b + rise, size=size, colour=INK)


def _stretches(x: FloatArray, y: FloatArray) -> Iterator[slice]:
    """Points between two gaps."""
    good = np.isfinite(x) & np.isfinite(y)
    changes = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(int)))
    return (slice(begin, end) for begin, end in changes.reshape(-1, 2) if end - begin > 1)


def _stepped(x: FloatArray, y: FloatArray, shape: str) -> tuple[FloatArray, FloatArray]:
    if shape == "linear":
        return x, y
    if shape != "hv":
        raise ValueError(f"line shape {shape!r}: SVG is drawn with 'linear' and 'hv'.")
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def _error_bars(trace: Spec, name: str, x: FloatArray, y: FloatArray, axis: Axis, colour: str) -> Iterator[str]:
    values = listed(trace[name])
    ends = _error_ends(trace, name, values)
    look = stroke({"color": trace.get(f"error_{name}", {}).get("color")}, colour)
    look["stroke_width"] = trace.get(f"error_{name}", {}).get("thickness", 2)
    half = trace.get(f"error_{name}", {}).get("width", 4)
    low, high = axis.pixels(ends[: len(values)]), axis.pixels(ends[len(values) :])
    for a, b, begin, end in zip(x, y, low, high, strict=False):
        if not np.isfinite([a, b, begin, end]).all():
            continue
        if name == "y":
            caps = f"M{a - half:.1f} {begin:.1f}h{2 * half:g}M{a - half:.1f} {end:.1f}h{2 * half:g}" if half else ""
            yield element("path", d=f"M{a:.1f} {begin:.1f}V{end:.1f}{caps}", **look)
        else:
            caps = f"M{begin:.1f} {b - half:.1f}v{2 * half:g}M{end:.1f} {b - half:.1f}v{2 * half:g}" if half else ""
            yield element("path", d=f"M{begin:.1f} {b:.1f}H{end:.1f}{caps}", **look)


def _markers(trace: Spec, x: FloatArray, y: FloatArray, colour: str) -> Iterator[str]:
    look, n = trace.get("marker", {}), len(x)
    edge = look.get("line", {})
    most = look.get("maxdisplayed") or n
    shown = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[:: max(1, -(-n // max(most, 1)))]
    symbols, sizes = repeated(look.get("symbol", "circle"), n), repeated(look.get("size", MARKER), n)
    colours = repeated(look.get("color") or colour, n)
    opacity = look.get("opacity", 1.0) * trace.get("opacity", 1.0)
    alike = {*symbols} == {"circle"} and len({*sizes}) == len({*colours}) == 1 and not edge.get("width")
    if alike and len(shown) > MANY:
        yield dots(x[shown], y[shown], sizes[0], colours[0], opacity)
        return
    for k in shown:
        ink = {"colour": colours[k], "opacity": opacity, "outline": edge.get("color"), "width": edge.get("width", 0)}
        yield marker(symbols[k], float(x[k]), float(y[k]), sizes[k], ink)


def sample(trace: Spec, x: float, y: float, width: float, colour: str) -> Iterator[str]:
    """Entry of a legend, centred."""
    if trace["type"] != "scatter":
        look: Spec = trace.get("marker", {}) if trace["type"] == "bar" else {"color": trace.get("fillcolor")}
        edge = stroke(trace.get("line", {}), colour, width=1) | paint(look.get("color") or colour)
        box = {"x": x - 6, "y": y - 6, "width": 12, "height": 12}
        yield element("rect", **box, **edge)
        yield from _pattern(box, look.get("pattern", {}).get("shape", ""))
        return
    if "lines" in mode(trace):
        line = trace.get("line", {})
        ends = [x - width / 2, x + width / 2]
        yield polyline(ends, [y, y], **stroke(line, colour, trace.get("opacity", 1.0)))
    if "markers" in mode(trace):
        look = trace.get("marker", {})
        first = {name: repeated(look[name], 1)[0] for name in ("symbol", "size", "color") if look.get(name)}
        one = {**trace, "marker": {**look, **first, "size": min(first.get("size", MARKER), 16)}}
        yield from _markers(one, np.array([x]), np.array([y]), colour)


def draw_bars(trace: Spec, x_axis: Axis, y_axis: Axis, colour: str, group: Group) -> Iterator[str]:
    """Bars, beside those of other traces."""
    flat = trace.get("orientation") == "h"
    along, across = (x_axis, y_axis) if flat else (y_axis, x_axis)
    values, names = (trace["x"], trace["y"]) if flat else (trace["y"], trace["x"])
    share = (1 - group.gap) / group.of
    middles = across.places(listed(names)) - (1 - group.gap) / 2 + (group.number + 0.5) * share
    half = share * (1 - group.group_gap) / 2
    look = trace.get("marker", {})
    edge = stroke(look.get("line", {}), colour, width=0)
    ink = edge | paint(look.get("color") or colour, trace.get("opacity", 1.0) * look.get("opacity", 1.0))
    zero = float(along.at(0.0))
    for end, middle in zip(along.pixels(listed(values)), middles, strict=True):
        if not np.isfinite(end):
            continue
        sides = sorted((float(across.at(middle - half)), float(across.at(middle + half))))
        box = _box(min(zero, end), sides[0], abs(end - zero), sides[1] - sides[0], flat)
        yield element("rect", **box, **ink)
        yield from _pattern(box, look.get("pattern", {}).get("shape", ""))


def _box(along: float, across: float, length: float, breadth: float, flat: bool) -> dict[str, Any]:
    names = ("x", "y", "width", "height") if flat else ("y", "x", "height", "width")
    return dict(zip(names, (along, across, length, breadth), strict=True))


def _pattern(box: dict[str, Any], shape: str) -> Iterator[str]:
    """White lines or dots over a bar, so that bars are told apart without their colours."""
    if not shape:
        return
    if shape not in "/\\|-+x.":
        raise ValueError(f"bar pattern {shape!r}: SVG is drawn with / \\ | - + x and .")
    x, y, width, height = (float(box[name]) for name in ("x", "y", "width", "height"))
    step, paths = 6.0, []
    for at in np.arange(step / 2, width + height, step):
        if shape in "|+" and at < width:
            paths.append(f"M{x + at:.1f} {y:.1f}v{height:.1f}")
        if shape in "-+" and at < height:
            paths.append(f"M{x:.1f} {y + at:.1f}h{width:.1f}")
        begin, end = max(0.0, at - height), min(at, width)
        if shape in "/x":
            paths.append(f"M{x + begin:.1f} {y + at - begin:.1f}L{x + end:.1f} {y + at - end:.1f}")
        if shape in "\\x":
            low, high = y + height - (at - begin), y + height - (at - end)
            paths.append(f"M{x + begin:.1f} {low:.1f}L{x + end:.1f} {high:.1f}")
        if shape == "." and at < width:
            rows = np.arange(y + step / 2, y + height, step)
            paths += [f"M{x + at - 1:.1f} {row:.1f}h2" for row in rows]
    white = {"stroke": "#ffffff", "stroke_width": 2 if shape == "." else 1.6, "fill": "none"}
    yield element("path", d="".join(paths), **white)


def draw_heat(trace: Spec, x_axis: Axis, y_axis: Axis, _: str, __: Group) -> Iterator[str]:
    """Cells of a heat map; those without a value stay empty."""
    z = [[np.nan if value is None else value for value in row] for row in listed(trace["z"])]
    x, y = (axis.places(listed(trace[axis.name[0]])) for axis in (x_axis, y_axis))
    low, high = heat_range(trace)
    texts = listed(trace.get("customdata")) if trace.get("texttemplate") == "%{customdata}" else []
    for i, row in enumerate(z):
        top, bottom = sorted(y_axis.at([y[i] - 0.5, y[i] + 0.5]))
        for j, value in enumerate(row):
            if value != value:
                continue
            left, right = sorted(x_axis.at([x[j] - 0.5, x[j] + 0.5]))
            ink = scale_colour(trace["colorscale"], (value - low) / ((high - low) or 1.0))
            wide, tall = right - left - trace.get("xgap", 0), bottom - top - trace.get("ygap", 0)
            yield element("rect", x=left, y=top, width=wide, height=tall, **ink)
            if texts:
                dark = (value - low) / ((high - low) or 1.0) > 0.55
                at = (left + right) / 2, (top + bottom) / 2
                yield text_block(str(listed(texts[i])[j]), *at, size=12, colour="#ffffff" if dark else INK)


def heat_range(trace: Spec) -> tuple[float, float]:
    """Values at the ends of the colour scale."""
    if "zmin" in trace and "zmax" in trace:
        return trace["zmin"], trace["zmax"]
    known = [value for row in listed(trace["z"]) for value in row if value is not None and value == value]
    return min(known, default=0.0), max(known, default=1.0)


def scale_colour(scale: Any, share: float) -> dict[str, Any]:
    """Fill for a share from 0 to 1 of a colour scale whose colours differ in their transparency only.

    Raises
    ------
    ValueError
        If the scale is given by its name or by other colours.
    """
    if isinstance(scale, str):
        raise ValueError(f"colorscale={scale!r}: SVG is drawn with a list of places and colours.")
    inks = [paint(colour) for _, colour in scale]
    if len({ink["fill"] for ink in inks}) > 1:
        raise ValueError("a colour scale of several colours: SVG is drawn with one, in several transparencies.")
    opacities = [float(ink.get("fill_opacity", 1.0)) for ink in inks]
    opacity = float(np.interp(share, [place for place, _ in scale], opacities))
    return {"fill": inks[0]["fill"], "fill_opacity": f"{opacity:.3g}"}


def draw_boxes(trace: Spec, x_axis: Axis, y_axis: Axis, colour: str, _: Group) -> Iterator[str]:
    """Boxes of quartiles with all points, one a name on the y axis."""
    if trace.get("orientation") != "h" or trace.get("boxpoints") != "all":
        raise ValueError("a box trace: SVG is drawn with horizontal boxes and all of their points.")
    names, values = listed(trace["y"]), numbers(listed(trace["x"]))
    half, line = trace.get("width", 0.5) / 2, stroke(trace.get("line", {}), colour)
    look = trace.get("marker", {})
    ink = look.get("size", MARKER), look.get("color") or colour, look.get("opacity", 1.0)
    for name in dict.fromkeys(names):
        chosen = values[[other == name for other in names]]
        low, middle, high = x_axis.at(np.quantile(chosen, [0.25, 0.5, 0.75]))
        least, greatest = x_axis.at([chosen.min(), chosen.max()])
        top, bottom = sorted(y_axis.at(y_axis.places([name])[0] + np.array([-half, half])))
        centre = (top + bottom) / 2
        fill = line | paint(trace.get("fillcolor") or "none")
        yield element("rect", x=low, y=top, width=high - low, height=bottom - top, **fill)
        whiskers = f"M{least:.1f} {centre:.1f}H{low:.1f}M{high:.1f} {centre:.1f}H{greatest:.1f}"
        yield element("path", d=f"{whiskers}M{middle:.1f} {top:.1f}V{bottom:.1f}", **line)
        # Points beside each other by a fixed sequence: the same picture every time.
        spread = trace.get("jitter", 0.0) * (bottom - top) * ((np.arange(len(chosen)) * 0.618 % 1) - 0.5)
        yield dots(x_axis.at(chosen), centre + spread, *ink)


Drawing = Callable[[Spec, Axis, Axis, str, Group], Iterator[str]]
DRAWINGS: dict[str, Drawing] = {
    "scatter": draw_scatter,
    "bar": draw_bars,
    "heatmap": draw_heat,
    "box": draw_boxes,
}
"""How each type of trace is drawn."""
