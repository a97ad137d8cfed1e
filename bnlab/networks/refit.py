"""Probability tables of families that come and go while a graph is edited."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.cache import BoundedCache
from bnlab.counts.types import Family
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.fit import Dirichlet, Smoothing
from bnlab.networks.inference import marginal
from bnlab.networks.network import BayesianNetwork

if TYPE_CHECKING:
    from bnlab.counts.source import CountSource

FloatArray = NDArray[np.float64]

MAX_CELLS = 2**22
REMEMBERED = 1024


class FamilyTables:
    """Networks for graphs on the same variables, of which a change of the graph fits only the changed families.

    A family of the network given keeps its table. Any other is fitted to the data; without data it gets the
    conditional distribution that it has in the network given, which is the nearest (in Kullback-Leibler divergence)
    that the new graph can come to it.

    Parameters
    ----------
    net : BayesianNetwork, optional
    source : CountSource, optional
        On the same variables. One of the two is needed.
    smoothing : Smoothing
        Estimator from counts.

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

    def __init__(
        self,
        net: BayesianNetwork | None = None,
        source: CountSource | None = None,
        *,
        smoothing: Smoothing | None = None,
    ) -> None:
        if net is None and source is None:
            raise ValueError("neither a network nor data: probabilities need one of them.")
        self._net = net
        self._source = source
        self._smoothing = smoothing or Dirichlet(1.0)
        self._variables: Sequence[Variable] = net.variables if net is not None else source.variables  # type: ignore[union-attr]
        self._tables: BoundedCache[Family, FloatArray] = BoundedCache(REMEMBERED)

    def network(self, dag: Dag) -> BayesianNetwork:
        """Network with the structure of a graph.

        Raises
        ------
        ValueError
            If the graph is on other variables, or a table would have more than 2**22 cells.
        """
        return BayesianNetwork(dag, self._variables, [self._table(family) for family in enumerate(dag.parents)])

    def _table(self, family: Family) -> FloatArray:
        table = self._kept(family)
        if table is None:
            self._check_size(family)
            table = self._projected(family) if self._source is None else self._fitted(family)
            self._tables.put(family, table)
        return table

    def _kept(self, family: Family) -> FloatArray | None:
        if self._net is not None and self._net.dag.parents[family[0]] == family[1]:
            return self._net.cpts[family[0]]
        return self._tables.get(family)

    def _check_size(self, family: Family) -> None:
        cells = prod(self._variables[v].arity for v in (*family[1], family[0]))
        if cells > MAX_CELLS:
            raise ValueError(
                f"node {self._variables[family[0]].name!r} with {len(family[1])} parents: its table would have "
                f"{cells:.3g} cells, more than {MAX_CELLS:.3g}; give it fewer parents."
            )

    def _fitted(self, family: Family) -> FloatArray:
        assert self._source is not None
        return self._smoothing.cpt(self._source.count([family])[0])

    def _projected(self, family: Family) -> FloatArray:
        assert self._net is not None
        names = [self._net.names[v] for v in (*family[1], family[0])]
        joint = marginal(self._net, names)
        sums = joint.sum(axis=-1, keepdims=True)
        table = np.full(joint.shape, 1 / joint.shape[-1])
        np.divide(joint, sums, out=table, where=sums > 0)
        return table
