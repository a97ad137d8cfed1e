"""The leaderboard: cells of every learner, stored records, and how they are summed up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pytest

from benchmarks import leaderboard as others
from benchmarks.contenders import Contender, RBnlearn
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.learners import learn, optimum
from bnlab.papers.base.grid import Cell
from bnlab.papers.studies.leaderboard import (
    DESIGN,
    LEARNERS,
    LONG,
    REPOSITORY,
    STORED,
    STORED_LARGE,
    VARIABLES,
    board,
    evaluate,
    network_of,
    peak_memory,
    profile,
    records_frame,
    stored_frame,
)
from bnlab.search import run

RESULTS = Path(__file__).parents[3] / "notebooks" / "results" / "leaderboard"
RESULTS_LARGE = RESULTS.with_name("large_networks")
CELL = {"network": "asia", "rows": 500, "score": "bic", "sample": 1, "order": 1}

SLOW = ("learn(table)", *LONG, "BOSS, 1000 restarts")


@pytest.fixture(scope="module")
def stored() -> pd.DataFrame:
    return stored_frame(RESULTS)


def stored_record(stored: pd.DataFrame, cell: dict[str, Any]) -> dict[str, Any]:
    rows = stored[(stored[list(cell)] == pd.Series(cell)).all(axis=1)]
    assert len(rows) == 1, cell
    return rows.iloc[0].to_dict()


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name not in SLOW])
def test_a_cell_run_again_gives_its_stored_record_but_for_the_time(stored: pd.DataFrame, learner: str) -> None:
    again = evaluate({**CELL, "learner": learner})
    expected = stored_record(stored, {**CELL, "learner": learner})
    for key, value in again.items():
        assert key == "seconds" or value == pytest.approx(expected[key]), key


def test_a_search_over_orders_gives_its_stored_record(stored: pd.DataFrame) -> None:
    cell = {**CELL, "network": "child", "learner": "learn(table), quick"}
    again, expected = evaluate(cell), stored_record(stored, cell)
    assert again["score_found"] == pytest.approx(expected["score_found"])
    assert again["edges"] == expected["edges"]


def test_every_stored_cell_has_its_record() -> None:
    for stored, folder in ((STORED, RESULTS), (STORED_LARGE, RESULTS_LARGE)):
        for part in stored:
            grid = part.grid(folder)
            assert grid.is_done(grid.init()), part.values
    for peers, folder in ((others.PARTS, RESULTS), (others.PARTS_LARGE, RESULTS_LARGE)):
        for name, part in peers:
            grid = part.grid(folder)
            assert grid.is_done(grid.init()), name


def test_the_default_is_near_the_best_known_and_ahead_of_other_packages_on_large_networks() -> None:
    large = stored_frame(RESULTS_LARGE)
    gaps = large.pivot_table(index=["score", "rows", "network"], columns="learner", values="gap_percent")
    for rows in (5000, 10_000):
        assert set(gaps.loc["bic", rows].index) == set(REPOSITORY)
    assert gaps["learn(table)"]["bic"].max() < 0.5
    assert gaps["learn(table), thorough"]["bic"].max() < 0.01
    assert gaps["learn(table)"]["bdeu"].max() < 0.3
    assert gaps["learn(table), thorough"]["bdeu"].max() < 0.05
    others = [name for name in gaps if name.startswith(("R bnlearn", "pyAgrum", "pybnesian", "tabu"))]
    assert (gaps["learn(table)"] <= gaps[others].min(axis=1) + 0.01).all()
    seconds = large[(large.learner == "learn(table)") & (large.score == "bic")].seconds
    assert (seconds < 60).all()


@pytest.mark.slow
@pytest.mark.needs_data
def test_a_run_on_a_large_network_gives_its_stored_record(shared_data: Path) -> None:
    cell = {"network": "pathfinder", "rows": 5000, "score": "bic", "sample": 1, "order": 1, "learner": "learn(table)"}
    again, expected = evaluate(cell), stored_record(stored_frame(RESULTS_LARGE), cell)
    assert again["score_found"] == pytest.approx(expected["score_found"])
    assert again["edges"] == expected["edges"]


def test_no_record_is_stored_twice(stored: pd.DataFrame) -> None:
    assert not stored.duplicated(list(DESIGN.axes)).any()
    assert stored.drop(columns=["bound", "megabytes"], errors="ignore").notna().all(axis=None)


def test_a_small_grid_gives_a_board(tmp_path: Path) -> None:
    few = {"network": ["asia"], "rows": [500], "sample": [1], "learner": ["optimal tree", "learn(table), quick"]}
    assert len(run(DESIGN.grid(tmp_path / "some.jsonl", **few))) == 4
    table = board(records_frame(tmp_path / "some.jsonl"))
    assert table.index.tolist() == ["learn(table), quick", "optimal tree"]
    assert table.loc["learn(table), quick", ["best", "worst", "spread"]].tolist() == [1.0, 0.0, 0.0]


def test_memory_is_measured_in_a_process_of_its_own(stored: pd.DataFrame) -> None:
    cell = {**CELL, "network": "child", "rows": 10_000, "learner": "hill climbing"}
    found, expected = peak_memory(cell)["megabytes"], stored_record(stored, cell)["megabytes"]
    assert found is None or 0.5 < found / expected < 2
    assert board(stored).megabytes[[name for name in LEARNERS if name not in LONG]].between(50, 2000).all()


def test_the_order_of_columns_changes_no_score_under_ties_by_score(stored: pd.DataFrame) -> None:
    spread = board(stored).spread
    assert spread[["hill climbing, ties by score", "tabu 10, ties by score"]].max() < 1e-3
    assert spread[["hill climbing", "tabu 10"]].min() > 100


def test_few_variables_are_learned_to_the_optimum() -> None:
    table = network_of("asia").sample(500, seed=1)
    found = evaluate({**CELL, "order": 0, "learner": "learn(table), quick"})
    assert found["score_found"] == pytest.approx(optimum(table, "bic", max_parents=7).score, abs=1e-4)


def test_networks_have_the_variables_that_decide_who_takes_part() -> None:
    for name in ("asia", "sachs", "child", "alarm x 2"):
        assert len(network_of(name)) == VARIABLES[name]
    assert network_of("asia x 2") is network_of("asia x 2")


def test_learners_that_take_minutes_on_many_variables_are_left_out() -> None:
    names = {cell["learner"] for cell in DESIGN.cells(network=["hailfinder"])}
    assert "exact, at most 3 parents" not in names
    assert {"learn(table)", "tabu 10", "Chen"} <= names


def made(**columns: Any) -> dict[str, Any]:
    return {
        "network": "n",
        "rows": 1,
        "score": "bic",
        "sample": 1,
        "order": 0,
        "shd_cpdag": 3,
        "seconds": 1.0,
    } | columns


def test_the_board_is_sorted_by_the_greatest_gap_to_the_best_score() -> None:
    runs = [
        made(learner="a", score_found=-100.0),
        made(learner="a", score_found=-101.0, order=1),
        made(learner="b", score_found=-104.0, shd_cpdag=5),
        made(learner="b", score_found=-102.0, order=1),
        made(learner="c", score_found=-50.0, score="bdeu"),
    ]
    frame = records_frame(runs)
    assert frame.gap.tolist() == [0.0, 1.0, 4.0, 2.0, 0.0]
    assert frame.gap_percent.tolist() == [0.0, 1.0, 4.0, 2.0, 0.0]
    table = board(frame)
    assert table.index.tolist() == ["a", "b"]
    assert table.loc["a"].drop("megabytes").to_dict() == {
        "runs": 2, "best": 0.5, "gap": 0.5, "worst": 1.0, "shd": 0.0, "seconds": 1.0, "spread": 1.0,
    }  # fmt: skip
    assert table.loc["b", "shd"] == 1.0
    assert profile(frame[frame.score == "bic"], [0.0, 2.0]).loc["b"].tolist() == [0.0, 0.5]


def test_other_packages_take_part_where_they_are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def tree(table: Table, cell: Cell) -> Dag:
        return learn(table, "branching", score=cell["score"])

    class Here(Contender):
        package = "numpy"

    class Absent(Contender):
        package = "bnlab-no-such-package"

    few = {"network": ["asia"], "rows": [500], "sample": [1]}
    peers = {
        "here": others.Peer(Here, tree, (few,), {"network": []}),
        "absent": others.Peer(Absent, tree, (few,), few),
    }
    monkeypatch.setattr(others, "PEERS", peers)
    monkeypatch.setattr(others, "PARTS", others.parts(peers))
    monkeypatch.setattr(others, "RESULTS", tmp_path)
    monkeypatch.setattr("sys.argv", ["leaderboard"])
    run(DESIGN.grid(tmp_path / "leaderboard.jsonl", **few, learner=["optimal tree"]))
    others.main()
    printed = capsys.readouterr().out
    assert "absent: No package metadata was found for bnlab-no-such-package" in printed
    table = board(stored_frame(tmp_path))
    assert table.runs.to_dict() == {"here": 2, "optimal tree": 2}
    assert table.best.tolist() == [1.0, 1.0]


@pytest.mark.needs_r
def test_r_takes_part_with_its_own_time_and_memory(left_out: Callable[[str, str], NoReturn]) -> None:
    try:
        RBnlearn.installed_version()
    except (FileNotFoundError, ModuleNotFoundError) as error:
        left_out("R", f"{error}; install R and its package bnlearn")
    cell = {**CELL, "learner": "R bnlearn, hill climbing"}
    record = others.evaluate(cell)
    assert record["seconds"] >= 0
    assert record["score_found"] > record["score_true"] - 10
    megabytes = others.peak_memory(cell)["megabytes"]
    assert megabytes is None or 20 < megabytes < 500
