"""Layers of a graph: edges go down, and a layer that would be too wide takes several rows.

References
----------
E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo. A technique for drawing directed graphs. IEEE Transactions on
Software Engineering 19, 1993. Its linear program for layers is solved as such.
R. E. Tarjan, M. Yannakakis. Simple linear-time algorithms to test chordality of graphs. SIAM Journal on Computing
13, 1984 (maximum cardinality search).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from bnlab._runtime.interrupts import run_interruptible
from bnlab.figures.graphs.coordinates import Edge, FloatArray, IntArray, Neighbours, ordered

MOST_ROWS = 8
MOST_PLACES = 50_000  # of nodes, bends and pieces of edges: their coordinates are found in a minute
THREAD = 18.0  # room for an edge that passes between the nodes of a row


@dataclass(frozen=True, eq=False)
class Layers:
    """Vertices in rows: the nodes first, then one for each row that an edge passes.

    Attributes
    ----------
    row_of : ndarray of int64, shape (vertices,)
    chains : dict of (int, int) to list of int
        Vertices along each edge, downwards.
    rows : list of list of int
        Vertices of each row, from left to right.
    """

    row_of: IntArray
    chains: dict[Edge, list[int]]
    rows: list[list[int]]

    @classmethod
    def ordered(cls, layer: IntArray, edges: Mapping[Edge, Edge]) -> Layers:
        """Order the layers with few crossings; edges are given with their ends in downward order; may be `TooLarge`."""
        chains, row_of = _with_bends(edges, layer)
        layers = cls(row_of, chains, [])
        return replace(layers, rows=ordered(row_of, layers.pieces))

    @property
    def pieces(self) -> list[Edge]:
        """Pairs of vertices in neighbouring rows that edges join."""
        return [pair for chain in self.chains.values() for pair in pairwise(chain)]


def staggered(layers: Layers, widths: FloatArray, widest: float) -> Layers:
    """Spread layers wider than `widest` over several rows, in which nodes take turns; widths include the gaps."""
    ends = np.zeros((2, len(widths)), dtype=np.int64)
    for chain in layers.chains.values():
        ends[0, chain[0]] += 1
        ends[1, chain[-1]] += 1
    shares = [_shared(layer, widths, ends, widest) for layer in layers.rows]
    if all(len(share) == 1 for share in shares):
        return layers
    first = np.concatenate([[0], np.cumsum([len(share) for share in shares])])
    row_of = np.zeros(len(widths), dtype=np.int64)
    for at, share in zip(first, shares, strict=False):
        for k, nodes in enumerate(share):
            row_of[nodes] = at + k
    edges = {edge: (chain[0], chain[-1]) for edge, chain in layers.chains.items()}
    chains, rows_of_all = _with_bends(edges, row_of)
    places = _places(layers, chains, first, row_of)
    rows: list[list[int]] = [[] for _ in range(int(first[-1]))]
    for vertex in sorted(range(len(rows_of_all)), key=places.__getitem__):
        rows[rows_of_all[vertex]].append(vertex)
    return Layers(rows_of_all, chains, rows)


def _shared(layer: list[int], widths: FloatArray, ends: IntArray, widest: float) -> list[list[int]]:
    """Nodes of each of the rows that a layer is to take, as many as make it narrow."""
    nodes = [v for v in layer if v < len(widths)]
    passing = len(layer) - len(nodes)
    best, narrowest = [nodes], float(widths[nodes].sum()) + THREAD * passing
    for count in range(2, min(MOST_ROWS, len(nodes) // 2) + 1):
        if narrowest <= widest:
            break
        rows = _dealt(nodes, count, ends[0] - ends[1])
        width = max(_width(rows, k, widths, ends) for k in range(count)) + THREAD * passing
        if width < 0.95 * narrowest:
            best, narrowest = rows, width
    return best


def _dealt(nodes: list[int], count: int, leaving: IntArray) -> list[list[int]]:
    """Deal nodes to rows in turn; of those dealt together, what many edges leave goes to the lowest row."""
    dealt = [sorted(nodes[i : i + count], key=leaving.__getitem__) for i in range(0, len(nodes), count)]
    return [[together[k] for together in dealt if k < len(together)] for k in range(count)]


def _width(rows: list[list[int]], k: int, widths: FloatArray, ends: IntArray) -> float:
    """Width of one of the rows, with the edges that pass it to and from the others."""
    leaving = sum(int(ends[0][nodes].sum()) for nodes in rows[:k])
    entering = sum(int(ends[1][nodes].sum()) for nodes in rows[k + 1 :])
    return float(widths[rows[k]].sum() + THREAD * (leaving + entering))


def _places(
    layers: Layers, chains: Mapping[Edge, list[int]], first: IntArray, row_of: IntArray
) -> dict[int, tuple[int, int]]:
    """Key that sorts the vertices of a row: where what they stand for is in its layer, then where it leads."""
    place = {vertex: i for layer in layers.rows for i, vertex in enumerate(layer)}
    places = {vertex: (place[vertex], 0) for vertex in range(len(row_of))}
    layer_at = np.searchsorted(first, np.arange(first[-1]), side="right") - 1
    for edge, chain in chains.items():
        old = layers.chains[edge]
        top, start = int(layers.row_of[old[0]]), int(row_of[chain[0]])
        for step, vertex in enumerate(chain[1:-1], 1):
            i = int(layer_at[start + step]) - top
            beyond = old[1] if i == 0 else old[-2] if i == len(old) - 1 else old[i]
            places[vertex] = (place[old[i]], place[beyond])
    return places


def _with_bends(edges: Mapping[Edge, Edge], row_of: IntArray) -> tuple[dict[Edge, list[int]], IntArray]:
    """Vertices along each edge, its ends and one new one for each row between them; and the rows of all vertices."""
    rows: list[int] = row_of.tolist()
    check_places(len(rows), len(edges), sum(rows[v] - rows[u] - 1 for u, v in edges.values()))
    chains: dict[Edge, list[int]] = {}
    for edge, (u, v) in edges.items():
        between = range(rows[u] + 1, rows[v])
        chains[edge] = [u, *range(len(rows), len(rows) + len(between)), v]
        rows.extend(between)
    return chains, np.array(rows, dtype=np.int64)


def downward_order(n: int, directed: Sequence[Edge], loose: Sequence[Edge]) -> list[int]:
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


def shortest_layers(n: int, edges: Sequence[Edge]) -> IntArray:
    """Layers of least total length of edges, each at least 1 long (Gansner et al. 1993, section 2)."""
    check_places(n, len(edges))
    if not edges:
        return np.zeros(n, dtype=np.int64)
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    pairs = np.array(edges)
    rows = np.arange(len(pairs))
    entries = np.concatenate([np.ones(len(pairs)), -np.ones(len(pairs))])
    longer = csr_array((entries, (np.tile(rows, 2), pairs.T.ravel())), shape=(len(pairs), n))
    lengths = -np.asarray(longer.sum(axis=0)).ravel()
    solved = run_interruptible(linprog, lengths, A_ub=longer, b_ub=-np.ones(len(pairs)), bounds=(0, n))
    layers = np.rint(solved.x).astype(np.int64)
    return np.asarray(layers - layers.min())


class TooLarge(ValueError):
    """A graph that would take minutes to arrange."""


def check_places(nodes: int, edges: int, bends: int = 0) -> None:
    """Raise `TooLarge` with the numbers that make a picture too large to arrange."""
    places = nodes + edges + 2 * bends  # a bend parts an edge
    if places > MOST_PLACES:
        bent = f" with {bends:,} bends" if bends else ""
        raise TooLarge(
            f"a picture of {nodes:,} connected nodes and {edges:,} edges{bent} would take minutes to arrange: "
            "draw a part of the graph."
        )
