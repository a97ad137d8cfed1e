"""Code that builds a graph again, run."""

from __future__ import annotations

from typing import Any

import pytest

from bnlab.graphs import Dag, Pdag
from bnlab.graphs.pdag import python_code

HOSTILE = [
    "plain",
    "it's",
    'say "x"',
    "a\\b",
    "line\nbreak",
    "'); import os; ('",
    "<img src=x onerror=alert(1)>",
    "Größe",
]


@pytest.mark.parametrize(
    "graph",
    [
        Dag.from_edges(HOSTILE, [(HOSTILE[i], HOSTILE[i + 1]) for i in range(len(HOSTILE) - 1)]),
        Dag.empty(["A"]),
        Dag.empty([]),
        Pdag(HOSTILE, directed=[(0, 5)], undirected=[(2, 1), (4, 3)]),
    ],
    ids=["dag", "one node", "nothing", "pdag"],
)
def test_the_code_builds_an_equal_graph(graph: Dag | Pdag) -> None:
    space: dict[str, Any] = {}
    exec(python_code(graph), space)
    assert space["dag" if isinstance(graph, Dag) else "pdag"] == graph
