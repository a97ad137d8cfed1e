"""Picture of a graph to drag, zoom, select and edit, without data or probabilities."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import traitlets

from bnlab._runtime.names import nearest
from bnlab.figures.graphs.influence import influence_picture
from bnlab.figures.graphs.layout import Layout
from bnlab.figures.graphs.network import AnyGraph, AnyReference, network_picture
from bnlab.figures.picture import Picture
from bnlab.graphs import Pdag
from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget
from bnlab.widgets.graph.data import APPEARANCE, Appearance, GraphData, Strengths, graph_data, strokes
from bnlab.widgets.graph.places import (
    Routes,
    fits,
    layout_in_place,
    named_routes,
    shown_layout,
)

PARTS = (  # of one module, in this order
    *("curves", "text", "marks", "nodes", "edges", "drawing", "camera"),
    *("commands", "interaction", "keyboard", "legend", "save", "view"),
)
HIGHLIGHTS = ("none", "neighbours", "markov-blanket", "ancestors", "descendants")


class GraphView(PageWidget):
    """Interactive picture of a graph.

    Drag nodes and the ground, zoom with the wheel after a click, select with a click. On the keyboard: arrows go from
    node to node and, with Alt, move one; Enter selects, E goes through the edges of a node, + - 0 zoom, / searches, and
    where the picture is `editable` A begins an edge, R reverses and Delete removes the selected one, Ctrl+Z undoes.

    Requests of the page arrive at `on_msg` as a dict; the view itself does nothing with them:
    ``{"type": "edit", "action": "add" | "delete" | "reverse", "u", "v"}``, ``{"type": "undo"}``, ``{"type": "redo"}``,
    and ``{"type": "evidence", "node", "state"}`` where the state is an index, or None to take the evidence back.

    Examples
    --------
    >>> from bnlab.graphs import Dag
    >>> view = GraphView.from_graph(Dag.from_edges("XYZ", [("X", "Z"), ("Y", "Z")]))
    >>> view
    GraphView(directed graph of 3 nodes and 2 edges)
    >>> view.selected = ["Z"]
    >>> [(edge["u"], edge["v"]) for edge in view.edges]
    [('X', 'Z'), ('Y', 'Z')]
    """

    _esm = page_file(
        "base/problem.js",
        "base/elements.js",
        "base/controls.js",
        *(f"graph/page/{part}.js" for part in PARTS),
    )
    _css = page_file("base/panel.css", "base/controls.css", "graph/view.css")
    _strokes = traitlets.Dict().tag(sync=True)

    nodes = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Nodes: name, x, y (centre), w, h in pixels, shape, kind, title, bars."""
    edges = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Edges: u, v, directed, points from centre to centre in pixels, kind, strength from 0 to 1 or None, title."""
    positions = traitlets.Dict().tag(sync=True)
    """Centres [x, y] in pixels of nodes that were dragged; {} puts all of them back."""
    legend = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Kinds of edges in the legend: kind, label."""
    selected = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of the selected nodes."""
    selected_edge = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True).tag(sync=True)
    """Selected edge as [u, v], or None."""
    hovered = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    """Node under the mouse, or None."""
    highlight = traitlets.Enum(HIGHLIGHTS, "neighbours").tag(sync=True)
    """What is highlighted around the node under the mouse, or else around the selected nodes."""
    editable = traitlets.Bool(False).tag(sync=True)
    """Whether edges can be added, deleted and reversed."""
    status = traitlets.Unicode().tag(sync=True)
    """Message below the picture; screen readers speak it."""
    description = traitlets.Unicode().tag(sync=True)
    """Text alternative."""
    height = traitlets.Int(0, min=0).tag(sync=True)
    """Height of the picture in pixels; 0 to follow the graph."""

    _data = GraphData(Pdag([]))
    _routes: Routes = MappingProxyType({})

    @classmethod
    def from_graph(
        cls,
        graph: AnyGraph,
        reference: AnyReference = None,
        strengths: Strengths | None = None,
        *,
        layout: Layout | None = None,
        **options: Any,
    ) -> GraphView:
        """Picture of a graph, with few crossings and edges going down.

        Parameters
        ----------
        graph : Dag, Pdag, networkx.DiGraph, or anything with a `dag`
            Decisions and utilities of an influence diagram are boxes and diamonds.
        reference : the same, or a mapping of its name to it, optional
            Another network, such as another learned one: edges are marked as in both, reversed, only here or only in
            the other one.
        strengths : mapping of (str, str) to float, or DataFrame, optional
            In any unit; a DataFrame is square, or has columns from, to and strength.
        layout : Layout, optional
            Places, such as `bnlab.figures.network_layout` of several graphs.
        truth : the same as `graph`, optional
            The true network, instead of a reference: edges are marked as true, reversed, extra or missing.
        strength_label : str
            What the strengths are, with their unit.
        strength_range : (float, float), optional
            Values of the thinnest and of the thickest edge, 0 and the greatest by default; ``(0.05, 0)`` for p-values.
        kinds : mapping of (str, str) to str, optional
            Kinds of edges instead of a reference, such as kept, added, dropped; other kinds get a style too.
        node_kinds : mapping of str to str, optional
            "evidence", "target", or "inactive" for a decision that is no longer open.
        titles : mapping of str to str, optional
            Tooltips of nodes.
        bars : mapping of str to mapping, optional
            Bars to draw in nodes: states, p, and perhaps set (index of the observed state) and before.
        **options
            Traits, such as editable and height.

        Raises
        ------
        ValueError
            If something is given for a node or an edge that the graph lacks.
        TypeError
            If an option is not a trait.
        """
        view = cls()
        look = {name: options.pop(name) for name in APPEARANCE if name in options}
        view.set_graph(graph, reference, strengths, layout=layout, **look)
        set_traits(view, options)
        return view

    def set_graph(
        self,
        graph: AnyGraph,
        reference: AnyReference = None,
        strengths: Strengths | None = None,
        *,
        relayout: bool = False,
        layout: Layout | None = None,
        **look: Any,
    ) -> None:
        """Draw another graph; nodes that stay keep their places.

        Parameters
        ----------
        graph, reference, strengths, layout, **look
            As for `from_graph`, without traits.
        relayout : bool
            Whether to compute all positions again, also of nodes that were dragged.

        Raises
        ------
        ValueError
            As for `from_graph`.
        """
        data = graph_data(graph, reference, strengths, Appearance(**look))
        if layout is None and not relayout and fits(data, self.nodes):
            layout = layout_in_place(data, self.nodes, self._routes)
        else:
            layout = data.layout() if layout is None else layout
            self._routes = named_routes(data.graph.names, layout)
        self._data = data
        names = set(data.graph.names)
        edge = self.selected_edge
        with self.hold_sync():
            self.nodes, self.edges = data.nodes(layout), data.edges(layout)
            self.legend, self.description = data.legend(), data.description()
            self._strokes = strokes(data.classes.values())
            self.positions = {} if relayout else {name: at for name, at in self.positions.items() if name in names}
            self.selected = [name for name in self.selected if name in names]
            self.selected_edge = edge if edge is not None and tuple(edge) in data.marks() else None

    def picture(self) -> Picture:
        """Still picture of the graph, with nodes where they were dragged."""
        data = self._data
        layout = shown_layout(data, self.nodes, self.edges, self.positions)
        own = {edge: kind for edge, kind in data.classes.items() if kind != "plain"}
        # The page has one colour for evidence only.
        observed = [name for name, kind in data.kinds.items() if kind == "evidence"]
        if data.diagram is not None:
            inactive = [name for name in data.diagram.decision if data.kinds[name] == "inactive"]
            return influence_picture(data.diagram, inactive=inactive, layout=layout)
        return network_picture(
            data.graph,
            reference=data.reference,
            classes=None if data.reference is not None else own,
            highlight=observed or [name for name in data.graph.names if name in self.selected],
            layout=layout,
        )

    def edge(self, ends: tuple[str, ...] | None) -> dict[str, Any] | None:
        """Edge of the picture with these ends; None for none."""
        return next((edge for edge in self.edges if (edge["u"], edge["v"]) == ends), None)

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> list[str]:
        names = [node["name"] for node in self.nodes]
        for name in proposal["value"]:
            if name not in names:
                raise ValueError(f"selected: no node {name!r} in the picture; {nearest(name, names)}")
        return list(dict.fromkeys(proposal["value"]))

    @traitlets.validate("selected_edge")
    def _check_selected_edge(self, proposal: Any) -> list[str] | None:
        edge: list[str] | None = proposal["value"]
        if edge is not None and self.edge(tuple(edge)) is None:
            raise ValueError(f"selected_edge={edge!r}: no such edge in the picture; give [u, v], or None.")
        return edge

    def __repr__(self) -> str:
        """Kind of graph and counts."""
        return f"GraphView({self.description})"

    def still(self) -> dict[str, Any]:
        """The picture."""
        return {"text/html": self.picture().to_html()}


def set_traits(widget: traitlets.HasTraits, values: Mapping[str, Any]) -> None:
    """Set traits by name; TypeError when the widget has no such trait."""
    for name, value in values.items():
        if not widget.has_trait(name):
            kind = type(widget).__name__
            raise TypeError(f"{name}={value!r}: a {kind} has no such trait; {nearest(name, widget.trait_names())}")
        widget.set_trait(name, value)
