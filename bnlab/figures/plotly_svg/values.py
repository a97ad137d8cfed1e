"""Plotly figures as plain Python values, with plotly's defaults for missing entries."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.figures.theme import AXIS, GRID, INK, PALETTE

FloatArray: TypeAlias = NDArray[np.float64]
Spec: TypeAlias = "dict[str, Any]"

LABELS: Spec = {"showticklabels": True, "tickfont": {"size": 12}, "tickangle": "auto", "automargin": True}
LINES: Spec = {"gridcolor": GRID, "zeroline": True, "zerolinecolor": AXIS, "zerolinewidth": 1}
AXIS_DEFAULTS: Spec = LABELS | LINES
AXIS_DEFAULTS |= {"type": "-", "domain": [0.0, 1.0], "rangemode": "normal", "visible": True}
AXIS_DEFAULTS |= {"title": {"text": "", "font": {"size": 13}}}

NOTE_DEFAULTS: Spec = {"showarrow": True, "font": {"size": 12, "color": INK}, "textangle": 0}
NOTE_DEFAULTS |= {"xref": "x", "yref": "y", "xshift": 0, "yshift": 0, "xanchor": "auto", "yanchor": "auto"}

LAYOUT_DEFAULTS: Spec = {
    "title": {
        "text": "",
        "font": {"size": 16},
        "pad": {"l": 0, "t": 0},
        "subtitle": {"text": "", "font": {"size": 12}},
    },
    "height": 450,
    "margin": {"l": 80, "r": 80, "t": 100, "b": 80},
    "colorway": PALETTE,
    "legend": {"orientation": "v", "x": 0.0, "yanchor": "auto"},
    "xaxis": AXIS_DEFAULTS,
    "yaxis": AXIS_DEFAULTS,
    "shapes": [],
    "annotations": [],
    "annotationdefaults": NOTE_DEFAULTS,
}
LAYOUT_DEFAULTS |= {"barmode": "group", "bargap": 0.2, "bargroupgap": 0.0}

TRACE_DEFAULTS: Spec = {
    "marker": {"symbol": "circle", "size": 6.0, "opacity": 1.0, "line": {"width": 0}, "pattern": {"shape": ""}},
    "line": {},
    "error_x": {"thickness": 2, "width": 4},
    "error_y": {"thickness": 2, "width": 4},
    "colorbar": {"title": {"text": ""}, "thickness": 24, "len": 1.0, "outlinecolor": INK, "outlinewidth": 1},
}
TRACE_DEFAULTS |= {"type": "scatter", "xaxis": "x", "yaxis": "y", "orientation": "v"}
TRACE_DEFAULTS |= {"visible": True, "opacity": 1.0, "name": "", "showlegend": True, "showscale": True}
TRACE_DEFAULTS |= {"textfont": {"size": 12}, "textposition": "middle"}


def as_spec(figure: Any) -> Spec:
    """Figure as a dict with the keys data and layout: entries of the figure, of its template, or the defaults.

    Each trace gets the entry colour, for lines and markers without a colour of their own.
    """
    spec = _decoded(figure if isinstance(figure, dict) else figure.to_plotly_json())
    own = spec.get("layout", {})
    defaults = merged(LAYOUT_DEFAULTS, own.pop("template", {}).get("layout", {}))
    layout = merged(defaults | {name: defaults[name[:5]] for name in own if name[1:5] == "axis"}, own)
    layout["annotations"] = [merged(layout["annotationdefaults"], note) for note in layout["annotations"]]
    traces = []
    for i, trace in enumerate(spec.get("data", ())):
        # Missing coordinates are numbers from 0 on.
        z = trace.get("z") or [trace.get("y", [])]
        x, y = list(range(len(z[0]))), list(range(len(z))) if "z" in trace else []
        named = trace.get("line", {}).get("color") or trace.get("marker", {}).get("color")
        colour = named if isinstance(named, str) else layout["colorway"][i % len(layout["colorway"])]
        traces.append(merged(TRACE_DEFAULTS, {"x": x, "y": y, **trace, "colour": colour}))
    return {"data": traces, "layout": layout}


def _decoded(value: Any) -> Any:
    """Entry with its arrays as lists and without empty entries."""
    if isinstance(value, Mapping):
        if "bdata" in value:
            return listed(value)
        return {name: _decoded(part) for name, part in value.items() if part is not None}
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    values = listed(value)
    nested = values and isinstance(values[0], Iterable) and not isinstance(values[0], str)
    return list(map(_decoded, values)) if nested else values


def merged(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> Spec:
    """Nested entries of `own`, and those of `defaults` that `own` does not have.

    Examples
    --------
    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}, "d": 4})
    {'a': {'b': 3, 'c': 2}, 'd': 4}
    """
    found = dict(defaults)
    for name, value in own.items():
        before = found.get(name)
        if isinstance(before, Mapping) and isinstance(value, str) and name == "title":
            value = {"text": value}
        found[name] = merged(before, value) if isinstance(before, Mapping) and isinstance(value, Mapping) else value
    return found


def listed(values: Any) -> list[Any]:
    """Values of an array entry as a list; those of a matrix as a list of rows.

    Examples
    --------
    >>> listed(np.array([1.0, 2.0])), listed({"dtype": "u1", "bdata": "AQI="})
    ([1.0, 2.0], [1, 2])
    """
    if isinstance(values, Mapping):
        array = np.frombuffer(b64decode(values["bdata"]), dtype=values["dtype"])
        values = array.reshape([int(part) for part in str(values.get("shape", len(array))).split(",")])
    return list(values.tolist() if isinstance(values, np.ndarray) else values)


def repeated(value: Any, n: int) -> list[Any]:
    """Values of an entry for `n` points, from a list or from one value for all points.

    Examples
    --------
    >>> repeated("red", 2), repeated([1, 2], 2)
    (['red', 'red'], [1, 2])
    """
    return value if isinstance(value, list) else [value] * n


def numbers(values: Iterable[Any]) -> FloatArray:
    """Values as floats, nan for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
