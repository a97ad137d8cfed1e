"""Edges of networks over time pass beside the nodes of the slices between."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bnlab.dynamic.names import labels, sliced
from bnlab.figures import network_picture, slices_layout
from bnlab.figures.graphs.drawing import edge_curve, on_piece
from bnlab.figures.graphs.layout import Layout
from bnlab.graphs import Dag
from bnlab.widgets import NetworkGraph


def random_transition(seed: int, n: int, static: int, lags: int, share: float = 0.25) -> Dag:
    """Transition with names of several lengths; edges lead to the present, and down within it."""
    rng = np.random.default_rng(seed)
    fixed, names = [f"s{i}" for i in range(static)], [f"x{'y' * int(rng.integers(0, 9))}{i}" for i in range(n)]
    every = sliced(fixed, names, labels(lags))
    past = len(every) - n
    parents = [() if v < past else np.flatnonzero(rng.random(v) < share).tolist() for v in range(len(every))]
    return Dag(every, [tuple(p) for p in parents])


def unrolled(seed: int, n: int, static: int, length: int) -> Dag:
    """Network of several slices with edges over up to two of them."""
    rng = np.random.default_rng(seed)
    names = sliced([f"s{i}" for i in range(static)], [f"v{i}" for i in range(n)], range(length))
    parents = [
        [u for u in range(v) if rng.random() < 0.2 and (u < static or v - u < 3 * n)] if v >= static else []
        for v in range(len(names))
    ]
    return Dag(names, [tuple(p) for p in parents])


def crossed(dag: Dag, layout: Layout, boxes: bool) -> list[tuple[str, str, str]]:
    """Edges with the other nodes in whose boxes they are drawn."""
    found = []
    for v, parents in enumerate(dag.parents):
        for u in parents:
            curve = edge_curve(layout, (u, v), boxes=boxes)
            points = np.vstack([on_piece(piece, np.linspace(0, 1, 101)) for piece in curve])
            inside = np.abs(points[:, None] - layout.centres) < layout.sizes / 2
            nodes = np.flatnonzero(inside.all(axis=2).any(axis=0))
            found += [(dag.names[u], dag.names[v], dag.names[i]) for i in nodes if i not in (u, v)]
    return found


GRAPHS = {
    **{f"{lags} lags, {seed}": random_transition(seed, 5, 2, lags) for lags in (1, 2, 3) for seed in range(5)},
    "many variables": random_transition(9, 12, 3, 2, 0.15),
    "no static": random_transition(10, 6, 0, 3),
    "many static": random_transition(11, 3, 9, 2, 0.4),
    "unrolled": unrolled(12, 4, 1, 6),
}


@pytest.mark.parametrize("boxes", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_no_edge_is_drawn_over_another_node(name: str, boxes: bool) -> None:
    dag = GRAPHS[name]
    layout = slices_layout(dag)
    assert crossed(dag, layout, boxes) == []
    assert layout.routes
    for (u, v), route in layout.routes.items():
        np.testing.assert_allclose(route[[0, -1]], layout.centres[[u, v]])
        assert (route >= -1e-9).all()
        assert (route <= np.array(layout.size) + 1e-9).all()


def test_without_routes_edges_are_drawn_over_nodes() -> None:
    plain = [(dag, replace(slices_layout(dag), routes={})) for dag in GRAPHS.values()]
    assert sum(bool(crossed(dag, layout, True)) for dag, layout in plain) > len(GRAPHS) / 2


def test_an_edge_with_nothing_in_its_way_is_straight() -> None:
    dag = Dag(["s", "a[t-1]", "b[t-1]", "a[t]", "b[t]"], [(), (), (), (1, 2), (0, 2, 3)])
    assert (3, 4) not in slices_layout(dag).routes
    assert {(1, 3), (2, 4)}.isdisjoint(slices_layout(dag).routes)


def test_the_widget_has_the_routes_of_the_picture_and_adds_that_of_a_new_edge() -> None:
    dag = GRAPHS["2 lags, 0"]
    layout = slices_layout(dag)
    widget = NetworkGraph(dag)
    drawn = {(edge["u"], edge["v"]): np.array(edge["points"]) for edge in widget.view.edges}
    routed = {(dag.names[u], dag.names[v]): route for (u, v), route in layout.routes.items()}
    assert {edge for edge, points in drawn.items() if len(points)} == routed.keys()
    for edge, route in routed.items():
        np.testing.assert_allclose(drawn[edge], route)
    over = next((u, v) for v in dag.names[-5:] for u in dag.names[2:7] if (u, v) not in dag.edges and u[:-5] == v[:-3])
    new = Dag.from_edges(dag.names, [*dag.edges, over])
    widget.switch(new)
    points = next(np.array(edge["points"]) for edge in widget.view.edges if (edge["u"], edge["v"]) == over)
    assert len(points) > 2
    assert "path" in network_picture(new, layout=slices_layout(new)).svg
    widget.close()


@pytest.mark.parametrize("name", GRAPHS)
def test_edges_to_different_nodes_pass_a_gap_apart(name: str) -> None:
    passing: dict[tuple[float, float], int] = {}
    for (_, v), route in slices_layout(GRAPHS[name]).routes.items():
        for x, y in route[2:-2].round(6).tolist() if len(route) > 5 else []:
            assert passing.setdefault((x, y), v) == v
