"""Pictures of networks: nodes as ellipses, edges as arrows, differences from another network marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.bows import bowed
from bnlab.figures.graphs.drawing import FloatArray, NamedEdge
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.layout import Edge, Layout, layered_layout
from bnlab.figures.picture import Picture
from bnlab.figures.theme import (
    GREEN,
    GREY,
    SKY,
    TEXT,
    VERMILLION,
    VIOLET,
)
from bnlab.graphs import Dag, Pdag, as_dag
from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.dag import GraphLike, counted

AnyGraph: TypeAlias = "GraphLike | Pdag"

# A line leaves its node no flatter than this (sideways for each pixel down), so that it clears the nodes beside.
FLATTEST = 1.5
HANDLE = 0.42


PLAIN = drawing.Stroke(TEXT)
REVERSED, ADDED, LACKING = (
    drawing.Stroke(VERMILLION, 2.4, "11 3 2 3"),
    drawing.Stroke(VIOLET, 2.4, "7 4"),
    drawing.Stroke(SKY, 2.4, "2 4"),
)
COMPARED = {
    "true": PLAIN,
    "in both": PLAIN,
    "reversed": REVERSED,
    "extra": ADDED,
    "only here": ADDED,
    "missing": LACKING,
    "only there": LACKING,
}
CHANGED = {
    "kept": drawing.Stroke(TEXT),
    "dropped": drawing.Stroke(GREY, 2.0, "2 4"),
    "added": drawing.Stroke(GREEN, 2.6, "12 3"),
}
# Edges of these classes need not be in the graph.
ABSENT = ("missing", "only there", "dropped")


@dataclass(frozen=True)
class Reference:
    """Network that another one is compared with.

    Attributes
    ----------
    graph : Dag or Pdag
    name : str
        What it is called in legends and sentences.
    true : bool
        Whether it is the true network: only then are edges true, extra or missing.
    """

    graph: Dag | Pdag
    name: str = "the reference"
    true: bool = False

    @classmethod
    def of(
        cls, reference: AnyReference, truth: AnyGraph | None = None, names: Sequence[str] | None = None
    ) -> Reference | None:
        """Reference from what a function was given; None when that is nothing.

        Parameters
        ----------
        reference : graph, mapping of its name to a graph, Reference, or None
        truth : graph, optional
        names : sequence of str, optional
            Variables, for pairs of names.

        Raises
        ------
        ValueError
            If both are given, or a mapping holds not exactly one graph.
        TypeError
            If it is no graph.
        """
        if isinstance(reference, Reference):
            return reference
        if truth is not None:
            if reference is not None:
                raise ValueError("reference and truth are both a network to compare with: give one of them.")
            return cls(_graph(truth, names), "the true network", true=True)
        if reference is None:
            return None
        if not isinstance(reference, Mapping):
            return cls(_graph(reference, names))
        if len(reference) != 1:
            raise ValueError(f"reference has {len(reference)} entries: give one network by its name, {{name: graph}}.")
        ((name, graph),) = reference.items()
        return cls(_graph(graph, names), str(name))

    def label(self, kind: str) -> str:
        """What edges of a kind are called in a legend."""
        return f"only in {self.name}" if kind == "only there" else kind


AnyReference: TypeAlias = "Reference | AnyGraph | Mapping[str, AnyGraph] | None"


def edge_classes(
    graph: AnyGraph, reference: AnyReference = None, *, truth: AnyGraph | None = None
) -> dict[NamedEdge, str]:
    """Tell each edge of a graph from those of another, and add the ones that only the other has.

    Parameters
    ----------
    graph : Dag, Pdag, networkx.DiGraph, or anything with a `dag`
    reference : the same, optional
        Another graph on these variables, such as another learned network.
    truth : the same, optional
        The true network, instead of a reference.

    Returns
    -------
    dict of (str, str) to str
        Against a reference "in both", "reversed" (same nodes, another direction, or none), "only here" or "only there";
        against the true network "true", "reversed", "extra" or "missing". Edges of the graph first, then those that it
        lacks, as the other has them.

    Raises
    ------
    ValueError
        If the graphs are on different variables, or not exactly one of `reference` and `truth` is given.

    Examples
    --------
    >>> other = Dag.from_edges("ABC", [("A", "B"), ("B", "C")])
    >>> edge_classes(Dag.from_edges("ABC", [("B", "A"), ("A", "C")]), other)
    {('A', 'C'): 'only here', ('B', 'A'): 'reversed', ('B', 'C'): 'only there'}
    >>> edge_classes(Dag.from_edges("ABC", [("B", "A"), ("A", "C")]), truth=other)
    {('A', 'C'): 'extra', ('B', 'A'): 'reversed', ('B', 'C'): 'missing'}
    """
    compared = Reference.of(reference, truth)
    if compared is None:
        raise ValueError("there is no network to compare with: give a reference, or the true network as truth.")
    same_word, here, there = ("true", "extra", "missing") if compared.true else ("in both", "only here", "only there")
    found = _graph(graph)
    check_same_variables(found.names, compared.graph.names)
    expected = {frozenset(edge): (edge, mark) for edge, mark in _marks(compared.graph).items()}
    classes: dict[NamedEdge, str] = {}
    for edge, directed in _marks(found).items():
        match = expected.pop(frozenset(edge), None)
        if match is None:
            classes[edge] = here
        else:
            same = directed == match[1] and (not directed or edge == match[0])
            classes[edge] = same_word if same else "reversed"
    return classes | {edge: there for edge, _ in expected.values()}


def network_picture(
    graph: AnyGraph,
    *,
    reference: AnyReference = None,
    truth: AnyGraph | None = None,
    classes: Mapping[NamedEdge, str] | None = None,
    labels: Mapping[NamedEdge, str] | None = None,
    highlight: Collection[str] = (),
    layout: Layout | None = None,
    title: str | None = None,
) -> Picture:
    """Draw a network, a skeleton or an essential graph.

    Parameters
    ----------
    graph : Dag, Pdag, networkx.DiGraph, or anything with a `dag`
    reference : the same, or a mapping of its name to it, optional
        Another network on these variables, such as another learned one: edges are marked as in both, reversed, only
        here or only in the other one.
    truth : the same, optional
        The true network, instead of a reference: edges are marked as true, reversed, extra or missing.
    classes : mapping of (str, str) to str, optional
        A class for each of some edges, drawn alike and listed in a legend; not together with `reference` or `truth`.
    labels : mapping of (str, str) to str, optional
        Text beside some edges.
    highlight : collection of str
        Nodes to draw in another colour.
    layout : Layout, optional
        Positions, such as `network_layout` of a graph that is to be compared with this one by eye.
    title : str, optional
        Begins the text alternative.

    Raises
    ------
    ValueError
        If a node or an edge is named that the graph lacks, the graphs are on different variables, or classes are
        given beside a reference.
    """
    drawn, compared = _graph(graph), Reference.of(reference, truth)
    if compared is not None:
        if classes is not None:
            raise ValueError("reference and classes both say how edges are drawn: give one of them.")
        classes = edge_classes(drawn, compared)
    marked = _Drawing(drawn, dict(classes or {}), dict(labels or {}), frozenset(highlight), compared)
    marked.check()
    layout = layout or layered_layout(drawn, drawing.widths(drawn.names), also=marked.absent())
    return marked.picture(layout, title)


def network_html(
    graph: AnyGraph, *, labels: Mapping[NamedEdge, str] | None = None, layout: Layout | None = None
) -> str:
    """HTML of `network_picture`, and words in its place for a graph that is too large to be arranged.

    Parameters
    ----------
    graph, labels, layout
        As for `network_picture`.
    """
    try:
        return network_picture(graph, labels=labels, layout=layout).to_html()
    except TooLarge as error:
        return not_drawn(error)


def not_drawn(error: Exception) -> str:
    """HTML that stands where a picture could not be drawn."""
    return f'<p role="note">Not drawn: {escape(str(error))}</p>'


def network_layout(*graphs: AnyGraph) -> Layout:
    """Positions for several graphs on the same variables, after the edges of the first.

    Raises
    ------
    ValueError
        If the graphs are on different variables.
    """
    first, *others = map(_graph, graphs)
    index = {name: i for i, name in enumerate(first.names)}
    also = []
    for other in others:
        check_same_variables(other.names, first.names)
        also += [(index[u], index[v]) for u, v in _marks(other)]
    return layered_layout(first, drawing.widths(first.names), also=also)


def _graph(graph: AnyGraph, names: Sequence[str] | None = None) -> Dag | Pdag:
    graph = getattr(graph, "dag", graph)
    return graph if isinstance(graph, Pdag) else as_dag(graph, names)


def _marks(graph: Dag | Pdag) -> dict[NamedEdge, bool]:
    """Edges by name, and whether each has a direction."""
    if isinstance(graph, Dag):
        return dict.fromkeys(graph.edges, True)
    return dict.fromkeys(graph.directed_edges, True) | dict.fromkeys(graph.undirected_edges, False)


@dataclass(frozen=True)
class _Drawing:
    graph: Dag | Pdag
    classes: dict[NamedEdge, str]
    labels: dict[NamedEdge, str]
    highlight: frozenset[str]
    compared: Reference | None

    def check(self) -> None:
        """Refuse what names nothing in the graph."""
        names = self.graph.names
        for name in self.highlight:
            if name not in names:
                raise ValueError(f"cannot highlight {name!r}: no such node; {nearest(name, names)}")
        edges = self.edges()
        for edge in [*self.classes, *self.labels]:
            if edge not in edges:
                raise ValueError(f"no edge {edge!r} in the graph: classes and labels are for its edges.")

    def edges(self) -> dict[NamedEdge, bool]:
        """All edges to draw, with those that are not in the graph, and whether each has a direction."""
        absent = [edge for edge, name in self.classes.items() if name in ABSENT]
        return dict.fromkeys(absent, isinstance(self.graph, Dag)) | _marks(self.graph)

    def absent(self) -> list[Edge]:
        """Positions of the edges to draw that are not in the graph."""
        own = _marks(self.graph)
        return [(self._index[u], self._index[v]) for u, v in self.edges() if (u, v) not in own]

    @property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.graph.names)}

    def strokes(self) -> dict[str, drawing.Stroke]:
        """drawing.Stroke of each class that occurs, in the order of the legend."""
        named, known = set(self.classes.values()), COMPARED | CHANGED
        if named <= known.keys():
            return {name: stroke for name, stroke in known.items() if name in named}
        return drawing.strokes(self.classes.values(), width=2.2)

    def picture(self, layout: Layout, title: str | None) -> Picture:
        index, strokes = self._index, self.strokes()
        lines, tags = [], []
        for (u, v), directed in self.edges().items():
            curve = edge_curve(layout, (index[u], index[v]))
            stroke = strokes.get(self.classes.get((u, v), ""), PLAIN)
            lines.append(drawing.line(curve, stroke, directed, f"{u} {'→' if directed else '–'} {v}"))
            if text := self.labels.get((u, v)):
                tags.append(drawing.tag(text, drawing.at(curve, 0.5)))
        nodes = [
            drawing.node(name, layout.centres[i], float(layout.sizes[i, 0]), name in self.highlight)
            for name, i in index.items()
        ]
        summary, description = self.words()
        summary = f"{title}: {summary}" if title else summary
        named = {self.label(kind): stroke for kind, stroke in strokes.items()}
        legend = drawing.Legend(named, list(map(self.label, self.classes.values())))
        return drawing.picture([*lines, *nodes, *tags], layout, legend, summary, description)

    def label(self, kind: str) -> str:
        """What a class of edges is called."""
        return kind if self.compared is None else self.compared.label(kind)

    def words(self) -> tuple[str, str]:
        """Summary and list of edges."""
        kind = (
            "directed" if isinstance(self.graph, Dag) else "partially directed" if self.graph.directed else "undirected"
        )
        own = _marks(self.graph)
        summary = f"{kind} graph of {counted(len(self.graph), 'node')} and {counted(len(own), 'edge')}"
        if self.compared is not None:
            summary += f", compared with {self.compared.name}"
        parts = []
        for (u, v), directed in self.edges().items():
            mark = self.label(self.classes.get((u, v), ""))
            parts.append(f"{u} {'→' if directed else '–'} {v}" + (f" ({mark})" if mark else ""))
        names = ", ".join(self.graph.names)
        return summary, f"Edges: {', '.join(parts)}." if parts else f"Nodes: {names}."


def edge_curve(layout: Layout, edge: Edge) -> list[FloatArray]:
    """Bézier pieces of an edge from the rim of its first node to the rim of its second, each of shape (4, 2)."""
    u, v = edge
    if edge in layout.routes:
        route = layout.routes[edge]
    elif (v, u) in layout.routes:
        route = layout.routes[v, u][::-1]
    else:
        return drawing.between_rims([bowed(layout, u, v)], layout, u, v)
    return drawing.between_rims(_smooth(route), layout, u, v)


def _smooth(route: FloatArray) -> list[FloatArray]:
    """Curve through the points that never overshoots them: a monotone cubic (Fritsch and Carlson 1980) of x over y."""
    steps = np.diff(route, axis=0)
    if (np.abs(steps[:, 1]) < 1e-9).any():
        return [np.array([a, a + (b - a) / 3, b - (b - a) / 3, b]) for a, b in pairwise(route)]
    slopes = steps[:, 0] / steps[:, 1]
    turning = slopes[:-1] * slopes[1:] <= 0
    with np.errstate(divide="ignore", invalid="ignore"):
        between = np.where(turning, 0.0, 2 / (1 / slopes[:-1] + 1 / slopes[1:]))
    tangents = np.clip(np.concatenate([slopes[:1], between, slopes[-1:]]), -FLATTEST, FLATTEST)
    pieces = []
    for a, b, step, at_a, at_b, slope in zip(
        route[:-1], route[1:], steps, tangents[:-1], tangents[1:], slopes, strict=True
    ):
        handle = step[1] * (1 / 3 if abs(slope) <= FLATTEST else HANDLE)
        pieces.append(np.array([a, a + (at_a * handle, handle), b - (at_b * handle, handle), b]))
    return pieces
