"""Nodes, edges and legend of a picture of a graph, as plain values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.drawing import NamedEdge
from bnlab.figures.graphs.influence import SHAPES as DIAGRAM_SHAPES
from bnlab.figures.graphs.influence import STROKES as DIAGRAM_STROKES
from bnlab.figures.graphs.influence import influence_classes, node_widths
from bnlab.figures.graphs.layout import NODE_HEIGHT, Layout, layered_layout
from bnlab.figures.graphs.network import (
    ABSENT,
    CHANGED,
    COMPARED,
    PLAIN,
    AnyGraph,
    AnyReference,
    Reference,
    edge_classes,
)
from bnlab.graphs import Dag, Pdag, as_dag
from bnlab.graphs.dag import counted
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas as pd

Bars: TypeAlias = Mapping[str, Any]
Strengths: TypeAlias = "Mapping[NamedEdge, float] | pd.DataFrame"

SHAPES = ("oval", "box", "diamond")
STROKES = {
    **COMPARED,
    **CHANGED,
    **{kind: DIAGRAM_STROKES[kind] for kind in ("permanent", "chosen", "information")},
}
BARS_WIDTH = 128.0
BARS_HEADING, BAR_HEIGHT = 22.0, 15.0  # as in graph/page/view.js


@dataclass(frozen=True)
class GraphData:
    """A graph and how to show it.

    Attributes
    ----------
    graph : Dag or Pdag
    classes : dict of (str, str) to str
        Kind of each edge that has one; edges of the kinds "missing", "only there" and "dropped" are not in the graph.
    reference : Reference or None
        Network that the edges are compared with.
    strengths : dict of (str, str) to float
        In the caller's unit.
    strength_label : str
    strength_range : (float, float) or None
        Values drawn as the weakest and the strongest edge; from 0 to the greatest when None.
    titles, kinds, bars : mapping of str
        Of nodes.
    diagram : InfluenceDiagram or None
        Where the graph comes from, if it is one.
    """

    graph: Dag | Pdag
    classes: dict[NamedEdge, str] = field(default_factory=dict)
    strengths: dict[NamedEdge, float] = field(default_factory=dict)
    strength_label: str = ""
    strength_range: tuple[float, float] | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    bars: Mapping[str, Bars] = field(default_factory=dict)
    diagram: InfluenceDiagram | None = None
    reference: Reference | None = None

    def with_bars(self, bars: Mapping[str, Bars]) -> GraphData:
        """Return the same with other bars; ValueError if they do not fit its nodes."""
        _check_nodes("bars", bars, self.graph.names)
        for name, shown in bars.items():
            _check_bars(name, shown)
        return replace(self, bars=bars)

    def marks(self) -> dict[NamedEdge, bool]:
        """Edges to draw by name, and whether each has a direction."""
        if isinstance(self.graph, Dag):
            own = dict.fromkeys(self.graph.edges, True)
        else:
            own = dict.fromkeys(self.graph.directed_edges, True) | dict.fromkeys(self.graph.undirected_edges, False)
        absent = [edge for edge, kind in self.classes.items() if kind in ABSENT]
        return own | dict.fromkeys(absent, isinstance(self.graph, Dag))

    def sizes(self) -> np.ndarray[Any, Any]:
        """Width and height of each node, shape (n, 2)."""
        names = self.graph.names
        widths = drawing.widths(names) if self.diagram is None else node_widths(self.diagram)
        sizes = np.column_stack([widths, np.full(len(names), NODE_HEIGHT)])
        for i, name in enumerate(names):
            if name in self.bars:
                tall = BARS_HEADING + BAR_HEIGHT * len(self.bars[name]["states"]) + 6
                sizes[i] = max(sizes[i, 0], BARS_WIDTH), tall
        return sizes

    def layout(self) -> Layout:
        """Layered coordinates for the nodes and edges to draw."""
        index = {name: i for i, name in enumerate(self.graph.names)}
        also = [(index[u], index[v]) for u, v in self.marks() if self.classes.get((u, v)) in ABSENT]
        return layered_layout(self.graph, *self.sizes().T, also=also)

    def nodes(self, layout: Layout) -> list[dict[str, Any]]:
        """Nodes as the page takes them, placed by a layout."""
        nodes = []
        for name, (x, y), (w, h) in zip(self.graph.names, layout.centres.tolist(), self.sizes().tolist(), strict=True):
            place = {"name": name, "x": x, "y": y, "w": w, "h": h, "shape": self.shape(name)}
            shown = {"kind": self.kinds.get(name, ""), "title": self.titles.get(name, name)}
            nodes.append(place | shown | {"bars": plain_bars(self.bars[name]) if name in self.bars else None})
        return nodes

    def shape(self, name: str) -> str:
        """Shape of a node: that of its kind in a diagram."""
        return "oval" if self.diagram is None else DIAGRAM_SHAPES[self.diagram.kind(name)]

    def edges(self, layout: Layout) -> list[dict[str, Any]]:
        """Edges as the page takes them; one that the layout does not route has no points."""
        index = {name: i for i, name in enumerate(self.graph.names)}
        edges = []
        for (u, v), directed in self.marks().items():
            pair = (index[u], index[v])
            points: list[list[float]] = []
            if pair in layout.routes:
                points = layout.routes[pair].tolist()
            elif pair[::-1] in layout.routes:
                points = layout.routes[pair[::-1]][::-1].tolist()
            kind = self.classes.get((u, v), "plain")
            edge = {"u": u, "v": v, "directed": directed, "points": points, "kind": kind}
            edges.append(edge | {"strength": self.strength(u, v), "title": self.edge_title(u, v, directed)})
        return edges

    def strength(self, u: str, v: str) -> float | None:
        """Strength of an edge from 0 to 1; None when it has none."""
        value = self.value(u, v)
        if value is None:
            return None
        weakest, strongest = self.strength_range or (0.0, max(self.strengths.values()))
        share = (value - weakest) / (strongest - weakest) if strongest != weakest else 1.0
        return min(max(share, 0.0), 1.0)

    def value(self, u: str, v: str) -> float | None:
        """Strength of an edge in the caller's unit."""
        return self.strengths.get((u, v), self.strengths.get((v, u)))

    def edge_title(self, u: str, v: str, directed: bool) -> str:
        """Tooltip of an edge."""
        title = f"{u} {'→' if directed else '–'} {v}"
        if (u, v) in self.classes:
            title += f" ({self.label(self.classes[u, v])})"
        value = self.value(u, v)
        return title if value is None else f"{title}\n{self.strength_label or 'strength'}: {value:.4g}"

    def legend(self) -> list[dict[str, str]]:
        """One entry a kind of edge, in the order of `STROKES`, then as they occur."""
        kinds = [kind for kind in STROKES if kind in self.classes.values()]
        kinds += [kind for kind in dict.fromkeys(self.classes.values()) if kind not in STROKES and kind != "plain"]
        entries = [{"kind": kind, "label": self.label(kind)} for kind in kinds]
        if self.strengths:
            entries.append({"kind": "strength", "label": self.strength_label or "strength"})
        return entries

    def label(self, kind: str) -> str:
        """Label of a kind of edges."""
        return kind if self.reference is None else self.reference.label(kind)

    def description(self) -> str:
        """Kind of graph, numbers of nodes and edges."""
        kind = "directed"
        if isinstance(self.graph, Pdag):
            kind = "partially directed" if self.graph.directed else "undirected"
        shown = sum(edge_kind not in ABSENT for edge_kind in (self.classes.get(edge, "") for edge in self.marks()))
        return f"{kind} graph of {counted(len(self.graph), 'node')} and {counted(shown, 'edge')}"


def graph_data(
    graph: AnyGraph,
    reference: AnyReference = None,
    *,
    truth: AnyGraph | None = None,
    strengths: Strengths | None = None,
    strength_label: str = "",
    strength_range: tuple[float, float] | None = None,
    kinds: Mapping[NamedEdge, str] | None = None,
    node_kinds: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    bars: Mapping[str, Bars] | None = None,
) -> GraphData:
    """Collect what to draw of a graph; parameters as for `GraphView.from_graph`.

    Raises
    ------
    ValueError
        If something is given for a node or an edge that the graph lacks, a strength is not finite, or kinds are given
        beside a reference.
    """
    drawn, compared = as_graph(graph), Reference.of(reference, truth)
    if compared is not None and kinds is not None:
        raise ValueError("reference and kinds both set how edges are drawn: give one of them.")
    diagram = graph if isinstance(graph, InfluenceDiagram) else None
    if compared is not None:
        kinds = edge_classes(drawn, compared)
    elif kinds is None and diagram is not None:
        kinds = {edge: kind for edge, kind in influence_classes(diagram).items() if kind in STROKES}
    _check_nodes("node_kinds", node_kinds or {}, drawn.names)
    _check_nodes("titles", titles or {}, drawn.names)
    found = GraphData(
        drawn,
        dict(kinds or {}),
        _strengths(strengths, drawn.names),
        strength_label,
        strength_range,
        {**_own_titles(graph), **(titles or {})},
        {**_own_kinds(diagram), **(node_kinds or {})},
        diagram=diagram,
        reference=compared,
    ).with_bars(bars or {})
    _check_classes(found)
    return found


def as_graph(graph: AnyGraph) -> Dag | Pdag:
    """Graph itself, or that of a network, a diagram or a networkx graph."""
    return graph if isinstance(graph, Pdag) else as_dag(graph)


def graph_of(nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]]) -> Pdag:
    """Graph that nodes and edges, as the page takes them, show; absent edges left out."""
    index = {node["name"]: i for i, node in enumerate(nodes)}
    pairs: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for edge in edges:
        if edge["kind"] not in ABSENT:
            pairs[edge["directed"]].append((index[edge["u"]], index[edge["v"]]))
    return Pdag(list(index), directed=pairs[True], undirected=pairs[False])


def strokes(kinds: Collection[str]) -> dict[str, dict[str, Any]]:
    """Colour, width and dashes of each kind of edge; unknown kinds get one of their own."""
    unknown = [kind for kind in dict.fromkeys(kinds) if kind not in STROKES and kind not in ("plain", "strength", "")]
    used = {kind: stroke for kind, stroke in STROKES.items() if kind in kinds} | drawing.strokes(unknown, width=2.2)
    # A line without a colour has that of the theme.
    return {
        kind: {
            "colour": "" if stroke.colour == PLAIN.colour else stroke.colour,
            "width": stroke.width,
            "dash": stroke.dash,
        }
        for kind, stroke in used.items()
    }


def plain_bars(bars: Bars) -> dict[str, Any]:
    """Bars of a node as plain values, all four of them."""
    before = bars.get("before")
    return {
        "states": [str(state) for state in bars["states"]],
        "p": [float(p) for p in bars["p"]],
        "set": bars.get("set"),
        "before": None if before is None else [float(p) for p in before],
    }


def _strengths(strengths: Strengths | None, names: Collection[str]) -> dict[NamedEdge, float]:
    if strengths is None:
        return {}
    values = strengths if isinstance(strengths, Mapping) else _from_frame(strengths)
    for (u, v), value in values.items():
        for name in (u, v):
            if name not in names:
                raise ValueError(f"strengths[{u!r}, {v!r}]: no node {name!r} in the graph; {nearest(name, names)}")
        if not np.isfinite(value):
            raise ValueError(f"strengths[{u!r}, {v!r}]={value!r}: a strength is a finite number; leave the edge out.")
    return {edge: float(value) for edge, value in values.items()}


def _from_frame(frame: pd.DataFrame) -> dict[NamedEdge, float]:
    """Entries [u, v] of a square frame, or rows (u, v, strength) of a long one."""
    if list(frame.index) == list(frame.columns):
        return {(u, v): x for u, row in frame.iterrows() for v, x in row.items() if u != v and np.isfinite(x)}
    if frame.shape[1] < 3:
        raise ValueError(
            f"strengths has columns {list(frame.columns)}: give a square frame of variables, or the columns "
            "from, to, strength."
        )
    return {(u, v): x for u, v, x in frame.iloc[:, :3].itertuples(index=False)}


def _check_nodes(what: str, given: Collection[str], names: Collection[str]) -> None:
    for name in given:
        if name not in names:
            raise ValueError(f"{what}[{name!r}]: no such node in the graph; {nearest(name, names)}")


def _check_classes(data: GraphData) -> None:
    drawn = data.marks()
    for (u, v), kind in data.classes.items():
        for name in (u, v):
            _check_nodes("kinds", [name], data.graph.names)
        if (u, v) not in drawn:
            raise ValueError(
                f"kinds[{u!r}, {v!r}]={kind!r}: no such edge in the graph; only edges of the kinds "
                f"{', '.join(map(repr, ABSENT))} may be absent from it."
            )


def _check_bars(name: str, bars: Bars) -> None:
    for key in ("states", "p"):
        if key not in bars:
            raise ValueError(f"bars[{name!r}] has no {key!r}: give 'states' and 'p', and perhaps 'set' and 'before'.")
    for key in ("p", "before"):
        values = bars.get(key)
        if values is not None and len(values) != len(bars["states"]):
            raise ValueError(f"bars[{name!r}]: {len(values)} numbers in {key!r} for {len(bars['states'])} states.")


def _own_kinds(diagram: InfluenceDiagram | None) -> dict[str, str]:
    if diagram is None:
        return {}
    return dict.fromkeys(diagram.decision, "decision") | dict.fromkeys(diagram.utility, "utility")


def _own_titles(graph: Any) -> dict[str, str]:
    """Tooltips: the states of variables, or the options of decisions."""
    states: dict[str, Sequence[Any]] = {}
    if isinstance(graph, BayesianNetwork):
        states = {v.name: v.states for v in graph.variables}
    elif isinstance(graph, InfluenceDiagram):
        states = dict(graph.options)
    return {name: f"{name}: {', '.join(map(str, shown))}" for name, shown in states.items()}
