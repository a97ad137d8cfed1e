"""What a workbench writes, and that every file of the user's stays. Where the data go is tested with sessions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import bnlab
from bnlab.analysis import Study
from bnlab.widgets import Workbench
from tests.widgets.workbench import acting

FRAME = bnlab.load_network("asia").sample(300, seed=1).to_pandas().astype(str)


@pytest.fixture
def workbench() -> Workbench:
    made = Workbench(FRAME)
    made.learn("chow-liu")
    return made


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def press(workbench: Workbench, name: str, value: Any = True) -> str:
    """Use a control of the form that writes files; what the page then says."""
    acting.press(workbench, workbench.forms["files"], name, value)
    return workbench.state.said.get("files", ("", False))[0]


def test_a_session_that_another_process_saved_meanwhile_is_not_replaced(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "survey.study.json"
    workbench.save(path)
    other = Workbench.reopen(path)
    other.learn("branching")
    other.save(path)
    with pytest.raises(FileExistsError, match=r"changed since.*overwrite=True: '.*/survey\.study\.json'"):
        workbench.save(path)
    assert Study.open(path).graphs == other.networks
    workbench.save(path, overwrite=True)
    assert Study.open(path).graphs == workbench.networks


def test_a_session_whose_networks_are_not_here_is_kept(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "survey.study.json"
    workbench.save(path)
    before = path.read_text()
    other = Workbench.reopen(path, data=FRAME[["smoke", "lung"]])
    assert other.networks == {}
    other.save(path)
    assert "survey-2.study.json" in other.status
    assert (tmp_path / "survey-2.study.json").read_text() == before


def test_the_file_of_the_data_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("survey.csv", index=False)
    Path("link.csv").symlink_to("survey.csv")
    before = Path("survey.csv").read_bytes()
    workbench = Workbench("survey.csv")
    for path in ("survey.csv", tmp_path / "link.csv"):
        for write in (workbench.save, workbench.export_notebook, workbench.export_report):
            for overwrite in (False, True):
                with pytest.raises(ValueError, match=r"\.csv holds the data of this study: choose another name"):
                    write(path, overwrite=overwrite)
    assert Path("survey.csv").read_bytes() == before


def test_the_page_replaces_no_file_that_this_workbench_did_not_write(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["analysis.study.json", "analysis-data.csv", "analysis.html", "analysis.ipynb"]
    for name in names:
        Path(name).write_text("of the user")
    for kind in ("session", "report", "notebook"):
        for _ in range(2):
            told = press(workbench, f"save-{kind}")
            assert "analysis-2" in told
            assert "is another file and stays as it is" in told
            workbench.learn("branching")
    assert {name: Path(name).read_text() for name in names} == dict.fromkeys(names, "of the user")
    written = {"analysis-2.study.json", "analysis-data-2.csv", "analysis-2.html", "analysis-2.ipynb"}
    assert set(content(tmp_path)) == {*names, *written}
    again = Workbench("analysis-2.study.json")
    assert set(again.networks) == {"Chow-Liu tree", "Optimal tree, BIC"}
    press(again, "file", "analysis-2")
    again.learn("hill-climbing", tabu=0)
    assert "another file" not in press(again, "save-session")
    assert set(content(tmp_path)) == {*names, *written}


def test_the_shown_network_is_saved_as_a_page_that_needs_no_python(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "analysis-network.html" in press(workbench, "save-page")
    page = (tmp_path / "analysis-network.html").read_text()
    assert f"<title>{workbench.shown}</title>" in page
    carried = json.loads(page.split('<script type="application/json" id="content">')[1].split("</script>")[0])
    assert carried["names"] == list(workbench.table.names)
    assert carried["tree"]["arities"] == list(workbench.table.arities)
    assert press(workbench, "download-page") == "Downloaded as analysis-network.html."
    assert workbench.state.offered.content == page


def test_a_pdf_that_cannot_be_printed_says_what_is_missing(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "playwright", None)
    assert "pip install 'bnlab[pdf]'" in press(workbench, "save-pdf")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ImportError, match="pip install"):
        workbench.export_report(tmp_path / "report.pdf")


def test_a_report_waits_for_the_strengths_that_it_shows(tmp_path: Path) -> None:
    workbench = Workbench(bnlab.load_network("cancer").sample(50, seed=1).to_pandas())
    workbench.learn("chow-liu")
    workbench.export_report(tmp_path / "at once.html")
    workbench.wait()
    workbench.export_report(tmp_path / "later.html")
    workbench.close()
    assert (tmp_path / "at once.html").read_bytes() == (tmp_path / "later.html").read_bytes()
