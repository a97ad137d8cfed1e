"""Scores by name, and of whole networks."""

from __future__ import annotations

from math import log
from typing import Any

import pandas as pd
import pytest

from bnlab.data import Table
from bnlab.graphs.dag import Dag
from bnlab.scores import (
    BIC,
    K2,
    MIT,
    BDeu,
    DifferencePrior,
    LocalScore,
    LocalScores,
    local_scores,
    make_score,
    score,
)
from bnlab.scores.make import SCORE_TABLE
from tests.scores.exact_scores import random_joint
from tests.scores.small_tables import JointPrior

EDGES = [("V0", "V1"), ("V1", "V3"), ("V0", "V3")]
AUGMENTED = [*EDGES, ("V0", "V2")]


def params_of(name: str, table: Table) -> dict[str, Any]:
    needed = {
        "bd": {"hyper": 1.0},
        "bde": {"prior_network": JointPrior(table.variables, random_joint(table.arities, 0))},
        "fcll": {"target": "V0"},
        "fcll-nml": {"target": "V0"},
    }
    return needed.get(name, {})


@pytest.mark.parametrize("name", SCORE_TABLE)
def test_a_network_scores_the_sum_of_its_families(four: Table, name: str) -> None:
    params = params_of(name, four)
    parts = score(AUGMENTED, four, name.upper(), per_node=True, **params)
    phi = local_scores(four, name, **params)
    assert isinstance(parts, pd.Series)
    assert parts.index.tolist() == list(four.names)
    assert parts["V3"] == phi("V3", ("V0", "V1"))
    assert score(AUGMENTED, four, name, **params) == pytest.approx(parts.sum(), rel=1e-13)


@pytest.mark.parametrize("name", SCORE_TABLE)
def test_a_made_score_answers_to_its_name(four: Table, name: str) -> None:
    made = make_score(name, **params_of(name, four))
    assert made.name == ("bic" if name == "mdl" else name)
    assert make_score(made) is made


def test_parameters_reach_the_score() -> None:
    assert make_score("bdeu", ess=4) == BDeu(4.0)
    assert make_score("MIT", alpha=0.9) == MIT(0.9)
    assert (make_score("mit"), make_score("bdeu")) == (MIT(0.99), BDeu(1))


@pytest.mark.parametrize(
    ("name", "params", "error", "message"),
    [
        ("bdue", {}, ValueError, "score='bdue': did you mean 'bde' or 'bdeu'|'bdeu' or 'bde'"),
        ("gini", {}, ValueError, "score='gini': known names: aic, .*give a LocalScore"),
        (None, {}, TypeError, "score=None is not a name: give a string; known names: aic"),
        (BIC, {}, TypeError, r"score=BIC is a class: give a score, BIC\(...\), or its name"),
        ("bic", {"ess": 1}, ValueError, "score 'bic' has no parameter 'ess': it takes none"),
        ("bdeu", {"es": 1}, ValueError, "score 'bdeu' has no parameter 'es': did you mean 'ess'"),
        ("BD", {}, ValueError, "score 'BD' needs the parameter 'hyper'"),
        ("bd", {"hyper": 1, "_values": 3}, ValueError, "has no parameter '_values'"),
        ("bde", {"ess": 2}, ValueError, "score 'bde' needs the parameter 'prior_network'"),
        ("bdeu", {"ess": 0}, ValueError, "ess=0: it must be a finite number greater than 0"),
        ("mit", {"alpha": 1}, ValueError, "alpha=1: a confidence level"),
        (K2(), {"ess": 1}, ValueError, r"K2\(\) has its parameters already; ess cannot"),
    ],
)
def test_wrong_names_and_parameters_are_explained(
    name: Any, params: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make_score(name, **params)


def test_a_graph_in_another_order_of_columns_scores_the_same(four: Table) -> None:
    dag = Dag.from_edges(["V3", "V2", "V1", "V0"], EDGES)
    assert score(dag, four, "k2") == score(EDGES, four, "k2")
    assert score(dag.to_networkx(), four, "k2") == score(EDGES, four, "k2")
    swapped = four.select(["V2", "V3", "V0", "V1"])
    assert score(dag, swapped, "k2") == pytest.approx(score(EDGES, four, "k2"), rel=1e-13)


def test_a_graph_on_other_variables_is_refused(four: Table) -> None:
    with pytest.raises(ValueError, match="V2"):
        score(Dag.from_edges(["V0", "V1", "V3"], EDGES), four)


def test_bic_is_the_score_when_none_is_named(four: Table) -> None:
    assert score(EDGES, four) == score(EDGES, four, "bic")


def test_the_log_prior_of_the_graph_is_added_once(four: Table) -> None:
    with_prior = score(EDGES, four, "k2", structure_prior=lambda dag: -7.0 * len(dag.edges))
    assert with_prior == pytest.approx(score(EDGES, four, "k2") - 21.0, rel=1e-13)


@pytest.mark.parametrize("name", ["ll", "aic", "bic", "mdl", "nml", "mit"])
def test_only_bayesian_scores_take_a_prior_of_the_graph(four: Table, name: str) -> None:
    with pytest.raises(ValueError, match="not Bayesian"):
        score(EDGES, four, name, structure_prior=DifferencePrior(0.5))


def test_a_prior_of_the_graph_cannot_be_split_over_nodes(four: Table) -> None:
    with pytest.raises(ValueError, match="per_node"):
        score(EDGES, four, "k2", per_node=True, structure_prior=DifferencePrior(0.5))


def test_the_difference_prior_counts_edges_on_one_side_only(four: Table) -> None:
    dag = Dag.from_edges(four.names, EDGES)
    near = Dag.from_edges(four.names[::-1], [("V0", "V1"), ("V3", "V1")])
    assert DifferencePrior(0.5)(dag) == pytest.approx(3 * log(0.5))
    assert DifferencePrior(0.5, dag)(dag) == 0.0
    assert DifferencePrior(0.5, near)(dag) == pytest.approx(3 * log(0.5))
    with pytest.raises(ValueError, match="kappa=0: it must be"):
        DifferencePrior(0)


def test_a_score_of_ones_own_fits_in(four: Table) -> None:
    class Halved(LocalScore):
        name, score_equivalent = "halved", True

        def batch(self, batch: Any) -> Any:
            return BIC().batch(batch) / 2

    assert score(EDGES, four, Halved()) == pytest.approx(score(EDGES, four) / 2, rel=1e-13)
    assert LocalScores(four, Halved())(0) == local_scores(four)(0) / 2
