"""The G2 test of conditional independence as a pure function of counts.

I. Tsamardinos, L. E. Brown and C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65, 31-78, section 2.2; P. Spirtes, C. Glymour and R. Scheines (2000), Causation,
Prediction, and Search, MIT Press.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bnlab.counts.types import IntArray

DegreesOfFreedom: TypeAlias = Literal["adjusted", "plain"]
DEGREES_OF_FREEDOM = ("adjusted", "plain")


@dataclass(frozen=True)
class G2:
    """Result of one test of x and y given z.

    Attributes
    ----------
    statistic : float
        G2 = 2 sum N_xyz ln(N_xyz N_z / (N_xz N_yz)) over the cells with rows, in nats; not negative.
    df : float
        Degrees of freedom: a whole number, unless `expected_g2` replaces them.
    log_p : float
        Natural logarithm of the p-value, finite even if the p-value underflows; 0 if `df` is 0.
    """

    statistic: float
    df: float
    log_p: float

    @property
    def p_value(self) -> float:
        """Probability of a statistic at least as great under independence; 0.0 if it underflows."""
        return math.exp(self.log_p)


def g2(table: ArrayLike, *, df: DegreesOfFreedom = "adjusted") -> G2:
    """Test two variables for independence given others.

    Parameters
    ----------
    table : array_like of int, shape (arities of z ..., r_x, r_y)
        Contingency table N_zxy, with two axes if nothing is given.
    df : {"adjusted", "plain"}
        "adjusted": the sum over strata z of (rows that occur - 1)(columns that occur - 1); "plain":
        (r_x - 1)(r_y - 1) times the number of strata, including empty ones.

    Raises
    ------
    ValueError
        If the table has fewer than two axes or `df` is unknown.

    Examples
    --------
    >>> outcome = g2([[10, 5], [3, 12]])
    >>> round(outcome.statistic, 6), outcome.df, round(outcome.p_value, 6)
    (6.946408, 1, 0.008399)
    """
    from bnlab.engine import tests

    check_df(df)
    strata = _strata(table)
    _, r_x, r_y = strata.shape
    statistic, adjusted = tests.g2(by_states(strata), r_x, tests.terms_of(int(strata.sum())))
    freedom = adjusted if df == "adjusted" else (r_x - 1) * (r_y - 1) * len(strata)
    return G2(statistic, freedom, log_p_value(statistic, freedom))


def expected_g2(table: ArrayLike) -> float:
    """Mean of G2 over all tables with the margins of each stratum, if the two variables are independent.

    If the counts are small, the mean of G2 is not its number of degrees of freedom. With this mean in their place, the
    chi-square approximation holds: the semi-parametric test of I. Tsamardinos and G. Borboudakis (2010), Permutation
    testing improves Bayesian network learning, ECML PKDD, with the mean of all permutations instead of a sample.

    Parameters
    ----------
    table : array_like of int, shape (arities of z ..., r_x, r_y)
        As for `g2`.

    Returns
    -------
    float
        Nats.

    Raises
    ------
    ValueError
        If the table has fewer than two axes.

    Examples
    --------
    >>> sparse = [[1, 0, 0], [0, 1, 0], [2, 0, 0], [3, 0, 1]]
    >>> g2(sparse).df, round(expected_g2(sparse), 3)
    (6, 6.13)
    """
    from bnlab.engine import tests

    strata = _strata(table)
    return float(tests.expected_g2(by_states(strata), strata.shape[1], tests.terms_of(int(strata.sum()))))


def _strata(table: ArrayLike) -> IntArray:
    counts = np.ascontiguousarray(table, dtype=np.int64)
    if counts.ndim < 2:
        raise ValueError(f"table of shape {counts.shape}: a test needs two axes at least, (..., r_x, r_y)")
    return counts.reshape(-1, *counts.shape[-2:])


def by_states(strata: IntArray) -> IntArray:
    """Counts of shape (strata, r_x, r_y) as `bnlab.engine.tests` takes them: (r_y, strata * r_x)."""
    return np.ascontiguousarray(strata.reshape(-1, strata.shape[2]).T)


def check_df(df: str) -> None:
    """Refuse an unknown rule for the degrees of freedom."""
    if df not in DEGREES_OF_FREEDOM:
        raise ValueError(f"df={df!r}: the rules are {', '.join(map(repr, DEGREES_OF_FREEDOM))}")


def log_p_value(statistic: float, df: float) -> float:
    """Logarithm of the probability that a chi-square variable is at least `statistic`; it never underflows.

    It ranks strengths of dependence even if their p-values are zero in double precision, as dozens are on a few
    thousand rows. (`scipy.stats.chi2.logsf` is -inf there.)

    Parameters
    ----------
    statistic : float
        Not negative.
    df : float
        Not negative; with 0 the probability is 1.

    Returns
    -------
    float
        Nats, at most 0.

    Examples
    --------
    >>> round(log_p_value(5000.0, 6), 6)
    -2485.044255
    """
    from bnlab.engine import tests

    return float(tests.log_p_value(float(statistic), float(df)))
