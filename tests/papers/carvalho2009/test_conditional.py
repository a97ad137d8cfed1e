"""Scores of conditional likelihood beside those of Table 2: one cell against the estimators, and the summaries."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from bnlab.classifiers import TAN, NaiveBayes
from bnlab.counts.memory import MemorySource
from bnlab.papers.base.grid import RecordFile
from bnlab.papers.carvalho2009 import HONEST, conditional
from bnlab.papers.carvalho2009.conditional import (
    CLASSIFIERS,
    CURVES,
    DESIGN,
    LOGISTIC,
    NAIVE,
    PROMOTERS,
    TREES,
    conditional_log_likelihood,
    curve_points,
    evaluate,
    further_columns,
    logistic_regression,
    paired,
    records_frame,
)
from bnlab.papers.carvalho2009.rows import folds, small_fold

RESULTS = Path(__file__).parents[3] / "notebooks/results/carvalho2009"
CELL = {"dataset": "iris", "rows": None, "seed": 1}


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return {**CELL, **evaluate(CELL)}


def test_a_cell_has_the_hits_and_the_likelihood_of_the_estimators(record: dict[str, Any]) -> None:
    expected = {NAIVE: NaiveBayes(ties=HONEST.ties)}
    expected |= {name: TAN(score, ties=HONEST.ties) for name, score in TREES.items()}
    hits, cll = dict.fromkeys(expected, 0), dict.fromkeys(expected, 0.0)
    for fold in folds("iris", HONEST, 1):
        frame = fold.train.to_pandas()
        X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
        tests = pd.DataFrame(
            {
                v.name: pd.Categorical.from_codes(codes, v.states)
                for v, codes in zip(fold.train.variables, fold.codes, strict=False)
            }
        )
        for name, model in expected.items():
            model.fit(X, y)
            states = list(fold.train.variables[-1].states)
            order = [list(model.classes_).index(state) for state in states]
            hits[name] += int((model.predict(tests) == np.array(states)[fold.labels]).sum())
            values = model.predict_log_proba(tests)[:, order]
            cll[name] += conditional_log_likelihood(values, fold.labels, fold.train.n_rows)
    found = dict(zip(CLASSIFIERS, zip(record["hits"], record["cll"], strict=True), strict=True))
    assert {name: found[name][0] for name in expected} == hits
    assert [found[name][1] for name in expected] == pytest.approx(list(cll.values()), abs=1e-3)
    assert record["n_test"] == 150


def test_the_likelihood_is_scikit_learns_log_loss_of_the_mixed_distribution() -> None:
    rng = np.random.default_rng(0)
    values, labels = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    probabilities = np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)
    mixed = 0.9 * probabilities + 0.1 / 3
    assert conditional_log_likelihood(values, labels, 9) == pytest.approx(
        -50 * log_loss(labels, mixed, labels=range(3))
    )
    impossible = np.full((2, 4), -np.inf)
    assert conditional_log_likelihood(impossible, np.array([0, 3]), 9) == pytest.approx(2 * log(1 / 4))


def test_logistic_regression_gives_no_probability_to_a_class_that_training_never_saw() -> None:
    fold = small_fold("soybean-large", HONEST, 50, 0)
    logs = logistic_regression(fold)
    unseen = MemorySource(fold.train, threads=1).count([(fold.train.n_variables - 1, ())])[0].table[0] == 0
    assert unseen.any()
    assert np.isneginf(logs[:, unseen]).all()
    assert np.exp(logs).sum(axis=1) == pytest.approx(1.0)


def test_a_small_sample_trains_on_some_rows_and_is_tested_on_others() -> None:
    fold = small_fold("diabetes", HONEST, 50, 3)
    assert (fold.train.n_rows, len(fold.labels), fold.codes.shape) == (50, 718, (8, 718))
    assert len(small_fold("chess", HONEST, 50, 3, most=100).labels) == 100
    again = small_fold("diabetes", HONEST, 50, 3)
    assert (again.labels == fold.labels).all()
    assert (small_fold("diabetes", HONEST, 50, 4).labels != fold.labels).any()


def test_cells_are_run_once_where_the_file_is_split_and_leave_rows_to_test() -> None:
    cells = DESIGN.cells()
    assert sum(cell["dataset"] == "letter" for cell in cells) == 1
    assert sum(cell["dataset"] == "iris" for cell in cells) == 10
    assert {cell["dataset"] for cell in CURVES.cells() if cell["rows"] == 1600} == {"satimage", "chess"}


@pytest.mark.needs_data
def test_the_cells_of_the_promoters_are_stored_and_give_their_records_again(shared_data: object) -> None:
    stored = RecordFile(RESULTS / "promoters.jsonl").load()
    assert [{name: record[name] for name in CELL} for record in stored] == PROMOTERS.cells()
    assert {(record["rows"], record["n_test"]) for record in stored} == {(None, 105), (20, 86), (40, 66), (80, 26)}
    again = evaluate(stored[-1])
    assert again["hits"] == stored[-1]["hits"]
    assert again["cll"] == pytest.approx(stored[-1]["cll"], abs=1e-3)


def made_up(values: dict[str, list[float]]) -> pd.DataFrame:
    """Records of three data sets, two seeds each, in which each classifier has these accuracies on all."""
    rows = [
        {"dataset": dataset, "rows": None, "seed": seed, "n_train": 9, "n_test": 100, "seconds": 0.0}
        | {"hits": [values.get(name, [50] * 3)[d] + seed for name in CLASSIFIERS], "cll": [-50.0] * len(CLASSIFIERS)}
        for d, dataset in enumerate(("letter", "chess", "iris"))
        for seed in (0, 1)
    ]
    return records_frame(rows)


def test_further_columns_are_means_over_the_seeds_with_mean_ranks() -> None:
    table = further_columns(made_up({"fCLL": [90, 80, 70], NAIVE: [40, 40, 60]}))
    assert table.columns.tolist() == list(CLASSIFIERS)
    assert table["fCLL"].tolist() == [90.5, 80.5, 70.5, 1.0]
    assert table.loc["mean rank", NAIVE] == pytest.approx((13 + 13 + 2) / 3)
    assert further_columns(made_up({}), "loss").loc["iris", LOGISTIC] == 0.5


def test_pairs_count_data_sets_and_give_an_interval() -> None:
    against = paired(made_up({"fCLL": [60, 50, 49]}), "fCLL", ["NML", "LL"])
    row = against.loc["NML"]
    assert (row.better, row.equal, row.worse, row.difference) == (1, 1, 1, 3.0)
    half = 4.302653 * np.std([10, 0, -1], ddof=1) / np.sqrt(3)
    assert (row.low, row.high) == pytest.approx((3 - half, 3 + half), rel=1e-6)


def test_curves_are_means_of_the_seeds() -> None:
    frame = made_up({"fCLL": [60, 50, 49]}).assign(rows=50)
    points = curve_points(frame, ["fCLL"], "accuracy").set_index("dataset")
    assert points["mean"].to_dict() == {"letter": 60.5, "chess": 50.5, "iris": 49.5}
    assert (points.high - points.low).unique() == pytest.approx([2 * 1.96 * np.sqrt(0.5) / np.sqrt(2)])
    assert conditional.STORED[1].stem == "small_samples"
