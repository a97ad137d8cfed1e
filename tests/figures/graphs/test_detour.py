"""Edges that a layout does not know go around its nodes."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bnlab.figures.graphs.detour import with_detours
from bnlab.figures.graphs.drawing import edge_curve, on_piece
from bnlab.figures.graphs.layout import Layout, layered_layout
from bnlab.figures.graphs.network import network_layout
from bnlab.graphs import Dag


def met(layout: Layout, u: int, v: int) -> int:
    """Other nodes that the drawn edge meets."""
    points = np.vstack([on_piece(piece, np.linspace(0, 1, 41)) for piece in edge_curve(layout, (u, v))])
    others = np.delete(np.arange(len(layout.centres)), [u, v])
    apart = (points[:, None] - layout.centres[others]) / (layout.sizes[others] / 2)
    return int(((apart**2).sum(axis=2) < 1).any(axis=0).sum())


@pytest.mark.parametrize("dataset", ["alarm5k", "hailfinder5k"])
def test_new_edges_rarely_meet_a_node(golden: Path, dataset: str) -> None:
    arcs = pd.read_csv(golden / "arcs.csv").query("dataset == @dataset and structure == 'true'")
    edges = list(zip(arcs["from"], arcs["to"], strict=True))
    dag = Dag.from_edges(sorted({name for edge in edges for name in edge}), edges)
    layout = network_layout(dag)
    rng = np.random.default_rng(0)
    pairs = [pair for pair in combinations(range(len(dag)), 2) if layout.route(*pair) is None]
    new = [pairs[i] for i in rng.choice(len(pairs), 60, replace=False)]
    before = sum(met(layout, *pair) > 0 for pair in new)
    after = sum(met(with_detours(layout, [pair]), *pair) > 0 for pair in new)
    assert before > 15
    assert after <= len(new) / 10


def test_a_route_goes_down_or_up_from_centre_to_centre() -> None:
    rng = np.random.default_rng(3)
    dag = Dag([f"v{i}" for i in range(40)], [{*rng.integers(0, i, 2).tolist()} if i else set() for i in range(40)])
    layout = layered_layout(dag)
    new = [(int(u), int(v)) for u, v in rng.integers(0, 40, (60, 2)) if u != v and layout.route(u, v) is None]
    found = with_detours(layout, new).routes
    added = {edge: route for edge, route in found.items() if edge not in layout.routes}
    assert len(added) > 10
    for edge, route in added.items():
        np.testing.assert_array_equal(route[[0, -1]], layout.centres[[*edge]])
        down = np.diff(route[:, 1])
        assert (down >= 0).all() or (down <= 0).all()


def test_a_clear_line_stays_straight_and_a_ring_has_no_routes() -> None:
    clear = layered_layout(Dag.from_edges("abc", [("a", "b"), ("a", "c")]))
    assert with_detours(clear, [(1, 2)]).routes.keys() == clear.routes.keys()
    column = Layout(np.array([[50.0, 18.0], [50.0, 98.0], [50.0, 178.0]]), np.full((3, 2), 36.0), {}, (100.0, 196.0))
    assert not with_detours(column, [(0, 2)]).routes
