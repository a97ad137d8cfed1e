"""Probability tables for a graph that is being edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.cache import BoundedCache
from bnlab.counts.types import Family
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.fit import Dirichlet, checked_cells
from bnlab.networks.inference import conditional
from bnlab.networks.network import BayesianNetwork

if TYPE_CHECKING:
    from bnlab.counts.source import CountSource

FloatArray = NDArray[np.float64]

MAX_CELLS = 2**22
REMEMBERED = 1024


class FamilyTables:
    """Networks for graphs on the same variables, of which a change of the graph fits only the changed families.

    A family of the network given keeps its table. Any other is fitted to the data; without data it gets the
    conditional distribution that it has in the network given: no network of the new graph is nearer to that one in
    Kullback-Leibler divergence.

    Parameters
    ----------
    net : BayesianNetwork, optional
    source : CountSource, optional
        On the same variables. One of the two is needed; tables are fitted with `Dirichlet(1)`.

    Raises
    ------
    ValueError
        If there is neither.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> net = asia()
    >>> fewer = Dag.from_edges(net.names, [edge for edge in net.dag.edges if edge != ("smoke", "lung")])
    >>> FamilyTables(net).network(fewer).cpt("lung").round(3)
    array([0.055, 0.945])
    """

    def __init__(self, net: BayesianNetwork | None = None, source: CountSource | None = None) -> None:
        if net is None and source is None:
            raise ValueError("neither a network nor data: probabilities need one of them.")
        self._net = net
        self._source = source
        self._variables: Sequence[Variable] = net.variables if net is not None else source.variables  # type: ignore[union-attr]
        self._tables: BoundedCache[Family, FloatArray] = BoundedCache(REMEMBERED)

    def network(self, dag: Dag) -> BayesianNetwork:
        """Network of a graph; ValueError if that is on other variables, or a table would have more than 2**22 cells."""
        return BayesianNetwork(dag, self._variables, [self._table(family) for family in enumerate(dag.parents)])

    def _table(self, family: Family) -> FloatArray:
        child, parents = family
        if self._net is not None and self._net.dag.parents[child] == parents:
            return self._net.cpts[child]
        table = self._tables.get(family)
        if table is None:
            checked_cells(self._variables, family, MAX_CELLS)
            if self._source is not None:
                table = Dirichlet(1.0).cpt(self._source.count([family])[0])
            else:
                assert self._net is not None
                table = conditional(self._net, self._net.names[child], [self._net.names[v] for v in parents])
            self._tables.put(family, table)
        return table
