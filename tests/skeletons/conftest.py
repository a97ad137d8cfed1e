"""Random graphs, and data that learners can be wrong about."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from bnlab.graphs import Dag


def _random_dag(seed: int, n: int, degree: float) -> Dag:
    rng = np.random.default_rng([seed, n])
    order = rng.permutation(n).tolist()
    edges = [(f"v{a}", f"v{b}") for a, b in combinations(order, 2) if rng.random() < degree / (n - 1)]
    return Dag.from_edges([f"v{i}" for i in range(n)], edges)


@pytest.fixture(scope="session")
def random_dag() -> Callable[[int, int, float], Dag]:
    """Function (seed, n, degree) -> DAG of n nodes with that mean degree."""
    return _random_dag
