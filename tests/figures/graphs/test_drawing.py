"""Edges that a layout did not route go around the nodes in the way, within the picture."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.drawing import at, bowed, edge_curve
from bnlab.figures.graphs.layout import Layout, layered_layout
from bnlab.networks import load_network


@pytest.fixture
def column() -> Layout:
    """Three nodes below each other, and one beside the second."""
    centres = np.array([[40.0, 20.0], [40.0, 100.0], [40.0, 180.0], [140.0, 100.0]])
    return Layout(centres, np.full((4, 2), [60.0, 36.0]), {}, (170.0, 200.0))


def outside(curve: list[np.ndarray], layout: Layout, node: int) -> bool:
    points = np.array([at(curve, share) for share in np.linspace(0.02, 0.98, 49)])
    return bool(((((points - layout.centres[node]) / (layout.sizes[node] / 2)) ** 2).sum(axis=1) > 1).all())


def test_a_free_way_is_straight(column: Layout) -> None:
    piece = bowed(column, 0, 1)
    assert np.allclose(piece[:, 0], 40.0)


def test_an_edge_goes_around_a_node_on_its_way_and_stays_in_the_picture(column: Layout) -> None:
    for edge in ((0, 2), (2, 0)):
        curve = edge_curve(column, edge)
        assert outside(curve, column, 1)
        assert outside(curve, column, 3)
        xs = np.array([at(curve, share)[0] for share in np.linspace(0, 1, 50)])
        assert xs.min() >= -6
        assert xs.max() <= 176


def test_a_learned_edge_on_the_places_of_the_true_network_crosses_no_node() -> None:
    true = load_network("simple").dag
    layout = layered_layout(true, drawing.widths(true.names))
    u, traffic, v = (true.index(name) for name in ("Late", "Traffic", "Rain"))
    assert outside(edge_curve(layout, (u, v)), layout, traffic)
