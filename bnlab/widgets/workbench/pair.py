"""Two networks side by side, with the same positions, selection, evidence and camera."""

from __future__ import annotations

from typing import Any

import ipywidgets
import traitlets

from bnlab.widgets.graph.network_graph import NetworkGraph

SHARED = ("selected_node", "evidence", "do")
"""Traits of a `NetworkGraph` that both graphs share."""
PLACES = ("nodes", "positions")
"""Traits of a picture that set the positions of its nodes."""


class LinkedGraphs:
    """Links two graphs on the same nodes until `close`; at first, the second takes the values of the first.

    Evidence that is impossible in one of them is cleared there, and its status says so.

    Parameters
    ----------
    first, second : NetworkGraph

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> one, other = NetworkGraph(asia()), NetworkGraph(asia())
    >>> linked = LinkedGraphs(one, other)
    >>> one.evidence = {"smoke": "yes"}
    >>> other.evidence
    {'smoke': 'yes'}
    >>> other.view.hovered = "lung"
    >>> one.view.hovered
    'lung'
    """

    def __init__(self, first: NetworkGraph, second: NetworkGraph) -> None:
        self._graphs = first, second
        self._busy = False
        self._hovered = traitlets.link((first.view, "hovered"), (second.view, "hovered"))
        # Linked in the page, so that zooming does not wait for Python.
        self._camera = ipywidgets.jslink((first.view, "camera"), (second.view, "camera"))
        second.view.camera = first.view.camera
        self._place(first, second)
        for name in SHARED:
            self._set(second, name, getattr(first, name))
        for graph in self._graphs:
            graph.observe(self._follow, SHARED)
            graph.view.observe(self._follow, PLACES)

    def close(self) -> None:
        """End the link."""
        self._hovered.unlink()
        self._camera.unlink()
        for graph in self._graphs:
            graph.unobserve(self._follow, SHARED)
            graph.view.unobserve(self._follow, PLACES)

    def _follow(self, change: Any) -> None:
        """Apply a change of one graph to the other."""
        if not self._busy:
            self._busy = True
            first, second = self._graphs
            graph, other = (first, second) if change["owner"] in (first, first.view) else (second, first)
            try:
                if change["name"] in SHARED:
                    self._set(other, change["name"], getattr(graph, change["name"]))
                self._place(graph, other)
            finally:
                self._busy = False

    def _set(self, graph: NetworkGraph, name: str, value: Any) -> None:
        try:
            graph.set_trait(name, value)
        except ValueError as error:
            graph.clear_evidence()
            graph.status = f"Evidence cleared: {error}"

    @staticmethod
    def _place(source: NetworkGraph, target: NetworkGraph) -> None:
        """Move the nodes of one graph to the positions in another one."""
        moved = source.view.positions
        places = {node["name"]: [*moved.get(node["name"], (node["x"], node["y"]))] for node in source.view.nodes}
        own = {node["name"]: [node["x"], node["y"]] for node in target.view.nodes}
        target.view.positions = {name: at for name, at in places.items() if own.get(name) != at}
