"""The best move of hill climbing: add, delete or reverse one edge.

Of moves of equal gain additions come first, then deletions, then reversals, then the smaller (u, v).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import compiled, inner

ADD, DELETE, REVERSE = 0, 1, 2
NONE, CYCLE = -1, -2


class Graph(NamedTuple):
    """A graph, and what each of its moves gains."""

    is_parent: np.ndarray  # (n, n) bool [v, u]: whether u -> v
    parents: np.ndarray  # (n, n) int32 parents of each node
    sizes: np.ndarray  # (n,) how many they are
    gains: np.ndarray  # (n, n) [v, u]: gain of v where u is added to its parents or removed; -inf if not allowed
    tops: np.ndarray  # (n,) greatest gain of an addition
    scores: np.ndarray  # (n,)


def empty_graph(n: int) -> Graph:
    """Graph without edges, and with unknown gains."""
    return Graph(
        np.zeros((n, n), dtype=np.bool_), np.zeros((n, n), dtype=np.int32), np.zeros(n, dtype=np.int64),
        np.empty((n, n)), np.empty(n), np.empty(n),
    )  # fmt: skip


@inner
def has(bits, v):
    """Whether a set of bits has v."""
    return (bits[v >> 6] >> np.uint64(v & 63)) & np.uint64(1) != 0


@compiled
def place(graph, v, family, values, unit):
    """Give v some parents, with the scores of the family, at v, and of all that differ by one parent; see `Graph`.

    Gains are rounded to multiples of a unit.
    """
    top, own = -np.inf, values[v]
    for i in range(graph.sizes[v]):
        graph.is_parent[v, graph.parents[v, i]] = False
    for i in range(family.shape[0]):
        graph.parents[v, i] = family[i]
        graph.is_parent[v, family[i]] = True
    graph.sizes[v], graph.scores[v] = family.shape[0], own
    for u in range(values.shape[0]):
        gain = np.rint((values[u] - own) / unit) * unit if u != v else -np.inf
        graph.gains[v, u] = gain
        if not graph.is_parent[v, u]:
            top = max(top, gain)
    graph.tops[v] = top


@compiled
def ancestors(parents, sizes, above):
    """Write the ancestors of every node as bits to `above`, shape (n, words); return whether there is no cycle."""
    n, words = above.shape
    stack, placed = np.empty(n + sizes.sum(), dtype=np.int64), np.zeros(n, dtype=np.bool_)
    for start in range(n):
        stack[0] = start
        height = 1
        while height:
            v, before = stack[height - 1], height
            for i in range(sizes[v]):
                if not placed[parents[v, i]]:
                    if height == stack.shape[0]:
                        return False
                    stack[height] = parents[v, i]
                    height += 1
            if height > before:
                continue
            height -= 1
            if placed[v]:
                continue
            placed[v] = True
            for w in range(words):
                above[v, w] = 0
            for i in range(sizes[v]):
                p = parents[v, i]
                for w in range(words):
                    above[v, w] |= above[p, w]
                above[v, p >> 6] |= np.uint64(1) << np.uint64(p & 63)
    return True


@inner
def is_tabu(u, v, pairs):
    """Whether the edge between two nodes is among some pairs."""
    for i in range(pairs.shape[0]):
        if (pairs[i, 0] == u and pairs[i, 1] == v) or (pairs[i, 0] == v and pairs[i, 1] == u):
            return True
    return False


@inner
def is_reversible(graph, above, u, v):
    """Whether u -> v can be reversed: there is no other path from u to v."""
    other = False
    for i in range(graph.sizes[v]):
        other |= has(above[graph.parents[v, i]], u)
    return not other


@compiled
def best_move(graph, pairs, aspiration, least):
    """Number of the move of greatest gain above `least`, (kind * n + u) * n + v; `NONE`, or `CYCLE` of a wrong graph.

    Moves of the edges between `pairs` of nodes need a gain above `aspiration`.
    """
    gains, n = graph.gains, graph.sizes.shape[0]
    above = np.empty((n, (n + 63) // 64), dtype=np.uint64)
    if not ancestors(graph.parents, graph.sizes, above):
        return CYCLE
    chosen, best = NONE, least
    for v in range(n):
        for i in range(2 * graph.sizes[v]):
            u, kind = np.int64(graph.parents[v, i >> 1]), DELETE + (i & 1)
            gain = gains[v, u] + (gains[u, v] if kind == REVERSE else 0.0)
            number = (kind * n + u) * n + v
            if gain < best or (gain == best and not number < chosen):
                continue
            if kind == REVERSE and not is_reversible(graph, above, u, v):
                continue
            if gain > aspiration or not is_tabu(u, v, pairs):
                chosen, best = number, gain
        if graph.tops[v] < best:
            continue
        for u in range(n):
            gain, number = gains[v, u], u * n + v
            if gain < best or (gain == best and not number < chosen) or graph.is_parent[v, u] or has(above[u], v):
                continue
            if gain > aspiration or not is_tabu(u, v, pairs):
                chosen, best = number, gain
    return chosen
