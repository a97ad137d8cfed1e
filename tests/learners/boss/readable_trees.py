"""Grow-shrink trees in plain Python: what the compiled ones must equal."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from bnlab.learners.boss.trees import MARGIN, TreeRules, best_pairs, strong_singles, values_of
from bnlab.learners.types import Family, Floats, ParentTuples
from bnlab.scores.function import toggled

Found = tuple[float, tuple[int, ...]]
"""Score in units, and parents."""


class ReadableTrees:
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
