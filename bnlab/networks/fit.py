"""Estimation of a Bayesian network from a graph and data, for all families or for changed ones only."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from bnlab._runtime.budget import MAX_AXES, check_memory
from bnlab._runtime.values import at_least
from bnlab.counts.cache import BoundedCache
from bnlab.counts.types import Family, FloatArray
from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag, GraphLike
from bnlab.graphs.equivalence import learned_member
from bnlab.graphs.pdag import Pdag
from bnlab.networks.em import ExpectationMaximization, family_counts
from bnlab.networks.expert import ExpertCounts, expert_tables
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.noisy_or import NoisyNodes, fitted_noisy_or, noisy_nodes
from bnlab.networks.query.inference import conditional
from bnlab.networks.smoothing import Dirichlet, Smoothing, checked_smoothing
from bnlab.search import run

if TYPE_CHECKING:
    from bnlab.counts.base import CountSource
    from bnlab.counts.source import DataLike


MAX_CELLS = 2**27
MAX_EDITED_CELLS = 2**22
REMEMBERED = 1024
BYTES_A_CELL = 20
"""Measured for a table, its copy in the network, and the sums of its rows."""


def fit(
    dag: GraphLike | Pdag,
    data: DataLike,
    smoothing: Smoothing | None = None,
    *,
    prior: ExpertCounts | None = None,
    noisy_or: NoisyNodes = (),
    restarts: int = 0,
    seed: int = 0,
) -> BayesianNetwork:
    """Bayesian network with a given structure and parameters estimated from data.

    If values are missing, the expectation-maximisation algorithm estimates the parameters. It assumes that whether a
    value is missing depends on observed values only (missing at random).

    Parameters
    ----------
    dag : Dag, Pdag, networkx.DiGraph or iterable of (parent, child) names
        On the variables of the data. Of a Pdag, an equivalence class, the network has the edges of one member,
        `bnlab.graphs.member`.
    data : Table, DataFrame or CountSource
        A table with missing values is loaded with ``missing="keep"``.
    smoothing : Smoothing, optional
        By default `MaximumLikelihood`; also `Dirichlet`, `BDeuPrior`, `MarginalPseudoRows`.
    prior : mapping of str, optional
        Expert counts of some nodes, which count like further rows: by node an array of shape ``(*parent_arities, r)``,
        or a mapping of states to counts, for a node with parents by their states (a tuple if there are several, in the
        order of `Dag.parents_of`): ``{"lung": {"yes": {"yes": 10, "no": 90}}}``. What is absent has no counts. They are
        added before the smoothing.
    noisy_or : collection of str, or mapping of str to mapping
        Nodes whose table is a noisy-OR (`bnlab.networks.noisy_or`): they and their parents have two states, and each
        parent is an independent cause. A mapping names states that mean "on", by variable; by default yes, true, 1, on
        or present.
    restarts, seed : int
        With missing values: the number of further runs from random tables, and their seed. For other options, and to
        watch the convergence, see `ExpectationMaximization`.

    Raises
    ------
    ValueError
        If graph and data have different variables, `prior` names no node or state or has negative counts, a node of
        `noisy_or` or a parent has not two states, a probability table would have more than 2**27 cells, all tables
        (with missing values, exact inference) would need more memory than one operation may have, or `restarts` or
        `seed` is negative.
    TypeError
        If `smoothing` is not a `Smoothing`, the data cannot be counted, or `restarts` or `seed` is not an integer.

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
    >>> fit([("x", "y")], table, prior={"y": {"b": {0: 6}}}).cpt("y")
    array([[0.5 , 0.5 ],
           [0.75, 0.25]])
    >>> gaps = Table(table.variables, [[0, 0, 1, 1], [0, 1, 1, 2]], gaps=True)
    >>> fit([("x", "y")], gaps).cpt("y").round(3)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    from bnlab.counts.source import as_data, count_source
    from bnlab.data.table import Table

    smoothing = checked_smoothing(smoothing)
    at_least("restarts", restarts, 0)
    at_least("seed", seed, 0)
    data = as_data(data)
    variables = data.variables
    graph = learned_member(dag, [v.name for v in variables])
    families = list(enumerate(graph.parents))
    expert = expert_tables(prior, graph, variables)
    cells = sum(checked_cells(variables, family, MAX_CELLS) for family in families)
    what = f"the {cells:.3g} probabilities of the {len(families)} tables of this graph"
    check_memory(BYTES_A_CELL * cells, what, "give its nodes fewer parents")
    ors = noisy_nodes(noisy_or, graph, variables)
    if isinstance(data, Table) and data.has_gaps:
        search = ExpectationMaximization(graph, data, smoothing, restarts=restarts, seed=seed)
        return run(search.with_prior(prior).with_noisy_or(noisy_or))
    counts = list(count_source(data).count(families))
    for i, added in expert.items():
        counts[i] = family_counts(counts[i].dense() + added)
    cpts = [smoothing.cpt(c) for c in counts]
    for i, on in ors.items():
        rows = counts[i].dense() + smoothing.pseudo_counts(counts[i])
        cpts[i] = fitted_noisy_or(rows, variables[i], [variables[p] for p in graph.parents[i]], on)
    return BayesianNetwork(graph, variables, cpts)


def checked_cells(variables: Sequence[Variable], family: Family, most: int) -> int:
    """Number of cells of a probability table; ValueError if it has too many cells, or more axes than numpy allows."""
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
    """Networks for graphs on the same variables; after a change of the graph, only the changed families are fitted.

    A family of the given network keeps its table. Any other is fitted to the data with `Dirichlet(1)`. Without data it
    gets its conditional distribution in the given network: no network of the new graph is closer to the given one in
    Kullback-Leibler divergence. ValueError if there is neither a network nor data.

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
        """Network of a graph; ValueError if it has other variables, or a table would have more than 2**22 cells."""
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
