"""What surrounds the traces of a plotly figure: title, shapes, annotations, legend and colour bar as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bnlab.figures.plotly_svg.axes import Area, Axes, round_numbers
from bnlab.figures.plotly_svg.paint import paint, stroke, text_block, text_size
from bnlab.figures.plotly_svg.traces import heat_range, sample, scale_colour
from bnlab.figures.plotly_svg.values import Spec
from bnlab.figures.svg import element
from bnlab.figures.theme import INK

SIZE, SAMPLE, GAP, LINE = 12.0, 28.0, 6.0, 20.0
"""Pixels of letters in a legend, of its samples, between the two, and from line to line."""
BAR_GAP, STEPS = 14.0, 40


def draw_title(title: Spec) -> Iterator[str]:
    """Title and subtitle."""
    x, y = title["pad"]["l"], title["pad"]["t"] - 3
    for line in (title, title["subtitle"]):
        if line["text"]:
            size = line["font"]["size"]
            height = text_size(line["text"], size)[1]
            yield text_block(line["text"], x, y + height / 2, size=size, anchor="start")
            y += height + 2


def position(owner: Spec, end: str, axes: Axes, area: Area, *, is_log10: bool = False) -> float:
    """Pixel of a coordinate ("x", "x0", ...); annotations give logarithms on logarithmic axes, as plotly has it."""
    value = owner.get(end, 0.0)
    name, _, whole = owner.get(f"{end[0]}ref", end[0]).partition(" ")
    if name == "paper":
        return area.at(end[0], value)
    axis = axes[name]
    if whole == "domain":
        return float(axis.begin + value * (axis.end - axis.begin))
    return float(axis.pixels([value])[0] if isinstance(value, str) or not is_log10 else axis.at(value))


def draw_shape(shape: Spec, axes: Axes, area: Area) -> str:
    """Line, rectangle or ellipse."""
    x0, x1, y0, y1 = (position(shape, end, axes, area) for end in ("x0", "x1", "y0", "y1"))
    opacity = shape.get("opacity", 1.0)
    look = stroke(shape.get("line", {}), INK, opacity)
    if shape["type"] == "line":
        return element("line", x1=x0, x2=x1, y1=y0, y2=y1, **look)
    look |= paint(shape.get("fillcolor", "none"), opacity) | ({} if look["stroke_width"] else {"stroke": "none"})
    wide, tall = abs(x1 - x0), abs(y1 - y0)
    if shape["type"] == "circle":
        return element("ellipse", cx=(x0 + x1) / 2, cy=(y0 + y1) / 2, rx=wide / 2, ry=tall / 2, **look)
    if shape["type"] != "rect":
        raise ValueError(f"shape of type {shape['type']!r}: SVG is drawn with 'line', 'rect' and 'circle'.")
    return element("rect", x=min(x0, x1), y=min(y0, y1), width=wide, height=tall, **look)


def draw_annotation(note: Spec, axes: Axes, area: Area) -> str:
    """Text at a place."""
    text, font = note["text"], note["font"]
    if note["showarrow"]:
        raise ValueError(f"annotation {text!r} has an arrow: SVG is drawn without, so set showarrow=False.")
    x, y = (position(note, end, axes, area, is_log10=True) for end in "xy")
    height = text_size(text, font["size"])[1]
    y += {"top": height / 2, "bottom": -height / 2}.get(_anchor(note, "y"), 0.0) - note["yshift"]
    anchor = {"left": "start", "right": "end"}.get(_anchor(note, "x"), "middle")
    look = {"size": font["size"], "colour": font["color"], "anchor": anchor, "angle": note["textangle"]}
    return text_block(text, x + note["xshift"], y, **look)


def _anchor(note: Spec, letter: str) -> str:
    given = str(note[f"{letter}anchor"])
    if given != "auto":
        return given
    share = note[letter] if note[f"{letter}ref"] == "paper" else 0.5
    low, high = ("left", "right") if letter == "x" else ("bottom", "top")
    return low if share < 1 / 3 else high if share > 2 / 3 else "middle"


class Legend(NamedTuple):
    """Traces with their places, from the upper left corner of the legend."""

    entries: list[tuple[Spec, float, float]]
    width: float
    height: float
    spec: Spec

    @property
    def beside(self) -> bool:
        """Whether it stands to the right of the plot and takes width from it."""
        return bool(self.spec["orientation"] == "v")

    def top(self, area: Area, height: float) -> float:
        """Pixel of its upper edge in a picture of that height."""
        y = self.spec.get("y", 1.0 if self.beside else -0.1)
        at = height * (1 - y) if self.spec.get("yref") == "container" else area.at("y", y)
        auto = "middle" if self.beside and y <= 2 / 3 else "top"
        anchor = auto if self.spec["yanchor"] == "auto" else self.spec["yanchor"]
        return float(at - {"top": 0.0, "middle": 0.5, "bottom": 1.0}[anchor] * self.height)

    def draw(self, area: Area, height: float) -> Iterator[str]:
        """Samples and names."""
        left, top = area.right + BAR_GAP if self.beside else area.at("x", self.spec["x"]), self.top(area, height)
        for trace, x, y in self.entries:
            yield from sample(trace, left + x + SAMPLE / 2, top + y, SAMPLE)
            yield text_block(trace["name"], left + x + SAMPLE + GAP, top + y, size=SIZE, anchor="start")


def legend_of(traces: Sequence[Spec], layout: Spec, width: float) -> Legend | None:
    """Legend of the traces that are drawn, `width` pixels for a line of entries; None where there is none."""
    named = [trace for trace in traces if trace["showlegend"] and trace["name"] and trace["type"] != "heatmap"]
    if not named or not layout.get("showlegend", len(traces) > 1):
        return None
    widths = [SAMPLE + GAP + text_size(trace["name"], SIZE)[0] + 16 for trace in named]
    columns, widest = 1, max(widths)
    if layout["legend"]["orientation"] != "v":
        columns = len(named) if sum(widths) <= width else max(1, int(width / widest))
    if columns < len(named):
        widths = [widest] * len(named)
    entries = [(trace, sum(widths[i - i % columns : i]), (i // columns + 0.5) * LINE) for i, trace in enumerate(named)]
    return Legend(entries, sum(widths[:columns]), LINE * -(-len(named) // columns), layout["legend"])


def colour_bar_room(trace: Spec) -> float:
    """Pixels that the colour bar of a heat map takes to the right of the plot."""
    bar = trace["colorbar"]
    return float(BAR_GAP + bar["thickness"] + max(text_size(bar["title"]["text"], SIZE)[0], 36.0) + GAP)


def draw_colour_bar(trace: Spec, area: Area) -> Iterator[str]:
    """Colour bar of a heat map, from the least value at the bottom to the greatest."""
    bar = trace["colorbar"]
    left, wide = area.right + BAR_GAP, bar["thickness"]
    length = bar["len"] * (area.bottom - area.top) - LINE
    bottom = (area.top + area.bottom + length + LINE) / 2
    low, high = heat_range(trace)
    for k in range(STEPS):
        y = bottom - (k + 1) * length / STEPS
        ink = scale_colour(trace["colorscale"], (k + 0.5) / STEPS)
        yield element("rect", x=left, y=y, width=wide, height=length / STEPS, shape_rendering="crispEdges", **ink)
    edge = {"fill": "none", "stroke": bar["outlinecolor"], "stroke_width": bar["outlinewidth"]}
    yield element("rect", x=left, y=bottom - length, width=wide, height=length, **edge)
    for value in round_numbers(low, high, 5):
        y = bottom - (value - low) / ((high - low) or 1.0) * length
        yield text_block(f"{value:g}", left + wide + GAP, y, size=SIZE, anchor="start")
    yield text_block(bar["title"]["text"], left, bottom - length - LINE / 2 - 2, size=SIZE, anchor="start")
