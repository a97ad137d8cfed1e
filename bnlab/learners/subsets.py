"""Scores of all small sets of candidate parents, a block of them at a time: for searches that bound the in-degree.

The sets of one node are numbered by size, then lexicographically. Any number is turned into its set directly, so a
search that is stopped keeps two numbers and goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from operator import index
from time import perf_counter

import numpy as np

from bnlab.learners.types import Floats, Integers, Phi, as_local_scores, evaluate

WINDOW = 1 << 12  # sets examined in one step; this is some hundred times cheaper than to score them
FIRST = 64  # sets scored in the first step, which measures how long one takes
LEAST = 16  # sets scored in any step: a source that passes over all its chunks for each call needs some
SECONDS = 0.01  # a step aims at
ONCE = 1 << 16  # more sets than this would only flush the cache of φ
MOST = 1 << 62


@dataclass(frozen=True)
class SubsetInfo:
    """Information of one step of a search that scores sets of parents.

    Attributes
    ----------
    node : int
        Node whose sets of parents were scored.
    done, total : int
        Sets examined so far, and all sets.
    scored : int
        Sets scored so far.
    """

    node: int
    done: int
    total: int
    scored: int


class SubsetScores:
    """Local scores of each node with each set of at most k of its candidates as parents.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score, greater is better. The bounds of a `LocalScoreFunction` are used.
    candidates : sequence of sequence of int
        Possible parents of each node, ascending.
    k : int
        Greatest number of parents; a node with fewer candidates may have all of them.
    batch : int, optional
        Sets scored in one step; by default as many as take about a hundredth of a second.

    Attributes
    ----------
    total : int
        Number of sets of all nodes.

    Raises
    ------
    ValueError
        If k or the batch is out of range, or there are too many sets to number.
    TypeError
        If k is not an integer.
    """

    def __init__(self, phi: Phi, candidates: Sequence[Sequence[int]], k: int, batch: int | None = None) -> None:
        self._phi = as_local_scores(phi)
        self._candidates = [np.array(c, dtype=np.int64) for c in candidates]
        self._k = checked_k(k)
        if batch is not None and batch < 1:
            raise ValueError(f"batch={batch}: a step scores at least one set of parents")
        self._fixed = batch is not None
        self._pace = FIRST if batch is None else batch
        self.totals = [count_subsets(len(c), self._k) for c in candidates]
        self.total = sum(self.totals)
        if self.total > MOST:
            raise ValueError(f"k={k}: there are {self.total:.1e} sets of parents, too many to score; take a smaller k")

    def block(self, node: int, begin: int) -> Integers:
        """Sets of one size from number `begin` on, shape (sets, size): positions among the node's candidates."""
        n = len(self._candidates[node])
        size = 0
        while begin >= (here := comb(n, size)):
            begin -= here
            size += 1
        return lexicographic(n, size, begin, min(begin + WINDOW, here))

    def parents(self, node: int, row: Integers) -> tuple[int, ...]:
        """Set of candidates at the positions `row`."""
        return tuple(self._candidates[node][row].tolist())

    def score(self, node: int, block: Integers, floor: float | Floats) -> Floats:
        """Score the sets at the start of a block.

        Parameters
        ----------
        node : int
        block : ndarray of int64, shape (sets, size)
        floor : float or ndarray of float64, shape (sets,)
            A set whose upper bound is not above its floor is not scored.

        Returns
        -------
        ndarray of float64, shape (m,)
            Of the first m sets, as many as one step scores, at least one; -inf where not scored.
        """
        parents = self._candidates[node][block]
        hopeful = np.flatnonzero(self._phi.bounds(node, parents) > floor)
        m = int(hopeful[self._pace]) if len(hopeful) > self._pace else len(block)
        hopeful = hopeful[: self._pace]
        values = np.full(m, -np.inf)
        families = [(node, tuple(family)) for family in parents[hopeful].tolist()]
        if families:
            began = perf_counter()
            values[hopeful] = evaluate(self._phi, families, once=self.total > ONCE)
            self._adapt(perf_counter() - began, len(families))
        return values

    def _adapt(self, seconds: float, scored: int) -> None:
        """Let the next step take the time aimed at; what is found does not depend on where steps end."""
        if not self._fixed:
            wanted = scored * SECONDS / max(seconds, 1e-9)
            self._pace = int(min(max(wanted, LEAST), 2 * self._pace, WINDOW))


def checked_k(k: int) -> int:
    """Bound of the in-degree as an int.

    Raises
    ------
    ValueError
        If it is negative.
    TypeError
        If it is not an integer.
    """
    try:
        number = -1 if isinstance(k, bool) else index(k)
    except TypeError:
        raise TypeError(f"k={k!r}: the greatest number of parents is a whole number, such as 2") from None
    if number < 0:
        raise ValueError(f"k={k!r}: the greatest number of parents is a whole number, 0 or more")
    return number


def count_subsets(n: int, k: int) -> int:
    """Number of sets of at most k of n things.

    Examples
    --------
    >>> count_subsets(3, 2)  # none, 3 of one, 3 of two
    7
    """
    return sum(comb(n, size) for size in range(min(k, n) + 1))


def lexicographic(n: int, size: int, begin: int, end: int) -> Integers:
    """Subsets of range(n) of one size, numbers `begin` to `end` - 1 in lexicographic order, shape (end - begin, size).

    Examples
    --------
    >>> lexicographic(4, 2, 2, 5).tolist()
    [[0, 3], [1, 2], [1, 3]]
    """
    # Counted from the end and from the last element, they are the combinatorial number system: the greatest
    # c with comb(c, i) <= rank is an element, and the rest of the rank is a set of i - 1 elements below it.
    rank = comb(n, size) - 1 - np.arange(begin, end, dtype=np.int64)
    subsets = np.empty((end - begin, size), dtype=np.int64)
    for i in range(size, 0, -1):
        below = _binomials(n, i)
        c = np.searchsorted(below, rank, side="right") - 1
        subsets[:, size - i] = n - 1 - c
        rank -= below[c]
    return subsets


def lexicographic_rank(n: int, subsets: Integers) -> Integers:
    """Number of each subset of range(n), of shape (sets, size), in lexicographic order: undoes `lexicographic`.

    Examples
    --------
    >>> lexicographic_rank(4, np.array([[0, 3], [1, 3]])).tolist()
    [2, 4]
    """
    size = subsets.shape[1]
    rank = np.full(len(subsets), comb(n, size) - 1, dtype=np.int64)
    for i in range(size, 0, -1):
        rank -= _binomials(n, i)[n - 1 - subsets[:, size - i]]
    return rank


def _binomials(n: int, i: int) -> Integers:
    return np.array([comb(c, i) for c in range(n)], dtype=np.int64)
