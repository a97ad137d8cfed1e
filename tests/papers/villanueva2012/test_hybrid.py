"""Searches within super-structures: cells, records, and what the stored ones say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnlab.counts.memory import MemorySource
from bnlab.networks import asia
from bnlab.papers.villanueva2012 import hybrid
from bnlab.papers.villanueva2012.hybrid import evaluate, restriction, searched

STORED = Path(__file__).parents[3] / "notebooks" / "results" / "hybrid"
CHILD = {"network": "Child", "copies": 1, "rows": 500, "version": 1, "score": "bdeu"}


@pytest.fixture(scope="module")
def records():
    return hybrid.records_frame(STORED / "base.jsonl")


@pytest.mark.parametrize("search", hybrid.SEARCHES)
@pytest.mark.parametrize("name", hybrid.RESTRICTIONS)
def test_a_search_stays_within_its_restriction(search, name):
    net = asia()
    source = MemorySource(net.sample(1000, seed=1), threads=1)
    within = restriction(name, source, net.dag)
    found = {frozenset(edge) for edge in searched(source, within, search, "bdeu", version=1).edges}
    if within is None:
        assert name == hybrid.UNRESTRICTED
    else:
        graph = within.to_pdag() if hasattr(within, "to_pdag") else within
        assert found
        assert found <= {frozenset(edge) for edge in graph.undirected_edges}


@pytest.mark.needs_data
def test_a_cell_run_again_gives_its_stored_record_but_for_the_time(records, shared_data):
    shared_data / "mmhc" / "child_data.zip"
    stored = {
        tuple(record[key] for key in (*CHILD, "search", "restriction")): record for record in records.to_dict("records")
    }
    for search, name in (("hill-climbing", "mmpc"), ("k2", hybrid.TRUTH), ("hill-climbing", hybrid.UNRESTRICTED)):
        cell = {**CHILD, "search": search, "restriction": name}
        expected = stored[tuple(cell.values())]
        for key, value in evaluate(cell).items():
            if not key.endswith("seconds") and value is not None and key != "drawn_from":
                assert value == pytest.approx(expected[key]), key


def test_no_stored_record_is_there_twice(records):
    assert not records.duplicated(["network", "rows", "version", "restriction", "search", "score"]).any()


def test_frames_derive_ratios_gaps_and_times(records):
    row = records.iloc[0]
    assert row.sn == row.tp / (row.tp + row.fn)
    assert row.gap == pytest.approx((row.learned_score - row.true_score) / row.rows)
    assert row.seconds == row.skeleton_seconds + row.search_seconds
    assert list(dict.fromkeys(records.restriction)) == list(hybrid.RESTRICTIONS)


def test_a_graph_within_the_true_skeleton_has_no_false_edge(records):
    within = records[records.restriction == hybrid.TRUTH]
    assert (within.sp == 1).all()
    assert (within.nsc.isna()).all()
    assert (records.sn <= records.within_sn + 1e-6).all()
