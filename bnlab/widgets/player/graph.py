"""The present graph of a search; nodes keep their positions while edges come and go."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.layout import NODE_HEIGHT, Layout, layered_layout
from bnlab.figures.graphs.network import Reference
from bnlab.graphs import Dag, Pdag
from bnlab.widgets.graph.content import comparable
from bnlab.widgets.graph.data import directions
from bnlab.widgets.graph.view import GraphView

HEIGHT = 420
SPACING = 56.0
FLATNESS = 1.5
DENSE = 4  # edges a node


class PlayerGraph:
    """A `GraphView` for a graph that changes often.

    Nodes are placed by the true network if it is known and not too large to be arranged; else on a ring, until the
    search rests for the first time.

    Parameters
    ----------
    graph : Dag or Pdag
    truth : Dag, optional
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
        self, graph: Dag | Pdag, *, compare: bool, kinds: Mapping[tuple[str, str], str] | None, settle: bool
    ) -> None:
        """Draw another graph on the same nodes.

        Parameters
        ----------
        graph : Dag or Pdag
        compare : bool
            Mark edges as true, reversed, extra or missing.
        kinds : mapping of (str, str) to str, optional
            Kinds of edges otherwise.
        settle : bool
            The search has stopped: nodes may get better positions.
        """
        shown = (graph, compare, kinds)
        # In layers, many edges would take long and show nothing.
        sparse = 0 < len(directions(graph)) <= DENSE * len(graph)
        relayout = settle and not self._placed and sparse and not self.view.positions
        if shown == self._shown and not relayout:
            return
        self._shown = shown
        self._placed |= relayout
        against = comparable(self._truth, graph) if compare else None
        kinds = None if against is not None else kinds
        try:
            self.view.set_graph(graph, against, kinds=kinds, relayout=relayout)
        except TooLarge:
            self.view.set_graph(graph, against, kinds=kinds)


def ring(names: tuple[str, ...]) -> Layout:
    """Places on an ellipse, for nodes whose edges are not known yet."""
    n = len(names)
    widths = drawing.widths(names)
    sizes = np.column_stack([widths, np.full(n, NODE_HEIGHT)])
    high = max(SPACING * n / (2 * np.pi), NODE_HEIGHT)
    angles = 2 * np.pi * np.arange(n) / max(n, 1) - np.pi / 2
    centres = np.column_stack([max(FLATNESS * high, float(widths.max())) * np.cos(angles), high * np.sin(angles)])
    low = (centres - sizes / 2).min(axis=0)
    size = (centres + sizes / 2).max(axis=0) - low
    return Layout(centres - low, sizes, {}, (float(size[0]), float(size[1])))
