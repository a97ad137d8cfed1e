"""What is said about a node or an edge."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.counts.types import FamilyCounts
from bnlab.data import Variable
from bnlab.figures.graphs import node_tables
from bnlab.graphs import Dag, Pdag, essential_graph
from bnlab.networks import BayesianNetwork, asia


def network(arities: list[int], r: int = 2) -> BayesianNetwork:
    names = [f"p{i}" for i in range(len(arities))]
    variables = [Variable(n, tuple(f"{n}{k}" for k in range(a))) for n, a in zip(names, arities, strict=True)]
    variables.append(Variable("child", tuple(f"c{k}" for k in range(r))))
    rng = np.random.default_rng(0)
    cpts = [np.full(a, 1 / a) for a in arities] + [rng.dirichlet(np.ones(r), size=tuple(arities))]
    dag = Dag([*names, "child"], [()] * len(names) + [tuple(range(len(names)))])
    return BayesianNetwork(dag, variables, cpts)


def test_rows_of_the_table_are_the_parents_configurations() -> None:
    net = network([2, 3])
    shown = node_tables.cpt_rows(net, 2)
    assert shown["parents"] == ["p0", "p1"]
    assert shown["states"] == ["c0", "c1"]
    assert [row["when"] for row in shown["rows"]] == [[f"p0{i}", f"p1{j}"] for i in range(2) for j in range(3)]
    assert [row["p"] for row in shown["rows"]] == net.cpt("child").reshape(-1, 2).tolist()
    assert shown["note"] == ""


def test_a_node_without_parents_has_one_row() -> None:
    shown = node_tables.cpt_rows(network([3]), 0)
    assert (shown["parents"], len(shown["rows"]), shown["rows"][0]["when"]) == ([], 1, [])


def test_a_long_table_is_cut_and_says_so() -> None:
    shown = node_tables.cpt_rows(network([10, 12]), 2)
    assert len(shown["rows"]) == node_tables.MOST_ROWS
    assert shown["note"] == "48 of 120 configurations of the parents, the first; 72 are not shown."


def test_with_counts_the_rows_seen_most_often_are_kept() -> None:
    counts = FamilyCounts(np.array([[5, 5], [40, 2], [1, 0]]), np.array([3, 77, 119]), (10, 12))
    shown = node_tables.cpt_rows(network([10, 12]), 2, counts)
    first = [row["when"] for row in shown["rows"][:4]]
    assert first == [["p06", "p15"], ["p00", "p13"], ["p09", "p111"], ["p00", "p10"]]
    assert [row["rows"] for row in shown["rows"][:4]] == ["42", "10", "1", "0"]
    assert len({tuple(row["when"]) for row in shown["rows"]}) == 48
    assert "those that the data show most often; 72 are not shown" in shown["note"]


def test_very_many_states_are_cut_and_said() -> None:
    shown = node_tables.cpt_rows(network([2], r=50), 1)
    assert len(shown["states"]) == len(shown["rows"][0]["p"]) == node_tables.MOST_STATES
    assert shown["note"] == "40 of 50 states; 10 are not shown."


def test_states_come_with_counts_and_probabilities_before_and_after() -> None:
    rows = node_tables.state_rows(
        Variable("X", ("a", 1)),
        counts=np.array([1200, 3]),
        prior=np.array([0.9, 0.1]),
        posterior=np.array([0.0, 1.0]),
        observed=1,
    )
    assert rows == [
        {"name": "a", "count": "1,200", "before": 0.9, "after": 0.0, "text": "0", "observed": False},
        {"name": "1", "count": "3", "before": 0.1, "after": 1.0, "text": "100", "observed": True},
    ]


def test_neighbours_of_directed_and_of_partly_directed_graphs() -> None:
    dag = asia().dag
    assert node_tables.neighbours(dag, "either") == {
        "parents": ["tub", "lung"],
        "children": ["xray", "dysp"],
        "Markov blanket": ["tub", "lung", "bronc", "xray", "dysp"],
    }
    found = node_tables.neighbours(essential_graph(dag), "lung")
    assert found == {"parents": [], "children": ["either"], "neighbours": ["smoke"]}
    assert node_tables.neighbours(Pdag("AB", undirected=[(0, 1)]), "B")["neighbours"] == ["A"]


@pytest.mark.parametrize(
    ("p", "text"), [(1.0, "100"), (1 - 1e-14, "100"), (0.99951, ">99.9"), (0.0004, "<0.1"), (0.0, "0"), (0.5, "50.0")]
)
def test_only_what_is_certain_reads_as_certain(p: float, text: str) -> None:
    assert node_tables.probability(p) == text
