"""Loading of panels: long and wide tables, sorted and checked, discretised over all times."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.names import check_known, nearest
from bnlab.data.load import load_data, load_frame
from bnlab.data.table import Table
from bnlab.dynamic.panel import Panel

if TYPE_CHECKING:
    import pandas as pd

ROW = "row"
TIME = "time"


def load_panel(
    source: str | os.PathLike[str] | pd.DataFrame,
    *,
    unit: str | None = None,
    time: str | None = None,
    lags: int = 1,
    static: str | Sequence[str] = (),
    gaps: Literal["refuse", "missing"] = "refuse",
    wide: str | None = None,
    **options: Any,
) -> Panel:
    """Load units that were observed at several times, such as patients at visits.

    The table is long, with a row for each unit and time, or wide, with a row for each unit. Units may have different
    numbers of times. Cut points and states are those of all rows, so that a variable has the same states at all times.

    Parameters
    ----------
    source : str, path or frame
        As for `bnlab.load_data`.
    unit : str, optional
        Column that names the unit; it may be left out of a wide table.
    time : str, optional
        Column of a long table with the time, a whole number. One step of a network is a step of 1.
    lags : int
        Number of slices of the past in a transition, by default 1: the past is ``bp[t-1]``.
    static : str or sequence of str
        Columns that do not change in time, such as the sex; a missing value is taken from other rows of the unit. They
        are parents only. In a wide table, columns without a time are static.
    gaps : {"refuse", "missing"}
        What to do where a unit has no row at a time between two others: an error, or a row of missing values.
    wide : str, optional
        For a wide table, what stands between name and time in a column's name: "_" for ``bp_0``, ``bp_1``. A time at
        which a unit has no value at all is no row.
    **options
        Options of `bnlab.load_data`: `missing` ("error", "state" or "keep"), `discretize`, `bins`, `interventions`,
        `weights` (of a unit: the same in all its rows), `missing_marks`.

    Returns
    -------
    Panel

    Raises
    ------
    ValueError
        If a column is unknown, a unit or a time is missing, a time is no whole number or occurs twice in a unit, times
        have gaps that `gaps` refuses, a static variable or a weight changes within a unit, or as for `load_data`.
    TypeError, OSError
        As for `load_data`.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(1, 1, "low"), (1, 2, "high"), (1, 4, "low"), (2, 1, "high"), (2, 2, "high")]
    >>> long = pd.DataFrame(rows, columns=["patient", "visit", "bp"])
    >>> load_panel(long, unit="patient", time="visit")
    Traceback (most recent call last):
    ...
    ValueError: unit 1 has no row at time 3, between 2 and 4: gaps="missing" (in a study missing="keep") ...
    >>> load_panel(long, unit="patient", time="visit", gaps="missing").transitions.gaps
    {'bp[t-1]': 1, 'bp[t]': 1}
    >>> load_panel({"bp_0": ["low", "high"], "bp_1": ["low", "low"]}, wide="_").transitions.n_rows
    2
    """
    check_known(gaps, ("refuse", "missing"), f"gaps={gaps!r}")
    if options.get("missing") == "drop":
        raise ValueError(
            'missing="drop" would tear holes into the times of a unit: "keep" keeps missing values, "state" makes them '
            "a state."
        )
    frame = load_frame(source, missing_marks=options.pop("missing_marks", None))
    fixed = [static] if isinstance(static, str) else list(static)
    if wide is not None:
        if time is not None:
            raise ValueError(
                f"time={time!r} with wide={wide!r}: in a wide table the names of the columns have the time."
            )
        carried = [options[name] for name in ("weights", "interventions") if options.get(name) is not None]
        frame, unit, time, fixed = _long(frame, unit, wide, fixed, carried)
    if unit is None or time is None:
        raise ValueError(
            'a long table needs the columns of the unit and of the time, unit="...", time="..."; a wide one the '
            'separator between name and time, wide="_".'
        )

    def encode(rows: pd.DataFrame) -> Table:
        return load_data(rows, **options).with_target(None)

    return panel_of_rows(frame, unit, time, encode, static=fixed, gaps=gaps, lags=lags)


def panel_of_rows(
    frame: pd.DataFrame,
    unit: str,
    time: str,
    encode: Callable[[pd.DataFrame], Table],
    *,
    static: Sequence[str] = (),
    gaps: Literal["refuse", "missing"] = "refuse",
    lags: int = 1,
) -> Panel:
    """Panel of the rows of a long table, whose other columns `encode` turns into a Table.

    ValueError as for `load_panel`.
    """
    frame, unit_of, times, units = _sorted(frame, unit, time)
    for name in static:
        _check_column(frame, "static", name)
        known = frame[name].groupby(unit_of).transform("first")  # that is not missing
        frame[name] = frame[name].where(frame[name].notna(), known)
    table = encode(frame.drop(columns=[unit, time]))
    _refuse_changes(table, static, unit_of, units)
    if _gap(unit_of, times) is not None:
        if gaps == "refuse":
            _refuse_gap(unit_of, times, units)
        table, unit_of, times = _filled(table, unit_of, times, static)
    return Panel(table, unit_of, times, units, static, lags)


def _long(
    frame: pd.DataFrame, unit: str | None, wide: str, static: list[str], carried: list[str]
) -> tuple[pd.DataFrame, str, str, list[str]]:
    """Long frame of a wide one, the names of its columns of unit and time, and its static variables."""
    import pandas as pd

    if not wide:
        raise ValueError('wide="": give what stands between name and time in the names of the columns, such as "_".')
    frame = frame.reset_index(drop=True)
    columns: dict[int, dict[str, str]] = {}
    fixed = []
    for column in frame.columns:
        name, separator, number = column.rpartition(wide)
        if separator and name and number.isdecimal() and column not in static:
            part = columns.setdefault(int(number), {})
            if name in part.values() or name in frame.columns:
                raise ValueError(f"wide={wide!r}: column {column!r} and another one are both {name!r}; rename one.")
            part[column] = name
        elif column != unit:
            fixed.append(column)
    if not columns:
        raise ValueError(
            f"wide={wide!r}: no column is named so, as bp{wide}0 would be; the columns are {', '.join(frame.columns)}."
        )
    names = list(dict.fromkeys(name for part in columns.values() for name in part.values()))
    unit = unit or _free(ROW, [*frame.columns, *names])
    time = _free(TIME, [*frame.columns, *names])
    parts = []
    for number, part in sorted(columns.items()):
        rows = frame[[*([unit] if unit in frame.columns else []), *fixed, *part]].rename(columns=part)
        whole = [name for name in part.values() if pd.api.types.is_integer_dtype(rows[name].dtype)]
        rows = rows.astype(dict.fromkeys(whole, "Int64"))
        if unit not in frame.columns:
            rows.insert(0, unit, np.arange(len(rows)))
        rows.insert(1, time, number)
        parts.append(rows[rows[list(part.values())].notna().any(axis=1)])
    return pd.concat(parts, ignore_index=True), unit, time, [name for name in fixed if name not in carried]


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _check_column(frame: pd.DataFrame, option: str, column: str) -> None:
    if column not in frame.columns:
        raise ValueError(f"{option}={column!r}: no column is called so; {nearest(column, map(str, frame.columns))}")


def _sorted(
    frame: pd.DataFrame, unit: str, time: str
) -> tuple[pd.DataFrame, NDArray[np.intp], NDArray[np.int64], list[Any]]:
    """Frame sorted by unit and time, the unit and time of each row, and the labels of the units."""
    import pandas as pd

    for option, column in (("unit", unit), ("time", time)):
        _check_column(frame, option, column)
        if frame[column].isna().any():
            row = int(np.flatnonzero(frame[column].isna())[0])
            raise ValueError(f"{option}={column!r}: row {row} has no value there; give it one, or leave the row out.")
    if unit == time:
        raise ValueError(f"unit and time are both {unit!r}: they are two columns.")
    numbers = frame[time]
    kind = numbers.dtype.name == "category" or not pd.api.types.is_numeric_dtype(numbers.dtype)
    wrong = np.ones(len(frame), np.bool_) if kind else _not_whole(numbers)
    if wrong.any():
        raise ValueError(
            f"time={time!r}: {numbers[wrong].tolist()[0]!r} is no whole number below 2**62. Number the times of each "
            f"unit, df.groupby({unit!r}).cumcount(), or count the hours, days or months from the first."
        )
    unit_of, labels = pd.factorize(frame[unit], sort=True)
    times = numbers.to_numpy(dtype=np.int64)
    order = np.lexsort((times, unit_of))
    unit_of, times = unit_of[order].astype(np.intp), times[order]
    twice = np.flatnonzero((np.diff(unit_of) == 0) & (np.diff(times) == 0))
    if len(twice):
        raise ValueError(
            f"unit {labels.tolist()[unit_of[twice[0]]]!r} has several rows at time {times[twice[0]]}: a unit has one "
            "row at a time; leave rows out, or combine them."
        )
    return frame.iloc[order].reset_index(drop=True), unit_of, times, list(labels.tolist())


def _not_whole(numbers: pd.Series) -> NDArray[np.bool_]:
    """Whether each number is a fraction, or too large to count."""
    import pandas as pd

    large = ~np.asarray(numbers.between(-(2.0**62), 2.0**62), dtype=np.bool_)
    if pd.api.types.is_integer_dtype(numbers.dtype):  # a float would round large ones
        return large
    return large | np.asarray(numbers != np.floor(numbers), dtype=np.bool_)


def _refuse_changes(table: Table, static: Sequence[str], unit_of: NDArray[np.intp], units: list[Any]) -> None:
    """Raise a ValueError if a static variable or the weight changes within a unit."""
    same = np.diff(unit_of) == 0
    if table.weights is not None and len(rows := np.flatnonzero(same & (np.diff(table.weights) != 0))):
        raise ValueError(f"unit {units[unit_of[rows[0]]]!r} has different weights in its rows: a unit has one weight.")
    for name in static:
        codes = table.column(name).astype(np.int64)
        if len(rows := np.flatnonzero(same & (np.diff(codes) != 0))):
            before, after = (table.variables[table.index(name)].states[k] for k in codes[rows[0] : rows[0] + 2])
            raise ValueError(
                f"static={name!r} changes within unit {units[unit_of[rows[0]]]!r}, from {before!r} to {after!r}: leave "
                "it out of `static`."
            )


def _gap(unit_of: NDArray[np.intp], times: NDArray[np.int64]) -> int | None:
    """First row after which a unit lacks a time, if there is one."""
    rows = np.flatnonzero((np.diff(unit_of) == 0) & (np.diff(times) > 1))
    return int(rows[0]) if len(rows) else None


def _refuse_gap(unit_of: NDArray[np.intp], times: NDArray[np.int64], units: list[Any]) -> None:
    row = _gap(unit_of, times)
    assert row is not None
    before, after = times[row : row + 2]
    raise ValueError(
        f"unit {units[unit_of[row]]!r} has no row at time {before + 1}, between {before} and {after}: "
        'gaps="missing" (in a study missing="keep") keeps such a time as missing values; or number the times of each '
        "unit without gaps, df.groupby(unit).cumcount()."
    )


def _filled(
    table: Table, unit_of: NDArray[np.intp], times: NDArray[np.int64], static: Sequence[str]
) -> tuple[Table, NDArray[np.intp], NDArray[np.int64]]:
    """Table with a row of missing values at each time that a unit lacks, and the unit and time of each row."""
    ahead = np.ones(len(times), np.int64)
    ahead[:-1] = np.where(np.diff(unit_of) == 0, np.diff(times), 1)
    total = int(ahead.sum())
    check_memory(8 * total * table.n_variables, f"{total:,} rows without gaps", "check the times, or number them anew")
    before = np.repeat(np.arange(len(times)), ahead)  # the last row that is there, for each row of the result
    added = np.concatenate([[False], np.diff(before) == 0])
    after = times[before] + np.arange(total) - np.repeat(np.cumsum(ahead) - ahead, ahead)
    columns = []
    for name, variable in zip(table.names, table.variables, strict=True):
        codes = table.column(name).astype(np.int64)[before]
        columns.append(codes if name in static else np.where(added, variable.arity, codes))
    found = Table(table.variables, columns, gaps=True)
    if table.weights is not None:
        found = found.with_weights(table.weights[before])
    if table.interventions:
        found = found.with_interventions({name: rows[before] & ~added for name, rows in table.interventions.items()})
    return found, unit_of[before], after
