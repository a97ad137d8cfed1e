"""All small graphs, found by trying every choice of edges."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from bnlab.graphs import Dag


def every_dag(n: int) -> list[Dag]:
    """All DAGs on n named nodes: each pair of nodes has an edge one way, the other way, or none."""
    names = "ABCDE"[:n]
    dags = []
    pairs = list(combinations(names, 2))
    for choice in product((None, False, True), repeat=len(pairs)):
        edges = [
            pair[::-1] if turned else pair for pair, turned in zip(pairs, choice, strict=True) if turned is not None
        ]
        try:
            dags.append(Dag.from_edges(names, edges))
        except ValueError:
            continue
    return dags


@pytest.fixture(scope="session")
def dags_of_3() -> list[Dag]:
    return every_dag(3)


@pytest.fixture(scope="session")
def dags_of_4() -> list[Dag]:
    return every_dag(4)
