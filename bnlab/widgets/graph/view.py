"""Interactive picture of a graph: drag, zoom, select and edit."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import traitlets

from bnlab._runtime.names import check_known
from bnlab.figures.graphs.detour import with_detours
from bnlab.figures.graphs.drawing import FloatArray, NamedEdge
from bnlab.figures.graphs.influence import influence_picture
from bnlab.figures.graphs.layout import Edge, Layout
from bnlab.figures.graphs.network import AnyGraph, AnyReference, compared_picture, edge_directions, graph_words
from bnlab.figures.graphs.slices import is_transition, with_slice_routes
from bnlab.figures.picture import Picture
from bnlab.graphs import Pdag
from bnlab.graphs.equivalence import shown_graph
from bnlab.widgets.base.core import check_known_fields
from bnlab.widgets.base.modules import modules, style
from bnlab.widgets.base.widget import PageWidget
from bnlab.widgets.graph.data import APPEARANCE, Appearance, GraphData, Strengths, graph_data, strokes
from bnlab.widgets.graph.focus import HIGHLIGHTS

Shown: TypeAlias = Mapping[str, Any]
Routes: TypeAlias = "Mapping[NamedEdge, Sequence[Sequence[float]] | FloatArray]"

STEP = 20.0  # pixels that a new node moves down at a time until it touches no other node
NEAR = 0.5  # differences in pixels that do not count
SELECTION = ("selected", "selected_edge")


class GraphView(PageWidget):
    """Interactive picture of a graph.

    Drag nodes and the background, zoom with the wheel after a click, select with a click. On the keyboard, arrows go
    from node to node and, with Alt, move a node. Enter selects a node, E goes through the edges of a node, F requests
    its neighbourhood, + - 0 zoom, and / searches. If the picture is `editable`, A begins an edge, R reverses and Delete
    removes the selected edge, and Ctrl+Z undoes.

    Names that would be smaller than nine pixels are drawn larger. A name wider than its node is drawn beside it if it
    covers no other node there, otherwise left out until the node is under the mouse, selected or larger; nodes with
    many edges come first. Bars are drawn if their node has room for its name above them, and a name in their place may
    be shortened.

    Requests of the page arrive at `on_msg` as a dict; the view itself ignores them:
    ``{"type": "edit", "action": "add" | "delete" | "reverse", "u", "v"}``, ``{"type": "undo"}``, ``{"type": "redo"}``,
    ``{"type": "focus", "node"}`` (key F, or two clicks on a node), and
    ``{"type": "evidence", "node", "state"}``, where the state is an index, or None to remove the evidence.
    A click of the right button sends the same with the type "do", which sets the state. A bar that is dragged sends
    ``{"type": "weigh", "node", "state", "p"}``, with the probability that it was dragged to.

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

    _modules = modules("widgets/graph/page/view.js")
    _css = style(
        *(
            f"widgets/{name}.css"
            for name in ("base/page/controls", "base/page/menus", "graph/page/view", "graph/page/toolbar")
        )
    )
    _strokes = traitlets.Dict().tag(sync=True)

    nodes = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Nodes: name, x, y (centre), w, h in pixels, shape, kind, title, bars, module (number or None)."""
    edges = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Edges: u, v, directed, points from centre to centre in pixels, kind, strength from 0 to 1 or None, title."""
    positions = traitlets.Dict().tag(sync=True)
    """Centres [x, y] in pixels of dragged nodes; {} moves all of them back."""
    legend = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Kinds of edges in the legend: kind, label."""
    selected = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of the selected nodes."""
    selected_edge = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True).tag(sync=True)
    """Selected edge as [u, v], or None."""
    hovered = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    """Node under the mouse, or None."""
    highlight = traitlets.Enum(HIGHLIGHTS, "neighbours").tag(sync=True)
    """Nodes that are highlighted around the node under the mouse, or else around the selected nodes."""
    overview = traitlets.Bool(True).tag(sync=True)
    """Whether a graph of 60 nodes or more has a small map in a corner while a part of it is out of view."""
    camera = traitlets.List(traitlets.Float(), None, allow_none=True, minlen=3, maxlen=3).tag(sync=True)
    """Part of the picture in view: its centre x, y in pixels of the graph and its scale; None for the whole graph."""
    toolbar = traitlets.Dict().tag(sync=True)
    """Controls of the owner (see `bnlab.widgets.base.controls`): lists ``tools``, ``view`` and ``save``, and those
    ``below`` the picture.

    Their messages are ``{"type": "control", "id", "value"}``.
    """
    tried = traitlets.Dict().tag(sync=True)
    """Edge that is being drawn: u, v, text (what it would do) and sign (1 for better, -1 for worse or refused)."""
    editable = traitlets.Bool(False).tag(sync=True)
    """Whether edges can be added, deleted and reversed."""
    invitation = traitlets.Unicode().tag(sync=True)
    """Label of a button in the middle of the picture, which sends the message of a control "add"; "" for none."""
    status = traitlets.Unicode().tag(sync=True)
    """Message below the picture; screen readers speak it."""
    description = traitlets.Unicode().tag(sync=True)
    """Text alternative."""
    height = traitlets.Int(0, min=0).tag(sync=True)
    """Maximum height of the picture in pixels; 0 for the usual one."""

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
        """Picture of a graph, with few crossings and downward edges.

        Parameters
        ----------
        graph : Dag, Pdag, networkx.DiGraph, or anything with a `dag`
            Decisions and utilities of an influence diagram are boxes and diamonds.
        reference : the same, or a mapping of its name to it, optional
            Another network, such as another learned one: edges are marked as in both, reversed, only here or only in
            the other one.
        strengths : mapping of (str, str) to float, or DataFrame, optional
            Strengths in any unit; a DataFrame is square, or has the columns from, to and strength.
        layout : Layout, optional
            Positions, such as those of `bnlab.figures.network_layout` for several graphs.
        truth : the same as `graph`, optional
            The true network, instead of a reference: edges are marked as true, reversed, extra or missing.
        strength_label : str
            Name of the strengths, with their unit.
        strength_range : (float, float), optional
            Values of the thinnest and the thickest edge; by default 0 and the maximum. ``(0.05, 0)`` suits p-values.
        kinds : mapping of (str, str) to str, optional
            Kinds of edges instead of a reference, such as kept, added and dropped; other kinds get a style, too.
        rules : mapping of (str, str) to str, optional
            Rules of the background knowledge for edges without a kind: "required", "forbidden" (the edge need not be in
            the graph) or "not allowed".
        node_kinds : mapping of str to str, optional
            "evidence", "intervention", "target", or "inactive" for a decision that is no longer open.
        titles : mapping of str to str, optional
            Tooltips of nodes.
        labels : mapping of (str, str) to str, optional
            Texts to draw on edges.
        shares : mapping of (str, str) to float, optional
            Share of the direction of an edge, from 0 to 1; the rest is shown by an arrowhead at the other end.
        bars : mapping of str to mapping, optional
            Bars in nodes: states, p, and optionally set (index of the observed state) and before.
        shapes : mapping of str to str, optional
            "oval" (the default), "box" or "diamond".
        **options
            Traits, such as editable and height.

        Raises
        ------
        ValueError
            If an argument names a node or an edge that is not in the graph.
        TypeError
            If an option is not a trait.
        """
        view = cls()
        look = {name: options.pop(name) for name in APPEARANCE if name in options}
        view.set_graph(graph, reference, strengths, layout=layout, **look)
        check_known_fields("GraphView", options, view.trait_names())
        for name, value in options.items():
            view.set_trait(name, value)
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
        """Draw another graph; common nodes keep their positions.

        Parameters
        ----------
        graph, reference, strengths, layout, **look
            As for `from_graph`, without traits.
        relayout : bool
            Whether to compute all positions again, including those of dragged nodes.

        Raises
        ------
        ValueError
            As for `from_graph`.
        """
        self.show(graph_data(graph, reference, strengths, Appearance(**look)), relayout=relayout, layout=layout)

    def show(self, data: GraphData, *, relayout: bool = False, layout: Layout | None = None) -> None:
        """Draw the data of a graph, as `set_graph` does."""
        names = data.graph.names
        kept = None if relayout or layout is not None else layout_in_place(data, self.nodes, self._routes)
        if kept is None:
            kept = layout or data.layout()
            self._routes = {}
        index = {name: i for i, name in enumerate(names)}
        pairs = [(index[u], index[v]) for u, v in data.marks()]
        kept = with_slice_routes(names, kept, pairs) if is_transition(names) else with_detours(kept, pairs)
        self._routes = {**self._routes, **{(names[a], names[b]): route for (a, b), route in kept.routes.items()}}
        self._data = data
        edge = self.selected_edge
        with self.hold_sync():
            self.nodes, self.edges = data.nodes(kept), data.edges(kept)
            self.legend, self.description = data.legend(), graph_words(data.graph)
            self._strokes = strokes(data.classes.values())
            self.positions = {} if relayout else {name: at for name, at in self.positions.items() if name in names}
            self.selected = [name for name in self.selected if name in names]
            self.selected_edge = edge if edge is not None and tuple(edge) in data.marks() else None

    def picture(self) -> Picture:
        """Still picture of the graph, with dragged nodes at their positions."""
        data = self._data
        layout = shown_layout(data, self.nodes, self.edges, self.positions)
        own = {edge: kind for edge, kind in data.classes.items() if kind != "plain"}
        # The page has only one colour for evidence.
        observed = [name for name, kind in data.kinds.items() if kind in ("evidence", "intervention")]
        if data.diagram is not None:
            inactive = [name for name in data.diagram.decision if data.kinds[name] == "inactive"]
            return influence_picture(data.diagram, inactive=inactive, layout=layout)
        given = data.look.labels or {}
        labels = {edge: given.get(edge, given.get(edge[::-1], "")) for edge in edge_directions(shown_graph(data.graph))}
        return compared_picture(
            data.graph,
            data.reference,
            classes=None if data.reference is not None else own,
            labels={edge: text for edge, text in labels.items() if text},
            highlight=observed or [name for name in data.graph.names if name in self.selected],
            bars=data.bars,
            layout=layout,
        )

    @property
    def places(self) -> tuple[list[Shown], Routes, Shown]:
        """Nodes, routes of edges and dragged positions; assign them again to restore them."""
        return self.nodes, self._routes, self.positions

    @places.setter
    def places(self, places: tuple[list[Shown], Routes, Shown]) -> None:
        self.nodes, self._routes, self.positions = places

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Apply the changes of the page; keep the selection if the page selects something that is no longer drawn."""
        with self.errors_shown():
            edge, drawn = sync_data.get("selected_edge"), [node["name"] for node in self.nodes]
            is_drawn = edge is None or self.edge(tuple(edge)) is not None
            if not (is_drawn and all(name in drawn for name in sync_data.get("selected", ()))):
                sync_data = {name: value for name, value in sync_data.items() if name not in SELECTION}
                self.send_state(SELECTION)
        super().set_state(sync_data)

    def _handle_custom_msg(self, content: Any, buffers: Any) -> None:
        """Apply the selection in a message first: ipywidgets delays traits, not messages, while the kernel is busy."""
        shown = {name: content[name] for name in SELECTION if name in content}
        if any(getattr(self, name) != value for name, value in shown.items()):
            self.set_state(shown)
        super()._handle_custom_msg({name: content[name] for name in content if name not in shown}, buffers)

    def edge(self, ends: tuple[str, ...] | None) -> dict[str, Any] | None:
        """Edge of the picture with these ends; None if there is none."""
        return next((edge for edge in self.edges if (edge["u"], edge["v"]) == ends), None)

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> list[str]:
        names = [node["name"] for node in self.nodes]
        for name in proposal["value"]:
            check_known(name, names, f"selected: no node {name!r} in the picture")
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


def renamed_places(places: tuple[list[Shown], Routes, Shown], name: str, new: str) -> tuple[list[Shown], Routes, Shown]:
    """Places of a picture (`GraphView.places`) in which a node has another name."""
    nodes, routes, positions = places
    return (
        [{**node, "name": new} if node["name"] == name else node for node in nodes],
        {(new if u == name else u, new if v == name else v): route for (u, v), route in routes.items()},
        {new if own == name else own: at for own, at in positions.items()},
    )


def layout_in_place(data: GraphData, nodes: Sequence[Shown], routes: Routes) -> Layout | None:
    """Layout that keeps the positions of the nodes of a picture, and known routes between them.

    None if there is no common node, or a common node has grown.
    """
    names, sizes = data.graph.names, data.sizes()
    before = {node["name"]: [node[key] for key in "xywh"] for node in nodes}
    boxes = np.array([before.get(name, [np.nan] * 4) for name in names], dtype=np.float64).reshape(-1, 4)
    centres, new = boxes[:, :2], np.isnan(boxes[:, 0])
    if new.all() or (sizes > boxes[:, 2:] + NEAR)[~new].any():
        return None
    if new.any():
        fresh = data.layout().centres
        shift = (centres - fresh)[~new].mean(axis=0)
        for i in np.flatnonzero(new).tolist():
            centres[i] = _free(fresh[i] + shift, i, centres, sizes)
    width, height = (centres + sizes / 2).max(axis=0).tolist()
    return Layout(centres, sizes, _usable(names, centres, routes), (width, height))


def shown_layout(
    data: GraphData, nodes: Sequence[Shown], edges: Sequence[Shown], positions: Mapping[str, Sequence[float]]
) -> Layout:
    """Layout of a still picture, with nodes at their dragged positions and the corner at (0, 0)."""
    names = data.graph.names
    before = {node["name"]: (node["x"], node["y"]) for node in nodes}
    centres = np.array([positions.get(name, before[name]) for name in names], dtype=np.float64).reshape(-1, 2)
    sizes = data.sizes()
    routes = _usable(names, centres, {(edge["u"], edge["v"]): edge["points"] for edge in edges})
    corners = [centres - sizes / 2, centres + sizes / 2, *routes.values()]
    low, high = (np.vstack(corners).min(axis=0), np.vstack(corners).max(axis=0)) if len(names) else (0.0, np.zeros(2))
    routes = {edge: route - low for edge, route in routes.items()}
    width, height = (high - low).tolist()
    return Layout(centres - low, sizes, routes, (width, height))


def _free(at: FloatArray, i: int, centres: FloatArray, sizes: FloatArray) -> FloatArray:
    """Nearest position below `at` where node `i` touches no other node."""
    while True:
        apart = np.abs(centres - at) < (sizes + sizes[i]) / 2 + STEP / 2
        if not apart.all(axis=1).any():
            return at
        at = at + (0.0, STEP)


def _usable(names: Sequence[str], centres: FloatArray, routes: Routes) -> dict[Edge, FloatArray]:
    """Routes, by index, whose ends are at the positions of their nodes."""
    index = {name: i for i, name in enumerate(names)}
    usable = {}
    for (u, v), points in routes.items():
        if len(points) > 1 and u in index and v in index:
            pair = (index[u], index[v])
            route = np.asarray(points, dtype=np.float64)
            if np.abs(route[[0, -1]] - centres[list(pair)]).max() < NEAR:
                usable[pair] = route
    return usable
