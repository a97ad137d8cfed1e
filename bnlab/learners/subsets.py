"""Small subsets, numbered by size, then in lexicographic order."""

from __future__ import annotations

from math import comb

import numpy as np

from bnlab.learners.types import Integers


def count_subsets(n: int, k: int) -> int:
    """Number of subsets of n items with at most k items.

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
    """Number of each subset of range(n), shape (sets, size), in lexicographic order: the inverse of `lexicographic`.

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
