"""How far a network is from the best one: the optimum of a table, or bounds of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab.counts.source import DataLike, as_data
from bnlab.graphs.dag import Dag, GraphLike, as_dag
from bnlab.learners.edges import Known, Within, allowed_edges
from bnlab.learners.exact.search import OptimumState, exact_search
from bnlab.scores import LocalScore, LocalScores, local_scores
from bnlab.search import iterate


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best network found, and what no network scores more than.

    Attributes
    ----------
    graph : Dag
        Best network found.
    score : float
        Its score, in nats.
    bound : float
        Upper bound of the scores of all networks with at most `max_parents` parents a variable, in nats.
    max_parents : int
    proven : bool
        Whether the graph is an optimum.
    """

    graph: Dag
    score: float
    bound: float
    max_parents: int
    proven: bool
    _phi: LocalScores

    def gap(self, graph: GraphLike) -> float:
        """Nats by which a graph misses the optimum, at most; exactly where `proven`.

        Parameters
        ----------
        graph : Dag, or what has one
            On the same variables, with at most `max_parents` parents a variable.

        Raises
        ------
        ValueError
            When the graph is on other variables or has a variable with more parents.
        """
        dag = as_dag(graph, self.graph.names).reordered(self.graph.names)
        for name, parents in zip(dag.names, dag.parents, strict=True):
            if len(parents) > self.max_parents:
                raise ValueError(
                    f"{name!r} has {len(parents)} parents, but the bound is that of networks with at most "
                    f"{self.max_parents}: call optimum with max_parents={len(parents)}."
                )
        return max(self.bound - _total(self._phi, dag.parents), 0.0)


def optimum(
    data: DataLike,
    score: str | LocalScore = "bic",
    *,
    max_parents: int | None = 3,
    within: Within = None,
    knowledge: Known = None,
    time_limit: float | None = 60.0,
    **params: Any,
) -> Optimum:
    """Find the network of greatest score, or after a time an upper bound of all scores.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
    score, **params
        As for `bnlab.score`.
    max_parents : int, optional
        Greatest number of parents of a variable; None for any number.
    within, knowledge
        Edges that may be used, and edges that must or may not be, as for `bnlab.learn`.
    time_limit : float, optional
        Seconds for the search after all parent sets are scored; None for no limit.

    Raises
    ------
    ValueError, TypeError
        As for `bnlab.learn`.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("asia").sample(1000, seed=0)
    >>> best = optimum(data, "bic")
    >>> best.proven, round(best.gap(bnlab.learn(data, "branching")), 1) > 0
    (True, True)
    """
    with reraise_interrupts():
        data = as_data(data)
        n, names = len(data.names), data.names
        phi = local_scores(data, score, **params)
        allowed = allowed_edges(within, n, names)
        search = exact_search(phi, n, max_parents, within=allowed, knowledge=knowledge, time_limit=time_limit)
        *_, (last, _) = iterate(search)
        found: OptimumState = last.second
        dag = Dag(names, found.network)
        score_found = _total(phi, dag.parents)
        bound = score_found if found.proven else found.bound
        return Optimum(dag, score_found, bound, n - 1 if max_parents is None else max_parents, found.proven, phi)


def _total(phi: LocalScores, parents: Sequence[Sequence[int]]) -> float:
    return fsum(phi.many([(v, tuple(family)) for v, family in enumerate(parents)]))
