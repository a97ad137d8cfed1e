"""Curves of edges: along their route where a layout has one, else straight or in a bow around the nodes in the way.

A curve is a list of cubic Bézier pieces, ndarrays of float64 of shape (4, 2), in pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bnlab.figures.graphs.coordinates import FloatArray
from bnlab.figures.graphs.layout import Edge, Layout

Curve: TypeAlias = list[FloatArray]

BOWS = (0.0, 24.0, -24.0, 48.0, -48.0, 80.0, -80.0, 120.0, -120.0)
"""Pixels that an edge goes aside, tried in this order; as in the page."""
CLEARANCE = 6.0
"""Pixels between an edge and the nodes beside it."""
SHARES = np.arange(1, 16) / 16
FLATTEST = 1.5
"""Pixels sideways for each pixel down, at most, where a line leaves its node: so it clears the nodes beside."""
HANDLE = 0.42


def edge_curve(layout: Layout, edge: Edge) -> Curve:
    """Curve of an edge from the rim of its first node to the rim of its second."""
    route = layout.route(*edge)
    return between_rims([bowed(layout, *edge)] if route is None else _smooth(route), layout, *edge)


def bowed(layout: Layout, u: int, v: int) -> FloatArray:
    """Bézier piece from centre to centre, shape (4, 2): meets the fewest other nodes, stays in the picture."""
    others = np.delete(np.arange(len(layout.centres)), [u, v])
    centres, radii = layout.centres[others], layout.sizes[others] / 2 + CLEARANCE

    def in_the_way(piece: FloatArray) -> int:
        points = on_piece(piece, SHARES)
        apart = ((points[:, None] - centres) / radii) ** 2
        outside = (points < -CLEARANCE) | (points > np.array(layout.size) + CLEARANCE)
        return int((apart.sum(axis=2) <= 1).sum() + outside.any(axis=1).sum())

    return min((bow(layout.centres[u], layout.centres[v], aside) for aside in BOWS), key=in_the_way)


def bow(a: FloatArray, b: FloatArray, aside: float) -> FloatArray:
    """Bézier piece from a to b that goes some pixels aside, to the left of its direction."""
    along = b - a
    across = np.array([along[1], -along[0]]) * (4 / 3 * aside) / max(float(np.hypot(*along)), 1.0)
    return np.array([a, a + along / 3 + across, b - along / 3 + across, b])


def _smooth(route: FloatArray) -> Curve:
    """Curve through the points that never overshoots them: a monotone cubic (Fritsch and Carlson 1980) of x over y."""
    steps = np.diff(route, axis=0)
    if (np.abs(steps[:, 1]) < 1e-9).any():
        return [bow(a, b, 0.0) for a, b in pairwise(route)]
    slopes = steps[:, 0] / steps[:, 1]
    turning = slopes[:-1] * slopes[1:] <= 0
    with np.errstate(divide="ignore", invalid="ignore"):
        between = np.where(turning, 0.0, 2 / (1 / slopes[:-1] + 1 / slopes[1:]))
    tangents = np.clip(np.concatenate([slopes[:1], between, slopes[-1:]]), -FLATTEST, FLATTEST)
    handles = steps[:, 1] * np.where(np.abs(slopes) <= FLATTEST, 1 / 3, HANDLE)
    leaving = route[:-1] + np.column_stack([tangents[:-1] * handles, handles])
    entering = route[1:] - np.column_stack([tangents[1:] * handles, handles])
    return list(np.stack([route[:-1], leaving, entering, route[1:]], axis=1))


def between_rims(curve: Curve, layout: Layout, u: int, v: int) -> Curve:
    """Part of a curve between the rims of the nodes at its ends."""

    def outside(node: int) -> Callable[[FloatArray], bool]:
        centre, radii = layout.centres[node], layout.sizes[node] / 2 + 1
        return lambda point: float((((point - centre) / radii) ** 2).sum()) > 1

    return _backwards(until(_backwards(until(curve, outside(v))), outside(u)))


def _backwards(curve: Curve) -> Curve:
    return [piece[::-1] for piece in reversed(curve)]


def until(curve: Curve, clear: Callable[[FloatArray], bool]) -> Curve:
    """Curve up to the last point that is clear of what lies at its end."""
    kept = list(curve)
    while len(kept) > 1 and not clear(kept[-1][0]):
        kept.pop()
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if clear(on_piece(kept[-1], middle)) else (low, middle)
    return [*kept[:-1], _split(kept[-1], low)]


def _split(piece: FloatArray, t: float) -> FloatArray:
    """First part of a Bézier piece, up to t (de Casteljau)."""
    corners, rest = [piece[0]], piece
    while len(rest) > 1:
        rest = (1 - t) * rest[:-1] + t * rest[1:]
        corners.append(rest[0])
    return np.array(corners)


def at(curve: Curve, share: float) -> FloatArray:
    """Point at a share of the curve's pieces."""
    along = share * len(curve)
    piece = min(int(along), len(curve) - 1)
    return on_piece(curve[piece], along - piece)


def on_piece(piece: FloatArray, t: ArrayLike) -> FloatArray:
    """Points of a Bézier piece at t from 0 to 1, shape of t and (2,)."""
    s = np.asarray(t, dtype=np.float64)
    weights = np.stack([(1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s**2 * (1 - s), s**3], axis=-1)
    return np.asarray(weights @ piece)
