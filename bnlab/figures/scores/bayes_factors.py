"""Log Bayes factors between networks: what a difference of scores means when the scores are Bayesian.

References
----------
Kass and Raftery (1995), Bayes factors (the words for how strong the evidence is).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, floor, log

from bnlab._runtime.names import known_name
from bnlab.scores.make import SCORES

MEANING = (
    "A log Bayes factor of d says that the data are exp(d) times as probable under the one network as under the other, "
    "with the parameters of both averaged over the prior of that score; K2, BD, BDe and BDeu are such probabilities, "
    "the other scores are not."
)
STRENGTHS = ((1.0, "hardly worth a mention"), (3.0, "positive"), (5.0, "strong"), (float("inf"), "very strong"))
WRITTEN_OUT = 1e6


def bayesian(scores: Iterable[str]) -> list[str]:
    """Names of the scores that are log-probabilities of the data.

    Examples
    --------
    >>> bayesian(["bic", "k2", "mit", "bdeu"])
    ['k2', 'bdeu']
    """
    return [name for name in scores if SCORES[known_name(name, SCORES, "score")].bayesian]


def strength(log_factor: float) -> str:
    """Category of the evidence that a log Bayes factor gives (Kass and Raftery 1995).

    Examples
    --------
    >>> strength(0.5), strength(-4.0)
    ('hardly worth a mention', 'strong')
    """
    return next(word for limit, word in STRENGTHS if abs(log_factor) < limit)


def times(log_factor: float) -> str:
    """Bayes factor in words, from its logarithm, 0 or greater.

    Examples
    --------
    >>> times(0.0), times(3.0), times(2000.0)
    ('1 times', '20.1 times', '10^868 times')
    """
    if log_factor < log(WRITTEN_OUT):
        factor = float(f"{exp(log_factor):.3g}")
        return f"{factor:,.0f} times" if factor >= 100 else f"{factor:g} times"
    return f"10^{floor(log_factor / log(10))} times"
