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
    """A local score over ranks: rank k is the variable with the k-th smallest φ(i, ∅); equal ones are sorted by name.

    Parameters
    ----------
    phi : LocalScoreFunction
    n : int
        Number of variables.
    seed : int, optional
        If given, the ranks are random. They depend on the seed and all φ(i, ∅), so that they differ between the
        samples of a bootstrap.
    alone : ndarray of float64, shape (n,), optional
        All φ(i, ∅), if the caller has them.

    Attributes
    ----------
    order : tuple of int
        Variable of each rank.
    rank : tuple of int
        Rank of each variable.
    unit : float
        Scores that differ by less than this power of two differ only by rounding.
    """

    def __init__(self, phi: LocalScoreFunction, n: int, seed: int | None = None, alone: Floats | None = None) -> None:
        alone = scores_alone(phi, n) if alone is None else alone
        names = phi.names or ("",) * n
        self.phi, self.n, self.unit = phi, n, rounding_unit(alone if alone.any() else np.ones(1))
        rounded = np.rint(alone / self.unit).tolist()
        self.order = tuple(sorted(range(n), key=lambda i: (rounded[i], names[i], i)))
        if seed is not None:
            drawn = np.random.default_rng([seed, *(int(abs(rounded[i])) for i in self.order)]).permutation(n)
            self.order = tuple(self.order[k] for k in drawn.tolist())
        self.rank = tuple(np.argsort(self.order).tolist())
        self.names = phi.names and tuple(phi.names[i] for i in self.order)
        self.score_equivalent, self.threads, self.by_passes = phi.score_equivalent, phi.threads, phi.by_passes

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
