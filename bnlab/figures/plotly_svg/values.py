"""Values of a plotly figure as plain Python and NumPy values, whichever way the figure holds them."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
Spec: TypeAlias = "dict[str, Any]"


def as_spec(figure: Any) -> Spec:
    """Figure as a dict with the keys data and layout, the template merged into the layout.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure or dict
    """
    spec = figure if isinstance(figure, dict) else figure.to_plotly_json()
    layout = dict(spec.get("layout", {}))
    template = layout.pop("template", None) or {}
    defaults = template.get("layout", {})
    axes = {name: defaults[name[0] + "axis"] for name in layout if name[1:5] == "axis" and name[0] + "axis" in defaults}
    return {"data": list(spec.get("data", ())), "layout": merged(merged(defaults, axes), layout)}


def merged(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> Spec:
    """Nested entries of `own`, and of `defaults` where `own` has none.

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
    >>> listed(None), listed(np.array([1.0, 2.0])), listed({"dtype": "u1", "bdata": "AQI="})
    ([], [1.0, 2.0], [1, 2])
    """
    if values is None:
        return []
    if isinstance(values, Mapping):
        array = np.frombuffer(b64decode(values["bdata"]), dtype=values["dtype"])
        shape = str(values.get("shape", len(array)))
        values = array.reshape([int(part) for part in shape.split(",")])
    return list(values.tolist() if isinstance(values, np.ndarray) else values)


def repeated(value: Any, n: int) -> list[Any]:
    """Entry that is one value for all of `n` points or a list of one each, as a list.

    Examples
    --------
    >>> repeated("red", 2), repeated([1, 2], 2)
    (['red', 'red'], [1, 2])
    """
    one_each = not isinstance(value, str) and isinstance(value, Iterable)
    return listed(value) if one_each else [value] * n


def numbers(values: Iterable[Any]) -> FloatArray:
    """Values as floats, nan for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
