"""Traces of plotly figures as SVG: scatter, bar, heat map and box."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bnlab.figures.plotly_svg.axes import Axis
from bnlab.figures.plotly_svg.paint import dots, hatch_name, marker, paint, polyline, stroke, text_block
from bnlab.figures.plotly_svg.values import FloatArray, Spec, numbers, repeated
from bnlab.figures.svg import element

MANY = 50
"""Number of markers above which equal ones are drawn as one path."""
SHORT = 20
"""Number of points below which plotly draws markers by default."""


class Span(NamedTuple):
    """Values of a trace along one axis, and whether the axis has room around them and grid lines."""

    values: list[Any]
    padded: bool
    grid: bool = True


def mode(trace: Spec) -> str:
    """Parts of a scatter trace: lines, markers and text."""
    return str(trace.get("mode") or ("lines+markers" if len(trace["x"]) < SHORT else "lines"))


def spans(trace: Spec) -> tuple[Span, Span]:
    """Values of a trace along its x axis and along its y axis."""
    x, y = trace["x"], trace["y"]
    if trace["type"] == "heatmap":
        return Span(_edges(x), False, False), Span(_edges(y), False, False)
    if trace["type"] == "bar":
        flat = trace["orientation"] == "h"
        return Span([*x, 0.0] if flat else x, flat, flat), Span(y if flat else [*y, 0.0], not flat, not flat)
    if trace["type"] == "box":
        return Span(x, True), Span(y, False, False)
    ends = [[*trace[letter], *np.ravel(_error_ends(trace, letter)).tolist()] for letter in "xy"]
    return Span(ends[0], mode(trace) != "lines"), Span(ends[1], True)


def _edges(values: list[Any]) -> list[Any]:
    if not values:
        return values
    half = (values[1] - values[0]) / 2 if len(values) > 1 else 0.5
    return [*values, values[0] - half, values[-1] + half]


def _error_ends(trace: Spec, letter: str) -> list[FloatArray]:
    """Lower and upper ends of the error bars along an axis; empty if there are none."""
    bars = trace[f"error_{letter}"]
    if "array" not in bars:
        return []
    middle, above = numbers(trace[letter]), numbers(bars["array"])
    return [middle - numbers(bars.get("arrayminus", above)), middle + above]


def draw_scatter(trace: Spec, x_axis: Axis, y_axis: Axis) -> Iterator[str]:
    """Lines, fill, error bars, markers and texts of a scatter trace."""
    x, y = x_axis.pixels(trace["x"]), y_axis.pixels(trace["y"])
    opacity, parts, line = trace["opacity"], mode(trace), trace["line"]
    fill = trace.get("fill", "none")
    if fill not in ("none", "toself"):
        raise ValueError(f"fill={fill!r}: SVG is drawn with 'toself' only.")
    if fill == "toself":
        yield polyline(x, y, **paint(trace.get("fillcolor") or trace["colour"], opacity), stroke="none")
    if "lines" in parts and line.get("width", 2) > 0:
        # A missing point splits the line.
        for k in np.split(np.arange(len(x)), np.flatnonzero(~np.isfinite(x + y))):
            k = k[np.isfinite(x[k] + y[k])]
            if len(k) > 1:
                points = _stepped(x[k], y[k], line.get("shape", "linear"))
                yield polyline(*points, **stroke(line, trace["colour"], opacity))
    yield from _error_bars(trace, "x", x_axis, y)
    yield from _error_bars(trace, "y", y_axis, x)
    if "markers" in parts:
        yield from _markers(trace, x, y)
    if "text" in parts:
        size = trace["textfont"]["size"]
        away = (size + repeated(trace["marker"]["size"], 1)[0]) / 2 + 3
        rise = {"top": -away, "bottom": away}.get(trace["textposition"].partition(" ")[0], 0.0)
        for a, b, text in zip(x, y, repeated(trace.get("text", ""), len(x)), strict=True):
            if np.isfinite(a + b):
                yield text_block(str(text), a, b + rise, size=size)


def _stepped(x: FloatArray, y: FloatArray, shape: str) -> tuple[FloatArray, FloatArray]:
    if shape not in ("linear", "hv"):
        raise ValueError(f"line shape {shape!r}: SVG is drawn with 'linear' and 'hv'.")
    return (x, y) if shape == "linear" else (np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1])


def _error_bars(trace: Spec, letter: str, axis: Axis, others: FloatArray) -> Iterator[str]:
    """Error bars along one axis, at the points' pixels on the other."""
    bars = trace[f"error_{letter}"]
    look = stroke({"color": bars.get("color"), "width": bars["thickness"]}, trace["colour"])
    to, cap = ("H", "v") if letter == "x" else ("V", "h")
    half = bars["width"]
    ends = [axis.pixels(values) for values in _error_ends(trace, letter)]
    for begin, end, other in zip(*ends, others, strict=True) if ends else ():
        if np.isfinite([begin, end, other]).all():
            points = [(at, other) if letter == "x" else (other, at) for at in (begin, end)]
            path = f"M{points[0][0]:.1f} {points[0][1]:.1f}{to}{end:.1f}"
            for a, b in points if half else ():
                a, b = (a, b - half) if letter == "x" else (a - half, b)
                path += f"M{a:.1f} {b:.1f}{cap}{2 * half:g}"
            yield element("path", d=path, **look)


def _markers(trace: Spec, x: FloatArray, y: FloatArray) -> Iterator[str]:
    look, n = trace["marker"], len(x)
    edge = look["line"]
    most = look.get("maxdisplayed") or n
    shown = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[:: max(1, -(-n // max(most, 1)))]
    symbols, sizes = repeated(look["symbol"], n), repeated(look["size"], n)
    colours = repeated(look.get("color") or trace["colour"], n)
    opacity = look["opacity"] * trace["opacity"]
    alike = {*symbols} == {"circle"} and len({*sizes}) == len({*colours}) == 1 and not edge["width"]
    if alike and len(shown) > MANY:
        yield dots(x[shown], y[shown], sizes[0], colours[0], opacity)
        return
    for k in shown:
        ink = {"colour": colours[k], "opacity": opacity, "outline": edge.get("color"), "width": edge["width"]}
        yield marker(symbols[k], float(x[k]), float(y[k]), sizes[k], ink)


def sample(trace: Spec, x: float, y: float, width: float) -> Iterator[str]:
    """Entry of a legend, centred."""
    look, colour = trace["marker"], trace["colour"]
    if trace["type"] != "scatter":
        fill = look.get("color") if trace["type"] == "bar" else trace.get("fillcolor")
        edge = stroke(trace["line"], colour, width=1) | paint(fill or colour)
        yield from _box((x - 6, y - 6, 12.0, 12.0), edge, look["pattern"]["shape"])
        return
    if "lines" in mode(trace):
        yield polyline([x - width / 2, x + width / 2], [y, y], **stroke(trace["line"], colour, trace["opacity"]))
    if "markers" in mode(trace):
        first = {name: repeated(look[name], 1)[0] for name in ("symbol", "size", "color") if name in look}
        one = {**trace, "marker": {**look, **first, "size": min(first["size"], 16)}}
        yield from _markers(one, np.array([x]), np.array([y]))


def draw_bars(trace: Spec, x_axis: Axis, y_axis: Axis) -> Iterator[str]:
    """Bars beside those of other traces; the entry group has the index of the trace, their number, and two gaps."""
    flat = trace["orientation"] == "h"
    along, across = (x_axis, y_axis) if flat else (y_axis, x_axis)
    values, names = (trace["x"], trace["y"]) if flat else (trace["y"], trace["x"])
    number, of, gap, group_gap = trace["group"]
    share = (1 - gap) / of
    middles = across.places(names) - (1 - gap) / 2 + (number + 0.5) * share
    half = share * (1 - group_gap) / 2
    look = trace["marker"]
    ink = paint(look.get("color") or trace["colour"], trace["opacity"] * look["opacity"])
    ink = stroke(look["line"], trace["colour"], width=0) | ink
    zero = float(along.at(0.0))
    for end, middle in zip(along.pixels(values), middles, strict=True):
        if np.isfinite(end):
            sides = sorted((float(across.at(middle - half)), float(across.at(middle + half))))
            lengths = (min(zero, end), sides[0], abs(end - zero), sides[1] - sides[0])
            box = lengths if flat else (lengths[1], lengths[0], lengths[3], lengths[2])
            yield from _box(box, ink, look["pattern"]["shape"])


def _box(box: tuple[float, float, float, float], ink: dict[str, Any], pattern: str) -> Iterator[str]:
    """Rectangle with a white pattern over it, which distinguishes bars without their colours."""
    sides = dict(zip(("x", "y", "width", "height"), box, strict=True))
    yield element("rect", **sides, **ink)
    if pattern:
        yield element("rect", **sides, fill=f"url(#{hatch_name(pattern)})")


def draw_heat(trace: Spec, x_axis: Axis, y_axis: Axis) -> Iterator[str]:
    """Cells of a heat map; cells without a value are empty."""
    x, y = (axis.places(trace[axis.name[0]]) for axis in (x_axis, y_axis))
    low, high = heat_range(trace)
    for i, row in enumerate(trace["z"]):
        top, bottom = sorted(y_axis.at([y[i] - 0.5, y[i] + 0.5]))
        for j, value in enumerate(row):
            if value is None or value != value:
                continue
            left, right = sorted(x_axis.at([x[j] - 0.5, x[j] + 0.5]))
            share = (value - low) / ((high - low) or 1.0)
            wide, tall = right - left - trace.get("xgap", 0), bottom - top - trace.get("ygap", 0)
            ink = scale_colour(trace["colorscale"], share)
            yield element("rect", x=left, y=top, width=wide, height=tall, **ink)


def heat_range(trace: Spec) -> tuple[float, float]:
    """Values at the ends of the colour scale."""
    if "zmin" in trace and "zmax" in trace:
        return trace["zmin"], trace["zmax"]
    known = [value for row in trace["z"] for value in row if value is not None and value == value]
    return min(known, default=0.0), max(known, default=1.0)


def scale_colour(scale: Any, share: float) -> dict[str, Any]:
    """Fill for a share from 0 to 1 of a colour scale whose colours differ in opacity only."""
    if isinstance(scale, str):
        raise ValueError(f"colorscale={scale!r}: SVG is drawn with a list of places and colours.")
    inks = [paint(colour) for _, colour in scale]
    if len({ink["fill"] for ink in inks}) > 1:
        raise ValueError("a colour scale of several colours: SVG is drawn with one, in several transparencies.")
    opacities = [float(ink.get("fill_opacity", 1.0)) for ink in inks]
    opacity = float(np.interp(share, [place for place, _ in scale], opacities))
    return {"fill": inks[0]["fill"], "fill_opacity": f"{opacity:.3g}"}


def draw_boxes(trace: Spec, x_axis: Axis, y_axis: Axis) -> Iterator[str]:
    """Boxes of quartiles with all points, one per name on the y axis."""
    if trace["orientation"] != "h" or trace.get("boxpoints") != "all":
        raise ValueError("a box trace: SVG is drawn with horizontal boxes and all of their points.")
    names, values, look = trace["y"], numbers(trace["x"]), trace["marker"]
    half, line = trace.get("width", 0.5) / 2, stroke(trace["line"], trace["colour"])
    for name in dict.fromkeys(names):
        chosen = values[[other == name for other in names]]
        least, low, middle, high, greatest = x_axis.at(np.quantile(chosen, [0, 0.25, 0.5, 0.75, 1]))
        top, bottom = sorted(y_axis.at(y_axis.places([name])[0] + np.array([-half, half])))
        centre = (top + bottom) / 2
        fill = line | paint(trace.get("fillcolor", "none"))
        yield element("rect", x=low, y=top, width=high - low, height=bottom - top, **fill)
        whiskers = f"M{least:.1f} {centre:.1f}H{low:.1f}M{high:.1f} {centre:.1f}H{greatest:.1f}"
        yield element("path", d=f"{whiskers}M{middle:.1f} {top:.1f}V{bottom:.1f}", **line)
        # A fixed sequence spreads the points, so that the picture is always the same.
        spread = trace.get("jitter", 0.0) * (bottom - top) * ((np.arange(len(chosen)) * 0.618 % 1) - 0.5)
        points = x_axis.at(chosen), centre + spread
        yield dots(*points, look["size"], look.get("color") or trace["colour"], look["opacity"])


Drawing: TypeAlias = Callable[[Spec, Axis, Axis], Iterator[str]]
DRAWINGS: dict[str, Drawing] = {
    "scatter": draw_scatter,
    "bar": draw_bars,
    "heatmap": draw_heat,
    "box": draw_boxes,
}
"""How each type of trace is drawn."""
