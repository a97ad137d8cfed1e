"""Pictures of influence diagrams in the field's shapes, as figure 1 of Matuszak and Miekisz (2012).

Chance nodes are ovals, decisions rectangles, utilities diamonds (Jensen and Nielsen 2007, section 9.4).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.drawing import LONGEST_NAME, NAME_SIZE, FloatArray, NamedEdge, Stroke
from bnlab.figures.graphs.layout import NODE_HEIGHT, Edge, Layout, layered_layout
from bnlab.figures.graphs.network import edge_curve
from bnlab.figures.picture import Picture
from bnlab.figures.svg import element, label, shortened, text_width, written
from bnlab.figures.theme import BLUE, GREY, INK, OCHRE, OUTLINE, PAPER, TEXT
from bnlab.graphs.dag import counted
from bnlab.networks.influence import KINDS, InfluenceDiagram, decision_name

SHAPES = {"chance": "oval", "decision": "box", "utility": "diamond"}
FILLS = {"chance": PAPER, "decision": "#fff1d6", "utility": "#e2f4ec"}
OUTLINES = {"chance": OUTLINE, "decision": "#a86b00", "utility": "#1a6f56"}
INACTIVE = "#f1f1f1"

STROKES = {
    "permanent": Stroke(BLUE, 2.8),
    "chosen": Stroke(OCHRE, 2.6, "7 4"),
    "dependence": Stroke(TEXT),
    "information": Stroke(TEXT, 1.4, "2 4"),
    "value": Stroke(GREY, 1.1),
}
"""How each class of edges is drawn: those of the network that is learned stand out by colour, width and dashes."""
LEARNED = ("permanent", "chosen")


def influence_classes(diagram: InfluenceDiagram) -> dict[NamedEdge, str]:
    """Tell apart the edges of an influence diagram.

    Parameters
    ----------
    diagram : InfluenceDiagram

    Returns
    -------
    dict of (str, str) to str
        "information" for an edge into a decision, "value" into a utility, "dependence" into a chance node; but where
        the diagram is one of structure learning, with a decision D(X) for X, an edge X -> Y is "chosen" while D(X)
        may still choose Y, and "permanent" once it may not.

    Examples
    --------
    >>> from bnlab.networks.influence import structure_learning_diagram
    >>> diagram = structure_learning_diagram("ABC", permanent=[("A", "C")], choices=[("B", "C")])
    >>> classes = influence_classes(diagram)
    >>> classes["A", "C"], classes["B", "C"], classes["D(A)", "A"], classes["A", "U"]
    ('permanent', 'chosen', 'dependence', 'value')
    """
    return {edge: _class(diagram, *edge) for edge in diagram.edges}


def influence_layout(*diagrams: InfluenceDiagram) -> Layout:
    """Positions for several diagrams of the same nodes, after the edges of the first.

    Raises
    ------
    ValueError
        If there is no diagram, or the diagrams have different nodes.
    """
    if not diagrams:
        raise ValueError("no diagram to lay out: give at least one.")
    first, *others = diagrams
    index = {name: i for i, name in enumerate(first.names)}
    also = []
    for other in others:
        if other.names != first.names:
            raise ValueError("the diagrams have different nodes: one layout serves diagrams of the same nodes.")
        also += [(index[u], index[v]) for u, v in other.edges]
    return layered_layout(first.dag, node_widths(first), also=also)


def influence_picture(
    diagram: InfluenceDiagram,
    *,
    inactive: Collection[str] = (),
    layout: Layout | None = None,
    title: str | None = None,
) -> Picture:
    """Draw an influence diagram: ovals for chance, rectangles for decisions, diamonds for utilities.

    In a diagram of structure learning the permanent edges and the present choices are told apart (`influence_classes`).

    Parameters
    ----------
    diagram : InfluenceDiagram
    inactive : collection of str
        Decisions that are no longer subject to the optimisation; they are drawn pale, with a dashed outline.
    layout : Layout, optional
        Positions, such as `influence_layout` of diagrams that are to be compared by eye.
    title : str, optional
        Begins the text alternative.

    Raises
    ------
    ValueError
        If an inactive decision is none of the diagram's, or the layout is of another number of nodes.

    Examples
    --------
    >>> umbrella = InfluenceDiagram(["Rain"], ["Take"], ["U"], [("Rain", "U"), ("Take", "U")], {"Take": ("yes", "no")})
    >>> influence_picture(umbrella)
    Picture(influence diagram of 1 chance node, 1 decision and 1 utility node. Edges: Rain → U, Take → U.)
    """
    for name in inactive:
        if name not in diagram.decision:
            raise ValueError(f"cannot draw {name!r} as inactive: no such decision; {nearest(name, diagram.decision)}")
    layout = layout or influence_layout(diagram)
    if len(layout.centres) != len(diagram.names):
        raise ValueError(f"the layout has {len(layout.centres)} nodes, the diagram {len(diagram.names)}.")
    return _Drawing(diagram, influence_classes(diagram), frozenset(inactive), layout).picture(title)


def node_widths(diagram: InfluenceDiagram) -> FloatArray:
    """Widths of the nodes' shapes that hold their names; a diamond needs twice its text."""
    widths = drawing.widths(diagram.names)
    for i, name in enumerate(diagram.names):
        text = text_width(shortened(name, LONGEST_NAME), NAME_SIZE)
        if diagram.kind(name) == "decision":
            widths[i] = max(44.0, text + 18)
        elif diagram.kind(name) == "utility":
            widths[i] = max(64.0, 2 * text + 18)
    return widths


def _class(diagram: InfluenceDiagram, u: str, v: str) -> str:
    if v in diagram.decision:
        return "information"
    if v in diagram.utility:
        return "value"
    options = diagram.options.get(decision_name(u))
    if u in diagram.decision or options is None:
        return "dependence"
    return "chosen" if v in options else "permanent"


@dataclass(frozen=True)
class _Drawing:
    diagram: InfluenceDiagram
    classes: dict[NamedEdge, str]
    inactive: frozenset[str]
    layout: Layout

    def picture(self, title: str | None) -> Picture:
        learned = any(found in LEARNED for found in self.classes.values())
        # Edges of the network last, on top of those that every such diagram has.
        edges = sorted(self.classes, key=lambda edge: self.classes[edge] in LEARNED)
        index = {name: i for i, name in enumerate(self.diagram.names)}
        lines = [
            drawing.line(self._curve(index[u], index[v]), self._stroke((u, v), learned), True, f"{u} → {v}")
            for u, v in edges
        ]
        nodes = [self._node(name, i) for name, i in index.items()]
        shown = {name: STROKES[name] for name in STROKES if name in self.classes.values()}
        if learned:
            shown = {name: STROKES[name] for name in LEARNED}
        legend = drawing.Legend(shown if len(shown) > 1 else {}, list(self.classes.values()))
        summary, description = self.words()
        summary = f"{title}: {summary}" if title else summary
        return drawing.picture([*lines, *nodes], self.layout, legend, summary, description)

    def words(self) -> tuple[str, str]:
        """Summary and list of edges."""
        chance, decision, utility = (len(getattr(self.diagram, kind)) for kind in KINDS)
        summary = (
            f"influence diagram of {counted(chance, 'chance node')}, {counted(decision, 'decision')} "
            f"and {counted(utility, 'utility node')}"
        )
        parts = [
            f"{u} → {v}" + (f" ({found})" if found in LEARNED or found == "information" else "")
            for (u, v), found in self.classes.items()
        ]
        description = f"Edges: {', '.join(parts)}." if parts else f"Nodes: {', '.join(self.diagram.names)}."
        if self.inactive:
            description += f" No longer active: {', '.join(n for n in self.diagram.decision if n in self.inactive)}."
        return summary, description

    def _stroke(self, edge: NamedEdge, learned: bool) -> Stroke:
        found = self.classes[edge]
        return STROKES["value"] if learned and found == "dependence" else STROKES[found]

    def _curve(self, u: int, v: int) -> list[FloatArray]:
        """Edge from rim to rim.

        Curves end on ellipses, so each end gets the ellipse that meets the rim of its node's shape where the edge does.
        """
        sizes = self.layout.sizes.copy()
        for node, towards in zip((u, v), self._directions((u, v)), strict=True):
            sizes[node] *= self._stretch(self.diagram.names[node], towards / np.maximum(sizes[node] / 2, 1e-9))
        return edge_curve(replace(self.layout, sizes=sizes), (u, v))

    def _directions(self, edge: Edge) -> tuple[FloatArray, FloatArray]:
        """Where the edge leaves its first and reaches its second node, seen from their centres."""
        u, v = edge
        route = self.layout.routes.get(edge)
        if route is None and (v, u) in self.layout.routes:
            route = self.layout.routes[v, u][::-1]
        if route is None:
            route = self.layout.centres[[u, v]]
        return route[1] - route[0], route[-2] - route[-1]

    def _stretch(self, name: str, towards: FloatArray) -> float:
        """Size of the ellipse through a point of a shape's rim, in units of the ellipse in the shape's box."""
        x, y = np.abs(towards) / max(float(np.hypot(*towards)), 1e-9)
        match SHAPES[self.diagram.kind(name)]:
            case "box":
                return 1.0 / max(float(x), float(y), 1e-9)
            case "diamond":
                return 1.0 / max(float(x + y), 1e-9)
        return 1.0

    def _node(self, name: str, i: int) -> str:
        kind = self.diagram.kind(name)
        pale = name in self.inactive
        text = shortened(name, LONGEST_NAME)
        x, y = self.layout.centres[i].tolist()
        look = {
            "fill": INACTIVE if pale else FILLS[kind],
            "stroke": GREY if pale else OUTLINES[kind],
            "stroke_width": 1.4,
            "stroke_dasharray": "4 3" if pale else None,
        }
        shape = _shape(SHAPES[kind], x, y, float(self.layout.sizes[i, 0]), look)
        words = f"{name} ({kind}{', no longer active' if pale else ''})"
        return element(
            "g",
            element("title", written(words)),
            shape,
            label(text, x, y, size=NAME_SIZE, colour="#5c5c5c" if pale else INK),
        )


def _shape(shape: str, x: float, y: float, width: float, look: dict[str, object]) -> str:
    a, b = width / 2, NODE_HEIGHT / 2
    if shape == "box":
        return element("rect", x=x - a, y=y - b, width=width, height=NODE_HEIGHT, rx=3, **look)
    if shape == "diamond":
        return element("polygon", points=f"{x:g},{y - b:g} {x + a:g},{y:g} {x:g},{y + b:g} {x - a:g},{y:g}", **look)
    return element("ellipse", cx=x, cy=y, rx=a, ry=b, **look)
