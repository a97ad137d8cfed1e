"""Tables of units at several times: the columns that look like the unit and the time of a row."""

from __future__ import annotations

import re
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from bnlab.data.encode import is_whole

UNITS = (
    *("id", "pid", "uid", "unit", "patient", "subject", "person", "participant", "individual", "respondent", "proband"),
    *("student", "child", "animal", "machine", "device", "sensor", "engine", "asset", "customer", "client"),
    *("household", "family", "firm", "company", "country", "region", "station", "site", "plant"),
)
TIMES = (
    *("t", "time", "timepoint", "visit", "year", "date", "hour", "day", "week", "month", "quarter", "minute", "wave"),
    *("period", "session", "cycle", "round", "step", "followup", "occasion"),
)
"""Words in names of columns of units and of times."""
FEWEST_ROWS = 6
MOST_COLUMNS = 8
"""Maximum numbers of columns that are examined as the unit and as the time, those with telling names first."""
SHARE_OF_STEPS = 0.95
"""Share of the steps of all units that are of length 1, if a column of whole numbers counts times."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class PanelColumns(NamedTuple):
    """Columns of a table that looks longitudinal.

    Attributes
    ----------
    units, times : tuple of str
        Columns that may name the unit and the time of a row.
    unit, time : str or None
        The columns that do so most likely; None if it is not sure that the table is longitudinal.
    """

    units: tuple[str, ...]
    times: tuple[str, ...]
    unit: str | None
    time: str | None


def panel_columns(frame: pd.DataFrame, described: pd.DataFrame) -> PanelColumns | None:
    """Columns for `bnlab.load_panel` in a table that looks longitudinal; None if it does not.

    In such a table no two rows have the same unit and time, and units occur in several rows. It also takes names such
    as "patient" and "visit", or times of each unit that follow each other in steps of 1. Two of these make it sure.

    Parameters
    ----------
    frame : DataFrame
    described : DataFrame
        Result of `describe_columns` for the frame.

    Examples
    --------
    >>> from bnlab.analysis import describe_columns
    >>> frame = pd.DataFrame({"patient": list("aabbcc"), "visit": [1, 2, 1, 2, 1, 2], "bp": list("lhhllh")})
    >>> panel_columns(frame, describe_columns(frame))
    PanelColumns(units=('patient', 'visit', 'bp'), times=('visit',), unit='patient', time='visit')
    """
    if len(frame) < FEWEST_ROWS:
        return None
    whole = described[described["missing"] == 0]
    units = [
        name
        for name, kind, values in zip(whole.index, whole["kind"], whole["values"], strict=True)
        if kind in ("states", "numbers", "identifier") and 2 <= values <= len(frame) / 2
    ]
    times = [
        name
        for name, kind in whole["kind"].items()
        if kind == "dates" or (kind in ("states", "numbers", "identifier", "continuous") and _is_number(frame[name]))
    ]
    best: tuple[int, str, str] | None = None
    for unit, time in product(_telling_first(units, UNITS), _telling_first(times, TIMES)):
        if unit == time or frame.duplicated([unit, time]).any():
            continue
        signs = _is_named(unit, UNITS), _is_named(time, TIMES), _is_counted(frame, unit, time)
        if sum(signs) and (best is None or sum(signs) > best[0]):
            best = sum(signs), unit, time
    if best is None:
        return None
    count, unit, time = best
    return PanelColumns(tuple(units), tuple(times), *((unit, time) if count > 1 else (None, None)))


def _is_named(name: str, words: tuple[str, ...]) -> bool:
    found = [word.lower() for word in _WORD.findall(name)]
    return any(word in words or word.removesuffix("s") in words for word in found)


def _telling_first(names: list[str], words: tuple[str, ...]) -> list[str]:
    return sorted(names, key=lambda name: not _is_named(name, words))[:MOST_COLUMNS]


def _is_number(column: pd.Series) -> bool:
    """Whether a column has whole numbers."""
    numeric = pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)
    return bool(numeric and (pd.api.types.is_integer_dtype(column.dtype) or is_whole(column)))


def _is_counted(frame: pd.DataFrame, unit: str, time: str) -> bool:
    """Whether the times of each unit follow each other in steps of 1."""
    if not pd.api.types.is_numeric_dtype(frame[time].dtype):
        return False
    codes, times = pd.factorize(frame[unit])[0], frame[time].to_numpy(dtype=np.float64)
    order = np.lexsort((times, codes))
    steps = np.diff(times[order])[np.diff(codes[order]) == 0]
    return bool(len(steps) and (steps == 1).mean() >= SHARE_OF_STEPS)
