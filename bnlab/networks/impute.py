"""Missing values filled in from a Bayesian network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args, overload

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.names import check_known
from bnlab._runtime.values import at_least, check_optional_counts
from bnlab.data.load import as_table
from bnlab.data.table import Table
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.query.inference import JunctionTree
from bnlab.networks.rows import codes_of_rows, impossible_row, incomplete_rows
from bnlab.networks.set_variables import by_set_variables

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["map", "sample"]


@overload
def impute(
    net: BayesianNetwork, table: Table | pd.DataFrame, method: Method = ..., *, seed: int = ..., n: None = ...
) -> Table: ...


@overload
def impute(
    net: BayesianNetwork, table: Table | pd.DataFrame, method: Method = ..., *, seed: int = ..., n: int
) -> list[Table]: ...


@reraise_interrupts()
def impute(
    net: BayesianNetwork,
    table: Table | pd.DataFrame,
    method: Method = "map",
    *,
    seed: int = 0,
    n: int | None = None,
) -> Table | list[Table]:
    """Fill in the missing values of a table from a network, by exact inference.

    Interventions are kept: a variable that was set in a row does not depend on its parents there.

    Parameters
    ----------
    net : BayesianNetwork
        On the variables of the table, with the same states (`Table.recoded` brings a table into the network's coding).
    table : Table or DataFrame
        Loaded with ``missing="keep"``. Other columns of a DataFrame are left out.
    method : {"map", "sample"}
        "map": the jointly most probable missing values of a row given its observed ones. "sample": values drawn from
        their joint distribution given the observed ones.
    seed : int
        Seed of the drawn values, not negative.
    n : int, optional
        Number of tables for multiple imputation, drawn independently; needs "sample". The first m tables are those of
        ``n=m``.

    Returns
    -------
    Table, or list of Table when `n` is given

    Raises
    ------
    ImpossibleEvidence
        (A ValueError.) If the observed values of a row have probability 0; the message names those that conflict.
    ValueError
        If the variables differ, the method is unknown, n < 1, seed < 0, "map" is combined with `n`, or more memory
        would be needed than one operation may have.
    TypeError
        If the table is neither a Table nor a DataFrame, `net` is not a BayesianNetwork, or `n` or `seed` is not an
        integer.

    Notes
    -----
    Statistics of the tables of a multiple imputation are combined by the rules of Rubin (1987): the estimate is the
    mean of the estimates, its variance the mean variance plus (1 + 1 / n) times the variance between the estimates.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> net = asia()
    >>> table = Table(net.variables, [[2], [0], [2], [0], [2], [0], [0], [0]], gaps=True)
    >>> impute(net, table).to_pandas()[["asia", "smoke", "bronc"]]
      asia smoke bronc
    0   no   yes   yes
    """
    if not isinstance(net, BayesianNetwork):
        raise TypeError(
            f"net is of type {type(net).__name__}: give a BayesianNetwork, such as bnlab.networks.fit(dag, table)."
        )
    check_known(method, get_args(Method), f"method={method!r}")
    check_optional_counts(1, n=n)
    at_least("seed", seed, 0)
    if n is not None and method == "map":
        raise ValueError('n with method="map": the most probable values are the same every time; use method="sample".')
    if not isinstance(table, Table):
        table = as_table(table, "keep", net.names).recoded(net.variables)
    if table.variables != net.variables:
        raise ValueError(
            "the table and the network have different variables or states: table.recoded(net.variables) brings the "
            "table into the order and the states of the network."
        )
    times = 1 if n is None else n
    check_memory(
        2 * times * table.n_rows * table.n_variables, f"{times:,} tables of {table.n_rows:,} rows", "take fewer tables"
    )
    gappy = incomplete_rows(table)
    generators = [np.random.default_rng([seed, k]) for k in range(times)]
    columns = [codes_of_rows(table) for _ in generators]
    for same in by_set_variables(table, net.dag, gappy):
        codes = columns[0][:, same.rows]
        after = BayesianNetwork(same.dag, net.variables, same.tables(net.cpts))
        tree = JunctionTree(after)
        if np.isneginf(tree.propagation.log_probabilities(tree.numbers, codes)).any():
            raise impossible_row(after, codes)
        filled = tree.propagation.completed(tree.numbers, codes, method, generators)
        for completed, rows in zip(columns, filled, strict=True):
            completed[:, same.rows] = rows
    tables = [Table(table.variables, list(codes), target=table.target).carrying(table) for codes in columns]
    return tables[0] if n is None else tables
