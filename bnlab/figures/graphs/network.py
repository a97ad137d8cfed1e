"""Pictures of networks, with their differences from another network."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TypeAlias, TypeVar

from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.drawing import BOW, Bars, DrawnEdge, NamedEdge, Stroke, between_rims, bow, edge_curve
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.layout import Layout, layered_layout
from bnlab.figures.labels import capitalised
from bnlab.figures.picture import Picture
from bnlab.figures.theme import BLUE, GREEN, GREY, PINK, SKY, TEXT, VERMILLION, VIOLET
from bnlab.graphs import Dag, Pdag, as_graph, skeleton
from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.dag import GraphLike, counted
from bnlab.graphs.equivalence import class_of, shown_graph

AnyGraph: TypeAlias = "GraphLike | Pdag"
T = TypeVar("T")

PLAIN = Stroke(TEXT)
REVERSED = Stroke(VERMILLION, 2.4, "11 3 2 3")
ADDED = Stroke(VIOLET, 2.4, "7 4")
LACKING = Stroke(SKY, 2.4, "2 4")
COMPARED = {
    "true": PLAIN,
    "in both": PLAIN,
    "reversed": REVERSED,
    "extra": ADDED,
    "only here": ADDED,
    "missing": LACKING,
    "only there": LACKING,
}
CHANGED = {"kept": PLAIN, "dropped": Stroke(GREY, 2.0, "2 4"), "added": Stroke(GREEN, 2.6, "12 3")}
RULED = {
    "required": Stroke(BLUE, 4.0),
    "forbidden": Stroke(VERMILLION, 1.8, "1.5 4"),
    "not allowed": Stroke(VERMILLION, 3.2, "9 4"),
}
"""Strokes of edges that background knowledge requires or forbids."""
UNDECIDED, CONFLICT = "direction not decided", "contradictory directions"
OPEN = {UNDECIDED: Stroke(TEXT, between_nodes=True), CONFLICT: Stroke(PINK, 2.4, "2 3")}
"""Strokes of the undirected edges of an equivalence class."""
STROKES = COMPARED | CHANGED | RULED | OPEN
CROSS = "×"
"""Label of a forbidden edge."""
# Edges of these classes need not be in the graph.
ABSENT = ("missing", "only there", "dropped", "forbidden")


@dataclass(frozen=True)
class Reference:
    """Network to compare another network with.

    Attributes
    ----------
    graph : Dag or Pdag
    name : str
        Its name in legends and sentences.
    true : bool
        Whether it is the true network: only then are edges true, extra or missing.
    essential : bool
        Whether it is compared with an essential graph, even if that has no directed edges.
    """

    graph: Dag | Pdag
    name: str = "the reference"
    true: bool = False
    essential: bool = False

    @classmethod
    def of(
        cls, reference: AnyReference, truth: AnyGraph | None = None, names: Sequence[str] | None = None
    ) -> Reference | None:
        """Reference from the arguments of a function; None if there is none.

        Raises
        ------
        ValueError
            If both are given, or a mapping of names to graphs does not have exactly one entry.
        TypeError
            If it is not a graph.
        """
        if isinstance(reference, Reference):
            return reference
        if truth is not None:
            if reference is not None:
                raise ValueError("reference and truth are both a network to compare with: give one of them.")
            return cls(as_graph(truth, names), "the true network", true=True)
        if reference is None:
            return None
        if not isinstance(reference, Mapping):
            return cls(as_graph(reference, names))
        if len(reference) != 1:
            raise ValueError(f"reference has {len(reference)} entries: give one network by its name, {{name: graph}}.")
        ((name, graph),) = reference.items()
        return cls(as_graph(graph, names), str(name))

    def comparable(self, shown: Dag | Pdag, *, essential: bool = False) -> Reference:
        """Reference of the same kind as the shown graph: for an essential graph, the essential graph of the reference.

        A graph without directed edges counts as a skeleton, unless `essential` is set.
        """
        if not isinstance(shown, Pdag) or not isinstance(self.graph, Dag):
            return self
        classes = bool(shown.directed) or essential
        return replace(self, graph=class_of(self.graph) if classes else skeleton(self.graph), essential=classes)

    def label(self, kind: str) -> str:
        """Label of a class of edges in legends."""
        return f"only in {self.name}" if kind == "only there" else kind


AnyReference: TypeAlias = "Reference | AnyGraph | Mapping[str, AnyGraph] | None"


def edge_classes(
    graph: AnyGraph, reference: AnyReference = None, *, truth: AnyGraph | None = None
) -> dict[NamedEdge, str]:
    """Classes of the edges of a graph compared with another graph, and of the edges that only the other one has.

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
        against the true network "true", "reversed", "extra" or "missing". Edges of the graph come first, then those
        that only the other one has, in its direction.

    Raises
    ------
    ValueError
        If the graphs have different variables, or not exactly one of `reference` and `truth` is given.

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
    shared, here, there = ("true", "extra", "missing") if compared.true else ("in both", "only here", "only there")
    found = as_graph(graph)
    check_same_variables(found.names, compared.graph.names)
    expected = {frozenset(edge): (edge, mark) for edge, mark in edge_directions(compared.graph).items()}
    classes: dict[NamedEdge, str] = {}
    for edge, directed in edge_directions(found).items():
        match = expected.pop(frozenset(edge), None)
        if match is None:
            classes[edge] = here
        else:
            same = directed == match[1] and (not directed or edge == match[0])
            classes[edge] = shared if same else "reversed"
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

    Edges without a direction have no arrowhead, nor have those of a learned graph whose direction data do not decide:
    `bnlab.graphs.member(graph)` is drawn with all arrowheads. A legend counts edges without a decided direction, and
    those to which tests give contradictory directions; a skeleton has no such legend.

    Parameters
    ----------
    graph : Dag, Pdag, networkx.DiGraph, or anything with a `dag`
        With a learned graph, the equivalence class of the other one is compared.
    reference : the same, or a mapping of its name to it, optional
        Another network on these variables, such as another learned one. Edges are marked as in both, reversed, only
        here or only in the other one.
    truth : the same, optional
        The true network, instead of a reference. Edges are marked as true, reversed, extra or missing.
    classes : mapping of (str, str) to str, optional
        Classes of some edges, each drawn alike and listed in a legend; not together with `reference` or `truth`.
    labels : mapping of (str, str) to str, optional
        Texts beside some edges.
    highlight : collection of str
        Nodes to draw in another colour.
    layout : Layout, optional
        Positions, such as those of `network_layout` for graphs to compare.
    title : str, optional
        Start of the text alternative.

    Raises
    ------
    ValueError
        If the graph lacks a node or an edge that is named, the graphs have different variables, or classes are given
        together with a reference.
    """
    return compared_picture(
        graph,
        Reference.of(reference, truth),
        classes=classes,
        labels=labels,
        highlight=highlight,
        layout=layout,
        title=title,
    )


def compared_picture(
    graph: AnyGraph,
    compared: Reference | None,
    *,
    classes: Mapping[NamedEdge, str] | None = None,
    labels: Mapping[NamedEdge, str] | None = None,
    highlight: Collection[str] = (),
    bars: Mapping[str, Bars] | None = None,
    layout: Layout | None = None,
    title: str | None = None,
) -> Picture:
    """Draw a graph as `network_picture` does, perhaps with bars.

    `bars` are the "states" of some nodes and their probabilities "p"; then all nodes are boxes.
    """
    given = as_graph(graph)
    drawn = shown_graph(given)
    learned = drawn is not given
    if compared is not None:
        if classes is not None:
            raise ValueError("reference and classes both say how edges are drawn: give one of them.")
        compared = compared.comparable(drawn, essential=True) if learned else compared
        classes = edge_classes(drawn, compared)
    elif classes is None and isinstance(drawn, Pdag):
        classes = open_edges(drawn, essential=learned)
    own = edge_directions(drawn)
    classes, labels = as_drawn(classes or {}, own), as_drawn(labels or {}, own)
    edges = edge_directions(drawn, classes, compared)
    drawing.check_named(drawn.names, edges, nodes=highlight, of_edges=[*classes, *labels])
    index = {name: i for i, name in enumerate(drawn.names)}
    pairs = {(u, v): (index[u], index[v]) for u, v in edges}
    absent = [pair for edge, pair in pairs.items() if edge not in own]
    layout = layout or layered_layout(given, *drawing.node_sizes(drawn.names, bars or {}).T, also=absent)
    strokes = strokes_of(classes.values())
    to_label = compared.label if compared is not None else str
    entries = {kind: capitalised(to_label(kind)) if kind in STROKES else kind for kind in strokes}
    undecided = undecided_edges(edges, drawn, compared)
    lines = []
    for (u, v), directed in edges.items():
        kind = classes.get((u, v), "")
        stroke = strokes.get(kind, PLAIN)
        i, j = pairs[u, v]
        if kind == "forbidden" and (v, u) in edges:
            piece = bow(layout.centres[i], layout.centres[j], BOW)
            curve = between_rims([piece], layout, i, j, boxes=bool(bars))
        else:
            curve = edge_curve(layout, (i, j), boxes=bool(bars))
        note, tag = f" ({to_label(kind)})" if kind else "", labels.get((u, v), CROSS if kind == "forbidden" else "")
        also = capitalised(UNDECIDED) if (u, v) in undecided else ""
        lines.append(DrawnEdge(u, v, curve, stroke, entries.get(kind, ""), note, tag, directed=directed, also=also))
    legend = {entries[kind]: stroke for kind, stroke in strokes.items()}
    legend |= {capitalised(UNDECIDED): OPEN[UNDECIDED]} if undecided else {}
    summary = graph_words(drawn) + (f", compared with {compared.name}" if compared is not None else "")
    if bars:
        nodes = drawing.barred(drawn.names, layout, bars, highlight)
    else:
        nodes = drawing.ellipses(drawn.names, layout, highlight)
    return drawing.picture(drawn.names, layout, nodes, lines, legend, summary, title, drawing.bar_words(bars or {}))


def as_drawn(given: Mapping[NamedEdge, T], edges: Mapping[NamedEdge, bool]) -> dict[NamedEdge, T]:
    """Values of edges, each by the ends of the edge as it is drawn: those without a direction have one name only."""
    turned = {(v, u): (u, v) for (u, v), directed in edges.items() if not directed}
    return {turned.get(edge, edge): value for edge, value in given.items()}


def open_edges(graph: Pdag, *, essential: bool = False) -> dict[NamedEdge, str]:
    """Class of each edge of an equivalence class that has no direction: not decided, or contradictory.

    A graph without directed edges may be a skeleton, whose edges have no class, unless `essential` is set.
    """
    if not (essential or graph.directed or graph.conflicts):
        return {}
    conflicts = set(graph.conflicting_edges)
    return {edge: CONFLICT if edge in conflicts else UNDECIDED for edge in graph.undirected_edges}


def undecided_edges(edges: Mapping[NamedEdge, bool], graph: Dag | Pdag, compared: Reference | None) -> list[NamedEdge]:
    """Edges without an arrowhead, of all that are drawn, if their classes are those of a comparison; otherwise none.

    Those of a skeleton are not undecided.
    """
    if compared is None or not (isinstance(graph, Dag) or compared.essential or graph.directed or graph.conflicts):
        return []
    return [edge for edge, directed in edges.items() if not directed]


def graph_words(graph: Dag | Pdag) -> str:
    """Kind of a graph, and its numbers of nodes and edges.

    Examples
    --------
    >>> graph_words(Dag.from_edges("XY", [("X", "Y")]))
    'directed graph of 2 nodes and 1 edge'
    """
    kind = "directed" if isinstance(graph, Dag) else "partially directed" if graph.directed else "undirected"
    return f"{kind} graph of {counted(len(graph), 'node')} and {counted(len(edge_directions(graph)), 'edge')}"


def network_html(graph: AnyGraph, *, labels: Mapping[NamedEdge, str] | None = None) -> str:
    """HTML of `network_picture`, or a note if the graph is too large to be arranged."""
    try:
        return network_picture(graph, labels=labels).to_html()
    except TooLarge as error:
        return not_drawn(error)


def not_drawn(error: Exception) -> str:
    """HTML note in place of a picture that could not be drawn."""
    return f'<p role="note">Not drawn: {escape(str(error))}</p>'


def network_layout(*graphs: AnyGraph) -> Layout:
    """Common positions for several graphs on the same variables; directed edges of the first point down.

    Raises
    ------
    ValueError
        If the graphs have different variables.
    """
    first, *others = map(as_graph, graphs)
    index = {name: i for i, name in enumerate(first.names)}
    also = []
    for other in others:
        check_same_variables(other.names, first.names)
        also += [(index[u], index[v]) for u, v in edge_directions(other)]
    return layered_layout(first, drawing.widths(first.names), also=also)


def edge_directions(
    graph: Dag | Pdag, classes: Mapping[NamedEdge, str] | None = None, compared: Reference | None = None
) -> dict[NamedEdge, bool]:
    """Edges by name, and whether each has a direction; first those of classes in `ABSENT`, which the graph lacks."""
    if isinstance(graph, Dag):
        own = dict.fromkeys(graph.edges, True)
    else:
        own = dict.fromkeys(graph.directed_edges, True) | dict.fromkeys(graph.undirected_edges, False)
    there = {} if compared is None else edge_directions(compared.graph)
    absent = [edge for edge, kind in (classes or {}).items() if kind in ABSENT]
    return {edge: there.get(edge, isinstance(graph, Dag)) for edge in absent} | own


def strokes_of(classes: Collection[str], known: Mapping[str, Stroke] = STROKES) -> dict[str, Stroke]:
    """Stroke of each class that occurs, in the order of the legend: first known classes, then the others."""
    own = drawing.strokes((name for name in classes if name not in known), width=2.2)
    return {name: stroke for name, stroke in known.items() if name in classes} | own
