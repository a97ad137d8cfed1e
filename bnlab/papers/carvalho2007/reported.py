"""Numbers that Carvalho and Oliveira (2007) report."""

from __future__ import annotations

import pandas as pd

from bnlab.papers.base.reported import read_reported, with_real_intervals


def table1() -> pd.DataFrame:
    """Table 1 of Carvalho and Oliveira 2007, one row per data set and classifier.

    Returns
    -------
    DataFrame with columns dataset, score (maximised by TAN and C2G), train (rows), test (rows, or "CV-5"), classifier
    ("NB", "TAN" or "C2G"), accuracy (percent), half_width (percent, as printed) and half_width_95.
    """
    return with_real_intervals(read_reported(__package__, "table1"))


def sizes() -> pd.DataFrame:
    """Sizes of the data sets in Table 1 of Carvalho and Oliveira 2007, one row per data set.

    Returns
    -------
    DataFrame with columns dataset, attributes, classes, train (rows) and test (rows, or "CV-5").
    """
    return read_reported(__package__, "sizes")
