"""Networks changed by hand: the joint distribution of what stays, by enumeration; names and states that are refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork
from bnlab.networks.revise import renamed, with_table, with_variable, without_variable

Joint = Callable[[BayesianNetwork], np.ndarray]


@pytest.fixture
def net() -> BayesianNetwork:
    """A -> b, a -> c, b -> c, c -> d, with three states of b and random tables."""
    rng = np.random.default_rng(2)
    arities = (2, 3, 2, 2)
    dag = Dag("abcd", [(), (0,), (0, 1), (2,)])
    variables = [Variable(n, tuple(range(r))) for n, r in zip("abcd", arities, strict=True)]
    tables = [rng.dirichlet(np.ones(r), [arities[p] for p in dag.parents[i]]) for i, r in enumerate(arities)]
    return BayesianNetwork(dag, variables, tables)


def test_another_table_changes_only_its_node(net: BayesianNetwork, joint: Joint) -> None:
    new = with_table(net, "d", [[0.1, 0.9], [0.6, 0.4]])
    assert joint(new) == pytest.approx(joint(net).sum(axis=-1)[..., None] * np.array([[0.1, 0.9], [0.6, 0.4]]))
    with pytest.raises(ValueError, match=r"sums to 0\.2"):
        with_table(net, "d", [[0.1, 0.1], [0.6, 0.4]])


def test_a_new_variable_is_independent_and_its_states_are_equally_probable(net: BayesianNetwork, joint: Joint) -> None:
    new = with_variable(net, "e", ("x", "y", "z"))
    assert joint(new) == pytest.approx(joint(net)[..., None] * np.full(3, 1 / 3))
    assert (new.names, new.variables[-1].states) == (("a", "b", "c", "d", "e"), ("x", "y", "z"))


def test_another_name_changes_no_probability(net: BayesianNetwork, joint: Joint) -> None:
    new = renamed(net, "b", "beta")
    assert (new.names, new.dag.parents) == (("a", "beta", "c", "d"), net.dag.parents)
    assert joint(new) == pytest.approx(joint(net))


def test_a_learned_network_still_knows_which_edges_data_leave_open(net: BayesianNetwork) -> None:
    assert renamed(net, "b", "z").dag.undecided is None
    learned = BayesianNetwork(net.dag.with_undecided([("a", "b"), ("b", "c")]), net.variables, net.cpts)
    assert renamed(learned, "b", "z").dag.undecided == {("a", "z"), ("z", "c")}
    assert with_variable(learned, "e", (0, 1)).dag.undecided == learned.dag.undecided


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_without_a_variable_the_families_of_the_others_keep_their_distributions(
    net: BayesianNetwork, joint: Joint, name: str
) -> None:
    new, at = without_variable(net, name), net.names.index(name)
    assert name not in new.names
    assert set(new.dag.edges) == {edge for edge in net.dag.edges if name not in edge}
    summed = joint(net).sum(axis=at)
    for i, parents in enumerate(new.dag.parents):
        others = tuple(k for k in range(3) if k not in (*parents, i))
        assert joint(new).sum(axis=others) == pytest.approx(summed.sum(axis=others))


@pytest.mark.parametrize(
    ("name", "states", "words"),
    [
        ("a", (0, 1), "name 'a': another variable has it already"),
        ("  ", (0, 1), "needs a name"),
        ("e", ("yes",), "needs at least two, such as yes and no"),
        ("e", ("yes", "yes"), "twice: states must differ"),
    ],
)
def test_names_and_states_that_cannot_be_are_refused(
    net: BayesianNetwork, name: str, states: tuple[object, ...], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        with_variable(net, name, states)
    if states == (0, 1):
        with pytest.raises(ValueError, match=words):
            renamed(net, "b", name)
