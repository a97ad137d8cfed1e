"""The reproduction of Matuszak and Miekisz 2012: runs, records, gaps."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.learners import ChenSearch, paper_search
from bnlab.papers import matuszak2012 as paper
from bnlab.papers.experiments import experiment_of
from bnlab.papers.matuszak2012.reported import table1 as printed
from bnlab.scores import local_scores
from bnlab.search import Trace

STORED = Path(__file__).parents[3] / "notebooks" / "results" / "matuszak2012"


@pytest.fixture(scope="module")
def small():
    """Few rows of the simple network, and its graph."""
    net = bnlab.load_network("simple")
    return net.sample(1000, seed=3), net.dag


def test_the_printed_numbers_are_there():
    table = printed().set_index(["network", "algorithm"])
    assert table.gap.to_dict() == {
        ("simple", "K2"): 1,
        ("simple", "Chow-Liu"): 0.73,
        ("simple", "Chen"): 0.11,
        ("alarm", "K2"): 33,
        ("alarm", "Chow-Liu"): 16,
        ("alarm", "Chen"): 20,
    }
    assert table.seconds["alarm", "Chen"] == 917
    for network, settings in paper.PAPER_SETTINGS.items():
        assert table.loc[(network, "Chen"), list(settings)].to_dict() == settings


def test_every_run_has_one_name_and_is_made():
    table, true = bnlab.load_network("simple").sample(50, seed=0), bnlab.load_network("simple").dag
    phi = local_scores(table, "k2")
    for name, make in paper.RUNS.items():
        search = make(phi, true, 5)
        assert {"init", "step", "is_done", "result"} <= set(dir(search)), name
    assert paper.RUNS["limit: moves"](phi, true, 5).readings.limit == "moves"
    assert paper.RUNS["Q = 250"](phi, true, 5).Q == 250


def changes(one, other):
    """Fields of two searches, or of their readings, that differ."""
    names = {field.name for field in fields(one)} - {"readings"}
    return {name for name in names if getattr(one, name) != getattr(other, name)}


def test_each_reading_changes_what_it_says_and_nothing_else(small):
    phi = local_scores(small[0], "k2")
    plain = paper_search(phi, phi.n)
    for name, reading in paper.READINGS.items():
        search = paper.RUNS[name](phi, small[1], 0)
        assert changes(plain, search) | changes(plain.readings, search.readings) == {*reading.options}, name


def test_a_record_tells_what_the_search_found(small):
    table, true = small
    record = paper.learned(table, true, "faithful", 4)
    phi = local_scores(table, "k2")
    search = paper_search(phi, phi.n, seed=4)
    trace = Trace()
    state = trace.run(search)
    assert record["score"] == pytest.approx(phi.total(search.result(state)), abs=1e-4)
    assert record["best"] == pytest.approx(state.best_score, abs=1e-4)
    assert record["stopped"] == pytest.approx(trace.scores[499], abs=1e-4)
    assert record["stopped"] <= record["stopped_best"] <= record["best"]
    assert record["iterations"] == state.iteration
    assert record["true"] == pytest.approx(phi.total(true.parents), abs=1e-4)


def test_a_thinned_curve_keeps_its_end_and_never_falls():
    trace = Trace()
    trace.run(ChenSearch(lambda child, parents: -float(len(parents) == child), 5, beta=0.1, B=20, Q=90))
    curve = paper.thinned(trace, 10)
    assert curve["iteration"][0] == 1
    assert curve["iteration"][-1] == len(trace.scores)
    assert curve["score"][-1] == trace.scores[-1]
    assert curve["best"] == sorted(curve["best"])
    assert curve["seconds"] == sorted(curve["seconds"])
    assert len(curve["iteration"]) == 10


def test_gaps_are_zero_at_the_true_score_and_whole_at_the_empty_one():
    frame = pd.DataFrame({"score": [-100.0, -160.0, -120.0], "true": -100.0, "empty": -160.0})
    gaps = paper.with_gaps(frame)[list(paper.GAPS)]
    assert gaps.iloc[0].tolist() == [0, 0, 0]
    assert gaps.iloc[1].tolist() == pytest.approx([60, 37.5, 100])
    assert gaps.iloc[2, 0] == paper.percent_gap(-120.0, -100.0) == 20


@pytest.mark.parametrize("seed", range(20))
def test_random_networks_are_connected_and_of_the_papers_size(seed):
    network = paper.random_network(seed)
    assert (len(network.dag), len(network.dag.edges)) == (7, 7)
    joined = np.linalg.matrix_power(np.eye(7) + network.dag.adjacency() + network.dag.adjacency().T, 7)
    assert (joined > 0).all()


def test_a_sweeps_name_tells_parameter_and_value():
    record = {"network": "simple", "run": "beta = 0.0003", "seed": 0, "score": -2.0, "true": -1.0, "empty": -3.0}
    frame = paper.sweep_frame([record])
    assert (frame.parameter[0], frame.value[0], frame.gap[0]) == ("beta", 0.0003, 100)


def test_every_reported_number_is_compared_and_inside_when_equal():
    runs = {"K2": ["K2, file order", "K2, random order, 1 parent"], "Chow-Liu": ["Chow-Liu"], "Chen": ["faithful"]}
    scores = {name: {"score": -100.0 - gap, "stopped_best": -101.0 - gap} for name, gap in printed().gap.items()}
    records = [
        {"network": network, "run": run, "seed": 0, "true": -100.0, "seconds": one.seconds, **scores[one.Index]}
        for one in printed().itertuples()
        for run in runs[one.algorithm]
        for network in ([one.network] if one.network == "simple" else ["alarm", "alarm, MMHC"])
    ]
    experiment = experiment_of("matuszak2012")
    assert experiment.table(records, "seconds").inside.tolist() == [True] * len(printed())
    gaps = experiment.table(records, "gap, %")
    late = gaps["item"].str.endswith("best up to Q")
    assert len(gaps) == 3 * 5
    assert gaps.inside.tolist() == (~late).tolist()
    assert gaps.difference[late].tolist() == pytest.approx([1.0] * 3)


@pytest.mark.parametrize("name", ["faithful", "Chow-Liu", "K2, file order", "hill climbing"])
def test_a_rerun_gives_the_stored_record(name):
    stored = paper.records_frame(STORED / "table1.jsonl").query("network == 'simple' and seed == 0")
    fresh = paper.evaluate({"network": "simple", "run": name, "seed": 0})
    expected = stored[stored.run == name].iloc[0]
    for column in ("score", "best", "true", "empty", "edges", "shd", "iterations"):
        assert fresh[column] == expected[column], column


@pytest.mark.needs_data
def test_a_rerun_on_alarm_gives_the_stored_record(shared_data):
    shared_data / "networks" / "alarm.bif"
    records = paper.records_frame(STORED / "table1.jsonl")
    stored = records.query("network == 'alarm' and seed == 1 and run == 'faithful'")
    fresh = paper.evaluate({"network": "alarm", "run": "faithful", "seed": 1})
    assert fresh["score"] == stored.score.iloc[0]
    assert fresh["events"] == stored.events.iloc[0]


@pytest.mark.parametrize("name", ["faithful", "check: moved"])
def test_a_rerun_on_a_random_network_gives_the_stored_record(name):
    stored = paper.records_frame(STORED / "random_networks.jsonl").query("run == @name and seed == 7")
    assert paper.evaluate({"network": "random", "run": name, "seed": 7})["score"] == stored.score.iloc[0]


@pytest.mark.parametrize("file", ["table1", "readings", "sweeps", "k2", "other_alarm", "random_networks"])
def test_stored_records_have_20_seeds_of_every_run(file):
    seeds = paper.records_frame(STORED / f"{file}.jsonl").groupby(["network", "run"]).seed.nunique()
    assert (seeds >= 20).all()


def test_the_first_iterations_show_what_each_move_teaches():
    data = bnlab.load_network("cancer").sample(500, seed=0)
    phi = local_scores(data, "k2")
    search = ChenSearch(phi, 5, beta=1e-2, seed=3)
    table = paper.iterations(search, 12, data.names)
    trace = Trace()
    trace.add(search.advance(search.init(), 12)[1])
    assert table.U.tolist() == trace.scores[:12].tolist()
    learned = table.dropna(subset="decision")
    after = learned["τ before"] * learned["exp(βΔ)"]
    assert np.allclose(learned["τ after"], after / (after + 1 - learned["τ before"]))
    assert 0 < len(learned) < 12
    assert learned.decision.str.match(r"D[1-5]: .+ → .+").all()


def test_readings_are_told_in_their_order_with_the_spread_of_their_seeds():
    gaps = [10.0, 30.0, 20.0]
    records = pd.DataFrame(
        [
            {
                "network": network,
                "run": run,
                "gap": gap,
                "stopped_gap": gap,
                "stopped_best_gap": 1,
                "iterations": 5,
                "edges": 3,
            }
            for network in ("alarm", "simple")
            for run in ("prune", "faithful", "K2, file order")
            for gap in gaps
        ]
    )
    table = paper.readings_table(records, "alarm")
    assert table.option.tolist() == ["faithful", "prune"]
    assert table.decided.tolist() == ["20.00 (10.00 to 30.00)"] * 2
    assert table.seeds.tolist() == [3, 3]
