from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bnlab.data import load_data, load_frame, mdl_cuts

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "rows.csv"
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return to_file


def test_a_csv_file_has_strings_integers_and_booleans_as_states(write: Write) -> None:
    table = load_data(write("s,i,b\nv,10,True\nu,9,False\n"), target="i")
    assert [variable.states for variable in table.variables] == [("u", "v"), (9, 10), (False, True)]
    assert table.target == "i"
    assert load_data(str(write("s\na\n"))).n_rows == 1


def test_gaps_in_a_csv_file_are_missing_and_integers_stay_integers(write: Write) -> None:
    path = write("s,i\nNone,1\n,2\nnull,\nNA,3\nn/a,?\n")
    with pytest.raises(ValueError, match="columns 's', 'i' have missing values"):
        load_data(path)
    table = load_data(path, missing="state")
    assert [variable.states for variable in table.variables] == [
        ("None", "n/a", "null", "missing"),
        (1, 2, 3, "missing"),
    ]
    assert load_data(path, missing="drop").to_pandas().to_dict("list") == {"s": ["None"], "i": [1]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nx,y\nx\n", r"rows\.csv, line 3: 1 fields where the first line has 2"),
        ("a,b\nx,y\nx,y,z\n", r"line 3: 3 fields where the first line has 2"),
        ("a,b\nx,y,z,w\nx,y,\n", r"line 2: 4 fields"),
        ('a,b\n"x\n\n",y\nx\n', r"line 5: 1 fields"),
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b,a\n1,2,3\n", "two columns are called 'a'"),
        ("a,b\n", "no line of values"),
        ("a,b\nx,0.5\n", "columns 'b' are continuous"),
    ],
)
def test_a_bad_csv_file_is_refused_with_the_line(write: Write, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_data(write(text))


def test_a_parquet_file_keeps_categories_and_integers_with_gaps(tmp_path: Path) -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["b", "a"], ["b", "a", "z"]), "i": pd.Series([4, None], dtype="Int64")})
    frame.to_parquet(tmp_path / "rows.parquet")
    table = load_data(tmp_path / "rows.parquet", missing="state")
    assert [variable.states for variable in table.variables] == [("b", "a", "z"), (4, "missing")]


def test_unreadable_files_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"not parquet")
    with pytest.raises(ValueError, match=r"rows\.parquet cannot be read as a \.parquet file"):
        load_data(tmp_path / "rows.parquet")
    (tmp_path / "rows.doc").write_bytes(b"PK")
    with pytest.raises(ValueError, match=r"ends in '\.doc': give the path of a file that ends in \.csv, .* or \.dta"):
        load_data(tmp_path / "rows.doc")


def test_an_unknown_name_offers_near_ones() -> None:
    with pytest.raises(ValueError, match=r"no data set is called 'satimages': did you mean 'satimage'"):
        load_data("satimages")
    with pytest.raises(ValueError, match=r"'alarm' is a network.*load_network\('alarm'\)\.sample"):
        load_data("alarm")


def measured() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "x": [1.0, 2, 3, 4, 6, 7, 8, 9, None],
            "n": [1, 2, 3, 4, 5, 6, 7, 8, 9],
            "label": list("aaaabbbb") + ["b"],
        }
    )


@pytest.mark.parametrize(("method", "cuts"), [("quantile", [2.5, 4.5]), ("width", [34.0, 67.0])])
def test_columns_are_cut_without_a_class(method: str, cuts: list[float]) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 100.0], "y": list("aabbab")})
    table = load_data(frame, discretize=method)
    assert table.column("x").tolist() == np.searchsorted(cuts, frame.x, side="left").tolist()
    assert table.variables[1].states == ("a", "b")
    assert load_data(frame, discretize=method, bins=2).arities == (2, 2)


def test_what_cannot_be_cut_is_named() -> None:
    frame = pd.DataFrame({"good": [1.0, 2.0, 3.0], "bad": [1.0, np.inf, 2.0]})
    with pytest.raises(ValueError, match="column 'bad': it is infinite"):
        load_data(frame, discretize="width")
    with pytest.raises(ValueError, match="bins=1: a whole number"):
        load_data(frame[["good"]], discretize="quantile", bins=1)


def test_row_numbers_are_no_variable_unless_declared() -> None:
    frame = pd.DataFrame({"id": np.arange(200), "name": [f"n{i % 190}" for i in range(200)], "x": ["a", "b"] * 100})
    with pytest.raises(ValueError, match=r"'id', 'name'.*nearly every one of 200 rows.*drop\(columns="):
        load_data(frame)
    assert load_data(frame.astype({"id": "category", "name": "category"})).arities == (200, 190, 2)
    assert load_data(frame.head(10)).arities == (10, 10, 2)


def test_free_text_that_half_of_the_rows_lack_is_no_variable_either() -> None:
    frame = pd.DataFrame({"text": [f"n{i}" if i % 2 else None for i in range(200)], "x": ["a", "b"] * 100})
    with pytest.raises(ValueError, match=r"columns 'text' have another value"):
        load_data(frame, missing="state")


def test_discretize_cuts_columns_of_floats_alone() -> None:
    table = load_data(measured(), missing="drop", discretize="mdl", target="label")
    assert [variable.states for variable in table.variables] == [("<=5", ">5"), tuple(range(1, 9)), ("a", "b")]
    assert table.target == "label"
    with_gap = load_data(measured(), missing="state", discretize="mdl", target="label")
    assert with_gap.variables[0].states == ("<=5", ">5", "missing")
    assert with_gap.column("x").tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_drop_comes_before_the_cuts() -> None:
    frame = measured().assign(other=[None] * 4 + list("uuuuu"))
    table = load_data(frame, missing="drop", discretize="mdl", target="label")
    assert table.variables[0].states == ("any",)


def test_rows_without_a_class_do_not_shape_the_cuts() -> None:
    frame = measured().iloc[:8].assign(label=["a", "a", "a", "a", None, "b", "b", "b"])
    table = load_data(frame, missing="state", discretize="mdl", target="label")
    assert table.variables[0].states == ("<=5.5", ">5.5")


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"discretize": "mld", "target": "label"}, "discretize='mld': did you mean 'mdl'"),
        ({"discretize": "mdl"}, "name it, target="),
        ({"discretize": "mdl", "target": "lable"}, "no column is called 'lable': did you mean 'label'"),
        ({"discretize": "mdl", "target": "x"}, "the target 'x' is continuous"),
        ({"discretize": "mdl", "target": "label"}, "columns 'x' have missing values"),
        ({"discretize": "mdl", "target": "label", "missing": "skip"}, "missing='skip'"),
    ],
)
def test_what_the_discretizer_cannot_do_is_said(kwargs: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_data(measured(), **kwargs)  # type: ignore[arg-type]


def test_the_discretizer_of_the_front_door_uses_all_rows() -> None:
    frame = load_frame("iris-bezdek")
    table = load_data("iris-bezdek", discretize="mdl")
    cuts = mdl_cuts(frame["petal-width"], frame["class"])
    assert (table.column("petal-width") == (frame["petal-width"].to_numpy()[:, None] > cuts).sum(axis=1)).all()


def test_marks_of_missing_values_are_no_categories() -> None:
    frame = pd.DataFrame(
        {"a": pd.Categorical(["x", "?", "y"], ["y", "?", "x", "z"]), "b": ["?", "u", "v"], "c": [1, 2, 1]}
    )
    table = load_data(frame, missing_marks=["?"], missing="keep")
    assert [v.states for v in table.variables] == [("y", "x", "z"), ("u", "v"), (1, 2)]
    assert table.gaps == {"a": 1, "b": 1}


def test_fields_of_an_array_may_have_any_byte_order() -> None:
    rows = np.array([(3, 0.5), (1, 1.5), (3, 2.5)], dtype=[("a", ">i8"), ("b", ">f4")])
    table = load_data(rows, discretize="width", bins=2)
    assert [v.states for v in table.variables] == [(1, 3), ("<=1.5", ">1.5")]
    assert table.equals(load_data(rows.astype([("a", "<i8"), ("b", "<f4")]), discretize="width", bins=2))


def test_what_was_missing_in_a_file_is_still_shown_of_another_target(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\nNA,1\nx,2\ny,1\n")
    table = load_data(tmp_path / "x.csv", missing="keep")
    for same in (table, table.with_target("b"), table.with_weights([1, 2, 3])):
        assert "(missing in the file: 'NA')" in repr(same)
