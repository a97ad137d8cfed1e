"""Layers of a graph: edges go down, and layers that are too wide take several rows.

References
----------
E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo. A technique for drawing directed graphs. IEEE Transactions on
Software Engineering 19, 1993. A general solver solves its linear program for layers.
R. E. Tarjan, M. Yannakakis. Simple linear-time algorithms to test chordality of graphs. SIAM Journal on Computing
13, 1984 (maximum cardinality search).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np

from bnlab._runtime.interrupts import run_interruptible
from bnlab.figures.graphs.coordinates import (
    BEND_GAP,
    COLUMN,
    NODE_GAP,
    Edge,
    FloatArray,
    IntArray,
    Neighbours,
    layer_gap,
    ordered,
)

MOST_ROWS = 8
MOST_PLACES = 50_000  # nodes, bends and pieces of edges: their coordinates take up to a minute
WIDEST = 1.2  # columns that a row may always take
SMALLER = 0.85  # next width of rows that is tried, as a share


class Layers(NamedTuple):
    """Vertices in rows: first the nodes, then one for each row that an edge passes.

    Attributes
    ----------
    row_of : ndarray of int64, shape (vertices,)
    chains : dict of (int, int) to list of int
        Vertices along each edge, downwards.
    pieces : list of (int, int)
        Pairs of vertices in neighbouring rows that edges join.
    rows : list of list of int
        Vertices of each row, from left to right.
    """

    row_of: IntArray
    chains: dict[Edge, list[int]]
    pieces: list[Edge]
    rows: list[list[int]]


def ordered_layers(
    layer: IntArray,
    edges: Mapping[Edge, Edge],
    widths: FloatArray,
    before: Layers | None = None,
    origin: Sequence[int] = (),
) -> Layers:
    """Order the layers with few crossings; `edges` has the ends of each edge, the upper one first.

    With the layers `before`, their order is the start, and row k is made from their row `origin[k]`. Raises `TooLarge`.
    """
    row_of, chains, pieces = _with_bends(layer, edges)
    start = None if before is None else _earlier_order(row_of, chains, before, origin)
    return Layers(row_of, chains, pieces, ordered(row_of, pieces, widths, start))


def best_limit(layer: IntArray, edges: Mapping[Edge, Edge], sizes: FloatArray, aspect: float) -> float:
    """Width above which layers are staggered, so that a picture of this width for its height is seen at its largest.

    Layers need not be ordered yet: the number of rows depends little on the order of nodes. Raises `TooLarge`.
    """
    widths = sizes[:, 0]
    row_of, chains, pieces = _with_bends(layer, edges)
    members: list[list[int]] = [[] for _ in range(int(layer.max()) + 1)]
    for v, row in enumerate(row_of.tolist()):
        members[row].append(v)
    layers = Layers(row_of, chains, pieces, members)
    best, lowest = inf, inf
    limit = inf
    while limit > WIDEST * COLUMN:
        rows = [row for part in _split_layers(layers, widths, limit) for row in part]
        try:
            row_of = _with_bends(_rows_of(rows, len(widths)), edges)[0]
        except TooLarge:
            if limit == inf:
                raise
            break
        width = widest_row(row_of, widths)
        height = least_height(len(rows), sizes)
        if max(width, aspect * height) < lowest:
            best, lowest = limit, max(width, aspect * height)
        limit = SMALLER * min(limit, width)
    return best


def widest_row(row_of: IntArray, widths: FloatArray) -> float:
    """Width of the widest row; nodes, which have widths, come before bends."""
    rooms = np.full(len(row_of), BEND_GAP)
    rooms[: len(widths)] = widths + NODE_GAP
    return float(np.bincount(row_of, rooms).max())


def least_height(rows: int, sizes: FloatArray) -> float:
    """Height of a picture of these rows if no edge goes far to the side."""
    height = float(sizes[:, 1].mean())
    return rows * (height + layer_gap(rows, height))


def _with_bends(layer: IntArray, edges: Mapping[Edge, Edge]) -> tuple[IntArray, dict[Edge, list[int]], list[Edge]]:
    """Rows of all vertices, chains of the edges, and pieces of the chains; raises `TooLarge`."""
    rows: list[int] = layer.tolist()
    check_places(len(rows), len(edges), sum(rows[v] - rows[u] - 1 for u, v in edges.values()))
    chains: dict[Edge, list[int]] = {}
    for edge, (u, v) in edges.items():
        between = range(rows[u] + 1, rows[v])
        chains[edge] = [u, *range(len(rows), len(rows) + len(between)), v]
        rows.extend(between)
    pieces = [pair for chain in chains.values() for pair in pairwise(chain)]
    return np.array(rows, dtype=np.int64), chains, pieces


def _earlier_order(
    row_of: IntArray, chains: Mapping[Edge, list[int]], before: Layers, origin: Sequence[int]
) -> list[list[int]]:
    """Order of vertices by the places of their edges in the earlier layers."""
    known = {v: i for row in before.rows for i, v in enumerate(row)}
    place = dict.fromkeys(range(len(row_of)), 0)
    for edge, chain in chains.items():
        old = before.chains[edge]
        for v in chain:
            place[v] = known[old[origin[row_of[v]] - before.row_of[old[0]]]]
    rows: list[list[int]] = [[] for _ in origin]
    for v in sorted(place, key=place.__getitem__):
        rows[row_of[v]].append(v)
    return rows


def staggered(layers: Layers, widths: FloatArray, widest: float) -> Layers:
    """Spread layers wider than `widest` over several rows, which get their nodes in turn."""
    edges = {edge: (chain[0], chain[-1]) for edge, chain in layers.chains.items()}
    parts = _split_layers(layers, widths, widest)
    rows = [row for part in parts for row in part]
    if len(rows) == len(layers.rows):
        return layers
    origin = [k for k, part in enumerate(parts) for _ in part]
    return ordered_layers(_rows_of(rows, len(widths)), edges, widths, layers, origin)


def _split_layers(layers: Layers, widths: FloatArray, widest: float) -> list[list[list[int]]]:
    """Split each layer into rows of nodes."""
    ends = np.array([(chain[0], chain[-1]) for chain in layers.chains.values()], dtype=np.int64).reshape(-1, 2).T
    leaving, entering = (np.bincount(nodes, minlength=len(widths)) for nodes in ends)
    return [_split_layer(layer, widths + NODE_GAP, leaving, entering, widest) for layer in layers.rows]


def _rows_of(rows: Sequence[list[int]], n: int) -> IntArray:
    """Row of each node."""
    row_of = np.zeros(n, dtype=np.int64)
    for k, nodes in enumerate(rows):
        row_of[nodes] = k
    return row_of


def _split_layer(
    layer: list[int], widths: FloatArray, leaving: IntArray, entering: IntArray, widest: float
) -> list[list[int]]:
    """Split a layer into rows of nodes, as few as make it narrow enough; widths include the gaps."""
    nodes = [v for v in layer if v < len(widths)]
    passing = len(layer) - len(nodes)
    best, narrowest = [nodes], float(widths[nodes].sum()) + BEND_GAP * passing
    for count in range(2, min(MOST_ROWS, len(nodes) // 2) + 1):
        if narrowest <= widest:
            break
        # The rows get nodes in turn. Of the nodes in one turn, those with many leaving edges go to the lowest rows.
        turns = [sorted(nodes[i : i + count], key=(leaving - entering).item) for i in range(0, len(nodes), count)]
        rows = [[turn[k] for turn in turns if k < len(turn)] for k in range(count)]
        from_above = np.cumsum([0, *(leaving[row].sum() for row in rows[:-1])])
        from_below = np.cumsum([0, *(entering[row].sum() for row in rows[:0:-1])])[::-1]
        threads = BEND_GAP * (passing + from_above + from_below)
        width = float((threads + [widths[row].sum() for row in rows]).max())
        if width < 0.95 * narrowest:
            best, narrowest = rows, width
    return best


def downward_order(n: int, directed: Sequence[Edge], undirected: Sequence[Edge]) -> list[int]:
    """Order of all nodes in which directed edges go forward, by maximum cardinality search along undirected ones.

    The search directs the undirected parts of an essential graph without new colliders. In a skeleton it starts from
    the node with the most neighbours.
    """
    waiting = [0] * n
    children: Neighbours = [[] for _ in range(n)]
    beside: Neighbours = [[] for _ in range(n)]
    for u, v in directed:
        children[u].append(v)
        waiting[v] += 1
    for u, v in undirected:
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
    """Raise `TooLarge` if a picture has too many nodes, edges and bends to arrange."""
    places = nodes + edges + 2 * bends  # a bend parts an edge
    if places > MOST_PLACES:
        bent = f" with {bends:,} bends" if bends else ""
        raise TooLarge(
            f"a picture of {nodes:,} connected nodes and {edges:,} edges{bent} would take minutes to arrange: "
            "draw a part of the graph."
        )
