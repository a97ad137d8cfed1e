from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bnlab.analysis import Preparation, cut_points
from bnlab.analysis.preparation_editor import PreparationEditor


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(60)],
            "weight": rng.normal(70, 10, 60),
            "group": rng.choice(["a", "b"], 60),
            "gap": [None, "x", "y"] * 20,
        }
    )


def test_what_is_suggested_gives_a_table_whatever_the_columns_are(frame):
    table = Preparation.suggested(frame).apply(frame)
    assert table.names == ("weight", "group", "gap")
    assert table.arities == (3, 2, 3)
    assert np.bincount(table.column("weight")).tolist() == [20, 20, 20]


def test_the_same_steps_run_as_code(frame):
    preparation = Preparation.suggested(frame)
    preparation = replace(preparation, states={"group": {"b": 'it\'s "b"', "a": "a"}})
    names = {"frame": frame, "Preparation": Preparation}
    exec(preparation.code(), names)
    assert names["table"].fingerprint == preparation.apply(frame).fingerprint


@pytest.mark.parametrize(("method", "bins", "intervals"), [("quantile", 5, 5), ("width", 2, 2)])
def test_bins_are_as_many_as_asked_for(frame, method, bins, intervals):
    assert len(cut_points(frame, "weight", method, bins=bins)) == intervals - 1


def test_a_class_guides_the_cuts_of_mdl(frame):
    frame["heavy"] = np.where(frame["weight"] > 75, "yes", None)
    frame["heavy"] = frame["heavy"].fillna("no")
    (cut,) = cut_points(frame, "weight", "mdl", target="heavy")
    assert frame["weight"][frame["heavy"] == "no"].max() < cut < frame["weight"][frame["heavy"] == "yes"].min()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"column": "wieght"}, "weight"),
        ({"column": "group"}, "only numbers"),
        ({"column": "weight", "method": "quartile"}, "quantile"),
        ({"column": "weight", "bins": 1}, "at least 2"),
        ({"column": "weight", "method": "mdl"}, "target"),
        ({"column": "weight", "method": "mdl", "target": "weight"}, "by itself"),
    ],
)
def test_bad_cuts_are_refused_in_words(frame, call, message):
    with pytest.raises(ValueError, match=message):
        cut_points(frame, **call)


def test_something_has_to_be_left(frame):
    with pytest.raises(ValueError, match="all 4 columns"):
        Preparation(leave_out=tuple(frame.columns)).apply(frame)
    with pytest.raises(ValueError, match="no column is called 'grup'"):
        Preparation(leave_out=("grup",)).apply(frame)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"leave_out": "weight"}, "leave_out = 'weight': a list of names"),
        ({"leave_out": (1,)}, "leave_out = "),
        ({"cuts": {"weight": (float("nan"),)}}, "cuts"),
        ({"cuts": {"weight": (2, 1)}}, "cut points ascend"),
        ({"cuts": {"weight": "12"}}, "a list of finite numbers"),
        ({"missing": "guess"}, "known names: drop, error, keep, state"),
        ({"target": "a\0"}, "target = 'a.x00': no text file holds a NUL"),
        ({"target": "group", "leave_out": ("group",)}, "the target 'group' is left out"),
        ({"states": {"group": "ab"}}, r"states\['group'\] = 'ab': pairs"),
        ({"states": {"group": {"a": 1}}}, r"states\['group'\] = .*: pairs"),
        ({"states": {"group": (("a", "x"), ("a", "y"))}}, "the state 'a' is there twice"),
    ],
)
def test_a_preparation_is_checked_when_it_is_made(arguments, message):
    with pytest.raises(ValueError, match=message):
        Preparation(**arguments)


def test_numbers_with_decimals_and_no_cuts_are_refused_in_words(frame):
    with pytest.raises(ValueError, match=r"column 'weight' has numbers with decimals.*cut it into intervals, or leave"):
        Preparation(("id",), missing="state").apply(frame)


def test_whole_numbers_of_any_count_are_states_when_they_are_not_cut():
    frame = pd.DataFrame({"visits": np.arange(60.0) % 15, "group": list("ab") * 30})
    assert "visits" in Preparation.suggested(frame).cuts
    assert Preparation().apply(frame).variables[0].states == tuple(range(15))


def test_words_with_a_natural_order_are_states_in_it():
    frame = pd.DataFrame({"risk": ["low", "high", None, "medium"] * 5, "eyes": ["brown", "blue"] * 10})
    preparation = Preparation.suggested(frame)
    table = preparation.apply(frame)
    assert [variable.states for variable in table.variables] == [
        ("low", "medium", "high", "missing"),
        ("blue", "brown"),
    ]
    assert (frame["risk"].fillna("missing") == [table.variables[0].states[code] for code in table.column(0)]).all()
    cut = Preparation(cuts={"age": (30.0,)}).apply(pd.DataFrame({"age": [20, 40], "month": ["March", "February"]}))
    assert cut.variables[1].states == ("February", "March")


@pytest.mark.parametrize(
    ("part", "states"),
    [
        ("year", (2019, 2020)),
        ("quarter", ("Q1", "Q2", "Q4")),
        ("month", ("February", "May", "December")),
        ("weekday", ("Tuesday", "Saturday", "Sunday")),
        ("decimal year", ("<=2020", ">2020")),
    ],
)
def test_dates_become_what_they_are_used_as(part, states):
    frame = pd.DataFrame({"day": ["31.12.2019", "01.02.2020", "03.05.2020"], "group": list("aba")})
    preparation = Preparation(cuts={"day": (2020.0,)} if part == "decimal year" else {}, dates={"day": part})
    assert preparation.apply(frame).variables[0].states == states
    names = {"frame": frame, "Preparation": Preparation}
    exec(preparation.code(), names)
    assert names["table"].equals(preparation.apply(frame))


def test_dates_are_left_out_until_a_part_is_chosen():
    frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=40), "group": list("ab") * 20})
    assert Preparation.suggested(frame).leave_out == ("day",)
    with pytest.raises(ValueError, match="column 'group' holds values that are no dates"):
        Preparation(dates={"group": "year"}).apply(frame)
    with pytest.raises(ValueError, match=r"dates\['day'\] = 'years': one of 'year', "):
        Preparation(dates={"day": "years"})


def test_whole_numbers_that_gaps_made_floats_stay_states_unless_they_are_cut():
    frame = pd.DataFrame({"answer": [1.0, 2.0, 3.0, None] * 5, "group": list("abab") * 5})
    preparation = Preparation.suggested(frame)
    assert (preparation.cuts, preparation.missing) == ({}, "state")
    assert preparation.apply(frame).variables[0].states == (1, 2, 3, "missing")
    cut = Preparation(cuts={"answer": (1.5,)}, missing="drop").apply(frame)
    assert cut.variables[0].states == ("<=1.5", ">1.5")


SMOKES = pd.DataFrame({"smokes": ["often", "ex", "never", None, "ex"] * 4, "level": [3, 1, 2, 1, 10] * 4})


def states(preparation, column, frame=SMOKES):
    """States of a column after a preparation, with the number of rows of each."""
    table = preparation.apply(frame)
    codes, variable = table.column(column), table.variables[table.index(column)]
    return dict(zip(variable.states, np.bincount(codes, minlength=variable.arity).tolist(), strict=True))


def test_states_are_renamed_merged_and_put_in_order():
    pairs = (("never", "no"), ("often", "yes"), ("ex", "yes"))
    preparation = Preparation(missing="state", states={"smokes": pairs})
    assert states(preparation, "smokes") == {"no": 4, "yes": 12, "missing": 4}
    assert list(states(preparation, "smokes")) == ["no", "yes", "missing"]
    new = SMOKES["smokes"].map(dict(pairs)).fillna("missing")
    expected = new.value_counts().to_dict()
    assert states(preparation, "smokes") == expected
    assert Preparation(missing="state", states={"smokes": dict(pairs)}) == preparation
    assert states(preparation, "level") == {1: 8, 2: 4, 3: 4, 10: 4}


def test_new_states_leave_missing_values_missing_and_the_target_in_place():
    pairs = (("ex", "yes"), ("often", "yes"))
    table = Preparation(missing="keep", target="smokes", states={"smokes": pairs}).apply(SMOKES)
    assert table.variables[0].states == ("yes", "never")
    assert table.gaps == {"smokes": 4}
    assert table.target == "smokes"


def test_a_new_state_of_a_state_that_no_row_shows_changes_nothing():
    preparation = Preparation(missing="drop", states={"smokes": (("missing", "no"), ("never", "no"))})
    assert states(preparation, "smokes") == {"no": 4, "ex": 8, "often": 4}


def test_edits_of_states_add_up_and_are_taken_back():
    editor = PreparationEditor.suggested(SMOKES)
    first = editor.recode("smokes", {"never": "no"}).recode("smokes", {"often": "yes", "ex": "yes"})
    assert list(states(first.preparation, "smokes").items()) == [("yes", 12), ("no", 4), ("missing", 4)]
    renamed = first.recode("smokes", {"yes": "smoker", "missing": "smoker"}).preparation
    assert states(renamed, "smokes") == {"smoker": 16, "no": 4}
    assert list(states(editor.recode("level", {"2": "two"}).preparation, "level")) == ["1", "two", "3", "10"]
    assert list(states(editor.recode("level", {"10": "10", "2": "2"}).preparation, "level")) == ["1", "10", "3", "2"]
    assert first.recode("smokes", {}) != first
    assert first.recode("smokes", {}).preparation == editor.preparation
    with pytest.raises(ValueError, match="column 'smokes' has no state 'yse': did you mean 'yes'"):
        first.recode("smokes", {"yse": "no"})


def test_a_state_of_the_data_with_the_name_of_a_new_one_belongs_to_it():
    given = Preparation(missing="state", states={"smokes": {"ex": "often"}})
    editor = PreparationEditor(SMOKES, given)
    assert states(editor.recode("smokes", {"often": "yes"}).preparation, "smokes")["yes"] == 12


def test_other_cut_points_forget_the_names_of_the_intervals(frame):
    editor = PreparationEditor.suggested(frame).cut("weight", "own", text="60, 75")
    named = editor.recode("weight", {"<=60": "light"})
    assert list(states(named.preparation, "weight", frame)) == ["light", "(60, 75]", ">75"]
    assert named.cut("weight", "own", text="60, 75").preparation == named.preparation
    assert named.cut("weight", "own", text="60, 76").preparation.states == {}


def test_merged_classes_guide_the_cuts_of_mdl():
    rng = np.random.default_rng(1)
    weight = rng.uniform(0, 3, 300)
    frame = pd.DataFrame({"weight": weight, "size": np.array(["small", "middle", "large"])[weight.astype(int)]})
    editor = PreparationEditor.suggested(frame).role("size", "target").cut("weight", "mdl")
    assert len(editor.preparation.cuts["weight"]) == 2
    merged = editor.recode("size", {"middle": "small"})
    size = frame["size"].replace("middle", "small")
    assert merged.preparation.cuts["weight"] == cut_points(frame.assign(size=size), "weight", "mdl", target="size")
    assert len(merged.preparation.cuts["weight"]) == 1
    assert merged.recode("size", {}).preparation == editor.preparation
