"""Layered coordinates of a graph, edges pointing down (Sugiyama, Tagawa and Toda 1981; Gansner et al. 1993).

References
----------
K. Sugiyama, S. Tagawa, M. Toda. Methods for visual understanding of hierarchical system structures. IEEE
Transactions on Systems, Man and Cybernetics 11, 1981.
E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo. A technique for drawing directed graphs. IEEE Transactions on
Software Engineering 19, 1993. Its two linear programs, for layers and for coordinates, are solved as such.
R. E. Tarjan, M. Yannakakis. Simple linear-time algorithms to test chordality of graphs. SIAM Journal on Computing
13, 1984 (maximum cardinality search).
"""

from __future__ import annotations

import heapq
from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab.graphs import Dag, Pdag
from bnlab.graphs.dag import counted

FloatArray: TypeAlias = NDArray[np.float64]
Edge: TypeAlias = tuple[int, int]
Neighbours: TypeAlias = list[list[int]]

NODE_HEIGHT = 36.0
NODE_GAP = 26.0
BEND_GAP = 18.0
LAYER_GAP = 44.0
SLOPE_OF_GAP = 0.12
COMPONENT_GAP = 34.0
ASPECT = 1.9
SWEEPS = 24
PATIENCE = 5

# Gansner et al. 1993, section 4: the longer an edge, the straighter.
STRAIGHTNESS = (1.0, 2.0, 8.0)
# Wider than a notebook's column, a picture shrinks: a pixel beyond it weighs as much as an edge going aside by so many.
COLUMN = 860.0
NARROWNESS = 8.0


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
        Width and height of the whole; the node furthest to the left or top touches 0.
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


def layered_layout(graph: Dag | Pdag, widths: ArrayLike = 80.0, *, also: Iterable[Edge] = ()) -> Layout:
    """Coordinates for a graph: parents above children, few crossings, long edges straight.

    The same graph always gets the same coordinates.

    Parameters
    ----------
    graph : Dag or Pdag
    widths : array_like of float, shape (n,) or ()
        Width of each node.
    also : iterable of (int, int)
        Pairs of nodes to route as well, whose direction is not to count, such as edges of a second graph.

    Examples
    --------
    >>> layout = layered_layout(Dag.from_edges("XYZ", [("X", "Z"), ("Y", "Z")]))
    >>> layout
    Layout(3 nodes, 2 edges, 186 x 116)
    >>> layout.centres[:, 1]
    array([18., 18., 98.])
    """
    if isinstance(graph, Pdag):
        directed, loose = sorted(graph.directed), sorted(graph.undirected)
    else:
        directed, loose = [(u, v) for v, parents in enumerate(graph.parents) for u in parents], []
    known = {frozenset(edge) for edge in directed + loose}
    for edge in also:
        if frozenset(edge) not in known:
            known.add(frozenset(edge))
            loose.append(edge)
    n = len(graph)
    boxes = np.column_stack([np.broadcast_to(np.asarray(widths, dtype=np.float64), n), np.full(n, NODE_HEIGHT)])
    rank = {v: i for i, v in enumerate(_downward_order(n, directed, loose))}
    downward = {edge: edge if rank[edge[0]] < rank[edge[1]] else edge[::-1] for edge in directed + loose}
    return _packed([_component(nodes, downward, boxes) for nodes in _components(n, downward.values())], boxes)


def crossings(layout: Layout) -> int:
    """Count the pairs of edges that cross, as polygons through their bends."""
    routes = list(layout.routes.values())
    pieces = np.array([(*a, *b) for route in routes for a, b in pairwise(route)])
    if len(pieces) == 0:
        return 0
    start, end = pieces[:, None, :2], pieces[:, None, 2:]
    side_of_start, side_of_end = _side(start, end, pieces[None, :, :2]), _side(start, end, pieces[None, :, 2:])
    apart = side_of_start * side_of_end < -1e-6
    return int(np.triu(apart & apart.T).sum())


def _side(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
    side: FloatArray = (b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (
        p[..., 0] - a[..., 0]
    )
    return side


def _downward_order(n: int, directed: Sequence[Edge], loose: Sequence[Edge]) -> list[int]:
    """Order of all nodes in which directed edges go forward; loose ones by maximum cardinality search.

    The search turns the undirected parts of an essential graph into directions that add no collider, and takes a
    skeleton from its busiest node outwards.
    """
    waiting = [0] * n
    children: Neighbours = [[] for _ in range(n)]
    beside: Neighbours = [[] for _ in range(n)]
    for u, v in directed:
        children[u].append(v)
        waiting[v] += 1
    for u, v in loose:
        beside[u].append(v)
        beside[v].append(u)
    reached = [0] * n
    ready = [(0, -len(beside[v]), v) for v in range(n) if waiting[v] == 0]
    heapq.heapify(ready)
    order: list[int] = []
    placed = [False] * n
    while ready:
        _, _, u = heapq.heappop(ready)
        if placed[u]:
            continue
        placed[u] = True
        order.append(u)
        for v in children[u]:
            waiting[v] -= 1
        for v in beside[u]:
            reached[v] += 1
        for v in children[u] + beside[u]:
            if waiting[v] == 0 and not placed[v]:
                heapq.heappush(ready, (-reached[v], -len(beside[v]), v))
    return order


def _components(n: int, edges: Iterable[Edge]) -> list[list[int]]:
    neighbours: Neighbours = [[] for _ in range(n)]
    for u, v in edges:
        neighbours[u].append(v)
        neighbours[v].append(u)
    found: list[list[int]] = []
    seen = [False] * n
    for start in range(n):
        if seen[start]:
            continue
        seen[start] = True
        members, stack = [start], [start]
        while stack:
            for v in neighbours[stack.pop()]:
                if not seen[v]:
                    seen[v] = True
                    members.append(v)
                    stack.append(v)
        found.append(sorted(members))
    return found


@dataclass(frozen=True, eq=False)
class _Part:
    """One connected component, drawn from (0, 0)."""

    nodes: list[int]
    centres: FloatArray
    routes: dict[Edge, FloatArray]
    size: tuple[float, float]


def _component(nodes: list[int], downward: Mapping[Edge, Edge], boxes: FloatArray) -> _Part:
    local = {node: i for i, node in enumerate(nodes)}
    edges = {edge: (local[down[0]], local[down[1]]) for edge, down in downward.items() if edge[0] in local}
    layer = _layers(len(nodes), list(edges.values()))
    chains = _chains(edges, layer)
    layer_of = np.concatenate([layer, *(layer[chain[0]] + np.arange(1, len(chain) - 1) for chain in chains.values())])
    pieces = [pair for chain in chains.values() for pair in pairwise(chain)]
    layers = _ordered(layer_of, pieces)
    widths = np.zeros(len(layer_of))
    widths[: len(nodes)] = boxes[nodes, 0]
    x = _across(layers, pieces, widths, len(nodes))
    x -= (x - widths / 2).min()
    points = np.column_stack([x, _down(layer_of, pieces, x)])
    routes = {
        edge: points[chain] if down == (local[edge[0]], local[edge[1]]) else points[chain[::-1]]
        for (edge, down), chain in zip(edges.items(), chains.values(), strict=True)
    }
    size = (float((x + widths / 2).max()), float(points[:, 1].max() + NODE_HEIGHT / 2))
    return _Part(nodes, points[: len(nodes)], routes, size)


def _layers(n: int, edges: Sequence[Edge]) -> NDArray[np.int64]:
    """Layers of least total length of edges, each edge at least 1 long (Gansner et al. 1993, section 2)."""
    if not edges:
        return np.zeros(n, dtype=np.int64)
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    pairs = np.array(edges)
    rows = np.arange(len(pairs))
    entries = np.concatenate([np.ones(len(pairs)), -np.ones(len(pairs))])
    longer = csr_array((entries, (np.tile(rows, 2), pairs.T.ravel())), shape=(len(pairs), n))
    lengths = -np.asarray(longer.sum(axis=0)).ravel()
    solved = linprog(lengths, A_ub=longer, b_ub=-np.ones(len(pairs)), bounds=(0, n))
    layers = np.rint(solved.x).astype(np.int64)
    return np.asarray(layers - layers.min())


def _chains(edges: Mapping[Edge, Edge], layer: NDArray[np.int64]) -> dict[Edge, list[int]]:
    """Vertices along each edge: its ends, and between them one new vertex a layer."""
    free = len(layer)
    chains: dict[Edge, list[int]] = {}
    for edge, (u, v) in edges.items():
        bends = int(layer[v] - layer[u]) - 1
        chains[edge] = [u, *range(free, free + bends), v]
        free += bends
    return chains


def _ordered(layer_of: NDArray[np.int64], pieces: Sequence[Edge]) -> list[list[int]]:
    """Vertices of each layer from left to right, by weighted medians and exchanges (Gansner et al. 1993, section 3)."""
    above: Neighbours = [[] for _ in layer_of]
    below: Neighbours = [[] for _ in layer_of]
    for u, v in pieces:
        below[u].append(v)
        above[v].append(u)
    best: list[list[int]] = []
    fewest = -1
    for first, second in ((below, above), (above, below)):
        layers = _first_order(layer_of, first, second)
        layers, crossed = _swept(layers, above, below)
        if fewest < 0 or crossed < fewest:
            best, fewest = layers, crossed
    return best


def _first_order(layer_of: NDArray[np.int64], onward: Neighbours, back: Neighbours) -> list[list[int]]:
    """Order of a depth-first search from the vertices that nothing leads to."""
    layers: list[list[int]] = [[] for _ in range(int(layer_of.max()) + 1)]
    seen = [False] * len(layer_of)
    for start in range(len(layer_of)):
        if back[start]:
            continue
        stack = [start]
        while stack:
            u = stack.pop()
            if not seen[u]:
                seen[u] = True
                layers[layer_of[u]].append(u)
                stack.extend(reversed(onward[u]))
    return layers


def _swept(layers: list[list[int]], above: Neighbours, below: Neighbours) -> tuple[list[list[int]], int]:
    place = [0] * len(above)
    for layer in layers:
        _number(layer, place)
    best, fewest = [layer[:] for layer in layers], _crossed(layers, below, place)
    idle = 0
    for sweep in range(SWEEPS):
        if fewest == 0 or idle == PATIENCE:
            break
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            _sort_by_median(layer, above if down else below, place)
        _exchange(layers, above, below, place)
        crossed = _crossed(layers, below, place)
        idle += 1
        if crossed < fewest:
            best, fewest, idle = [layer[:] for layer in layers], crossed, 0
    return best, fewest


def _number(layer: list[int], place: list[int]) -> None:
    for i, v in enumerate(layer):
        place[v] = i


def _sort_by_median(layer: list[int], neighbours: Neighbours, place: list[int]) -> None:
    """Sort by the neighbours' medians; a vertex without neighbours keeps its place."""
    medians = [_median(sorted(place[w] for w in neighbours[v])) for v in layer]
    movable = iter(v for _, v in sorted((m, v) for m, v in zip(medians, layer, strict=True) if m >= 0))
    layer[:] = [v if m < 0 else next(movable) for m, v in zip(medians, layer, strict=True)]
    _number(layer, place)


def _median(places: list[int]) -> float:
    """Median that leans to the side where places are closer together; -1 when there are none."""
    if not places:
        return -1.0
    middle = len(places) // 2
    if len(places) % 2:
        return float(places[middle])
    if len(places) == 2:
        return sum(places) / 2
    left, right = places[middle - 1] - places[0], places[-1] - places[middle]
    if left + right == 0:
        return (places[middle - 1] + places[middle]) / 2
    return (places[middle - 1] * right + places[middle] * left) / (left + right)


def _exchange(layers: list[list[int]], above: Neighbours, below: Neighbours, place: list[int]) -> None:
    """Swap neighbours in a layer as long as that removes crossings."""
    for layer in layers:
        improved = True
        while improved:
            improved = False
            for i in range(len(layer) - 1):
                v, w = layer[i], layer[i + 1]
                if _gain(above[v], above[w], place) + _gain(below[v], below[w], place) > 0:
                    layer[i], layer[i + 1] = w, v
                    place[w], place[v] = i, i + 1
                    improved = True


def _gain(of_left: list[int], of_right: list[int], place: list[int]) -> int:
    """Crossings that go when the left vertex, whose neighbours come first, changes places with the right one."""
    gain = 0
    for a in of_left:
        for b in of_right:
            gain += (place[a] > place[b]) - (place[a] < place[b])
    return gain


def _crossed(layers: list[list[int]], below: Neighbours, place: list[int]) -> int:
    """Count crossings: inversions among the lower ends of edges, taken from left to right by their upper ends."""
    crossed = 0
    for layer in layers[:-1]:
        passed: list[int] = []
        for v in layer:
            ends = sorted(place[w] for w in below[v])
            for end in ends:
                crossed += len(passed) - bisect_right(passed, end)
            for end in ends:
                insort(passed, end)
    return crossed


def _across(layers: list[list[int]], pieces: Sequence[Edge], widths: FloatArray, n_nodes: int) -> FloatArray:
    """Find x of every vertex: straightest edges that keep order and gaps (Gansner et al. 1993, section 4)."""
    if not pieces:
        return np.zeros(len(widths))
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    pairs = np.array(pieces)
    weights = np.array(STRAIGHTNESS)[(pairs >= n_nodes).sum(axis=1)]
    beside = np.array([p for layer in layers for p in pairwise(layer)], dtype=np.int64)
    beside = beside.reshape(-1, 2)
    last = np.array([layer[-1] for layer in layers])
    n, m = len(widths), len(pairs)
    stretch, right = n + np.arange(m), np.full(len(layers), n + m)
    # Each row says: a[low] + distance <= a[high] (+ the length of the edge), where a holds x, lengths and the width.
    low = np.concatenate([pairs[:, 0], pairs[:, 1], beside[:, 0], last])
    high = np.concatenate([pairs[:, 1], pairs[:, 0], beside[:, 1], right])
    distance = np.concatenate([np.zeros(2 * m), _gaps(beside, widths, n_nodes), widths[last] / 2])
    rows = np.arange(len(low))
    columns = np.concatenate([low, high, stretch, stretch])
    entries = np.repeat([1.0, -1.0, -1.0], [len(low), len(low), 2 * m])
    constraints = csr_array(
        (entries, (np.concatenate([rows, rows, rows[: 2 * m]]), columns)), shape=(len(low), n + m + 1)
    )
    least = np.concatenate([widths / 2, np.zeros(m), [COLUMN]])
    solved = linprog(
        np.concatenate([np.zeros(n), weights, [NARROWNESS]]),
        A_ub=constraints,
        b_ub=-distance,
        bounds=np.column_stack([least, np.full(n + m + 1, np.inf)]),
    )
    x: FloatArray = solved.x[:n]
    _balance(x, layers, pairs, weights, widths, n_nodes)
    return x


def _gaps(beside: NDArray[np.int64], widths: FloatArray, n_nodes: int) -> FloatArray:
    space = np.where((beside < n_nodes).any(axis=1), NODE_GAP, BEND_GAP)
    gaps: FloatArray = widths[beside].sum(axis=1) / 2 + space
    return gaps


def _balance(
    x: FloatArray,
    layers: list[list[int]],
    pairs: NDArray[np.int64],
    weights: FloatArray,
    widths: FloatArray,
    n_nodes: int,
) -> None:
    """Move each vertex to the middle of the places that are equally good for it, as between two children."""
    pulls: list[list[tuple[int, float]]] = [[] for _ in x]
    for (u, v), weight in zip(pairs.tolist(), weights.tolist(), strict=True):
        pulls[u].append((v, weight))
        pulls[v].append((u, weight))
    for _ in range(3):
        for layer in layers:
            for i, v in enumerate(layer):
                low, high = _flat(sorted((x[w], weight) for w, weight in pulls[v]))
                if i > 0:
                    low = max(low, x[layer[i - 1]] + _gap(layer[i - 1], v, widths, n_nodes))
                if i + 1 < len(layer):
                    high = min(high, x[layer[i + 1]] - _gap(v, layer[i + 1], widths, n_nodes))
                if low < high:
                    x[v] = (low + high) / 2


def _gap(u: int, v: int, widths: FloatArray, n_nodes: int) -> float:
    return float(_gaps(np.array([[u, v]]), widths, n_nodes)[0])


def _flat(pulls: list[tuple[float, float]]) -> tuple[float, float]:
    """Interval of the weighted medians."""
    half = sum(weight for _, weight in pulls) / 2
    low = high = pulls[-1][0]
    total = 0.0
    for i, (at, weight) in enumerate(pulls):
        total += weight
        if total >= half:
            low = at
            high = pulls[i + 1][0] if total == half and i + 1 < len(pulls) else at
            break
    return low, high


def _down(layer_of: NDArray[np.int64], pieces: Sequence[Edge], x: FloatArray) -> FloatArray:
    """Find y of every vertex; layers are further apart where edges go far to the side."""
    steps = np.full(int(layer_of.max()), LAYER_GAP)
    for u, v in pieces:
        at = layer_of[u]
        steps[at] = max(steps[at], min(SLOPE_OF_GAP * abs(x[u] - x[v]), 2 * LAYER_GAP))
    y: FloatArray = np.concatenate([[0.0], np.cumsum(steps + NODE_HEIGHT)])[layer_of] + NODE_HEIGHT / 2
    return y


def _packed(parts: list[_Part], boxes: FloatArray) -> Layout:
    """Components on shelves, the largest first, in a picture wider than it is high."""
    parts = sorted(parts, key=lambda part: -len(part.nodes))
    area = sum((part.size[0] + COMPONENT_GAP) * (part.size[1] + COMPONENT_GAP) for part in parts)
    limit = max([float(np.sqrt(area * ASPECT)), *(part.size[0] for part in parts)])
    centres = np.zeros_like(boxes)
    routes: dict[Edge, FloatArray] = {}
    left = top = shelf = right = 0.0
    for part in parts:
        if left > 0 and left + part.size[0] > limit:
            left, top, shelf = 0.0, top + shelf + COMPONENT_GAP, 0.0
        centres[part.nodes] = part.centres + (left, top)
        routes |= {edge: route + (left, top) for edge, route in part.routes.items()}
        right, shelf = max(right, left + part.size[0]), max(shelf, part.size[1])
        left += part.size[0] + COMPONENT_GAP
    return Layout(centres, boxes, routes, (right, top + shelf))
