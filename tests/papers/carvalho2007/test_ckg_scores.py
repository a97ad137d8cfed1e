"""The default score of C2G is the one with the least log-loss on record."""

from __future__ import annotations

import inspect

import pytest

from bnlab.classifiers import CkG
from tests.papers.base.test_experiment import RESULTS
from tools.ckg_scores import NAIVE_BAYES, STORED, evaluate, means

RECORDS = RESULTS / "ckg_scores" / "ckg_scores.jsonl"


@pytest.mark.parametrize("score", ["nml", "mdl", NAIVE_BAYES])
def test_a_cell_run_again_gives_its_stored_record(score: str) -> None:
    cell = {"dataset": "glass", "score": score, "seed": 0}
    (stored,) = (record for record in STORED[0].grid(RECORDS.parent).init().values() if cell.items() <= record.items())
    assert {**cell, **evaluate(cell)} == pytest.approx(stored)


def test_every_cell_has_its_record() -> None:
    grid = STORED[0].grid(RECORDS.parent)
    assert grid.is_done(grid.init())


def test_the_default_has_the_least_mean_log_loss_on_record() -> None:
    table = means(RECORDS)
    assert table.index[0] == inspect.signature(CkG).parameters["score"].default
    assert table.log_loss.diff().iloc[1] > 0.01
    assert table.accuracy.idxmax() == table.index[0]
