"""Local scores that compiled loops can read: an open-addressing hash table from families to φ, filled on demand.

A compiled loop cannot call φ. It looks a family up. If there is no score, it records the family and continues with a
guess. Its caller fills the table and runs the loop again from the same state, until no score is missing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnlab.engine.score_table import insert
from bnlab.learners.types import Floats, Phi, as_local_scores, evaluate, families_of, rounding_unit, scores_alone

MAX_FAMILIES = 1 << 20
"""Maximum number of families in a table, which is emptied beyond that."""
EXACT = 2.0**-44
"""Scores are rounded to about this part of the greatest |φ(i, ∅)|, so that their sums are exact in any order."""
GREATEST = 2.0**80
"""Maximum score in units: beyond it other scores vanish from a sum, and sums overflow."""


class ScoreTable:
    """Table of rounded local scores.

    Parameters
    ----------
    phi : callable (child, parents) -> float
    n : int
        Number of variables.

    Attributes
    ----------
    words : int
        Number of 64-bit words of a set of parents: bit u % 64 of word u // 64 stands for parent u.
    keys : ndarray of uint64, shape (slots, words + 1)
        Parents, then the child plus one; zero in a free slot.
    values : ndarray of float64, shape (slots,)
    unit : float
        Scores are whole multiples of this power of two.
    """

    def __init__(self, phi: Phi, n: int) -> None:
        self.phi = as_local_scores(phi, n)
        self.n = n
        self.words = (n + 63) // 64
        alone = scores_alone(self.phi, n)
        self.unit = rounding_unit(alone if alone.any() else np.ones(1), EXACT)
        self._clear(1 << 12)
        rows = np.zeros((n, self.words + 1), dtype=np.uint64)
        rows[:, -1] = np.arange(1, n + 1)
        self.add(rows)

    def __len__(self) -> int:
        """Return the number of families in the table."""
        return self._used

    def add(self, rows: NDArray[np.uint64]) -> None:
        """Score families that are not in the table, all at once.

        Parameters
        ----------
        rows : ndarray of uint64, shape (families, words + 1)
            Keys; they may repeat.

        Raises
        ------
        ValueError
            If a score is nan, infinite, or too large to be added to others.
        """
        distinct = np.array([*{row.tobytes(): row for row in rows}.values()])
        if self._used + len(distinct) > MAX_FAMILIES:
            self._clear(1 << 12)
        while 2 * (self._used + len(distinct)) > len(self.values):
            self._grow()
        scores = self._checked(evaluate(self.phi, families_of(distinct)), distinct)
        scores = np.rint(scores / self.unit) * self.unit
        self._used += insert(self.keys, self.values, distinct, scores)

    def _checked(self, scores: Floats, rows: NDArray[np.uint64]) -> Floats:
        largest, limit = int(np.argmax(np.abs(scores))), min(GREATEST * self.unit, 1e300 / self.n)
        if abs(scores[largest]) > limit:
            child, parents = families_of(rows)[largest]
            raise ValueError(
                f"φ({child}, {parents}) is {scores[largest]:.3g}: beyond ±{limit:.3g} the scores of other families "
                "vanish beside it. Forbid edges with `within` instead."
            )
        return scores

    def _clear(self, slots: int) -> None:
        self.keys = np.zeros((slots, self.words + 1), dtype=np.uint64)
        self.values: Floats = np.zeros(slots)
        self._used = 0

    def _grow(self) -> None:
        keys, values = self.keys, self.values
        self._clear(2 * len(values))
        taken = keys[:, -1] > 0
        self._used = insert(self.keys, self.values, keys[taken], values[taken])
