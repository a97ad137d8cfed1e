"""A tree learner as a search that adds one edge per step, breadth first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab.learners.edges import Known, Node, as_node
from bnlab.learners.trees import optimal_branching, rules_of_tree
from bnlab.learners.types import Floats, ParentTuples, Phi, ScoreSearch, as_local_scores, evaluate
from bnlab.search import Event, Progress, Snapshot, Work


@dataclass(frozen=True)
class TreeState:
    """State of a `GrowingTree`.

    Attributes
    ----------
    parents : tuple of tuple of int
        Parents of each variable in the edges shown so far.
    score : float
    iteration : int
        Number of edges shown so far.
    """

    parents: ParentTuples
    score: float
    iteration: int = 0


@dataclass(frozen=True)
class GrowingTree(ScoreSearch):
    """The tree of greatest score (`optimal_branching`; Chow-Liu for φ = LL), built edge by edge from its root.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score to learn the tree by.
    n : int
        Number of variables.
    root : int or str, optional
        Number or name of the root; by default as for `optimal_branching`.
    spanning, knowledge
        As for `optimal_branching`.
    shown : callable (child, parents) -> float, optional
        Local score that the curve shows; by default `phi`.

    Examples
    --------
    >>> gain = [[0, 5, 1], [6, 0, 3], [2, 4, 0]]
    >>> from bnlab.search import run
    >>> run(GrowingTree(lambda child, parents: sum(gain[j][child] for j in parents), 3, root=0))
    ((), (0,), (1,))
    """

    phi: Phi
    n: int
    root: Node | None = field(default=None, kw_only=True)
    spanning: bool = field(default=True, kw_only=True)
    knowledge: Known = field(default=None, kw_only=True)
    shown: Phi | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.knowledge is not None:
            rules_of_tree(self.knowledge, self.variable_names(), self._root)
        _ = self._root

    def init(self) -> TreeState:
        """Return the graph without edges."""
        return TreeState(((),) * self.n, fsum(self._without))

    def step(self, state: TreeState) -> tuple[TreeState, Progress]:
        """Add the next edge."""
        v = self._children[state.iteration]
        parents = (*state.parents[:v], self._tree[v], *state.parents[v + 1 :])
        added = np.array([bool(family) for family in parents])
        after = TreeState(parents, fsum(np.where(added, self._within, self._without)), state.iteration + 1)
        event = Event(after.iteration, "add", self._tree[v][0], v)
        return after, Progress(after.iteration, (after.score,), after.score, (event,))

    def is_done(self, state: TreeState) -> bool:
        """Whether all edges are added."""
        return state.iteration == len(self._children)

    def result(self, state: TreeState) -> ParentTuples:
        """Parents of each variable."""
        return state.parents

    def snapshot(self, state: TreeState) -> Snapshot:
        """Edges added, and the present tree."""
        # The tree is not yet known at the start.
        total = len(self._children) if state.iteration else self.n - 1
        return Snapshot(Work(state.iteration, total, "edges"), state.parents)

    @cached_property
    def _without(self) -> Floats:
        """Scores of the variables without parents."""
        return self._evaluated(((),) * self.n)

    @cached_property
    def _within(self) -> Floats:
        """Scores of the variables with their parents in the tree."""
        return self._evaluated(self._tree)

    def _evaluated(self, parents: ParentTuples) -> Floats:
        shown = self.local_scores if self.shown is None else as_local_scores(self.shown, self.n)
        return evaluate(shown, list(enumerate(parents)))

    @cached_property
    def _root(self) -> int | None:
        return None if self.root is None else as_node(self.root, self.n, self.variable_names())

    @cached_property
    def _tree(self) -> ParentTuples:
        return optimal_branching(self.phi, self.n, root=self._root, spanning=self.spanning, knowledge=self.knowledge)

    @cached_property
    def _children(self) -> list[int]:
        return [v for v in breadth_first_order(self._tree) if self._tree[v]]


def breadth_first_order(tree: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Nodes of a tree or forest level by level: roots ascending, then the children of each in turn, ascending.

    Parameters
    ----------
    tree : sequence of sequence of int
        At most one parent of each node.

    Raises
    ------
    ValueError
        If a node has several parents or is on a cycle, or a parent does not exist.

    Examples
    --------
    >>> breadth_first_order(((2,), (2,), (), (0,)))
    (2, 0, 1, 3)
    """
    children: list[list[int]] = [[] for _ in tree]
    order = []
    for node, parents in enumerate(tree):
        if len(parents) > 1 or any(not 0 <= parent < len(tree) for parent in parents):
            raise ValueError(f"node {node} has the parents {tuple(parents)}: in a tree it has one node, or none")
        for parent in parents:
            children[parent].append(node)
        if not parents:
            order.append(node)
    for node in order:  # grows during the loop
        order.extend(children[node])
    if len(order) < len(tree):
        raise ValueError(f"node {min(set(range(len(tree))) - set(order))} is on a cycle or below one: not a tree")
    return tuple(order)
