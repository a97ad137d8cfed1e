"""Trees of cliques: what makes them valid, and the order of elimination against one that computes every cost anew."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bnlab.networks.triangulation import clique_tree


def random_scopes(seed: int, n: int = 14, size: int = 4) -> tuple[list[tuple[int, ...]], list[int]]:
    rng = np.random.default_rng(seed)
    scopes = [tuple(sorted(rng.choice(n, int(rng.integers(1, size + 1)), replace=False).tolist())) for _ in range(n)]
    return scopes + [(v,) for v in range(n)], rng.integers(2, 5, n).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_cliques_hold_all_scopes_and_those_of_a_node_are_connected(seed: int) -> None:
    scopes, arities = random_scopes(seed)
    root = scopes[0] if seed % 2 else ()
    tree = clique_tree(scopes, arities, root)
    cliques = tree.cliques
    for scope, c in zip(scopes, tree.clique_of, strict=True):
        assert set(scope) <= set(cliques[c].nodes)
    assert tree.sizes == [np.prod([arities[v] for v in clique.nodes]) for clique in cliques]
    assert set(root) <= set(cliques[0].nodes)
    for c, clique in enumerate(cliques):
        if clique.parent is None:
            assert clique.separator == ()
        else:
            assert clique.parent < c
            assert set(clique.separator) == set(clique.nodes) & set(cliques[clique.parent].nodes)
            assert not set(clique.nodes) <= set(cliques[clique.parent].nodes)
    for v in range(14):
        holders = [c for c, clique in enumerate(cliques) if v in clique.nodes]
        tops = [c for c in holders if cliques[c].parent not in holders]
        assert len(tops) == 1


def eliminated_with_costs_computed_anew(scopes: list[tuple[int, ...]], arities: list[int]) -> set[frozenset[int]]:
    """Largest sets among a node and its neighbours when it is eliminated, by the smallest fill-in."""
    near = {v: {u for scope in scopes if v in scope for u in scope} - {v} for v in range(len(arities))}
    cliques: set[frozenset[int]] = set()
    while near:

        def cost(v: int) -> tuple[int, int, int]:
            missing = sum(b not in near[a] for a, b in combinations(near[v], 2))
            return missing, int(np.prod([arities[u] for u in near[v]])), v

        v = min(near, key=cost)
        cliques.add(frozenset({v, *near[v]}))
        for u in near[v]:
            near[u] = (near[u] | near[v]) - {u, v}
        del near[v]
    return {clique for clique in cliques if not any(clique < other for other in cliques)}


@pytest.mark.parametrize("seed", range(40))
def test_costs_kept_up_to_date_give_the_cliques_of_costs_computed_anew(seed: int) -> None:
    scopes, arities = random_scopes(seed, size=3)
    arities = [2 if r == 3 else r for r in arities]  # whose logarithms, and so ties, are exact
    found = clique_tree(scopes, arities).cliques
    assert {frozenset(clique.nodes) for clique in found} == eliminated_with_costs_computed_anew(scopes, arities)


def test_each_clique_larger_than_those_before_is_checked() -> None:
    seen: list[float] = []
    clique_tree([(0, 1), (1, 2, 3), (3, 4)], [2, 3, 4, 5, 6], check=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 60


def test_without_scopes_there_is_one_clique_of_no_nodes() -> None:
    tree = clique_tree([()], [])
    assert [clique.nodes for clique in tree.cliques] == [()]
    assert tree.clique_of == [0]


@pytest.mark.parametrize("hub", [0, 7999], ids=["hub first", "hub last"])
def test_a_hub_of_thousands_of_leaves_has_a_clique_for_each(hub: int) -> None:
    tree = clique_tree([(hub, v) for v in range(8000) if v != hub], [26] * 8000)
    assert len(tree.cliques) == 7999
