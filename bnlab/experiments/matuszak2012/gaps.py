"""Possible meanings of "differs from the optimal one in K2 metric by 20 %".

The paper does not say what a difference of scores is divided by. With S the score of a network, T that of the true
one (for "the optimal one") and E that of the network without edges, all log scores, so negative:
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

Gap = Callable[[pd.Series, pd.Series, pd.Series], pd.Series]

GAPS: dict[str, Gap] = {
    "(T − S) / |T|": lambda s, t, e: (t - s) / t.abs(),
    "(T − S) / |S|": lambda s, t, e: (t - s) / s.abs(),
    "(T − S) / (T − E)": lambda s, t, e: (t - s) / (t - e),
}
"""Definitions of the gap by formula; all tables use the first one unless they say otherwise."""


def percent_gap(score: float, true: float) -> float:
    """(T − S) / |T| in percent, the definition that all tables use; negative when S is the greater score.

    Examples
    --------
    >>> percent_gap(-120.0, -100.0)
    20.0
    """
    return 100.0 * (true - score) / abs(true)


def with_gaps(records: pd.DataFrame, column: str = "score") -> pd.DataFrame:
    """Records with one column per definition, in percent.

    Parameters
    ----------
    records : DataFrame with columns true, empty, and the score
    column : str
        Name of that column.
    """
    columns = {name: 100.0 * gap(records[column], records["true"], records["empty"]) for name, gap in GAPS.items()}
    return records.assign(**columns)
