"""Sizes of the classes of graphs in Figure 1 by enumeration: trees, polytrees, consistent k-graphs, acyclic graphs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from bnlab.graphs.paths import parents_first
from bnlab.learners.consistent import ancestors, count_consistent_k_graphs
from bnlab.learners.types import ParentTuples

MOST_NODES = 5


def all_dags(n: int) -> Iterator[ParentTuples]:
    """Every directed acyclic graph on n labelled nodes, as ascending parents of each node.

    Examples
    --------
    >>> [sum(1 for _ in all_dags(n)) for n in range(1, 5)]
    [1, 3, 25, 543]
    """
    if not 1 <= n <= MOST_NODES:
        raise ValueError(f"n={n}: graphs are enumerated for 1 to {MOST_NODES} nodes")
    pairs = list(combinations(range(n), 2))
    for ways in product((None, 0, 1), repeat=len(pairs)):
        parents: list[list[int]] = [[] for _ in range(n)]
        for pair, way in zip(pairs, ways, strict=True):
            if way is not None:
                parents[pair[way]].append(pair[1 - way])
        if len(parents_first(parents, range(n))) == n:
            yield tuple(tuple(sorted(of)) for of in parents)


def rooted_trees(n: int) -> list[ParentTuples]:
    """All n^(n-1) trees on n labelled nodes that are directed away from a root."""
    return [parents for parents in all_dags(n) if is_tree(parents)]


def is_tree(parents: ParentTuples) -> bool:
    """Whether an acyclic graph is a directed tree: one node has no parents, every other node has one."""
    return sorted(map(len, parents)) == [0] + [1] * (len(parents) - 1)


def is_polytree(parents: ParentTuples) -> bool:
    """Whether the skeleton has no cycle (several components are allowed)."""
    import networkx as nx

    skeleton = nx.Graph((parent, child) for child, of in enumerate(parents) for parent in of)
    return not skeleton or bool(nx.is_forest(skeleton))


def consistent(parents: ParentTuples, tree: ParentTuples, k: int) -> bool:
    """Whether a graph is a consistent k-graph of a tree (Definition 3.1)."""
    return all(len(of) <= k and set(of) <= set(path) for of, path in zip(parents, ancestors(tree), strict=True))


def class_sizes(tree: ParentTuples, k: int = 2) -> dict[str, int]:
    """Numbers of labelled graphs in the classes of Figure 1.

    Returns
    -------
    dict
        trees, polytrees, consistent (k-graphs of the tree), "consistent trees", "consistent polytrees", and "all
        acyclic graphs".
    """
    graphs = list(all_dags(len(tree)))
    inside = [graph for graph in graphs if consistent(graph, tree, k)]
    assert len(inside) == count_consistent_k_graphs(tree, k)
    return {
        "trees": sum(map(is_tree, graphs)),
        "polytrees": sum(map(is_polytree, graphs)),
        "consistent": len(inside),
        "consistent trees": sum(map(is_tree, inside)),
        "consistent polytrees": sum(map(is_polytree, inside)),
        "all acyclic graphs": len(graphs),
    }
