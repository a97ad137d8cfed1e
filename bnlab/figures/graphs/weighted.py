"""Pictures of small weighted graphs on a ring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.drawing import BOW, DrawnEdge, NamedEdge, Stroke, between_rims, bow
from bnlab.figures.graphs.layout import Layout
from bnlab.figures.picture import Picture
from bnlab.figures.theme import GREY
from bnlab.graphs.checks import checked_names
from bnlab.graphs.dag import counted

SIDE = 150.0  # between neighbours on the ring
TAG_AT = 0.3  # nearer to the source, so that the tags of crossing edges stay apart
UNCLASSED = Stroke(GREY, 1.1)


def weighted_picture(
    names: Sequence[str],
    weights: Mapping[NamedEdge, object],
    *,
    directed: bool = True,
    classes: Mapping[NamedEdge, str] | None = None,
) -> Picture:
    """Draw a small graph on a ring, each edge with its weight.

    Parameters
    ----------
    names : sequence of str
        Nodes, clockwise.
    weights : mapping of (str, str) to anything with a text
        The edges; between two nodes there may be one each way.
    directed : bool
        Whether edges have arrow heads.
    classes : mapping of (str, str) to str, optional
        Classes of some edges, each drawn alike and listed in a legend; the other edges are thin.

    Raises
    ------
    ValueError
        If an edge has a node that is not in `names` or joins a node to itself, or a class is of no edge.

    Examples
    --------
    >>> weighted_picture("AB", {("A", "B"): 10, ("B", "A"): 9})
    Picture(weighted directed graph of 2 nodes and 2 edges. Edges: A → B 10, B → A 9.)
    """
    names, classes = checked_names(names), dict(classes or {})
    drawing.check_named(names, weights, nodes=[name for edge in weights for name in edge], of_edges=classes)
    layout = _ring(names)
    strokes = drawing.strokes(classes.values(), width=2.6)
    edges = []
    for (u, v), weight in weights.items():
        if u == v:
            raise ValueError(f"edge {u} -> {v}: an edge joins two nodes.")
        kind = classes.get((u, v), "")
        i, j = names.index(u), names.index(v)
        piece = bow(layout.centres[i], layout.centres[j], BOW if (v, u) in weights else 0.0)
        curve, note = between_rims([piece], layout, i, j), f" {weight}" + (f" ({kind})" if kind else "")
        look = (curve, strokes.get(kind, UNCLASSED), kind, note, str(weight), TAG_AT)
        # Edges with a class are on top of the others.
        edges.append(DrawnEdge(u, v, *look, directed=directed, on_top=(u, v) in classes))
    graph = "directed graph" if directed else "undirected graph"
    summary = f"weighted {graph} of {counted(len(names), 'node')} and {counted(len(weights), 'edge')}"
    return drawing.picture(names, layout, drawing.ellipses(names, layout), edges, strokes, summary)


def _ring(names: tuple[str, ...]) -> Layout:
    n = len(names)
    sizes = drawing.node_sizes(names, {})
    radius = SIDE / (2 * np.sin(np.pi / n)) if n > 1 else 0.0
    # An odd ring has a node at its top, an even one a level edge.
    angles = -np.pi / 2 - (np.pi / n if n % 2 == 0 else 0.0) + 2 * np.pi * np.arange(n) / n
    stretch = 1 + max(0.0, float(sizes[:, 0].max()) - 60) / 300
    centres = radius * np.column_stack([stretch * np.cos(angles), np.sin(angles)])
    # Room for the bows of the outermost edges, and for their tags.
    low = (centres - sizes / 2).min(axis=0) - (BOW, BOW)
    high = (centres + sizes / 2).max(axis=0) + (BOW, BOW)
    return Layout(centres - low, sizes, {}, (float(high[0] - low[0]), float(high[1] - low[1])))
