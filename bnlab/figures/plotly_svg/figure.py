"""A plotly figure as a picture that shows wherever a notebook is read.

Drawn are the traces, axes, shapes and annotations that the figures of this package are made of; anything else is an
error, so that no picture shows less than its figure. What only a mouse reaches (hover labels, buttons) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg import frame
from bnlab.figures.plotly_svg.axes import Area, Axes, Axis, make_axis
from bnlab.figures.plotly_svg.paint import hatch, text_lines
from bnlab.figures.plotly_svg.traces import DRAWINGS, spans
from bnlab.figures.plotly_svg.values import AXIS_DEFAULTS, Spec, as_spec
from bnlab.figures.svg import document, element
from bnlab.figures.theme import GROUND

if TYPE_CHECKING:
    import plotly.graph_objects as go

WIDTH = 860.0
BAR_MODES = ("group", "overlay")
SHARED = ("range", "type", "categoryarray")
"""Entries of an axis that those that match it share."""
BEYOND = 8.0
"""Pixels beyond its axes where a trace is cut off: markers at the end of an axis are whole."""


def still(figure: go.Figure | dict[str, Any], *, words: str = "", details: str = "", width: float = WIDTH) -> Picture:
    """Draw a plotly figure as static SVG, dark on white.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure or dict
        A dict has the entries data and layout, as the JSON of a figure.
    words : str
        What the figure shows, for its text alternative; by default the names of its traces.
    details : str
        The same at length, for the description inside of the file; by default the words.
    width : float
        Pixels. The height is that of the figure.

    Raises
    ------
    ValueError
        If the figure holds something that is not drawn: another type of trace, axis or shape, for instance.

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
    area, height, legend = _arranged(traces, heats, axes, layout, width)
    axes = {name: axis.placed(area) for name, axis in axes.items()}
    seen = [(axis, _anchor(axis, axes)) for axis in axes.values() if axis.spec["visible"]]
    hatches = dict.fromkeys(trace["marker"]["pattern"]["shape"] for trace in traces if trace["type"] == "bar")
    below = [shape for shape in layout["shapes"] if shape.get("layer") == "below"]
    above = [shape for shape in layout["shapes"] if shape.get("layer") != "below"]
    parts = [
        element("rect", width=width, height=height, rx=8, fill=GROUND),
        *([element("defs", *map(hatch, filter(None, hatches)))] if any(hatches) else []),
        *frame.draw_title(layout["title"]),
        *(frame.draw_shape(shape, axes, area) for shape in below),
        *chain.from_iterable(axis.draw_grid(other) for axis, other in seen),
        *_drawn(traces, axes),
        *(frame.draw_shape(shape, axes, area) for shape in above),
        *chain.from_iterable(axis.draw_labels(other) for axis, other in seen),
        *(frame.draw_annotation(note, axes, area) for note in layout["annotations"]),
        *(legend.draw(area, height) if legend is not None else ()),
        *chain.from_iterable(frame.draw_colour_bar(trace, area) for trace in heats),
    ]
    title = _plain(layout["title"]["text"])
    words = words or ", ".join(dict.fromkeys(_plain(trace["name"]) for trace in traces if trace["name"]))
    svg = document(width, height, *parts, title=title, description=details or words)
    return Picture(svg, ": ".join(filter(None, (title, words))), width)


def _plain(text: str) -> str:
    return " ".join(line for line, _ in text_lines(text))


def _visible(traces: Sequence[Spec], layout: Spec) -> list[Spec]:
    """Traces that are drawn, bars with their place in a group; what only a click in the legend shows is not drawn."""
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
    """Axes of all traces, each with a range that holds what is drawn along it and along those that match it."""
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
    """Axis at whose beginning another one has its labels."""
    own = str(axis.spec.get("anchor"))
    return axes[own] if own in axes else axes["y" if axis.horizontal else "x"]


def _arranged(
    traces: Sequence[Spec], heats: Sequence[Spec], axes: Axes, layout: Spec, width: float
) -> tuple[Area, float, frame.Legend | None]:
    """Plot area, height of the picture and legend: margins grow until labels and legend have room."""
    margin = dict(layout["margin"])
    plot = layout["height"] - margin["t"] - margin["b"]
    legend = frame.legend_of(traces, layout, width - margin["l"] - margin["r"])
    right = max([margin["r"], *map(frame.colour_bar_room, heats)])
    right = max(right, legend.width + frame.BAR_GAP) if legend is not None and legend.beside else right
    outer = [
        axis
        for axis in axes.values()
        if axis.spec["visible"] and axis.spec["automargin"] and _anchor(axis, axes).spec["domain"][0] == 0
    ]
    area = Area(margin["l"], width - margin["r"], margin["t"], margin["t"] + plot)
    # The room for labels follows from their places, and these from the room: a second look is enough.
    for _ in range(2):
        for axis in outer:
            side = "b" if axis.horizontal else "l"
            margin[side] = max(margin[side], axis.placed(area).room())
        area = Area(margin["l"], width - right, margin["t"], margin["t"] + plot)
    height = margin["t"] + plot + margin["b"]
    if legend is not None:
        height = max(height, legend.top(area, height) + legend.height + 8)
    return area, height, legend


def _drawn(traces: Sequence[Spec], axes: Axes) -> Iterator[str]:
    """Traces, each cut off at its axes."""
    for trace in traces:
        x_axis, y_axis = axes[trace["xaxis"]], axes[trace["yaxis"]]
        parts = list(DRAWINGS[trace["type"]](trace, x_axis, y_axis))
        if parts:
            x, y = x_axis.begin - BEYOND, y_axis.end - BEYOND
            width, height = x_axis.end - x_axis.begin + 2 * BEYOND, y_axis.begin - y_axis.end + 2 * BEYOND
            view = f"{x:.1f} {y:.1f} {width:.1f} {height:.1f}"
            yield element("svg", *parts, x=x, y=y, width=width, height=height, viewBox=view, overflow="hidden")
