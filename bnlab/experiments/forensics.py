"""Which computation gave a reported column: every suspect against every column, corrected for how many were tried."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bnlab.experiments.metrics import ROUNDING


def columns_explained(
    reported: pd.DataFrame,
    half_width: pd.DataFrame,
    computed: pd.DataFrame,
    *,
    own: bool = False,
    permutations: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """How many numbers of each reported column each suspect explains, and how many the best of them would by chance.

    A suspect explains a number that lies within its half-width of the computed one. By chance: in a table whose numbers
    are permuted within each row, no column has anything to do with its name, but the best of many suspects still
    explains some of it.

    Parameters
    ----------
    reported, half_width : DataFrame of float, a row a number, a column a reported column
        Percent.
    computed : DataFrame of float, columns (protocol, item)
        The same rows; a suspect is a protocol and the item that it was computed for. Rows without a value are not
        explained.
    own : bool
        Whether only suspects computed for the column's own item are tried; by default columns may be mixed up.
    permutations, seed : int
        Of the test.

    Returns
    -------
    DataFrame, columns in their order, best suspects first
        column, protocol, item, explained, rows, mean_error (mean absolute difference), by_chance (mean number that the
        best suspect explains of a permuted column), p (share of permuted columns that a suspect explains at least as
        well) and p_any (share of permuted tables with any such column).

    Examples
    --------
    >>> reported = pd.DataFrame({"A": [1.0, 2.0], "B": [5.0, 7.0]})
    >>> computed = pd.DataFrame({("as told", "A"): [1.1, 2.0], ("as told", "B"): [1.0, 9.0]})
    >>> found = columns_explained(reported, 0 * reported + 0.2, computed, permutations=100)
    >>> found.loc[0, ["column", "protocol", "item"]].tolist(), int(found.explained[0])
    (['A', 'as told', 'A'], 2)
    """
    value, half, suspects = (frame.to_numpy(dtype=np.float64) for frame in (reported, half_width, computed))
    error = np.abs(suspects[:, None] - value[:, :, None])
    near = error <= half[:, :, None] + ROUNDING
    items = computed.columns.get_level_values(1)
    tried = [np.flatnonzero((items == column) | (not own)) for column in reported.columns]
    draw = np.random.default_rng(seed)
    rows = np.arange(len(value))
    best = np.empty((permutations, len(tried)), dtype=np.int64)
    for row in best:
        order = draw.permuted(np.tile(np.arange(len(tried)), (len(rows), 1)), axis=1)
        row[:] = [near[rows, order[:, i]][:, chosen].sum(axis=0).max() for i, chosen in enumerate(tried)]
    parts = []
    for i, (column, chosen) in enumerate(zip(reported.columns, tried, strict=True)):
        explained = near[:, i, chosen].sum(axis=0)
        part = computed.columns[chosen].to_frame(index=False, name=["protocol", "item"])
        part.insert(0, "column", column)
        part["explained"], part["rows"] = explained, len(rows)
        part["mean_error"], part["by_chance"] = np.nanmean(error[:, i, chosen], axis=0), best[:, i].mean()
        part["p"] = (best[:, i, None] >= explained).mean(axis=0)
        part["p_any"] = (best.max(axis=1)[:, None] >= explained).mean(axis=0)
        parts.append(part.sort_values(["explained", "mean_error"], ascending=[False, True], kind="stable"))
    return pd.concat(parts, ignore_index=True)
