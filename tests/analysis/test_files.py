"""Files of a session: what is replaced, what is kept, and where the data go."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Recipe, Study
from bnlab.analysis.files import SavedFiles, open_source, read_sent
from bnlab.analysis.session import Session
from tests.kills import child

FRAME = bnlab.load_network("asia").sample(200, seed=1).to_pandas().astype(str)


@pytest.fixture
def session() -> Session:
    made, _ = Session().load(open_source(FRAME))
    return made.with_result(made.learn(Recipe("chow-liu")))


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_file_that_this_workbench_left_is_replaced_and_one_that_changed_is_not(tmp_path: Path) -> None:
    path, mine, other = tmp_path / "a.json", SavedFiles(), SavedFiles()
    for text in ("1", "2", "2"):
        assert mine.write(path, text) is None
    other.note(path, None)
    assert other.write(path, "2") is None
    assert other.write(path, "3") is None
    with pytest.raises(FileExistsError, match=r"changed since this workbench.*overwrite=True: '.*/a\.json'"):
        mine.write(path, "4")
    assert content(tmp_path) == {"a.json": "3"}
    assert mine.write(path, "4", overwrite=True) is None
    assert mine.write(path, "5") is None
    path.unlink()
    assert mine.write(path, "6") is None
    assert content(tmp_path) == {"a.json": "6"}


def test_a_file_of_somebody_else_under_the_name_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.study.json"
    for text in ("of the user", "of another process"):
        path.write_text(text)
        assert SavedFiles().write(path, "mine") is not None
        path.write_text("mine")
    assert SavedFiles().write(path, "mine") is None
    assert content(tmp_path) == {
        "a.study.json": "mine", "a-2.study.json": "of the user", "a-3.study.json": "of another process",
    }  # fmt: skip


def test_a_name_that_nobody_chose_replaces_only_what_was_written_there(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("of the user")
    mine = SavedFiles()
    for text in "123":
        assert mine.write_beside_others(tmp_path / "a.ipynb", text).name == "a-2.ipynb"
    (tmp_path / "a-2.ipynb").write_text("changed by the user")
    for text in "45":
        assert mine.write_beside_others(tmp_path / "a.ipynb", text).name == "a-3.ipynb"
    assert content(tmp_path) == {"a.ipynb": "of the user", "a-2.ipynb": "changed by the user", "a-3.ipynb": "5"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks processes")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes_that_save_under_one_name_at_once_lose_nothing(tmp_path: Path) -> None:
    def work(name: str) -> None:
        for number in range(10):
            SavedFiles().write(tmp_path / "a.json", f"{name}{number}")

    others = [child(lambda name=name: work(name)) for name in "bcd"]
    work("a")
    assert [os.waitpid(pid, 0)[1] for pid in others] == [0, 0, 0]
    assert sorted(content(tmp_path).values()) == [f"{name}{number}" for name in "abcd" for number in range(10)]
    names = {"a.json", *(f"a-{number}.json" for number in range(2, 41))}
    assert set(content(tmp_path)) == names


def test_data_beside_a_session_replace_no_file(session: Session, tmp_path: Path) -> None:
    (tmp_path / "survey-data.csv").write_text("of the user")
    study, note, _ = session.kept_at(tmp_path / "survey.study.json")
    assert (study.source, note) == ("survey-data-2.csv", "")
    assert session.kept_at(tmp_path / "survey.ipynb")[0].source == "survey-data-2.csv"
    assert content(tmp_path) == {"survey-data.csv": "of the user", "survey-data-2.csv": FRAME.to_csv(index=False)}
    again, _ = Session().open(study, folder=tmp_path)
    assert again.table is not None
    assert again.table.equals(session.table)
    assert again.study.graphs == session.study.graphs


def test_data_are_written_once_however_often_and_by_whomever_they_are_saved(session: Session, tmp_path: Path) -> None:
    for _ in range(2):
        session.kept_at(tmp_path / "a.study.json")
    other, _ = Session().load(open_source(FRAME))
    assert other.kept_at(tmp_path / "a.study.json")[0].source == "a-data.csv"
    assert list(content(tmp_path)) == ["a-data.csv"]
    longer, _ = Session().load(open_source(pd.concat([FRAME, FRAME])))
    assert longer.kept_at(tmp_path / "a.study.json")[0].source == "a-data-2.csv"


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_text("x,y\n1,2\n")])
def test_data_whose_file_is_gone_or_changed_are_written_again(session: Session, tmp_path: Path, change) -> None:
    path = tmp_path / "own.csv"
    FRAME.to_csv(path, index=False)
    for made in (open_source(path), open_source(FRAME), read_sent("own.csv", path.read_bytes())):
        session, _ = Session().load(made)
        first = tmp_path / session.kept_at(tmp_path / "b.study.json")[0].source
        change(first)
        left = content(tmp_path)
        study, note, _ = session.kept_at(tmp_path / "b.study.json")
        assert tmp_path / study.source != first or not left.get(first.name)
        assert (tmp_path / study.source).read_text() == FRAME.to_csv(index=False)
        assert ("not as it was" in note) == (first == path)
        assert content(tmp_path).items() >= left.items()


def test_data_loaded_while_others_are_written_are_not_forgotten(tmp_path: Path) -> None:
    before, _ = Session().load(open_source(FRAME))
    study, _, kept = before.kept_at(tmp_path / "a.study.json")
    assert study.source == "a-data.csv"
    learned = before.with_result(before.learn(Recipe("chow-liu")))
    saved = learned.with_kept(before.source, kept)
    assert (list(saved.study.graphs), saved.source) == (["Chow-Liu tree"], kept)
    loaded, _ = before.load(open_source(pd.DataFrame({"u": list("xyxy"), "v": list("xxyy")})))
    assert loaded.with_kept(before.source, kept) is loaded


def test_a_study_that_was_saved_by_name_replaces_what_is_there(tmp_path: Path) -> None:
    for source in ("a", "b"):
        Study(source=source).save(tmp_path / "study.json")
    assert Study.open(tmp_path / "study.json").source == "b"
