"""Grow-shrink trees: the parents of a variable among the variables before it in an order.

A node of the tree of a variable is a set of parents. Its branches are the parents that improve the score when they are
added or removed, best first. A walk starts from the required parents, mostly none. It follows the first branch whose
parent is before the variable in the order, until there is none. A node is scored once for all orders that lead to it,
which makes the search fast.

References
----------
B. Andrews, J. Ramsey, R. Sanchez Romero, J. Camchong, E. Kummerfeld. Fast scalable and accurate discovery of DAGs
using the best order score search and grow-shrink trees. NeurIPS 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.fork import Locked
from bnlab._runtime.threads import run_parallel
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.compiled.score_table import families as families_of
from bnlab.learners.compiled.score_table import insert
from bnlab.learners.types import Family, Floats, Integers, ParentTuples, evaluate_neighbours
from bnlab.scores.compiled.neighbours import OwnScore
from bnlab.scores.function import LocalScoreFunction

T = TypeVar("T", bound=np.generic)

MAX_SINGLES = 1 << 14
"""Number of strongest single parents of all variables; only pairs that contain one of them are examined."""
MIN_SINGLES = 8
PAIRS_A_NODE = 3
"""Maximum number of pairs that the walks of one variable start from, divided by the number of variables."""
MAX_PAIRS = 512
MAX_WORDS = 1 << 21
"""Maximum number of 64-bit words in the keys of families; beyond it, or `MAX_BRANCHES`, the trees are emptied."""
MAX_BRANCHES = 1 << 23
_FIRST = 1 << 12
# The unit of work is a row times a state, for all nodes; it takes about half a nanosecond at worst.
_MAX_CALL = 1e8  # most work of one call
_MIN_SHARED = 5e6  # least work, times families, for threads: below, waking a thread costs more than it saves
MARGIN = 1.0
"""Minimum gain of a branch, in units, so that the scores of a walk increase despite rounding."""


class TreeRules(NamedTuple):
    """Score and rules of edges that determine the parents of a variable."""

    phi: LocalScoreFunction
    edges: EdgeRules
    unit: float  # power of two; scores are rounded to its multiples, so that their sums are exact

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.edges.allowed)


Values: TypeAlias = tuple[float, Floats]
"""Score of a family, and its scores with each node added to or removed from the parents, in units; -inf where the
change is not allowed."""


class Latest(NamedTuple):
    """The latest order, and its families."""

    order: Integers
    found: Integers  # (n,) numbers of the families
    relevant: NDArray[np.uint64]  # (n, words) for each node, as bits, the nodes whose place affects its family
    parents: list[tuple[int, ...]]


class GrowShrinkTrees(Locked):
    """Trees of all variables. Compiled loops walk through them and request the scores that they need.

    Parameters
    ----------
    rules : TreeRules
        A φ without a compiled form is evaluated by `phi.toggled`.
    """

    _latest: Latest

    def __init__(self, rules: TreeRules) -> None:
        super().__init__()
        self._rules, self._words = rules, (rules.n + 63) // 64
        score = rules.phi.compiled()
        self._own = None if score is None else OwnScore(score)
        self._batch = self._min_shared = 256
        if score is not None:
            work = score.codes.shape[1] * int(score.arities.sum())
            self._batch, self._min_shared = max(1, min(self._batch, int(_MAX_CALL / work))), int(_MIN_SHARED / work)
        self._start_trees(None)
        self._find_pairs()

    def _reset(self) -> None:
        self._start_trees((self._trees.pairs, self._trees.starts))

    def families(self, order: Sequence[int]) -> tuple[ParentTuples, float]:
        """Parents of each variable in an order, and the score of the order, in nats."""
        with self._lock:
            latest = self._find(order)
            return tuple(latest.parents), float(self._trees.scores[latest.found].sum()) * self._rules.unit

    def scores_by_place(self, order: Sequence[int], v: int) -> Floats:
        """Score of the order with v moved to each place, shape (n,), in nats."""
        from bnlab.learners.compiled import boss

        scores = np.empty(self._rules.n)
        with self._lock:
            given, found, relevant, _ = self._find(order)
            self._walk(lambda missing: boss.scores_by_place(self._stored, given, v, found, relevant, missing, scores))
        return scores * self._rules.unit

    def _find(self, order: Sequence[int]) -> Latest:
        """Find the families of an order, unless it is the latest one."""
        from bnlab.learners.compiled import boss

        used = self._trees.used
        if used[boss.FAMILIES] * (self._words + 1) > MAX_WORDS or used[boss.BRANCHES] > MAX_BRANCHES:
            self._reset()
        latest, given = self._latest, np.array(order, dtype=np.int64)
        if not np.array_equal(latest.order, given):
            found, relevant, parents = np.empty_like(latest.found), np.empty_like(latest.relevant), list(latest.parents)
            self._walk(lambda missing: boss.families(self._stored, given, missing, found, relevant))
            changed = np.flatnonzero(found != latest.found)
            for v, family in families_of(self._trees.rows[found[changed]]):
                parents[v] = family
            self._latest = latest = Latest(given, found, relevant, parents)
        return latest

    def _walk(self, walks: Callable[[Integers], int]) -> None:
        """Repeat walks until all families that they need are scored; `walks` lists and counts those that are not."""
        from bnlab.learners.compiled import boss

        missing = np.empty(6 * self._rules.n, dtype=np.int64)
        try:
            while True:
                self._make_room(3 * boss.NEW_A_WALK * self._rules.n + 1, 0)
                found = walks(missing)
                if not found:
                    return
                for part in np.split(missing[:found], range(self._batch, found, self._batch)):
                    values = self._values(self._trees.rows[part])
                    self._make_room(0, values.size)
                    boss.grow(self._stored, part, values, MARGIN)
        except BaseException:
            self._reset()  # otherwise requested families would never be scored
            raise

    def _values(self, rows: NDArray[np.uint64]) -> Floats:
        """Scores of families and of those that differ by one parent, as from `compiled.boss.score_families`."""
        from bnlab.learners.compiled import boss

        _, edges, unit = self._rules
        values = np.full((len(rows), self._rules.n), -np.inf)
        if self._own is not None:
            own, threads = self._own, self._rules.phi.threads if len(rows) > self._min_shared else 1

            def fill(part: int) -> None:
                boss.score_families(own.score, rows, edges, unit, part, threads, values)

            run_parallel([partial(fill, part) for part in range(threads)], threads)
            self._rules.phi.misses += int(np.isfinite(values).sum())
            return values
        families = families_of(rows)
        for value, (child, _), (score, scores) in zip(values, families, values_of(self._rules, families), strict=True):
            value[:] = scores
            value[child] = score
        return values

    def _start_trees(self, pairs: tuple[NDArray[np.int32], NDArray[np.int32]] | None) -> None:
        """Make trees with only the required parents of each variable, and with these pairs to start from."""
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
        unknown = np.full(n, UNKNOWN)
        self._latest = Latest(unknown, unknown, np.empty((n, self._words), dtype=np.uint64), [()] * n)
        insert(self._trees.keys, self._trees.numbers, self._trees.rows[:n], np.arange(n, dtype=np.float64))

    def _find_pairs(self) -> None:
        """Find the pairs that walks of each variable may start from."""
        n = self._rules.n
        roots = self._trees.rows[:n]
        for v in range(n):
            (root,) = self._values(roots[v : v + 1])
            score, root[v] = float(root[v]), -np.inf
            singles = strong_singles(root, self._rules)
            rows = np.repeat(roots[v : v + 1], len(singles), axis=0)
            rows[np.arange(len(singles)), singles >> 6] |= np.uint64(1) << (singles & 63).astype(np.uint64)
            values = [self._values(rows[at : at + self._batch]) for at in range(0, len(rows), self._batch)]
            scores = np.concatenate([*values, np.empty((0, n))])
            scores[:, v] = -np.inf
            pairs = best_pairs(score, root, singles, scores)
            self._trees.pairs[v, : len(pairs)] = pairs

    def _make_room(self, families: int, branches: int) -> None:
        """Make room for this number of new families and branches."""
        from bnlab._runtime.stored import Stored

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
        if trees is not self._trees:
            self._trees, self._stored = trees, Stored(trees)


def values_of(rules: TreeRules, families: Sequence[Family]) -> list[Values]:
    """Scores of families, and of those that differ by one parent, in units."""
    found = evaluate_neighbours(rules.phi, families, rules.edges) if families else []
    return [(float(np.rint(score / rules.unit)), np.rint(values / rules.unit)) for score, values in found]


def strong_singles(values: Floats, rules: TreeRules) -> Integers:
    """Single parents whose pairs with others are examined: those of greatest score in `values`, best first."""
    if rules.edges.limits.max() < 2:
        return np.empty(0, dtype=np.int64)
    most = max(MIN_SINGLES, MAX_SINGLES // rules.n)
    order = np.argsort(-values, kind="stable")[:most]
    return order[np.isfinite(values[order])]


def best_pairs(score: float, values: Floats, singles: Integers, rows: Floats) -> Integers:
    """Pairs of parents, shape (pairs, 2), that score more than each of them alone and than none, best first.

    `score` is the score without parents, `values` of shape (n,) are those with each single parent, and `rows` of shape
    (singles, n) those with each of the `singles` and any second parent.
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


def _longer(array: NDArray[T], size: int) -> NDArray[T]:
    """Array extended by zeros to a size."""
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
