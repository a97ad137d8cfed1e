"""Numbers that Matuszak and Miekisz (2012) report."""

from __future__ import annotations

import pandas as pd

from bnlab.papers.base.reported import read_reported


def table1() -> pd.DataFrame:
    """Section 4 and Table 1 of Matuszak and Miekisz 2012, one row per network and algorithm.

    Returns
    -------
    DataFrame with columns network ("simple" or "alarm"), nodes, edges, rows, algorithm ("K2", "Chow-Liu" or "Chen"),
    gap ("difference in K2 metric" to "the optimal one", percent), seconds, and Chen's beta, epsilon, B and Q.
    """
    return read_reported(__package__, "table1")
