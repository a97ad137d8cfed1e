"""Grow-shrink trees of a score: a cache of local scores, whose answers depend only on the order given.

The trees, and the walks in them, are those of `bnlab.engine.grow_shrink`. Each walk starts from the required parents,
mostly none, and a second one from the best pair of parents that are before the variable: two parents that only together
explain it are not found otherwise.

The walks of a variable consider the parents that improve its score alone or in one of the pairs, and in any case the
`MIN_CANDIDATES` strongest. Beside parents that it has already, they leave out those that a stronger one of these makes
superfluous, unless another makes them useful, as the scores of the pairs tell; the strongest, those of the pairs, are
never left out. A pair is first examined in a sample of the rows if one of its parents is no candidate alone. Under
BDeu, with 186 to 724 variables, the walks consider a tenth to two fifths of all parents, and miss about one in a
hundred of those that improve a family. The climb that ends the search considers each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnlab.learners.hill_climbing.neighbours import Neighbours
from bnlab.learners.types import Floats, Integers, ParentTuples, families_of
from bnlab.scores.function import toggled

if TYPE_CHECKING:
    from bnlab.engine.grow_shrink import Order, Trees

T = TypeVar("T", bound=np.generic)

MAX_SINGLES = 1 << 12
"""Number of strongest single parents of all variables together; only pairs that contain one of them are examined."""
MIN_SINGLES = 16
"""Least number of them for each variable; with 10, the score of one table of 724 variables was 0.02 % lower."""
MIN_CANDIDATES = 64
"""Parents that the walks of a variable consider in any case: on few variables, all."""
SAMPLE_ROWS = 2000
"""Rows that tell first whether a pair can be useful, if one of the two is no candidate alone. Of the pairs that are
useful under BDeu they miss 1 % to 5 %, and of what all gain together a thousandth at most."""
PAIRS_A_NODE = 3
"""Maximum number of pairs that the walks of one variable start from, divided by the number of variables."""
MAX_PAIRS = 512
MAX_WORDS = 1 << 21
"""Maximum number of 64-bit words in the sets of families; beyond it, or `MAX_BRANCHES`, new trees are begun."""
MAX_BRANCHES = 1 << 23
BATCH = 64
"""Families that are scored together."""


class Latest(NamedTuple):
    """The trees, the latest order with its families, and the parents of each node in it."""

    trees: Trees
    order: Order
    parents: tuple[tuple[int, ...], ...]


class GrowShrinkTrees:
    """Families and scores of orders.

    Parameters
    ----------
    neighbours : Neighbours
    unit : float
        Power of two; scores are rounded to its multiples, so that their sums are exact.
    """

    def __init__(self, neighbours: Neighbours, unit: float) -> None:
        self._neighbours, self._edges, self._unit = neighbours, neighbours.edges, unit
        self._n = neighbours.n
        self._roots = self._edges.parents
        self._pairs: dict[int, Integers] = {}
        self._bars = np.full((self._n, self._n), np.inf)  # [v, u]: -inf where the walks of v consider u
        # [v][s][u], s one of the strongest parents of v: 1 where u is useful beside it, -1 where it is superfluous.
        self._beside: dict[int, dict[int, NDArray[np.int8]]] = {}
        self._sample = neighbours.of_sample(SAMPLE_ROWS) if self._n > MIN_CANDIDATES else None

    def families(self, order: Sequence[int]) -> tuple[ParentTuples, float]:
        """Parents of each variable in an order, and the score of the order, in nats."""
        latest = self._at(order)
        score = float(latest.trees.scores[latest.order.found].sum()) * self._unit
        self._keep(latest)
        return latest.parents, score

    def scores_by_place(self, order: Sequence[int], v: int) -> Floats:
        """Score of the order with v moved to each place, shape (n,), in nats."""
        from bnlab.engine.grow_shrink import scores_by_place

        latest = self._at(order)
        scores = np.empty(self._n)
        trees = self._walk(
            latest.trees, lambda trees, missing: scores_by_place(trees, latest.order, v, missing, scores)
        )
        self._keep(latest._replace(trees=trees))
        return scores * self._unit

    def prepare(self, order: Sequence[int], end: int) -> None:
        """Score the families of the first `end` nodes of an order, so that `families` takes less time."""
        from bnlab.engine.grow_shrink import Order, find_families

        latest: Latest = vars(self).pop("_latest", None) or self._new_trees()
        nodes = np.array(order, dtype=np.int64)
        some = Order(nodes, np.empty_like(latest.order.found), np.empty_like(latest.order.asked))
        trees = self._walk(latest.trees, lambda trees, missing: find_families(trees, some, 0, end, missing))
        self._keep(latest._replace(trees=trees))

    def find_pairs(self, v: int) -> Integers:
        """Pairs of parents, shape (pairs, 2), that score more than each of them alone and than none, best first.

        They are found once for each variable; the first order needs those of all variables.
        """
        if v not in self._pairs:
            self._pairs[v] = self._best_pairs(v)
        return self._pairs[v]

    def _best_pairs(self, v: int) -> Integers:
        n, unit, root = self._n, self._unit, self._roots[v]
        (values,) = np.rint(np.array(self._neighbours.rows([(v, root)])) / unit)
        alone, values[v] = values[v], -np.inf
        by_score = np.argsort(-values, kind="stable")
        self._bars[v, values > alone] = self._bars[v, by_score[:MIN_CANDIDATES]] = -np.inf
        if self._edges.limits[v] < len(root) + 2:
            return np.empty((0, 2), dtype=np.int64)
        singles = by_score[: max(MIN_SINGLES, MAX_SINGLES // n)]
        singles = singles[np.isfinite(values[singles])]
        bars = np.repeat(values[singles][:, None], n, axis=1)
        for k in range(len(singles)):
            bars[k, singles[: k + 1]] = np.inf  # a pair of two strong parents is examined once
        bars[:, v] = np.inf
        families = [(v, toggled(root, u)) for u in singles.tolist()]
        examined, scores = np.isfinite(bars), np.full((len(singles), n), -np.inf)
        if self._sample is not None:
            weak = examined & (self._bars[v] == np.inf)
            of_sample = self._sample.toggles(families, np.where(weak, -np.inf, np.inf), margin=0.0)
            bars[weak & (of_sample <= of_sample[:, [v]])] = np.inf
        for begin in range(0, len(singles), BATCH):
            part = slice(begin, begin + BATCH)
            scores[part] = np.rint(self._neighbours.scores(families[part], bars[part] * unit) / unit)
        superfluous, useful = scores <= bars, scores > np.maximum(bars, np.maximum(values, alone)) + 1
        beside = useful.astype(np.int8) - (superfluous & examined)
        beside[:, singles] = np.maximum(beside[:, singles], 0)  # the strongest are never left out
        self._beside[v] = dict(zip(singles.tolist(), beside, strict=True))
        i, w = np.nonzero(useful)
        pairs = np.sort(np.stack([singles[i], w], axis=1), axis=1)
        self._bars[v, pairs] = -np.inf
        order = np.lexsort((pairs[:, 1], pairs[:, 0], -scores[i, w]))
        return pairs[order[: self._most_pairs]]

    def _considered(self, v: int, parents: Sequence[int]) -> Floats:
        """-inf for each node that walks from this family of v may add or remove, inf for the others, shape (n,)."""
        bars: Floats = self._bars[v]
        beside = self._beside.get(v, {})
        strong = [beside[u] for u in parents if u in beside]
        if not strong:
            return bars
        left_out = (np.min(strong, axis=0) < 0) & (np.max(strong, axis=0) <= 0)
        left_out[list(parents)] = False
        return np.where(left_out, np.inf, bars)

    @property
    def _most_pairs(self) -> int:
        return min(PAIRS_A_NODE * self._n, MAX_PAIRS)

    def _at(self, order: Sequence[int]) -> Latest:
        """Trees with the families of an order; meanwhile no other thread has them, and an error discards them."""
        from bnlab.engine.grow_shrink import Order, find_families

        latest: Latest = vars(self).pop("_latest", None) or self._new_trees()
        nodes = np.array(order, dtype=np.int64)
        (new,) = np.nonzero(latest.order.nodes != nodes)
        if not new.size:
            return latest
        # The others have the same nodes before them as in the latest order.
        begin, end = int(new[0]), int(new[-1]) + 1
        now = Order(nodes, latest.order.found.copy(), latest.order.asked.copy())
        trees = self._walk(latest.trees, lambda trees, missing: find_families(trees, now, begin, end, missing))
        parents = list(latest.parents)
        changed = now.found[now.found != latest.order.found]
        for v, family in families_of(trees.sets[changed]):
            parents[v] = family
        return Latest(trees, now, tuple(parents))

    def _keep(self, latest: Latest) -> None:
        families, branches = latest.trees.used.tolist()
        if families * latest.trees.sets.shape[1] <= MAX_WORDS and branches <= MAX_BRANCHES:
            self._latest = latest

    def _walk(self, trees: Trees, walks: Callable[[Trees, Integers], None]) -> Trees:
        """Repeat walks until all families that they need are scored; `walks` counts and lists those that are not."""
        from bnlab.engine.grow_shrink import NEW_A_WALK, grow

        missing = np.empty(6 * self._n + 1, dtype=np.int64)
        while True:
            trees = with_room(trees, 3 * NEW_A_WALK * self._n + 1, 0)
            walks(trees, missing)
            if not missing[0]:
                return trees
            numbers = missing[1 : missing[0] + 1]
            for begin in range(0, len(numbers), BATCH):
                some = numbers[begin : begin + BATCH]
                families = families_of(trees.sets[some])
                bars = np.array([self._considered(*family) for family in families])
                values = self._neighbours.scores(families, bars, margin=0.0)
                trees = with_room(trees, 0, values.size)
                for f, row in zip(some.tolist(), values, strict=True):
                    grow(trees, f, row, self._unit)

    def _new_trees(self) -> Latest:
        """Trees with only the required parents of each variable."""
        from bnlab.engine.grow_shrink import UNKNOWN, Order, Trees, enter

        n, words = self._n, (self._n + 63) // 64
        pairs = np.full((n, self._most_pairs, 2), UNKNOWN, np.int32)
        for v in range(n):
            found = self.find_pairs(v)
            pairs[v, : len(found)] = found
        whole, branches = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
        trees = Trees(
            np.zeros((0, words + 1), dtype=np.uint64), whole, np.empty(0), whole, whole, branches, branches,
            np.zeros(2, dtype=np.int64), pairs, np.full(pairs.shape[:2], UNKNOWN, np.int32),
        )  # fmt: skip
        trees = with_room(trees, n + 1024, 16 * n)
        trees.sets[:n, -1] = np.arange(1, n + 1)
        for v, family in enumerate(self._roots):
            for u in family:
                trees.sets[v, u >> 6] |= np.uint64(1) << np.uint64(u & 63)
        trees.begins[:n] = UNKNOWN
        trees.used[0] = n
        for f in range(n):
            enter(trees.sets, trees.slots, f)
        nowhere = np.full(n, UNKNOWN)
        return Latest(trees, Order(nowhere, nowhere, np.empty((n, words), dtype=np.uint64)), ((),) * n)


def with_room(trees: Trees, families: int, branches: int) -> Trees:
    """Trees with room for this number of new families and branches."""
    from bnlab.engine.grow_shrink import enter

    used, walked = trees.used.tolist()
    if used + families > len(trees.sets):
        size = 2 * (used + families)
        sets, slots = longer(trees.sets, size), np.zeros(1 << (2 * size).bit_length(), dtype=np.int64)
        for f in range(used):
            enter(sets, slots, f)
        trees = trees._replace(
            sets=sets,
            slots=slots,
            scores=longer(trees.scores, size),
            begins=longer(trees.begins, size),
            ends=longer(trees.ends, size),
        )
    if walked + branches > len(trees.nodes):
        size = 2 * (walked + branches)
        trees = trees._replace(nodes=longer(trees.nodes, size), after=longer(trees.after, size))
    return trees


def longer(array: NDArray[T], size: int) -> NDArray[T]:
    """Array extended by zeros to a size."""
    extended = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    extended[: len(array)] = array
    return extended
