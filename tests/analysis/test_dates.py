"""Dates in columns, and their parts."""

from __future__ import annotations

import datetime
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.analysis import describe_columns
from bnlab.analysis.dates import as_dates, date_parts, suggested_part

DAYS = [datetime.datetime(2019, 12, 31, 23, 30), datetime.datetime(2020, 2, 29, 1, 5), datetime.datetime(2021, 7, 13)]


@pytest.mark.parametrize(
    "format",
    ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d %B %Y"],
)
@pytest.mark.parametrize("dtype", [object, "string", "str"])
def test_text_of_one_format_is_dates(format: str, dtype: str) -> None:
    column = pd.Series([*(day.strftime(format) for day in DAYS), None], dtype=dtype)
    found = as_dates(column)
    assert found is not None
    assert found.dt.date.tolist()[:3] == [day.date() for day in DAYS]
    assert found.isna().tolist() == [False, False, False, True]


@pytest.mark.parametrize("dtype", ["datetime64[s]", "datetime64[ns]", "timestamp[us][pyarrow]", object])
def test_dates_of_every_type_are_dates(dtype: str) -> None:
    column = pd.Series([*DAYS, None]).astype(dtype)
    found = as_dates(column)
    assert found is not None
    assert date_parts(found, "year").tolist()[:3] == [2019, 2020, 2021]
    assert 2020.16 < date_parts(found, "decimal year")[1] < 2020.17


@pytest.mark.parametrize(
    "values", [["a", "b"], [1, 2], [1.5, None], ["2020-01-01", "soon"], ["1-2-3", "4-5-6"], [None], [["2020-01-01"]]]
)
def test_other_columns_are_no_dates(values: list[object]) -> None:
    assert as_dates(pd.Series(values)) is None


@given(st.lists(st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1)), min_size=1, max_size=20))
@settings(max_examples=50)
def test_parts_are_those_of_the_standard_library(days: list[datetime.datetime]) -> None:
    column = pd.Series(days).astype("datetime64[ns]")
    assert date_parts(column, "year").tolist() == [day.year for day in days]
    assert date_parts(column, "month").astype(str).tolist() == [f"{day:%B}" for day in days]
    assert date_parts(column, "weekday").astype(str).tolist() == [f"{day:%A}" for day in days]
    assert date_parts(column, "hour").tolist() == [day.hour for day in days]
    assert date_parts(column, "quarter").tolist() == [f"Q{(day.month + 2) // 3}" for day in days]
    for found, day in zip(date_parts(column, "decimal year"), days, strict=True):
        begin = datetime.datetime(day.year, 1, 1)
        share = (day - begin) / (datetime.datetime(day.year + 1, 1, 1) - begin)
        assert found == pytest.approx(day.year + share, abs=1e-9)


@pytest.mark.parametrize(
    ("days", "part"),
    [
        (pd.date_range("2019-01-01", periods=800), "year"),
        (pd.date_range("1950-01-01", periods=60, freq="YS"), "decimal year"),
        (pd.date_range("2019-01-01", periods=100), "month"),
        (pd.date_range("2019-01-01", periods=7), "weekday"),
        (pd.date_range("2019-01-01", periods=7, freq="h"), "hour"),
    ],
)
def test_the_suggested_part_differs_between_rows(days: pd.DatetimeIndex, part: str) -> None:
    assert suggested_part(pd.Series(days)) == part


@pytest.mark.parametrize(
    "days",
    [
        ["2020-02-01", None, "9999-12-31"],
        np.array(["2020-02-01", "NaT", "9999-12-31"], dtype="datetime64[s]"),
        [datetime.date(2020, 2, 1), None, datetime.date(9999, 12, 31)],
    ],
)
@pytest.mark.skipif(pd.__version__ < "3", reason="text and objects are nanoseconds before, which end in 2262")
def test_a_day_far_from_now_that_marks_an_open_end_is_a_date(days: Any) -> None:
    column = pd.Series(days)
    dates = as_dates(column)
    assert dates is not None
    assert date_parts(dates, "year").tolist() == [2020, pd.NA, 9999]
    assert date_parts(dates, "decimal year").tolist() == pytest.approx(
        [2020 + 31 / 366, nan, 9999 + 364 / 365], nan_ok=True
    )
    assert describe_columns(column.to_frame("end"))["advice"].item().startswith("dates from 2020-02-01 to 9999-12-31")


def test_times_of_different_zones_keep_their_clock_time_and_none_is_lost() -> None:
    times = [pd.Timestamp("2020-01-01 10:00", tz="UTC"), pd.Timestamp("2021-06-01 05:00", tz="CET"), None]
    dates = as_dates(pd.Series(times, dtype=object))
    assert dates is not None
    assert date_parts(dates, "hour").tolist() == [10, 5, pd.NA]
    assert date_parts(dates, "decimal year").notna().tolist() == [True, True, False]
