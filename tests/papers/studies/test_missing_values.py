"""Treatments of missing values: what is run, and what the stored records say."""

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


def test_on_andes_structural_em_has_the_lowest_loss_and_is_nearest_unless_values_are_not_missing_at_random(andes):
    means = andes[andes.method != NOT_AT_RANDOM].groupby(["mechanism", "method"])[["shd_cpdag", "loss"]].mean()
    loss, distance = means.loss.unstack(), means.shd_cpdag.unstack()
    assert loss.shape == distance.shape == (3, 4)
    assert (loss.idxmin(axis=1) == "structural EM").all()
    assert (distance.loc[["mcar", "mar"]].idxmin(axis=1) == "structural EM").all()
    assert distance.loc["mnar"].idxmin() == "missing state"


def test_on_andes_values_missing_by_their_own_value_are_learned_from_best_with_a_model_of_that(andes):
    tables = andes[andes.mechanism == "mnar"].pivot_table(
        index="sample", columns="method", values=["shd_cpdag", "loss"]
    )
    assert (tables["loss"].idxmin(axis=1) == NOT_AT_RANDOM).all()
    assert tables["shd_cpdag"].mean().idxmin() == NOT_AT_RANDOM
    assert (tables["shd_cpdag"][NOT_AT_RANDOM] < tables["shd_cpdag"]["structural EM"]).all()
    assert tables["shd_cpdag"][NOT_AT_RANDOM].tolist() == [142, 165]


def test_the_model_changes_no_graph_where_values_are_missing_at_random_and_few_where_not(frame):
    key = ["mechanism", "network", "share", "sample"]
    modelled = stored_frame(FOLDER, "not_at_random").set_index(key)
    plain = frame[frame.method == "structural EM"].set_index(key).loc[modelled.index]
    results = ["edges", "shd_cpdag", "held_out"]
    same = (modelled[results] == plain[results]).all(axis=1).groupby("mechanism").agg(["size", "sum"])
    assert same.loc[["mcar", "mar"]].to_numpy().tolist() == [[63, 63], [63, 63]]
    less = (plain.shd_cpdag - modelled.shd_cpdag).loc["mnar"]
    assert ((less > 0).sum(), (less < 0).sum()) == (6, 1)


def test_twelve_samples_show_structural_em_as_near_as_the_others_on_survey_and_simple(frame):
    few = frame[frame.network.isin(["survey", "simple"])]
    twelve = pd.concat([few, stored_frame(FOLDER, "more_samples")])
    assert (differences(twelve, ["network", "mechanism"]).difference >= 0).all()
    by_share = differences(twelve, ["network", "mechanism", "share"])
    assert (by_share.difference >= 0).all()


def test_structural_em_has_the_lowest_loss_for_each_network_mechanism_and_share(frame):
    loss = frame.groupby(["network", "mechanism", "share", "method"]).loss.mean().unstack()
    assert len(loss) == 90
    assert (loss.idxmin(axis=1) == "structural EM").all()


def test_no_other_method_is_clearly_nearer_on_a_network_under_a_mechanism(frame):
    found = differences(frame, ["network", "mechanism"])
    assert (found.high >= 0).all()
    assert (found.low > 0).sum() > 70


def test_no_other_method_is_nearer_under_a_mechanism_or_in_more_settings_than_chance_explains(frame):
    assert (differences(frame, ["mechanism"]).low > 0).all()
    settings = differences(frame, ["network", "mechanism", "share"])
    assert (settings.high < 0).mean() < 0.025  # intervals of 95 % miss on each side that often
    assert (settings.low > 0).sum() > 50
