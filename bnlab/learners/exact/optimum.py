"""How far a network is from the best one: the optimum of a table, or bounds of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab.counts.source import DataLike, as_data
from bnlab.graphs.dag import Dag, GraphLike, as_dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.graphs.equivalence import as_learned
from bnlab.graphs.knowledge import Knowledge
from bnlab.learners.chain import Chain, ChainState
from bnlab.learners.edges import Known, Within, leave_constant_alone
from bnlab.learners.exact.search import exact_search
from bnlab.scores import LocalScore, LocalScores, local_scores
from bnlab.search import run

LEAST = 0.005
"""Nats: a smaller gap is not written as a number."""
PROVED = "proved best"
"""Text of no distance."""
ROUNDED = 1e-6
"""Nats that sums of scores in another order may differ by."""


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
        Upper bound of the scores of all networks that agree with the rules, in nats.
    max_parents : int
        Greatest number of parents of a variable.
    rules : EdgeRules
        Edges that the networks may and must have, from the knowledge and the super-structure of the search.
    proven : bool
        Whether the graph is an optimum.
    """

    graph: Dag
    score: float
    bound: float
    max_parents: int
    rules: EdgeRules
    proven: bool
    _phi: LocalScores

    def gap(self, graph: GraphLike) -> float:
        """Nats by which a graph misses the optimum, at most; exactly where `proven`.

        Parameters
        ----------
        graph : Dag, or what has one
            On the same variables.

        Raises
        ------
        ValueError
            When the graph is on other variables, or is not one of the networks that the bound is of.
        """
        dag = as_dag(graph, self.graph.names).reordered(self.graph.names)
        outside = self._outside(dag)
        if outside:
            raise ValueError(f"the bound is not one of this graph: {outside}.")
        return max(self.bound - self._phi.total(dag.parents), 0.0)

    def gap_text(self, graph: GraphLike) -> str:
        """Gap of a graph in words, as `gap_text` writes it, or why it is outside the networks that the bound is of.

        Raises
        ------
        ValueError
            When the graph is on other variables.
        """
        dag = as_dag(graph, self.graph.names).reordered(self.graph.names)
        outside = self._outside(dag)
        return f"outside these networks ({outside})" if outside else gap_text(self.gap(dag), proven=self.proven)

    def _outside(self, dag: Dag) -> str:
        """Why a graph is not one of the networks that the bound is of; "" if it is one."""
        for name, parents in zip(dag.names, dag.parents, strict=True):
            if len(parents) > self.max_parents:
                return f"{name!r} has {len(parents)} parents; call optimum with max_parents={len(parents)}"
        broken = self.rules.violations(dag.parents, dag.names)
        return f"{broken[0]}; call optimum without this rule" if broken else ""


def gap_text(gap: float, *, proven: bool = False) -> str:
    """Distance of a graph from the best one, in words.

    Parameters
    ----------
    gap : float
        Upper bound of all scores less the score of the graph, in nats; infinite where no bound is known.
    proven : bool
        Whether the bound is the score of an optimum.

    Examples
    --------
    >>> gap_text(0.3), gap_text(12.25, proven=True)
    ('at most 0.30 nats from the optimum', '12.25 nats from the optimum')
    >>> gap_text(0.0, proven=True), gap_text(0.0), gap_text(float("inf"))
    ('proved best', 'proved best', 'at an unknown distance from the optimum')
    """
    if gap == inf:
        return "at an unknown distance from the optimum"
    if gap < LEAST:
        return PROVED if gap < ROUNDED else f"less than {LEAST:g} nats from the optimum"
    return f"{'' if proven else 'at most '}{gap:,.2f} nats from the optimum"


def gap_sentence(found: Optimum, graphs: Mapping[str, GraphLike]) -> str:
    """Distances of graphs from the best one, in a sentence without its beginning.

    Raises
    ------
    ValueError
        As for `Optimum.gap`.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("asia").sample(1000, seed=0)
    >>> best = bnlab.learners.optimum(data, "bic")
    >>> gap_sentence(best, {"exact": best.graph})
    'among networks with at most 3 parents a variable, “exact” is proved best.'
    """
    parts = "; ".join(f"“{name}” is {found.gap_text(graph)}" for name, graph in graphs.items())
    limited = found.max_parents < len(found.graph) - 1
    among = f"networks with at most {found.max_parents} parents a variable" if limited else "all networks"
    free = found.rules.allowed.sum() == len(found.graph) * (len(found.graph) - 1) and not found.rules.required.any()
    return f"among {among}{'' if free else ' that agree with the rules'}, {parts}."


@dataclass(frozen=True, eq=False)
class GapSearch(Chain):
    """Exact search whose result is an `Optimum`; before the parent sets are scored its bound is infinite."""

    scores: LocalScores
    max_parents: int

    def result(self, state: ChainState) -> Optimum:  # type: ignore[override]
        """Best network so far and the bound."""
        names, found = self.scores.names, state.second
        dag = Dag(names, ((),) * len(names) if found is None else found.network)
        score = self.scores.total(dag.parents)
        proven = found is not None and found.proven
        bound = score if proven else inf if found is None else max(found.bound, score)
        return Optimum(dag, score, bound, self.max_parents, self.first.edges, proven, self.scores)


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
        scores = local_scores(as_data(data), score, **params)
        known = leave_constant_alone(scores.source.names, scores.source.constant, knowledge)
        rules: dict[str, Any] = {"max_parents": max_parents, "within": within, "knowledge": known}
        found = run(gap_search(scores, time_limit=time_limit, **rules))
        decides = knowledge if isinstance(knowledge, Knowledge) else None
        return replace(found, graph=as_learned(found.graph, decides, scores.source.experiments))


def gap_search(scores: LocalScores, *, max_parents: int | None = 3, **options: Any) -> GapSearch:
    """Search that `optimum` runs, for callers that show its progress or stop it; its result is an `Optimum`.

    Parameters
    ----------
    scores : LocalScores
    max_parents, **options
        As for `exact_search`.

    Raises
    ------
    ValueError, TypeError
        As for `bnlab.learn`.
    """
    chain = exact_search(scores, scores.n, max_parents, **options)
    return GapSearch(chain.first, chain.then, scores, scores.n - 1 if max_parents is None else max_parents)
