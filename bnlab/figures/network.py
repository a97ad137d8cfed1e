"""Pictures of networks: nodes as ellipses, edges as arrows, differences from another network marked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._names import nearest
from bnlab.figures.layout import NODE_HEIGHT, Edge, Layout, layered_layout
from bnlab.figures.picture import Picture
from bnlab.figures.svg import document, element, label, number, shortened, text_width, written
from bnlab.figures.theme import (
    GREY,
    INK,
    MARKED_OUTLINE,
    MARKED_PAPER,
    OUTLINE,
    PAPER,
    SKY,
    TEXT,
    VERMILLION,
    VIOLET,
    colour,
)
from bnlab.graphs import Dag, Pdag, as_dag
from bnlab.graphs.dag import GraphLike, check_same_variables, counted

FloatArray: TypeAlias = NDArray[np.float64]
NamedEdge: TypeAlias = tuple[str, str]
AnyGraph: TypeAlias = "GraphLike | Pdag"

LONGEST_NAME = 24
NAME_SIZE = 13.0
LABEL_SIZE = 11.0
MARGIN = 6.0
HEAD_LENGTH, HEAD_WIDTH = 9.0, 7.0
# A line leaves its node no flatter than this (sideways for each pixel down), so that it clears the nodes beside.
FLATTEST = 1.5
HANDLE = 0.42


@dataclass(frozen=True)
class Stroke:
    """How the edges of one class are drawn."""

    colour: str
    width: float = 1.6
    dash: str | None = None


PLAIN = Stroke(TEXT)
COMPARED = {
    "true": Stroke(TEXT),
    "reversed": Stroke(VERMILLION, 2.4, "11 3 2 3"),
    "extra": Stroke(VIOLET, 2.4, "7 4"),
    "missing": Stroke(SKY, 2.4, "2 4"),
}
DASHES = (None, "7 4", "2 4", "11 3 2 3")


def edge_classes(graph: AnyGraph, reference: AnyGraph) -> dict[NamedEdge, str]:
    """Tell each edge of a graph from those of the reference, and add the ones it misses.

    Parameters
    ----------
    graph, reference : Dag, Pdag, networkx.DiGraph, or anything with a `dag`
        On the same variables, in whatever order.

    Returns
    -------
    dict of (str, str) to str
        "true", "reversed" (same nodes, another direction, or none), "extra" or "missing"; edges of the graph first,
        then the missing ones, as the reference has them.

    Raises
    ------
    ValueError
        If the graphs are on different variables.

    Examples
    --------
    >>> true = Dag.from_edges("ABC", [("A", "B"), ("B", "C")])
    >>> edge_classes(Dag.from_edges("ABC", [("B", "A"), ("A", "C")]), true)
    {('A', 'C'): 'extra', ('B', 'A'): 'reversed', ('B', 'C'): 'missing'}
    """
    found, real = _graph(graph), _graph(reference)
    check_same_variables(found.names, real.names)
    expected = {frozenset(edge): (edge, mark) for edge, mark in _marks(real).items()}
    classes: dict[NamedEdge, str] = {}
    for edge, directed in _marks(found).items():
        there = expected.pop(frozenset(edge), None)
        if there is None:
            classes[edge] = "extra"
        else:
            same = directed == there[1] and (not directed or edge == there[0])
            classes[edge] = "true" if same else "reversed"
    return classes | {edge: "missing" for edge, _ in expected.values()}


def network_picture(
    graph: AnyGraph,
    *,
    reference: AnyGraph | None = None,
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
    reference : the same, optional
        Another graph on these variables: edges are marked as true, reversed, extra or missing against it.
    classes : mapping of (str, str) to str, optional
        A class for each of some edges, drawn alike and listed in a legend; not together with `reference`.
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
    drawn = _graph(graph)
    if reference is not None:
        if classes is not None:
            raise ValueError("reference and classes both say how edges are drawn: give one of them.")
        classes = edge_classes(drawn, reference)
    drawing = _Drawing(drawn, dict(classes or {}), dict(labels or {}), frozenset(highlight), reference is not None)
    drawing.check()
    layout = layout or layered_layout(drawn, _widths(drawn.names), also=drawing.missing())
    return drawing.picture(layout, title)


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
    return layered_layout(first, _widths(first.names), also=also)


def _graph(graph: AnyGraph) -> Dag | Pdag:
    graph = getattr(graph, "dag", graph)
    return graph if isinstance(graph, Pdag) else as_dag(graph)


def _marks(graph: Dag | Pdag) -> dict[NamedEdge, bool]:
    """Edges by name, and whether each has a direction."""
    if isinstance(graph, Dag):
        return dict.fromkeys(graph.edges, True)
    return dict.fromkeys(graph.directed_edges, True) | dict.fromkeys(graph.undirected_edges, False)


def _widths(names: Sequence[str]) -> FloatArray:
    """Widths of ellipses that hold the names."""
    return np.array([max(52.0, 1.07 * text_width(shortened(name, LONGEST_NAME), NAME_SIZE) + 18) for name in names])


@dataclass(frozen=True)
class _Drawing:
    graph: Dag | Pdag
    classes: dict[NamedEdge, str]
    labels: dict[NamedEdge, str]
    highlight: frozenset[str]
    compared: bool

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
        """All edges to draw, with those that a comparison misses, and whether each has a direction."""
        own = _marks(self.graph)
        if self.compared:
            own |= {edge: isinstance(self.graph, Dag) for edge in self.classes if self.classes[edge] == "missing"}
        return own

    def missing(self) -> list[Edge]:
        return [(self._index[u], self._index[v]) for u, v in self.edges() if self.classes.get((u, v)) == "missing"]

    @property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.graph.names)}

    def strokes(self) -> dict[str, Stroke]:
        """Stroke of each class that occurs, in the order of the legend."""
        if self.compared:
            return {name: stroke for name, stroke in COMPARED.items() if name in self.classes.values()}
        return {
            name: Stroke(colour(i), 2.2, DASHES[i % len(DASHES)])
            for i, name in enumerate(dict.fromkeys(self.classes.values()))
        }

    def picture(self, layout: Layout, title: str | None) -> Picture:
        index, strokes = self._index, self.strokes()
        lines, tags = [], []
        for (u, v), directed in self.edges().items():
            curve = _curve(layout, (index[u], index[v]))
            stroke = strokes.get(self.classes.get((u, v), ""), PLAIN)
            lines.append(_line(curve, stroke, directed, f"{u} {'→' if directed else '–'} {v}"))
            if text := self.labels.get((u, v)):
                tags.append(_tag(text, _at(curve, 0.5)))
        nodes = [
            _node(name, layout.centres[i], float(layout.sizes[i, 0]), name in self.highlight)
            for name, i in index.items()
        ]
        legend, legend_width, legend_height = self._legend(strokes, layout.size[0])
        width = max(layout.size[0], legend_width) + 2 * MARGIN
        height = layout.size[1] + legend_height + 2 * MARGIN
        shifted = element("g", *lines, *nodes, *tags, transform=_shift((width - layout.size[0]) / 2, MARGIN))
        below = [element("g", *legend, transform=_shift(MARGIN, layout.size[1] + MARGIN))] if legend else []
        summary, description = self.words()
        summary = f"{title}: {summary}" if title else summary
        svg = document(width, height, shifted, *below, title=summary, description=description)
        return Picture(svg, f"{summary}. {description}", width)

    def _legend(self, strokes: Mapping[str, Stroke], limit: float) -> tuple[list[str], float, float]:
        """Chips with a piece of line, name and count of each class; they wrap at the width of the picture."""
        chips: list[str] = []
        left, top, right = 0.0, 18.0, 0.0
        for name, stroke in strokes.items():
            text = f"{name} {sum(c == name for c in self.classes.values())}"
            width = text_width(text, 12) + 56
            if left > 0 and left + width > max(limit, 240):
                left, top = 0.0, top + 30
            chips.append(_chip(text, left, top, width, stroke))
            right = max(right, left + width)
            left += width + 8
        return chips, right, top + 24 if chips else 0.0

    def words(self) -> tuple[str, str]:
        """Summary and list of edges."""
        kind = (
            "directed" if isinstance(self.graph, Dag) else "partially directed" if self.graph.directed else "undirected"
        )
        own = _marks(self.graph)
        summary = f"{kind} graph of {counted(len(self.graph), 'node')} and {counted(len(own), 'edge')}"
        if self.compared:
            summary += ", against a reference"
        parts = []
        for (u, v), directed in self.edges().items():
            mark = self.classes.get((u, v), "")
            parts.append(f"{u} {'→' if directed else '–'} {v}" + (f" ({mark})" if mark else ""))
        names = ", ".join(self.graph.names)
        return summary, f"Edges: {', '.join(parts)}." if parts else f"Nodes: {names}."


def _shift(x: float, y: float) -> str:
    return f"translate({number(x)} {number(y)})"


def _node(name: str, centre: FloatArray, width: float, marked: bool) -> str:
    x, y = centre.tolist()
    shape = element(
        "ellipse",
        cx=x,
        cy=y,
        rx=width / 2,
        ry=NODE_HEIGHT / 2,
        fill=MARKED_PAPER if marked else PAPER,
        stroke=MARKED_OUTLINE if marked else OUTLINE,
        stroke_width=2.6 if marked else 1.4,
    )
    text = label(shortened(name, LONGEST_NAME), x, y, size=NAME_SIZE, colour=INK)
    return element("g", element("title", written(name)), shape, text)


def _tag(text: str, at: FloatArray) -> str:
    """Text on a plate of its own, across its edge."""
    text = shortened(text, LONGEST_NAME)
    width = text_width(text, LABEL_SIZE) + 10
    plate = element("rect", x=at[0] - width / 2, y=at[1] - 9, width=width, height=18, rx=5, fill="#ffffff", stroke=GREY)
    return plate + label(text, float(at[0]), float(at[1]), size=LABEL_SIZE, colour=INK)


def _chip(text: str, x: float, y: float, width: float, stroke: Stroke) -> str:
    return (
        element("rect", x=x, y=y, width=width, height=24, rx=6, fill="#ffffff", stroke=GREY)
        + element(
            "line",
            x1=x + 10,
            x2=x + 38,
            y1=y + 12,
            y2=y + 12,
            stroke=stroke.colour,
            stroke_width=stroke.width,
            stroke_dasharray=stroke.dash,
        )
        + label(text, x + 46, y + 12, size=12, colour=INK, anchor="start")
    )


def _line(curve: list[FloatArray], stroke: Stroke, directed: bool, words: str) -> str:
    head = ""
    if directed:
        tip = curve[-1][3]
        curve = _until(curve, lambda p: float(np.hypot(*(p - tip))) > HEAD_LENGTH - 1)
        head = _head(curve[-1][3], tip, stroke)
    path = "M" + " ".join(map(number, curve[0][0]))
    for piece in curve:
        path += "C" + " ".join(number(c) for c in piece[1:].ravel())
    line = element(
        "path",
        d=path,
        fill="none",
        stroke=stroke.colour,
        stroke_width=stroke.width,
        stroke_dasharray=stroke.dash,
    )
    return element("g", element("title", written(words)), line, head)


def _head(base: FloatArray, tip: FloatArray, stroke: Stroke) -> str:
    along = (tip - base) / max(float(np.hypot(*(tip - base))), 1e-9)
    across = np.array([-along[1], along[0]]) * (HEAD_WIDTH + stroke.width) / 2
    back = tip - along * HEAD_LENGTH
    corners = np.array([tip, back + across, back - across])
    return element("polygon", points=" ".join(map(number, corners.ravel())), fill=stroke.colour)


def _curve(layout: Layout, edge: Edge) -> list[FloatArray]:
    """Bézier pieces of an edge from the rim of its first node to the rim of its second, each of shape (4, 2)."""
    u, v = edge
    if edge in layout.routes:
        route = layout.routes[edge]
    elif (v, u) in layout.routes:
        route = layout.routes[v, u][::-1]
    else:
        route = layout.centres[[u, v]]
    curve = _smooth(route)
    curve = _until(curve, lambda p: _outside(p, layout, v))
    return _backwards(_until(_backwards(curve), lambda p: _outside(p, layout, u)))


def _outside(point: FloatArray, layout: Layout, node: int) -> bool:
    return float((((point - layout.centres[node]) / (layout.sizes[node] / 2 + 1)) ** 2).sum()) > 1


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


def _backwards(curve: list[FloatArray]) -> list[FloatArray]:
    return [piece[::-1] for piece in reversed(curve)]


def _until(curve: list[FloatArray], clear: Callable[[FloatArray], bool]) -> list[FloatArray]:
    """Curve up to the last point that is clear of what lies at its end."""
    kept = list(curve)
    while len(kept) > 1 and not clear(kept[-1][0]):
        kept.pop()
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if clear(_point(kept[-1], middle)):
            low = middle
        else:
            high = middle
    return [*kept[:-1], _split(kept[-1], low)]


def _point(piece: FloatArray, t: float) -> FloatArray:
    weights = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    at: FloatArray = weights @ piece
    return at


def _at(curve: list[FloatArray], share: float) -> FloatArray:
    """Point at a share of the curve's pieces."""
    along = share * len(curve)
    piece = min(int(along), len(curve) - 1)
    return _point(curve[piece], along - piece)


def _split(piece: FloatArray, t: float) -> FloatArray:
    """First part of a Bézier piece, up to t (de Casteljau)."""
    corners, rest = [piece[0]], piece
    while len(rest) > 1:
        rest = (1 - t) * rest[:-1] + t * rest[1:]
        corners.append(rest[0])
    return np.array(corners)
