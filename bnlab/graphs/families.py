"""Parents of each variable as indices: read from edges, checked, and followed."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from bnlab._runtime.names import nearest


def is_edge(edge: Any) -> bool:
    """Whether an object is a pair of names."""
    return isinstance(edge, (tuple, list)) and len(edge) == 2 and all(isinstance(name, str) for name in edge)


def parents_of_edges(names: tuple[str, ...], edges: Iterable[Any]) -> list[list[int]]:
    """Indices of the parents of each variable, from (parent, child) pairs of names.

    Raises
    ------
    ValueError
        If an edge is no pair, or names an unknown variable.
    """
    position = {name: i for i, name in enumerate(names)}
    parents: list[list[int]] = [[] for _ in names]
    for edge in edges:
        if isinstance(edge, str) or not isinstance(edge, Iterable) or len(ends := tuple(edge)) != 2:
            raise ValueError(
                f"edge {edge!r}: an edge is a pair of names, (parent, child); a graph without edges has the pairs []."
            )
        for name in ends:
            if name not in position:
                raise ValueError(f"edge {ends!r}: no variable {name!r}; {nearest(name, names)}")
        parents[position[ends[1]]].append(position[ends[0]])
    return parents


def checked_parents(names: tuple[str, ...], parents: Sequence[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    """Indices of the parents of each variable, ascending and each once.

    Raises
    ------
    ValueError
        If there is not one set for each variable, an index is out of range, or a variable is its own parent.
    TypeError
        If an index is not an integer.
    """
    if len(parents) != len(names):
        raise ValueError(
            f"{len(parents)} parent sets for {len(names)} names: each variable needs one, () if empty; or give edges, "
            "(parent, child) pairs of names."
        )
    return tuple(_checked_family(names, child, indices) for child, indices in enumerate(parents))


def _checked_family(names: tuple[str, ...], child: int, parents: Iterable[int]) -> tuple[int, ...]:
    try:
        family = tuple(sorted({operator.index(p) for p in parents}))
    except TypeError:
        raise TypeError(
            f"parents of {names[child]!r} are {parents!r}: an index is an integer; or give edges, "
            "(parent, child) pairs of names."
        ) from None
    for p in family:
        if not 0 <= p < len(names):
            raise ValueError(
                f"parent index {p} of {names[child]!r} is out of range: {len(names)} variables have "
                f"indices 0 to {len(names) - 1}."
            )
        if p == child:
            raise ValueError(f"edge {names[child]} -> {names[child]}: a variable cannot be its own parent.")
    return family


def cycle_message(names: tuple[str, ...], parents: tuple[tuple[int, ...], ...], rest: set[int]) -> str:
    """Say one cycle among `rest`, the nodes that each still wait for a parent in `rest`."""
    path, seen = [min(rest)], set()
    while path[-1] not in seen:
        seen.add(path[-1])
        path.append(next(p for p in parents[path[-1]] if p in rest))
    cycle = path[path.index(path[-1]) :][::-1]
    return (
        f"the edges close a cycle, {' -> '.join(names[i] for i in cycle)}: "
        "a Bayesian network has none; remove or reverse one of them."
    )


def reachable(neighbours: tuple[tuple[int, ...], ...], start: int) -> list[int]:
    """Nodes that paths from `start` lead to, ascending."""
    found: set[int] = set()
    stack = list(neighbours[start])
    while stack:
        u = stack.pop()
        if u not in found:
            found.add(u)
            stack.extend(neighbours[u])
    return sorted(found)
