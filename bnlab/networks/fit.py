"""Probability tables from counts: maximum likelihood and Dirichlet priors (Carvalho 2009, section 2; Heckerman 1995).

All estimates here have one form. With pseudo-counts a_k that are the same under every parent configuration,

    theta_ijk = (N_ijk + a_k) / (N_ij + sum of a),

so an unobserved configuration gets a / sum of a, and uniform probabilities where there are no pseudo-counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import MAX_AXES, check_memory
from bnlab.counts.cache import BoundedCache
from bnlab.counts.types import Family, FamilyCounts
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag, GraphLike, as_dag
from bnlab.networks.inference import conditional
from bnlab.networks.network import BayesianNetwork

if TYPE_CHECKING:
    from bnlab.counts.source import CountSource, DataLike

FloatArray = NDArray[np.float64]

MAX_CELLS = 2**27
MAX_EDITED_CELLS = 2**22
REMEMBERED = 1024
BYTES_A_CELL = 20
"""Each table is made, and then copied by the network, with the sums of its rows."""


class Smoothing(ABC):
    """Estimator of the probabilities of one family; subclasses say which pseudo-counts they add."""

    @abstractmethod
    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Pseudo-counts a_k added under each parent configuration, shape (r,)."""

    def rows(self, counts: FamilyCounts) -> FloatArray:
        """Probabilities under ``counts.configurations``, the observed ones: shape (observed, r), rows sum to 1."""
        added = self.pseudo_counts(counts)
        return np.asarray((counts.table + added) / (counts.n_ij + added.sum())[:, None])

    def unobserved(self, counts: FamilyCounts) -> FloatArray:
        """Probabilities under any parent configuration that no row shows, shape (r,)."""
        added = self.pseudo_counts(counts)
        total = added.sum()
        return np.asarray(added / total) if total > 0 else np.full(counts.r, 1 / counts.r)

    def cpt(self, counts: FamilyCounts) -> FloatArray:
        """Whole table of probabilities, shape ``(*parent_arities, r)``.

        Raises
        ------
        ValueError
            When it would need more memory than one operation may have.
        """
        check_memory(
            8 * counts.q * counts.r, f"a table of {counts.q:.3g} parent configurations", "give the node fewer parents"
        )
        table = np.tile(self.unobserved(counts), (counts.q, 1))
        table[counts.configurations] = self.rows(counts)
        return table.reshape(*counts.parent_arities, counts.r)


@dataclass(frozen=True)
class MaximumLikelihood(Smoothing):
    """Relative frequencies N_ijk / N_ij; uniform under a parent configuration that no row shows.

    Examples
    --------
    >>> counts = FamilyCounts(np.array([[3, 1]]), np.array([0]), (2,))
    >>> MaximumLikelihood().cpt(counts)
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """

    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Zeros."""
        return np.zeros(counts.r)


@dataclass(frozen=True)
class _WithWeight(Smoothing):
    """Smoothing whose parameters are weights of pseudo-counts, all greater than 0."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (np.isfinite(value) and value > 0):
                raise ValueError(
                    f"{name}={value}: a number greater than 0 is needed; MaximumLikelihood() adds nothing."
                )


@dataclass(frozen=True)
class Dirichlet(_WithWeight):
    """The same number of pseudo-counts in every cell: (N_ijk + alpha) / (N_ij + r alpha).

    Parameters
    ----------
    alpha : float
        Greater than 0; 1 is Laplace's rule of succession.

    Raises
    ------
    ValueError
        If alpha is not a finite number greater than 0.
    """

    alpha: float = 1.0

    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Value alpha for each state."""
        return np.full(counts.r, float(self.alpha))


@dataclass(frozen=True)
class BDeuPrior(_WithWeight):
    """Posterior mean under the prior of the BDeu score, N'_ijk = ess / (q r) (Carvalho 2009, section 2.1.1).

    Parameters
    ----------
    ess : float
        Equivalent sample size, greater than 0.

    Raises
    ------
    ValueError
        If ess is not a finite number greater than 0.
    """

    ess: float = 1.0

    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Value ess / (q r) for each state."""
        return np.full(counts.r, self.ess / (counts.q * counts.r))


@dataclass(frozen=True)
class MarginalPseudoRows(_WithWeight):
    """Pseudo-rows under each configuration, spread as the child's frequencies: (N_ijk + m p_k) / (N_ij + m).

    "Adding 5 pseudo instances with conditional probabilities, given the parent attributes plus the class variable,
    distributed according to the frequency of the corresponding attribute in the training set" (Carvalho 2007,
    section 4, after Friedman, Geiger and Goldszmidt 1997).

    Parameters
    ----------
    m : float
        Number of pseudo-rows, greater than 0.

    Raises
    ------
    ValueError
        If m is not a finite number greater than 0.
    """

    m: float = 5.0

    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Value m p_k, with p_k the share of rows in which the child has state k (uniform when there are no rows)."""
        marginal = counts.table.sum(axis=0)
        n = marginal.sum()
        return np.asarray(self.m * (marginal / n if n else np.full(counts.r, 1 / counts.r)))


def fit(dag: GraphLike, data: DataLike, smoothing: Smoothing | None = None) -> BayesianNetwork:
    """Bayesian network with a given structure and the parameters estimated from data.

    Parameters
    ----------
    dag : Dag, networkx.DiGraph or iterable of (parent, child) names
        On the variables of the data.
    data : Table, DataFrame or CountSource
    smoothing : Smoothing, optional
        `MaximumLikelihood` unless given; also `Dirichlet`, `BDeuPrior`, `MarginalPseudoRows`.

    Raises
    ------
    ValueError
        If graph and data have different variables, a probability table would have more than 2**27 cells, or all of
        them would need more memory than one operation may have.
    TypeError
        If `smoothing` is not a `Smoothing`, or the data cannot be counted.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> table = Table([Variable("x", ("a", "b")), Variable("y", (0, 1))], [[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> fit([("x", "y")], table).cpt("y")
    array([[0.5, 0.5],
           [0. , 1. ]])
    >>> fit([("x", "y")], table, Dirichlet(1)).cpt("y")
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    from bnlab.counts.source import count_source

    smoothing = MaximumLikelihood() if smoothing is None else smoothing
    if not isinstance(smoothing, Smoothing):
        raise TypeError(f"smoothing={smoothing!r}: give an object such as MaximumLikelihood() or Dirichlet(1).")
    source = count_source(data)
    variables = source.variables
    graph = as_dag(dag, [v.name for v in variables])
    families = list(enumerate(graph.parents))
    cells = sum(checked_cells(variables, family, MAX_CELLS) for family in families)
    what = f"the {cells:.3g} probabilities of the {len(families)} tables of this graph"
    check_memory(BYTES_A_CELL * cells, what, "give its nodes fewer parents")
    counts = source.count(families)
    return BayesianNetwork(graph, variables, [smoothing.cpt(c) for c in counts])


def checked_cells(variables: Sequence[Variable], family: Family, most: int) -> int:
    """Number of cells of a probability table; ValueError when there are too many, or numpy has no axis for each."""
    child, parents = family
    cells = prod(variables[v].arity for v in (*parents, child))
    name = f"node {variables[child].name!r} with {len(parents)} parents"
    if cells > most:
        raise ValueError(
            f"{name}: its table would have {cells:.3g} cells, more than {most:.3g}; give it fewer parents."
        )
    if len(parents) >= MAX_AXES:
        raise ValueError(
            f"{name}: numpy has tables of at most {MAX_AXES} axes, one of them the node's own; give it fewer parents, "
            "and leave out those of one state."
        )
    return cells


class FamilyTables:
    """Networks for graphs on the same variables, of which a change of the graph fits only the changed families.

    A family of the network given keeps its table. Any other is fitted to the data; without data it gets the
    conditional distribution that it has in the network given: no network of the new graph is nearer to that one in
    Kullback-Leibler divergence. Tables are fitted with `Dirichlet(1)`. ValueError if there is neither network nor data.

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
            checked_cells(self._variables, family, MAX_EDITED_CELLS)
            if self._source is not None:
                table = Dirichlet(1.0).cpt(self._source.count([family])[0])
            else:
                assert self._net is not None
                table = conditional(self._net, self._net.names[child], [self._net.names[v] for v in parents])
            self._tables.put(family, table)
        return table
