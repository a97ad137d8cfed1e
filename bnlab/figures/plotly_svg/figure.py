"""A plotly figure as a picture that shows wherever a notebook is read.

Drawn are the traces, axes, shapes and annotations that the figures of this package are made of; anything else is an
error, so that no picture shows less than its figure. What only a mouse reaches (hover labels, buttons) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg import legend as legends
from bnlab.figures.plotly_svg.axes import Axis, make_axis
from bnlab.figures.plotly_svg.layout import (
    Area,
    Axes,
    domain,
    draw_annotation,
    draw_grid,
    draw_labels,
    draw_shape,
    draw_title,
    placed,
    room_of,
)
from bnlab.figures.plotly_svg.paint import text_lines
from bnlab.figures.plotly_svg.traces import DRAWINGS, Group, spans
from bnlab.figures.plotly_svg.values import Spec, as_spec, listed, merged
from bnlab.figures.svg import document, element
from bnlab.figures.theme import FONT, GROUND, PALETTE

if TYPE_CHECKING:
    import plotly.graph_objects as go

WIDTH, HEIGHT = 860.0, 450.0
BAR_MODES = ("group", "overlay")
SHARED = ("range", "type", "categoryarray")
"""Entries of an axis that those that match it share."""
BEYOND = 8.0
"""Pixels beyond its axes where a trace is cut off: markers at the end of an axis are whole."""


class _Colouring(NamedTuple):
    """Trace and its colour where it names none."""

    trace: Spec
    colour: str


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
    traces = list(_visible(spec["data"], layout))
    axes = _axes(traces, layout)
    title = _plain(_text(layout.get("title")))
    names = dict.fromkeys(_plain(trace["name"]) for trace, _ in traces if trace.get("name"))
    words = words or ", ".join(names)
    area, height, legend = _arranged(traces, axes, layout, width)
    axes = {name: placed(axis, area) for name, axis in axes.items()}
    parts = [
        element("rect", width=width, height=height, rx=8, fill=GROUND),
        *draw_title(layout),
        *_shapes(layout, axes, area, below=True),
        *chain.from_iterable(draw_grid(axis, _anchor(axis, axes)) for axis in axes.values() if _seen(axis)),
        *_drawn(traces, axes, layout),
        *_shapes(layout, axes, area, below=False),
        *chain.from_iterable(draw_labels(axis, _anchor(axis, axes)) for axis in axes.values() if _seen(axis)),
        *(draw_annotation(_note(note, layout), axes, area) for note in layout.get("annotations", ())),
    ]
    if legend is not None:
        parts += legends.draw_legend(legend, area, legends.top_of(legend, area, height))
    for trace in _with_bars(traces):
        parts += legends.draw_colour_bar(trace, area)
    whole = element("g", *parts, font_family=FONT)
    svg = document(width, height, whole, title=title, description=details or words)
    return Picture(svg, ": ".join(filter(None, (title, words))), width)


def _text(title: Any) -> str:
    return str(title.get("text") or "") if isinstance(title, dict) else str(title or "")


def _plain(text: str) -> str:
    return " ".join(line for line, _ in text_lines(text))


def _visible(traces: Sequence[Spec], layout: Spec) -> Iterator[_Colouring]:
    """Traces that are drawn; one that only a click in the legend shows is not."""
    for i, trace in enumerate(traces):
        known = {"x": list(range(len(listed(trace.get("y"))))), **trace, "type": trace.get("type", "scatter")}
        if known["type"] not in DRAWINGS:
            raise ValueError(f"trace {i} is of type {known['type']!r}: SVG is drawn with {', '.join(DRAWINGS)}.")
        if trace.get("visible", True) is not True:
            continue
        colours = layout.get("colorway") or PALETTE
        own = (trace.get("line") or {}).get("color") or (trace.get("marker") or {}).get("color")
        yield _Colouring(known, own if isinstance(own, str) else colours[i % len(colours)])


def _axes(traces: Sequence[_Colouring], layout: Spec) -> dict[str, Axis]:
    """Axes of all traces, each with a range that holds what is drawn along it and along those that match it."""
    values: dict[str, list[Any]] = {"x": [], "y": []}
    padded: dict[str, bool] = {}
    grids: dict[str, bool] = {}
    for trace, _ in traces:
        for name, span in zip("xy", spans(trace), strict=True):
            axis = trace.get(f"{name}axis") or name
            values.setdefault(axis, []).extend(span.values)
            padded[axis] = padded.get(axis, False) or span.padded
            grids[axis] = grids.get(axis, True) and span.grid
    for shape in layout.get("shapes", ()):
        for name in "xy":
            if shape.get(f"{name}ref", name) in values:
                values[shape.get(f"{name}ref", name)] += [shape.get(f"{name}{end}") for end in "01"]
    specs = {name: layout.get(f"{name[0]}axis{name[1:]}", {}) for name in values}
    # Axes that match another one share its range.
    roots = {name: spec.get("matches") or name for name, spec in specs.items()}
    axes = {}
    for name, spec in specs.items():
        mates = [other for other in roots if roots[other] == roots[name]]
        root = specs.get(roots[name], {})
        shared = {key: root[key] for key in SHARED if key in root}
        together = list(chain.from_iterable(values[other] for other in mates))
        is_padded = any(padded.get(other, False) for other in mates)
        axes[name] = make_axis(name, {"showgrid": grids.get(name, True), **shared, **spec}, together, padded=is_padded)
    return axes


def _seen(axis: Axis) -> bool:
    return bool(axis.spec.get("visible", True))


def _anchor(axis: Axis, axes: Axes) -> Axis:
    """Axis at whose beginning another one has its labels."""
    own = str(axis.spec.get("anchor"))
    return axes[own] if own in axes else axes["y" if axis.horizontal else "x"]


def _arranged(
    traces: Sequence[_Colouring], axes: Axes, layout: Spec, width: float
) -> tuple[Area, float, legends.Legend | None]:
    """Plot area, height of the picture and legend: margins grow until labels and legend have room."""
    margin = {"l": 80.0, "r": 80.0, "t": 100.0, "b": 80.0} | layout.get("margin", {})
    height = float(layout.get("height") or HEIGHT)
    plot = height - margin["t"] - margin["b"]
    legend = legends.legend_of(traces, layout, width - margin["l"] - margin["r"])
    area = Area(margin["l"], width - margin["r"], margin["t"], margin["t"] + plot)
    # The room for labels follows from their places, and these from the room: a second look is enough.
    for _ in range(2):
        left, below = _label_rooms([placed(axis, area) for axis in axes.values()], axes)
        margin["l"], margin["b"] = max(margin["l"], left), max(margin["b"], below)
        right = max([margin["r"], *(legends.colour_bar_room(trace) for trace in _with_bars(traces))])
        right = max(right, legend.width + legends.BAR_GAP) if legend is not None and legend.beside else right
        area = Area(margin["l"], width - right, margin["t"], margin["t"] + plot)
    height = margin["t"] + plot + margin["b"]
    if legend is None:
        return area, height, legend
    top = legends.top_of(legend, area, height)
    return area, max(height, top + legend.height + 8), legend


def _label_rooms(at: Sequence[Axis], axes: Axes) -> tuple[float, float]:
    """Pixels that the labels of the outermost axes need to the left of and below the plot area."""
    needed = {False: 0.0, True: 0.0}
    for axis in at:
        if _seen(axis) and axis.spec.get("automargin", True) and domain(_anchor(axis, axes))[0] == 0:
            needed[axis.horizontal] = max(needed[axis.horizontal], room_of(axis))
    return needed[False], needed[True]


def _with_bars(traces: Sequence[_Colouring]) -> list[Spec]:
    return [trace for trace, _ in traces if trace["type"] == "heatmap" and trace.get("showscale", True)]


def _shapes(layout: Spec, axes: Axes, area: Area, *, below: bool) -> Iterator[str]:
    for shape in layout.get("shapes", ()):
        if (shape.get("layer") == "below") == below:
            yield draw_shape(shape, axes, area)


def _note(note: Spec, layout: Spec) -> Spec:
    return merged(layout.get("annotationdefaults", {}), note)


def _drawn(traces: Sequence[_Colouring], axes: Axes, layout: Spec) -> Iterator[str]:
    """Traces, each cut off at its axes."""
    bar_mode = layout.get("barmode", "group")
    bars = [trace for trace, _ in traces if trace["type"] == "bar"]
    if bars and bar_mode not in BAR_MODES:
        raise ValueError(f"barmode={bar_mode!r}: SVG is drawn with {' and '.join(map(repr, BAR_MODES))}.")
    beside = len(bars) if bar_mode == "group" else min(len(bars), 1)
    number = -1
    for trace, colour in traces:
        number = (number + 1) % beside if trace["type"] == "bar" else number
        group = Group(number, beside, layout.get("bargap", 0.2), layout.get("bargroupgap", 0.0))
        x_axis, y_axis = (axes[trace.get(f"{name}axis") or name] for name in "xy")
        parts = list(DRAWINGS[trace["type"]](trace, x_axis, y_axis, colour, group))
        if parts:
            yield _cut(parts, x_axis, y_axis)


def _cut(parts: Sequence[str], x_axis: Axis, y_axis: Axis) -> str:
    x, y = x_axis.begin - BEYOND, y_axis.end - BEYOND
    width, height = x_axis.end - x_axis.begin + 2 * BEYOND, y_axis.begin - y_axis.end + 2 * BEYOND
    view = f"{x:.1f} {y:.1f} {width:.1f} {height:.1f}"
    return element("svg", *parts, x=x, y=y, width=width, height=height, viewBox=view, overflow="hidden")
