"""The step Data: a file's format is detected, shown with the first rows, corrected, and saved with the session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bnlab
from bnlab.data import FileFormat
from bnlab.widgets import Workbench
from bnlab.widgets.workbench.source import EXAMPLES
from tests.widgets.workbench.acting import controls, press, send


@pytest.fixture
def workbench() -> Workbench:
    return Workbench()


def choose(workbench: Workbench, name: str, value: Any) -> None:
    press(workbench, workbench.forms["data"], f"format:{name}", value)


def formats(workbench: Workbench) -> dict[str, Any]:
    shown = controls(workbench.forms["data"])
    return {id.removeprefix("format:"): one["value"] for id, one in shown.items() if id.startswith("format:")}


def preview(workbench: Workbench) -> list[list[str]]:
    control = workbench.forms["data"].control("preview")
    return [control["columns"][1:], *(row["cells"][1:] for row in control["rows"])]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_empty_page_offers_examples_that_load(name: str) -> None:
    workbench = Workbench()
    shown = controls(workbench.forms["data"])
    assert shown["upload"]["drop"]
    assert "preview" not in shown
    press(workbench, workbench.forms["data"], f"example:{name}", True)
    assert (workbench.step, len(workbench.frame)) == ("variables", len(bnlab.load_frame(name)))
    workbench.step = "data"
    shown = controls(workbench.forms["data"])
    assert not shown["upload"]["drop"]
    assert f"example:{name}" not in shown


def test_a_file_in_the_usual_format_leads_on_to_its_columns(workbench: Workbench) -> None:
    send(workbench, "a.csv", b"a,b\nx,1\ny,2\nx,2\ny,1\n")
    assert workbench.step == "variables"
    assert formats(workbench) == {}
    press(workbench, workbench.forms["data"], "format", True)
    assert formats(workbench) == {
        "separator": ",",
        "decimal": ".",
        "thousands": "",
        "encoding": "utf-8",
        "header": True,
        "missing_marks": "",
    }
    assert len(preview(workbench)) == 5
    press(workbench, workbench.forms["data"], "format", False)
    assert formats(workbench) == {}


def test_the_size_of_loaded_data_is_said_once(workbench: Workbench) -> None:
    send(workbench, "a.csv", b"a,b\nx,1\ny,2\nx,2\ny,1\n")
    assert workbench.status == "a.csv: 4 rows, 2 columns."
    said = [
        c["text"] for form in workbench.forms.values() for line in form.lines for c in line if c["kind"] == "message"
    ]
    assert [text for text in said if "4 rows, 2 columns" in text] == ["a.csv: 4 rows, 2 columns"]


def test_a_corrected_format_reads_the_file_again(workbench: Workbench) -> None:
    send(workbench, "a.csv", ("Ort;Rang\n" + "Łódź;eins\nKöln;zwei\n" * 4).encode("cp1250"))
    assert preview(workbench)[1][0] == "£ódŸ"
    choose(workbench, "encoding", "cp1250")
    assert preview(workbench)[1][0] == "Łódź"
    assert workbench.step == "data"
    assert workbench.table.variables[0].states == ("Köln", "Łódź")
    choose(workbench, "header", False)
    assert workbench.frame.columns.tolist() == ["column 1", "column 2"]
    before = workbench.table
    choose(workbench, "encoding", "utf-16")
    assert workbench.failed
    assert "a.csv" in workbench.status
    assert workbench.table is before
    assert formats(workbench)["encoding"] == "cp1250"


def test_a_format_that_makes_all_columns_useless_can_be_corrected(workbench: Workbench) -> None:
    lines = [f"{i / 7:.2f}|{i / 3:.2f}".replace(".", ",") for i in range(1, 30)]
    send(workbench, "a.csv", "\n".join(["x|y", *lines]).encode())
    before = workbench.table
    choose(workbench, "decimal", ".")
    assert "no column of a.csv can be a variable" in workbench.status
    assert preview(workbench)[1] == ["0,14", "0,33"]
    assert workbench.table is before
    choose(workbench, "decimal", ",")
    assert workbench.table.equals(before)
    assert formats(workbench)["decimal"] == ","


def test_the_format_of_a_file_that_cannot_be_read_can_be_chosen(workbench: Workbench) -> None:
    send(workbench, "longer.csv", b"a,b\n" + b"x,y\ny,x\nx,x,x\n" * 4)
    assert workbench.failed
    assert "Choose another separator" in workbench.status
    assert formats(workbench)["separator"] == ","
    assert workbench.forms["data"].control("preview") is None
    choose(workbench, "separator", ";")
    assert not workbench.failed
    assert preview(workbench)[:2] == [["a,b"], ["x,y"]]
    send(workbench, "same.csv", b"a,a\n" + b"x,y\ny,x\nx,x\n" * 4)
    assert "two columns are called 'a'" in workbench.status
    choose(workbench, "encoding", "utf-16")
    assert workbench.failed
    assert formats(workbench)["encoding"] == "utf-16"  # one choice may need another one
    choose(workbench, "encoding", "utf-8")
    choose(workbench, "header", False)
    assert workbench.frame.columns.tolist() == ["column 1", "column 2"]


def test_a_path_of_a_file_with_a_repeated_name_opens_the_step_data_with_the_message(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.csv").write_text("bmi,bmi\n" + "x,y\ny,x\nx,x\n" * 4)
    workbench = Workbench(tmp_path / "a.csv")
    assert (workbench.step, workbench.failed) == ("data", True)
    assert "two columns are called 'bmi'" in workbench.forms["data"].control("said")["text"]
    assert all(record.levelname == "INFO" for record in caplog.records), "a notebook shows warnings, with a traceback"
    choose(workbench, "header", False)
    assert workbench.frame.columns.tolist() == ["column 1", "column 2"]


@pytest.mark.parametrize("name", ["a.zip", "a.xlsx"])
def test_marks_of_missing_values_are_shown_and_changed(workbench: Workbench, tmp_path: Path, name: str) -> None:
    rows = pd.DataFrame({"a": ["x", "NULL", "y", "not known"] * 5, "b": [0, 1, "NULL", 1] * 5}, dtype=object)
    if name == "a.xlsx":
        rows.to_excel(tmp_path / name, index=False)
    else:
        rows.to_csv(tmp_path / name, index=False)
    send(workbench, name, (tmp_path / name).read_bytes())
    assert workbench.step == "data"
    assert formats(workbench)["missing_marks"] == "NULL"
    assert preview(workbench)[2] == ["", "1"]
    assert "missing in the file: 'NULL'" in repr(workbench.table)
    choose(workbench, "missing_marks", "NULL, not known")
    assert formats(workbench)["missing_marks"] == "NULL, not known"
    assert preview(workbench)[4] == ["", "1"]
    choose(workbench, "missing_marks", "")
    assert formats(workbench)["missing_marks"] == ""
    assert workbench.frame["a"].tolist() == rows["a"].tolist()
    workbench.save(tmp_path / "a.study.json")
    again = Workbench.reopen(tmp_path / "a.study.json")
    assert again.frame["a"].tolist() == rows["a"].tolist()


def test_data_without_a_format_have_a_preview_alone() -> None:
    workbench = Workbench(pd.DataFrame({f"c{i}": ["a", "b", None] * 3 for i in range(20)}))
    assert formats(workbench) == {}
    assert preview(workbench)[3] == [""] * 12
    assert workbench.forms["data"].control("further")["text"] == "and 8 further columns"
    with pytest.raises(ValueError, match="a DataFrame is no text file and no spreadsheet"):
        workbench.state.session.source.read_as(FileFormat())


@pytest.mark.parametrize("sent", [False, True])
def test_a_session_and_its_notebook_read_the_file_in_the_corrected_format(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bool
) -> None:
    content = ("Ort;Rang\n" + "Łódź;1,5\nKöln;2,5\nŁódź;2,5\nKöln;3,5\n" * 10).encode("cp1250")
    (tmp_path / "orte.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    if sent:
        send(workbench, "orte.csv", content)
    else:
        workbench.load("orte.csv")
    choose(workbench, "encoding", "cp1250")
    workbench.learn("chow-liu")
    workbench.save("a.study.json")
    workbench.export_notebook("a.ipynb")
    again = Workbench.reopen("a.study.json")
    assert again.table.equals(workbench.table)
    assert again.networks == workbench.networks
    assert formats(again) | {"separator": ";", "decimal": ",", "encoding": "cp1250"} == formats(again)
    again.close()
    names: dict[str, Any] = {}
    cells = json.loads(Path("a.ipynb").read_text(encoding="utf-8"))["cells"]
    exec("\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code"), names)
    assert names["table"].equals(workbench.table)
    assert names["networks"] == workbench.networks
    waiting = Workbench()
    saved = Path("a.study.json").read_bytes()
    for path in tmp_path.glob("*.csv"):
        path.unlink()
    send(waiting, "a.study.json", saved)
    assert waiting.networks == {}
    send(waiting, "orte.csv", content)
    assert waiting.networks == workbench.networks


def test_what_is_ignored_has_a_reason_and_what_names_rows_is_questioned(workbench: Workbench) -> None:
    days = pd.date_range("2020-01-01", periods=60).strftime("%Y-%m-%d")
    rows = [f"p{i},{days[i]},{'xy'[i % 2]},{'uv'[i % 3 > 0]}" for i in range(60)]
    send(workbench, "a.csv", "\n".join(["id,day,a,b", *rows]).encode())
    steps = workbench.forms["steps"]
    assert steps.control("left-out")["text"] == (
        "Ignored: id (looks like an identifier), day (dates from 2020-01-01 to 2020-02-29)."
    )
    assert steps.control("question") is None
    workbench.set_role("id", "use")
    workbench.step = "learn"
    assert steps.control("question")["text"].startswith("id (60 states in 60 rows) looks like an identifier")
    press(workbench, steps, "ignore", True)
    assert workbench.table.names == ("a", "b")
    assert steps.control("question") is None


def test_a_part_of_a_date_is_chosen_in_the_table_of_columns(workbench: Workbench) -> None:
    days = pd.date_range("2020-01-01", periods=60).strftime("%d.%m.%Y")
    send(workbench, "a.csv", "\n".join(["day;a", *(f"{day};{'xy'[i % 2]}" for i, day in enumerate(days))]).encode())
    press(workbench, workbench.forms["columns"], "date:day", "weekday")
    assert workbench.table.arities[workbench.table.index("day")] == 7
    workbench.set_date("day", "quarter")
    assert workbench.preparation.dates == {"day": "quarter"}
    with pytest.raises(ValueError, match="column 'a' holds values that are no dates"):
        workbench.set_date("a", "year")
