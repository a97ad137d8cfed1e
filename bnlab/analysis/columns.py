"""What the columns of a data frame are, and what a person should know before they become variables."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bnlab.data.frame import check_frame, is_continuous

# More states than this, or than half of the rows, and a discrete column says who a row is rather than how it is.
MANY_STATES = 50


def describe_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Tell for each column what it holds.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    DataFrame
        One row a column, in their order; index "column". kind : str, "states", "continuous" (has to be cut),
        "constant", "identifier" (more states than 50 or than half of the rows), "empty" or "unsuitable" (dates and the
        like); values : int, how many differ; missing : int, rows without a value; example : str; advice : str.

    Raises
    ------
    ValueError, TypeError
        As for `Table.from_pandas`: no rows, no columns, names that are not strings or occur twice.

    Examples
    --------
    >>> frame = pd.DataFrame({"smokes": ["no", "yes", "no", None], "weight": [61.5, 70.25, 55.0, 80.0]})
    >>> describe_columns(frame)["kind"].to_dict()
    {'smokes': 'states', 'weight': 'continuous'}
    """
    check_frame(frame)
    rows = [_described(column) for _, column in frame.items()]
    return pd.DataFrame(rows, index=pd.Index(frame.columns, name="column"))


def _described(column: pd.Series) -> dict[str, Any]:
    present = column.dropna()
    try:
        values = int(present.nunique())
    except TypeError:
        values = len(present)
    kind, advice = _kind(column, values)
    shown = ", ".join(map(str, present.drop_duplicates().head(3))) if kind != "unsuitable" else str(column.dtype)
    return {"kind": kind, "values": values, "missing": int(column.isna().sum()), "example": shown, "advice": advice}


def _kind(column: pd.Series, values: int) -> tuple[str, str]:
    if values == 0:
        return "empty", "no value at all: leave it out"
    if column.dtype.kind in "mMc" or isinstance(column.dtype, (pd.PeriodDtype, pd.IntervalDtype)):
        return "unsuitable", f"{column.dtype}: make it a category first, or leave it out"
    if is_continuous(column):
        return "continuous", "cut into intervals"
    if values == 1:
        return "constant", "always the same: it cannot depend on anything"
    if values > MANY_STATES or values > len(column) / 2:
        return "identifier", f"{values:,} states in {len(column):,} rows: leave it out, or cut it where it is a number"
    return "states", ""
