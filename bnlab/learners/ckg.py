"""Consistent k-graphs: the network of greatest score whose edges follow the optimal branching (Algorithm 1).

References
----------
A. M. Carvalho, A. L. Oliveira. Learning Bayesian networks consistent with the optimal branching. ICMLA 2007.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

from bnlab._runtime.values import at_least
from bnlab.learners.chain import Chain
from bnlab.learners.consistent import CkGSearch
from bnlab.learners.edges import Known, Node, edge_rules
from bnlab.learners.growing_tree import GrowingTree
from bnlab.learners.types import ROUNDING, ParentTuples, Phi, ScoreSearch, as_local_scores, evaluate
from bnlab.learners.with_class import WithClass, with_class
from bnlab.scores import BIC, LocalScores
from bnlab.search import Snapshot, Work, run

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
    phi: Phi, n: int, k: int | str = 2, *, order: str = "path", root: Node | None = None, knowledge: Known = None
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
        Edges that the network must have (at most one per child, as in a tree) or may not have.

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


@dataclass(frozen=True)
class MDLState:
    """State of an `MDLChoice`.

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
    """Consistent k-graph with k chosen by minimum description length: a step for each k from 1 to `GREATEST_K`.

    For each k a `CkGSearch` finds the best network for φ. The result is the network of greatest MDL score (Carvalho
    2009, Equation 9), that is, of least description length; of several the one with the smallest k. The network of the
    required edges alone (without knowledge k = 0) is among them. When φ is itself MDL, the result is the best network
    for k = `GREATEST_K`.

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
        self._search(GREATEST_K)  # raises for a wrong tree or order

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
        If `phi` is a plain function, which has no data.
    """
    if isinstance(phi, LocalScores):
        return LocalScores(phi.source, BIC())
    if isinstance(phi, WithClass):
        return with_class(mdl_of(phi.phi), phi.class_index)
    raise ValueError(f"k={MDL!r}: a plain function has no data to describe; give LocalScores, or a whole number k")
