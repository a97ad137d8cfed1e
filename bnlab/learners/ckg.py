"""Consistent k-graphs: the network of greatest score whose edges follow the optimal branching (Algorithm 1).

No set of parents is left out but those that cannot win. For LL, AIC and BIC (MDL) the likelihood is at most 0, so
that a set whose penalty alone is no better than the best score so far need not be counted, nor any later one
like it (de Campos and Ji 2011, section 4). For the other scores all sets are counted.

References
----------
A. M. Carvalho, A. L. Oliveira. Learning Bayesian networks consistent with the optimal branching. ICMLA 2007.
C. P. de Campos, Q. Ji. Efficient structure learning of Bayesian networks using constraints. JMLR 12, 2011.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import fsum, prod
from typing import Any

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import nearest
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.chain import Chain
from bnlab.learners.edges import Known, at_least, edge_rules
from bnlab.learners.growing_tree import GrowingTree, breadth_first_order
from bnlab.learners.parent_sets import WINDOW, ScoredSet, SubsetSearch, count_subsets
from bnlab.learners.trees import WithClass, with_class
from bnlab.learners.types import (
    ROUNDING,
    Floats,
    Integers,
    ParentTuples,
    Phi,
    ScoreSearch,
    as_local_scores,
    evaluate,
)
from bnlab.scores import BIC, LocalScores
from bnlab.search import Snapshot, Work, run

ORDERS = ("path", "bfs")
MDL = "mdl"
GREATEST_K = 3
"""Greatest k that the MDL rule tries."""


def ckg(phi: Phi, n: int, k: int | str = 2, **options: Any) -> ParentTuples:
    """Consistent k-graph of greatest score (Carvalho and Oliveira 2007, Algorithm 1); see `ckg_search`.

    Examples
    --------
    >>> parity = lambda child, parents: {2: 1.0 + 2.0 * (parents == (0, 1)), 1: 2.0}.get(child, 0.0) * bool(parents)
    >>> from bnlab.learners import optimal_branching
    >>> optimal_branching(parity, 3, root=0)
    ((), (0,), (0,))
    >>> ckg(parity, 3, root=0), ckg(parity, 3, root=0, order="bfs")
    (((), (0,), (0,)), ((), (0,), (0, 1)))
    """
    return run(ckg_search(phi, n, k, **options))


def ckg_search(
    phi: Phi, n: int, k: int | str = 2, *, order: str = "path", root: int | None = None, knowledge: Known = None
) -> Chain:
    """Search for the consistent k-graph of greatest score: a `GrowingTree`, then a `CkGSearch` on its tree.

    Its score is at least that of the tree if k is at least 1 (Theorem 3.2).

    Parameters
    ----------
    phi, n, root
        As for `GrowingTree`.
    k, order
        As for `CkGSearch`; or k = "mdl", as for `MDLChoice`.
    knowledge : Knowledge, optional
        Edges that the network must have, at most one to a variable as in its tree, or may not have.

    Raises
    ------
    ValueError, TypeError
        As for `CkGSearch`, `MDLChoice` and `optimal_branching`.
    """
    most = GREATEST_K if k == MDL else at_least("k", k, 0)
    if knowledge is not None:
        knowledge = edge_rules(n, as_local_scores(phi, n).names, knowledge=knowledge, max_parents=most)
    tree = GrowingTree(phi, n, root=root, knowledge=knowledge)
    if k == MDL:
        mdl = mdl_of(phi)
        return Chain(tree, lambda found: MDLChoice(phi, found, mdl, order=order, knowledge=knowledge))
    return Chain(tree, lambda found: CkGSearch(phi, found, most, order=order, knowledge=knowledge))


def count_consistent_k_graphs(tree: ParentTuples, k: int) -> int:
    """Number of consistent k-graphs of a tree, the product over its nodes of the number of their sets of parents.

    Proposition 3.3 bounds it from below: of a tree of n nodes at least 2^(n - 1) - 1 are not trees, for k >= 1.

    Parameters
    ----------
    tree : sequence of sequence of int
        At most one parent of each node.
    k : int
        Greatest number of parents.

    Raises
    ------
    ValueError, TypeError
        If the graph is not a tree or forest, or k is not an integer of 0 or more.

    Examples
    --------
    >>> count_consistent_k_graphs(((), (0,), (1,)), 2)  # 1 set for the first, 2 for the second, 4 for the third
    8
    """
    at_least("k", k, 0)
    return prod(count_subsets(len(path), k) for path in ancestors(tree))


def ancestors(tree: ParentTuples) -> ParentTuples:
    """Nodes on the path from the root to each node, the node left out, ascending: α_i of Algorithm 1.

    Raises
    ------
    ValueError
        If the graph is not a tree or forest.

    Examples
    --------
    >>> ancestors(((), (2,), (0,)))
    ((), (0, 2), (0,))
    """
    paths: dict[int, tuple[int, ...]] = {}
    for node in breadth_first_order(tree):
        paths[node] = tuple(sorted([*tree[node], *(a for parent in tree[node] for a in paths[parent])]))
    return tuple(paths[node] for node in range(len(tree)))


@dataclass(frozen=True)
class CkGState:
    """State of a `CkGSearch`.

    Attributes
    ----------
    parents : tuple of tuple of int
        Best parents of the nodes that are finished, node 0 first.
    seen : int
        Sets of parents of the next node examined so far.
    leaders : tuple of (float, tuple of int)
        Of these, each that scored more than all before it and may be tied with the last.
    done, scored : int
        Sets examined for all nodes, and how many of them were scored.
    """

    parents: ParentTuples = ()
    seen: int = 0
    leaders: tuple[ScoredSet, ...] = ()
    done: int = 0
    scored: int = 0


@dataclass(frozen=True)
class CkGSearch(SubsetSearch):
    """Step 2 of Algorithm 1 as a search: best parents of each node among its candidates, node after node.

    A step scores some sets of one node's parents.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score, greater is better.
    tree : sequence of sequence of int
        Branching (or forest): at most one parent of each node.
    k : int
        Greatest number of parents, 0 or more; a node with fewer candidates may have all of them.
    order : "path" or "bfs"
        Candidates for a node's parents: its ancestors in the tree (the paper's consistent k-graphs), or all nodes that
        come before it in breadth-first order, which include its ancestors (the paper's section 5).
    knowledge : Knowledge, optional
        As for `ckg_search`.
    batch : int
        Sets of parents scored in one step; the result does not depend on it. A source that passes over many chunks for
        each call is better off with thousands.

    Raises
    ------
    ValueError
        If the graph is not a tree, the order is unknown, k or the batch is out of range, or a required parent is not
        before its child in the order.
    TypeError
        If k is not an integer.

    Notes
    -----
    Of sets whose scores differ by no more than `ROUNDING` times the greatest ``|φ|`` of a family without parents or
    with the tree's, the smallest wins, then the lexicographically first.
    """

    phi: Phi
    tree: ParentTuples
    k: int = 2
    order: str = field(default="path", kw_only=True)
    knowledge: Known = field(default=None, kw_only=True)
    batch: int = field(default=WINDOW, kw_only=True)

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ValueError(f"order={self.order!r}: {nearest(self.order, ORDERS)}")
        at_least("k", self.k, 0)
        for v, (before, required) in enumerate(zip(self._before, self.required, strict=True)):
            if not set(required).issubset(before):
                raise ValueError(f"required parents {required} of node {v}: they are not before it in the tree's order")
        self.check_subsets()

    @cached_property
    def edges(self) -> EdgeRules:
        """Rules of the edges."""
        return edge_rules(self.n, self.variable_names(), knowledge=self.knowledge, max_parents=self.k)

    @cached_property
    def candidates(self) -> ParentTuples:  # type: ignore[override]
        """Possible further parents of each node, ascending."""
        if self.knowledge is None:
            return self._before
        free = self.edges.allowed & ~self.edges.required
        return tuple(tuple(u for u in before if free[u, v]) for v, before in enumerate(self._before))

    @cached_property
    def _before(self) -> ParentTuples:
        """Nodes before each node in the order, ascending."""
        if self.order == "path":
            return ancestors(self.tree)
        order = breadth_first_order(self.tree)
        return tuple(tuple(sorted(order[: order.index(node)])) for node in range(self.n))

    def init(self) -> CkGState:
        """Before the first node."""
        return CkGState()

    def step(self, state: CkGState) -> tuple[CkGState, Work]:
        """Score the next sets of parents of the next node; after the last set the parents of the node are final."""
        node = len(state.parents)
        block = self.block(node, state.seen)
        values = self.scores_of_block(node, block, state.leaders[-1][0] if state.leaders else -np.inf)
        leaders = self._leaders(state.leaders, node, block, values)
        _, parents = leaders[0]
        after = CkGState(
            state.parents,
            state.seen + len(values),
            leaders,
            state.done + len(values),
            state.scored + int(np.isfinite(values).sum()),
        )
        if self.is_last(node, after.seen):
            after = replace(after, parents=(*state.parents, parents), seen=0, leaders=())
        return after, self.work(after.done)

    def is_done(self, state: CkGState) -> bool:
        """Whether all nodes have their parents."""
        return len(state.parents) == len(self.tree)

    def result(self, state: CkGState) -> ParentTuples:
        """Parents of each node; nodes that are not finished keep their parent in the tree (none if k is 0)."""
        rest = self.tree[len(state.parents) :]
        return (*state.parents, *(tuple(parents) if self.k else () for parents in rest))

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of variables."""
        return len(self.tree)

    def snapshot(self, state: CkGState) -> Snapshot:
        """Parent sets scored or excluded, and the network so far."""
        return Snapshot(self.work(state.done), self.result(state))

    @cached_property
    def _tolerance(self) -> float:
        alone = [(i, ()) for i in range(self.n)]
        joined = [(i, tuple(parents)) for i, parents in enumerate(self.tree) if parents]
        return ROUNDING * float(np.abs(evaluate(self._phi, [*alone, *joined])).max(initial=0.0))

    def _leaders(
        self, leaders: tuple[ScoredSet, ...], node: int, block: Integers, values: Floats
    ) -> tuple[ScoredSet, ...]:
        """Sets that scored more than all before them, as far as they may be tied with the last of them."""
        before = np.concatenate([[leaders[-1][0] if leaders else -np.inf], values])
        better = values > np.maximum.accumulate(before)[:-1]
        every = (*leaders, *self.scored_sets(node, block[: len(values)], values, better))
        return tuple(leader for leader in every if leader[0] >= every[-1][0] - self._tolerance)


@dataclass(frozen=True)
class MDLState:
    """State of a `MDLChoice`.

    Attributes
    ----------
    best_parents : tuple of tuple of int
        Network of the best k so far.
    best_mdl : float
        Its MDL score.
    best_k, tried : int
        That k, and the number of values tried.
    """

    best_parents: ParentTuples
    best_mdl: float
    best_k: int = 0
    tried: int = 1

    @property
    def done(self) -> bool:
        """Whether all values of k have been tried."""
        return self.tried > GREATEST_K


@dataclass(frozen=True)
class MDLChoice(ScoreSearch):
    """Consistent k-graph whose k the minimum description length chooses, a step for each k from 1 to `GREATEST_K`.

    For each k the network is the best for φ, as of a `CkGSearch`. The one of greatest MDL score (Carvalho 2009,
    Equation 9), that is, of least description length, is the result; of several that with the smallest k. The network
    of the required edges alone, without knowledge k = 0, is among them. When φ is itself MDL, the result is the best
    network for k = `GREATEST_K`.

    Parameters
    ----------
    phi, tree, order, knowledge
        As for `CkGSearch`.
    mdl : callable (child, parents) -> float
        MDL score of the same data, from `mdl_of`.
    """

    phi: Phi
    tree: ParentTuples
    mdl: Phi
    order: str = field(default="path", kw_only=True)
    knowledge: Known = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._search(GREATEST_K)  # refuses a wrong tree or order

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of variables."""
        return len(self.tree)

    def init(self) -> MDLState:
        """Network of the required edges alone."""
        parents = self._search(GREATEST_K).edges.parents
        widest = max(map(len, parents))
        return MDLState(parents, self._mdl_of(parents), widest, max(widest, 1))

    def step(self, state: MDLState) -> tuple[MDLState, Work]:
        """Learn the network of the next k."""
        k = state.tried
        parents = run(self._search(k))
        value = self._mdl_of(parents)
        after = replace(state, tried=k + 1)
        if value > state.best_mdl + ROUNDING * abs(value):
            after = replace(after, best_parents=parents, best_mdl=value, best_k=k)
        return after, self._work(after)

    def snapshot(self, state: MDLState) -> Snapshot:
        """Values of k tried, and the best network so far."""
        return Snapshot(self._work(state), state.best_parents)

    def _search(self, k: int) -> CkGSearch:
        return CkGSearch(self.phi, self.tree, k, order=self.order, knowledge=self.knowledge)

    def _mdl_of(self, parents: ParentTuples) -> float:
        return fsum(evaluate(as_local_scores(self.mdl, self.n), list(enumerate(parents))))

    def _work(self, state: MDLState) -> Work:
        return Work(state.tried - 1, GREATEST_K, "values of k")


def mdl_of(phi: Phi) -> Phi:
    """MDL score of the data of another local score.

    Raises
    ------
    ValueError
        If that is a plain function, which has no data.
    """
    if isinstance(phi, LocalScores):
        return LocalScores(phi.source, BIC())
    if isinstance(phi, WithClass):
        return with_class(mdl_of(phi.phi), phi.class_index)
    raise ValueError(f"k={MDL!r}: a plain function has no data to describe; give LocalScores, or a whole number k")
