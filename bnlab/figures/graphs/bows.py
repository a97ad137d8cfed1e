"""Edges that no layout has routed: straight where that is free, else in a bow around the nodes in the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnlab.figures.graphs.coordinates import FloatArray
from bnlab.figures.graphs.layout import Layout

BOWS = (0.0, 24.0, -24.0, 48.0, -48.0, 80.0, -80.0, 120.0, -120.0)
"""Pixels that an edge goes aside, tried in this order; as in the page."""
CLEARANCE = 6.0
"""Pixels between an edge and the nodes beside it."""
SHARES = np.arange(1, 16) / 16


def bowed(layout: Layout, u: int, v: int) -> FloatArray:
    """Bézier piece from centre to centre that meets the fewest other nodes and stays in the picture.

    Returns
    -------
    ndarray of float, shape (4, 2)
    """
    pieces = [_bow(layout.centres[u], layout.centres[v], aside) for aside in BOWS]
    others = np.delete(np.arange(len(layout.centres)), [u, v])
    return min(pieces, key=lambda piece: _in_the_way(layout, others, piece))


def _bow(a: FloatArray, b: FloatArray, aside: float) -> FloatArray:
    along = b - a
    across = np.array([along[1], -along[0]]) * (4 / 3 * aside) / max(float(np.hypot(*along)), 1.0)
    return np.array([a, a + along / 3 + across, b - along / 3 + across, b])


def _in_the_way(layout: Layout, others: NDArray[np.intp], piece: FloatArray) -> int:
    """How many points of a piece lie on other nodes or outside the picture."""
    t = SHARES[:, None]
    weights = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    points = weights @ piece
    radii = layout.sizes[others] / 2 + CLEARANCE
    apart = ((points[:, None] - layout.centres[others]) / radii) ** 2
    outside = (points < -CLEARANCE) | (points > np.array(layout.size) + CLEARANCE)
    return int((apart.sum(axis=2) <= 1).sum() + outside.any(axis=1).sum())
