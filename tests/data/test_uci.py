from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import load_iris

from bnlab.data import load_data, load_frame
from bnlab.data import uci as readers
from bnlab.data.catalogue import entries
from bnlab.data.uci import Layout, layouts, read_uci

UCI = list(layouts())


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that the readers take for the catalogue."""
    monkeypatch.setattr(readers, "fetch", lambda file: tmp_path / file)
    return tmp_path


def layout(monkeypatch: pytest.MonkeyPatch, **kwargs: Any) -> None:
    monkeypatch.setitem(layouts(), "tiny", Layout(**kwargs))


def test_attributes_are_floats_or_categories_and_the_class_comes_last(
    monkeypatch: pytest.MonkeyPatch, files: Path
) -> None:
    (files / "a").write_text("yes,1,0,7\nno,2,?,9\n")
    (files / "b").write_text("maybe,?,3,7\n\n")
    layout(monkeypatch, files=("a", "b"), columns=("class", "x", "n", "m"), nominal=("n", "m"))
    frame = read_uci("tiny")
    assert frame.columns.tolist() == ["x", "n", "m", "class"]
    assert frame["x"].dtype == float
    assert frame["x"].isna().tolist() == [False, False, True]
    assert frame["n"].cat.categories.tolist() == [0, 3]
    assert frame["m"].tolist() == [7, 9, 7]
    assert frame["class"].cat.categories.tolist() == ["maybe", "no", "yes"]


def test_blanks_in_any_number_and_at_the_end_separate(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    (files / "a").write_text("1 2  bus \n3 4 opel\n")
    layout(monkeypatch, files=("a",), columns=("x", "y", "class"), separator="blank", whole=True)
    frame = read_uci("tiny")
    assert frame.dtypes.astype(str).tolist() == ["int64", "int64", "category"]
    assert frame["class"].tolist() == ["bus", "opel"]


def test_leading_lines_are_skipped(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    (files / "a").write_text(";;; made by hand\n\nX\n\n1,a\n")
    layout(monkeypatch, files=("a",), columns=("x", "class"), skip=4)
    assert read_uci("tiny").to_dict("list") == {"x": [1.0], "class": ["a"]}


def test_text_that_pandas_takes_for_gaps_is_text(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    (files / "a").write_text("None,a\nNA,b\n?,b\n")
    layout(monkeypatch, files=("a",), columns=("x", "class"), nominal=("x",))
    assert read_uci("tiny")["x"].cat.categories.tolist() == ["NA", "None"]


def test_the_row_number_is_left_out_unless_asked_for(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    (files / "a").write_text("1,0.5,p\n2,0.7,q\n")
    layout(monkeypatch, files=("a",), columns=("Id", "x", "class"), id_column="Id")
    assert load_frame("tiny").columns.tolist() == ["x", "class"]
    kept = read_uci("tiny", keep_id=True)
    assert kept.columns.tolist() == ["Id", "x", "class"]
    assert kept["Id"].tolist() == [1, 2]
    assert kept["Id"].dtype == "int64"
    with pytest.raises(ValueError, match="'letter' has no column of row numbers"):
        read_uci("letter", keep_id=True)


@pytest.mark.parametrize("name", UCI)
def test_layouts_name_each_column_once_and_files_of_the_catalogue(name: str) -> None:
    layout = layouts()[name]
    known = {entry.file: entry for entry in entries()}
    assert len(set(layout.columns)) == len(layout.columns)
    assert set(layout.nominal) < set(layout.columns)
    for file in layout.files:
        assert known[file].name == name
        assert known[file].attributes == len(layout.columns) - 1 - (layout.id_column is not None)


@pytest.mark.needs_data
@pytest.mark.parametrize("name", UCI)
def test_every_set_has_the_shape_and_classes_of_the_catalogue(shared_data: object, name: str) -> None:
    frame = load_frame(name)
    mine = [entry for entry in entries() if entry.file in layouts()[name].files]
    assert frame.shape == (sum(entry.rows or 0 for entry in mine), (mine[0].attributes or 0) + 1)
    assert len(frame["class"].cat.categories) == mine[0].classes
    assert frame["class"].notna().all()
    table = load_data(name, missing="drop", discretize="mdl")
    assert table.target == "class"
    assert table.n_variables == frame.shape[1]


COMPLETE = {"soybean-large": 562, "vote": 232, "hepatitis": 80, "diabetes": 768}


@pytest.mark.needs_data
@pytest.mark.parametrize("name", COMPLETE)
def test_question_marks_are_missing_and_zeros_are_not(shared_data: object, name: str) -> None:
    assert len(load_frame(name).dropna()) == COMPLETE[name]


@pytest.mark.needs_data
def test_scikit_learn_has_the_corrected_iris_data(shared_data: Any) -> None:
    bezdek, bunch = load_frame("iris-bezdek"), load_iris()
    assert (bezdek.iloc[:, :-1].to_numpy() == bunch.data).all()
    assert (bezdek["class"].cat.codes == bunch.target).all()
    uncorrected = load_frame("iris")
    assert (bezdek != uncorrected).any(axis=1).to_numpy().nonzero()[0].tolist() == [34, 37]


@pytest.mark.needs_data
def test_both_files_of_segment_hold_the_same_rows(shared_data: object) -> None:
    names = ["BRICKFACE", "SKY", "FOLIAGE", "CEMENT", "WINDOW", "PATH", "GRASS"]
    statlog, uci = load_frame("segment"), load_frame("segment-uci")
    statlog["class"] = [names[code - 1] for code in statlog["class"]]
    uci["class"] = uci["class"].astype(object)

    def ordered(frame: pd.DataFrame) -> pd.DataFrame:
        rounded = frame.assign(**frame.iloc[:, :-1].round(3).to_dict("series"))
        return rounded.sort_values(list(frame.columns)).reset_index(drop=True)

    pd.testing.assert_frame_equal(ordered(statlog), ordered(uci), check_dtype=False, atol=2e-3)


@pytest.mark.needs_data
def test_numbers_without_a_discretizer_are_refused_except_whole_ones(shared_data: object) -> None:
    with pytest.raises(ValueError, match=r"are continuous.*discretize=\"mdl\""):
        load_data("vehicle")
    letter = load_data("letter")
    assert letter.arities == (16,) * 16 + (26,)
    assert letter.variables[0].states == tuple(range(16))
    assert max(load_data("letter", discretize="mdl").arities[:-1]) <= 16


@pytest.mark.needs_data
def test_glass_gives_the_class_away_by_its_row_number(shared_data: object) -> None:
    glass = read_uci("glass", keep_id=True)
    assert glass["class"].is_monotonic_increasing
    assert glass["Id"].tolist() == list(range(1, 215))
    assert load_frame("glass").shape == (214, 10)


@pytest.mark.needs_data
def test_promoters_have_the_hexamer_that_biologists_found_35_nucleotides_before_transcription(
    shared_data: object,
) -> None:
    """Consensus TTGACA (Hawley and McClure 1983), which places every column; other rows do not have it."""
    frame = load_frame("promoters")
    assert frame["class"].value_counts().to_dict() == {"+": 53, "-": 53}
    assert all(frame[name].cat.categories.tolist() == list("acgt") for name in frame.columns.drop("class"))
    hexamer = [f"p-{at}" for at in range(36, 30, -1)]
    of_class = {name: part[hexamer].mode().iloc[0].str.cat() for name, part in frame.groupby("class", observed=True)}
    assert of_class["+"] == "ttgaca"
    assert of_class["-"] != "ttgaca"
    assert not frame.duplicated().any()
