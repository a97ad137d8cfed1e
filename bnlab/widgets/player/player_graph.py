"""The graph of a search, drawn while it changes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.layout import NODE_HEIGHT, Layout, layered_layout
from bnlab.figures.graphs.network import Reference, edge_directions
from bnlab.graphs import Dag, Pdag
from bnlab.widgets.graph.view import GraphView

HALF = "1 1 380px"
"""Shape of one of two columns."""
HEIGHT = 420
SPACING = 56.0
FLATNESS = 1.5
DENSE = 4  # edges per node


class PlayerGraph:
    """A `GraphView` for a graph that changes often.

    The layout is that of the true network if it is known and not too large; otherwise nodes are on a ring until the
    search stops for the first time.
    """

    def __init__(self, graph: Dag | Pdag, truth: Dag | None = None) -> None:
        self._truth = Reference.of(None, truth)
        layout: Layout | None = None
        if truth is not None:
            with suppress(TooLarge):
                layout = layered_layout(truth, drawing.widths(truth.names))
        self._placed = layout is not None
        self.view = GraphView.from_graph(graph, layout=layout or ring(graph.names), height=HEIGHT)
        self._shown: object = None

    def show(
        self,
        graph: Dag | Pdag,
        strengths: Mapping[tuple[str, str], float] | None = None,
        *,
        compare: bool,
        kinds: Mapping[tuple[str, str], str] | None,
        settle: bool,
    ) -> None:
        """Draw another graph on the same nodes, with edges marked by comparison with the true network or by kinds.

        `strengths` are probabilities of edges, shown as their thickness.
        """
        shown = (graph, strengths, compare, kinds)
        # A layered layout of many edges takes long and shows nothing.
        sparse = 0 < len(edge_directions(graph)) <= DENSE * len(graph)
        relayout = settle and not self._placed and sparse and not self.view.positions
        if shown == self._shown and not relayout:
            return
        self._shown = shown
        self._placed |= relayout
        against = self._truth.comparable(graph) if compare and self._truth is not None else None
        kinds = None if against is not None else kinds
        look: dict[str, Any] = {"strength_label": "Probability", "strength_range": (0.0, 1.0)} if strengths else {}
        try:
            self.view.set_graph(graph, against, strengths, kinds=kinds, relayout=relayout, **look)
        except TooLarge:
            self.view.set_graph(graph, against, strengths, kinds=kinds, **look)


def ring(names: tuple[str, ...]) -> Layout:
    """Layout on an ellipse, for nodes whose edges are not known yet."""
    n = len(names)
    widths = drawing.widths(names)
    sizes = np.column_stack([widths, np.full(n, NODE_HEIGHT)])
    high = max(SPACING * n / (2 * np.pi), NODE_HEIGHT)
    angles = 2 * np.pi * np.arange(n) / max(n, 1) - np.pi / 2
    centres = np.column_stack([max(FLATNESS * high, float(widths.max())) * np.cos(angles), high * np.sin(angles)])
    low = (centres - sizes / 2).min(axis=0)
    size = (centres + sizes / 2).max(axis=0) - low
    return Layout(centres - low, sizes, {}, (float(size[0]), float(size[1])))
