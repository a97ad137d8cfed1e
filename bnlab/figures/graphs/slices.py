"""Layout of networks over time: the slices side by side, the past on the left, static variables above."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab.dynamic.names import split
from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.detour import detour
from bnlab.figures.graphs.layout import Edge, Layout
from bnlab.graphs.dag import GraphLike, as_dag
from bnlab.networks.network import BayesianNetwork

Floats = NDArray[np.float64]

BETWEEN, BELOW = 110.0, 34.0
"""Pixels between slices, and between the nodes of a slice."""
CLEAR = 6.0
"""Pixels between a straight edge and other nodes."""
BESIDE, APART, MOST_APART = 14.0, 6.0, 6
"""Pixels between a slice and an edge that runs beside it, and between several of these, and the number of places."""
LANES = 7.0
"""Pixels from the middle of a gap between rows within which edges pass."""
LINE = np.linspace(0, 1, 200)


def slices_layout(graph: GraphLike, *, bars: bool = False) -> Layout:
    """Positions of the nodes of a transition or of an unrolled network, one column a slice.

    A variable has the same height in every slice. The second of two neighbours is moved to the right a little, so that
    edges within a slice do not hide each other.

    Parameters
    ----------
    graph : Dag, BayesianNetwork or what `bnlab.graphs.as_dag` takes
        With nodes such as ``bp[t-1]``, ``bp[t]`` or ``bp[0]``, ``bp[1]``; others are static. Slices are in the order in
        which their nodes come.
    bars : bool
        Whether the nodes of a BayesianNetwork show the probabilities of their states, for which they are larger.

    Returns
    -------
    Layout
        For `network_picture`, and for a widget, ``view.positions = dict(zip(names, layout.centres.tolist()))``.

    Raises
    ------
    ValueError
        If no node has a time.

    Examples
    --------
    >>> from bnlab.graphs import Dag
    >>> layout = slices_layout(Dag(["sex", "bp[t-1]", "bp[t]"], [(), (), (0, 1)]))
    >>> layout.centres.astype(int).tolist()
    [[145, 18], [30, 122], [230, 122]]
    """
    dag = as_dag(graph)
    names = dag.names
    if not any(map(split, names)):
        raise ValueError(f"no node of {', '.join(names)} has a time, as bp[t] has: network_layout arranges others.")
    shown: dict[str, Any] = (
        {v.name: {"states": v.states} for v in graph.variables} if bars and isinstance(graph, BayesianNetwork) else {}
    )
    edges = [(u, v) for v, parents in enumerate(dag.parents) for u in parents]
    return _in_picture(with_slice_routes(names, _columns(names, drawing.node_sizes(names, shown)), edges))


def is_transition(names: Sequence[str]) -> bool:
    """Whether some nodes are of the present and some of the time before.

    Examples
    --------
    >>> is_transition(["x[t-1]", "x[t]"]), is_transition(["x[0]", "x[1]"])
    (True, False)
    """
    return {part[1] for part in map(split, names) if part is not None} >= {"t-1", "t"}


def transition_layout(names: Sequence[str], sizes: Floats, edges: Iterable[Edge]) -> Layout:
    """Layout as by `slices_layout` of nodes of given widths and heights, shape (n, 2), with edges by index."""
    return _in_picture(with_slice_routes(names, _columns(names, sizes), edges))


def with_slice_routes(names: Sequence[str], layout: Layout, edges: Iterable[Edge]) -> Layout:
    """Add routes for edges without a route whose straight lines meet nodes.

    An edge to a later slice leaves its slice level, passes the slices between through gaps between their rows, and
    arrives level. One within a slice, or from a static variable, runs down beside the slice of its child.
    """
    slices = _Slices(names, layout)
    routes = {}
    for u, v in edges:
        if layout.route(u, v) is None and slices.is_blocked(u, v):
            a, b = sorted((u, v), key=lambda i: (slices.column[i], layout.centres[i, 1]))
            if (found := slices.route(a, b)) is not None:
                routes[a, b] = found
    return replace(layout, routes={**layout.routes, **slices.in_lanes(routes)})


class _Slices:
    """Nodes in columns, one a slice, -1 for the row of static variables, and routes between them."""

    def __init__(self, names: Sequence[str], layout: Layout) -> None:
        parts = [split(name) for name in names]
        order = list(dict.fromkeys(part[1] for part in parts if part is not None))
        rows = list(dict.fromkeys(part[0] for part in parts if part is not None))
        self.layout = layout
        self.column = [-1 if part is None else order.index(part[1]) for part in parts]
        self._row = [0 if part is None else rows.index(part[0]) for part in parts]
        self._low, self._high = layout.centres - layout.sizes / 2, layout.centres + layout.sizes / 2
        members = [np.array(self.column) == k for k in range(-1, len(order))]
        # The last entry is of static variables, whose column is -1.
        self._left, self._right, self._bottom = (
            [float(of(values[some])) if some.any() else 0.0 for some in (*members[1:], members[0])]
            for of, values in ((np.min, self._low[:, 0]), (np.max, self._high[:, 0]), (np.max, self._high[:, 1]))
        )
        self._half = float(layout.sizes[:, 1].max(initial=0.0)) / 2 + BELOW / 2

    def is_blocked(self, u: int, v: int) -> bool:
        """Whether the straight line between two nodes meets another one."""
        start, end = self.layout.centres[[u, v]]
        line = (start + LINE[:, None] * (end - start))[:, None]
        meets = ((line > self._low - CLEAR) & (line < self._high + CLEAR)).all(axis=2).any(axis=0)
        meets[[u, v]] = False
        return bool(meets.any())

    def route(self, a: int, b: int) -> Floats | None:
        """Route from a node to one in a later column or below; None between static variables."""
        if self.column[b] < 0:
            return None
        return self._across(a, b) if 0 <= self.column[a] < self.column[b] else self._beside(a, b)

    def in_lanes(self, routes: Mapping[Edge, Floats]) -> dict[Edge, Floats]:
        """Routes of which those to different nodes are apart where they pass the same gap between rows."""
        first, step = float(self.layout.centres[:, 1][np.array(self.column) >= 0].min(initial=np.inf)), 2 * self._half
        across = [(a, b) for a, b in routes if 0 <= self.column[a] < self.column[b]]
        gaps = {edge: np.floor((routes[edge][2:-2, 1] - first) / step) for edge in across}
        ends: dict[tuple[float, float], set[int]] = {}
        for edge in across:
            for x, gap in zip(routes[edge][2:-2, 0].tolist(), gaps[edge].tolist(), strict=True):
                ends.setdefault((x, gap), set()).add(edge[1])
        found = dict(routes)
        for edge in across:
            found[edge] = routes[edge].copy()
            for i, gap in enumerate(gaps[edge].tolist(), 2):
                lanes = sorted(ends[float(routes[edge][i, 0]), gap], key=lambda v: self.layout.centres[v, 1])
                lane = (2 * lanes.index(edge[1]) + 1) / len(lanes) - 1
                found[edge][i, 1] = first + (gap + 0.5) * step + LANES * lane
        return found

    def _across(self, a: int, b: int) -> Floats:
        between = [i for i, k in enumerate(self.column) if self.column[a] < k < self.column[b]]
        some = [a, *between, b]
        # `detour` passes rows from top to bottom, and so columns if x and y change places.
        turned = Layout(self.layout.centres[some][:, ::-1], self.layout.sizes[some][:, ::-1], {}, (0.0, 0.0))
        found = detour(turned, 0, len(some) - 1) if between else None
        inner = np.empty((0, 2)) if found is None else found[1:-1, ::-1]
        start, end = self.layout.centres[[a, b]]
        leaves, arrives = (self._right[self.column[a]] + CLEAR, start[1]), (self._left[self.column[b]] - CLEAR, end[1])
        return np.array([start, leaves, *inner, arrives, end])

    def _beside(self, a: int, b: int) -> Floats:
        k, start, end = self.column[b], *self.layout.centres[[a, b]]
        aside = BESIDE + APART * (self._row[b] % MOST_APART)
        x = self._right[0] + aside if k == 0 else self._left[k] - aside
        above = end[1] - self._half
        if self.column[a] == k:
            return np.array([start, (x, start[1] + self._half), (x, above), end])
        bottom = self._bottom[-1]
        return np.array([start, (start[0], bottom + CLEAR), (x, bottom + BELOW), (x, above), end])


def _in_picture(layout: Layout) -> Layout:
    """Layout whose routes are in the picture, too."""
    if not layout.routes:
        return layout
    points = np.vstack(list(layout.routes.values()))
    low, high = np.minimum(points.min(axis=0), 0.0), np.maximum(points.max(axis=0), layout.size)
    routes = {edge: route - low for edge, route in layout.routes.items()}
    width, height = (high - low).tolist()
    return Layout(layout.centres - low, layout.sizes, routes, (width, height))


def _columns(names: Sequence[str], sizes: Floats) -> Layout:
    """Positions of nodes of which some have a time, one column a slice."""
    parts = [split(name) for name in names]
    slices = list(dict.fromkeys(part[1] for part in parts if part is not None))
    rows = list(dict.fromkeys(part[0] for part in parts if part is not None))
    wide, tall = sizes.max(axis=0).tolist()
    static = [i for i, part in enumerate(parts) if part is None]
    top = (tall + 2 * BELOW) if static else 0.0
    shift = wide / 2
    width = len(slices) * (wide + shift) + (len(slices) - 1) * BETWEEN
    centres = np.zeros((len(names), 2))
    for i, part in enumerate(parts):
        if part is not None:
            column, row = slices.index(part[1]), rows.index(part[0])
            left = column * (wide + shift + BETWEEN) + shift * (row % 2)
            centres[i] = left + wide / 2, top + tall / 2 + row * (tall + BELOW)
    row_width = len(static) * wide + max(len(static) - 1, 0) * BELOW
    width = max(width, row_width)
    for place, i in enumerate(static):
        centres[i] = (width - row_width) / 2 + wide / 2 + place * (wide + BELOW), tall / 2
    return Layout(centres, sizes, {}, (width, top + len(rows) * tall + (len(rows) - 1) * BELOW))
