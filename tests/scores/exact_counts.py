"""Scores straight from a table of counts, to 50 digits, so that counts of any size can be tried."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, prod

import mpmath
from mpmath import mpf

from bnlab.counts import FamilyCounts

mpmath.mp.dps = 50


def ll(counts: FamilyCounts) -> mpf:
    """Sum of N_ijk ln(N_ijk / N_ij)."""
    return mpmath.fsum(n * mpmath.log(mpf(n) / sum(row)) for row in counts.table.tolist() for n in row if n)


def parameters(counts: FamilyCounts) -> int:
    return (counts.r - 1) * prod(counts.parent_arities)


def aic(counts: FamilyCounts) -> mpf:
    return ll(counts) - parameters(counts)


def bic(counts: FamilyCounts) -> mpf:
    return ll(counts) - mpmath.log(max(counts.n_rows, 1)) / 2 * parameters(counts)


def complexity(r: int, n: int) -> mpf:
    """C(r, n) by the sum of Mononen and Myllymaki (2008) for two states and the recurrence in r."""
    if n == 0 or r == 1:
        return mpf(1)
    one, total, k = 10**60, 0, 0  # numbers of 60 decimal places, as integers
    term = one
    while term:
        total, term, k = total + term, term * (n - k) // n, k + 1
    before, now = mpf(1), mpf(total) / one
    for states in range(3, r + 1):
        before, now = now, now + mpf(n) / (states - 2) * before
    return now


def log_complexity(r: int, n: float) -> mpf:
    """Log of C(r, n), on a straight line between whole numbers of rows."""
    low = floor(n)
    below = mpmath.log(complexity(r, low))
    return below if n == low else below + (mpf(n) - low) * (mpmath.log(complexity(r, low + 1)) - below)


def nml(counts: FamilyCounts) -> mpf:
    return ll(counts) - mpmath.fsum(log_complexity(counts.r, n) for n in counts.n_ij.tolist())


def bd(counts: FamilyCounts, n_ijk: mpf) -> mpf:
    """Theorem 2.3 with one hyperparameter for all cells."""
    n_ij = n_ijk * counts.r
    total = mpf(0)
    for row in counts.table.tolist():
        total += mpmath.loggamma(n_ij) - mpmath.loggamma(n_ij + sum(row))
        total += sum(mpmath.loggamma(n_ijk + n) - mpmath.loggamma(n_ijk) for n in row)
    return total


def k2(counts: FamilyCounts) -> mpf:
    return bd(counts, mpf(1))


def bdeu(ess: float) -> Callable[[FamilyCounts], mpf]:
    return lambda counts: bd(counts, mpf(ess) / counts.r / prod(counts.parent_arities))


def quantile(alpha: float, freedom: int) -> mpf:
    """Chi-square quantile by bisection of the distribution function."""

    def distribution(x: mpf) -> mpf:
        return mpmath.gammainc(mpf(freedom) / 2, 0, x / 2, regularized=True)

    low, high = mpf(0), mpf(freedom)
    while distribution(high) < alpha:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if distribution(middle) < alpha else (low, middle)
    return low


def mit(alpha: float) -> Callable[[FamilyCounts], mpf]:
    def of(counts: FamilyCounts) -> mpf:
        whole = FamilyCounts(counts.table.sum(axis=0, keepdims=True), counts.configurations[:1] * 0, ())
        arities = sorted(counts.parent_arities, reverse=True)
        freedom = [(counts.r - 1) * (a - 1) * prod(arities[:j]) for j, a in enumerate(arities)]
        return 2 * (ll(counts) - ll(whole)) - mpmath.fsum(quantile(alpha, f) for f in freedom if f)

    return of
