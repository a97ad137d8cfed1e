import pandas as pd
import pytest

from bnlab.analysis import describe_columns


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b"] * 5, "states"),
        ([1, 2] * 5, "states"),
        ([True, False] * 5, "states"),
        ([0.5, 1.5] * 5, "continuous"),
        (["a"] * 10, "constant"),
        ([f"row {i}" for i in range(10)], "identifier"),
        (list(range(10)), "identifier"),
        ([1, 1, 2, 3, 4, 5, 6, 7, 8, 9], "numbers"),
        ([*map(float, range(100_000, 100_040)), None], "identifier"),
        ([*map(float, range(0, 40_000, 1_000)), None], "continuous"),
        ([1.0, 2.0, 3.0, None] * 5, "states"),
        ([*map(float, range(11))] * 5, "continuous"),
        ([None] * 10, "empty"),
        ([2.5] * 10, "constant"),
        ([0.5, float("inf")] * 5, "unsuitable"),
        ([1, "a"] * 5, "unsuitable"),
        ([[1]] * 10, "unsuitable"),
        (pd.date_range("2020-01-01", periods=10), "dates"),
        (pd.date_range("2020-01-01", periods=10, tz="Europe/Berlin"), "dates"),
        ([*pd.date_range("2020-01-01", periods=9).date, None], "dates"),
        ([*pd.date_range("2020-01-01", periods=9).strftime("%d.%m.%Y"), None], "dates"),
        ([*pd.date_range("2020-01-01", periods=9).strftime("%d.%m.%Y"), "unknown"], "identifier"),
        (["2020-01-01"] * 10, "constant"),
        (pd.timedelta_range("1h", periods=10), "unsuitable"),
        (pd.Categorical(["a", "b"] * 5, categories=["a", "b", "c"]), "states"),
    ],
)
def test_each_column_is_told_what_it_is(values, kind):
    assert describe_columns(pd.DataFrame({"x": values})).loc["x", "kind"] == kind


def test_gaps_and_differing_values_are_counted():
    row = describe_columns(pd.DataFrame({"x": ["a", None, "b", "a", None, "a"]})).loc["x"]
    assert (row["values"], row["missing"], row["example"]) == (2, 2, "a, b")


def test_whole_numbers_that_gaps_made_floats_are_told_of_and_shown_in_full():
    row = describe_columns(pd.DataFrame({"x": [100_123.0, 22_383.15, None, 22_383.15]})).loc["x"]
    assert row["example"] == "100123, 22383.2"
    assert "stored as decimals" in describe_columns(pd.DataFrame({"x": [1.0, 2.0, None, 2.0, 1.0]})).loc["x", "advice"]


def test_an_empty_frame_is_refused():
    with pytest.raises(ValueError, match="0 rows"):
        describe_columns(pd.DataFrame({"x": []}))
