"""Random networks and their joint distribution by brute force."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork


def _random_network(seed: int, n: int = 6, zeros: bool = False) -> BayesianNetwork:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    parents: list[list[int]] = [[] for _ in range(n)]
    for position, child in enumerate(order):
        size = min(position, int(rng.integers(0, 4)))
        parents[child] = sorted(rng.choice(order[:position], size, replace=False).tolist()) if size else []
    arities = rng.integers(1, 5, n)
    variables = [Variable(f"v{i}", tuple(f"s{k}" for k in range(r))) for i, r in enumerate(arities)]
    cpts = []
    for i in range(n):
        cpt = rng.dirichlet(np.ones(arities[i]), size=tuple(arities[parents[i]]))
        if zeros and arities[i] > 1:
            cpt[..., int(rng.integers(arities[i]))] = 0
            cpt /= cpt.sum(axis=-1, keepdims=True)
        cpts.append(cpt)
    return BayesianNetwork(Dag([v.name for v in variables], parents), variables, cpts)


def _joint(net: BayesianNetwork) -> NDArray[np.float64]:
    total = np.ones(net.arities)
    for configuration in np.ndindex(*net.arities):
        for i, parents in enumerate(net.dag.parents):
            total[configuration] *= net.cpts[i][tuple(configuration[v] for v in (*parents, i))]
    return total


@pytest.fixture(scope="session")
def random_network() -> Callable[..., BayesianNetwork]:
    """Function (seed, n=6, zeros=False) -> network of n nodes with 1 to 4 states and up to 3 parents."""
    return _random_network


@pytest.fixture(scope="session")
def joint() -> Callable[[BayesianNetwork], NDArray[np.float64]]:
    """Function net -> probability of every configuration, one axis a node."""
    return _joint
