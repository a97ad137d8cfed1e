"""Orders of the nodes of a network from which best order score search restarts."""

from __future__ import annotations

import numpy as np

from bnlab.graphs.paths import parents_first
from bnlab.learners.types import ParentTuples

MOST_ROUNDS = 1000
"""Beyond it, the numbers of nodes without neighbours, halved in each round, would become zero."""


def neighbours_near(parents: ParentTuples, rng: np.random.Generator) -> tuple[int, ...]:
    """Random order in which the parents of a node come first and neighbours in the network are near each other.

    Each node begins with a random number, which moves halfway to the mean of its neighbours' again and again, so that
    the numbers become smooth over the network. Parents come first, and otherwise smaller numbers. After many rounds the
    numbers approach an eigenvector of the random walk on the network, as in spectral orders of a matrix. After few they
    are only alike among close neighbours. There are at most twice as many rounds as nodes, at most `MOST_ROUNDS`, and
    more often few.

    Examples
    --------
    >>> chain = ((3,), (), (1,), (2,))
    >>> neighbours_near(chain, np.random.default_rng(0))
    (1, 2, 3, 0)
    """
    from scipy.sparse import csr_array

    n = len(parents)
    edges = [(u, v) for v, family in enumerate(parents) for u in family]
    u, v = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    links = csr_array((np.ones(2 * len(edges)), (np.r_[u, v], np.r_[v, u])), (n, n))
    degrees = np.maximum(links.sum(axis=1), 1)
    number = rng.standard_normal(n)
    for _ in range(round(min(2 * n, MOST_ROUNDS) ** rng.random())):
        number = (number + links @ number / degrees) / 2
        number -= number.mean()
    return parents_first(parents, np.argsort(number, kind="stable").tolist())
