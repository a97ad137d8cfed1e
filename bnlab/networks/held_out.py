"""How well a network predicts rows that its parameters were not estimated from."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from bnlab._runtime.values import at_least
from bnlab.data.splits import five_fold
from bnlab.graphs.dag import GraphLike
from bnlab.graphs.equivalence import member
from bnlab.graphs.pdag import Pdag
from bnlab.networks.fit import fit
from bnlab.networks.smoothing import BDeuPrior, Smoothing

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.table import Table


def held_out(
    dag: GraphLike | Pdag,
    data: Table | pd.DataFrame,
    smoothing: Smoothing | None = None,
    *,
    folds: int = 5,
    seed: int = 0,
) -> float:
    """Mean log-likelihood of rows that the parameters were not estimated from, by cross-validation.

    The parameters that predict the rows of a fold are estimated from all other folds. The structure does not change:
    if it was learned from the same rows, the value is somewhat optimistic.

    Parameters
    ----------
    dag : Dag, Pdag, networkx.DiGraph or iterable of (parent, child) names
        On the variables of the data. Of a Pdag, an equivalence class, the network has the edges of one member,
        `bnlab.graphs.member`.
    data : Table or DataFrame
    smoothing : Smoothing, optional
        By default ``BDeuPrior(1.0)``. With `MaximumLikelihood`, a row with an unseen state has probability 0.
    folds : int
        2 <= folds <= rows.
    seed : int
        Seed of the folds: with the same seed, networks on the same data are compared on the same folds.

    Returns
    -------
    float
        Nats per row; greater is better.

    Raises
    ------
    ValueError
        As for `fit`, or if `folds` or `seed` is out of range.
    TypeError
        As for `fit`, or if `folds` or `seed` is not an integer.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("asia").sample(1000, seed=0)
    >>> learned = bnlab.learn(data, "hill-climbing")
    >>> held_out(learned, data) > held_out([], data)
    True
    """
    from bnlab.data.load import as_table

    at_least("folds", folds, 1)
    table = as_table(data).repeated()
    graph = member(dag, table.names)
    prior = BDeuPrior(1.0) if smoothing is None else smoothing
    totals, rows = [], 0
    for train, test in five_fold(table.n_rows, seed, k=folds):
        totals.append(fsum(fit(graph, table.take(train), prior).log_likelihood(table.take(test))))
        rows += len(test)
    return fsum(totals) / rows
