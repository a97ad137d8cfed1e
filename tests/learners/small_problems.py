"""Small problems that tests share: random scores, tables, knowledge and DAGs, and all DAGs of few variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

import numpy as np

from bnlab.data import Table
from bnlab.graphs import Dag, Knowledge
from tests.scores.small_tables import make_table

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


def random_dag(seed: int, n: int, degree: float) -> Dag:
    """DAG of n nodes with that mean degree."""
    rng = np.random.default_rng([seed, n])
    order = rng.permutation(n).tolist()
    edges = [(f"v{a}", f"v{b}") for a, b in combinations(order, 2) if rng.random() < degree / (n - 1)]
    return Dag.from_edges([f"v{i}" for i in range(n)], edges)


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


def random_table(seed: int) -> Table:
    """Rows of 3 to 7 variables of 2 or 3 states."""
    rng = np.random.default_rng([seed, 1])
    return make_table(rng.integers(2, 4, rng.integers(3, 8)).tolist(), int(rng.integers(20, 200)), seed=seed)


def random_knowledge(seed: int, names, trees: bool = False) -> Knowledge:
    """Rules that some graph keeps, at least one; all kinds of them, by chance."""
    rng = np.random.default_rng(seed)
    n = len(names)
    order = rng.permutation(n)
    pairs = [(names[order[i]], names[order[j]]) for i in range(n) for j in range(i + 1, n)]
    required: list[tuple[str, str]] = []
    children: list[str] = []
    for u, v in (pairs[i] for i in rng.permutation(len(pairs))[: rng.integers(4)]):
        if not (trees and v in children):
            required.append((u, v))
            children.append(v)
    rest = [(u, v) for u in names for v in names if u != v and (u, v) not in required]
    forbidden = [rest[i] for i in rng.permutation(len(rest))[: rng.integers(6)]]
    most: dict[str | None, int] = {}
    if rng.random() < 0.5:
        for v in names[: 1 + rng.integers(n)]:
            most[v] = children.count(v) + int(rng.integers(2))
    if rng.random() < 0.3:
        most[None] = max(map(children.count, names)) + int(rng.integers(2))
    first, second = np.sort(rng.integers(1, n, 2))
    groups = (order[:first], order[first:second], order[second : n - 1])
    tiers = [[names[i] for i in group] for group in groups] if rng.random() < 0.4 else []
    within = None
    if rng.random() < 0.3:
        within = [*required, *(pairs[i] for i in rng.permutation(len(pairs))[:6])]
        if rng.random() < 0.5:
            within = Dag.from_edges(names, dict.fromkeys(within))
            forbidden = [(u, v) for u, v in forbidden if (v, u) not in within.edges]
    return Knowledge(required, forbidden, tiers, most or None, within)
