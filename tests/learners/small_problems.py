"""Small problems that the search tests share: random local scores, and all DAGs of few variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

import numpy as np

from bnlab.graphs import Dag

Family = tuple[int, tuple[int, ...]]
Parents = tuple[tuple[int, ...], ...]


class RandomScores:
    """A local score for every family of n variables; it pickles."""

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng([n, seed])
        self.n = n
        self.scores = {family: float(-20 * rng.random()) for family in every_family(n)}

    def __call__(self, child: int, parents: tuple[int, ...]) -> float:
        return self.scores[child, parents]


class PlantedScores:
    """A score that grows with each right parent and falls with each wrong one; any n, and it pickles."""

    def __init__(self, parents: Sequence[Sequence[int]]) -> None:
        self.parents = [set(family) for family in parents]

    def __call__(self, child: int, parents: tuple[int, ...]) -> float:
        right = len(self.parents[child] & set(parents))
        return 10.0 * right - 3.0 * (len(parents) - right) - 100.0


def every_family(n: int) -> list[Family]:
    return [(i, p) for i in range(n) for k in range(n) for p in combinations([j for j in range(n) if j != i], k)]


@cache
def every_dag(n: int) -> list[Parents]:
    dags = []
    for choice in product(*([p for i, p in every_family(n) if i == child] for child in range(n))):
        try:
            Dag([str(i) for i in range(n)], choice)
        except ValueError:
            continue
        dags.append(choice)
    return dags


def total(phi, parents: Parents) -> float:
    return sum(phi(i, family) for i, family in enumerate(parents))


def best_total(phi, n: int) -> float:
    return max(total(phi, parents) for parents in every_dag(n))


def is_acyclic(parents: Parents) -> bool:
    try:
        Dag([str(i) for i in range(len(parents))], parents)
    except ValueError:
        return False
    return True


def n_components(parents: Parents) -> int:
    component = list(range(len(parents)))
    for v, family in enumerate(parents):
        for u in family:
            old, new = component[u], component[v]
            component = [new if c == old else c for c in component]
    return len(set(component))
