"""Updates of a `NetworkGraph` after a change of its traits or of the selection in its picture."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from typing import Any

import ipywidgets
import traitlets

from bnlab.graphs import Dag
from bnlab.widgets.base.panel import show_part
from bnlab.widgets.graph import content, settings
from bnlab.widgets.graph.inspector import NodeInspector
from bnlab.widgets.graph.rules import knowledge_text
from bnlab.widgets.graph.settings import SETTINGS, GraphTraits


class ShownGraph(GraphTraits):
    """Part of `NetworkGraph` that shows its traits."""

    _inspector: NodeInspector
    _beside: ipywidgets.Box

    def _picked(self, _: Any) -> None:
        """Copy the selection of the picture to the traits."""
        with self._errors_shown(), self._lock:
            edge, names = self._view.selected_edge, self._view.selected
            self.selected_edge = None if edge is None else tuple(edge)
            if edge is None:
                before, self.selected_node = self.selected_node, names[-1] if names else None
                if self.selected_node is not None and self.selected_node == before:
                    self._show_details()  # the other node of a pair has changed

    @traitlets.observe("threshold")
    def _cut(self, _: Any) -> None:
        if self._ready:
            with self._lock:
                self.graph = self._session.graph

    @traitlets.observe(
        *(
            "graph",
            "evidence",
            "do",
            "knowledge",
            "selected_node",
            "selected_edge",
            "focus",
            "highlight",
            "learnable",
            *SETTINGS,
        )
    )
    def _changed(self, change: Any) -> None:
        """Show a change in all parts; slow parts come last."""
        name = change["name"]
        self._session.knowledge = self.knowledge
        if not self._ready:
            return
        with self._lock:
            if name == "highlight" and not self.focus:
                return
            if name in ("selected_node", "selected_edge"):
                ends = {change["new"]} if name == "selected_node" else {*(change["new"] or ())}
                if self.focus and not ends <= {None, *self._part}:
                    self.focus = tuple(ends)
                self._select(name, change["new"])
                self._show_details()
                return
            if name == "graph":
                self.matters &= self._session.infers
                self.evidence, self.do = dict(self._session.evidence), dict(self._session.do)
                self.bars &= self._session.infers
            self._draw(relayout=name == "bars" and not self._view.positions)
            if name == "knowledge":
                words = knowledge_text(self.knowledge, change["old"], self._session.dag)
                offered = settings.offers_learning(self) and self.knowledge.violations(self.graph)
                self._report(f"{words} “Learn again” finds a graph that agrees." if offered else words)
            if name in ("focus", "highlight"):
                self._report(content.focus_text(self._session, self.focus, self._part, self.highlight))
            if name in ("evidence", "do"):
                self._report(content.evidence_text(self._session))
            if name == "graph":
                self._report(self._lost_evidence or content.step_text(self._session, self.score))
                self._lost_evidence = ""
            self._show_parts()

    def _select(self, name: str, value: Any) -> None:
        """Select the node or the edge in the picture, too."""
        if value is not None:
            self.set_trait("selected_edge" if name == "selected_node" else "selected_node", None)
        node, edge = self.selected_node, self.selected_edge
        with self._view.hold_trait_notifications():
            if node is None or node not in self._view.selected:
                self._view.selected = [] if node is None else [node]
            self._view.selected_edge = None if edge is None else list(edge)

    def _draw(self, *, relayout: bool = False) -> None:
        drawn, view = settings.drawing(self), self._view
        part = tuple(drawn["graph"].names) if self.focus else ()
        with view.hold_sync():
            if part and not self._part:
                self._whole = view.places
            if self._part and not part:
                view.places = self._whole
            view.set_graph(**drawn, relayout=relayout or (bool(part) and part != self._part))
            self._part = part
            self._view.editable = self.editable and isinstance(self.graph, Dag) and not self.show_essential

    def _show_parts(self) -> None:
        self._show_controls()
        self._inspector.scores = content.score_table(self._session)
        self._show_details()

    def _show_controls(self) -> None:
        self._view.toolbar = settings.toolbar(self)

    def _show_details(self) -> None:
        edge, editable = self._view.edge(self.selected_edge), self._view.editable
        nodes = [] if self.selected_node is None else [self.selected_node]
        if nodes and self._view.selected[-1:] == nodes and len(self._view.selected) == 2:
            nodes = self._view.selected
            pair = (nodes[0], nodes[1])
            edge = next((drawn for ends in (pair, pair[::-1]) if (drawn := self._view.edge(ends))), None)
        found = content.content(self._session, nodes, edge, editable=editable)
        if self.matters and found["kind"] == "node":
            assert self.selected_node is not None
            found |= content.relevance(self._session, self.selected_node)
        self._inspector.content = found
        show_part(self._beside, found["kind"] != "none" and self.details)
