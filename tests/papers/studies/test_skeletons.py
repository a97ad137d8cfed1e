"""Skeletons under their defaults: every cell has its record, and the records hold what the defaults promise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import pytest

from benchmarks import skeletons as others
from benchmarks.contenders.rsession import r_bnlearn_version
from bnlab.papers.base.grid import StoredCells
from bnlab.papers.studies.skeletons import LEARNERS, STORED, R, evaluate, quality_table
from tests.papers.base.test_experiment import RESULTS

RECORDS = RESULTS / "skeletons"


def without_seconds(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "seconds" and key[0] != "~"}


def stored_of(stored: StoredCells, cell: dict[str, Any]) -> dict[str, Any]:
    (found,) = (record for record in stored.grid(RECORDS).init().values() if cell.items() <= record.items())
    return without_seconds(found)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_cell_run_again_gives_its_stored_record(learner: str) -> None:
    cell = {"network": "child", "rows": 500, "learner": learner, "sample": 2}
    assert cell | without_seconds(evaluate(cell)) == pytest.approx(stored_of(STORED[0], cell))


@pytest.mark.needs_r
@pytest.mark.parametrize("learner", R)
def test_r_run_again_gives_its_stored_record(learner: str, left_out: Callable[[str, str], NoReturn]) -> None:
    try:
        r_bnlearn_version()
    except (FileNotFoundError, ModuleNotFoundError) as error:
        left_out("R", f"{error}; install R and its package bnlearn")
    cell = {"network": "child", "rows": 500, "learner": learner, "sample": 2}
    assert cell | without_seconds(others.evaluate(cell)) == pytest.approx(stored_of(others.STORED[0], cell))


@pytest.mark.parametrize("stored", [*STORED, *others.STORED])
def test_every_cell_has_its_record(stored: StoredCells) -> None:
    grid = stored.grid(RECORDS)
    assert grid.is_done(grid.init())


@pytest.mark.parametrize("stored", STORED)
def test_the_defaults_are_as_good_as_r(stored: StoredCells) -> None:
    table = quality_table(RECORDS / f"{stored.stem}.jsonl")
    ahead = table["ahead of R"]
    assert ahead[["opthpc", "hpc"]].min(axis=None) >= 0
    assert ahead["mmpc"].min() >= -0.006
    assert ahead["mmpc"].mean() > 0.05
    assert table["precision"][["opthpc", "hpc"]].min(axis=None) >= 0.6


def test_the_default_of_opthpc_finds_more_than_the_papers_variant() -> None:
    means = quality_table(RECORDS / "skeletons.jsonl")["f1"].mean()
    assert means["opthpc"] > means["opthpc, paper"] + 0.02
