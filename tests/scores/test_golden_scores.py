"""Scores of ALARM and Hailfinder samples as other people's software computes them (tests/golden/README.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bnlab.data import Table
from bnlab.scores import MIT, BDeu, LocalScores, local_scores, make_score, score

NAMES = {"loglik": "ll", "aic": "aic", "bic": "bic", "k2": "k2"}
BY_GOLDEN_NAME = {golden: make_score(ours) for golden, ours in NAMES.items()} | {
    f"bde_iss{ess}": BDeu(ess) for ess in (1, 4, 16)
}


def rows_of(file: Path, **wanted: str) -> pd.DataFrame:
    rows = pd.read_csv(file)
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    return rows


def families(rows: pd.DataFrame) -> list[tuple[str, list[str]]]:
    return list(zip(rows.node, rows.parents.fillna("").str.split(), strict=True))


@pytest.fixture(params=["alarm5k", "hailfinder5k"])
def dataset(request: pytest.FixtureRequest) -> tuple[str, Table]:
    return request.param, request.getfixturevalue(request.param)


@pytest.mark.parametrize("name", BY_GOLDEN_NAME)
def test_local_scores_agree_with_bnlearn(golden: Path, dataset: tuple[str, Table], name: str) -> None:
    label, table = dataset
    rows = rows_of(golden / "local_scores.csv", dataset=label, score=name)
    phi = LocalScores(table, BY_GOLDEN_NAME[name])
    assert len(rows) >= table.n_variables
    np.testing.assert_allclose(phi.many(families(rows)), rows.value, rtol=1e-9)


def test_nml_agrees_with_the_exact_complexity(golden: Path, dataset: tuple[str, Table]) -> None:
    label, table = dataset
    rows = rows_of(golden / "fnml_exact.csv", dataset=label)
    assert len(rows) >= table.n_variables
    np.testing.assert_allclose(local_scores(table, "nml").many(families(rows)), rows.fnml_exact, rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.95, 0.99, 0.999, 0.9999])
def test_mit_agrees_with_a_direct_reading_of_the_formula(
    golden: Path, dataset: tuple[str, Table], alpha: float
) -> None:
    label, table = dataset
    rows = rows_of(golden / "mit_reference.csv", dataset=label, score=f"mit_alpha{alpha}")
    assert len(rows) >= table.n_variables
    np.testing.assert_allclose(LocalScores(table, MIT(alpha)).many(families(rows)), rows.value, rtol=1e-9, atol=1e-9)


def test_the_score_of_the_true_network_is_the_published_sum(golden: Path, alarm5k: Table) -> None:
    arcs = rows_of(golden / "arcs.csv", dataset="alarm5k", structure="true")
    edges = list(zip(arcs["from"], arcs["to"], strict=True))
    assert score(edges, alarm5k, "bic") == pytest.approx(-54669.02, abs=0.01)
    assert score(edges, alarm5k, "k2") == pytest.approx(-53890.63, abs=0.01)
