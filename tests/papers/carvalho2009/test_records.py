"""The stored records of the reproduction of Carvalho 2009, and that cheap cells give them again."""

from pathlib import Path

import pytest

from bnlab.papers import carvalho2009 as paper
from bnlab.papers.base.grid import RecordFile
from bnlab.papers.base.metrics import tested_rows as rows_tested
from bnlab.papers.carvalho2009.reported import table1 as carvalho2009_table1
from bnlab.search import iterate

RESULTS = Path(__file__).parents[3] / "notebooks/results/carvalho2009"


def results(record):
    return {name: value for name, value in record.items() if name != "seconds"}


@pytest.fixture(scope="module", params=["table2", "candidates"])
def stored(request):
    return RecordFile(RESULTS / f"{request.param}.jsonl").load()


def test_every_stored_cell_is_there_once_with_hits_of_the_rows_that_were_tested(stored):
    keys = [(r["dataset"], r["protocol"], r["seed"]) for r in stored]
    assert len(set(keys)) == len(keys)
    expected = rows_tested(carvalho2009_table1()).to_dict()
    for record in stored:
        protocol = paper.VARIANTS[record["protocol"]]
        n_test = protocol.chess_test if record["dataset"] == "chess" else expected[record["dataset"]]
        if record["dataset"] == "letter" and protocol.split == "UCI notes":
            n_test = 4000
        assert record["n_test"] == n_test
        assert len(record["hits"]) == 8
        assert all(0 <= hits <= n_test for hits in record["hits"])


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
