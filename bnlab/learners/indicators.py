"""Values that are missing not at random: each variable with gaps has an indicator of whether its value is missing.

Where values are missing at random, maximum likelihood may ignore the indicators (Rubin 1976). Otherwise they are part
of the model. Here the probability that a value is missing depends on that value alone (self-masking),

    P(O, R) = sum over the missing values of P(X) prod over i of rho_i(x_i)^R_i (1 - rho_i(x_i))^(1 - R_i),

with the observed values O, and R_i = 1 where the value of X_i is missing: R_i is a child of X_i, and always observed
(a missingness graph: Mohan and Pearl 2021). Expectation-maximisation therefore estimates rho_i like any other table.
Only other variables that depend on X_i carry information on its missing values; without any, rho_i does not change.

References
----------
Rubin (1976), Inference and missing data.
Mohan and Pearl (2021), Graphical models for processing missing data.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.cached import cached_property
from bnlab.counts.base import CountSource
from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.network import BayesianNetwork
from bnlab.scores import local_scores

Tables: TypeAlias = tuple[NDArray[np.float64], ...]


class MissingIndicators:
    """Rows of a table with an indicator for each variable with gaps.

    Parameters
    ----------
    table : Table
        With missing values.
    wide : CountSource
        Counts of the same rows, with missing values as one more state (`AvailableCases.with_missing_state`).

    Attributes
    ----------
    table : Table
        The given variables, then the indicators, which are always observed.
    constant : tuple of ndarray of float64, shape (r, 2)
        P(indicator | variable) with equal rows: the share of missing values, but less than 1.

    Examples
    --------
    >>> from bnlab.counts.incomplete import AvailableCases
    >>> table = Table([Variable("x", (0, 1)), Variable("y", (0, 1))], [[0, 1, 1, 2], [0, 1, 1, 0]], gaps=True)
    >>> indicators = MissingIndicators(table, AvailableCases(table).with_missing_state)
    >>> indicators.table.names, indicators.constant[0].tolist()
    (('x', 'y', 'missing x'), [[0.75, 0.25], [0.75, 0.25]])
    """

    def __init__(self, table: Table, wide: CountSource) -> None:
        prefix = "missing "
        while any(name.startswith(prefix) for name in table.names):
            prefix = f"is {prefix}"
        self._incomplete = [i for i, name in enumerate(table.names) if name in table.gaps]
        missing = [(table.column(i) == table.arities[i]).astype(np.uint8) for i in self._incomplete]
        indicators = [Variable(prefix + table.names[i], (0, 1)) for i in self._incomplete]
        columns = [*(table.column(i) for i in range(table.n_variables)), *missing]
        self.table = Table([*table.variables, *indicators], columns, gaps=True).carrying(table)
        self._wide = Table([*wide.variables, *indicators], columns).carrying(table)
        self._n = table.n_variables
        most = 1 - 0.5 / max(table.n_rows, 1)  # because log(0) is infinite
        shares = [min(float(column.mean()), most) for column in missing]
        arities = [table.arities[i] for i in self._incomplete]
        self.constant = tuple(np.tile([1 - p, p], (r, 1)) for p, r in zip(shares, arities, strict=True))

    def added(self, net: BayesianNetwork, tables: Sequence[NDArray[np.float64]]) -> BayesianNetwork:
        """Network with the indicators as children of their variables."""
        graph = Dag(self.table.names, (*net.dag.parents, *((i,) for i in self._incomplete)))
        return BayesianNetwork(graph, self.table.variables, [*net.cpts, *tables])

    @cached_property
    def penalty(self) -> float:
        """What to subtract from the log-likelihood of values and indicators to compare it with other scores, in nats.

        The other scores assume that values are missing at random. The penalty is the BIC penalty of all rho_i plus the
        BIC of the indicators if none depends on its own variable. Each indicator then has one parent, or none: the one
        of greatest BIC among the other variables, whose missing values are one more state.
        """
        phi = local_scores(self._wide, "bic")
        at_random = 0.0
        for k, i in enumerate(self._incomplete, start=self._n):
            at_random += float(phi.once([(k, ()), *((k, (z,)) for z in range(self._n) if z != i)]).max())
        return at_random + sum(map(len, self.constant)) * log(self.table.n_rows) / 2
