"""Picture of a graph to drag, zoom, select and edit, without data or probabilities."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import traitlets

from bnlab._runtime.names import nearest
from bnlab.figures.graphs.drawing import NamedEdge
from bnlab.figures.graphs.influence import influence_picture
from bnlab.figures.graphs.layout import Layout
from bnlab.figures.graphs.network import AnyGraph, AnyReference, network_picture
from bnlab.figures.picture import Picture
from bnlab.widgets.base.page_widget import PageWidget, page_file
from bnlab.widgets.graph.data import Bars, GraphData, Strengths, graph_data, graph_of, strokes
from bnlab.widgets.graph.places import (
    Routes,
    checked_edges,
    checked_nodes,
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
        *(f"graph/page/{part}.js" for part in PARTS),
    )
    _css = page_file("graph/view.css")
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

    _data: GraphData | None = None
    _routes: Routes = MappingProxyType({})

    @classmethod
    def from_graph(
        cls,
        graph: AnyGraph,
        reference: AnyReference = None,
        strengths: Strengths | None = None,
        *,
        truth: AnyGraph | None = None,
        strength_label: str = "",
        strength_range: tuple[float, float] | None = None,
        kinds: Mapping[NamedEdge, str] | None = None,
        node_kinds: Mapping[str, str] | None = None,
        titles: Mapping[str, str] | None = None,
        bars: Mapping[str, Bars] | None = None,
        layout: Layout | None = None,
        editable: bool = False,
        height: int | None = None,
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
        truth : the same as `graph`, optional
            The true network, instead of a reference: edges are marked as true, reversed, extra or missing.
        strengths : mapping of (str, str) to float, or DataFrame, optional
            In any unit; a DataFrame is square, or has columns from, to and strength.
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
        layout : Layout, optional
            Places, such as `bnlab.figures.network_layout` of several graphs.
        editable, height, **options
            Traits.

        Raises
        ------
        ValueError
            If something is given for a node or an edge that the graph lacks.
        TypeError
            If an option is not a trait.
        """
        view = cls(editable=editable, height=height or 0)
        view.set_graph(
            graph,
            reference,
            strengths,
            truth=truth,
            strength_label=strength_label,
            strength_range=strength_range,
            kinds=kinds,
            node_kinds=node_kinds,
            titles=titles,
            bars=bars,
            layout=layout,
        )
        for name, value in options.items():
            if not view.has_trait(name):
                raise TypeError(f"{name}={value!r}: a GraphView has no such trait; {nearest(name, view.trait_names())}")
            setattr(view, name, value)
        return view

    def set_graph(
        self,
        graph: AnyGraph,
        reference: AnyReference = None,
        strengths: Strengths | None = None,
        *,
        relayout: bool = False,
        layout: Layout | None = None,
        **shown: Any,
    ) -> None:
        """Draw another graph; nodes that stay keep their places.

        Parameters
        ----------
        graph, reference, strengths, layout, **shown
            As for `from_graph`.
        relayout : bool
            Whether to compute all positions again, also of nodes that were dragged.

        Raises
        ------
        ValueError
            As for `from_graph`.
        """
        data = graph_data(graph, reference, strengths=strengths, **shown)
        if layout is None:
            layout = self._place(data, relayout)
        else:
            self._routes = named_routes(data.graph.names, layout)
        self._data = data
        names = set(data.graph.names)
        edge = self.selected_edge
        with self.hold_sync():
            self.nodes, self.edges = data.nodes(layout), data.edges(layout)
            self.legend, self.description = data.legend(), data.description()
            self.positions = {} if relayout else {name: at for name, at in self.positions.items() if name in names}
            self.selected = [name for name in self.selected if name in names]
            self.selected_edge = edge if edge is not None and tuple(edge) in data.marks() else None

    def set_bars(self, bars: Mapping[str, Bars]) -> None:
        """Draw bars in nodes; those that are not named lose theirs.

        Parameters
        ----------
        bars : mapping of str to mapping
            For each node: states, p, and perhaps set (index of the observed state) and before.

        Raises
        ------
        ValueError
            If there is no such node, or the numbers are not one a state.
        """
        if self._data is None:
            raise ValueError("bars have no nodes: call set_graph first, or set `nodes` with their bars.")
        self._data = self._data.with_bars(bars)
        layout = self._place(self._data)
        with self.hold_sync():
            self.nodes, self.edges = self._data.nodes(layout), self._data.edges(layout)

    def _place(self, data: GraphData, relayout: bool = False) -> Layout:
        """Layout with the present positions and routes; a new one where nodes have grown."""
        if not relayout and fits(data, self.nodes):
            return layout_in_place(data, self.nodes, self._routes)
        layout = data.layout()
        self._routes = named_routes(data.graph.names, layout)
        return layout

    def picture(self) -> Picture:
        """Still picture of the graph, with nodes where they were dragged."""
        data = self._data or GraphData(graph_of(self.nodes, self.edges))
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

    @traitlets.validate("nodes")
    def _check_nodes(self, proposal: Any) -> list[dict[str, Any]]:
        return checked_nodes(proposal["value"])

    @traitlets.validate("edges")
    def _check_edges(self, proposal: Any) -> list[dict[str, Any]]:
        return checked_edges(proposal["value"])

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
        if edge is not None and not any([shown["u"], shown["v"]] == list(edge) for shown in self.edges):
            raise ValueError(f"selected_edge={edge!r}: no such edge in the picture; give [u, v], or None.")
        return edge

    @traitlets.observe("edges", "legend")
    def _style(self, _: Any) -> None:
        self._strokes = strokes([shown["kind"] for shown in [*self.edges, *self.legend]])

    def __repr__(self) -> str:
        """Kind of graph and counts."""
        return f"GraphView({self.description})"

    def still(self) -> dict[str, Any]:
        """The picture."""
        return {"text/html": self.picture().to_html()}
