"""Checks of names, edges, parents and weights, before they become a graph."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.names import nearest
from bnlab._runtime.values import check_unicode

_SHOWN = 5


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a tuple; TypeError unless all are strings, ValueError if one repeats or holds half a surrogate pair."""
    names = tuple(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"name {name!r}: a variable's name is a string; str(name) makes it one.")
        check_unicode("name", name)
    if len(set(names)) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"names {', '.join(map(repr, repeated))} repeat: each variable needs a different name.")
    return names


def check_same_variables(found: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise a ValueError that lists the differences, unless two lists hold the same names in any order."""
    here, there = set(found), set(wanted)
    missing = [name for name in wanted if name not in here]
    extra = [name for name in found if name not in there]
    if missing or extra:
        lacks = [f"it lacks {_listed(missing)}"] if missing else []
        has = [f"it has {_listed(extra)}, which is not among them"] if extra else []
        raise ValueError(
            f"the graph is on other variables than the data or the graph beside it: {'; '.join(lacks + has)}. Both "
            "need the same variables: table.select(names) leaves columns out, Dag(names, edges) adds nodes."
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more


def is_edge(edge: Any) -> bool:
    """Whether an object is a pair of names."""
    return isinstance(edge, (tuple, list)) and len(edge) == 2 and all(isinstance(name, str) for name in edge)


def parents_of_edges(names: tuple[str, ...], edges: Iterable[Any]) -> list[list[int]]:
    """Indices of the parents of each variable; ValueError if an edge is no pair (parent, child) of known names."""
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

    Raises ValueError if there is not one set for each variable, an index is out of range, or a variable is its own
    parent, and TypeError if an index is not an integer.
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


class CycleError(ValueError):
    """Edges that close a directed cycle; `cycle` writes it out, as "A -> B -> A"."""

    def __init__(self, names: tuple[str, ...], parents: tuple[tuple[int, ...], ...], rest: set[int]) -> None:
        """Find one cycle among `rest`, nodes that each have a parent in `rest`."""
        path, seen = [min(rest)], set()
        while path[-1] not in seen:
            seen.add(path[-1])
            path.append(next(p for p in parents[path[-1]] if p in rest))
        self.cycle = " -> ".join(names[i] for i in path[path.index(path[-1]) :][::-1])
        super().__init__(
            f"the edges close a cycle, {self.cycle}: a Bayesian network has none; remove or reverse one of them."
        )


def checked_weights(weights: ArrayLike) -> NDArray[np.float64]:
    """Copy of a matrix of edge weights, its diagonal zero; ValueError if it is empty, not square or not finite."""
    matrix = np.array(weights, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"weights of shape {matrix.shape}: a square matrix is needed, [u, v] for edge u -> v.")
    if len(matrix) == 0:
        raise ValueError("weights of shape (0, 0): a tree has at least one node.")
    np.fill_diagonal(matrix, 0.0)
    if not np.isfinite(matrix).all():
        u, v = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(
            f"weights[{u}, {v}] is {matrix[u, v]}: weights are finite; to keep an edge out, "
            "give it a weight below the sum of all others."
        )
    return matrix


def checked_root(root: Any, n: int) -> int:
    """Root as an int; ValueError if it is not one of n nodes, TypeError if it is not an integer."""
    root = operator.index(root)
    if not 0 <= root < n:
        raise ValueError(f"root {root} is out of range: {n} nodes have indices 0 to {n - 1}.")
    return int(root)
