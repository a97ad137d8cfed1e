"""Search for the computation behind a reported column, with a correction for the number of computations tried."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bnlab.papers.base.metrics import ROUNDING


def columns_explained(
    reported: pd.DataFrame,
    half_width: pd.DataFrame,
    computed: pd.DataFrame,
    *,
    own: bool = False,
    permutations: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Count the numbers of each reported column that each suspect explains, and those explained by chance.

    A suspect explains a number if the computed value is within the number's half-width. The comparison by chance
    permutes the numbers within each row: a column is then unrelated to its name, but the best of many suspects still
    explains some of its numbers.

    Parameters
    ----------
    reported, half_width : DataFrame of float, one column per reported column
        Percent.
    computed : DataFrame of float, columns (protocol, item)
        The same rows. A suspect is a protocol and the item for which it was computed. It does not explain rows without
        a value.
    own : bool
        Whether to try only suspects that were computed for the item of the column; by default, columns may be mixed up.
    permutations, seed : int
        Number and seed of the permutations.

    Returns
    -------
    DataFrame, columns in their order, best suspects first
        column, protocol, item, explained, rows, mean_error (mean absolute difference), by_chance (mean count of the
        best suspect for a permuted column), p (share of permuted columns of which some suspect explains at least as
        many numbers) and p_any (share of permuted tables with any such column).

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
