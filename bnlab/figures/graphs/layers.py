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
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bnlab._runtime.interrupts import run_interruptible
from bnlab.figures.graphs.coordinates import NODE_GAP, Edge, FloatArray, IntArray, Neighbours, ordered

MOST_ROWS = 8
MOST_PLACES = 50_000  # of nodes, bends and pieces of edges: their coordinates are found in a minute
THREAD = 18.0  # room for an edge that passes between the nodes of a row


class Layers(NamedTuple):
    """Vertices in rows: the nodes first, then one for each row that an edge passes.

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
    """Order the layers with few crossings; edges are given with their ends in downward order; may be `TooLarge`.

    With the layers `before`, from which each layer originates, their order is the start.
    """
    row_of, chains, pieces = _with_bends(layer, edges)
    start = None if before is None else _as_before(row_of, chains, before, origin)
    return Layers(row_of, chains, pieces, ordered(row_of, pieces, widths, start))


def check_rows(layer: IntArray, edges: Mapping[Edge, Edge], widths: FloatArray, widest: float) -> None:
    """Raise `TooLarge` before layers are ordered, if the rows that `staggered` makes of them as they are have too much.

    Another order of the nodes in a layer changes little in how many rows it is spread over.
    """
    row_of, chains, pieces = _with_bends(layer, edges)
    rows: list[list[int]] = [[] for _ in range(int(layer.max()) + 1)]
    for v, row in enumerate(row_of.tolist()):
        rows[row].append(v)
    shared = _all_shared(Layers(row_of, chains, pieces, rows), widths, widest)
    _with_bends(_rows_of([row for part in shared for row in part], len(widths)), edges)


def _with_bends(layer: IntArray, edges: Mapping[Edge, Edge]) -> tuple[IntArray, dict[Edge, list[int]], list[Edge]]:
    """Rows of all vertices, the chains of the edges, and the pieces of these; may be `TooLarge`."""
    rows: list[int] = layer.tolist()
    check_places(len(rows), len(edges), sum(rows[v] - rows[u] - 1 for u, v in edges.values()))
    chains: dict[Edge, list[int]] = {}
    for edge, (u, v) in edges.items():
        between = range(rows[u] + 1, rows[v])
        chains[edge] = [u, *range(len(rows), len(rows) + len(between)), v]
        rows.extend(between)
    pieces = [pair for chain in chains.values() for pair in pairwise(chain)]
    return np.array(rows, dtype=np.int64), chains, pieces


def _as_before(
    row_of: IntArray, chains: Mapping[Edge, list[int]], before: Layers, origin: Sequence[int]
) -> list[list[int]]:
    """Order of vertices by the places that their edges had in the layers from which their rows originate."""
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
    """Spread layers wider than `widest` over several rows, in which nodes take turns."""
    edges = {edge: (chain[0], chain[-1]) for edge, chain in layers.chains.items()}
    shared = _all_shared(layers, widths, widest)
    rows = [row for part in shared for row in part]
    if len(rows) == len(layers.rows):
        return layers
    origin = [k for k, part in enumerate(shared) for _ in part]
    return ordered_layers(_rows_of(rows, len(widths)), edges, widths, layers, origin)


def _all_shared(layers: Layers, widths: FloatArray, widest: float) -> list[list[list[int]]]:
    """Nodes of each of the rows that each layer is to take."""
    ends = np.array([(chain[0], chain[-1]) for chain in layers.chains.values()], dtype=np.int64).reshape(-1, 2).T
    leaving, entering = (np.bincount(nodes, minlength=len(widths)) for nodes in ends)
    return [_shared(layer, widths + NODE_GAP, leaving, entering, widest) for layer in layers.rows]


def _rows_of(rows: Sequence[list[int]], n: int) -> IntArray:
    """Row of each node."""
    row_of = np.zeros(n, dtype=np.int64)
    for k, nodes in enumerate(rows):
        row_of[nodes] = k
    return row_of


def _shared(
    layer: list[int], widths: FloatArray, leaving: IntArray, entering: IntArray, widest: float
) -> list[list[int]]:
    """Nodes of each of the rows that a layer is to take, as many as make it narrow; widths include the gaps."""
    nodes = [v for v in layer if v < len(widths)]
    passing = len(layer) - len(nodes)
    best, narrowest = [nodes], float(widths[nodes].sum()) + THREAD * passing
    for count in range(2, min(MOST_ROWS, len(nodes) // 2) + 1):
        if narrowest <= widest:
            break
        # Dealt in turn; of those dealt together, what many edges leave goes to the lowest row.
        dealt = [sorted(nodes[i : i + count], key=(leaving - entering).item) for i in range(0, len(nodes), count)]
        rows = [[together[k] for together in dealt if k < len(together)] for k in range(count)]
        from_above = np.cumsum([0, *(leaving[row].sum() for row in rows[:-1])])
        from_below = np.cumsum([0, *(entering[row].sum() for row in rows[:0:-1])])[::-1]
        threads = THREAD * (passing + from_above + from_below)
        width = float((threads + [widths[row].sum() for row in rows]).max())
        if width < 0.95 * narrowest:
            best, narrowest = rows, width
    return best


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
