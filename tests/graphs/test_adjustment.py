"""Adjustment sets and effects in equivalence classes, against the enumeration of all sets and all graphs."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest

from bnlab.graphs import Dag, adjustment_sets, essential_graph, is_identified, possible_parents
from bnlab.networks import asia
from bnlab.papers.carvalho2007 import all_dags

NAMES = ("A", "B", "C", "D")
DAGS = [Dag(NAMES, parents) for parents in all_dags(4)]
CLASSES = defaultdict(list)
for _dag in DAGS:
    CLASSES[essential_graph(_dag)].append(_dag)


def minimal_sets(dag, x, y, observed):
    """Back-door sets by the definition, with d-separation by networkx."""
    graph = dag.to_networkx()
    cut = graph.copy()
    cut.remove_edges_from(list(graph.out_edges(x)))
    candidates = [v for v in dag.names if v in observed and v not in {x, y, *nx.descendants(graph, x)}]
    found = []
    for size in range(len(candidates) + 1):
        for z in combinations(candidates, size):
            if not any(set(part) <= set(z) for part in found) and nx.is_d_separator(cut, {x}, {y}, set(z)):
                found.append(z)
    return tuple(found)


def test_the_sets_are_those_of_the_definition_in_every_graph_of_four_nodes():
    # The graphs include every relabelling of each, so that two pairs stand for all.
    for dag in DAGS:
        for x, y in (("A", "C"), ("D", "B")):
            assert adjustment_sets(dag, x, y) == minimal_sets(dag, x, y, NAMES), (dag, x, y)


@pytest.mark.parametrize("seed", range(40))
def test_the_sets_are_those_of_the_definition_where_some_variables_are_not_observed(seed):
    rng = np.random.default_rng(seed)
    names = tuple("ABCDEFG")
    dag = Dag(names, [[p for p in range(v) if rng.random() < 0.4] for v in range(7)])
    for _ in range(4):
        x, y = rng.permutation(list(names))[:2].tolist()
        observed = [name for name in names if rng.random() < 0.7]
        assert adjustment_sets(dag, x, y, observed=observed) == minimal_sets(dag, x, y, observed)


def test_no_more_sets_are_enumerated_than_wanted():
    paths = [(f"a{i}", f"b{i}") for i in range(6)]
    names = ("x", "y", *(name for path in paths for name in path))
    dag = Dag(names, [edge for a, b in paths for edge in ((a, "x"), (b, a), (b, "y"))])
    every = adjustment_sets(dag, "x", "y")
    assert len(set(every)) == 2**6
    assert {len(z) for z in every} == {6}
    assert len(adjustment_sets(dag, "x", "y", most=10)) == 10


def test_possible_parents_are_those_of_all_graphs_of_the_class():
    for essential, dags in CLASSES.items():
        for name in NAMES:
            assert set(possible_parents(essential, name)) == {dag.parents_of(name) for dag in dags}


def effect(dag, weights, x, y):
    """Total effect in a linear model whose error variances are 1, from the covariance of one graph of its class."""
    z = [NAMES.index(x), *map(NAMES.index, dag.parents_of(x))]
    if NAMES.index(y) in z:
        return 0.0
    return np.linalg.solve(weights[np.ix_(z, z)], weights[z, NAMES.index(y)])[0]


def test_an_effect_is_identified_exactly_if_all_graphs_of_the_class_agree():
    rng = np.random.default_rng(0)
    seen = set()
    for essential, dags in CLASSES.items():
        edges = np.where(dags[0].adjacency(), rng.uniform(0.5, 1.5, (4, 4)), 0.0)
        inverse = np.linalg.inv(np.eye(4) - edges)
        covariance = inverse.T @ inverse
        for x, y in permutations(NAMES, 2):
            effects = [effect(dag, covariance, x, y) for dag in dags]
            seen.add(identified := is_identified(essential, x, y))
            assert identified == (np.ptp(effects) < 1e-9), (essential, x, y)
    assert seen == {True, False}


def test_a_variable_that_is_unknown_or_named_twice_is_refused():
    graph = essential_graph(asia())
    for call in (lambda *names: adjustment_sets(asia(), *names), lambda *names: is_identified(graph, *names)):
        with pytest.raises(ValueError, match="both 'lung': give two different"):
            call("lung", "lung")
        with pytest.raises(ValueError, match="did you mean 'lung'"):
            call("smoke", "lungs")
    with pytest.raises(ValueError, match="did you mean 'lung'"):
        possible_parents(graph, "lungs")
    with pytest.raises(ValueError, match="did you mean 'lung'"):
        adjustment_sets(asia(), "smoke", "dysp", observed=["lungs"])


def test_no_sets_are_never_the_answer_to_a_limit() -> None:
    assert len(adjustment_sets(asia(), "bronc", "dysp", most=1)) == 1
    with pytest.raises(ValueError, match="most=0: it must be at least 1"):
        adjustment_sets(asia(), "bronc", "dysp", most=0)
