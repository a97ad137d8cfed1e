"""Legends and colour bars of plotly figures as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bnlab.figures.plotly_svg.axes import round_numbers
from bnlab.figures.plotly_svg.layout import Area
from bnlab.figures.plotly_svg.paint import text_block, text_size
from bnlab.figures.plotly_svg.traces import heat_range, sample, scale_colour
from bnlab.figures.plotly_svg.values import Spec
from bnlab.figures.svg import element
from bnlab.figures.theme import INK

SIZE, SAMPLE, GAP, LINE = 12.0, 28.0, 6.0, 20.0
BAR_GAP, STEPS = 14.0, 40


class Entry(NamedTuple):
    """Trace that a legend names."""

    trace: Spec
    colour: str

    @property
    def width(self) -> float:
        """Pixels of sample and name."""
        return SAMPLE + GAP + text_size(self.trace["name"], SIZE)[0] + 16


class Legend(NamedTuple):
    """Entries with their places, from the upper left corner of the legend."""

    entries: list[tuple[Entry, float, float]]
    width: float
    height: float
    spec: Spec

    @property
    def beside(self) -> bool:
        """Whether it stands to the right of the plot and takes width from it."""
        return bool(self.spec.get("orientation", "v") == "v")


def legend_of(traces: Sequence[tuple[Spec, str]], layout: Spec, width: float) -> Legend | None:
    """Legend of the traces that are drawn; None where there is none.

    Parameters
    ----------
    traces : sequence of (dict, str)
        Traces with their colours.
    layout : dict
    width : float
        Pixels for a line of entries.
    """
    named = [Entry(trace, colour) for trace, colour in traces if trace.get("showlegend", True) and trace.get("name")]
    named = [entry for entry in named if entry.trace["type"] != "heatmap"]
    if not named or not layout.get("showlegend", len(traces) > 1):
        return None
    spec = layout.get("legend", {})
    if spec.get("orientation", "v") == "v":
        entries = [(entry, 0.0, (i + 0.5) * LINE) for i, entry in enumerate(named)]
        return Legend(entries, max(entry.width for entry in named), LINE * len(named), spec)
    total, widest = sum(entry.width for entry in named), max(entry.width for entry in named)
    columns = len(named) if total <= width else max(1, int(width / widest))
    entries, x = [], 0.0
    for i, entry in enumerate(named):
        x = 0.0 if i % columns == 0 else x
        entries.append((entry, x, (i // columns + 0.5) * LINE))
        x += entry.width if columns == len(named) else widest
    return Legend(entries, min(total, columns * widest), LINE * -(-len(named) // columns), spec)


def top_of(legend: Legend, area: Area, height: float) -> float:
    """Pixel of the upper edge of a legend in a picture of that height."""
    flat = not legend.beside
    y = legend.spec.get("y", -0.1 if flat else 1.0)
    at = height * (1 - y) if legend.spec.get("yref") == "container" else area.down(y)
    anchor = legend.spec.get("yanchor", "auto")
    if anchor == "auto":
        anchor = "top" if flat or y > 2 / 3 else "middle"
    return at - {"top": 0.0, "middle": 0.5, "bottom": 1.0}[anchor] * legend.height


def draw_legend(legend: Legend, area: Area, top: float) -> Iterator[str]:
    """Samples and names."""
    left = area.right + BAR_GAP if legend.beside else area.across(legend.spec.get("x", 0.0))
    for entry, x, y in legend.entries:
        yield from sample(entry.trace, left + x + SAMPLE / 2, top + y, SAMPLE, entry.colour)
        place = left + x + SAMPLE + GAP, top + y
        yield text_block(entry.trace["name"], *place, size=SIZE, colour=INK, anchor="start")


def colour_bar_room(trace: Spec) -> float:
    """Pixels that the colour bar of a heat map takes to the right of the plot."""
    bar = trace.get("colorbar", {})
    title = (bar.get("title") or {}).get("text", "")
    return float(BAR_GAP + bar.get("thickness", 24) + max(text_size(title, SIZE)[0], 36.0) + GAP)


def draw_colour_bar(trace: Spec, area: Area) -> Iterator[str]:
    """Colour bar of a heat map, from the least value at the bottom to the greatest."""
    bar = trace.get("colorbar", {})
    left, wide = area.right + BAR_GAP, bar.get("thickness", 24)
    length = bar.get("len", 1.0) * (area.bottom - area.top) - LINE
    bottom = (area.top + area.bottom + length + LINE) / 2
    low, high = heat_range(trace)
    for k in range(STEPS):
        y = bottom - (k + 1) * length / STEPS
        ink = scale_colour(trace["colorscale"], (k + 0.5) / STEPS)
        yield element("rect", x=left, y=y, width=wide, height=length / STEPS, shape_rendering="crispEdges", **ink)
    edge = {"fill": "none", "stroke": bar.get("outlinecolor", INK), "stroke_width": bar.get("outlinewidth", 1)}
    yield element("rect", x=left, y=bottom - length, width=wide, height=length, **edge)
    for value in round_numbers(low, high, 5):
        y = bottom - (value - low) / ((high - low) or 1.0) * length
        text = f"{value:.0%}" if bar.get("tickformat") == ".0%" else f"{value:g}"
        yield text_block(text, left + wide + GAP, y, size=SIZE, colour=INK, anchor="start")
    title = (bar.get("title") or {}).get("text", "")
    if title:
        yield text_block(title, left, bottom - length - LINE / 2 - 2, size=SIZE, colour=INK, anchor="start")
