"""Positions of the nodes of a changing picture: kept, found for new nodes, or dragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from bnlab.figures.graphs.drawing import FloatArray, NamedEdge
from bnlab.figures.graphs.layout import Edge, Layout
from bnlab.widgets.graph.data import GraphData

Shown: TypeAlias = Mapping[str, Any]
Routes: TypeAlias = "Mapping[NamedEdge, Sequence[Sequence[float]] | FloatArray]"

STEP = 20.0
NEAR = 0.5


def fits(data: GraphData, nodes: Sequence[Shown]) -> bool:
    """Whether some nodes of the picture stay, and none of them grew."""
    before = {node["name"]: (node["w"], node["h"]) for node in nodes}
    sizes = dict(zip(data.graph.names, data.sizes().tolist(), strict=True))
    stay = [name for name in sizes if name in before]
    return bool(stay) and all(np.less_equal(sizes[name], np.add(before[name], NEAR)).all() for name in stay)


def layout_in_place(data: GraphData, nodes: Sequence[Shown], routes: Routes) -> Layout:
    """Layout that keeps the positions of the nodes of a picture, and known routes between them."""
    sizes = data.sizes()
    before = {node["name"]: (node["x"], node["y"]) for node in nodes}
    names = data.graph.names
    centres = np.array([before.get(name, (np.nan, np.nan)) for name in names], dtype=np.float64).reshape(-1, 2)
    new = np.isnan(centres[:, 0])
    if new.any():
        fresh = data.layout().centres
        shift = (centres - fresh)[~new].mean(axis=0)
        for i in np.flatnonzero(new).tolist():
            centres[i] = _free(fresh[i] + shift, i, centres, sizes)
    size = (centres + sizes / 2).max(axis=0)
    return Layout(centres, sizes, _usable(names, centres, routes), (float(size[0]), float(size[1])))


def shown_layout(
    data: GraphData, nodes: Sequence[Shown], edges: Sequence[Shown], positions: Mapping[str, Sequence[float]]
) -> Layout:
    """Layout of a still picture: nodes as they were dragged and without bars, the whole from (0, 0)."""
    names = data.graph.names
    before = {node["name"]: (node["x"], node["y"]) for node in nodes}
    centres = np.array([positions.get(name, before[name]) for name in names], dtype=np.float64).reshape(-1, 2)
    sizes = data.sizes(with_bars=False)
    routes = _usable(names, centres, {(edge["u"], edge["v"]): edge["points"] for edge in edges})
    corners = [centres - sizes / 2, centres + sizes / 2, *routes.values()]
    low, high = (np.vstack(corners).min(axis=0), np.vstack(corners).max(axis=0)) if len(names) else (0.0, np.zeros(2))
    routes = {edge: route - low for edge, route in routes.items()}
    width, height = (high - low).tolist()
    return Layout(centres - low, sizes, routes, (width, height))


def named_routes(names: Sequence[str], layout: Layout) -> dict[NamedEdge, FloatArray]:
    """Routes of a layout by the names of their ends."""
    return {(names[a], names[b]): route for (a, b), route in layout.routes.items()}


def _free(at: FloatArray, i: int, centres: FloatArray, sizes: FloatArray) -> FloatArray:
    """Nearest place below `at` where node `i` touches no other."""
    while True:
        apart = np.abs(centres - at) < (sizes + sizes[i]) / 2 + STEP / 2
        if not apart.all(axis=1).any():
            return at
        at = at + (0.0, STEP)


def _usable(names: Sequence[str], centres: FloatArray, routes: Routes) -> dict[Edge, FloatArray]:
    """Those routes, by index, whose ends are where their nodes are."""
    index = {name: i for i, name in enumerate(names)}
    usable = {}
    for (u, v), points in routes.items():
        if len(points) > 1 and u in index and v in index:
            pair = (index[u], index[v])
            route = np.asarray(points, dtype=np.float64)
            if np.abs(route[[0, -1]] - centres[list(pair)]).max() < NEAR:
                usable[pair] = route
    return usable
