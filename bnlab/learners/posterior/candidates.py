"""Candidate parents of each variable, for tables where all sets of other variables are too many.

References
----------
J. Kuipers, P. Suter, G. Moffa. Efficient sampling and structure learning of Bayesian networks. Journal of Computational
and Graphical Statistics 31, 2022 (core candidates and one further parent, "plus one").
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from bnlab.engine.partitions import cells_of_sums
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.boss.search import BestOrderSearch
from bnlab.learners.subsets import count_subsets
from bnlab.learners.types import Floats, ParentTuples, evaluate
from bnlab.scores.function import LocalScoreFunction
from bnlab.search import run

RESTARTS = 5
"""Restarts of the search for a good network, whose neighbours are candidates."""
CELLS = 1 << 22
"""Greatest number of sums over the sets of core candidates: 32 MB."""
FAMILIES = 300_000
"""Greatest number of families, if a core of the least size does not have more already."""
MOST_AROUND = 3
"""Greatest number of neighbours whose sets are taken as likely parents."""
LEAST_CORE, MOST = 12, 62
"""Least size of a core chosen automatically, and most candidates of one variable."""


class Candidates(NamedTuple):
    """Possible parents of each variable.

    Attributes
    ----------
    core : tuple of tuple of int
        Candidates of which all sets are scored, ascending.
    others : tuple of tuple of int
        Candidates that are added to these sets one at a time, ascending.
    odds, pairs : ndarray of float64, shape (n, n)
        Estimated odds of u -> v, for edges that are left out; and the odds of two edges to v, u -> v and any other one,
        both from outside the core. 0 for all other edges.
    """

    core: ParentTuples
    others: ParentTuples
    odds: Floats
    pairs: Floats


def candidate_parents(
    phi: LocalScoreFunction, rules: EdgeRules, most: int | None, max_parents: int, seed: int = 0
) -> Candidates:
    """Choose the core candidates of each variable, and others that join them one at a time.

    All possible parents are in the core if their sets are not too many. Else the core has the required parents, then
    the neighbours in a good network (found by `BestOrderSearch`), then the variables of greatest odds: alone and in
    pairs, in addition to likely sets of parents. The others follow by odds, as many as there is room for.

    Parameters
    ----------
    phi : LocalScoreFunction
    rules : EdgeRules
        Edges that may and that must be used.
    most : int or None
        Greatest number of core candidates of a variable; by default as many as there is room for, at least 12.
    max_parents : int
    seed : int
        Seed of the search.

    Raises
    ------
    ValueError
        If a variable has more than `most` required parents.
    """
    n, required, every = len(rules.limits), rules.parents, rules.possible_parents
    size = max(_core_size(every, max_parents), *map(len, required)) if most is None else most
    for v in range(n):
        if len(required[v]) > size:
            raise ValueError(f"candidates={size}: variable {v} has {len(required[v])} required parents; raise it.")
    odds, pairs = np.zeros((n, n)), np.zeros((n, n))
    if max(map(len, every)) <= size:
        return Candidates(every, ((),) * n, odds, pairs)
    network = run(BestOrderSearch(phi, n, restarts=RESTARTS, max_parents=max_parents, knowledge=rules, seed=seed))
    core = []
    for v, possible in enumerate(every):
        near = np.array([u in network[v] or v in network[u] for u in possible], dtype=np.bool_)
        around = [u for u, close in zip(possible, near, strict=True) if close][:MOST_AROUND]
        likely = {network[v], *(subset for number in range(max_parents + 1) for subset in combinations(around, number))}
        odds[list(possible), v] = _odds(phi, v, likely, [(u,) for u in possible], max_parents)
        together = np.zeros((n, n))
        if n * comb(len(possible), 2) * len(likely) <= FAMILIES:
            two = list(combinations(possible, 2))
            first, second = np.array(two, dtype=np.int64).reshape(-1, 2).T
            together[first, second] = together[second, first] = _odds(phi, v, likely, two, max_parents)
        mass = odds[list(possible), v] + together[list(possible)].sum(axis=1)
        order = np.lexsort((-mass, ~near, ~np.isin(possible, required[v])))
        core.append(tuple(sorted(possible[place] for place in order[:size])))
        outside = [possible[place] for place in order[size:]]
        pairs[outside, v] = together[np.ix_(outside, outside)].sum(axis=1)
        odds[list(possible), v] = mass
        odds[list(core[v]), v] = 0.0
    others: list[list[int]] = [[] for _ in range(n)]
    room = FAMILIES - sum(_families(len(of_v), 0, max_parents) for of_v in core)
    for u, v in sorted(np.argwhere(odds).tolist(), key=lambda edge: -odds[*edge]):
        room -= count_subsets(len(core[v]), max_parents - 1)
        if room >= 0 and len(core[v]) + len(others[v]) < MOST:
            others[v].append(u)
            odds[u, v] = 0.0
    return Candidates(tuple(core), tuple(tuple(sorted(of_v)) for of_v in others), odds, pairs)


def _odds(
    phi: LocalScoreFunction, v: int, likely: Collection[tuple[int, ...]], more: Sequence[tuple[int, ...]], most: int
) -> Floats:
    """Odds that v has certain parents in addition to likely sets: the weight of both together, of that without."""
    sets = sorted(likely)
    scores = evaluate(phi, [(v, parents) for parents in sets])
    total = scores.max() + np.log(np.exp(scores - scores.max()).sum())
    odds = np.zeros(len(more))
    for parents in sets:
        new = [place for place, extra in enumerate(more) if not {*extra} & {*parents}]
        if new and len(parents) + len(more[new[0]]) <= most:
            joined = evaluate(phi, [(v, tuple(sorted((*parents, *more[place])))) for place in new], once=True)
            odds[new] += np.exp(np.minimum(joined - total, 700.0))
    return odds


def _core_size(every: ParentTuples, max_parents: int) -> int:
    """Greatest size of the cores with room for all others, or the least size."""
    largest = max(map(len, every))
    for size in range(min(largest, 25), LEAST_CORE, -1):
        cores = [min(size, len(of_v)) for of_v in every]
        families = sum(_families(c, len(of_v) - c, max_parents) for c, of_v in zip(cores, every, strict=True))
        if families <= FAMILIES and sum(cells_of_sums(every, tuple(cores))) <= CELLS:
            return size
    return LEAST_CORE


def _families(core: int, others: int, most: int) -> int:
    """Number of parent sets of a variable."""
    return count_subsets(core, most) + (others * count_subsets(core, most - 1) if most else 0)
