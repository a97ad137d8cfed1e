"""Columns of a data frame: their contents, and previews before and after discretization."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlab._runtime.names import check_known
from bnlab.analysis.dates import as_dates
from bnlab.analysis.ordinals import order_of
from bnlab.data.discretize import interval_names
from bnlab.data.encode import are_times, check_frame, is_continuous, is_unsuitable, is_whole

BARS = 32
STATES = 12

# A discrete column with more states than this, or than half of the rows, is an identifier.
MANY_STATES = 50
# Whole numbers with more values than this, or than half of the rows, are measurements rather than states.
MANY_NUMBERS = 20
# Whole numbers stored as floats are states if they have at most this many values: gaps make floats of integers.
FEW_NUMBERS = 10


def describe_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Kind of content of each column.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    DataFrame
        One row per column, in their order; index "column". kind : str, "states", "continuous" (must be cut; not whole
        numbers of up to ten values), "dates" (see `Preparation.dates`), "numbers" (whole numbers with more values than
        20 or than half of the rows, better cut), "constant", "identifier" (more states than 50 or than half of the
        rows, or whole numbers that differ in every row; floats only if few numbers between them are missing), "empty"
        or "unsuitable" (durations, mixed types and the like); values : int, number of distinct values; missing : int,
        rows without a value; example : str; advice : str.

    Raises
    ------
    ValueError, TypeError
        As for `Table.from_pandas`, if there are no rows or columns, or names are not strings or occur twice.

    Examples
    --------
    >>> frame = pd.DataFrame({"smokes": ["no", "yes", "no", None], "weight": [61.5, 70.25, 55.0, 80.0]})
    >>> describe_columns(frame)["kind"].to_dict()
    {'smokes': 'states', 'weight': 'continuous'}
    """
    check_frame(frame)
    rows = []
    for _, column in frame.items():
        distinct = _distinct(column)
        kind, advice = _kind(column, distinct)
        example = ", ".join(map(_text, distinct.head(3))) if kind != "unsuitable" else str(column.dtype)
        rows.append((kind, len(distinct), int(column.isna().sum()), example, advice))
    index = pd.Index(frame.columns, name="column")
    return pd.DataFrame(rows, index=index, columns=["kind", "values", "missing", "example", "advice"])


def _distinct(column: pd.Series) -> pd.Series:
    """Distinct values of a column; only one value if they cannot be compared."""
    try:
        return column.dropna().drop_duplicates()
    except (TypeError, NotImplementedError):  # for some types of Arrow; pandas 2 cannot even select among their values
        return pd.Series(column.tolist(), dtype=object)[column.notna().to_numpy()][:1]


def _kind(column: pd.Series, distinct: pd.Series) -> tuple[str, str]:
    values = len(distinct)
    if values == 0:
        return "empty", "no value at all: leave it out"
    if values > 1 and (dates := as_dates(column)) is not None:
        period = f"{dates.min():%Y-%m-%d} to {dates.max():%Y-%m-%d}"
        return "dates", f"dates from {period}: use a part, such as the year or the month, or cut them into intervals"
    if (why := _unsuitable(column, distinct)) is not None:
        return "unsuitable", f"{why}, or leave it out"
    if values == 1:
        return "constant", "always the same: it cannot depend on anything"
    if is_continuous(column):
        return _kind_of_floats(column, values)
    whole = pd.api.types.is_integer_dtype(column.dtype) and values < column.count()
    if whole and (values > MANY_NUMBERS or values > len(column) / 2):
        return "numbers", f"{values:,} different whole numbers: cut into intervals"
    if values > MANY_STATES or values > len(column) / 2:
        return "identifier", f"{values:,} states in {len(column):,} rows: leave it out, or cut it where it is a number"
    order = order_of(column)
    return "states", "" if order is None else f"in the order {' < '.join(order)}"


def _kind_of_floats(column: pd.Series, values: int) -> tuple[str, str]:
    """Kind of a column of floats; pandas also makes floats of whole numbers (row numbers, answers) with gaps."""
    numbers = column.dropna().to_numpy(dtype=np.float64)
    if (numbers != np.floor(numbers)).any():
        return "continuous", "cut into intervals"
    if values > MANY_NUMBERS and values == len(numbers) > np.ptp(numbers) / 2:
        return "identifier", f"{values:,} whole numbers in a row, each another one: leave it out, or cut it"
    if values > FEW_NUMBERS or values > len(numbers) / 2:
        return "continuous", "cut into intervals"
    return "states", f"{values} whole numbers stored as decimals: each is a state, unless it is cut into intervals"


def whole_states(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert columns of whole numbers that are stored as floats to integers, so that a state is 3, not 3.0.

    Examples
    --------
    >>> whole_states(pd.DataFrame({"x": [1.0, 2.0, None, 2.0, 1.0], "y": [0.5, 1.0, 1.0, 2.0, 2.0]})).dtypes.tolist()
    [Int64Dtype(), dtype('float64')]
    """
    floats = [name for name in frame.columns if is_continuous(frame[name]) and frame[name].dtype != "object"]
    return frame.astype({name: "Int64" for name in floats if is_whole(frame[name])})


def _unsuitable(column: pd.Series, distinct: pd.Series) -> str | None:
    """Reason why a column cannot become a variable, and what to do about it; None if it can."""
    dtype = column.dtype
    if is_unsuitable(dtype):
        return f"{dtype}: make it text or a category first"
    if is_continuous(column):
        infinite = int(np.isinf(column.to_numpy(dtype=np.float64, na_value=np.nan)).sum())
        return f"infinite in {infinite:,} rows: replace these values first" if infinite else None
    if dtype != "object":
        return None
    types = {type(value) for value in distinct}
    names = sorted(kind.__name__ for kind in types)
    if len(types) > 1:
        return f"mixes values of the types {', '.join(names)}: make them one"
    if any(map(are_times, types)):
        return f"{names[0]} values: make it text or a category first"
    return None if isinstance(distinct.iloc[0], Hashable) else f"{names[0]} values cannot be states: replace them first"


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix(" 00:00:00")


class ColumnPreview(NamedTuple):
    """Histogram or frequencies of a column.

    Attributes
    ----------
    edges : tuple of float, length of bars + 1
        Edges of the bars of a histogram; empty for a column that is not cut.
    bars : tuple of int
        Number of rows in each bar.
    cuts : tuple of float
        Cut points between the least and the greatest value.
    states : tuple of str
        States of the resulting variable: the intervals, or the most frequent values.
    counts : tuple of int
        Number of rows of each state.
    others : int
        Number of states that are not listed.
    missing : int
        Number of rows without a value.
    """

    edges: tuple[float, ...]
    bars: tuple[int, ...]
    cuts: tuple[float, ...]
    states: tuple[str, ...]
    counts: tuple[int, ...]
    others: int
    missing: int


def column_preview(frame: pd.DataFrame, column: str, cuts: Sequence[float] | None = None) -> ColumnPreview:
    """Preview of a column.

    Parameters
    ----------
    frame : DataFrame
    column : str
    cuts : sequence of float, optional
        Ascending cut points of a column of numbers; None for one that is not cut.

    Raises
    ------
    ValueError
        If there is no such column, or it is to be cut and does not hold numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> preview = column_preview(pd.DataFrame({"x": [1.0, 2.0, 2.5, None]}), "x", [2.2])
    >>> preview.states, preview.counts, preview.missing
    (('<=2.2', '>2.2'), (2, 1), 1)
    """
    check_column(frame, column)
    missing = int(frame[column].isna().sum())
    if cuts is None:
        found = whole_states(frame[[column]])[column].value_counts()
        shown = found.head(STATES)
        return ColumnPreview((), (), (), tuple(map(str, shown.index)), _ints(shown), len(found) - len(shown), missing)
    values = numbers(frame, column)
    values = values[np.isfinite(values)]
    points = np.asarray(cuts, dtype=np.float64)
    bars, edges = np.histogram(values, bins=BARS) if len(values) else (np.empty(0), np.empty(0))
    counts = np.bincount(np.searchsorted(points, values, side="left"), minlength=len(points) + 1)
    inside = [float(cut) for cut in points if len(values) and values.min() <= cut <= values.max()]
    names = interval_names(points)
    return ColumnPreview(tuple(edges.tolist()), _ints(bars), tuple(inside), names, _ints(counts), 0, missing)


def _ints(values: Iterable[Any]) -> tuple[int, ...]:
    return tuple(int(value) for value in values)


def numbers(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """Numbers of a column, NaN for missing ones; ValueError if it holds other values or infinite numbers."""
    try:
        result: NDArray[np.float64] = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(f"column {column!r} is of dtype {frame[column].dtype}: only numbers can be cut.") from None
    if np.isinf(result).any():
        raise ValueError(f"column {column!r} is infinite in some rows: replace these values, or leave it out.")
    return result


def check_column(frame: pd.DataFrame, name: str) -> None:
    """Raise a ValueError if there is no such column."""
    check_known(name, frame.columns, f"no column is called {name!r}")
