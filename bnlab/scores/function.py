"""Interface of local scores to learners: one contract for scores of data, plain functions and mapped families."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnlab.counts.types import Family, FloatArray, IntArray

if TYPE_CHECKING:
    from bnlab.scores.table_scores import TableScores


class LocalScoreFunction(ABC):
    """A local score φ(child, parents) with everything that a learner may use.

    `bnlab.scores.LocalScores` has everything. A subclass of this class needs only `__call__`: the other members have
    defaults, which a subclass can replace by faster code. `as_local_scores` converts a plain function.

    Attributes
    ----------
    n : int or None
        Number of variables, if known.
    names : tuple of str or None
        Their names, if known.
    score_equivalent : bool
        Whether Markov-equivalent graphs are known to score the same.
    threads : int
        Threads that may score at the same time.
    by_passes : bool
        Whether each call is a pass over chunks or a cluster, so that few calls matter more than few families.
    misses : int
        Families scored; a compiled search adds its own.
    """

    n: int | None = None
    names: tuple[str, ...] | None = None
    score_equivalent: bool = False
    threads: int = 1
    by_passes: bool = False
    misses: int = 0

    @abstractmethod
    def __call__(self, child: int, parents: tuple[int, ...], /) -> float:
        """Score of one family; greater is better."""

    def many(self, families: Sequence[Family]) -> FloatArray:
        """Scores of many families, shape (families,)."""
        return np.array([self(child, parents) for child, parents in families], dtype=np.float64)

    def once(self, families: Sequence[Family]) -> FloatArray:
        """As `many`, for families that are scored only once: they need not be cached."""
        return self.many(families)

    def bounds(self, child: int, parents: IntArray) -> FloatArray:
        """Upper bounds of the scores of families of one child; parents of shape (families, parents of each)."""
        return np.full(len(parents), np.inf)

    def toggled(self, families: Sequence[Family], neighbours: Sequence[tuple[int, ...]]) -> list[FloatArray]:
        """Scores of families with each of some nodes in turn added to the parents or removed; unchanged at the end.

        They need not be cached, as with `once`: a search keeps those that it needs again.

        Parameters
        ----------
        families : sequence of (child, parents)
            Indices, parents ascending.
        neighbours : sequence of tuple of int
            For each family, nodes other than the child, ascending.

        Returns
        -------
        list of ndarray of float64, shape (nodes + 1,)
        """
        changed = [
            (child, family)
            for (child, parents), others in zip(families, neighbours, strict=True)
            for family in (*(toggled(parents, u) for u in others), parents)
        ]
        ends = np.cumsum([len(others) + 1 for others in neighbours])
        return np.split(self.once(changed), ends[:-1])

    def compiled(self) -> TableScores | None:
        """Return the same score by compiled code; None if there is none."""
        return None


def toggled(parents: tuple[int, ...], u: int) -> tuple[int, ...]:
    """Return the parents without u if it is among them, with it if not; ascending.

    Examples
    --------
    >>> toggled((0, 3), 2), toggled((0, 3), 3)
    ((0, 2, 3), (0,))
    """
    return tuple(p for p in parents if p != u) if u in parents else tuple(sorted((*parents, u)))
