"""Grow-shrink trees in plain Python: what the compiled ones must equal."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.boss import trees
from bnlab.learners.hill_climbing.ranked import Ranked
from bnlab.learners.types import Family, Floats, ParentTuples
from bnlab.scores.function import toggled

Found = tuple[float, tuple[int, ...]]
"""Score in units, and parents."""


class ReadableTrees:
    """Trees of all variables.

    Parameters
    ----------
    phi : Ranked
    edges : EdgeRules
    """

    def __init__(self, phi: Ranked, edges: EdgeRules) -> None:
        self._phi, self._edges, self._unit, self._n = phi, edges, phi.unit, len(edges.allowed)
        self._roots = edges.parents
        self._nodes: dict[Family, tuple[float, list[int]]] = {}
        self._pairs: dict[int, list[tuple[int, int]]] = {}

    def families(self, order: Sequence[int]) -> tuple[ParentTuples, float]:
        """Parents that each variable takes in an order, and the score of the order, in nats."""
        best = {v: self._best(v, set(order[:k])) for k, v in enumerate(order)}
        parents = tuple(best[v][1] for v in range(len(order)))
        return parents, sum(score for score, _ in best.values()) * self._unit

    def scores_by_place(self, order: Sequence[int], v: int) -> Floats:
        """Score of the order with v at each place and the others as they are, shape (n,), in nats."""
        others = [w for w in order if w != v]
        before = [set(others[:k]) for k in range(len(order))]
        own = np.array([self._best(v, nodes)[0] for nodes in before])
        without_v = [self._best(w, nodes)[0] for w, nodes in zip(others, before, strict=False)]
        with_v = [self._best(w, nodes | {v})[0] for w, nodes in zip(others, before, strict=False)]
        above = np.cumsum([0.0, *without_v])
        below = np.cumsum([0.0, *reversed(with_v)])[::-1]
        scores: Floats = (above + own + below) * self._unit
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
        """Score of a set of parents, and its branches, best first."""
        node = self._nodes.get((child, parents))
        if node is None:
            score, changed = self._score(child, parents), self._changed(child, parents)
            considered = self._considered(child) - self._left_out(child, parents)
            better = [u for u in sorted(changed) if changed[u] > score + 1 and u in considered]
            node = score, sorted(better, key=lambda u: -changed[u])
            self._nodes[child, parents] = node
        return node

    def _considered(self, child: int) -> set[int]:
        """Parents that improve the score alone or in a pair, and the strongest."""
        single = self._changed(child, self._roots[child])
        strongest = sorted(sorted(single), key=lambda u: -single[u])[: trees.MIN_CANDIDATES]
        alone = self._score(child, self._roots[child])
        better = {u for u, score in single.items() if score > alone}
        return {*self._roots[child], *strongest, *better, *(u for pair in self._found(child) for u in pair)}

    def _left_out(self, child: int, parents: tuple[int, ...]) -> set[int]:
        """Weaker parents that a strong one in a family makes superfluous, and none in it makes useful."""
        single, strong, useful = self._single(child), self._strong(child), self._found(child)
        beside: dict[int, set[bool]] = {}
        for s in set(strong) & set(parents):
            changed = self._changed(child, toggled(self._roots[child], s))
            for u in set(changed) & set(single) - {*strong, *parents}:
                if (min(s, u), max(s, u)) in useful:
                    beside.setdefault(u, set()).add(True)
                elif changed[u] <= single[s]:
                    beside.setdefault(u, set()).add(False)
        return {u for u, verdicts in beside.items() if verdicts == {False}}

    def _pairs_of(self, child: int) -> list[tuple[int, int]]:
        """The best of `_found`."""
        if child not in self._pairs:
            found = self._found(child)
            ordered = sorted(sorted(found), key=lambda pair: -found[pair])
            self._pairs[child] = ordered[: min(trees.PAIRS_A_NODE * self._n, trees.MAX_PAIRS)]
        return self._pairs[child]

    def _found(self, child: int) -> dict[tuple[int, int], float]:
        """Scores of the pairs of parents that score more than none and than each of them."""
        root, single = self._roots[child], self._single(child)
        found = {}
        for u in self._strong(child):
            with_u = toggled(root, u)
            for w, score in self._changed(child, with_u).items():
                if w not in with_u and score > 1 + max(single[u], single[w], self._score(child, root)):
                    found[min(u, w), max(u, w)] = score
        return found

    def _single(self, child: int) -> dict[int, float]:
        """Scores of single parents beside those required."""
        root = self._roots[child]
        return {u: score for u, score in self._changed(child, root).items() if u not in root}

    def _strong(self, child: int) -> list[int]:
        """The strongest of them."""
        single = self._single(child)
        return sorted(sorted(single), key=lambda u: -single[u])[: max(trees.MIN_SINGLES, trees.MAX_SINGLES // self._n)]

    def _changed(self, child: int, parents: tuple[int, ...]) -> dict[int, float]:
        """Score after each change of one parent that the rules allow, in units."""
        required, allowed, limits = self._edges
        return {
            u: self._score(child, toggled(parents, u))
            for u in range(self._n)
            if (u in parents and not required[u, child])
            or (u not in parents and allowed[u, child] and len(parents) < limits[child])
        }

    def _score(self, child: int, parents: tuple[int, ...]) -> float:
        return float(np.rint(self._phi(child, parents) / self._unit))
