"""Order of the vertices in each layer, with few crossings (Gansner, Koutsofios, North and Vo 1993, section 3).

References
----------
E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo. A technique for drawing directed graphs. IEEE Transactions on
Software Engineering 19, 1993.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Edge: TypeAlias = tuple[int, int]
Neighbours: TypeAlias = list[list[int]]

SWEEPS = 24
PATIENCE = 5


def ordered(layer_of: NDArray[np.int64], pieces: Sequence[Edge]) -> list[list[int]]:
    """Vertices of each layer from left to right, by weighted medians and exchanges."""
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
