"""The stored records of the rerun of Carvalho 2009, and that cheap cells give them again."""

from itertools import islice
from pathlib import Path

import pytest

from bnlab.experiments import carvalho2009 as paper
from bnlab.experiments.carvalho2009.evidence import tested_rows as rows_tested
from bnlab.experiments.grid import RecordFile
from bnlab.search import iterate

PROTOCOLS = paper.CANDIDATES | {p.name: p for p in map(paper.drawn, paper.PROTOCOLS.values())}
RESULTS = Path(__file__).parents[2] / "notebooks/results/carvalho2009"


def results(record):
    return {name: value for name, value in record.items() if name != "seconds"}


@pytest.fixture(scope="module", params=["table2", "candidates"])
def stored(request):
    return RecordFile(RESULTS / f"{request.param}.jsonl").load()


def test_every_stored_cell_is_there_once_with_hits_of_the_rows_that_were_tested(stored):
    keys = [(r["dataset"], r["protocol"], r["seed"]) for r in stored]
    assert len(set(keys)) == len(keys)
    expected = rows_tested().to_dict()
    for record in stored:
        protocol = PROTOCOLS[record["protocol"]]
        n_test = protocol.chess_test if record["dataset"] == "chess" else expected[record["dataset"]]
        if record["dataset"] == "letter" and protocol.split == "UCI notes":
            n_test = 4000
        assert record["n_test"] == n_test
        assert len(record["hits"]) == 8
        assert all(0 <= hits <= n_test for hits in record["hits"])


def test_the_stored_grids_are_complete():
    for experiment in (
        paper.grid(paper.PROTOCOLS.values(), range(100), RESULTS / "table2.jsonl"),
        paper.grid(
            map(paper.drawn, paper.PROTOCOLS.values()), range(100), RESULTS / "table2.jsonl", ["letter", "satimage"]
        ),
        paper.grid(paper.CANDIDATES.values(), range(5), RESULTS / "candidates.jsonl"),
    ):
        assert experiment.is_done(experiment.init())


def test_the_smoothed_rerun_gives_the_large_data_sets_of_the_2007_paper():
    papers = paper.two_papers(paper.records_frame(RESULTS / "candidates.jsonl"))
    assert papers.loc[["letter", "satimage", "chess"], "smoothed_inside_2007"].all()
    assert papers.unsmoothed_inside_2009[["letter", "satimage", "chess"]].tolist() == [False, True, False]


def test_the_stored_files_are_small():
    assert sum(file.stat().st_size for file in RESULTS.glob("*.jsonl")) < 1_000_000


@pytest.mark.needs_data
@pytest.mark.parametrize("dataset", ["iris", "vote", "hepatitis"])
def test_cheap_cells_run_again_give_the_stored_records(dataset):
    stored = paper.grid(paper.PROTOCOLS.values(), range(2), RESULTS / "table2.jsonl", [dataset]).init()
    again = paper.grid(paper.PROTOCOLS.values(), range(2), None, [dataset])
    for state, _ in iterate(again):
        last = state
    assert {key: results(r) for key, r in last.items()} == {key: results(r) for key, r in stored.items()}
    assert len(stored) == 4


@pytest.mark.needs_data
def test_every_candidate_gives_its_stored_record_of_iris():
    stored = paper.grid(paper.CANDIDATES.values(), [0], RESULTS / "candidates.jsonl", ["iris"]).init()
    again = paper.grid(paper.CANDIDATES.values(), [0], None, ["iris"])
    for state, _ in iterate(again):
        last = state
    assert {key: results(r) for key, r in last.items()} == {key: results(r) for key, r in stored.items()}


@pytest.mark.needs_data
def test_a_run_that_was_stopped_ends_with_the_records_of_an_unbroken_one(tmp_path):
    def experiment(name):
        return paper.grid(paper.PROTOCOLS.values(), range(3), tmp_path / name, ["iris", "glass"])

    for _ in islice(paper.run(experiment("stopped")), 5):
        pass
    assert len(RecordFile(tmp_path / "stopped").load()) == 5
    for name in ("stopped", "unbroken"):
        for _ in paper.run(experiment(name)):
            pass
    stopped, unbroken = (experiment(name).init() for name in ("stopped", "unbroken"))
    assert {k: results(r) for k, r in stopped.items()} == {k: results(r) for k, r in unbroken.items()}
    assert len(unbroken) == 12
    frame = paper.records_frame(tmp_path / "unbroken")
    assert len(frame) == 96
    assert (frame.hits == (frame.accuracy * frame.n_test).round()).all()
