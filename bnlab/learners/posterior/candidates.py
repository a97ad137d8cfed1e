"""Candidate parents of each variable, where the sets of all others would be too many."""

from __future__ import annotations

import numpy as np

from bnlab.learners.boss.search import BestOrderSearch
from bnlab.learners.types import LocalScoreFunction, Mask, ParentTuples, evaluate
from bnlab.search import run

RESTARTS = 5
"""Of the search for a good network, whose neighbours are candidates."""


def candidate_parents(
    phi: LocalScoreFunction, allowed: Mask, most: int, max_parents: int, seed: int = 0
) -> ParentTuples:
    """Choose at most so many possible parents of each variable.

    Of more than `most`, the neighbours in a good network come first (found by `BestOrderSearch`), then the variables
    that raise the score most, alone or beside the parents in that network.

    Parameters
    ----------
    phi : LocalScoreFunction
    allowed : ndarray of bool, shape (n, n)
        [u, v] says whether u -> v may be used.
    most, max_parents : int
    seed : int
        Of the search.

    Returns
    -------
    tuple of tuple of int
        Ascending.
    """
    n = len(allowed)
    every = tuple(tuple(np.flatnonzero(column).tolist()) for column in allowed.T)
    if max(map(len, every)) <= most:
        return every
    network = run(BestOrderSearch(phi, n, restarts=RESTARTS, max_parents=max_parents, within=allowed, seed=seed))
    chosen = []
    for v, candidates in enumerate(every):
        beside = [tuple(sorted({*network[v], u})) for u in candidates]
        scores = evaluate(phi, [(v, ()), (v, network[v]), *((v, (u,)) for u in candidates), *((v, p) for p in beside)])
        alone = scores[2 : 2 + len(candidates)] - scores[0]
        gains = np.maximum(alone, scores[2 + len(candidates) :] - scores[1])
        apart = np.array([u not in network[v] and v not in network[u] for u in candidates], dtype=np.bool_)
        order = np.lexsort((-gains, apart))[:most]
        chosen.append(tuple(sorted(candidates[place] for place in order)))
    return tuple(chosen)
