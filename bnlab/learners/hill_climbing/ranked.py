"""A local score whose variables are ranked by their scores, so that a search does not depend on the column order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnlab.learners.types import Family, Floats, MappedScores, ParentTuples, rounding_unit, scores_alone
from bnlab.scores.function import LocalScoreFunction

if TYPE_CHECKING:
    from bnlab.scores.table_scores import TableScores


class Ranked(MappedScores):
    """A local score over ranks: rank k is the variable ``order[k]``.

    Parameters
    ----------
    phi : LocalScoreFunction
    n : int
        Number of variables.
    order : sequence of int, optional
        By default the variables by φ(i, ∅), the smallest first; equal ones are sorted by name.

    Attributes
    ----------
    order : tuple of int
        Variable of each rank.
    rank : tuple of int
        Rank of each variable.
    unit : float
        Scores that differ by less than this power of two differ only by rounding.
    """

    n: int

    def __init__(self, phi: LocalScoreFunction, n: int, order: Sequence[int] | None = None) -> None:
        alone, names = scores_alone(phi, n), phi.names or ("",) * n
        self.phi, self.n, self.unit = phi, n, rounding_unit(alone if alone.any() else np.ones(1))
        rounded = np.rint(alone / self.unit).tolist()
        self.order = tuple(sorted(range(n), key=lambda i: (rounded[i], names[i], i)) if order is None else order)
        self.rank = tuple(np.argsort(self.order).tolist())
        self.names = phi.names and tuple(phi.names[i] for i in self.order)
        self.score_equivalent, self.threads, self.by_passes = phi.score_equivalent, phi.threads, phi.by_passes

    def shuffled(self, seed: int) -> Ranked:
        """Random ranks, which depend on the seed and all φ(i, ∅): they differ between the samples of a bootstrap."""
        rounded = np.rint(scores_alone(self, self.n) / self.unit).astype(np.int64)
        drawn = np.random.default_rng([seed, *np.abs(rounded).tolist()]).permutation(self.n)
        return self.reordered(drawn.tolist())

    def reordered(self, order: Sequence[int]) -> Ranked:
        """The same variables in other ranks: rank k becomes ``order[k]``."""
        return Ranked(self.phi, self.n, [self.order[k] for k in order])

    def family(self, child: int, parents: tuple[int, ...]) -> Family:
        """Family in variables, from a family in ranks."""
        return self.order[child], tuple(sorted(self.order[u] for u in parents))

    def toggled(self, families: Sequence[Family], neighbours: Sequence[tuple[int, ...]]) -> list[Floats]:
        """Scores of families with each of some ranks in turn added to the parents or removed; unchanged at the end."""
        variables = [[self.order[u] for u in others] for others in neighbours]
        ascending = [tuple(sorted(others)) for others in variables]
        scores = self.phi.toggled([self.family(*family) for family in families], ascending)
        places = [np.searchsorted(*both) for both in zip(ascending, variables, strict=True)]
        return [np.append(values[place], values[-1]) for place, values in zip(places, scores, strict=True)]

    def compiled(self) -> TableScores | None:
        """Return the same score by compiled code, or None if it has no compiled form."""
        score = self.phi.compiled() if self.phi.n == self.n else None
        return None if score is None else score.permuted(self.order)

    def in_ranks(self, parents: ParentTuples) -> ParentTuples:
        """Parents of each rank, from the parents of each variable."""
        return tuple(tuple(sorted(self.rank[u] for u in parents[v])) for v in self.order)

    def in_variables(self, parents: ParentTuples) -> ParentTuples:
        """Parents of each variable, from the parents of each rank."""
        return tuple(tuple(sorted(self.order[u] for u in parents[k])) for k in self.rank)


def tree_order(gains: Floats) -> list[int]:
    """Order in which a spanning tree of greatest gain joins the nodes, from the node that explains most of the others.

    If all edges between a node and its predecessors point towards it, a climb closes fewer false v-structures: of
    several parents most are joined themselves.

    Parameters
    ----------
    gains : ndarray of float64, shape (n, n)
        Gain of an edge between two nodes; symmetric, -inf if there may be none.

    Examples
    --------
    >>> tree_order(np.array([[0.0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    [1, 2, 0]
    """
    n = len(gains)
    explained = np.where(gains > 0, gains, 0.0).sum(axis=1)
    nearest, joined, order = np.full(n, -np.inf), np.zeros(n, dtype=np.bool_), []
    for _ in range(n):
        reached = np.where(joined, -np.inf, nearest)
        node = int(np.argmax(reached))
        if reached[node] <= 0:  # nothing is related to the nodes so far
            node = int(np.argmax(np.where(joined, -np.inf, explained)))
        order.append(node)
        joined[node] = True
        nearest = np.maximum(nearest, gains[node])
    return order
