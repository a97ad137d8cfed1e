"""Reported and reproduced numbers: the same table for every paper, and details of single runs."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bnlab.papers import carvalho2007, carvalho2009, matuszak2012, villanueva2012
from bnlab.papers.base.experiment import COLUMNS, Records
from bnlab.papers.experiments import PAPERS, experiment_of
from bnlab.papers.matuszak2012 import records as reported
from bnlab.papers.villanueva2012 import hybrid
from bnlab.search import run
from tests.papers.toy_rerun import Toy

RESULTS = Path(__file__).parents[3] / "notebooks" / "results"
NUMBERS = {"carvalho2009": 96, "carvalho2007": 42, "villanueva2012": 120, "matuszak2012": 15}


def stored(paper: str) -> Records:
    return Records(experiment_of(paper), RESULTS / paper)


def numbers(table: pd.DataFrame, *columns: str) -> dict[tuple[str, str], tuple[Any, ...]]:
    return {
        (row["group"], row["item"]): tuple(round(row[c], 9) if isinstance(row[c], float) else row[c] for c in columns)
        for row in table.to_dict("records")
    }


@pytest.mark.parametrize("paper", PAPERS)
def test_without_records_every_printed_number_is_there_and_not_run(paper: str) -> None:
    experiment = experiment_of(paper)
    table = experiment.table([], experiment.variants[0])
    assert len(table) == NUMBERS[paper]
    assert tuple(table.columns) == COLUMNS
    assert all(value is None for value in table.inside)
    assert table.rerun.isna().all()
    assert not table.runs.any()


@pytest.mark.parametrize("paper", PAPERS)
def test_every_variant_has_cells_with_files_and_code(paper: str) -> None:
    experiment = experiment_of(paper)
    for variant in experiment.variants:
        row = experiment.table([], variant).iloc[-1]
        cells = experiment.cells(variant, row.group, row["item"], 2)
        assert cells
        assert all(set(cell) == set(experiment.keys) for cell in cells)
        assert {experiment.stem(variant, cell) for cell in cells} <= set(experiment.stems)
        ast.parse(experiment.code(variant, cells[0]))
        assert experiment.unit(variant)
        assert experiment.interval(variant)


@pytest.mark.parametrize("paper", PAPERS)
def test_stored_records_stand_behind_their_rows(paper: str) -> None:
    records = stored(paper)
    experiment, variant = records.experiment, records.experiment.variants[0]
    row = experiment.table(records, variant).query("runs > 0").iloc[-1]
    behind = records.behind(variant, row.group, row["item"])
    names = [experiment.run_label(cell) for cell in behind]
    assert len(behind) == len(set(names)) >= 1
    assert all(records.find(cell) is not None for cell in behind)
    assert not records.missing(experiment.cells(variant, row.group, row["item"], 1))


@pytest.mark.parametrize("paper", [*PAPERS, "hybrid"])
def test_every_cell_of_a_paper_has_its_stored_record(paper: str) -> None:
    for part in hybrid.STORED if paper == "hybrid" else experiment_of(paper).stored:
        grid = part.grid(RESULTS / paper)
        assert grid.is_done(grid.init()), part


@pytest.mark.parametrize("variant", ["as printed", "honest", "minimum"])
def test_table_2_is_that_of_the_experiment(variant: str) -> None:
    records = stored("carvalho2009")
    frame = carvalho2009.records_frame([record for record in records if record["protocol"] == variant])
    known = carvalho2009.table2(frame).rename(columns={"dataset": "group", "score": "item"})
    made = records.experiment.table(records, variant)
    columns = ("published", "rerun", "inside", "least", "greatest")
    assert numbers(made, *columns) == numbers(known, *columns)


def test_table_1_is_that_of_the_experiment() -> None:
    records = stored("carvalho2007")
    frame = carvalho2007.records_frame([record for record in records if record["protocol"] == "honest"])
    known = carvalho2007.table1(frame).rename(columns={"dataset": "group", "classifier": "item"})
    columns = ("published", "rerun", "inside", "difference")
    assert numbers(records.experiment.table(records, "honest"), *columns) == numbers(known, *columns)


def test_claims_are_judged_as_by_the_experiment() -> None:
    records = stored("villanueva2012")
    known = villanueva2012.claims(villanueva2012.records_frame(records), ["as printed"]).set_index("key")
    made = records.experiment.table(records, "networks").query("item == 'as printed'").set_index("group")
    assert made.inside.to_dict() == {key: verdict != "fails" for key, verdict in known.verdict.items()}
    assert made.note.to_dict() == known.number.to_dict()
    shares = {
        key: share for key, reading, share in records.experiment.values(records, "networks") if reading == "as printed"
    }
    assert made.rerun.dropna().to_dict() == shares


def test_reported_gaps_and_times_are_beside_the_medians_of_the_records() -> None:
    records = stored("matuszak2012")
    frame = matuszak2012.records_frame(records)
    medians = frame.groupby(["network", "run"])[["gap", "stopped_best_gap", "seconds"]].median()
    gaps = records.experiment.table(records, "gap, %").set_index(["group", "item"]).rerun
    assert gaps["alarm", "Chen, faithful"] == pytest.approx(medians.gap["alarm", "faithful"])
    assert gaps["simple", "Chen, faithful, best up to Q"] == pytest.approx(
        medians.stopped_best_gap["simple", "faithful"]
    )
    assert gaps["alarm, MMHC", "Chow-Liu"] == pytest.approx(medians.gap["alarm, MMHC", "Chow-Liu"])
    seconds = records.experiment.table(records, "seconds").set_index(["group", "item"]).rerun
    assert seconds["alarm", "K2, file order"] == pytest.approx(medians.seconds["alarm", "K2, file order"])


class Rounded(Toy):
    rounding = 0.005

    def reported(self, variant: str) -> pd.DataFrame:
        return pd.DataFrame({"group": "g", "item": ["A", "B"], "published": 5.0, "low": 4.0, "high": 6.0})


def test_a_median_within_the_rounded_interval_is_inside() -> None:
    hits = [[1.0, 6.006], [6.004, 6.006], [9.0, 6.006]]
    records = [{"dataset": "g", "protocol": "plain way", "seed": seed, "hits": of} for seed, of in enumerate(hits)]
    table = Rounded().table(records, "plain way")
    assert table.inside.tolist() == [True, False]
    assert table.text.tolist() == ["5.00\n→ 6.00", "5.00\n→ 6.01"]
    assert table.note.tolist() == ["3 runs, 1.00 to 9.00", "3 runs"]
    assert Rounded().table(records[:1], "plain way").note.tolist() == ["1 run", "1 run"]


def test_the_cells_of_a_row_are_found_without_reading_the_reported_numbers_for_each_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records, read = stored("matuszak2012"), []
    numbers = reported.matuszak2012
    monkeypatch.setattr(reported, "matuszak2012", lambda: read.append(1) or numbers())
    assert len(records.behind("gap, %", "alarm", "K2, file order")) > 10
    assert len(read) <= len(reported.NETWORKS)


def test_a_detail_of_a_simulated_network_gives_the_stored_outcome() -> None:
    records = stored("matuszak2012")
    experiment = records.experiment
    cell = records.behind("gap, %", "simple", "Chow-Liu")[3]
    detail = experiment.detail("gap, %", "Chow-Liu", cell)
    record = records.find(cell)
    assert record is not None
    assert detail.outcome == experiment.outcome(record, "Chow-Liu")
    (network,) = detail.networks.values()
    assert len(network.graph.edges) == record["edges"]  # type: ignore[union-attr]
    assert network.truth is not None
    assert detail.confusion is None


DETAILS = [
    ("carvalho2009", "as printed", "iris", "NML", 0),
    ("carvalho2009", "honest", "hepatitis", "LL", 41),
    ("carvalho2007", "as printed", "hepatitis", "C2G", 7),
    ("carvalho2007", "as printed", "iris", "NB", 2),
    ("villanueva2012", "networks", "higher", "plain df", 1),
]


@pytest.mark.needs_data
@pytest.mark.parametrize(("paper", "variant", "group", "item", "number"), DETAILS)
def test_a_detail_gives_the_stored_outcome(
    paper: str, variant: str, group: str, item: str, number: int, shared_data: Any
) -> None:
    if paper == "villanueva2012":
        shared_data / "mmhc" / "alarm_data.zip"
    records = stored(paper)
    cell = records.behind(variant, group, item)[number]
    detail = records.experiment.detail(variant, item, cell)
    record = records.find(cell)
    assert record is not None
    assert detail.outcome == records.experiment.outcome(record, item)
    assert detail.networks
    if detail.confusion is not None:
        assert detail.confusion.to_numpy().sum() == record["n_test"]
        assert f"{detail.confusion.to_numpy().trace():,} of" in detail.outcome


def test_claims_of_cost_can_be_run_on_tilings_too() -> None:
    records = stored("villanueva2012")
    cells = partial(records.experiment.cells, item="as printed", runs=1)
    assert {cell["copies"] for cell in cells("networks", "ratio")} == {1}
    assert {cell["copies"] for cell in cells("networks and tilings", "higher")} == {1}
    tiled = cells("networks and tilings", "ratio")
    assert {cell["copies"] for cell in tiled} == {1, 3, 5, 10}
    assert records.missing(tiled) == []
    assert len(records.missing(cells("networks and tilings", "ratio", runs=2))) == 60
    behind = records.behind("networks and tilings", "ratio", "as printed")
    assert len(behind) > len(records.behind("networks", "ratio", "as printed"))


@pytest.mark.needs_data
def test_a_tiling_is_run_from_the_board_and_by_its_code(shared_data: Any) -> None:
    shared_data / "mmhc" / "child3_data.zip"
    records = stored("villanueva2012")
    experiment, variant = records.experiment, "networks and tilings"
    (cell,) = [
        cell
        for cell in experiment.cells(variant, "ratio", "as printed", 1)
        if (cell["network"], cell["copies"], cell["rows"], cell["algorithm"]) == ("Child", 3, 500, "heupc")
    ]
    known = records.find(cell)
    assert known is not None
    (grid,) = Records(experiment).grids(variant, [cell])
    (made,) = run(grid).to_dict("records")
    assert (made["tp"], made["nsc"]) == (known["tp"], known["nsc"])
    assert experiment.run_label(cell) == "HeuPC, Child × 3, 500 rows, v1"
    *steps, last = experiment.code(variant, cell).splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(steps), names)
    assert eval(last, names)["nsc"] == known["nsc"]


@pytest.mark.needs_data
def test_the_code_of_a_run_gives_its_hits_again(shared_data: Any) -> None:
    records = stored("carvalho2009")
    cell = records.behind("honest, drawn", "satimage", "K2")[1]
    small = {**cell, "dataset": "iris", "protocol": "honest"}
    *steps, last = records.experiment.code("honest", small).splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(steps), names)
    record = records.find(small)
    assert record is not None
    assert eval(last, names)["hits"] == record["hits"]


@pytest.mark.needs_data
def test_the_refined_network_tells_what_became_of_the_tree(shared_data: Any) -> None:
    records = stored("carvalho2007")
    cell = {"dataset": "hepatitis", "protocol": "as printed", "seed": 0}
    detail, record = records.experiment.detail("as printed", "C2G", cell), records.find(cell)
    kinds = [kind for network in detail.networks.values() for kind in (network.kinds or {}).values()]
    assert record is not None
    assert [kinds.count(kind) for kind in ("kept", "dropped", "added")] == record["edges"]


def test_an_unknown_paper_is_refused_with_its_nearest() -> None:
    with pytest.raises(ValueError, match="carvalho2009"):
        experiment_of("carvalho2008")


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such folder"):
        Records(experiment_of("carvalho2007"), tmp_path / "nowhere")
