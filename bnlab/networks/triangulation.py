"""Cliques for exact inference: a graph is triangulated, and the cliques of the result form a tree.

References
----------
U. Kjærulff. Triangulation of graphs: algorithms giving small total state space. Aalborg University, 1990 (fill-in).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2, prod

_FINE = 2**20
"""Logarithms are rounded to this fraction of a bit, so that their sums are exact and equal sums stay equal."""


@dataclass(frozen=True, slots=True)
class Clique:
    """Nodes of a clique in ascending order, its parent in the tree, and the nodes that it shares with the parent."""

    nodes: tuple[int, ...]
    parent: int | None
    separator: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CliqueTree:
    """Tree of cliques such that each scope is a subset of a clique.

    Attributes
    ----------
    cliques : list of Clique
        Parents before children; a forest if the graph is not connected.
    clique_of : list of int
        Number of a clique that holds each scope.
    sizes : list of int
        Number of cells of each clique.
    """

    cliques: list[Clique]
    clique_of: list[int]
    sizes: list[int]


def clique_tree(
    scopes: Sequence[Sequence[int]],
    arities: Sequence[int],
    root: Sequence[int] = (),
    check: Callable[[float], object] = lambda cells: None,
    late: Sequence[int] = (),
) -> CliqueTree:
    """Triangulate the graph in which the nodes of each scope are neighbours of each other.

    The node whose elimination adds the fewest edges is eliminated first; ties go to the node with the smallest table.
    The costs are updated edge by edge, so that a tree or a hub takes a time linear in its edges. The first clique holds
    the nodes of `root`. `check` is called with the number of cells of each clique that is larger than all before it,
    and may raise. The nodes of `late` are eliminated after all others, and no clique eliminates both kinds.

    Examples
    --------
    >>> tree = clique_tree([(0, 1), (1, 2)], [2, 2, 2])
    >>> [clique.nodes for clique in tree.cliques], tree.clique_of, tree.sizes
    ([(1, 2), (0, 1)], [1, 0], [4, 4])
    """
    graph = _graph([*scopes, root])
    phases = [graph.keys() - {*root, *late}, graph.keys() & {*late} - {*root}]
    cliques, eliminated_in = _joined(_eliminated(graph, arities, phases, root, check), {*late})
    # Children follow parents: the last clique in which a node of the scope is eliminated holds the whole scope.
    clique_of = [max((eliminated_in[v] for v in scope), default=0) for scope in scopes]
    return CliqueTree(cliques, clique_of, [prod(arities[v] for v in clique.nodes) for clique in cliques])


def _graph(scopes: Sequence[Sequence[int]]) -> dict[int, set[int]]:
    """Neighbours of each node, if the nodes of each scope are neighbours of each other."""
    neighbours: dict[int, set[int]] = {}
    for scope in scopes:
        for v in scope:
            neighbours.setdefault(v, set()).update(scope)
    for v, near in neighbours.items():
        near.discard(v)
    return neighbours


def _eliminated(
    neighbours: dict[int, set[int]],
    arities: Sequence[int],
    phases: Sequence[set[int]],
    last: Sequence[int],
    check: Callable[[float], object],
) -> list[tuple[int, set[int]]]:
    """Nodes in the order of elimination, each with its neighbours at that time: the phases, then `last`."""
    bits = {v: round(_FINE * log2(arities[v])) for v in neighbours}
    size = {v: sum(bits[u] for u in near) for v, near in neighbours.items()}
    # Edges among the neighbours of each node.
    joined = {v: sum(len(neighbours[u] & near) for u in near) // 2 for v, near in neighbours.items()}
    largest = prod(float(arities[v]) for v in last)
    check(largest)

    def cost(v: int) -> tuple[int, int, int]:
        degree = len(neighbours[v])
        return degree * (degree - 1) // 2 - joined[v], size[v], v

    def join(u: int, v: int) -> set[int]:
        common = neighbours[u] & neighbours[v]
        for w in common:
            joined[w] += 1
        for a, b in ((u, v), (v, u)):
            joined[a] += len(common)
            neighbours[a].add(b)
            size[a] += bits[b]
        return common

    order: list[tuple[int, set[int]]] = []
    for waiting in phases:
        queue = sorted(map(cost, waiting))
        while waiting:
            least = heapq.heappop(queue)
            v = least[-1]
            if v not in waiting or cost(v) != least:
                continue
            near = changed = neighbours[v]
            cells = prod((float(arities[u]) for u in near), start=float(arities[v]))
            if cells > largest:
                check(largest := cells)
            if least[0]:
                changed = near.union(*(join(u, w) for u in near for w in near - neighbours[u] if u < w))
            for u in near:
                neighbours[u].discard(v)
                joined[u] -= len(near) - 1
                size[u] -= bits[v]
            order.append((v, near))
            waiting.discard(v)
            for u in changed & waiting:
                heapq.heappush(queue, cost(u))
    return order + [(v, set(last[:k])) for k, v in reversed(list(enumerate(last)))]


def _joined(eliminated: list[tuple[int, set[int]]], late: set[int]) -> tuple[list[Clique], dict[int, int]]:
    """Form cliques of the eliminated nodes and their neighbours, none of which is a subset of another.

    Returns the cliques, and for each node the number of the one that holds it and its neighbours at its elimination.
    """
    rank = {v: k for k, (v, _) in enumerate(eliminated)}
    nodes: list[set[int]] = []
    parents: list[int | None] = []
    separators: list[set[int]] = []
    eliminated_in: dict[int, int] = {}
    for v, near in reversed(eliminated):
        above = eliminated_in[min(near, key=rank.__getitem__)] if near else None
        if above is not None and nodes[above] == near and (v in late or not late & near - separators[above]):
            nodes[above].add(v)
            eliminated_in[v] = above
            continue
        eliminated_in[v] = len(nodes)
        nodes.append({v, *near})
        parents.append(above)
        separators.append(near)
    cliques = [
        Clique(tuple(sorted(clique)), parent, tuple(sorted(separator)))
        for clique, parent, separator in zip(nodes, parents, separators, strict=True)
    ]
    return cliques or [Clique((), None, ())], eliminated_in
