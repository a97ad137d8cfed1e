"""All scores of a changing graph, and strengths of its edges, against the functions that compute one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.citests.g2 import g2
from bnlab.counts import count_source
from bnlab.counts.information import mutual_information
from bnlab.data import Table
from bnlab.figures.graphs.node_tables import EdgeStrengths
from bnlab.figures.scores.graph_scores import GraphScores
from bnlab.graphs import Dag
from bnlab.graphs.editing import Edit, edited
from bnlab.networks import BayesianNetwork, asia
from bnlab.scores import BDe, score


@pytest.fixture(scope="module")
def net() -> BayesianNetwork:
    return asia()


@pytest.fixture(scope="module")
def table(net: BayesianNetwork) -> Table:
    return net.sample(1000, seed=2)


def test_totals_are_those_of_each_score(net: BayesianNetwork, table: Table) -> None:
    scores = GraphScores(table)
    found = dict(zip(scores.scores, scores.total(net.dag), strict=True))
    assert list(found) == ["ll", "aic", "bic", "nml", "mit", "k2", "bdeu"]
    for name, value in found.items():
        assert value == pytest.approx(score(net.dag, table, name), rel=1e-12)


def test_gains_are_differences_of_totals(net: BayesianNetwork, table: Table) -> None:
    scores = GraphScores(table)
    for u, v in net.dag.edges:
        without = edited(net.dag, Edit("delete", u, v))
        gain = scores.gain(net.dag, net.dag.index(u), net.dag.index(v))
        assert gain == pytest.approx(scores.total(net.dag) - scores.total(without), abs=1e-8)


def test_a_score_with_hyperparameters_of_each_family_is_refused(net: BayesianNetwork, table: Table) -> None:
    with pytest.raises(ValueError, match="score 'bde' has hyperparameters for each family"):
        GraphScores(table, [BDe(net, 1.0)])


def test_strengths_are_information_and_the_test_given_the_other_parents(net: BayesianNetwork, table: Table) -> None:
    strengths = EdgeStrengths(GraphScores(table))
    dag = net.dag
    u, v = dag.index("bronc"), dag.index("dysp")
    found = strengths.of(dag, u, v)
    counts = count_source(table).count([(v, (dag.index("either"), u))])[0].dense()
    expected = g2(counts)
    assert (found.statistic, found.df) == (pytest.approx(expected.statistic), expected.df)
    assert found.log_p == pytest.approx(expected.log_p)
    assert found.mutual_information == pytest.approx(mutual_information(table)[u, v])
    assert found.conditional_information == pytest.approx(expected.statistic / 2000)
    assert found.gains["bic"] == pytest.approx(
        score(dag, table, "bic") - score(edited(dag, Edit("delete", "bronc", "dysp")), table, "bic")
    )


@pytest.mark.parametrize("kind", ["gain", "mutual-information", "p-value"])
def test_strengths_of_all_edges_are_those_of_each(net: BayesianNetwork, table: Table, kind: str) -> None:
    strengths = EdgeStrengths(GraphScores(table))
    values = strengths.values(net.dag, kind, "k2")  # type: ignore[arg-type]
    assert set(values) == set(net.dag.edges)
    for (u, v), value in values.items():
        one = strengths.of(net.dag, net.dag.index(u), net.dag.index(v))
        expected = {"gain": one.gains["k2"], "mutual-information": one.mutual_information, "p-value": one.p_value}
        assert value == pytest.approx(expected[kind], rel=1e-9)


def test_a_graph_without_edges_has_no_strengths(table: Table) -> None:
    strengths = EdgeStrengths(GraphScores(table))
    assert strengths.values(Dag.empty(table.names), "gain", "bic") == {}
    assert GraphScores(table).local([]).shape == (0, 7)
    assert np.isfinite(GraphScores(table).total(Dag.empty(table.names))).all()
