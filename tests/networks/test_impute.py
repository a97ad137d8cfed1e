"""Imputation against exact inference in every row."""

import numpy as np
import pytest

from bnlab.data import Table
from bnlab.networks import ImpossibleEvidence, asia, cancer, impute, marginal
from tests.networks.gaps import COLLIDER, completions, probability, small_table, with_gaps


def test_the_most_probable_completion_is_that_of_all_completions():
    net, table = small_table(COLLIDER, seed=8, n=100, share=0.5)
    filled = impute(net, table)
    assert not filled.has_gaps
    for row, rows in zip(zip(*(filled.column(i) for i in range(3)), strict=True), completions(table), strict=True):
        assert row in rows
        assert probability(net, row) == pytest.approx(max(probability(net, other) for other in rows))


def test_observed_values_and_the_target_stay():
    net = asia()
    table = with_gaps(net.sample(50, seed=1), 0.3, seed=1).with_target("lung")
    for filled in (impute(net, table), *impute(net, table, "sample", n=2)):
        assert filled.target == "lung"
        for i, arity in enumerate(table.arities):
            known = table.column(i) < arity
            assert (filled.column(i)[known] == table.column(i)[known]).all()
    assert impute(net, net.sample(50, seed=1)).equals(net.sample(50, seed=1))


def test_drawn_values_have_the_joint_distribution_given_the_observed_ones():
    net = asia()
    n = 20_000
    known = {"xray": "yes", "dysp": "yes"}
    columns = [np.full(n, v.code(known[v.name]) if v.name in known else v.arity) for v in net.variables]
    filled = impute(net, Table(net.variables, columns, gaps=True), "sample", seed=3)
    nodes = ["smoke", "lung", "bronc"]
    expected = marginal(net, nodes, known)
    codes = [filled.column(name) for name in nodes]
    found = np.zeros(expected.shape)
    np.add.at(found, tuple(codes), 1 / n)
    np.testing.assert_allclose(found, expected, atol=4 * np.sqrt(0.25 / n))


def test_tables_of_a_multiple_imputation_differ_and_are_the_same_for_a_seed():
    net = asia()
    table = with_gaps(net.sample(100, seed=1), 0.3, seed=1)
    three = impute(net, table, "sample", seed=5, n=3)
    assert [a.equals(b) for a, b in zip(three, impute(net, table, "sample", seed=5, n=3), strict=True)] == [True] * 3
    assert impute(net, table, "sample", seed=5).equals(three[0])
    assert not three[0].equals(three[1])
    assert not impute(net, table, "sample", seed=6).equals(three[0])


def test_a_row_that_the_network_excludes_is_named():
    net = asia()
    table = Table(
        net.variables,
        [
            [v.code({"lung": "yes", "either": "no"}[v.name]) if v.name in ("lung", "either") else 2]
            for v in net.variables
        ],
        gaps=True,
    )
    with pytest.raises(ImpossibleEvidence, match="lung = yes and either = no"):
        impute(net, table)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"method": "mean"}, ValueError, "method='mean'"),
        ({"n": 2}, ValueError, "most probable"),
        ({"method": "sample", "n": 0}, ValueError, "n=0: it must be at least 1"),
        ({"method": "sample", "n": 2.5}, TypeError, "n=2.5 is not an integer: give one of at least 1"),
        ({"method": "sample", "n": "2"}, TypeError, "n='2' is not an integer"),
        ({"method": "sample", "n": 10**12}, ValueError, "take fewer tables"),
        ({"method": "sample", "seed": -1}, ValueError, "seed=-1"),
        ({"seed": 1.5}, TypeError, "seed=1.5 is not an integer"),
        ({"seed": None}, TypeError, "seed=None is not an integer"),
    ],
)
def test_options_out_of_range_or_of_another_type_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        impute(asia(), asia().sample(5, seed=1), **options)


def test_another_network_is_refused():
    with pytest.raises(ValueError, match="different variables"):
        impute(cancer(), asia().sample(5, seed=1))
    with pytest.raises(TypeError, match="net is of type Dag: give a BayesianNetwork"):
        impute(asia().dag, asia().sample(5, seed=1))


def test_a_data_frame_is_read_in_the_states_of_the_network():
    net = asia()
    table = with_gaps(net.sample(50, seed=1), 0.2, seed=1)
    frame = table.to_pandas().astype(object)[list(net.names[::-1])].assign(note="text")
    assert impute(net, frame).equals(impute(net, table))
    with pytest.raises(TypeError, match="type BayesianNetwork: a Table or a DataFrame is needed"):
        impute(net, net)
