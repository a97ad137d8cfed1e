import tempfile

import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Preparation, Recipe
from bnlab.analysis.files import open_source, read_sent
from bnlab.analysis.session import Session


@pytest.fixture
def session():
    return Session().load(open_source(bnlab.load_network("cancer").sample(4000, seed=1)))[0]


def test_a_step_that_is_not_possible_is_refused(session):
    session = session.with_result(session.learn(Recipe("chow-liu")))
    for fail in (
        lambda: session.prepare(Preparation(leave_out=tuple(session.table.names))),
        lambda: session.learn(Recipe("chow-liu", "bic")),
        lambda: session.bootstrap("nobody"),
        lambda: session.average("Chow-Liu tree"),
        lambda: session.load(open_source(pd.DataFrame({"x": ["a", "a"]}))),
        lambda: session.open(session.study, pd.DataFrame({"x": ["a", "a"]})),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            fail()


def test_a_watch_ends_a_search_with_what_it_has(session):
    found = session.learn(Recipe("hill-climbing", "bic"), watch=lambda search, state, info: True)
    session = session.with_result(found)
    assert session.study.stopped == (found.name,)
    assert len(session.study.graphs[found.name].edges) == 1
    again = session.learn(Recipe("hill-climbing", "bic"))
    assert again.name == found.name
    assert session.with_result(again).study.stopped == ()


def test_names_of_other_recipes_are_not_taken(session):
    for recipe in (Recipe("hill-climbing", "bic"), Recipe("hill-climbing", "bic", {"tabu": 3})):
        session = session.with_result(session.learn(recipe))
    assert list(session.study.graphs) == ["Hill climbing, BIC", "Hill climbing, BIC (2)"]
    assert list(session.remove("Hill climbing, BIC").study.graphs) == ["Hill climbing, BIC (2)"]


def test_the_code_of_a_session_resamples_the_same_rows(session):
    session = session.with_result(session.learn(Recipe("hill-climbing", "bdeu", {"ess": 4.0})))
    (name,) = session.study.graphs
    session = session.with_result(session.bootstrap(name, 3))
    code = session.study.code()
    names = {"frame": session.table.to_pandas(), "bnlab": bnlab}
    exec(code.replace("frame = ...  # your DataFrame", ""), names)
    assert names["table"].equals(session.table)
    assert names["confidence"].arcs.tolist() == session.study.confidence[name].arcs.tolist()


def test_data_of_which_nothing_can_be_used_are_refused_with_the_reasons():
    with pytest.raises(ValueError, match="'a' is constant, 'b' is identifier"):
        Session().load(open_source(pd.DataFrame({"a": ["x"] * 3, "b": ["u", "v", "w"]})))


def test_one_column_is_no_network(session):
    session = session.prepare(Preparation(leave_out=session.table.names[1:]))
    with pytest.raises(ValueError, match="two columns"):
        session.learn(Recipe("chow-liu"))


def test_a_file_that_was_sent_is_read_like_one_on_disk(tmp_path):
    content = bnlab.load_network("cancer").sample(50, seed=1).to_pandas().to_csv(index=False).encode()
    (tmp_path / "a.csv").write_bytes(content)
    sent, read = read_sent("a.csv", content), open_source(tmp_path / "a.csv")
    pd.testing.assert_frame_equal(sent.frame, read.frame)
    assert (sent.path, read.path) == ("", str(tmp_path / "a.csv"))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_data_that_were_sent_are_in_no_file_that_a_kill_could_leave(tmp_path, monkeypatch, suffix):
    frame = bnlab.load_network("cancer").sample(50, seed=1).to_pandas().astype(str)
    path = tmp_path / f"a.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no folder"))
    assert read_sent(path.name, path.read_bytes()).frame.equals(bnlab.load_frame(path))
    with pytest.raises(ValueError, match=f"^x.{suffix}"):
        read_sent(f"x.{suffix}", b"a\nb\0c\n")


def test_data_are_kept_with_the_bytes_that_were_sent(tmp_path):
    content = b"a,b\nx,1\ny,2\nx,2\n"
    made, _ = Session().load(read_sent("../../a.csv", content))
    study, note, _ = made.kept_at(tmp_path / "mine.study.json")
    assert (study.source, note) == ("mine-data.csv", "")
    assert (tmp_path / "mine-data.csv").read_bytes() == content


def test_states_that_a_file_cannot_hold_are_noticed(tmp_path):
    lights = pd.Categorical(["red", "amber", "red", "amber"], categories=["red", "amber"], ordered=True)
    made, _ = Session().load(open_source(pd.DataFrame({"light": lights, "b": ["x", "y", "x", "x"]})))
    assert "other names or order" in made.kept_at(tmp_path / "mine.study.json")[1]


def test_names_that_no_file_can_hold_are_refused_before_anything_is_done(session):
    with pytest.raises(ValueError, match=r"name = 'a\\x00b': no text file holds a NUL"):
        session.learn(Recipe("chow-liu"), "a\0b", watch=lambda *_: pytest.fail("the search began"))
    with pytest.raises(ValueError, match=r"column = '\\x00': no text file holds a NUL"):
        session.load(open_source(pd.DataFrame({"\0": ["x", "y"] * 4, "b": ["u", "v", "v", "u"] * 2})))
