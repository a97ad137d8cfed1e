"""Variables, edges and orders that a caller gives by name or by index."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from bnlab._runtime.names import nearest

Node: TypeAlias = int | str
Edge: TypeAlias = tuple[Node, Node]


def as_edges(edges: Iterable[Edge], n: int, names: Sequence[str] | None) -> list[tuple[int, int]]:
    """Edges by indices.

    Raises
    ------
    ValueError
        If a node is unknown or an edge is not a pair.
    """
    found = []
    for edge in edges:
        if isinstance(edge, str) or len(edge) != 2:
            raise ValueError(f"edge {edge!r}: an edge is a pair, (parent, child).")
        found.append((as_node(edge[0], n, names), as_node(edge[1], n, names)))
        if found[-1][0] == found[-1][1]:
            raise ValueError(f"edge {edge!r}: a variable cannot be its own parent.")
    return found


def as_order(order: Sequence[Node], n: int, names: Sequence[str] | None) -> list[int]:
    """Order of the variables by indices.

    Raises
    ------
    ValueError
        If it does not name each of them once.
    """
    found = [as_node(node, n, names) for node in order]
    if sorted(found) != list(range(n)):
        raise ValueError(f"order {tuple(order)!r}: an order names each of the {n} variables once.")
    return found


def as_node(node: Node, n: int, names: Sequence[str] | None) -> int:
    """Index of a variable given by index or name.

    Raises
    ------
    ValueError
        If there is none such.
    """
    if isinstance(node, str):
        if names is None or node not in names:
            raise ValueError(f"no variable {node!r}: {nearest(node, names or ())}")
        return list(names).index(node)
    index = operator.index(node)
    if not 0 <= index < n:
        raise ValueError(f"variable {index} is out of range: {n} variables have indices 0 to {n - 1}.")
    return index
