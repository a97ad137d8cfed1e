"""Treatments of missing values: what is run and stored. What the records say is asserted in their notebook."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from bnlab.data.catalogue import overview
from bnlab.networks import asia
from bnlab.networks.load import TEXTBOOK
from bnlab.papers.studies.missing_values import (
    COMPLETE,
    DESIGN,
    NOT_AT_RANDOM,
    STORED,
    differences,
    evaluate,
    incomplete_table,
    ranks,
    stored_frame,
)
from bnlab.search import run
from tests.papers.base.test_experiment import RESULTS

FOLDER = RESULTS / "missing_values"


@pytest.fixture(scope="module")
def frame():
    return stored_frame(FOLDER)


@pytest.fixture(scope="module")
def andes():
    return stored_frame(FOLDER, "andes")


@pytest.mark.parametrize("mechanism", ["mcar", "mar", "mnar"])
def test_tables_lack_the_share_of_values_that_a_cell_names(mechanism):
    table, gaps = incomplete_table(asia(), {"mechanism": mechanism, "share": 0.2, "sample": 1})
    assert sum(gaps.gaps.values()) / (8 * len(table)) == pytest.approx(0.2, abs=0.01)
    assert len(gaps.gaps) == (5 if mechanism == "mar" else 8)
    for name in table.names:
        known = gaps.column(name) < 2
        np.testing.assert_array_equal(gaps.column(name)[known], table.column(name)[known])


@pytest.mark.parametrize("method", [*DESIGN.axes["method"], NOT_AT_RANDOM])
def test_a_cell_run_again_gives_its_stored_record_but_for_the_time(method):
    part = next(
        part for part in STORED if part.stem == ("not_at_random" if method == NOT_AT_RANDOM else "missing_values")
    )
    stored = {tuple(r[k] for k in DESIGN.axes): r for r in part.grid(FOLDER).init().values()}
    values = {"sample": [1], "network": ["cancer"], "mechanism": ["mnar"], "share": [0.1], "method": [method]}
    (cell,) = DESIGN.cells(**values)
    expected = stored[tuple(cell.values())]
    for key, value in evaluate(cell).items():
        if key != "seconds":
            assert value == pytest.approx(expected[key], rel=1e-6), key


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored.stem)
def test_every_cell_has_its_stored_record(stored):
    grid = stored.grid(FOLDER)
    assert grid.is_done(grid.init())


def test_a_grid_runs_the_complete_data_once(tmp_path):
    few = {"sample": [1], "network": ["asia"], "mechanism": ["mcar", "mnar"], "share": [0.1]}
    grid = STORED[0].design.grid(tmp_path / "few.jsonl", method=[COMPLETE, "drop rows"], **few)
    assert run(grid).method.tolist() == [COMPLETE, "drop rows", "drop rows"]


def test_frames_compare_with_the_complete_data(frame):
    row = frame.iloc[0]
    assert row.shd_ratio == (row.shd_cpdag + 1) / (row.shd_complete + 1)
    assert row.loss == row.held_out_complete - row.held_out
    assert COMPLETE not in set(frame.method)
    assert ranks(frame).index[0] == "structural EM"
    assert ranks(frame).loss.idxmin() == "structural EM"


def test_structural_em_keeps_its_promise_on_alarm(frame):
    found = frame.query("network == 'alarm' and mechanism == 'mcar' and share == 0.2 and method == 'structural EM'")
    assert (found.shd_cpdag <= 1.5 * found.shd_complete).all()


def test_differences_are_paired_by_table(frame):
    one = {"network": "asia", "mechanism": "mar", "share": 0.2}
    tables = frame[(frame[list(one)] == pd.Series(one)).all(axis=1)]
    distance = tables.pivot_table(index="sample", columns="method", values="shd_cpdag")
    expected = distance["drop rows"] - distance["structural EM"]
    found = differences(frame, list(one)).loc[(*one.values(), "drop rows")]
    assert (found.nearer, found.equal, found.farther) == tuple((np.sign(expected) == sign).sum() for sign in (1, 0, -1))
    interval = ttest_1samp(expected, 0).confidence_interval(0.95)
    assert [found.difference, found.low, found.high] == pytest.approx([expected.mean(), *interval])
    assert found.edges == tables[tables.method == "drop rows"].edges.mean()


def test_the_records_are_of_all_bundled_networks(frame, andes):
    bundled = overview().query("kind == 'network' and source == 'bundled'").name
    assert {*frame.network, *andes.network} == {*bundled, *TEXTBOOK}
