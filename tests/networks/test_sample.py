from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, asia, simple
from tests.engine.test_sample import reference


def single(probabilities: list[float]) -> BayesianNetwork:
    states = tuple(range(len(probabilities)))
    return BayesianNetwork(Dag.empty(["x"]), [Variable("x", states)], [probabilities])


def chi_square_p(observed: np.ndarray, probabilities: np.ndarray) -> float:
    expected = observed.sum() * probabilities.ravel()
    possible = expected > 0
    assert (observed.ravel()[~possible] == 0).all()
    statistic = ((observed.ravel()[possible] - expected[possible]) ** 2 / expected[possible]).sum()
    return float(chi2.sf(statistic, max(int(possible.sum()) - 1, 1)))


def counted(table, names) -> np.ndarray:
    shape = [table.variables[table.index(name)].arity for name in names]
    code = np.ravel_multi_index([table.column(name).astype(int) for name in names], shape)
    return np.bincount(code, minlength=int(np.prod(shape))).reshape(shape)


def rows(table) -> list[str]:
    return ["".join(map(str, row)) for row in np.stack([table.column(i) for i in range(8)], axis=1)]


def test_a_seed_gives_these_rows_on_every_machine():
    expected = "11011111 11011111 11010110 11010111 11110110 11111111 11110110 11110110 11111111 11111111"
    assert " ".join(rows(asia().sample(10, seed=2024))) == expected


def test_threads_that_share_a_long_sample_draw_the_same_rows():
    table = asia().sample(600_001, seed=9)
    for v, expected in enumerate(reference(asia(), 600_001, 9)):
        np.testing.assert_array_equal(table.column(v), expected)


def test_a_shorter_sample_is_the_beginning_of_a_longer_one():
    net = simple()
    assert net.sample(3000, seed=4).equals(net.sample(7001, seed=4).head(3000))
    assert not net.sample(3000, seed=4).equals(net.sample(3000, seed=5))


@pytest.mark.parametrize("seed", range(4))
def test_joint_frequencies_follow_the_joint_distribution(random_network, joint, seed):
    net = random_network(seed, n=5, zeros=seed % 2 == 1)
    table = net.sample(200_000, seed=seed)
    assert chi_square_p(counted(table, net.names), joint(net)) > 1e-4


def test_rows_next_to_each_other_are_independent():
    x = single([0.25] * 4).sample(200_001, seed=1).column("x").astype(int)
    pairs = np.bincount(4 * x[:-1] + x[1:], minlength=16)
    assert chi_square_p(pairs, np.full(16, 1 / 16)) > 1e-4


@pytest.mark.parametrize(
    ("probabilities", "seen"),
    [([0, 1, 0], {1}), ([0, 0, 1], {2}), ([1, 0, 0], {0}), ([0.5, 0, 0.5], {0, 2}), ([1.0], {0})],
)
def test_only_possible_states_are_drawn(probabilities, seen):
    assert set(single(probabilities).sample(20_000, seed=0).column("x").tolist()) == seen


def test_rows_that_are_rounded_are_still_distributions():
    net = single([0.3333333, 0.3333333, 0.3333333])
    assert chi_square_p(counted(net.sample(100_000, seed=2), ["x"]), np.full(3, 1 / 3)) > 1e-4


def test_more_than_256_states():
    p = np.linspace(1, 2, 300)
    table = single((p / p.sum()).tolist()).sample(100_000, seed=6)
    assert table.column("x").dtype == np.uint16
    assert chi_square_p(counted(table, ["x"]), p / p.sum()) > 1e-4


@pytest.mark.parametrize(
    ("n", "seed", "error"), [(0, 1, ValueError), (5, -1, ValueError), (2.5, 1, TypeError), (5, None, TypeError)]
)
def test_wrong_sizes_and_seeds_are_refused(n, seed, error):
    with pytest.raises(error):
        asia().sample(n, seed)
