"""Sizes and claims that Villanueva and Maciel (2012) report, and skeletons found by R's bnlearn."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.papers.base.reported import read_reported


def networks() -> pd.DataFrame:
    """Networks of Villanueva and Maciel 2012, section 4, one row per network.

    Returns
    -------
    DataFrame with columns network, nodes, edges, least_states, most_states and max_indegree.
    """
    return read_reported(__package__, "networks")


def claims() -> pd.DataFrame:
    """Claims of Villanueva and Maciel 2012 about their results, which they show in figures without numbers.

    Returns
    -------
    DataFrame with columns key, where and claim (shortened).
    """
    return read_reported(__package__, "claims")


def alarm5k() -> Table:
    """5,000 rows of ALARM, drawn by R's bnlearn 5.2.1 (`rbn`, seed 1), with the states that its network declares."""
    with files(__package__).joinpath("alarm5k_data.csv.gz").open("rb") as file:
        codes = pd.read_csv(file, compression="gzip")
    states = read_reported(__package__, "alarm5k_states", keep_default_na=False).groupby("variable", sort=False).state
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
    return {
        frozenset(edge)
        for edge in read_reported(__package__, f"alarm5k_{algorithm}_{test}_edges").itertuples(index=False, name=None)
    }
