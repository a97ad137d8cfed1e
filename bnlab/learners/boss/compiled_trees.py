"""Grow-shrink trees over the scores of a table: the compiled engine, which asks for scores where a walk needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.fork import Locked
from bnlab.learners.boss.trees import (
    MARGIN,
    MAX_PAIRS,
    PAIRS_A_NODE,
    TreeRules,
    best_pairs,
    strong_singles,
    values_of,
)
from bnlab.learners.compiled.score_table import families as families_of
from bnlab.learners.compiled.score_table import insert
from bnlab.learners.types import Floats, Integers, ParentTuples

T = TypeVar("T", bound=np.generic)

MAX_WORDS = 1 << 21
"""Words of 64 bits in the keys of families; the trees are emptied when there are more, or more branches."""
MAX_BRANCHES = 1 << 23
_FIRST = 1 << 12
_PART = 1e8  # rows times states of all nodes that one call may score, of half a nanosecond or so each at worst


class CompiledTrees(Locked):
    """Trees of all variables, as `bnlab.learners.compiled.boss.Trees`; see `trees.OrderScores`.

    Parameters
    ----------
    rules : TreeRules
        Scores of a φ without a compiled form are found by `phi.toggled`.
    """

    def __init__(self, rules: TreeRules) -> None:
        super().__init__()
        self._rules, self._words = rules, (rules.n + 63) // 64
        self._score = rules.phi.compiled()
        self._part = 256
        if self._score is not None:
            n_rows = self._score.codes.shape[1]
            self._part = max(1, min(self._part, int(_PART / (n_rows * int(self._score.arities.sum())))))
        self._plant(None)
        self._pair_up()

    def _reset(self) -> None:
        self._plant((self._trees.pairs, self._trees.starts))

    def families(self, order: Sequence[int]) -> tuple[ParentTuples, float]:
        """Parents that each variable takes in an order, and the score of the order, in nats."""
        from bnlab.learners.compiled import boss

        found = np.empty(self._rules.n, dtype=np.int64)
        given = np.array(order, dtype=np.int64)
        with self._lock:
            self._walked(lambda missing: boss.families(self._trees, given, missing, found))
            parents = tuple(family for _, family in families_of(self._trees.rows[found]))
            return parents, float(self._trees.scores[found].sum()) * self._rules.unit

    def scores_by_place(self, order: Sequence[int], v: int) -> Floats:
        """Score of the order with v at each place and the others as they are, shape (n,), in nats."""
        from bnlab.learners.compiled import boss

        scores = np.empty(self._rules.n)
        given = np.array(order, dtype=np.int64)
        with self._lock:
            self._walked(lambda missing: boss.scores_by_place(self._trees, given, v, missing, scores))
        return scores * self._rules.unit

    def _walked(self, walks: Callable[[Integers], int]) -> None:
        """Repeat walks until every family that they need is scored; `walks` lists those that are not."""
        from bnlab.learners.compiled import boss

        missing = np.empty(6 * self._rules.n, dtype=np.int64)
        used = self._trees.used
        if used[boss.FAMILIES] * (self._words + 1) > MAX_WORDS or used[boss.BRANCHES] > MAX_BRANCHES:
            self._reset()
        try:
            while True:
                self._make_room(3 * boss.NEW_A_WALK * self._rules.n + 1, 0)
                found = walks(missing)
                if not found:
                    return
                for part in np.split(missing[:found], range(self._part, found, self._part)):
                    values = self._values(self._trees.rows[part])
                    self._make_room(0, values.size)
                    boss.grow(self._trees, part, values, MARGIN)
        except BaseException:
            self._reset()  # families that were requested and not scored would never be
            raise

    def _values(self, rows: NDArray[np.uint64]) -> Floats:
        """Scores of families and of those that differ by one parent, as `compiled.boss.score_families` gives them."""
        from bnlab.learners.compiled import boss

        _, edges, unit = self._rules
        values = np.empty((len(rows), self._rules.n))
        if self._score is not None:
            boss.score_families(self._score, rows, edges, unit, values)
            self._rules.phi.misses += int(np.isfinite(values).sum())
            return values
        families = families_of(rows)
        for value, (child, _), (score, scores) in zip(values, families, values_of(self._rules, families), strict=True):
            value[:] = scores
            value[child] = score
        return values

    def _plant(self, pairs: tuple[NDArray[np.int32], NDArray[np.int32]] | None) -> None:
        """Make trees that hold the required parents of each variable alone, with these pairs to start from."""
        from bnlab.learners.compiled.boss import UNKNOWN, Trees

        n, width = self._rules.n, self._words + 1
        if pairs is None:
            most = min(PAIRS_A_NODE * n, MAX_PAIRS)
            pairs = np.full((n, most, 2), UNKNOWN, np.int32), np.full((n, most), UNKNOWN, np.int32)
        pairs[1][:] = UNKNOWN
        rows = np.zeros((0, width), dtype=np.uint64)
        nothing, whole = np.empty(0), np.empty(0, dtype=np.int64)
        branches = np.empty(0, dtype=np.int32)
        self._trees = Trees(
            rows, rows, nothing, nothing, whole, whole, branches, branches, np.zeros(2, dtype=np.int64), *pairs
        )
        self._make_room(max(n, _FIRST), 16 * _FIRST)
        self._trees.rows[:n, -1] = np.arange(1, n + 1)
        for u, v in np.argwhere(self._rules.edges.required).tolist():
            self._trees.rows[v, u >> 6] |= np.uint64(1) << np.uint64(u & 63)
        self._trees.begins[:n] = UNKNOWN
        self._trees.used[0] = n
        insert(self._trees.keys, self._trees.numbers, self._trees.rows[:n], np.arange(n, dtype=np.float64))

    def _pair_up(self) -> None:
        """Find the pairs from which each variable may start."""
        n = self._rules.n
        roots = self._trees.rows[:n]
        for v in range(n):
            (root,) = self._values(roots[v : v + 1])
            score, root[v] = float(root[v]), -np.inf
            singles = strong_singles(root, self._rules)
            rows = np.repeat(roots[v : v + 1], len(singles), axis=0)
            rows[np.arange(len(singles)), singles >> 6] |= np.uint64(1) << (singles & 63).astype(np.uint64)
            values = [self._values(rows[at : at + self._part]) for at in range(0, len(rows), self._part)]
            scores = np.concatenate([*values, np.empty((0, n))])
            scores[:, v] = -np.inf
            pairs = best_pairs(score, root, singles, scores)
            self._trees.pairs[v, : len(pairs)] = pairs

    def _make_room(self, families: int, branches: int) -> None:
        """Let so many families and branches have room."""
        trees = self._trees
        used, walked = trees.used.tolist()
        if used + families > len(trees.rows):
            size = 2 * (used + families)
            rows = _longer(trees.rows, size)
            slots = 1 << (size + size // 2).bit_length()
            keys, numbers = np.zeros((slots, rows.shape[1]), dtype=np.uint64), np.zeros(slots)
            insert(keys, numbers, rows[:used], np.arange(used, dtype=np.float64))
            trees = trees._replace(
                rows=rows,
                keys=keys,
                numbers=numbers,
                scores=_longer(trees.scores, size),
                begins=_longer(trees.begins, size),
                ends=_longer(trees.ends, size),
            )
        if walked + branches > len(trees.nodes):
            size = 2 * (walked + branches)
            trees = trees._replace(nodes=_longer(trees.nodes, size), after=_longer(trees.after, size))
        self._trees = trees


def _longer(array: NDArray[T], size: int) -> NDArray[T]:
    """Array with room for more, the rest zero."""
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
