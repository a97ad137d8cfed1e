"""Paths in a graph that is given as the parents or the neighbours of each node by index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush


def children_of(parents: Sequence[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    """Children of each node, ascending."""
    children: list[list[int]] = [[] for _ in parents]
    for child, family in enumerate(parents):
        for parent in family:
            children[parent].append(child)
    return tuple(map(tuple, children))


def parents_first(
    parents: Sequence[Sequence[int]], order: Sequence[int], children: Sequence[Sequence[int]] | None = None
) -> tuple[int, ...]:
    """Order that has the parents of each node before it and is otherwise as close to `order` as possible.

    Nodes of a cycle and their descendants are left out. The children of each node are computed if not given.

    Examples
    --------
    >>> parents_first(((2,), (), ()), (0, 1, 2))
    (1, 2, 0)
    """
    if not any(parents):
        return tuple(order)
    children = children_of(parents) if children is None else children
    place = {v: k for k, v in enumerate(order)}
    missing = [len(family) for family in parents]
    ready = [place[v] for v in order if not missing[v]]
    heapify(ready)
    found = []
    while ready:
        found.append(order[heappop(ready)])
        for w in children[found[-1]]:
            missing[w] -= 1
            if not missing[w]:
                heappush(ready, place[w])
    return tuple(found)


def reachable(neighbours: Sequence[Iterable[int]], starts: Iterable[int]) -> list[int]:
    """Nodes that a path of at least one edge connects with any of `starts`, ascending."""
    found: set[int] = set()
    stack = [v for start in starts for v in neighbours[start]]
    while stack:
        u = stack.pop()
        if u not in found:
            found.add(u)
            stack.extend(neighbours[u])
    return sorted(found)
