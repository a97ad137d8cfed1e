"""The reproduction of Villanueva and Maciel 2012: samples, cells, grids, claims, and what the stored records say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bnlab.data import catalogue
from bnlab.papers import villanueva2012 as paper
from bnlab.papers.villanueva2012 import cell as cells
from bnlab.papers.villanueva2012 import hybrid
from bnlab.papers.villanueva2012.claims import findings
from bnlab.papers.villanueva2012.protocol import READINGS, largest_order
from bnlab.papers.villanueva2012.reported import claims as villanueva2012_claims
from bnlab.papers.villanueva2012.reported import networks as villanueva2012_networks
from bnlab.search import iterate, run
from bnlab.skeletons.opthpc import OptHPC

STORED = Path(__file__).parents[3] / "notebooks" / "results" / "villanueva2012"


@pytest.fixture(scope="module")
def stored():
    return paper.records_frame(STORED / "base.jsonl", STORED / "tilings.jsonl")


def made_up(**changed):
    """Records in which everything that the paper says holds."""
    sn = {"opthpc": 0.90, "hpc": 0.90, "mmpc": 0.50, "getpc": 0.50, "heupc": 0.50}
    sp = {"opthpc": 0.70, "hpc": 0.71, "mmpc": 0.95, "getpc": 0.95, "heupc": 0.95}
    cost = {"opthpc": 300, "hpc": 1000, "mmpc": 100, "getpc": 1200, "heupc": 90}
    growth = {"opthpc": 1.8, "hpc": 1.9, "mmpc": 1.5, "getpc": 1.5, "heupc": 1.5}
    rows = [
        {
            "network": network,
            "copies": copies,
            "origin": "MMHC",
            "variables": 20 * copies,
            "rows": size,
            "version": version,
            "algorithm": name,
            "reading": "as printed",
            "sn": 1.0
            if size == 5000 and name in ("opthpc", "hpc")
            else sn[name] + (0.0 if size == 500 else size / 2e4),
            "sp": sp[name],
            "nsc": cost[name] * copies ** growth[name],
            "cpu": 200_000.0 if copies == 10 else 1.0,
        }
        for network in paper.NETWORKS
        for copies in paper.COPIES
        for size in paper.ROWS
        for version in (1, 2)
        for name in paper.ALGORITHMS
    ]
    frame = pd.DataFrame(rows)
    for column, change in changed.items():
        frame[column] = change(frame)
    return frame


def test_the_claims_of_the_paper_have_a_finding_each() -> None:
    assert list(findings(made_up())) == villanueva2012_claims().key.tolist()


def test_records_that_bear_the_paper_out_bear_out_every_claim() -> None:
    found = findings(made_up())
    assert {key: finding.verdict for key, finding in found.items()} == dict.fromkeys(found, "holds")


@pytest.mark.parametrize(
    ("key", "column", "change"),
    [
        ("ratio", "nsc", lambda f: f.nsc.where(f.algorithm != "opthpc", f.nsc * 1.4)),
        ("close", "sn", lambda f: f.sn.where(f.algorithm != "opthpc", f.sn - 0.06)),
        ("higher", "sn", lambda f: f.sn.where(f.algorithm != "mmpc", 0.89)),
        ("small", "sn", lambda f: f.sn.where((f.algorithm != "mmpc") | (f.rows != 500), 0.9)),
        ("rising", "sn", lambda f: f.sn.where((f.algorithm != "heupc") | (f.rows != 500), 0.99)),
        ("maximum", "sn", lambda f: f.sn.where(f.version == 1, 0.95)),
        ("lowest", "sp", lambda f: f.sp.where(f.algorithm != "getpc", 0.6)),
        ("fewer", "nsc", lambda f: f.nsc.where(f.algorithm != "opthpc", f.nsc * 5)),
        ("dearest", "nsc", lambda f: f.nsc.where(f.algorithm != "mmpc", 60 * f.nsc)),
        ("scaling", "nsc", lambda f: f.nsc.where(f.algorithm != "getpc", f.nsc * f.copies)),
        ("cheapest", "nsc", lambda f: f.nsc.where(f.algorithm != "heupc", 700 * f.copies**2)),
        ("tolerance", "cpu", lambda f: 1.0 + 0 * f.cpu),
    ],
)
def test_a_claim_does_not_hold_on_records_that_speak_against_it(key, column, change) -> None:
    assert findings(made_up(**{column: change}))[key].verdict != "holds"


def test_cost_claims_without_tilings_are_not_run() -> None:
    records = made_up()
    found = findings(records[records.copies == 1])
    assert found["scaling"].verdict == found["tolerance"].verdict == "not run"
    assert found["ratio"].cases == 4


def test_slopes_are_the_exponents_of_the_cost() -> None:
    assert paper.slopes(made_up()).loc["Alarm", "opthpc"] == pytest.approx(1.8)


def test_a_mean_over_sizes_leaves_out_networks_where_a_size_was_not_run() -> None:
    records = made_up()
    cut = records[(records.network != "Child") | (records.copies != 10) | (records.rows == 5000)]
    assert len(paper.mean_cost(cut)) == len(paper.mean_cost(records)) - 1


def test_a_reading_replaces_only_the_algorithms_that_it_concerns() -> None:
    records = made_up()
    other = records[records.algorithm == "opthpc"].assign(reading="order 0 first", nsc=1.0)
    both = pd.concat([records, other], ignore_index=True)
    chosen = paper.under(both, "order 0 first")
    assert len(chosen) == len(records)
    assert set(chosen[chosen.algorithm == "opthpc"].nsc) == {1.0}
    assert set(chosen[chosen.algorithm != "opthpc"].reading) == {"as printed"}
    with pytest.raises(ValueError, match="no record has the reading 'skip'"):
        paper.under(both, "skip")


def test_tests_that_were_not_performed_count_as_calls_under_one_reading() -> None:
    records = made_up().assign(not_performed=lambda frame: 7)
    counted = paper.under(records, "all calls")
    assert (counted.nsc - records.nsc == 7).all()
    assert paper.under(records, "as printed").nsc.equals(records.nsc)
    assert not any(READINGS["all calls"].concerns(name) for name in paper.ALGORITHMS)


def test_a_reading_is_run_for_the_algorithms_that_it_concerns() -> None:
    concerned = {name: [a for a in paper.ALGORITHMS if READINGS[name].concerns(a)] for name in READINGS}
    assert concerned["as printed"] == concerned["plain df"] == concerned["skip"] == list(paper.ALGORITHMS)
    assert concerned["order 0 first"] == concerned["whole blanket"] == concerned["no cache"] == ["opthpc"]
    assert concerned["AND"] == ["opthpc", "hpc"]
    assert concerned["OR"] == ["mmpc", "getpc"]


@pytest.mark.parametrize("rows", paper.ROWS)
def test_the_bound_on_the_order_forbids_no_test_that_is_performed(rows) -> None:
    order = largest_order(rows)
    assert 5 * 2 ** (2 + order) <= rows < 5 * 2 ** (2 + order + 1)


def test_precision_without_an_edge_is_one() -> None:
    frame = paper.records_frame([{"tp": 0, "fp": 0, "fn": 5}, {"tp": 3, "fp": 1, "fn": 0}])
    assert frame.sp.tolist() == [1.0, 0.75]
    assert frame.sn.tolist() == [0.0, 1.0]


def test_an_order_of_the_columns_is_a_permutation_and_0_leaves_them() -> None:
    from bnlab.networks import asia

    dag = asia().dag
    assert cells.permuted(dag, 0) == list(dag.names)
    assert cells.permuted(dag, 3) != list(dag.names)
    assert sorted(cells.permuted(dag, 3)) == sorted(dag.names)
    assert cells.permuted(dag, 3) == cells.permuted(dag, 3)


@pytest.fixture
def without_the_study(monkeypatch, tmp_path):
    """A computer with neither a folder of data nor a cache, and no network."""
    monkeypatch.delenv(catalogue.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(catalogue, "cache_folder", lambda: tmp_path)

    def refuse(*_):
        raise AssertionError("a download was tried")

    monkeypatch.setattr(catalogue, "download", refuse)


@pytest.mark.usefixtures("without_the_study")
@pytest.mark.parametrize("origin", [None, "MMHC"])
def test_rows_are_drawn_with_a_seed_where_the_study_is_not_at_hand(origin) -> None:
    first, again, other = (paper.sample("Child", 500, version, 1, origin) for version in (7, 7, 8))
    assert (first.origin, first.table.n_rows) == ("own", 500)
    assert "not a sample of the MMHC study" in first.note
    assert first.table.to_pandas().equals(again.table.to_pandas())
    assert not first.table.to_pandas().equals(other.table.to_pandas())
    assert paper.sample("Alarm", 500, 1, 3, origin).origin == "own"


@pytest.mark.usefixtures("without_the_study")
def test_results_say_where_the_rows_come_from(tmp_path) -> None:
    few = {"network": ["Child"], "rows": [500], "version": [1]}
    state = {}
    for state, _ in iterate(paper.grid(tmp_path / "own", algorithm=["heupc"], **few)):
        assert next(iter(state.values()))["drawn_from"] == "own"
    assert paper.records_frame(state.values()).origin.tolist() == ["own"]
    again = paper.grid(tmp_path / "own", algorithm=["heupc"], **few)
    assert again.is_done(again.init())
    order = paper.order_grid(algorithm=["hpc"], reading=["as printed"], order=[1], **few)
    assert run(order).drawn_from.tolist() == ["own"]
    searches = hybrid.grid(restriction=["mmpc"], search=["k2"], **few)
    assert run(searches).drawn_from.tolist() == ["own"]


def test_a_cell_counts_what_the_search_finds() -> None:
    cell = {"network": "Child", "copies": 1, "origin": "MMHC", "rows": 500, "version": 2}
    result = cells.evaluate({**cell, "algorithm": "opthpc", "reading": "order 0 first"})
    known = paper.sample("Child", 500, 2)
    from bnlab.citests import G2Tester

    graph = run(OptHPC(G2Tester(known.table), zero_order_first=True))
    true = {frozenset(edge) for edge in known.dag.edges}
    found = {frozenset(edge) for edge in graph.edges}
    assert (result["tp"], result["fp"], result["fn"]) == (len(found & true), len(found - true), len(true - found))
    assert (result["nsc"], result["not_performed"]) == (graph.nsc, graph.not_performed)
    assert result["cpu"] > 0
    assert result["peak_mb"] is None


def test_the_order_as_it_is_changes_nothing() -> None:
    cell = {"network": "Child", "rows": 500, "version": 1, "algorithm": "opthpc", "reading": "as printed", "order": 0}
    result = cells.evaluate_order(cell)
    assert (result["added"], result["lost"]) == (0, 0)


@pytest.mark.needs_data
@pytest.mark.parametrize("network", ["Alarm", "Child", "Insurance"])
def test_names_of_the_studys_columns_fit_its_graph(network) -> None:
    from bnlab.data.mmhc import mmhc_graph

    known = paper.sample(network, 5000, download=True)
    graph = mmhc_graph({"Alarm": "Alarm1"}.get(network, network))
    np.testing.assert_array_equal(known.dag.adjacency(), graph)
    assert known.table.names == known.dag.names


def test_what_print_says_of_the_networks_is_what_the_files_say() -> None:
    for row in villanueva2012_networks().itertuples():
        known = paper.sample(row.network, 5000)
        degree = pd.Series([name for edge in known.dag.edges for name in edge]).value_counts().max()
        assert (len(known.dag), len(known.dag.edges)) == (row.nodes, row.edges)
        assert (min(known.table.arities), max(known.table.arities)) == (row.least_states, row.most_states)
        assert degree == row.max_indegree


def test_own_tilings_are_drawn_where_the_study_has_none() -> None:
    known = paper.sample("Hailfinder", 500, 1, copies=3)
    assert len(known.dag) == 168
    assert paper.sample("Hailfinder", 500, 2, copies=3).table.to_pandas().ne(known.table.to_pandas()).any(axis=None)
    with pytest.raises(ValueError, match="did you mean 'Alarm'"):
        paper.sample("alarm", 500)


def test_the_stored_records_are_whole(stored) -> None:
    base = stored[(stored.copies == 1) & (stored.reading == "as printed")]
    assert len(base) == 4 * 15 * 5
    assert set(stored[stored.copies == 1].reading) == set(READINGS) - {"all calls"}
    assert (stored.tp + stored.fn == stored.edges).all()
    assert not stored.duplicated(["network", "copies", "origin", "rows", "version", "algorithm", "reading"]).any()


def test_sn_and_sp_of_the_stored_records_are_those_of_the_prototype(stored) -> None:
    """A throwaway program of other hands gave these means, to two digits."""
    base = paper.under(stored[stored.copies == 1], "as printed")
    means = base.groupby(["network", "algorithm", "rows"])[["sn", "sp"]].mean()
    assert means.loc["Alarm", "hpc"].sn.round(2).tolist() == [0.92, 0.96, 0.99]
    assert means.loc["Alarm", "opthpc"].sp.round(2).tolist() == [0.88, 0.90, 0.93]
    assert means.loc["Hailfinder", "opthpc"].sn.round(2).tolist() == [0.29, 0.50, 0.52]
    assert paper.mean_cost(base).loc["Alarm"].round().iloc[0].to_dict() == {
        "opthpc": 4613,
        "hpc": 11477,
        "mmpc": 2698,
        "getpc": 17721,
        "heupc": 1789,
    }
