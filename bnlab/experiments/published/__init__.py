"""Tables of the numbers and claims that the papers report, and of skeletons found by R's bnlearn."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pandas as pd

from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.experiments.metrics import Z95


def carvalho2007_table1() -> pd.DataFrame:
    """Table 1 of Carvalho and Oliveira 2007, one row per data set and classifier.

    Returns
    -------
    DataFrame with columns dataset, score (maximised by TAN and C2G), train (rows), test (rows, or "CV-5"), classifier
    ("NB", "TAN" or "C2G"), accuracy (percent), half_width (percent, as printed) and half_width_95.
    """
    return _with_real_intervals(_read("carvalho2007_table1"))


def carvalho2007_sizes() -> pd.DataFrame:
    """Sizes of the data sets in Table 1 of Carvalho and Oliveira 2007, one row per data set.

    Returns
    -------
    DataFrame with columns dataset, attributes, classes, train (rows) and test (rows, or "CV-5").
    """
    return _read("carvalho2007_sizes")


def carvalho2009_table1() -> pd.DataFrame:
    """Table 1 of Carvalho 2009, one row per data set.

    Returns
    -------
    DataFrame with columns dataset, attributes, classes, train (rows) and test (rows, or "CV-5").
    """
    return _read("carvalho2009_table1")


def carvalho2009_table2() -> pd.DataFrame:
    """Table 2 of Carvalho 2009, one row per data set and score.

    Returns
    -------
    DataFrame with columns dataset, score, accuracy (percent), half_width (percent, as printed), test (of Table 1) and
    half_width_95.
    """
    return _with_real_intervals(_read("carvalho2009_table2").merge(carvalho2009_table1()[["dataset", "test"]]))


def carvalho2009_claims() -> pd.DataFrame:
    """Conclusions of Carvalho 2009 from Table 2.

    Returns
    -------
    DataFrame with columns key, where, claim and number (by which the claim is judged).
    """
    return _read("carvalho2009_claims")


def villanueva2012_networks() -> pd.DataFrame:
    """Networks of Villanueva and Maciel 2012, section 4, one row per network.

    Returns
    -------
    DataFrame with columns network, nodes, edges, least_states, most_states and max_indegree.
    """
    return _read("villanueva2012_networks")


def villanueva2012_claims() -> pd.DataFrame:
    """Claims of Villanueva and Maciel 2012 about their results, which they show in figures without numbers.

    Returns
    -------
    DataFrame with columns key, where and claim (shortened).
    """
    return _read("villanueva2012_claims")


def matuszak2012() -> pd.DataFrame:
    """Section 4 and Table 1 of Matuszak and Miekisz 2012, one row per network and algorithm.

    Returns
    -------
    DataFrame with columns network ("simple" or "alarm"), nodes, edges, rows, algorithm ("K2", "Chow-Liu" or "Chen"),
    gap ("difference in K2 metric" to "the optimal one", percent), seconds, and Chen's beta, epsilon, B and Q.
    """
    return _read("matuszak2012")


def _with_real_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Add half-widths of 95 % intervals: those printed for cross-validation are one standard error, not 1.96."""
    factor = table.test.eq("CV-5").map({True: Z95, False: 1.0})
    return table.assign(half_width_95=table.half_width * factor)


def alarm5k() -> Table:
    """5,000 rows of ALARM, drawn by R's bnlearn 5.2.1 (`rbn`, seed 1), with the states that its network declares."""
    with files(__package__).joinpath("alarm5k_data.csv.gz").open("rb") as file:
        codes = pd.read_csv(file, compression="gzip")
    states = _read("alarm5k_states", keep_default_na=False).groupby("variable", sort=False).state
    return Table.from_codes(codes.to_numpy(), [Variable(name, tuple(states.get_group(name))) for name in codes])


def alarm5k_edges(algorithm: str, test: str) -> set[frozenset[str]]:
    """Edges that R's bnlearn 5.2.1 finds in `alarm5k` at the level 0.05.

    Parameters
    ----------
    algorithm : {"mmpc", "hpc"}
        The `hpc` of bnlearn is a later algorithm than that of the paper of 2012.
    test : {"mi-adf", "mi"}
        "mi-adf" has adjusted degrees of freedom and needs five rows per parameter; "mi" has neither.
    """
    return {frozenset(edge) for edge in _read(f"alarm5k_{algorithm}_{test}_edges").itertuples(index=False, name=None)}


def _read(name: str, **options: Any) -> pd.DataFrame:
    with files(__package__).joinpath(f"{name}.csv").open() as file:
        return pd.read_csv(file, **options)
