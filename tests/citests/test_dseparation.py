"""The oracle against networkx and against what a large sample says."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest

from bnlab.citests import DSeparation
from bnlab.graphs import Dag
from tests.learners.small_problems import random_dag

# networkx 3.3 renamed it.
is_d_separator = getattr(nx, "is_d_separator", None) or nx.d_separated


def test_the_oracle_agrees_with_networkx_on_every_question():
    separated = dependent = 0
    for seed in range(12):
        dag = random_dag(seed, 7, 2.1)
        oracle, graph = DSeparation(dag), dag.to_networkx()
        for x, y in combinations(range(len(dag)), 2):
            rest = [v for v in range(len(dag)) if v not in (x, y)]
            for size in range(4):
                for z in combinations(rest, size):
                    names = {dag.names[x]}, {dag.names[y]}, {dag.names[v] for v in z}
                    answer = oracle.strength(x, y, z) == 0
                    assert answer == is_d_separator(graph, *names) == (oracle.strength(y, x, z) == 0)
                    separated += answer
                    dependent += not answer
    assert min(separated, dependent) > 500


def test_a_collider_opens_when_its_descendant_is_given():
    oracle = DSeparation(Dag.from_edges("XYZW", [("X", "Z"), ("Y", "Z"), ("Z", "W")]))
    assert [oracle.strength(0, 1, z) for z in ((), (2,), (3,))] == [0, 1, 1]


def test_strengths_may_be_chosen():
    oracle = DSeparation(Dag.from_edges("XY", [("X", "Y")]), lambda x, y, z: 10 * x + y + 7)
    assert oracle.strength(1, 0, ()) == 8


def test_the_oracle_needs_a_graph():
    with pytest.raises((TypeError, ValueError)):
        DSeparation(3)
