"""Pictures of influence diagrams with the usual shapes, as in figure 1 of Matuszak and Miekisz (2012).

Chance nodes are ovals, decisions rectangles, utilities diamonds (Jensen and Nielsen 2007, section 9.4).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from bnlab._runtime.names import check_known
from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.drawing import (
    LONGEST_NAME,
    NAME_SIZE,
    Curve,
    DrawnEdge,
    FloatArray,
    NamedEdge,
    Stroke,
    edge_curve,
)
from bnlab.figures.graphs.layout import Layout, layered_layout
from bnlab.figures.labels import capitalised
from bnlab.figures.picture import Picture
from bnlab.figures.svg import shortened, text_width
from bnlab.figures.theme import BLUE, GREY, INK, OCHRE, OUTLINE, PAPER, TEXT
from bnlab.graphs.dag import counted
from bnlab.networks.influence import InfluenceDiagram, decision_name

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
"""Stroke of each class of edges; those of the learned network stand out by colour, width and dashes."""
LEARNED = ("permanent", "chosen")


def influence_classes(diagram: InfluenceDiagram) -> dict[NamedEdge, str]:
    """Class of each edge of an influence diagram.

    Parameters
    ----------
    diagram : InfluenceDiagram

    Returns
    -------
    dict of (str, str) to str
        "information" for an edge into a decision, "value" into a utility, "dependence" into a chance node. In a
        diagram of structure learning, which has a decision D(X) for X, an edge X -> Y is "chosen" while D(X) may still
        choose Y, and "permanent" once it may not.

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
    """Common positions for several diagrams of the same nodes; edges of the first point down.

    Raises
    ------
    ValueError
        If there is no diagram, or the diagrams have different nodes.
    """
    if not diagrams:
        raise ValueError("no diagram to lay out: give at least one.")
    if len({diagram.names for diagram in diagrams}) > 1:
        raise ValueError("the diagrams have different nodes: one layout serves diagrams of the same nodes.")
    first, *others = diagrams
    index = {name: i for i, name in enumerate(first.names)}
    also = [(index[u], index[v]) for other in others for u, v in other.edges]
    return layered_layout(first.dag, node_widths(first), also=also)


def influence_picture(
    diagram: InfluenceDiagram,
    *,
    inactive: Collection[str] = (),
    layout: Layout | None = None,
    title: str | None = None,
) -> Picture:
    """Draw an influence diagram: ovals for chance, rectangles for decisions, diamonds for utilities.

    In a diagram of structure learning, permanent edges and current choices have classes of their own
    (`influence_classes`).

    Parameters
    ----------
    diagram : InfluenceDiagram
    inactive : collection of str
        Decisions that are no longer subject to the optimisation; they are drawn pale, with a dashed outline.
    layout : Layout, optional
        Positions, such as those of `influence_layout` for diagrams to compare.
    title : str, optional
        Start of the text alternative.

    Raises
    ------
    ValueError
        If the diagram lacks an inactive decision, or the layout has another number of nodes.

    Examples
    --------
    >>> umbrella = InfluenceDiagram(["Rain"], ["Take"], ["U"], [("Rain", "U"), ("Take", "U")], {"Take": ("yes", "no")})
    >>> influence_picture(umbrella)
    Picture(influence diagram of 1 chance node, 1 decision and 1 utility node. Edges: Rain → U, Take → U.)
    """
    for name in inactive:
        check_known(name, diagram.decision, f"cannot draw {name!r} as inactive: no such decision")
    layout = layout or influence_layout(diagram)
    if len(layout.centres) != len(diagram.names):
        raise ValueError(f"the layout has {len(layout.centres)} nodes, the diagram {len(diagram.names)}.")
    classes, index = influence_classes(diagram), {name: i for i, name in enumerate(diagram.names)}
    learned = any(kind in LEARNED for kind in classes.values())
    edges = []
    for (u, v), kind in classes.items():
        stroke = STROKES["value"] if learned and kind == "dependence" else STROKES[kind]
        note = f" ({kind})" if kind in LEARNED or kind == "information" else ""
        curve = _curve(diagram, layout, index[u], index[v])
        # Edges of the learned network are on top of those that every such diagram has.
        edges.append(DrawnEdge(u, v, curve, stroke, capitalised(kind), note, on_top=kind in LEARNED))
    shown = LEARNED if learned else [kind for kind in STROKES if kind in classes.values()]
    legend = {capitalised(kind): STROKES[kind] for kind in shown} if len(shown) > 1 else {}
    nodes = [_node(diagram, i, layout, name in inactive) for i, name in enumerate(diagram.names)]
    summary = (
        f"influence diagram of {counted(len(diagram.chance), 'chance node')}, "
        f"{counted(len(diagram.decision), 'decision')} and {counted(len(diagram.utility), 'utility node')}"
    )
    pale = ", ".join(name for name in diagram.decision if name in inactive)
    more = f" No longer active: {pale}." if pale else ""
    return drawing.picture(diagram.names, layout, nodes, edges, legend, summary, title, more)


def node_widths(diagram: InfluenceDiagram) -> FloatArray:
    """Widths of the shapes of nodes, which contain their names; a diamond needs twice the width of its text."""
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


def _curve(diagram: InfluenceDiagram, layout: Layout, u: int, v: int) -> Curve:
    """Edge from rim to rim.

    Curves end on ellipses. So each node gets an ellipse that meets the edge at the rim of the node's shape.
    """
    route = layout.route(u, v)
    route = layout.centres[[u, v]] if route is None else route
    sizes = layout.sizes.copy()
    for node, towards in ((u, route[1] - route[0]), (v, route[-2] - route[-1])):
        across = np.abs(towards) / np.maximum(sizes[node] / 2, 1e-9)
        x, y = (across / max(float(np.hypot(*across)), 1e-9)).tolist()
        rim = {"oval": 1.0, "box": max(x, y, 1e-9), "diamond": max(x + y, 1e-9)}
        sizes[node] *= 1.0 / rim[SHAPES[diagram.kind(diagram.names[node])]]
    return edge_curve(replace(layout, sizes=sizes), (u, v))


def _node(diagram: InfluenceDiagram, i: int, layout: Layout, pale: bool) -> str:
    name = diagram.names[i]
    kind = diagram.kind(name)
    look = {"fill": FILLS[kind], "stroke": OUTLINES[kind], "stroke_width": 1.4}
    if pale:
        look |= {"fill": INACTIVE, "stroke": GREY, "stroke_dasharray": "4 3"}
    words = f"{name} ({kind}{', no longer active' if pale else ''})"
    return drawing.node(name, layout, i, SHAPES[kind], look, words, "#5c5c5c" if pale else INK)
