"""The counts behind a test of independence, a table for each configuration of what is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnlab.data.load import as_table
from bnlab.figures.table import HtmlTable, html_table

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.citests import CITest
    from bnlab.data import Table

MOST_STRATA = 6


def contingency_data(test: CITest, data: Table | pd.DataFrame) -> pd.DataFrame:
    """Counts of a test, one row a configuration of what is given and a state of x.

    Parameters
    ----------
    test : CITest
        From `bnlab.citests.G2Tester.test` on these data.
    data : Table or DataFrame

    Returns
    -------
    DataFrame
        A column for each variable that is given, a column for x, and a column of counts for each state of y. Only what
        occurs, configurations of most rows first.
    """
    data = as_table(data)
    given, states = list(test.z), data.variables[data.index(test.y)].states
    frame = data.select([*given, test.x, test.y]).to_pandas()
    counts = frame.groupby([*given, test.x, test.y], observed=True, sort=True).size().unstack(test.y, fill_value=0)
    counts = counts.reindex(columns=list(states), fill_value=0)
    if given:
        totals = counts.sum(axis=1).groupby(level=given, observed=True).transform("sum")
        counts = counts.iloc[(-totals.to_numpy()).argsort(kind="stable")]
    named = counts.rename(columns=lambda state: f"{test.y} = {state}").rename_axis(columns=None).reset_index()
    return named.astype(dict.fromkeys((*given, test.x), str))


def contingency_table(test: CITest, data: Table | pd.DataFrame, *, most: int = MOST_STRATA) -> HtmlTable:
    """Table of the counts of a test.

    Parameters
    ----------
    test, data
        As for `contingency_data`.
    most : int
        Configurations shown, those of most rows first; the rest is counted in the caption.
    """
    counts = contingency_data(test, data)
    strata = counts.groupby(list(test.z), sort=False).ngroup() if test.z else counts.index * 0
    left = int(max(strata)) + 1 - most
    rest = f" Another {left:,} configurations that occur are not shown." if left > 0 else ""
    given = ", ".join(test.z) or "nothing"
    return html_table(counts[strata < most], caption=f"Rows by {test.x} and {test.y}, given {given}.{rest}")
