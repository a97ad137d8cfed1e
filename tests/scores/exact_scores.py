"""Dirichlet scores of rows read one by one, and complexities, straight from their definitions and in fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import factorial, log, prod

import numpy as np

from bnlab.data import Table

Configuration = tuple[int, ...]


def cells(table: Table, child: int, parents: tuple[int, ...]) -> dict[Configuration, list[int]]:
    """N_ijk of every possible parent configuration, unobserved ones included."""
    columns = [table.column(v).tolist() for v in (*parents, child)]
    seen = Counter(zip(*columns, strict=True))
    configurations = product(*(range(table.arities[p]) for p in parents))
    return {j: [seen[(*j, k)] for k in range(table.arities[child])] for j in configurations}


def compositions(n: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write n as an ordered sum of `parts` counts."""
    if parts == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, parts - 1):
            yield (first, *rest)


def complexity(r: int, n: int) -> Fraction:
    """C(r, n): the greatest likelihood of every sequence of n values out of r, summed over all sequences."""
    total = Fraction(0)
    for h in compositions(n, r):
        sequences = factorial(n) // prod(map(factorial, h))
        total += sequences * prod((Fraction(h_k, n) ** h_k for h_k in h if h_k), start=Fraction(1))
    return total


def rising(a: Fraction, n: int) -> Fraction:
    """Gamma(a + n) / Gamma(a)."""
    return prod((a + i for i in range(n)), start=Fraction(1))


def bd(
    table: Table,
    child: int,
    parents: tuple[int, ...],
    hyper: Callable[[Configuration, int], Fraction | int],
) -> float:
    """Theorem 2.3 with N'_ijk = hyper(j, k)."""
    factor = Fraction(1)
    for j, row in cells(table, child, parents).items():
        prior = [Fraction(hyper(j, k)) for k in range(len(row))]
        factor *= prod(map(rising, prior, row)) / rising(sum(prior), sum(row))
    return log_of(factor)


def log_of(x: Fraction) -> float:
    return log(x.numerator) - log(x.denominator)


def random_joint(arities: tuple[int, ...], seed: int) -> np.ndarray:
    """Some joint distribution that is positive everywhere."""
    joint = np.random.default_rng(seed).random(arities) + 0.05
    return joint / joint.sum()
