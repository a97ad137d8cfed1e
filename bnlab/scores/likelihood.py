"""Log-likelihood and the scores that penalise it by a factor f(N) per parameter (Carvalho 2009, Equations 8 to 10).

References
----------
De Campos and Ji (2011), Efficient structure learning of Bayesian networks using constraints (their bound).
Bodewes and Scutari (2021), Learning Bayesian networks from incomplete data with the node-average likelihood.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, TypeAlias

import numpy as np

from bnlab.counts.types import FamilyBatch, FloatArray, IntArray
from bnlab.scores.local import LocalScore

SMALL = 1023
"""Counts up to it have their N log N in a table."""


def log_likelihood(batch: FamilyBatch) -> FloatArray:
    """Greatest log-likelihood of each family, the sum of N_ijk log(N_ijk / N_ij) (Equation 8), shape (families,)."""
    from bnlab.engine.score import log_likelihoods

    known = _n_log_n() if batch.table.dtype.kind == "i" else np.empty(0)
    values: FloatArray = log_likelihoods(batch.table, batch.first, known)
    return values


@cache
def _n_log_n() -> FloatArray:
    from bnlab.engine.score import n_log_n_up_to

    return n_log_n_up_to(SMALL)


class PenalisedLikelihood(LocalScore):
    """LL(B|T) - f(N) |B|, where |B| = sum_i (r_i - 1) q_i counts the parameters (section 2.1.2)."""

    score_equivalent: ClassVar[bool] = True

    @abstractmethod
    def penalty(self, n_rows: IntArray) -> FloatArray:
        """Nats that one parameter costs, f(N), shape (families,)."""

    def batch(self, batch: FamilyBatch) -> FloatArray:
        """LL less the penalty of each family, ndarray of float64, shape (families,)."""
        cost = self.penalty(batch.n_rows if batch.rows is None else np.array((batch.rows,)))
        return log_likelihood(batch) - cost * (batch.r - 1) * batch.q

    def upper_bound(self, r: int, q: FloatArray, n_rows: int | float) -> FloatArray:
        """The penalty alone, as LL is at most 0 (de Campos and Ji 2011, section 4)."""
        return 0.0 - self.penalty(np.array([n_rows])) * (r - 1) * q


@dataclass(frozen=True)
class LL(PenalisedLikelihood):
    """Log-likelihood (Equation 8). It never falls when a parent is added.

    Examples
    --------
    >>> import numpy as np
    >>> from bnlab.counts import FamilyCounts
    >>> coin = FamilyCounts(np.array([[1, 1]]), np.array([0]), ())
    >>> round(LL()(coin), 6)  # 2 log(1/2)
    -1.386294
    """

    name: ClassVar[str] = "ll"

    def penalty(self, n_rows: IntArray) -> FloatArray:
        """f(N) = 0."""
        return np.zeros(len(n_rows))


@dataclass(frozen=True)
class AIC(PenalisedLikelihood):
    """Akaike information criterion (Equation 10)."""

    name: ClassVar[str] = "aic"

    def penalty(self, n_rows: IntArray) -> FloatArray:
        """f(N) = 1."""
        return np.ones(len(n_rows))


@dataclass(frozen=True)
class BIC(PenalisedLikelihood):
    """Bayesian information criterion, which is also the minimum description length, MDL (Equation 9)."""

    name: ClassVar[str] = "bic"

    def penalty(self, n_rows: IntArray) -> FloatArray:
        """f(N) = log(N) / 2, and 0 when there are no rows."""
        half_log: FloatArray = np.log(np.maximum(n_rows, 1)) / 2
        return half_log


MDL: TypeAlias = BIC


@dataclass(frozen=True)
class PNAL(PenalisedLikelihood):
    """Penalised node-average likelihood, times N, for the counts of `AvailableCases` (Bodewes and Scutari 2021).

    If families are scored on different rows, the score of a family varies by an order of sqrt(N) nats. The penalty of
    BIC does not cover this: it adds false edges for any number of rows. The penalty of a parameter is therefore

        f(N) = N^(1 - alpha) / n.

    Parameters
    ----------
    n_variables : int
        Number of variables of the network, n.
    alpha : float
        Greater than 0 and less than 1/2, for which the score is consistent.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> PNAL(37).penalty(np.array([5000])).round(2)
    array([16.07])
    """

    name: ClassVar[str] = "pnal"
    n_variables: int
    alpha: float = 0.25

    def __post_init__(self) -> None:
        if self.n_variables < 1:
            raise ValueError(f"n_variables={self.n_variables}: at least 1 is needed.")
        if not 0 < self.alpha < 0.5:
            raise ValueError(f"alpha={self.alpha}: a number between 0 and 1/2 is needed.")

    def penalty(self, n_rows: IntArray) -> FloatArray:
        """f(N) = N^(1 - alpha) / n."""
        cost: FloatArray = np.maximum(n_rows, 0) ** (1 - self.alpha) / self.n_variables
        return cost
