"""Mutual information tests, MIT (Carvalho 2009, the last score of section 2.1.2).

References
----------
De Campos (2006), A scoring function for learning Bayesian networks based on mutual information and conditional
independence tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from bnlab.counts.types import FamilyBatch, FloatArray
from bnlab.scores.likelihood import log_likelihood
from bnlab.scores.local import LocalScore, as_number


@dataclass(frozen=True)
class MIT(LocalScore):
    """2 N I(X_i; Pi_i) less one chi-square quantile per parent; 0 without parents.

    The parents are taken by falling arity, the order that penalises most. A variable of one state costs nothing.

    Parameters
    ----------
    alpha : float
        Confidence level of the tests, greater than 0 and less than 1.
    """

    alpha: float = 0.99
    name: ClassVar[str] = "mit"
    score_equivalent: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 < as_number(self.name, "alpha", self.alpha) < 1:
            raise ValueError(f"mit: alpha={self.alpha!r}: a confidence level is between 0 and 1, such as 0.99")

    def batch(self, batch: FamilyBatch) -> FloatArray:
        """MIT of each family, ndarray of float64, shape (families,)."""
        whole = FamilyBatch(batch.marginal, np.arange(len(batch)), np.ones(len(batch)), [()] * len(batch))
        two_n_information = 2 * (log_likelihood(batch) - log_likelihood(whole))
        penalties = [
            penalty(self.alpha, batch.r, tuple(sorted(arities, reverse=True))) for arities in batch.parent_arities
        ]
        return two_n_information - penalties


@lru_cache(maxsize=1 << 16)
def penalty(alpha: float, r: int, parent_arities: tuple[int, ...]) -> float:
    """Sum of the chi-square quantiles of level `alpha` over the parents, in the order given.

    Parameters
    ----------
    alpha : float
    r : int
        Number of states of the child.
    parent_arities : tuple of int

    Examples
    --------
    >>> round(penalty(0.95, 2, (2,)), 6)  # one degree of freedom
    3.841459
    """
    from scipy.special import gammaincinv

    arities = np.array(parent_arities, dtype=np.float64)
    freedom = (r - 1) * (arities - 1) * np.cumprod(np.append(1.0, arities))[:-1]
    # The quantile of the chi-square distribution with l degrees of freedom is that of Gamma(l / 2), doubled.
    return float(2 * gammaincinv(freedom[freedom > 0] / 2, alpha).sum())
