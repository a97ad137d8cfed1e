"""Columns of dates: their detection, and their conversion to years, months, weekdays or numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime

import pandas as pd

from bnlab._runtime.names import check_known

PARTS = ("year", "quarter", "month", "weekday", "hour", "decimal year")
"""Parts of a date; a decimal year such as 2020.5 is a number, which is cut into intervals."""
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d %b %Y", "%d %B %Y")
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f")
_DATE = re.compile(r"\d{1,4}[-./ ](\d{1,2}|[A-Za-z]+)[-./ ]\d{1,4}([ T]\d{1,2}:\d{2}.*)?")


def as_dates(column: pd.Series) -> pd.Series | None:
    """Convert a column to dates without a time zone; None if it holds other values.

    Text is converted if all values have the same format, such as 2020-12-31, 31.12.2020 or 31/12/2020 (day first,
    unless only month first is possible), with or without a time.

    Examples
    --------
    >>> import pandas as pd
    >>> as_dates(pd.Series(["31.12.2020", None, "01.02.2021"])).dt.month.tolist()
    [12.0, nan, 2.0]
    """
    if column.dtype.kind == "M":
        dates = pd.to_datetime(column)
        return dates if dates.dt.tz is None else dates.dt.tz_localize(None)
    if column.dtype != "object" and not isinstance(column.dtype, pd.StringDtype):
        return None
    known = column.dropna()
    if len(known) == 0:
        return None
    if column.dtype == "object" and all(isinstance(value, date) for value in known):
        dates = pd.to_datetime(column.map(_without_zone, na_action="ignore"), errors="coerce")
        return dates if dates.count() == len(known) else None
    if not isinstance(known.iloc[0], str) or not _DATE.fullmatch(known.iloc[0].strip()):
        return None
    distinct = known.drop_duplicates()
    if not all(isinstance(value, str) for value in distinct):
        return None
    for format in (f"{day}{time}" for day in _FORMATS for time in _TIMES):
        texts = distinct.str.strip().str.replace("T", " ", regex=False) if "%H" in format else distinct.str.strip()
        dates = pd.to_datetime(texts, format=format, errors="coerce")
        if dates.notna().all():
            return column.map(dict(zip(distinct, dates, strict=True)))
    return None


def _without_zone(day: date) -> date:
    return day.replace(tzinfo=None) if isinstance(day, datetime) else day


def date_parts(dates: pd.Series, part: str) -> pd.Series:
    """Part of each date, missing for missing dates; ValueError for an unknown part."""
    check_known(part, PARTS, f"{part!r} is no part of a date")
    of = dates.dt
    if part == "decimal year":
        days = of.day_of_year - 1 + (dates - of.normalize()).dt.total_seconds() / 86_400
        return of.year + days / (365 + of.is_leap_year.astype("int64"))
    if part in ("month", "weekday"):
        names = MONTHS if part == "month" else WEEKDAYS
        codes = of.month - 1 if part == "month" else of.day_of_week
        found = pd.Categorical.from_codes(codes.fillna(-1).astype(int), names, ordered=True)
        return pd.Series(found, index=dates.index, name=dates.name).cat.remove_unused_categories()
    if part == "quarter":
        return ("Q" + of.quarter.astype("Int64").astype("string")).rename(dates.name)
    return (of.year if part == "year" else of.hour).astype("Int64")


def with_dates(frame: pd.DataFrame, parts: Mapping[str, str]) -> pd.DataFrame:
    """Replace some columns by parts of their dates; ValueError if a column does not hold dates.

    Examples
    --------
    >>> import pandas as pd
    >>> with_dates(pd.DataFrame({"day": ["2020-02-01", "2021-05-03"]}), {"day": "month"})["day"].tolist()
    ['February', 'May']
    """
    return frame.assign(**{name: _part(frame[name], part) for name, part in parts.items() if name in frame})


def _part(column: pd.Series, part: str) -> pd.Series:
    dates = as_dates(column)
    if dates is None:
        raise ValueError(f"column {column.name!r} holds values that are no dates: it has no {part!r}.")
    return date_parts(dates, part)


def suggested_part(dates: pd.Series) -> str:
    """Part of dates that differs between rows and has few states, such as the year, or the month within one year."""
    counts = {part: date_parts(dates, part).nunique() for part in ("year", "month", "weekday", "hour")}
    if counts["year"] > 20:
        return "decimal year"
    return next((part for part, count in counts.items() if count > 1), "year")
