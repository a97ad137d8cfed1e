"""Networks that follow a changing graph."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from bnlab.counts import count_source
from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.graphs.editing import Edit, edited
from bnlab.networks import BayesianNetwork, Dirichlet, asia, fit
from bnlab.networks.fit import FamilyTables


def test_families_of_the_network_keep_their_tables() -> None:
    net = asia()
    found = FamilyTables(net).network(net.dag)
    assert found == net


def test_families_without_a_network_are_fitted_to_the_data() -> None:
    table = asia().sample(500, seed=1)
    found = FamilyTables(source=count_source(table)).network(asia().dag)
    assert found == fit(asia().dag, table, Dirichlet(1.0))


def test_with_both_only_changed_families_are_fitted() -> None:
    net, table = asia(), asia().sample(500, seed=1)
    dag = edited(net.dag, Edit("reverse", "smoke", "lung"))
    found = FamilyTables(net, count_source(table)).network(dag)
    fitted = fit(dag, table, Dirichlet(1.0))
    for i, name in enumerate(net.names):
        expected = fitted if name in ("smoke", "lung") else net
        assert np.array_equal(found.cpts[i], expected.cpts[i]), name


def test_without_data_a_changed_family_has_its_distribution_in_the_network(random_network, joint) -> None:
    """Reversing an edge of a complete graph loses nothing: the joint distribution stays."""
    rng = np.random.default_rng(1)
    variables = [Variable(name, tuple("abc"[:r])) for name, r in zip("XYZ", (2, 3, 2), strict=True)]
    dag = Dag("XYZ", [(), (0,), (0, 1)])
    cpts = [rng.dirichlet(np.ones(r), size=shape) for r, shape in ((2, ()), (3, (2,)), (2, (2, 3)))]
    net = BayesianNetwork(dag, variables, cpts)
    turned = FamilyTables(net).network(edited(dag, Edit("reverse", "X", "Y")))
    assert joint(turned) == pytest.approx(joint(net), abs=1e-12)


def test_configurations_that_cannot_be_get_uniform_rows() -> None:
    variables = [Variable(name, ("a", "b")) for name in "XY"]
    net = BayesianNetwork(Dag.empty("XY"), variables, [[1.0, 0.0], [0.3, 0.7]])
    found = FamilyTables(net).network(Dag.from_edges("XY", [("X", "Y")]))
    assert found.cpt("Y") == pytest.approx(np.array([[0.3, 0.7], [0.5, 0.5]]))


def test_configurations_less_probable_than_a_float_get_their_rows() -> None:
    """X and Y depend on Z; the new parents X and Y are both "b" with probability 1e-320."""
    variables = [Variable(name, ("a", "b")) for name in "XYZ"]
    rare = [[1.0, 1e-160], [1.0, 1e-160]]
    net = BayesianNetwork(Dag("XYZ", [(2,), (2,), ()]), variables, [rare, rare, [0.3, 0.7]])
    dag = Dag("XYZ", [(2,), (), (1,)])
    assert FamilyTables(net).network(dag).cpt("Z") == pytest.approx(np.array([[0.3, 0.7], [0.3, 0.7]]), rel=1e-12)
    both = FamilyTables(net).network(Dag("XYZ", [(), (), (0, 1)]))
    assert both.cpt("Z")[1, 1] == pytest.approx([0.3, 0.7], rel=1e-12)


def test_a_table_that_would_be_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["bnlab.networks.fit"], "MAX_EDITED_CELLS", 15)
    dag = Dag.from_edges(asia().names, [(u, "dysp") for u in ("asia", "tub", "lung")])
    with pytest.raises(ValueError, match="node 'dysp' with 3 parents: its table would have 16 cells"):
        FamilyTables(asia()).network(dag)


def test_neither_network_nor_data_is_refused() -> None:
    with pytest.raises(ValueError, match="neither a network nor data"):
        FamilyTables()
