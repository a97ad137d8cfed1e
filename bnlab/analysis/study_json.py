"""Reading of saved sessions: the values of a JSON file are checked and become the parts of a `Study`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.values import check_text, shown, whole
from bnlab.analysis.preparation import Preparation
from bnlab.analysis.recipe import Recipe
from bnlab.data.file_format import FileFormat
from bnlab.graphs.checks import is_edge
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag
from bnlab.graphs.pdag import Pdag

FORMAT = "bnlab study 1"
FIELDS = ("format", "source", "fingerprint", "preparation", "recipes", "graphs", "confidence", "bootstrap_seed")
OF_PREPARATION = ("target", "states", "dates", "unit", "time")
"""Parts of a preparation that a file may lack."""


def study_parts(content: Any) -> dict[str, Any]:
    """Arguments of `Study` from the values of `Study.to_json`; ValueError, which names the field, for other content."""
    if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
        raise ValueError(f"format = {shown(content['format'])}: this version reads {FORMAT!r}.")
    parts = _members("session", content, FIELDS, ("stopped", "file_format"))
    return {
        "source": parts["source"],
        "fingerprint": parts["fingerprint"],
        "preparation": _preparation(parts["preparation"]),
        "recipes": {name: _recipe(field, value) for field, name, value in _named("recipes", parts)},
        "graphs": {name: _graph(field, value) for field, name, value in _named("graphs", parts)},
        "confidence": {name: _confidence(field, value) for field, name, value in _named("confidence", parts)},
        "bootstrap_seed": parts["bootstrap_seed"],
        "stopped": tuple(_list("stopped", parts.get("stopped", []))),
        "file_format": _file_format(parts.get("file_format")),
    }


def _preparation(value: Any) -> Preparation:
    steps = _members("preparation", value, ("leave_out", "cuts", "missing"), OF_PREPARATION)
    left_out = tuple(_list("preparation.leave_out", steps["leave_out"]))
    with _in_field("preparation"):
        cuts, states, dates = (_mapping(part, steps.get(part, {})) for part in ("cuts", "states", "dates"))
        panel = steps.get("unit"), steps.get("time")
        return Preparation(left_out, cuts, steps["missing"], steps.get("target"), states, dates, *panel)


def _file_format(value: Any) -> FileFormat | None:
    if value is None:
        return None
    parts = _members("file_format", value, (), tuple(FileFormat.__dataclass_fields__))
    with _in_field("file_format"):
        return FileFormat(**parts)


def _recipe(field: str, value: Any) -> Recipe:
    recipe = _members(field, value, ("algorithm", "score", "options"))
    with _in_field(field):
        return Recipe(recipe["algorithm"], recipe["score"], _mapping("options", recipe["options"]))


def _graph(field: str, value: Any) -> Dag | Pdag:
    graph = _members(field, value, ("names", "edges"), ("undirected", "conflicts", "undecided"))
    names = _names(f"{field}.names", graph["names"])
    edges = {part: _edges(f"{field}.{part}", graph[part], names) for part in graph if part != "names"}
    with _in_field(f"{field}.edges"):
        if "undirected" not in graph and "conflicts" not in graph:
            dag = Dag.from_edges(names, [(u, v) for u, v in edges["edges"]])
            return dag.with_undecided((u, v) for u, v in edges["undecided"]) if "undecided" in edges else dag
        index = {name: i for i, name in enumerate(names)}
        pairs = {part: [(index[u], index[v]) for u, v in some] for part, some in edges.items()}
        return Pdag(names, pairs["edges"], pairs.get("undirected", ()), pairs.get("conflicts", ()))


def _edges(field: str, value: Any, names: tuple[str, ...]) -> list[list[str]]:
    with _in_field(field):
        edges, known = _list("edges", value), set(names)
        for edge in edges:
            if not (is_edge(edge) and isinstance(edge, list) and known.issuperset(edge)):
                raise ValueError(f"{shown(edge)} is no pair of names of this graph.")
        return edges


def _confidence(field: str, value: Any) -> EdgeConfidence:
    found = _members(field, value, ("names", "arcs", "graphs"), ("method",))
    names = _names(f"{field}.names", found["names"])
    graphs = whole(0).checked(f"{field}.graphs", found["graphs"])
    arcs = _matrix(f"{field}.arcs", found["arcs"], len(names))
    return EdgeConfidence(names, arcs, graphs, found.get("method", "bootstrap"))


def _matrix(field: str, value: Any, size: int) -> NDArray[np.float64]:
    rows = [_list(f"{field}: a row", row) for row in _list(field, value)]
    if [len(row) for row in rows] != [size] * size:
        raise ValueError(f"{field}: {size} rows of {size} numbers are needed.")
    for number in (number for row in rows for number in row):
        if type(number) not in (int, float) or not 0 <= number <= 1:
            raise ValueError(f"{field}: {shown(number)} is no share between 0 and 1.")
    return np.array(rows, dtype=np.float64).reshape(size, size)


def _names(field: str, value: Any) -> tuple[str, ...]:
    names = tuple(check_text(f"{field}: a name", name) for name in _list(field, value))
    if len(set(names)) < len(names):
        raise ValueError(f"{field}: a name occurs twice.")
    return names


def _named(field: str, parts: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Field, name and value of each named part."""
    for name, value in _mapping(field, parts[field]).items():
        yield f"{field}[{shown(name)}]", name, value


def _members(field: str, value: Any, needed: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Any]:
    """Check that an object has the needed parts, perhaps the optional ones, and no others."""
    found, known = _mapping(field, value), (*needed, *optional)
    for key in found:
        if key not in known:
            raise ValueError(f"{field}: {shown(key)} is no part of it; its parts are {', '.join(known)}.")
    for key in needed:
        if key not in found:
            raise ValueError(f"{field}: it has no {key!r}; its parts are {', '.join(known)}.")
    return found


def _mapping(field: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{field} = {shown(value)}: an object is needed, with names and values.")
    return {check_text(f"{field}: a name", key): item for key, item in value.items()}


def _list(field: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{field} = {shown(value)}: a list is needed.")
    return value


@contextmanager
def _in_field(field: str) -> Iterator[None]:
    """Add the field to the message of a ValueError."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{field}: {error}") from None
