from __future__ import annotations

import pickle

import numpy as np
import pytest

from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, asia, simple

RAIN, WET = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
DAG = Dag.from_edges(["rain", "wet"], [("rain", "wet")])
ROOT, CHILD = [0.8, 0.2], [[0.9, 0.1], [0.25, 0.75]]


def every_row(net: BayesianNetwork) -> Table:
    return Table.from_codes(np.array(list(np.ndindex(*net.arities))), net.variables)


def test_tables_are_read_only_copies():
    given = np.array(ROOT)
    net = BayesianNetwork(DAG, [RAIN, WET], [given, CHILD])
    given[0] = 0.5
    assert net.cpt("rain").tolist() == ROOT
    with pytest.raises(ValueError, match="read-only"):
        net.cpt("rain")[0] = 0.5
    with pytest.raises(AttributeError):
        net.dag = DAG


def test_values_rounded_in_the_seventh_digit_are_kept_as_given():
    net = BayesianNetwork(DAG, [RAIN, WET], [[0.3333333, 0.6666666], CHILD])
    assert net.cpt("rain").tolist() == [0.3333333, 0.6666666]


@pytest.mark.parametrize(
    ("cpts", "words"),
    [
        ([ROOT], "1 probability tables for 2 nodes"),
        ([ROOT, [0.5, 0.5]], r"'wet': its table has the shape \(2,\); the axes \(rain, wet\)"),
        ([[0.8, 0.1], CHILD], r"'rain', no parents: the row \(0.8, 0.1\) sums to 0.9"),
        ([ROOT, [[0.9, 0.1], [1.25, -0.25]]], r"'wet', rain=yes: the row \(1.25, -0.25\)"),
        ([ROOT, [[0.9, 0.1], [np.nan, 1]]], "'wet', rain=yes: .* not negative"),
        ([[np.inf, -np.inf], CHILD], "finite"),
    ],
)
def test_a_wrong_table_is_refused_with_its_node_and_configuration(cpts, words):
    with pytest.raises(ValueError, match=words):
        BayesianNetwork(DAG, [RAIN, WET], cpts)


def test_variables_in_another_order_than_the_graph_are_refused():
    with pytest.raises(ValueError, match=r"same order; dag\.reordered"):
        BayesianNetwork(DAG, [WET, RAIN], [ROOT, CHILD])


def test_equality_sees_every_probability_and_survives_pickle():
    net = BayesianNetwork(DAG, [RAIN, WET], [ROOT, CHILD])
    assert net == pickle.loads(pickle.dumps(net))
    assert hash(net) == hash(BayesianNetwork(DAG, [RAIN, WET], [ROOT, CHILD]))
    assert net != BayesianNetwork(DAG, [RAIN, WET], [ROOT, [[0.9, 0.1], [0.75, 0.25]]])
    assert net != BayesianNetwork(DAG, [RAIN, Variable("wet", ("a", "b"))], [ROOT, CHILD])
    assert net != "net"


@pytest.mark.parametrize("seed", range(5))
def test_likelihood_of_every_row_is_the_product_of_the_tables(random_network, joint, seed):
    net = random_network(seed)
    likelihood = np.exp(net.log_likelihood(every_row(net)))
    assert likelihood == pytest.approx(joint(net).ravel(), rel=1e-12)
    assert likelihood.sum() == pytest.approx(1, abs=1e-12)


def test_an_excluded_row_has_log_likelihood_minus_infinity():
    net = asia()
    codes = dict.fromkeys(net.names, 0) | {"either": 1}
    row = Table(net.variables, [[codes[name]] for name in net.names])
    assert net.log_likelihood(row).tolist() == [-np.inf]


def test_log_likelihood_matches_columns_and_states_by_name():
    net = simple()
    table = net.sample(5000, seed=3)
    flipped = [Variable(v.name, v.states[::-1]) for v in reversed(net.variables)]
    extra = Variable("extra", ("x",))
    columns = [table.recoded(flipped).column(v.name) for v in flipped]
    other = Table([extra, *flipped], [np.zeros(5000, dtype=np.uint8), *columns])
    assert np.array_equal(net.log_likelihood(other), net.log_likelihood(table))


def test_log_likelihood_refuses_unknown_states_and_missing_nodes():
    net = BayesianNetwork(DAG, [RAIN, WET], [ROOT, CHILD])
    with pytest.raises(ValueError, match="maybe"):
        net.log_likelihood(Table([RAIN, Variable("wet", ("no", "maybe"))], [[0], [1]]))
    with pytest.raises(ValueError, match="wet"):
        net.log_likelihood(Table([RAIN], [[0]]))


@pytest.mark.parametrize("table", [["x", "y"], [[0.5], [0.2, 0.3]]])
def test_a_table_without_numbers_is_refused_by_the_name_of_its_node(table):
    with pytest.raises(ValueError, match="node 'a': its table is no array of numbers"):
        BayesianNetwork(Dag(["a"], [()]), [Variable("a", (0, 1))], [table])
