"""Dynamic programming over subsets of the variables, compiled."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import njit
from bnlab.learners.types import Floats


@njit()
def best_of_subsets(gains: Floats) -> Floats:
    """Score of the best network on each subset of the variables: the best sink, and the best network on the others.

    Parameters
    ----------
    gains : ndarray of float64, shape (n, 2 ** (n - 1))
        [v, S] is the score of v with its best parents in S, a set of the other variables, whose bits are without v's.

    Returns
    -------
    ndarray of float64, shape (2 ** n,)
    """
    n = len(gains)
    best = np.empty(1 << n)
    best[0] = 0.0
    for subset in range(1, 1 << n):
        greatest = -np.inf
        for v in range(n):
            if subset >> v & 1:
                low = subset & ((1 << v) - 1)
                score = best[subset ^ (1 << v)] + gains[v, low | (subset >> (v + 1) << v)]
                greatest = max(greatest, score)
        best[subset] = greatest
    return best
