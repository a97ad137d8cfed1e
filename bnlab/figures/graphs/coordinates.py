"""Coordinates of vertices whose layers and orders are known (Gansner, Koutsofios, North and Vo 1993, section 4).

References
----------
E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo. A technique for drawing directed graphs. IEEE Transactions on
Software Engineering 19, 1993. Its linear program for coordinates is solved as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.interrupts import run_interruptible
from bnlab.figures.graphs.ordering import Edge

FloatArray: TypeAlias = NDArray[np.float64]

NODE_GAP = 26.0
BEND_GAP = 18.0
LAYER_GAP = 44.0
SLOPE_OF_GAP = 0.12

# The longer an edge, the straighter.
STRAIGHTNESS = (1.0, 2.0, 8.0)
# Wider than a notebook's column, a picture shrinks: a pixel beyond it weighs as much as an edge going aside by so many.
COLUMN = 860.0
NARROWNESS = 8.0


def across(layers: list[list[int]], pieces: Sequence[Edge], widths: FloatArray, n_nodes: int) -> FloatArray:
    """Find x of every vertex: straightest edges that keep order and gaps."""
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
    solved = run_interruptible(
        linprog,
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


def down(layer_of: NDArray[np.int64], pieces: Sequence[Edge], x: FloatArray, heights: FloatArray) -> FloatArray:
    """Find y of every vertex; layers are further apart where edges go far to the side."""
    gaps = np.full(int(layer_of.max()), LAYER_GAP)
    for u, v in pieces:
        at = layer_of[u]
        gaps[at] = max(gaps[at], min(SLOPE_OF_GAP * abs(x[u] - x[v]), 2 * LAYER_GAP))
    tallest = np.zeros(len(gaps) + 1)
    np.maximum.at(tallest, layer_of, heights)
    y: FloatArray = (np.concatenate([[0.0], np.cumsum(gaps + tallest[:-1])]) + tallest / 2)[layer_of]
    return y
