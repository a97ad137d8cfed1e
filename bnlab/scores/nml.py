"""Factorised normalized maximum likelihood, fNML (Carvalho 2009, Equation 14 and Algorithm 1).

References
----------
Roos, Silander, Kontkanen and Myllymäki (2008), Bayesian network structure learning using factorized NML universal
models. Kontkanen and Myllymäki (2007), A linear-time algorithm for computing the multinomial stochastic complexity.
Mononen and Myllymäki (2008), Computing the multinomial stochastic complexity in sub-linear time.
Flajolet, Grabner, Kirschenhofer and Prodinger (1995), On Ramanujan's Q-function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bnlab.counts.types import FamilyBatch, FloatArray, IntArray
from bnlab.scores.likelihood import log_likelihood
from bnlab.scores.local import LocalScore

_MAX_SUMMED = 256  # up to here binomial sums are computed; beyond, the expansion is exact to double precision
_MAX_RECURSIVE_STATES = 10_000  # up to here, the recurrence over the states takes less than a tenth of a second
_TERMS_PER_CHECK = 1 << 15  # of the sum
_NEGLIGIBLE = 60.0  # a term that is so many nats below the sum is negligible
_STIRLING = (1.0, 1 / 12, 1 / 288, -139 / 51840, -571 / 2488320)  # of n! e^n / (n^n sqrt(2 pi n)), in powers of 1/n
_THETA = (1 / 3, 4 / 135, -8 / 2835, -16 / 8505, 8992 / 12629925)  # of Ramanujan's theta(n), in powers of 1/n


@dataclass(frozen=True)
class NML(LocalScore):
    """Factorised NML: the log-likelihood less the parametric complexity of every N_ij (Equation 14)."""

    name: ClassVar[str] = "nml"
    score_equivalent: ClassVar[bool] = False

    def batch(self, batch: FamilyBatch) -> FloatArray:
        """FNML of each family, ndarray of float64, shape (families,)."""
        return log_likelihood(batch) - batch.sum_rows(_complexity(batch.r, batch.n_ij))


def _complexity(r: int, n: IntArray | FloatArray) -> FloatArray:
    """Parametric complexity; for expected counts it is interpolated linearly between whole numbers."""
    if n.dtype.kind == "i":
        return multinomial_complexity(r, n)
    low = np.floor(n)
    below, above = multinomial_complexity(r, low), multinomial_complexity(r, low + 1)
    between: FloatArray = below + (n - low) * (above - below)
    return between


def multinomial_complexity(r: int, n: ArrayLike) -> FloatArray:
    """Parametric complexity log C(r, n) of a multinomial variable of r states and n rows (Algorithm 1).

    Parameters
    ----------
    r : int
        Number of states, at least one.
    n : int or array_like of int
        Numbers of rows, none negative.

    Returns
    -------
    ndarray of float64, of the shape of `n`
        Nats; 0 for no rows or one state. The relative error is about 1e-15, or 1e-12 for more than 10,000 states.

    Raises
    ------
    ValueError
        If `r` is less than 1 or a number of rows is negative.

    Examples
    --------
    >>> float(np.exp(multinomial_complexity(2, 2)).round(12))  # 1 + 2 (1/2)^2 + 1
    2.5
    """
    rows = np.asarray(n, dtype=np.float64)  # sums of weights may exceed 2**63
    if r < 1:
        raise ValueError(f"multinomial complexity for r={r} states: there is at least one")
    if (rows < 0).any():
        raise ValueError(f"multinomial complexity for n={rows.min():g} rows: a count is not negative")
    if r == 1:
        return np.zeros(rows.shape)
    if r > _MAX_RECURSIVE_STATES:
        distinct, where = np.unique(rows, return_inverse=True)
        return np.array([_complexity_of_many_states(r, int(n)) for n in distinct])[where].reshape(rows.shape)
    # C(l, n) / C(l - 1, n) instead of C(l, n), which overflows: C(150, 10^7) is beyond 10^390.
    ratio = _binomial_complexity(rows)
    log_c: FloatArray = np.log(ratio)
    for states in range(3, r + 1):
        ratio = 1.0 + rows / ((states - 2) * ratio)
        log_c += np.log(ratio)
    return log_c


def _complexity_of_many_states(r: int, n: int) -> float:
    """Log of C(r, n) = sum_k n^(falling k) (r - 1)^(rising k) / (n^k k!)  (Mononen and Myllymäki 2008)."""
    total = last = 0.0  # logs of the sum and of its last term; the ratio of successive terms falls
    for begin in range(1, n + 1, _TERMS_PER_CHECK):
        k = np.arange(begin, min(begin + _TERMS_PER_CHECK, n + 1), dtype=np.float64)
        terms = last + np.cumsum(np.log((n + 1 - k) / n * ((r - 2 + k) / k)))
        total = float(np.logaddexp(total, np.logaddexp.reduce(terms)))
        last = float(terms[-1])
        if last < total - _NEGLIGIBLE:
            break
    return total


def _binomial_complexity(n: FloatArray) -> FloatArray:
    """C(2, n): step 2 of Algorithm 1 is 1 + Q(n) with Ramanujan's Q(n) = sum_k n! / ((n - k)! n^k)."""
    summed = _binomial_sums()[np.minimum(n, _MAX_SUMMED).astype(np.int64)]
    beyond = np.maximum(n, _MAX_SUMMED)
    # Ramanujan: Q(n) = n! e^n / (2 n^n) - theta(n).
    factorial = np.sqrt(np.pi * beyond / 2) * _power_series(1.0 / beyond, _STIRLING)
    expanded = 1.0 + factorial - _power_series(1.0 / beyond, _THETA)
    chosen: FloatArray = np.where(n <= _MAX_SUMMED, summed, expanded)
    return chosen


@cache
def _binomial_sums() -> FloatArray:
    """C(2, n) for n up to `_MAX_SUMMED`, as the sum of the terms of 1 + Q(n), all of them positive."""
    n = np.arange(_MAX_SUMMED + 1)[:, None]
    factors = np.maximum(n - n.T, 0) / np.maximum(n, 1)
    sums: FloatArray = 1.0 + np.cumprod(factors, axis=1).sum(axis=1)
    sums[0] = 1.0
    return sums


def _power_series(x: FloatArray, coefficients: tuple[float, ...]) -> FloatArray:
    value = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = value * x + coefficient
    return value
