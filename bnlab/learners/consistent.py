"""Best parents of each node among those before it in a tree: step 2 of Algorithm 1, as a search.

Only sets of parents that cannot win are left out. For LL, AIC and BIC (MDL) the log-likelihood is at most 0. A set
whose penalty alone is no better than the best score so far need therefore not be counted, nor any later one like it
(de Campos and Ji 2011, section 4). For the other scores all sets are counted.

References
----------
A. M. Carvalho, A. L. Oliveira. Learning Bayesian networks consistent with the optimal branching. ICMLA 2007.
C. P. de Campos, Q. Ji. Efficient structure learning of Bayesian networks using constraints. JMLR 12, 2011.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import check_known
from bnlab._runtime.values import at_least
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.edges import Known, edge_rules
from bnlab.learners.growing_tree import breadth_first_order
from bnlab.learners.parent_sets import ScoredSet, SubsetSearch
from bnlab.learners.subsets import count_subsets
from bnlab.learners.types import ROUNDING, Floats, Integers, ParentTuples, Phi, evaluate
from bnlab.search import Snapshot, Work

ORDERS = ("path", "bfs")


def count_consistent_k_graphs(tree: ParentTuples, k: int) -> int:
    """Number of consistent k-graphs of a tree: the product of the numbers of parent sets of its nodes.

    Proposition 3.3 is a lower bound: for a tree of n nodes and k >= 1 at least 2^(n - 1) - 1 of them are not trees.

    Parameters
    ----------
    tree : sequence of sequence of int
        At most one parent of each node.
    k : int
        Maximum number of parents.

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
    """Nodes on the path from the root to each node, without the node itself, ascending: α_i of Algorithm 1.

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
        Those of them that scored more than all before and may be tied with the last of these.
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
    """Step 2 of Algorithm 1 as a search: best parents of each node among its candidates, node by node.

    A step scores some sets of one node's parents.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score, greater is better.
    tree : sequence of sequence of int
        Branching (or forest): at most one parent of each node.
    k : int
        Maximum number of parents, 0 or more; a node with fewer candidates may have all of them.
    order : "path" or "bfs"
        Candidates for a node's parents: its ancestors in the tree (the paper's consistent k-graphs), or all nodes
        before it in breadth-first order, which include its ancestors (the paper's section 5).
    knowledge : Knowledge, optional
        As for `ckg_search`.

    Raises
    ------
    ValueError
        If the graph is not a tree, the order is unknown, k is out of range, or a required parent is not before its
        child in the order.
    TypeError
        If k is not an integer.

    Notes
    -----
    Scores are tied if they differ by no more than `ROUNDING` times the greatest ``|φ|`` of the families without parents
    and of the tree. Of tied sets the smallest wins, then the lexicographically first.
    """

    phi: Phi
    tree: ParentTuples
    k: int = 2
    order: str = field(default="path", kw_only=True)
    knowledge: Known = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_known(self.order, ORDERS, f"order={self.order!r}")
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
        """State before the first node."""
        return CkGState()

    def step(self, state: CkGState) -> tuple[CkGState, Work]:
        """Score some sets of parents of the present node; after the last set its parents are final."""
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
        """Whether all nodes are finished."""
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
        return ROUNDING * float(np.abs(evaluate(self.local_scores, [*alone, *joined])).max(initial=0.0))

    def _leaders(
        self, leaders: tuple[ScoredSet, ...], node: int, block: Integers, values: Floats
    ) -> tuple[ScoredSet, ...]:
        """Sets that scored more than all before them and may be tied with the last of these."""
        before = np.concatenate([[leaders[-1][0] if leaders else -np.inf], values])
        better = values > np.maximum.accumulate(before)[:-1]
        every = (*leaders, *self.scored_sets(node, block, values, better))
        return tuple(leader for leader in every if leader[0] >= every[-1][0] - self._tolerance)
