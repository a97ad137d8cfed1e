"""Routes around nodes for edges without a route, through the gaps between the nodes of each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from bnlab.figures.graphs.coordinates import FloatArray
from bnlab.figures.graphs.drawing import bow, on_piece, smooth
from bnlab.figures.graphs.layout import Edge, Layout

CLEARANCE = 10.0
"""Pixels between an edge and the nodes beside it."""
MOST_DETOURS = 40
"""Maximum number of edges routed around nodes; more would take long and stay unreadable."""
SHARES = np.linspace(0, 1, 60)


def with_detours(layout: Layout, edges: Iterable[Edge]) -> Layout:
    """Add routes for edges without a route whose straight lines meet nodes.

    A layout without any route, such as a ring, is not changed.
    """
    unknown = [edge for edge in edges if layout.route(*edge) is None] if layout.routes else []
    routes = {}
    for u, v in unknown[:MOST_DETOURS]:
        obstacles = _Obstacles(layout, u, v)
        if obstacles.allow_line(*layout.centres[[u, v]]) or (route := detour(layout, u, v)) is None:
            continue
        straight = _straightened(route, obstacles.allow_line)
        routes[u, v] = straight if all(map(obstacles.allow, smooth(straight))) else route
    return replace(layout, routes={**layout.routes, **routes})


class _Obstacles:
    """Nodes other than the ends of an edge, which its curve must not meet."""

    def __init__(self, layout: Layout, u: int, v: int) -> None:
        others = np.delete(np.arange(len(layout.centres)), [u, v])
        self.centres, self.radii = layout.centres[others], layout.sizes[others] / 2 + CLEARANCE / 2

    def allow_line(self, a: FloatArray, b: FloatArray) -> bool:
        return self.allow(bow(a, b, 0.0))

    def allow(self, piece: FloatArray) -> bool:
        """Whether a piece of a curve meets none of them."""
        low, high = piece.min(axis=0), piece.max(axis=0)
        near = ((self.centres + self.radii > low) & (self.centres - self.radii < high)).all(axis=1)
        apart = (on_piece(piece, SHARES)[:, None] - self.centres[near]) / self.radii[near]
        return not ((apart**2).sum(axis=2) <= 1).any()


def _straightened(route: FloatArray, is_free: Callable[[FloatArray, FloatArray], bool]) -> FloatArray:
    """Route whose points move sideways onto straight lines between the points where it must turn."""
    kept = [0]
    for k in range(1, len(route)):
        if k > kept[-1] + 1 and not is_free(route[kept[-1]], route[k]):
            kept.append(k - 1)
    turns = route[[*kept, -1]]
    order = np.argsort(turns[:, 1])
    return np.column_stack([np.interp(route[:, 1], *turns[order].T[::-1]), route[:, 1]])


def detour(layout: Layout, u: int, v: int) -> FloatArray | None:
    """Route from one node to another through gaps in the rows between them, with the least movement sideways.

    Returns
    -------
    ndarray of float64, shape (points, 2), or None
        Points from centre to centre, always down or always up; None if no row is in between.

    Examples
    --------
    >>> centres = np.array([[50.0, 18.0], [50.0, 98.0], [50.0, 178.0]])
    >>> detour(Layout(centres, np.full((3, 2), 36.0), {}, (100.0, 196.0)), 0, 2).tolist()
    [[50.0, 18.0], [22.0, 80.0], [22.0, 116.0], [50.0, 178.0]]
    """
    start, end = layout.centres[[u, v]]
    if start[1] > end[1]:
        back = detour(layout, v, u)
        return None if back is None else back[::-1]
    half = layout.sizes / 2
    tops, bottoms = (layout.centres - half)[:, 1], (layout.centres + half)[:, 1]
    between = np.flatnonzero((tops >= bottoms[u]) & (bottoms <= tops[v]))
    if not len(between):
        return None
    bands = _bands(tops[between], bottoms[between])
    # For each band, the places where it can be passed; for each place, the shortest way to it and the place before.
    places, ways, before = [np.array([start[0]])], [np.zeros(1)], []
    for nodes, top, bottom in bands:
        members = between[nodes]
        share = ((top + bottom) / 2 - start[1]) / (end[1] - start[1])
        wanted = start[0] + share * (end[0] - start[0])
        low, high = (layout.centres[members, 0] + side * (half[members, 0] + CLEARANCE) for side in (-1, 1))
        found = _gaps(low, high, wanted)
        step = np.abs(found[:, None] - places[-1]) + ways[-1]
        before.append(step.argmin(axis=1))
        ways.append(step.min(axis=1))
        places.append(found)
    k = int((ways[-1] + np.abs(places[-1] - end[0])).argmin())
    points = [end]
    for (_, top, bottom), found, came in zip(bands[::-1], places[:0:-1], before[::-1], strict=True):
        points += [np.array([found[k], bottom]), np.array([found[k], top])]
        k = int(came[k])
    return np.array([*points, start])[::-1]


def _bands(tops: FloatArray, bottoms: FloatArray) -> list[tuple[list[int], float, float]]:
    """Groups of nodes that overlap in height, from top to bottom: indices, top and bottom of each."""
    bands: list[tuple[list[int], float, float]] = []
    for i in np.argsort(tops).tolist():
        if bands and tops[i] < bands[-1][2]:
            nodes, top, bottom = bands[-1]
            bands[-1] = ([*nodes, i], top, max(bottom, float(bottoms[i])))
        else:
            bands.append(([i], float(tops[i]), float(bottoms[i])))
    return bands


def _gaps(low: FloatArray, high: FloatArray, wanted: float) -> FloatArray:
    """Place nearest to `wanted` in each gap between intervals, and on both sides of them all."""
    order = np.argsort(low)
    lefts = [-np.inf, *np.maximum.accumulate(high[order])]
    rights = [*low[order], np.inf]
    return np.array([min(max(wanted, a), b) for a, b in zip(lefts, rights, strict=True) if a <= b])
