"""Numbers and conclusions that Carvalho (2009) reports."""

from __future__ import annotations

import pandas as pd

from bnlab.papers.base.reported import read_reported, with_real_intervals


def table1() -> pd.DataFrame:
    """Table 1 of Carvalho 2009, one row per data set.

    Returns
    -------
    DataFrame with columns dataset, attributes, classes, train (rows) and test (rows, or "CV-5").
    """
    return read_reported(__package__, "table1")


def table2() -> pd.DataFrame:
    """Table 2 of Carvalho 2009, one row per data set and score.

    Returns
    -------
    DataFrame with columns dataset, score, accuracy (percent), half_width (percent, as printed), test (of Table 1) and
    half_width_95.
    """
    return with_real_intervals(read_reported(__package__, "table2").merge(table1()[["dataset", "test"]]))


def claims() -> pd.DataFrame:
    """Conclusions of Carvalho 2009 from Table 2.

    Returns
    -------
    DataFrame with columns key, where, claim and number (by which the claim is judged).
    """
    return read_reported(__package__, "claims")
