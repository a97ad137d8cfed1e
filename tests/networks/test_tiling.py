"""Tiled networks: their size, their arcs, and the distributions that must stay."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, asia, load_network, simple
from bnlab.networks.tiling import scale_to_marginal, tile


def copy_of(name: str) -> int:
    return int(name.rpartition("_")[2])


def arcs_between(net) -> list[tuple[str, str]]:
    return [(u, v) for u, v in net.dag.edges if copy_of(u) != copy_of(v)]


def test_copies_lie_side_by_side_and_keep_their_structure_and_tables():
    net = simple()
    big = tile(net, 4, seed=3)
    assert big.names == tuple(f"{name}_{copy}" for copy in (1, 2, 3, 4) for name in net.names)
    within = {(u.rpartition("_")[0], v.rpartition("_")[0]) for u, v in big.dag.edges if copy_of(u) == copy_of(v)}
    assert within == set(net.dag.edges)
    for copy in (1, 2, 3, 4):
        for name in net.names:
            if net.dag.parents_of(name):
                assert np.array_equal(big.cpt(f"{name}_{copy}"), net.cpt(name))


@pytest.mark.parametrize("seed", range(5))
def test_new_arcs_enter_roots_from_one_earlier_copy(seed):
    net = asia()
    big = tile(net, 5, seed=seed)
    order: dict[int, set[int]] = {}
    assert arcs_between(big)
    for u, v in arcs_between(big):
        assert net.dag.parents_of(v.rpartition("_")[0]) == ()
        order.setdefault(copy_of(v), set()).add(copy_of(u))
    for name in big.names:
        parents = big.dag.parents_of(name)
        if any(copy_of(parent) != copy_of(name) for parent in parents):
            assert 1 <= len(parents) <= 2
            assert len({copy_of(parent) for parent in parents}) == 1
    assert len(order) <= 4


@pytest.mark.parametrize("options", [{}, {"connectivity": 3}])
def test_every_node_keeps_its_distribution_up_to_the_dependence_of_roots(options):
    net = simple()
    big = tile(net, 4, seed=11, **options)
    for name in big.names:
        original = name.rpartition("_")[0]
        root = not net.dag.parents_of(original)
        assert big.marginal(name) == pytest.approx(net.marginal(original), abs=1e-9 if root else 0.02)


def test_the_seed_decides_everything():
    net = asia()
    assert tile(net, 4, seed=5) == tile(net, 4, seed=5)
    assert tile(net, 4, seed=5) != tile(net, 4, seed=6)


def test_without_connectivity_roots_stay_alone():
    net = asia()
    big = tile(net, 3, seed=1, connectivity=0)
    assert arcs_between(big) == []
    assert big.n_parameters == 3 * net.n_parameters
    assert tile(net, 1, seed=1).dag.edges == tuple((f"{u}_1", f"{v}_1") for u, v in net.dag.edges)


@pytest.mark.needs_data
def test_tilings_of_alarm_have_the_published_sizes():
    alarm = load_network("alarm")
    for copies, published in ((3, 149), (5, 265), (10, 570)):
        edges = [len(tile(alarm, copies, seed=seed).dag.edges) for seed in range(4)]
        assert len(tile(alarm, copies, seed=0)) == 37 * copies
        assert np.mean(edges) == pytest.approx(published, rel=0.15)


def test_of_many_copies_those_before_are_drawn():
    net = asia().marginal("asia")
    single = BayesianNetwork(Dag.empty("X"), [Variable("X", ("no", "yes"))], [net])
    big = tile(single, 2500, seed=1, connectivity=1)
    parents = [p for p in big.dag.parents if p]
    assert 1000 < len(parents) < 1500
    assert big.dag.topological_order
    assert big.marginal("X_7") == pytest.approx(net, abs=1e-9)


def test_scaling_meets_both_margins_even_with_impossible_states():
    rng = np.random.default_rng(0)
    parents, marginal = np.array([0.5, 0.0, 0.2, 0.3]), np.array([0.7, 0.0, 0.3])
    table = scale_to_marginal(rng.random((4, 3)) + 0.01, parents, marginal)
    assert table.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-14)
    assert parents @ table == pytest.approx(marginal, abs=1e-12)
    assert table[1].tolist() == marginal.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"copies": 0}, "copies=0"),
        ({"connectivity": -1}, "connectivity=-1"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_parameters_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tile(asia(), **({"copies": 2, "seed": 1} | options))
    with pytest.raises(TypeError, match=f"{next(iter(options))}=1.5 is not an integer"):
        tile(asia(), **({"copies": 2, "seed": 1} | dict.fromkeys(options, 1.5)))


@pytest.mark.parametrize("tiny", [1e-300, 5e-324])
def test_scaling_meets_both_margins_when_a_configuration_is_hardly_possible(tiny):
    parents, marginal = np.array([0.5, tiny, 0.5]), np.array([0.25, 0.75])
    table = scale_to_marginal(np.array([[1e-8, 1.0], [1e-16, 1e-10], [1.0, 1.0]]), parents, marginal)
    assert table.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-14)
    assert parents @ table == pytest.approx(marginal, abs=1e-12)
    assert (table >= 0).all()
