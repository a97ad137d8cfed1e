"""Missing values: their patterns in a table, the cost of each treatment, and removal of values for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import check_known
from bnlab._runtime.types import fits
from bnlab._runtime.values import at_least
from bnlab.data.load import as_pandas, as_table, is_frame
from bnlab.data.table import Table
from bnlab.data.variable import shortened

if TYPE_CHECKING:
    import pandas as pd

Mechanism: TypeAlias = Literal["mcar", "mar", "mnar"]
MECHANISMS: tuple[str, ...] = get_args(Mechanism)
_MAX_SHARE, _MAX_PROBABILITY = 0.8, 0.95


class Patterns(NamedTuple):
    """Patterns of missing values as arrays, the most frequent first.

    Attributes
    ----------
    names : tuple of str
        Variables with missing values, those with the most first.
    missing : ndarray of bool, shape (patterns, names)
    rows : ndarray of int
        Number of rows of each pattern.
    """

    names: tuple[str, ...]
    missing: NDArray[np.bool_]
    rows: NDArray[np.int64]

    @property
    def n_missing(self) -> NDArray[np.int64]:
        """Number of missing values of each pattern."""
        counts: NDArray[np.int64] = np.count_nonzero(self.missing, axis=1)
        return counts

    @property
    def incomplete_rows(self) -> int:
        """Number of rows with missing values."""
        return int(self.rows[self.n_missing > 0].sum())

    @property
    def values(self) -> int:
        """Number of missing values."""
        return int(self.n_missing @ self.rows)


def patterns_of(data: Table | pd.DataFrame) -> Patterns:
    """Patterns of missing values as arrays; `gap_patterns` returns them as a DataFrame."""
    import pandas as pd

    data = as_pandas(data)
    if isinstance(data, pd.DataFrame):
        missing = {str(name): column for name, column in zip(data.columns, data.isna().to_numpy().T, strict=True)}
    else:
        table = as_table(data)
        missing = {name: table.column(name) == table.arities[table.index(name)] for name in table.gaps}
    counts = {name: int(column.sum()) for name, column in missing.items()}
    names = sorted((name for name in missing if counts[name]), key=lambda name: -counts[name])
    masks = np.array([*(missing[name] for name in names), np.zeros(len(data), dtype=bool)])  # one byte at least
    packed = np.packbits(masks, axis=0).T.copy()
    _, first, rows = np.unique(packed.view(f"S{packed.shape[1]}"), return_index=True, return_counts=True)
    found = masks[:-1, first].T
    order = np.lexsort((np.count_nonzero(found, axis=1), -rows))
    return Patterns(tuple(names), found[order], rows[order])


def gap_patterns(data: Table | pd.DataFrame) -> pd.DataFrame:
    """Patterns of missing values: which columns are missing together, and in how many rows.

    Parameters
    ----------
    data : Table or DataFrame
        A Table has missing values if it is loaded with ``missing="keep"``.

    Returns
    -------
    DataFrame
        One row per pattern, the most frequent first. Each variable with missing values has a column of booleans, True
        if its value is missing; variables with the most missing values come first. "n_missing" is the number of missing
        values of the pattern, "rows" the number of its rows, and "share" its share of all rows.

    Raises
    ------
    TypeError
        If the data are neither a Table nor a DataFrame, or a column's name is no string.
    ValueError
        If names repeat, there are no rows, or a variable with missing values is called "n_missing", "rows" or "share".

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

    data = _checked(data)
    found = patterns_of(data)
    measures = {"n_missing": found.n_missing, "rows": found.rows, "share": found.rows / len(data)}
    for name in measures:
        if name in found.names:
            raise ValueError(f"column {name!r} has the name of a result, {', '.join(measures)}: rename it.")
    return pd.DataFrame(found.missing, columns=list(found.names)).assign(**measures)


def gap_costs(data: Table | pd.DataFrame) -> pd.DataFrame:
    """Cost of each treatment of missing values: rows lost, states added, and observed values kept and lost.

    Parameters
    ----------
    data : Table or DataFrame
        A Table has missing values if it is loaded with ``missing="keep"``.

    Returns
    -------
    DataFrame
        One row per treatment of `load_data`: "drop", "state" and "keep". Columns are rows (that remain), rows_lost,
        states_added (one for each variable with missing values), values_kept (observed values in the remaining rows)
        and values_lost.

    Raises
    ------
    TypeError, ValueError
        As for `gap_patterns`.

    Examples
    --------
    >>> import pandas as pd
    >>> gap_costs(pd.DataFrame({"a": [0, 1, None, None], "b": [1, 1, 0, 1], "c": [1, None, None, 1]}, dtype="Int64"))
           rows  rows_lost  states_added  values_kept  values_lost
    drop      1          3             0            3            5
    state     4          0             2            8            0
    keep      4          0             0            8            0
    """
    import pandas as pd

    data = _checked(data)
    patterns = patterns_of(data)
    n_columns = data.shape[1] if isinstance(data, pd.DataFrame) else as_table(data).n_variables
    n_rows, n_gappy = len(data), len(patterns.names)
    observed = n_rows * n_columns - patterns.values
    complete = n_rows - patterns.incomplete_rows
    costs = pd.DataFrame({"rows": [complete, n_rows, n_rows]}, index=["drop", "state", "keep"])
    costs["rows_lost"] = n_rows - costs.rows
    costs["states_added"] = [0, n_gappy, 0]
    costs["values_kept"] = [complete * n_columns, observed, observed]
    costs["values_lost"] = observed - costs.values_kept
    return costs


def _checked(data: Table | pd.DataFrame) -> Table | pd.DataFrame:
    """Data of which a frame has distinct names and rows."""
    from bnlab.data.encode import check_frame

    if not is_frame(data):
        return as_table(data)
    frame = as_pandas(data)
    check_frame(frame)
    return frame


def remove_values(
    table: Table, share: float, mechanism: Mechanism = "mcar", *, seed: int = 0, observed: Sequence[str] = ()
) -> Table:
    """Remove some values of a table, to test methods that handle missing values.

    Parameters
    ----------
    table : Table
        Without missing values.
    share : float
        Expected share of missing values of the variables not in `observed`, 0 to 0.8.
    mechanism : {"mcar", "mar", "mnar"}
        Missing completely at random; at random: up to four times as often if an observed variable is not in its most
        frequent state; or not at random: up to four times as often if the variable itself is not.
    seed : int
    observed : sequence of str
        Variables that lose no value. "mar" needs at least one; each other variable depends on one of them, chosen at
        random.

    Returns
    -------
    Table
        With the same variables, and the interventions of the rows.

    Raises
    ------
    ValueError
        If the table has missing values, the mechanism is unknown, the share is out of range, a name is unknown, or
        "mar" has nothing to depend on.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> remove_values(asia().sample(1000, seed=1), 0.2, "mnar", seed=1).gaps["smoke"]
    210
    """
    refuse_gaps(table)
    check_known(mechanism, MECHANISMS, f"mechanism={mechanism!r}")
    if not fits(share, float) or not 0 <= share <= _MAX_SHARE:
        raise ValueError(f"share={share!r}: a number from 0 to {_MAX_SHARE} is needed.")
    always = [table.index(name) for name in observed]
    if mechanism == "mar" and not always:
        raise ValueError('mechanism="mar" depends on variables without missing values: name some, observed=[...].')
    rng = np.random.default_rng(at_least("seed", seed, 0))
    columns = [table.column(i).astype(np.int64) for i in range(table.n_variables)]
    for i in [i for i in range(table.n_variables) if i not in always]:
        cause = {"mcar": None, "mar": always[rng.integers(len(always))] if always else None, "mnar": i}[mechanism]
        gone = rng.random(table.n_rows) < _chances(None if cause is None else table.column(cause), share)
        columns[i][gone] = table.arities[i]
    return Table(table.variables, columns, target=table.target, gaps=True).carrying(table)


def _chances(cause: NDArray[Any] | None, share: float) -> NDArray[np.float64] | float:
    """Probability that a value is missing in each row; its mean is `share`."""
    if cause is None:
        return share
    rare = cause != np.bincount(cause).argmax()
    q = float(rare.mean())
    high = min(4 * share / (1 + 3 * q), _MAX_PROBABILITY)
    return np.where(rare, high, (share - q * high) / (1 - q))


def refuse_gaps(table: Table) -> None:
    """Raise a ValueError that names the columns and the ways out if the table has missing values."""
    if not table.has_gaps:
        return
    counts = table.gaps
    raise ValueError(
        f"columns {shortened(tuple(counts))} have {sum(counts.values()):,} missing values: complete rows are needed. "
        'Load the data with missing="drop" (complete rows only) or "state" (one more state); or use what takes '
        'missing values: bnlab.learn(table, "structural-em"), or "available-cases", bnlab.networks.fit(graph, table), '
        "bnlab.networks.impute(net, table)."
    )
