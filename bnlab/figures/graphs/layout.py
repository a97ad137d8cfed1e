"""Layered coordinates of a graph, edges pointing down (Sugiyama, Tagawa and Toda 1981; Gansner et al. 1993).

References
----------
K. Sugiyama, S. Tagawa, M. Toda. Methods for visual understanding of hierarchical system structures. IEEE
Transactions on Systems, Man and Cybernetics 11, 1981.
E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo. A technique for drawing directed graphs. IEEE Transactions on
Software Engineering 19, 1993.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from bnlab.figures.graphs.coordinates import COLUMN, NODE_GAP, SCREEN, FloatArray, across, down
from bnlab.figures.graphs.coordinates import Edge as Edge
from bnlab.figures.graphs.layers import (
    WIDEST,
    best_limit,
    downward_order,
    least_height,
    ordered_layers,
    shortest_layers,
    staggered,
    widest_row,
)
from bnlab.graphs import Dag, Pdag
from bnlab.graphs.dag import counted

NODE_HEIGHT = 36.0
COMPONENT_GAP = 34.0
CHAIN_GAP = 64.0  # room for an edge and its label
ASPECT = 1.9
TALL = 750.0  # pixels
NAME_SHARE = 0.75  # smallest size of a name, as a share of its size in its node


@dataclass(frozen=True, eq=False)
class Layout:
    """Where nodes and edges of a graph are drawn; x to the right, y down, in pixels.

    Attributes
    ----------
    centres : ndarray of float64, shape (n, 2)
    sizes : ndarray of float64, shape (n, 2)
        Width and height of each node.
    routes : mapping of (int, int) to ndarray of float64, shape (points, 2)
        For each edge, from the centre of its first to the centre of its second node, by way of its bends.
    size : tuple of float
        Width and height of the picture; the first node from the left or from the top touches 0.
    """

    centres: FloatArray
    sizes: FloatArray
    routes: Mapping[Edge, FloatArray]
    size: tuple[float, float]

    def __repr__(self) -> str:
        """Counts and size."""
        width, height = self.size
        edges = counted(len(self.routes), "edge")
        return f"Layout({counted(len(self.centres), 'node')}, {edges}, {width:.0f} x {height:.0f})"

    def route(self, u: int, v: int) -> FloatArray | None:
        """Route of an edge from u to v, or that from v to u in reverse; None if there is neither."""
        if (u, v) in self.routes:
            return self.routes[u, v]
        return self.routes[v, u][::-1] if (v, u) in self.routes else None


def layered_layout(
    graph: Dag | Pdag,
    widths: ArrayLike = 80.0,
    heights: ArrayLike = NODE_HEIGHT,
    *,
    also: Iterable[Edge] = (),
) -> Layout:
    """Coordinates for a graph: parents above children, few crossings, long edges straight.

    A chain of nodes goes from left to right if it fits into a column of text. The same graph always gets the same
    coordinates.

    Parameters
    ----------
    graph : Dag or Pdag
    widths, heights : array_like of float, shape (n,) or ()
        Size of each node, in pixels.
    also : iterable of (int, int)
        Further pairs of nodes to route, regardless of direction, such as the edges of a second graph.

    Raises
    ------
    ValueError
        If the graph would take minutes to arrange, as some thousands of connected nodes and edges do.

    Examples
    --------
    >>> layout = layered_layout(Dag.from_edges("XYZ", [("X", "Z"), ("Y", "Z")]))
    >>> layout
    Layout(3 nodes, 2 edges, 186 x 116)
    >>> layout.centres[:, 1]
    array([18., 18., 98.])
    """
    if isinstance(graph, Pdag):
        directed, undirected = sorted(graph.directed), sorted(graph.undirected)
    else:
        directed, undirected = [(u, v) for v, parents in enumerate(graph.parents) for u in parents], []
    known = {frozenset(edge) for edge in directed + undirected}
    for edge in also:
        if frozenset(edge) not in known:
            known.add(frozenset(edge))
            undirected.append(edge)
    n = len(graph)
    if n == 0:
        return Layout(np.empty((0, 2)), np.empty((0, 2)), {}, (0.0, 0.0))
    boxes = np.column_stack([np.broadcast_to(np.asarray(sizes, dtype=np.float64), n) for sizes in (widths, heights)])
    rank = {v: i for i, v in enumerate(downward_order(n, directed, undirected))}
    downward = {edge: edge if rank[edge[0]] < rank[edge[1]] else edge[::-1] for edge in directed + undirected}
    components = _components(n, downward)
    layout = _packed([(nodes, _component(nodes, downward, boxes)) for nodes in components], boxes)
    if len(components) == 1 and _is_chain(layout):
        level = _level(layout)
        return level if level.size[0] <= WIDEST * COLUMN else layout
    return layout


def _is_chain(layout: Layout) -> bool:
    """Whether every node has a row of its own, and every edge goes to the next row."""
    rows = len(np.unique(layout.centres[:, 1]))
    return rows == len(layout.centres) and all(len(route) == 2 for route in layout.routes.values())


def _level(chain: Layout) -> Layout:
    """Layout of a chain from left to right."""
    order, (widths, heights) = np.argsort(chain.centres[:, 1]), chain.sizes.T
    ends = np.cumsum(widths[order] + CHAIN_GAP) - CHAIN_GAP
    centres = np.full_like(chain.centres, heights.max() / 2)
    centres[order, 0] = ends - widths[order] / 2
    routes = {edge: centres[[*edge]] for edge in chain.routes}
    return Layout(centres, chain.sizes, routes, (float(ends[-1]), float(heights.max())))


def _components(n: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Nodes of each connected component, ascending."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    u, v = np.array([*edges], dtype=np.int64).reshape(-1, 2).T
    _, labels = connected_components(coo_array((np.ones(len(u)), (u, v)), shape=(n, n)), directed=False)
    ends = np.cumsum(np.bincount(labels))[:-1]
    return [part.tolist() for part in np.split(np.argsort(labels, kind="stable"), ends)]


def _component(nodes: list[int], downward: Mapping[Edge, Edge], boxes: FloatArray) -> Layout:
    """Layout of one connected component; routes go from the first to the second node of each edge."""
    local = {node: i for i, node in enumerate(nodes)}
    edges = {edge: (local[down[0]], local[down[1]]) for edge, down in downward.items() if edge[0] in local}
    sizes = boxes[nodes]
    layer, of_nodes = shortest_layers(len(nodes), list(edges.values())), sizes[:, 0]
    limit = best_limit(layer, edges, sizes, ASPECT)
    layers = staggered(ordered_layers(layer, edges, of_nodes), of_nodes, limit)
    widths, heights = np.zeros((2, len(layers.row_of)))
    widths[: len(nodes)], heights[: len(nodes)] = sizes.T
    height = least_height(len(layers.rows), sizes)
    # All of a tall picture is seen small, but names keep their size: nodes take the room at their sides.
    room = ASPECT * height if height > TALL else COLUMN
    spread = min(room / widest_row(layers.row_of, of_nodes), NAME_SHARE * height / SCREEN) if height > TALL else 1.0
    x = across(layers.rows, layers.pieces, of_nodes * max(spread, 1.0), room)
    x -= (x - widths / 2).min()
    y = down(layers.row_of, layers.pieces, x, heights)
    points = np.column_stack([x, y])
    routes = {
        edge: points[chain] if local[edge[0]] == chain[0] else points[chain[::-1]]
        for edge, chain in layers.chains.items()
    }
    size = (float((x + widths / 2).max()), float((points[:, 1] + heights / 2).max()))
    return Layout(points[: len(nodes)], sizes, routes, size)


def _packed(parts: Sequence[tuple[list[int], Layout]], boxes: FloatArray) -> Layout:
    """Components on shelves, the largest first, in a picture wider than it is high.

    Single nodes take free places in the rows of the largest component.
    """
    parts = sorted(parts, key=lambda part: -len(part[0]))
    places = _free_places(parts[0][1], boxes[[part[0][0] for part in parts[1:] if len(part[0]) == 1]])
    sizes = [part.size for _, part in parts]
    area = sum((width + COMPONENT_GAP) * (height + COMPONENT_GAP) for width, height in sizes)
    limit = max([sqrt(area * ASPECT), *(width for width, _ in sizes)])
    centres = np.zeros_like(boxes)
    routes: dict[Edge, FloatArray] = {}
    left = top = shelf = right = 0.0
    for nodes, part in parts:
        if places and len(nodes) == 1:
            centres[nodes] = places.pop(0)
            continue
        width, height = part.size
        if left > 0 and left + width > limit:
            left, top, shelf = 0.0, top + shelf + COMPONENT_GAP, 0.0
        centres[nodes] = part.centres + (left, top)
        routes |= {edge: route + (left, top) for edge, route in part.routes.items()}
        right, shelf = max(right, left + width), max(shelf, height)
        left += width + COMPONENT_GAP
    return Layout(centres, boxes, routes, (right, top + shelf))


def _free_places(layout: Layout, sizes: FloatArray) -> list[FloatArray]:
    """Centres for further nodes in the rows of a layout, beside its nodes and edges, as many as there is room for."""
    low = layout.centres - layout.sizes / 2
    # The boxes of short pieces of an edge are close to it.
    lines = [
        np.column_stack([np.interp(np.arange(0, len(route) - 0.9, 0.1), range(len(route)), x) for x in route.T])
        for route in layout.routes.values()
    ]
    pieces = [np.sort([line[:-1], line[1:]], axis=0) for line in lines]
    taken = np.concatenate([[low, low + layout.sizes], *pieces], axis=1)  # corners of boxes, shape (2, boxes, 2)
    places: list[FloatArray] = []
    for size in sizes:
        for top in np.unique(low[:, 1]).tolist():
            corner = np.array([0.0, top])
            beside = (taken[0, :, 1] < top + size[1] + NODE_GAP) & (taken[1, :, 1] + NODE_GAP > top)
            for start, end in sorted(taken[:, beside, 0].T.tolist()):
                if start - NODE_GAP >= corner[0] + size[0]:
                    break
                corner[0] = max(corner[0], end + NODE_GAP)
            if (corner + size <= layout.size).all():
                break
        else:
            break
        places.append(corner + size / 2)
        taken = np.concatenate([taken, [[corner], [corner + size]]], axis=1)
    return places
