"""Comparison of classifiers over data sets.

References
----------
J. Demšar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.
A. Benavoli, G. Corani, F. Mangili, M. Zaffalon, F. Ruggeri. A Bayesian Wilcoxon signed-rank test based on the Dirichlet
process. ICML 2014.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bnlab.counts.types import FloatArray

SAMPLES = 20_000


def mean_ranks(accuracies: pd.DataFrame) -> pd.Series:
    """Mean rank of each classifier over the data sets; 1 is the best, and ties share their ranks.

    Parameters
    ----------
    accuracies : DataFrame
        One row per data set, one column per classifier.
    """
    return accuracies.rank(axis=1, ascending=False).mean()


def critical_difference(classifiers: int, datasets: int) -> float:
    """Least difference of two mean ranks that is significant at 5 % in the test of Nemenyi.

    Examples
    --------
    >>> round(critical_difference(3, 14), 3)  # 2.343 sqrt(3 4 / (6 14))
    0.886
    """
    from scipy.stats import studentized_range

    q = studentized_range.ppf(0.95, classifiers, np.inf) / sqrt(2)
    return float(q * sqrt(classifiers * (classifiers + 1) / (6 * datasets)))


def paired(accuracies: pd.DataFrame, better: str, worse: str) -> dict[str, float]:
    """Wins, ties and losses of one classifier against another, and the two-sided Wilcoxon signed-rank test.

    Parameters
    ----------
    accuracies : DataFrame
        One row per data set, one column per classifier.
    better, worse : str
        Names of the classifiers.

    Returns
    -------
    dict
        wins, ties, losses, median (of the differences) and p (ties are treated as by Pratt).
    """
    from scipy.stats import wilcoxon

    difference = (accuracies[better] - accuracies[worse]).round(9)
    p = wilcoxon(difference, zero_method="pratt", method="asymptotic").pvalue if difference.any() else 1.0
    return {
        "wins": int((difference > 0).sum()),
        "ties": int((difference == 0).sum()),
        "losses": int((difference < 0).sum()),
        "median": float(difference.median()),
        "p": float(p),
    }


def bayesian_signed_rank(differences: ArrayLike, rope: float) -> dict[str, float]:
    """Probabilities that the difference on a similar data set is below, within or above a region of equivalence.

    Each of 20,000 samples draws weights (Dirichlet) of the differences and of a prior difference of 0, which has 0.6 of
    the weight of a data set. A region wins the sample if it most probably contains the mean of two differences drawn by
    these weights. The result is the share of samples that each region wins.

    Parameters
    ----------
    differences : array_like, shape (data sets,)
    rope : float
        Half-width of the region of practical equivalence, in the same units.

    Returns
    -------
    dict with keys worse, same, better

    Examples
    --------
    >>> bayesian_signed_rank([3.0] * 12, rope=1.0)["better"] > 0.99
    True
    """
    values = np.append(0.0, np.asarray(differences, dtype=np.float64))
    means = (values[:, None] + values) / 2
    regions = np.stack([means < -rope, np.abs(means) <= rope, means > rope]).astype(np.float64)
    alpha = np.append(0.6, np.ones(len(values) - 1))
    weights: FloatArray = np.random.default_rng(0).dirichlet(alpha, SAMPLES)
    shares = np.stack([((weights @ region) * weights).sum(axis=1) for region in regions])
    won = np.bincount(shares.argmax(axis=0), minlength=3) / SAMPLES
    return dict(zip(("worse", "same", "better"), won.tolist(), strict=True))
