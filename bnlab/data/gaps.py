"""Where values are missing in a table, and which are missing together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bnlab.data.load import as_table
from bnlab.data.table import Table
from bnlab.data.variable import shortened

if TYPE_CHECKING:
    import pandas as pd


def gap_patterns(data: Table | pd.DataFrame) -> pd.DataFrame:
    """Patterns of missing values: which columns are missing together, and in how many rows.

    Parameters
    ----------
    data : Table or DataFrame
        A Table has missing values when it is loaded with ``missing="keep"``.

    Returns
    -------
    DataFrame
        One row per pattern, the most frequent first. A column of booleans, True where the value is missing, for each
        variable with missing values, those with the most first; then "n_missing", the number of missing values of the
        pattern, "rows", the number of rows that show it, and "share", the part of all rows.

    Raises
    ------
    TypeError
        If the data are neither a Table nor a DataFrame.

    Examples
    --------
    >>> import bnlab
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [0, 1, None, None], "b": [1, 1, 0, 1], "c": [1, None, None, 1]}, dtype="Int64")
    >>> gap_patterns(bnlab.load_data(frame, missing="keep"))
           a      c  n_missing  rows  share
    0  False  False          0     1   0.25
    1  False   True          1     1   0.25
    2   True  False          1     1   0.25
    3   True   True          2     1   0.25
    """
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        missing = {str(name): data[name].isna().to_numpy() for name in data.columns}
    else:
        table = as_table(data)
        missing = {name: table.column(name) == table.arities[table.index(name)] for name in table.gaps}
    names = sorted((name for name in missing if missing[name].any()), key=lambda name: -int(missing[name].sum()))
    masks = np.array([missing[name] for name in names], dtype=bool).reshape(len(names), len(data))
    patterns, rows = np.unique(masks, axis=1, return_counts=True)
    found = pd.DataFrame(patterns.T, columns=names)
    found["n_missing"], found["rows"], found["share"] = patterns.sum(axis=0), rows, rows / len(data)
    return found.sort_values(["rows", "n_missing"], ascending=[False, True], kind="stable", ignore_index=True)


def refuse_gaps(table: Table) -> None:
    """Refuse a table with missing values, where complete rows are needed.

    Raises
    ------
    ValueError
        Naming the columns, the number of missing values and the ways out.
    """
    if not table.has_gaps:
        return
    counts = table.gaps
    raise ValueError(
        f"columns {shortened(tuple(counts))} have {sum(counts.values()):,} missing values: complete rows are needed. "
        'Load the data with missing="drop" (complete rows only) or "state" (one more state); or use what takes '
        'missing values: bnlab.learn(table, "structural-em"), bnlab.networks.fit(graph, table), '
        "bnlab.networks.impute(net, table)."
    )
