"""Skeletons under their defaults: every cell has its record, and the records hold what the defaults promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import pytest

from benchmarks import skeletons as others
from benchmarks.contenders.rsession import r_bnlearn_version
from bnlab.papers.base.grid import Design
from bnlab.papers.studies.skeletons import DEFAULTS, LEARNERS, STORED, evaluate, quality_table
from tests.papers.base.test_experiment import RESULTS

RECORDS = RESULTS / "skeletons" / "skeletons.jsonl"


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_cell_run_again_gives_its_stored_record(learner: str) -> None:
    cell = {"network": "child", "rows": 500, "learner": learner, "sample": 2}
    (stored,) = (record for record in STORED[0].grid(RECORDS.parent).init().values() if cell.items() <= record.items())
    assert {**cell, **evaluate(cell)} == pytest.approx({key: stored[key] for key in stored if key[0] != "~"})


@pytest.mark.needs_r
@pytest.mark.parametrize("learner", others.TESTS)
def test_r_run_again_gives_its_stored_record(learner: str, left_out: Callable[[str, str], NoReturn]) -> None:
    try:
        r_bnlearn_version()
    except (FileNotFoundError, ModuleNotFoundError) as error:
        left_out("R", f"{error}; install R and its package bnlearn")
    cell = {"network": "child", "rows": 500, "learner": learner, "sample": 2}
    (stored,) = (record for record in others.PEERS.grid(RECORDS).init().values() if cell.items() <= record.items())
    assert {**cell, **others.evaluate(cell)} == pytest.approx(stored)


@pytest.mark.parametrize("design", [STORED[0].design, others.PEERS])
def test_every_cell_has_its_record(design: Design) -> None:
    grid = design.grid(RECORDS)
    assert grid.is_done(grid.init())


def test_the_defaults_are_as_good_as_r_on_every_network_and_size() -> None:
    table = quality_table(RECORDS)
    assert table["ahead of R"][list(DEFAULTS)].min(axis=None) >= 0
    assert table["precision"][list(DEFAULTS)].min(axis=None) >= 0.6
    assert table["f1"].mean()["opthpc"] > table["f1"].mean()["opthpc, paper"] + 0.02
