import numpy as np
import pandas as pd
import pytest

from bnlab.analysis import column_preview, cut_points
from bnlab.analysis.preparation_editor import PreparationEditor


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    weight = rng.normal(70, 10, 90)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(90)],
            "weight": weight,
            "visits": rng.poisson(40, 90),
            "heavy": np.where(weight > 75, "yes", "no"),
            "group": rng.choice(["a", "b"], 90),
            "gap": [None, "x", "y"] * 30,
        }
    )


def test_only_one_column_is_the_target(frame):
    now = PreparationEditor.suggested(frame).role("heavy", "target").role("group", "target")
    assert now.preparation.target == "group"
    assert now.role("group", "use").preparation.target is None
    assert now.role("group", "leave out").preparation.target is None


def test_cuts_by_the_target_follow_another_one(frame):
    now = PreparationEditor.suggested(frame).role("heavy", "target").cut("weight", "mdl")
    (cut,) = now.preparation.cuts["weight"]
    assert 74 < cut < 77
    assert now.role("group", "target").preparation.cuts["weight"] == ()
    back = now.role("heavy", "use")
    assert back.ways["weight"] == ("quantile", 3)
    assert len(back.preparation.cuts["weight"]) == 2


def test_a_column_of_numbers_that_is_taken_in_is_cut(frame):
    now = PreparationEditor.suggested(frame).cut("visits", "").role("visits", "leave out").role("visits", "use")
    assert now.ways["visits"] == ("quantile", 3)
    assert now.preparation.apply(frame).arities[1] == 3


def test_a_part_of_dates_is_taken_and_cut_where_it_is_a_number(frame):
    frame = frame.assign(day=pd.date_range("2020-01-01", periods=90).strftime("%d.%m.%Y"), when=pd.Timestamp(0))
    now = PreparationEditor.suggested(frame)
    assert {"day", "when"} <= set(now.preparation.leave_out)
    month = now.role("day", "use")
    assert month.preparation.dates == {"day": "month"}
    assert month.preparation.apply(frame).variables[-1].states == ("January", "February", "March")
    cut = month.date("day", "decimal year")
    assert cut.ways["day"] == ("quantile", 3)
    assert np.bincount(cut.preparation.apply(frame).column("day")).tolist() == [30, 30, 30]
    back = cut.date("day", "weekday")
    assert "day" not in back.preparation.cuts
    assert "day" not in back.ways
    assert len(back.preparation.apply(frame).variables[-1].states) == 7
    with pytest.raises(ValueError, match="no dates"):
        now.date("group", "year")


def test_all_numbers_are_cut_alike_and_others_stay(frame):
    now = PreparationEditor.suggested(frame).cut_all("width", 5)
    assert now.ways == {"weight": ("width", 5), "visits": ("width", 5)}
    assert now.preparation.leave_out == ("id",)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda now: now.cut("weight", "own", text=""), "such as 18, 65"),
        (lambda now: now.cut("weight", "own", text="inf"), "no finite"),
        (lambda now: now.cut("weight", "own", text="x"), "no cut points"),
        (lambda now: now.cut("group", "own", text="1"), "only numbers"),
        (lambda now: now.cut("weight", "quartile"), "quantile"),
        (lambda now: now.role("weight", "goal"), "target"),
        (lambda now: now.missing("none"), "state"),
        (lambda now: now.role("visits", "target").cut("weight", "mdl").preparation.apply(now.frame), None),
        (lambda now: now.role("weight", "target").cut("visits", "mdl"), "is continuous"),
    ],
)
def test_impossible_changes_are_refused_in_words(frame, change, told):
    now = PreparationEditor.suggested(frame)
    if told is None:
        assert change(now).n_variables == 5
        return
    with pytest.raises(ValueError, match=told):
        change(now)


def test_cut_points_are_short_and_part_the_same_values(frame):
    cuts = cut_points(frame, "weight", bins=4)
    assert all(len(repr(cut)) <= 6 for cut in cuts)
    ranks = np.searchsorted(cuts, frame["weight"], side="left")
    assert np.bincount(ranks).tolist() in ([22, 23, 22, 23], [23, 22, 22, 23], [22, 23, 23, 22], [22, 22, 23, 23])


def test_values_that_differ_late_keep_the_digits_it_takes():
    frame = pd.DataFrame({"x": [1.00000001, 1.00000002, 1.00000003, 1.00000004]})
    (cut,) = cut_points(frame, "x", bins=2)
    assert 1.00000002 <= cut < 1.00000003


def test_a_preview_counts_what_the_table_holds(frame):
    now = PreparationEditor.suggested(frame)
    table = now.preparation.apply(frame)
    preview = column_preview(frame, "weight", now.preparation.cuts["weight"])
    assert preview.counts == tuple(np.bincount(table.column("weight")))
    assert sum(preview.bars) == 90
    assert column_preview(frame, "gap").missing == 30
    assert column_preview(frame, "id").others == 78


def test_a_preview_of_whole_numbers_stored_as_decimals_shows_whole_ones():
    assert column_preview(pd.DataFrame({"answer": [1.0, 3.0, None, 3.0]}), "answer").states == ("3", "1")
