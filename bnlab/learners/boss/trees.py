"""Grow-shrink trees: the parents that a variable takes among those before it in an order (readable engine).

A node of the tree of a variable is a set of parents, and its branches are the parents that improve the score when they
are added or removed, best first. For the variables before it, a variable walks from its required parents, mostly none,
along the first branch whose parent is among them, until there is none. A node is scored once, whatever orders lead to
it: that is what makes the search fast.

References
----------
B. Andrews, J. Ramsey, R. Sanchez Romero, J. Camchong, E. Kummerfeld. Fast scalable and accurate discovery of DAGs
using the best order score search and grow-shrink trees. NeurIPS 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.types import (
    Family,
    Floats,
    Integers,
    LocalScoreFunction,
    ParentTuples,
    evaluate_toggled,
    toggled,
)

MAX_SINGLES = 1 << 14
"""Pairs hold one of the strongest single parents; so many single parents of all variables are examined."""
MIN_SINGLES = 8
PAIRS_A_NODE = 3
"""Pairs that each variable may start from, times the number of variables."""
MAX_PAIRS = 512
MAX_FAMILIES = 1 << 18
"""Families in the cache, which is emptied when there are more."""
MARGIN = 1.0
"""Units by which a branch must gain more: the scores of a walk then grow, in spite of rounding."""


class TreeRules(NamedTuple):
    """What the parents of a variable must obey.

    Attributes
    ----------
    phi : LocalScoreFunction
    edges : EdgeRules
    unit : float
        Scores are rounded to multiples of this power of two, so that their sums are exact.
    """

    phi: LocalScoreFunction
    edges: EdgeRules
    unit: float

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.edges.allowed)


class OrderScores(Protocol):
    """Scores of orders: `GrowShrinkTrees` for any φ, `compiled_trees.CompiledTrees` for scores of a table."""

    def families(self, order: Sequence[int]) -> tuple[ParentTuples, float]:
        """Parents that each variable takes in an order, and the score of the order, in nats."""

    def scores_by_place(self, order: Sequence[int], v: int) -> Floats:
        """Score of the order with v at each place and the others as they are, shape (n,), in nats."""


Values: TypeAlias = tuple[float, Floats]
"""Score of a family, and its scores with each node added to or removed from the parents, -inf where that is not
allowed; in units."""


Found: TypeAlias = tuple[float, tuple[int, ...]]
"""Score in units, and parents."""


class GrowShrinkTrees:
    """Trees of all variables.

    Parameters
    ----------
    rules : TreeRules
    """

    def __init__(self, rules: TreeRules) -> None:
        self._rules = rules
        self._roots = rules.edges.parents
        self._nodes: dict[Family, tuple[float, list[int]]] = {}
        self._pairs: dict[int, list[tuple[int, int]]] = {}

    def families(self, order: Sequence[int]) -> tuple[ParentTuples, float]:
        """Parents that each variable takes in an order, and the score of the order, in nats."""
        best = {v: self._best(v, set(order[:k])) for k, v in enumerate(order)}
        parents = tuple(best[v][1] for v in range(len(order)))
        return parents, sum(score for score, _ in best.values()) * self._rules.unit

    def scores_by_place(self, order: Sequence[int], v: int) -> Floats:
        """Score of the order with v at each place and the others as they are, shape (n,), in nats."""
        others = [w for w in order if w != v]
        before = [set(others[:k]) for k in range(len(order))]
        own = np.array([self._best(v, nodes)[0] for nodes in before])
        without_v = [self._best(w, nodes)[0] for w, nodes in zip(others, before, strict=False)]
        with_v = [self._best(w, nodes | {v})[0] for w, nodes in zip(others, before, strict=False)]
        above = np.cumsum([0.0, *without_v])
        below = np.cumsum([0.0, *reversed(with_v)])[::-1]
        scores: Floats = (above + own + below) * self._rules.unit
        return scores

    def _best(self, child: int, before: AbstractSet[int]) -> Found:
        """Score and parents at the end of the better walk, from the root or from the best pair before the child."""
        root = self._roots[child]
        best = self._walked(child, root, before)
        pair = next((pair for pair in self._pairs_of(child) if before >= set(pair)), None)
        if pair is not None:
            start = tuple(sorted({*root, *pair}))
            best = max(best, self._walked(child, start, before), key=lambda found: found[0])
        return best

    def _walked(self, child: int, parents: tuple[int, ...], before: AbstractSet[int]) -> Found:
        while True:
            score, branches = self._node(child, parents)
            branch = next((u for u in branches if u in before), None)
            if branch is None:
                return score, parents
            parents = toggled(parents, branch)

    def _node(self, child: int, parents: tuple[int, ...]) -> tuple[float, list[int]]:
        """Score of a set of parents, and its branches."""
        node = self._nodes.get((child, parents))
        if node is None:
            if len(self._nodes) >= MAX_FAMILIES:
                self._nodes.clear()
            ((score, values),) = values_of(self._rules, [(child, parents)])
            better = np.flatnonzero(values > score + MARGIN)
            node = score, better[np.argsort(-values[better], kind="stable")].tolist()
            self._nodes[child, parents] = node
        return node

    def _pairs_of(self, child: int) -> list[tuple[int, int]]:
        pairs = self._pairs.get(child)
        if pairs is None:
            root = self._roots[child]
            ((score, values),) = values_of(self._rules, [(child, root)])
            singles = strong_singles(values, self._rules)
            found = values_of(self._rules, [(child, toggled(root, u)) for u in singles.tolist()])
            rows = np.array([row for _, row in found]).reshape(-1, self._rules.n)
            pairs = [(u, w) for u, w in best_pairs(score, values, singles, rows).tolist()]
            self._pairs[child] = pairs
        return pairs


def values_of(rules: TreeRules, families: Sequence[Family]) -> list[Values]:
    """Scores of families, and of those that differ by one parent, in units."""
    if not families:
        return []
    required, allowed, limits = rules.edges
    neighbours, found = [], []
    for child, parents in families:
        free = np.flatnonzero(allowed[:, child]).tolist() if len(parents) < limits[child] else ()
        neighbours.append(tuple(u for u in sorted({*free, *parents}) if not required[u, child]))
    for scores, others in zip(evaluate_toggled(rules.phi, families, neighbours), neighbours, strict=True):
        rounded = np.rint(scores / rules.unit)
        values = np.full(rules.n, -np.inf)
        values[list(others)] = rounded[:-1]
        found.append((float(rounded[-1]), values))
    return found


def strong_singles(values: Floats, rules: TreeRules) -> Integers:
    """Single parents whose pairs with others are examined: those of the greatest scores, best first.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Scores with each single parent.
    """
    if rules.edges.limits.max() < 2:
        return np.empty(0, dtype=np.int64)
    most = max(MIN_SINGLES, MAX_SINGLES // rules.n)
    order = np.argsort(-values, kind="stable")[:most]
    return order[np.isfinite(values[order])]


def best_pairs(score: float, values: Floats, singles: Integers, rows: Floats) -> Integers:
    """Pairs of parents that score more than either of them and none, best first.

    Parameters
    ----------
    score : float
        Score without parents.
    values : ndarray of float64, shape (n,)
        Scores with each single parent.
    singles : ndarray of int64, shape (singles,)
    rows : ndarray of float64, shape (singles, n)
        Scores with each of these and any second parent.

    Returns
    -------
    ndarray of int64, shape (pairs, 2)
    """
    n = len(values)
    place = np.full(n, len(singles))
    place[singles] = np.arange(len(singles))
    new = place > np.arange(len(singles))[:, None]  # a pair of two strong parents is examined once
    least = np.maximum(np.maximum(values, values[singles][:, None]), score) + MARGIN
    i, w = np.nonzero(new & (rows > least))
    pairs = np.sort(np.stack([singles[i], w], axis=1), axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -rows[i, w]))
    return pairs[order[: min(PAIRS_A_NODE * n, MAX_PAIRS)]]
