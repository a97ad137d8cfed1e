"""Order and coordinates of vertices whose rows are known (Gansner, Koutsofios, North and Vo 1993, sections 3 and 4).

References
----------
E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo. A technique for drawing directed graphs. IEEE Transactions on
Software Engineering 19, 1993. A general solver solves its linear program for coordinates.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.interrupts import run_interruptible

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Edge: TypeAlias = tuple[int, int]
Neighbours: TypeAlias = list[list[int]]

SWEEPS = 40
MOST_IDLE_SWEEPS = 8
LEAST_STARTS = 6
MOST_STARTS = 24
START_PIECES = 12_000  # pieces of edges in all starts together
SHAKE = 0.3  # standard deviation of a shaken place, as a share of the layer
COMPARED_PIECES = 400  # pieces of edges up to which orders are compared by length too: large programs take long
CROSSING_COST = 100.0  # of one crossing, in pixels of edges sideways

NODE_GAP = 26.0
BEND_GAP = 12.0
LAYER_GAPS = (30.0, 44.0)  # the least between layers, in tall and in low pictures
SCREEN = 620.0  # height of a low picture
SLOPE_OF_GAP = 0.12
WIDER = 1.6  # maximum gap, as a multiple of the least

# The longer an edge, the straighter.
STRAIGHTNESS = (1.0, 2.0, 8.0)
# A picture wider than a notebook's column shrinks. A pixel beyond it costs as much as `NARROWNESS` pixels of edges
# sideways.
COLUMN = 860.0
NARROWNESS = 8.0
MANY_PIECES = 1500


def ordered(
    layer_of: IntArray, pieces: Sequence[Edge], widths: FloatArray, start: list[list[int]] | None = None
) -> list[list[int]]:
    """Order the vertices of each layer from left to right, by the means of their neighbours and by exchanges.

    The first starts are depth-first searches, the others the best order so far, shaken; they are always the same. The
    best order has few crossings and short edges; for large graphs, only crossings count. With `start`, that is the only
    start. The nodes, which have widths, come before the other vertices.
    """
    above: Neighbours = [[] for _ in layer_of]
    below: Neighbours = [[] for _ in layer_of]
    for u, v in pieces:
        below[u].append(v)
        above[v].append(u)
    if start:
        return _swept_orders(start, above, below)[0]
    best: list[list[int]] = []
    lowest = inf
    rng = np.random.default_rng(0)
    starts = min(max(LEAST_STARTS, START_PIECES // max(len(pieces), 1)), MOST_STARTS)
    for k in range(starts):
        if best and k >= starts / 2:
            first = [_shaken(layer, rng) for layer in best]
        else:  # downwards and upwards in turn, over the vertices in order, then shuffled
            order = range(len(layer_of)) if k < 2 else rng.permutation(len(layer_of)).tolist()
            first = _first_order(layer_of, order, *((above, below) if k % 2 else (below, above)))
        layers, crossings = _swept_orders(first, above, below)
        if crossings == 0 and not best:
            return layers
        cost = CROSSING_COST * crossings
        if cost >= lowest:
            continue
        if len(pieces) <= COMPARED_PIECES:
            x = across(layers, pieces, widths)
            cost += sum(abs(x[u] - x[v]) for u, v in pieces)
        if cost < lowest:
            best, lowest = layers, cost
        if crossings == 0:
            break
    return best


def _first_order(layer_of: IntArray, order: Sequence[int], onward: Neighbours, back: Neighbours) -> list[list[int]]:
    """Order of a depth-first search from the vertices that nothing leads to."""
    layers: list[list[int]] = [[] for _ in range(int(layer_of.max()) + 1)]
    seen = [False] * len(layer_of)
    for start in order:
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


def _shaken(layer: list[int], rng: np.random.Generator) -> list[int]:
    """Layer whose vertices have moved a little."""
    places = np.arange(len(layer)) + rng.normal(0, SHAKE * len(layer), len(layer))
    return [layer[i] for i in np.argsort(places)]


def _swept_orders(layers: list[list[int]], above: Neighbours, below: Neighbours) -> tuple[list[list[int]], int]:
    """Sweep down and up until the crossings no longer decrease: the best order, and its crossings."""
    place = [0] * len(above)
    for layer in layers:
        _set_places(layer, place)
    best, fewest = [layer[:] for layer in layers], _count_crossings(layers, below, place)
    idle = 0
    for sweep in range(SWEEPS):
        if fewest == 0 or idle == MOST_IDLE_SWEEPS:
            break
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            _sort_by_mean(layer, above if down else below, place)
        # Some sweeps also exchange vertices without a gain, to leave orders that no single exchange improves.
        if sweep % 4 >= 2:
            _exchange(layers, above, below, place, min_gain=0)
        _exchange(layers, above, below, place)
        crossings = _count_crossings(layers, below, place)
        idle += 1
        if crossings < fewest:
            best, fewest, idle = [layer[:] for layer in layers], crossings, 0
    return best, fewest


def _set_places(layer: list[int], place: list[int]) -> None:
    for i, v in enumerate(layer):
        place[v] = i


def _sort_by_mean(layer: list[int], neighbours: Neighbours, place: list[int]) -> None:
    """Sort by the mean places of the neighbours; a vertex without neighbours keeps its place."""
    means = {v: sum(place[w] for w in near) / len(near) for v in layer if (near := neighbours[v])}
    movable = iter(sorted(means, key=means.__getitem__))
    layer[:] = [next(movable) if v in means else v for v in layer]
    _set_places(layer, place)


def _exchange(
    layers: list[list[int]], above: Neighbours, below: Neighbours, place: list[int], min_gain: int = 1
) -> None:
    """Swap adjacent vertices while that removes crossings; with `min_gain` 0, once where it adds none."""
    for layer in layers:
        known: dict[Edge, int] = {}  # gains of pairs, which the places in this layer do not change
        improved = True
        while improved:
            improved = False
            for i in range(len(layer) - 1):
                v, w = pair = layer[i], layer[i + 1]
                if pair not in known:
                    known[pair] = _gain(above[v], above[w], place) + _gain(below[v], below[w], place)
                if known[pair] >= min_gain:
                    layer[i], layer[i + 1] = w, v
                    place[w], place[v] = i, i + 1
                    improved = min_gain > 0


def _gain(of_left: list[int], of_right: list[int], place: list[int]) -> int:
    """Crossings removed by a swap of two adjacent vertices, from the neighbours of the left and the right one."""
    if len(of_left) == 1 == len(of_right):  # as most bends have
        a, b = place[of_left[0]], place[of_right[0]]
        return (a > b) - (a < b)
    return sum((place[a] > place[b]) - (place[a] < place[b]) for a in of_left for b in of_right)


def _count_crossings(layers: list[list[int]], below: Neighbours, place: list[int]) -> int:
    """Count inversions among the lower ends of edges, sorted from left to right by their upper ends."""
    crossings = 0
    for layer in layers[:-1]:
        passed: list[int] = []
        for end in (end for v in layer for end in sorted(place[w] for w in below[v])):
            crossings += len(passed) - bisect_right(passed, end)
            insort(passed, end)
    return crossings


def across(layers: list[list[int]], pieces: Sequence[Edge], widths: FloatArray, room: float = COLUMN) -> FloatArray:
    """Find x of every vertex: the straightest edges that keep order and gaps. Nodes, which have widths, come first."""
    n_nodes = len(widths)
    widths = np.concatenate([widths, np.zeros(sum(map(len, layers)) - n_nodes)])
    if not pieces:
        return np.zeros(len(widths))
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    def gap(u: int, v: int) -> float:
        return float(widths[u] + widths[v]) / 2 + (NODE_GAP if min(u, v) < n_nodes else BEND_GAP)

    pairs = np.array(pieces)
    weights = np.array(STRAIGHTNESS)[(pairs >= n_nodes).sum(axis=1)]
    beside = [pair for layer in layers for pair in pairwise(layer)]
    left, right = np.array(beside, dtype=np.int64).reshape(-1, 2).T
    last = np.array([layer[-1] for layer in layers])
    n, m = len(widths), len(pairs)
    # Each row says: a[low] + distance <= a[high] (+ the length of the edge), where a holds x, lengths and the width.
    low = np.concatenate([*pairs.T, left, last])
    high = np.concatenate([*pairs.T[::-1], right, np.full(len(layers), n + m)])
    distance = np.concatenate([np.zeros(2 * m), [gap(u, v) for u, v in beside], widths[last] / 2])
    rows = np.arange(len(low))
    columns = np.concatenate([low, high, np.tile(n + np.arange(m), 2)])
    entries = np.repeat([1.0, -1.0, -1.0], [len(low), len(low), 2 * m])
    at = (np.concatenate([rows, rows, rows[: 2 * m]]), columns)
    cost, least = np.concatenate([np.zeros(n), weights, [NARROWNESS]]), [*widths / 2, *np.zeros(m), room]
    program = {"c": cost, "A_ub": csr_array((entries, at), shape=(len(low), n + m + 1)), "b_ub": -distance}
    program["bounds"] = [(bound, None) for bound in least]
    if m > MANY_PIECES:
        program = _with_equations(program, n, m)
    x: FloatArray = run_interruptible(linprog, **program).x[:n]
    _balance(x, layers, list(zip(pieces, weights.tolist(), strict=True)), gap)
    return x


def _with_equations(program: dict[str, Any], n: int, m: int) -> dict[str, Any]:
    """The same program for n vertices and m pieces, but with two lengths for a piece: to the right and to the left.

    An equation replaces the two rows of a piece. Large programs take a third of the time, by the interior point
    method. Where several solutions are optimal, it may find another one.
    """
    from scipy.sparse import csr_array, eye_array, hstack

    rows, others = program["A_ub"][:m], program["A_ub"][2 * m :]
    return {
        "c": np.concatenate([program["c"][:n], program["c"][n:-1], program["c"][n:]]),
        "A_eq": hstack([rows[:, :n], -eye_array(m), eye_array(m), csr_array((m, 1))]).tocsr(),
        "b_eq": np.zeros(m),
        "A_ub": hstack([others[:, :n], csr_array((others.shape[0], 2 * m)), others[:, -1:]]).tocsr(),
        "b_ub": program["b_ub"][2 * m :],
        "bounds": [*program["bounds"][:-1], *program["bounds"][n:]],
        "method": "highs-ipm",
    }


def _balance(
    x: FloatArray,
    layers: list[list[int]],
    pieces: Sequence[tuple[Edge, float]],
    gap: Callable[[int, int], float],
) -> None:
    """Move each vertex to the middle of the places that are equally good for it, as between two children."""
    pulls: list[list[tuple[int, float]]] = [[] for _ in x]
    for (u, v), weight in pieces:
        pulls[u].append((v, weight))
        pulls[v].append((u, weight))
    for _ in range(3):
        for layer in layers:
            for i, v in enumerate(layer):
                low, high = _medians(sorted((x[w], weight) for w, weight in pulls[v]))
                if i > 0:
                    low = max(low, x[layer[i - 1]] + gap(layer[i - 1], v))
                if i + 1 < len(layer):
                    high = min(high, x[layer[i + 1]] - gap(v, layer[i + 1]))
                if low < high:
                    x[v] = (low + high) / 2


def _medians(pulls: list[tuple[float, float]]) -> tuple[float, float]:
    """Interval of the weighted medians of sorted values."""
    totals = list(accumulate(weight for _, weight in pulls))
    i = bisect_left(totals, totals[-1] / 2)
    return pulls[i][0], pulls[i + (totals[i] == totals[-1] / 2)][0]


def layer_gap(layers: int, height: float) -> float:
    """Least gap between layers of nodes of this height."""
    return min(max(SCREEN / layers - height, LAYER_GAPS[0]), LAYER_GAPS[1])


def down(layer_of: IntArray, pieces: Sequence[Edge], x: FloatArray, heights: FloatArray) -> FloatArray:
    """Find y of every vertex; layers are further apart where edges go far to the side."""
    tallest = np.zeros(int(layer_of.max()) + 1)
    np.maximum.at(tallest, layer_of, heights)
    least = layer_gap(len(tallest), float(tallest.mean()))
    gaps = np.full(len(tallest) - 1, least)
    for u, v in pieces:
        at = layer_of[u]
        gaps[at] = max(gaps[at], min(SLOPE_OF_GAP * abs(x[u] - x[v]), WIDER * least))
    y: FloatArray = (np.concatenate([[0.0], np.cumsum(gaps + tallest[:-1])]) + tallest / 2)[layer_of]
    return y
