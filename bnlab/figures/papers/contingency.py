"""The counts behind a test of independence, a table for each configuration of what is given."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from bnlab.figures.table import HtmlTable, html_table

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.citests import CITest
    from bnlab.data import Table

MOST_STRATA = 6


def contingency_data(test: CITest, data: Table) -> pd.DataFrame:
    """Counts of a test, one row a configuration of what is given and a state of x.

    Parameters
    ----------
    test : CITest
        From `bnlab.citests.G2Tester.test` on these data.
    data : Table

    Returns
    -------
    DataFrame
        A column for each variable that is given (one column "given", which numbers the configurations, where the
        test has counted only those that occur), a column for x, and a column of counts for each state of y. Only
        what occurs, configurations of most rows first.
    """
    import pandas as pd

    x, y = (data.variables[data.index(name)] for name in (test.x, test.y))
    given = [data.variables[data.index(name)] for name in test.z]
    shape = [variable.arity for variable in given]
    whole = len(test.table) == prod(shape)
    rows = []
    for stratum in _occurring(test):
        if whole:
            states = np.unravel_index(stratum, shape) if shape else ()
            named = {v.name: str(v.states[state]) for v, state in zip(given, states, strict=True)}
        else:
            named = {"given": f"configuration {stratum + 1}"}
        for state, counts in zip(x.states, test.table[stratum].tolist(), strict=True):
            if any(counts):
                rows.append({**named, x.name: str(state), **_columns(y.name, y.states, counts)})
    return pd.DataFrame(rows)


def _occurring(test: CITest) -> list[int]:
    """Configurations that occur, those of most rows first."""
    sums = test.table.sum(axis=(1, 2))
    return [int(k) for k in np.argsort(-sums, kind="stable") if sums[k] > 0]


def _columns(name: str, states: tuple[object, ...], counts: list[int]) -> dict[str, int]:
    return {f"{name} = {state}": count for state, count in zip(states, counts, strict=True)}


def contingency_table(test: CITest, data: Table, *, most: int = MOST_STRATA) -> HtmlTable:
    """Table of the counts of a test.

    Parameters
    ----------
    test, data
        As for `contingency_data`.
    most : int
        Configurations shown, those of most rows first; the rest is counted in the caption.
    """
    counts = contingency_data(test, data)
    lengths = [int((test.table[stratum].sum(axis=1) > 0).sum()) for stratum in _occurring(test)]
    shown = counts.head(sum(lengths[:most]))
    left = len(lengths) - most
    rest = f" Another {left:,} configurations that occur are not shown." if left > 0 else ""
    given = ", ".join(test.z) or "nothing"
    return html_table(shown, caption=f"Rows by {test.x} and {test.y}, given {given}.{rest}")
