"""Pictures in a workbench: the shown network, another one beside it, and a running search."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets

from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import not_drawn
from bnlab.graphs import Knowledge
from bnlab.widgets.base.core import close_parts
from bnlab.widgets.base.parts import column, row, show_part
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.graph.saved import saved_page
from bnlab.widgets.player.charts import ConvergencePlot
from bnlab.widgets.player.player_graph import HALF, PlayerGraph
from bnlab.widgets.workbench.page import Network
from bnlab.widgets.workbench.pair import LinkedGraphs
from bnlab.widgets.workbench.state import Pictured, Sketch

REPORTED = ("selected_edge", "graph", "show_essential", "knowledge")
"""Traits of the picture that the workbench follows."""


class NetworkPictures:
    """The shown network, and another one beside it.

    Parameters
    ----------
    changed : callable (change)
        Called when the shown picture changes one of the traits `REPORTED`.
    """

    def __init__(self, changed: Callable[[Any], object]) -> None:
        self._changed = changed
        self._titles = ipywidgets.HTML(), ipywidgets.HTML()
        self._columns = [column(HALF, title) for title in self._titles]
        show_part(self._columns[1], False)
        self.part = row(*self._columns)
        self.part.layout.margin = "0 0 8px"
        self._drawn: tuple[Network | None, Network | None] = (None, None)
        self._linked: LinkedGraphs | None = None
        self.graph: NetworkGraph | None = None
        """Picture of the shown network."""
        self.second: NetworkGraph | None = None
        """Picture of the network beside it."""

    def show(self, first: Network | None, second: Network | None, rules: Knowledge) -> None:
        """Draw networks, unless they are drawn already; the first with background knowledge."""
        drawn = self._drawn
        self._drawn = first, second
        if first is None:
            self._remove_second()
            self._remove_first("")
            return
        same = first.is_drawn_as(drawn[0])
        if not same or (second is None) != (drawn[1] is None) or not (second is None or second.is_drawn_as(drawn[1])):
            self._draw(first, second, drawn[0], rules)
        graph = self.graph
        if graph is not None and (graph.knowledge or Knowledge()) != rules and {*rules.names} <= {*graph.graph.names}:
            graph.knowledge = rules

    def pictured(self) -> Pictured | None:
        """What the picture of the shown network shows."""
        graph, (first, _) = self.graph, self._drawn
        if graph is None or first is None:
            return None
        essential = graph.state.session.essential if graph.show_essential else None
        return Pictured(first.name, graph.graph, essential, graph.selected_edge)

    def select(self, ends: tuple[str, str]) -> None:
        """Select an edge in the picture, whatever its direction there."""
        if self.graph is not None:
            self.graph.selected_edge = ends if ends in self.graph.state.data.marks() else ends[::-1]

    def saved_page(self) -> str:
        """Page of the shown network that needs no Python; ValueError if it is not drawn."""
        if self.graph is None or self._drawn[0] is None:
            raise ValueError("no network is drawn: learn one, or show a smaller one.")
        return saved_page(self.graph.state, self.graph.view, self._drawn[0].name)

    def close(self) -> None:
        """Remove the pictures."""
        self._remove_second()
        self._remove_first("")

    def _draw(self, first: Network, second: Network | None, before: Network | None, rules: Knowledge) -> None:
        """Draw networks; `before` is what the first picture has shown."""
        self._remove_second()
        graph, table, rest = first.arguments()
        try:
            if self.graph is None or self.graph.graph.names != first.graph.names:
                self._remove_first("")
                known = None if rules == Knowledge() else rules
                self.graph = NetworkGraph(graph, table, knowledge=known, **rest, **first.traits())
                self.graph.observe(self._changed, REPORTED)
                self._columns[0].children = [self._titles[0], self.graph]
            elif before is not None and not first.is_drawn_as(before):
                self.graph.switch(graph, table, **rest)
            else:
                # A picture with a selection would not be fitted to its new width.
                self.graph.selected_node = self.graph.selected_edge = None
            for title, network in zip(self._titles, (first, second), strict=True):
                title.value = f"<b>{escape(network.name)}</b>" if second is not None and network is not None else ""
            if second is not None:
                other, table, rest = second.arguments()
                traits = {**second.traits(), "details": False, "editable": False}
                known = None if rules == Knowledge() else rules
                self.second = NetworkGraph(other, table, knowledge=known, **rest, **traits)
                self._linked = LinkedGraphs(self.graph, self.second)
                self._columns[1].children = [self._titles[1], self.second]
            show_part(self._columns[1], second is not None)
        except TooLarge as error:
            self._remove_first(not_drawn(error))

    def _remove_first(self, title: str) -> None:
        old, self.graph = self.graph, None
        self._columns[0].children = [self._titles[0]]
        self._titles[0].value = title
        if old is not None:
            old.close()

    def _remove_second(self) -> None:
        old, self.second = self.second, None
        if self._linked is not None:
            self._linked.close()
            self._linked = None
        self._columns[1].children = [self._titles[1]]
        show_part(self._columns[1], False)
        if old is not None:
            old.close()


class SearchPictures:
    """Curve and graph of a running search; empty before and after."""

    def __init__(self) -> None:
        self.part = ipywidgets.VBox(layout={"width": "100%"})
        self._graph: PlayerGraph | None = None
        self._plot: ConvergencePlot | None = None
        self._shown: Sketch | None = None

    def show(self, sketch: Sketch | None) -> None:
        """Draw the search as it is; None removes its pictures."""
        if sketch is self._shown:
            return
        if (
            sketch is None
            or sketch.graph is None
            or (self._shown is not None and self._shown.curve is not sketch.curve)
        ):
            self._remove()
        self._shown = sketch
        if sketch is not None and sketch.failure:
            self.part.children = [ipywidgets.HTML(f'<p role="alert">Search not drawn: {escape(sketch.failure)}</p>')]
        elif sketch is not None and sketch.graph is not None:
            if self._graph is None:
                self._begin(sketch)
            assert self._graph is not None
            self._graph.show(sketch.graph, compare=False, kinds=None, settle=False)
            if self._plot is not None:
                self._plot.refresh()

    def _begin(self, sketch: Sketch) -> None:
        assert sketch.graph is not None
        self._graph = PlayerGraph(sketch.graph, sketch.places)
        parts: list[ipywidgets.Widget] = [self._graph.view]
        if sketch.curve is not None and sketch.points:
            self._plot = ConvergencePlot(height=240)
            self._plot.follow("this search", sketch.curve)
            parts.insert(0, self._plot)
        self.part.children = [row(*(column(HALF, part) for part in parts))]

    def _remove(self) -> None:
        parts, self.part.children = self.part.children, ()
        self._graph = self._plot = None
        for part in parts:
            part.close()
            close_parts(part)
