from __future__ import annotations

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, asia, marginal


@pytest.mark.parametrize(
    ("nodes", "evidence", "words"),
    [
        ("lungs", None, "did you mean 'lung'"),
        ([], None, "nodes is empty"),
        (["lung", "lung"], None, "is queried twice"),
        ("lung", {"lung": "yes"}, "both queried and given"),
        ("lung", {"xray": "abnormal"}, "'xray' has no state 'abnormal'"),
        ("lung", {"x-ray": "yes"}, "did you mean 'xray'"),
    ],
)
def test_wrong_questions_are_refused(nodes, evidence, words):
    with pytest.raises(ValueError, match=words):
        marginal(asia(), nodes, evidence)


def test_a_distribution_too_large_for_memory_is_refused():
    names = [f"x{i}" for i in range(30)]
    variables = [Variable(name, ("a", "b")) for name in names]
    net = BayesianNetwork(Dag.empty(names), variables, [[0.5, 0.5]] * 30)
    with pytest.raises(ValueError, match="query fewer nodes"):
        marginal(net, names)


def test_nodes_of_one_state_take_no_part_and_are_not_too_many():
    names = [f"v{i}" for i in range(70)]
    variables = [Variable(name, ("only",)) for name in names] + [Variable("last", ("a", "b"))]
    dag = Dag([*names, "last"], [()] * 70 + [tuple(range(25))])
    net = BayesianNetwork(dag, variables, [[1.0]] * 70 + [np.reshape([0.3, 0.7], (1,) * 25 + (2,))])
    assert marginal(net, ["v65", "last", "v3"], {"v1": "only"}).tolist() == [[[0.3], [0.7]]]
    with pytest.raises(ValueError, match=r"70 nodes are queried: .* query fewer"):
        marginal(net, names)
