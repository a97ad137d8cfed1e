"""The numbers and claims that the papers report, as tables."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

from bnlab.experiments.metrics import Z95


def carvalho2007_table1() -> pd.DataFrame:
    """Table 1 of Carvalho and Oliveira 2007, one row a data set and classifier.

    Returns
    -------
    DataFrame with columns dataset, score (what TAN and C2G maximise), train (rows), test (rows, or "CV-5"), classifier
    ("NB", "TAN" or "C2G"), accuracy (percent), half_width (percent, as printed) and half_width_95.
    """
    return _with_real_intervals(_read("carvalho2007_table1"))


def carvalho2007_sizes() -> pd.DataFrame:
    """Sizes of the data sets in Table 1 of Carvalho and Oliveira 2007, one row each.

    Returns
    -------
    DataFrame with columns dataset, attributes, classes, train (rows) and test (rows, or "CV-5").
    """
    return _read("carvalho2007_sizes")


def carvalho2009_table1() -> pd.DataFrame:
    """Table 1 of Carvalho 2009: the data sets, one row each.

    Returns
    -------
    DataFrame with columns dataset, attributes, classes, train (rows) and test (rows, or "CV-5").
    """
    return _read("carvalho2009_table1")


def carvalho2009_table2() -> pd.DataFrame:
    """Table 2 of Carvalho 2009, one row a data set and score.

    Returns
    -------
    DataFrame with columns dataset, score, accuracy (percent), half_width (percent, as printed), test (of Table 1) and
    half_width_95.
    """
    return _with_real_intervals(_read("carvalho2009_table2").merge(carvalho2009_table1()[["dataset", "test"]]))


def carvalho2009_claims() -> pd.DataFrame:
    """What Carvalho 2009 concludes from Table 2.

    Returns
    -------
    DataFrame with columns key, where, claim and number (that the claim is judged by).
    """
    return _read("carvalho2009_claims")


def villanueva2012_networks() -> pd.DataFrame:
    """Networks of Villanueva and Maciel 2012, section 4, one row each.

    Returns
    -------
    DataFrame with columns network, nodes, edges, least_states, most_states and max_indegree.
    """
    return _read("villanueva2012_networks")


def villanueva2012_claims() -> pd.DataFrame:
    """What Villanueva and Maciel 2012 say of their results, which they show in figures without numbers.

    Returns
    -------
    DataFrame with columns key, where and claim (in fewer words than print).
    """
    return _read("villanueva2012_claims")


def matuszak2012() -> pd.DataFrame:
    """Section 4 and Table 1 of Matuszak and Miekisz 2012, one row a network and algorithm.

    Returns
    -------
    DataFrame with columns network ("simple" or "alarm"), nodes, edges, rows, algorithm ("K2", "Chow-Liu" or "Chen"),
    gap ("difference in K2 metric" to "the optimal one", percent), seconds, and Chen's beta, epsilon, B and Q.
    """
    return _read("matuszak2012")


def _with_real_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Half-widths of 95 %: those printed for cross-validated rows are one standard error, not 1.96 of them."""
    factor = table.test.eq("CV-5").map({True: Z95, False: 1.0})
    return table.assign(half_width_95=table.half_width * factor)


def _read(name: str) -> pd.DataFrame:
    with files(__package__).joinpath(f"{name}.csv").open() as file:
        return pd.read_csv(file)
