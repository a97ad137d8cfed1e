"""Forward sampling against its documented rule, in whole columns."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork


def reference(net: BayesianNetwork, n: int, seed: int) -> list[np.ndarray]:
    """States of each node by the rule that the module documents, in whole columns."""
    keys = np.random.SeedSequence(seed).generate_state(len(net), np.uint64)
    columns: list[np.ndarray] = [np.empty(0)] * len(net)
    for v in net.dag.topological_order:
        z = keys[v] + np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        number = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.int64)
        cumulative = np.cumsum(net.cpts[v], axis=-1)
        thresholds = np.ceil(cumulative / cumulative[..., -1:] * 2.0**53).astype(np.int64)[..., :-1]
        own = thresholds[tuple(columns[p] for p in net.dag.parents[v])]
        columns[v] = (number[:, None] >= own).sum(axis=1)
    return columns


@pytest.mark.parametrize(
    ("arities", "parents"),
    [
        ([2, 3, 1, 4, 2], [(), (0,), (), (0, 1, 2), (1, 3)]),  # limits selected from
        ([3, 2, 5, 4], [(), (0,), (0,), (0, 1)]),  # of 1, 2, 3 and 6 parent configurations, more states
        ([7, 6, 5, 3], [(), (), (0, 1), (0, 1, 2)]),  # limits looked up
        ([300, 2, 3], [(), (0,), (0, 1)]),  # states of 16 bits
        ([41, 43, 45, 2], [(), (), (), (0, 1, 2)]),  # more parent configurations than 16 bits number
    ],
)
def test_states_are_those_of_the_documented_rule(arities, parents):
    draw = np.random.default_rng(3)
    tables = [
        draw.dirichlet(np.full(r, 0.2), [arities[p] for p in of_v]) for r, of_v in zip(arities, parents, strict=True)
    ]
    tables = [np.where(table > 1e-3, table, 0.0) + 1e-300 for table in tables]
    tables = [table / table.sum(axis=-1, keepdims=True) for table in tables]
    names = [f"x{v}" for v in range(len(arities))]
    variables = [Variable(name, tuple(range(r))) for name, r in zip(names, arities, strict=True)]
    net = BayesianNetwork(Dag(tuple(names), parents), variables, tables)
    table = net.sample(20_001, seed=5)
    for v, expected in enumerate(reference(net, 20_001, 5)):
        np.testing.assert_array_equal(table.column(v), expected)
