"""Candidate parents of each variable, for tables where all sets of other variables are too many."""

from __future__ import annotations

import numpy as np

from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.boss.search import BestOrderSearch
from bnlab.learners.types import ParentTuples, evaluate
from bnlab.scores.function import LocalScoreFunction
from bnlab.search import run

RESTARTS = 5
"""Restarts of the search for a good network, whose neighbours are candidates."""


def candidate_parents(
    phi: LocalScoreFunction, rules: EdgeRules, most: int, max_parents: int, seed: int = 0
) -> ParentTuples:
    """Choose at most `most` possible parents of each variable.

    The required parents come first, then the neighbours in a good network (found by `BestOrderSearch`), then the
    variables of greatest gain, alone or in addition to the parents in that network.

    Parameters
    ----------
    phi : LocalScoreFunction
    rules : EdgeRules
        Edges that may and that must be used.
    most, max_parents : int
    seed : int
        Seed of the search.

    Returns
    -------
    tuple of tuple of int
        Ascending.

    Raises
    ------
    ValueError
        If a variable has more than `most` required parents.
    """
    n, required = len(rules.limits), rules.parents
    every = tuple(tuple(np.flatnonzero(column).tolist()) for column in rules.allowed.T)
    if max(map(len, every)) <= most:
        return every
    network = run(BestOrderSearch(phi, n, restarts=RESTARTS, max_parents=max_parents, knowledge=rules, seed=seed))
    chosen = []
    for v, candidates in enumerate(every):
        if len(required[v]) > most:
            raise ValueError(f"candidates={most}: variable {v} has {len(required[v])} required parents; raise it.")
        beside = [tuple(sorted({*network[v], u})) for u in candidates]
        scores = evaluate(phi, [(v, ()), (v, network[v]), *((v, (u,)) for u in candidates), *((v, p) for p in beside)])
        alone = scores[2 : 2 + len(candidates)] - scores[0]
        gains = np.maximum(alone, scores[2 + len(candidates) :] - scores[1])
        apart = np.array([u not in network[v] and v not in network[u] for u in candidates], dtype=np.bool_)
        order = np.lexsort((-gains, apart, ~np.isin(candidates, required[v])))[:most]
        chosen.append(tuple(sorted(candidates[place] for place in order)))
    return tuple(chosen)
