"""A plotly figure as a picture that every view of a notebook shows.

All traces, axes, shapes and annotations that figures of this package use are drawn. Anything else is an error, so that
no picture shows less than its figure. What needs a mouse (hover labels, buttons) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.axes import Area, Axes, Axis, make_axis, round_numbers
from bnlab.figures.plotly_svg.paint import hatch, paint, stroke, text_block, text_lines, text_size
from bnlab.figures.plotly_svg.traces import DRAWINGS, heat_range, sample, scale_colour, spans
from bnlab.figures.plotly_svg.values import AXIS_DEFAULTS, Spec, as_spec
from bnlab.figures.svg import document, element
from bnlab.figures.theme import GROUND, INK

if TYPE_CHECKING:
    import plotly.graph_objects as go

WIDTH = 860.0
BAR_MODES = ("group", "overlay")
SHARED = ("range", "type", "categoryarray")
"""Entries of an axis that apply to the axes that match it."""
BEYOND = 8.0
"""Pixels beyond its axes at which a trace is cut off, so that markers at the end of an axis are whole."""
SIZE, SAMPLE, GAP, LINE = 12.0, 28.0, 6.0, 20.0
"""Pixels of a legend: size of the font, width of samples, gap between sample and name, and height of a line."""
BAR_GAP, STEPS = 14.0, 40


def still(figure: go.Figure | dict[str, Any], *, words: str = "", details: str = "", width: float = WIDTH) -> Picture:
    """Draw a plotly figure as static SVG, dark on white.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure or dict
        A dict has the entries data and layout, as in the JSON of a figure.
    words : str
        What the figure shows, for its text alternative; by default the names of its traces.
    details : str
        Longer description, stored in the file; by default `words`.
    width : float
        Pixels. The height is that of the figure.

    Raises
    ------
    ValueError
        If the figure has something that cannot be drawn, such as another type of trace, axis or shape.

    Examples
    --------
    >>> trace = {"type": "scatter", "x": [1, 2], "y": [3, 5], "name": "a"}
    >>> still({"data": [trace], "layout": {"title": {"text": "Two points"}}})
    Picture(Two points: a)
    """
    spec = as_spec(figure)
    layout = spec["layout"]
    traces = _visible(spec["data"], layout)
    axes = _axes(traces, layout)
    heats = [trace for trace in traces if trace["type"] == "heatmap" and trace["showscale"]]
    area, height, legend = _arrange(traces, heats, axes, layout, width)
    axes = {name: axis.placed(area) for name, axis in axes.items()}
    seen = [(axis, _anchor(axis, axes)) for axis in axes.values() if axis.spec["visible"]]
    hatches = dict.fromkeys(trace["marker"]["pattern"]["shape"] for trace in traces if trace["type"] == "bar")
    below = [shape for shape in layout["shapes"] if shape.get("layer") == "below"]
    above = [shape for shape in layout["shapes"] if shape.get("layer") != "below"]
    parts = [
        element("rect", width=width, height=height, rx=8, fill=GROUND),
        *([element("defs", *map(hatch, filter(None, hatches)))] if any(hatches) else []),
        *draw_title(layout["title"]),
        *(draw_shape(shape, axes, area) for shape in below),
        *chain.from_iterable(axis.draw_grid(other) for axis, other in seen),
        *_draw_traces(traces, axes),
        *(draw_shape(shape, axes, area) for shape in above),
        *chain.from_iterable(axis.draw_labels(other) for axis, other in seen),
        *(draw_annotation(note, axes, area) for note in layout["annotations"]),
        *(legend.draw(area, height) if legend is not None else ()),
        *chain.from_iterable(draw_colour_bar(trace, area) for trace in heats),
    ]
    title = _plain(layout["title"]["text"])
    words = words or ", ".join(dict.fromkeys(_plain(trace["name"]) for trace in traces if trace["name"]))
    svg = document(width, height, *parts, title=title, description=details or words)
    return Picture(svg, ": ".join(filter(None, (title, words))), width)


def _plain(text: str) -> str:
    return " ".join(line for line, _ in text_lines(text))


def _visible(traces: Sequence[Spec], layout: Spec) -> list[Spec]:
    """Traces that are visible without a click in the legend; bars get their place in a group."""
    for i, trace in enumerate(traces):
        if trace["type"] not in DRAWINGS:
            raise ValueError(f"trace {i} is of type {trace['type']!r}: SVG is drawn with {', '.join(DRAWINGS)}.")
    shown = [trace for trace in traces if trace["visible"] is True]
    bars = [trace for trace in shown if trace["type"] == "bar"]
    mode = layout["barmode"]
    if bars and mode not in BAR_MODES:
        raise ValueError(f"barmode={mode!r}: SVG is drawn with {' and '.join(map(repr, BAR_MODES))}.")
    beside = len(bars) if mode == "group" else 1
    for i, trace in enumerate(bars):
        trace["group"] = (i % beside, beside, layout["bargap"], layout["bargroupgap"])
    return shown


def _axes(traces: Sequence[Spec], layout: Spec) -> dict[str, Axis]:
    """Axes of all traces, each with a range for everything that is drawn along it and along axes that match it."""
    values: dict[str, list[Any]] = {"x": [], "y": []}
    padded, grids = set(), dict.fromkeys(values, True)
    for trace in traces:
        for letter, span in zip("xy", spans(trace), strict=True):
            name = trace[f"{letter}axis"]
            values.setdefault(name, []).extend(span.values)
            padded |= {name} if span.padded else set()
            grids[name] = grids.get(name, True) and span.grid
    for shape in layout["shapes"]:
        for letter in "xy":
            if shape.get(f"{letter}ref", letter) in values:
                values[shape.get(f"{letter}ref", letter)] += [shape.get(f"{letter}{end}") for end in "01"]
    specs = {name: layout.get(f"{name[0]}axis{name[1:]}", AXIS_DEFAULTS) for name in values}
    # Axes that match another one share its range.
    roots = {name: spec.get("matches", name) for name, spec in specs.items()}
    axes = {}
    for name, spec in specs.items():
        mates = [other for other in roots if roots[other] == roots[name]]
        shared = {key: specs[roots[name]][key] for key in SHARED if key in specs.get(roots[name], {})}
        together = list(chain.from_iterable(values[other] for other in mates))
        own = {"showgrid": grids[name], **spec} | {key: value for key, value in shared.items() if key not in spec}
        axes[name] = make_axis(name, own, together, padded=not padded.isdisjoint(mates))
    return axes


def _anchor(axis: Axis, axes: Axes) -> Axis:
    """Axis at whose beginning `axis` has its labels."""
    own = str(axis.spec.get("anchor"))
    return axes[own] if own in axes else axes["y" if axis.horizontal else "x"]


def _arrange(
    traces: Sequence[Spec], heats: Sequence[Spec], axes: Axes, layout: Spec, width: float
) -> tuple[Area, float, Legend | None]:
    """Plot area, height of the picture and legend: margins grow until labels and legend have room."""
    margin = dict(layout["margin"])
    plot = layout["height"] - margin["t"] - margin["b"]
    legend = legend_of(traces, layout, width - margin["l"] - margin["r"])
    right = max([margin["r"], *map(colour_bar_room, heats)])
    right = max(right, legend.width + BAR_GAP) if legend is not None and legend.beside else right
    outer = [
        axis
        for axis in axes.values()
        if axis.spec["visible"] and axis.spec["automargin"] and _anchor(axis, axes).spec["domain"][0] == 0
    ]
    area = Area(margin["l"], width - margin["r"], margin["t"], margin["t"] + plot)
    # The room for labels depends on their places, which depend on the room; two rounds are enough.
    for _ in range(2):
        for axis in outer:
            side = "b" if axis.horizontal else "l"
            margin[side] = max(margin[side], axis.placed(area).room())
        area = Area(margin["l"], width - right, margin["t"], margin["t"] + plot)
    height = margin["t"] + plot + margin["b"]
    if legend is not None and (top := legend.top(area, height)) < area.top < top + legend.height:
        # A legend above the plot pushes it down, as in the browser.
        push = top + legend.height + BEYOND - area.top
        area, height = area._replace(top=area.top + push, bottom=area.bottom + push), height + push
    if legend is not None:
        height = max(height, legend.top(area, height) + legend.height + 8)
    return area, height, legend


def _draw_traces(traces: Sequence[Spec], axes: Axes) -> Iterator[str]:
    """Traces, each cut off at its axes."""
    for trace in traces:
        x_axis, y_axis = axes[trace["xaxis"]], axes[trace["yaxis"]]
        parts = list(DRAWINGS[trace["type"]](trace, x_axis, y_axis))
        if parts:
            x, y = x_axis.begin - BEYOND, y_axis.end - BEYOND
            width, height = x_axis.end - x_axis.begin + 2 * BEYOND, y_axis.begin - y_axis.end + 2 * BEYOND
            view = f"{x:.1f} {y:.1f} {width:.1f} {height:.1f}"
            yield element("svg", *parts, x=x, y=y, width=width, height=height, viewBox=view, overflow="hidden")


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
    """Pixel of a coordinate ("x", "x0", ...); with `is_log10`, as in annotations, a logarithm on logarithmic axes."""
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
    y += {"top": height / 2, "bottom": -height / 2}.get(_note_anchor(note, "y"), 0.0) - note["yshift"]
    anchor = {"left": "start", "right": "end"}.get(_note_anchor(note, "x"), "middle")
    look = {"size": font["size"], "colour": font["color"], "anchor": anchor, "angle": note["textangle"]}
    return text_block(text, x + note["xshift"], y, **look)


def _note_anchor(note: Spec, letter: str) -> str:
    given = str(note[f"{letter}anchor"])
    if given != "auto":
        return given
    share = note[letter] if note[f"{letter}ref"] == "paper" else 0.5
    low, high = ("left", "right") if letter == "x" else ("bottom", "top")
    return low if share < 1 / 3 else high if share > 2 / 3 else "middle"


class Legend(NamedTuple):
    """Traces with their x and y, from the upper left corner of the legend."""

    entries: list[tuple[Spec, float, float]]
    width: float
    height: float
    spec: Spec

    @property
    def beside(self) -> bool:
        """Whether it is to the right of the plot, which becomes narrower."""
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
    """Legend of the traces, with lines of entries of at most `width` pixels; None if there is none."""
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
    """Colour bar of a heat map, from the least value at the bottom to the greatest at the top."""
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
