"""Meek's rules: the directions that follow from some directions of a partially directed graph.

References
----------
C. Meek. Causal inference and causal explanation with background knowledge. UAI 1995.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations
from typing import NamedTuple, TypeAlias

from bnlab.graphs.paths import reachable

Pair: TypeAlias = tuple[int, int]


class Orientation(NamedTuple):
    """Edges of a partially directed graph as pairs of indices.

    Attributes
    ----------
    arrows : frozenset of (int, int)
        (u, v) for u -> v.
    lines : frozenset of (int, int)
        Undirected edges (i, j), i < j.
    conflicts : frozenset of (int, int)
        Edges (i, j), i < j, that would be directed both ways, or lie on a directed cycle.
    """

    arrows: frozenset[Pair]
    lines: frozenset[Pair]
    conflicts: frozenset[Pair]


def oriented(n: int, lines: Iterable[Pair], arrows: Iterable[Pair], kept: Collection[Pair] = ()) -> Orientation:
    """Direct lines by Meek's rules until nothing follows; contradictions become conflicts and decide nothing.

    Parameters
    ----------
    n : int
        Number of nodes.
    lines, arrows : iterables of (int, int)
        Undirected edges and directed ones; of an edge that is among both, or among the arrows both ways, the directions
        count.
    kept : collection of (int, int)
        Arrows that a cycle makes conflicts only if it has no others.

    Notes
    -----
    A line a - b becomes a -> b by one of four rules: (1) c -> a, c and b not joined; (2) a -> c -> b; (3) a - c -> b
    and a - d -> b, c and d not joined; (4) a - c -> d -> b and a joined to d, c and b not joined. All directions that
    follow at once are made at once, so that the result does not depend on the order of the nodes.

    Examples
    --------
    >>> oriented(3, [(0, 1), (1, 2)], [(0, 1)]).arrows == {(0, 1), (1, 2)}
    True
    >>> oriented(2, [], [(0, 1), (1, 0)]).conflicts
    frozenset({(0, 1)})
    """
    given = set(arrows)
    graph = _Mixed(n, given | set(lines))
    left = {_sorted(pair) for pair in lines} - {_sorted(pair) for pair in given}
    for u, v in left:
        graph.lines[u].add(v)
        graph.lines[v].add(u)
    conflicts: set[Pair] = set()
    following = given
    while following:
        new = {(a, b) for a, b in following if (b, a) not in following}
        conflicts |= {_sorted(pair) for pair in following - new}
        for a, b in following:
            graph.lines[a].discard(b)
            graph.lines[b].discard(a)
        for a, b in new:
            graph.children[a].add(b)
            graph.parents[b].add(a)
        cyclic = graph.cyclic()
        for a, b in cyclic - set(kept) or cyclic:
            graph.children[a].discard(b)
            graph.parents[b].discard(a)
            conflicts.add(_sorted((a, b)))
        following = {(a, b) for a in range(n) for b in graph.lines[a] if graph.follows(a, b)}
    found = {(a, b) for a in range(n) for b in graph.children[a]}
    rest = {(a, b) for a in range(n) for b in graph.lines[a] if a < b}
    return Orientation(frozenset(found), frozenset(rest), frozenset(conflicts))


class _Mixed:
    """Neighbours of each node by kind; `near` are all of them, whatever the kind."""

    def __init__(self, n: int, edges: Iterable[Pair]) -> None:
        self.near: list[set[int]] = [set() for _ in range(n)]
        self.lines: list[set[int]] = [set() for _ in range(n)]
        self.parents: list[set[int]] = [set() for _ in range(n)]
        self.children: list[set[int]] = [set() for _ in range(n)]
        for u, v in edges:
            self.near[u].add(v)
            self.near[v].add(u)

    def follows(self, a: int, b: int) -> bool:
        """Whether a - b is a -> b by one of the rules."""
        if self.parents[a] - self.near[b] or self.children[a] & self.parents[b]:
            return True
        into = self.near[a] & self.parents[b]
        if any(d not in self.near[c] for c, d in combinations(into & self.lines[a], 2)):
            return True
        return any(self.parents[d] & self.lines[a] - self.near[b] for d in into)

    def cyclic(self) -> set[Pair]:
        """Arrows that lie on a directed cycle."""
        below = [set(reachable(self.children, [v])) if self.children[v] else set() for v in range(len(self.near))]
        return {(u, v) for u, own in enumerate(self.children) for v in own if u in below[v]}


def _sorted(pair: Pair) -> Pair:
    return (min(pair), max(pair))
