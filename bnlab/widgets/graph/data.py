"""Nodes, edges and legend of a picture of a graph, as plain values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bnlab._runtime.names import check_known
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
    CROSS,
    OPEN,
    PLAIN,
    RULED,
    UNDECIDED,
    AnyGraph,
    AnyReference,
    Reference,
    as_drawn,
    edge_classes,
    edge_directions,
    open_edges,
    strokes_of,
    undecided_edges,
)
from bnlab.figures.graphs.slices import is_transition, transition_layout
from bnlab.figures.labels import capitalised
from bnlab.graphs import Dag, Pdag, as_graph
from bnlab.graphs.equivalence import shown_graph
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.network import BayesianNetwork
from bnlab.widgets.graph.focus import LARGE, modules

if TYPE_CHECKING:
    import pandas as pd

Bars: TypeAlias = Mapping[str, Any]
Strengths: TypeAlias = "Mapping[NamedEdge, float] | pd.DataFrame"

STROKES = {
    **COMPARED,
    **CHANGED,
    **RULED,
    **OPEN,
    **{kind: DIAGRAM_STROKES[kind] for kind in ("permanent", "chosen", "information")},
}
LONGEST_TITLE = 8  # states or other items in a tooltip


@dataclass(frozen=True, kw_only=True)
class Appearance:
    """Appearance of a graph: keyword arguments of `GraphView.from_graph` and `GraphView.set_graph`, described there."""

    truth: AnyGraph | None = None
    strength_label: str = ""
    strength_range: tuple[float, float] | None = None
    kinds: Mapping[NamedEdge, str] | None = None
    node_kinds: Mapping[str, str] | None = None
    titles: Mapping[str, str] | None = None
    bars: Mapping[str, Bars] | None = None
    labels: Mapping[NamedEdge, str] | None = None
    shares: Mapping[NamedEdge, float] | None = None
    rules: Mapping[NamedEdge, str] | None = None
    shapes: Mapping[str, str] | None = None


APPEARANCE = tuple(field.name for field in fields(Appearance))


@dataclass(frozen=True)
class GraphData:
    """A graph and its appearance: kinds and strengths of edges, in the caller's unit; kinds, titles and bars of nodes.

    Edges of the kinds "missing", "only there" and "dropped" are in `classes`, but not in the graph.
    """

    graph: Dag | Pdag
    classes: dict[NamedEdge, str] = field(default_factory=dict)
    strengths: dict[NamedEdge, float] = field(default_factory=dict)
    look: Appearance = field(default_factory=Appearance)
    bars: dict[str, Any] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    diagram: InfluenceDiagram | None = None
    reference: Reference | None = None
    ranks: Dag | None = None
    """Graph with the same edges whose directions decide which nodes are above others."""

    def marks(self) -> dict[NamedEdge, bool]:
        """Drawn edges by name, and whether each has a direction."""
        return edge_directions(self.graph) | edge_directions(self.graph, self.classes, self.reference)

    def sizes(self) -> np.ndarray[Any, Any]:
        """Width and height of each node, shape (n, 2)."""
        if self.diagram is not None:
            return np.column_stack([node_widths(self.diagram), np.full(len(self.graph), NODE_HEIGHT)])
        return drawing.node_sizes(self.graph.names, self.bars)

    def layout(self) -> Layout:
        """Layered layout of the drawn nodes and edges; a transition of a network over time has a column a slice."""
        index = {name: i for i, name in enumerate(self.graph.names)}
        if is_transition(self.graph.names):
            return transition_layout(self.graph.names, self.sizes(), [(index[u], index[v]) for u, v in self.marks()])
        kinds = {edge: self.classes.get(edge) for edge in self.marks()}
        # Forbidden edges do not affect the layers.
        also = [(index[u], index[v]) for (u, v), kind in kinds.items() if kind in ABSENT and kind != "forbidden"]
        found = layered_layout(self.ranks or self.graph, *self.sizes().T, also=also)
        # A forbidden edge runs beside the edge in the other direction, not on it.
        pairs = {(index[u], index[v]) for (u, v), kind in kinds.items() if kind != "forbidden"}
        turned = {a: found.routes[a[::-1]][::-1] for a in pairs if a not in found.routes and a[::-1] in found.routes}
        return replace(found, routes={**found.routes, **turned})

    def nodes(self, layout: Layout) -> list[dict[str, Any]]:
        """Nodes in the form that the page takes, at the positions of a layout."""
        shapes = self.look.shapes or {}
        if self.diagram is not None:
            shapes = {name: DIAGRAM_SHAPES[self.diagram.kind(name)] for name in self.graph.names}
        found = modules(self.graph) if len(self.graph) >= LARGE else {}
        module = {name: i for i, group in enumerate(found.values()) for name in group}
        nodes = []
        for name, (x, y), (w, h) in zip(self.graph.names, layout.centres.tolist(), self.sizes().tolist(), strict=True):
            place = {"name": name, "x": x, "y": y, "w": w, "h": h, "shape": shapes.get(name, "oval")}
            shown = {"kind": self.kinds.get(name, ""), "title": self.titles.get(name, name)}
            nodes.append(place | shown | {"bars": self.bars.get(name), "module": module.get(name)})
        return nodes

    def edges(self, layout: Layout) -> list[dict[str, Any]]:
        """Edges in the form that the page takes; an edge without a route in the layout has no points."""
        index = {name: i for i, name in enumerate(self.graph.names)}
        edges = []
        for (u, v), directed in self.marks().items():
            pair = (index[u], index[v])
            points: Any = layout.routes.get(pair, np.empty((0, 2))).tolist()
            kind = self.classes.get((u, v), "plain")
            # A forbidden edge runs beside the edge in the other direction.
            if pair[::-1] in layout.routes and not points and kind != "forbidden":
                points = layout.routes[pair[::-1]][::-1].tolist()
            share = (self.look.shares or {}).get((u, v)) if directed else None
            title = f"{u} {'→' if directed else '–'} {v}"
            if (u, v) in self.classes:
                title += f" ({self._label(self.classes[u, v])})"
            value = self.strengths.get((u, v), self.strengths.get((v, u)))
            if value is not None:
                title += f"\n{self._strength_label}: {value:.4g}"
            edge = {"u": u, "v": v, "directed": directed, "points": points, "title": title}
            strength = None if value is None else self._share(value)
            labels = self.look.labels or {}
            other = "" if directed else labels.get((v, u), "")
            text = labels.get((u, v), CROSS if kind == "forbidden" else other)
            edge |= {"label": text, "share": share, "kind": kind, "strength": strength}
            edges.append(edge)
        return edges

    def _share(self, value: float) -> float:
        """Strength scaled to the range from 0 to 1."""
        weakest, strongest = self.look.strength_range or (0.0, max(self.strengths.values()))
        return float(np.clip((value - weakest) / (strongest - weakest), 0, 1)) if strongest != weakest else 1.0

    def legend(self) -> list[dict[str, Any]]:
        """One entry per kind of edge, in the order of `STROKES`, then other kinds as they occur.

        In a comparison, edges without a direction have an entry of their own, with their count.
        """
        kinds = strokes_of(self.classes.values(), STROKES)
        # Kinds that the caller invents keep their names.
        labels = {kind: capitalised(self._label(kind)) if kind in STROKES else kind for kind in kinds}
        entries: list[dict[str, Any]]
        entries = [{"kind": kind, "label": label} for kind, label in labels.items() if kind != "plain"]
        if undecided := undecided_edges(self.marks(), self.graph, self.reference):
            entries.append({"kind": UNDECIDED, "label": capitalised(UNDECIDED), "count": len(undecided)})
        if self.strengths:
            entries.append({"kind": "strength", "label": self._strength_label})
        if any(0 < share < 1 for share in (self.look.shares or {}).values()):
            entries.append({"kind": "shares", "label": "Darker head: more probable direction"})
        if any(bars["before"] for bars in self.bars.values()):
            entries.append({"kind": "before", "label": "Without the evidence"})
        if any("best" in bars for bars in self.bars.values()):
            entries.append({"kind": "best", "label": "Most probable together"})
        if len(self.graph) >= LARGE:
            entries.append({"kind": "module", "label": "Colour: module of nodes with many edges among them"})
        return entries

    @property
    def _strength_label(self) -> str:
        return self.look.strength_label or "Strength"

    def _label(self, kind: str) -> str:
        return kind if self.reference is None else self.reference.label(kind)


def graph_data(
    graph: AnyGraph, reference: AnyReference = None, strengths: Strengths | None = None, look: Appearance | None = None
) -> GraphData:
    """Data of the picture of a graph; parameters and errors are as for `GraphView.from_graph`."""
    look = look or Appearance()
    given = as_graph(graph)
    drawn = shown_graph(given)
    learned = drawn is not given
    compared, kinds = Reference.of(reference, look.truth), look.kinds
    if compared is not None and kinds is not None:
        raise ValueError("reference and kinds both set how edges are drawn: give one of them.")
    diagram = graph if isinstance(graph, InfluenceDiagram) else None
    if compared is not None:
        compared = compared.comparable(drawn, essential=True) if learned else compared
        kinds = edge_classes(drawn, compared)
    elif kinds is None and diagram is not None:
        kinds = {edge: kind for edge, kind in influence_classes(diagram).items() if kind in STROKES}
    elif kinds is None and isinstance(drawn, Pdag):
        kinds = open_edges(drawn, essential=learned)
    kinds = as_drawn({**(look.rules or {}), **(kinds or {})}, edge_directions(drawn))
    for what, named in (("node_kinds", look.node_kinds), ("titles", look.titles), ("bars", look.bars)):
        _check_nodes(what, named or {}, drawn.names)
    own_kinds: dict[str, str] = {}
    states: Mapping[str, Sequence[Any]] = {}
    if diagram is not None:
        own_kinds = dict.fromkeys(diagram.decision, "decision") | dict.fromkeys(diagram.utility, "utility")
        states = diagram.options
    elif isinstance(graph, BayesianNetwork):
        states = {v.name: v.states for v in graph.variables}
    found = GraphData(
        drawn,
        dict(kinds or {}),
        _strengths(strengths, drawn.names),
        look,
        {name: _plain_bars(name, shown) for name, shown in (look.bars or {}).items()},
        {**titles_of(states), **(look.titles or {})},
        {**own_kinds, **(look.node_kinds or {})},
        diagram,
        compared,
        given if isinstance(given, Dag) and learned else None,
    )
    drawn_edges = found.marks()
    for (u, v), kind in found.classes.items():
        _check_nodes("kinds", (u, v), drawn.names)
        if (u, v) not in drawn_edges:
            raise ValueError(
                f"kinds[{u!r}, {v!r}]={kind!r}: no such edge in the graph; only edges of the kinds "
                f"{', '.join(map(repr, ABSENT))} may be absent from it."
            )
    return found


def strokes(kinds: Collection[str]) -> dict[str, dict[str, Any]]:
    """Colour, width and dashes of each kind of edge; unknown kinds get a style of their own."""
    used = strokes_of([kind for kind in kinds if kind != "plain"], STROKES)
    # A line without a colour gets the colour of the theme.
    return {
        kind: asdict(stroke) | {"colour": "" if stroke.colour == PLAIN.colour else stroke.colour}
        for kind, stroke in used.items()
    }


def _plain_bars(name: str, bars: Bars) -> dict[str, Any]:
    """Bars of a node as plain values, with all four keys."""
    for key in ("states", "p"):
        if key not in bars:
            raise ValueError(f"bars[{name!r}] has no {key!r}: give 'states' and 'p', and perhaps 'set' and 'before'.")
    states = [*map(str, bars["states"])]
    plain: dict[str, Any] = {"states": states, "set": bars.get("set")}
    if bars.get("best") is not None:
        plain["best"] = bars["best"]
    for key in ("p", "before"):
        values = bars.get(key)
        if values is not None and len(values) != len(states):
            raise ValueError(f"bars[{name!r}]: {len(values)} numbers in {key!r} for {len(states)} states.")
        plain[key] = None if values is None else [*map(float, values)]
    return plain


def _strengths(strengths: Strengths | None, names: Collection[str]) -> dict[NamedEdge, float]:
    if strengths is None:
        return {}
    values = strengths if isinstance(strengths, Mapping) else _from_frame(strengths)
    for (u, v), value in values.items():
        for name in (u, v):
            check_known(name, names, f"strengths[{u!r}, {v!r}]: no node {name!r} in the graph")
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
        check_known(name, names, f"{what}[{name!r}]: no such node in the graph")


def titles_of(states: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Tooltips of nodes: the first states of variables or options of decisions."""
    return {name: f"{name}: {first_of(some)}" for name, some in states.items()}


def first_of(items: Sequence[Any]) -> str:
    """First items, and the number of other items.

    Examples
    --------
    >>> first_of(range(10))
    '0, 1, 2, 3, 4, 5, 6, 7 and 2 more'
    """
    more = f" and {len(items) - LONGEST_TITLE} more" if len(items) > LONGEST_TITLE else ""
    return ", ".join(map(str, items[:LONGEST_TITLE])) + more
