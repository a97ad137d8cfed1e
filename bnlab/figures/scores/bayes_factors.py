"""Log Bayes factors between networks: what a difference of scores means when the scores are Bayesian.

References
----------
Kass and Raftery (1995), Bayes factors (the words for how strong the evidence is).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, floor, log
from typing import TYPE_CHECKING

from bnlab._runtime.names import known_name
from bnlab.figures.scores.differences import differences_data
from bnlab.scores.make import SCORE_TABLE

if TYPE_CHECKING:
    import pandas as pd

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
    return [name for name in scores if SCORE_TABLE[known_name(name, SCORE_TABLE, "score")].make.bayesian]


def bayes_factors_data(totals: pd.DataFrame, reference: str | None = None) -> pd.DataFrame:
    """Log Bayes factors of networks against one of them, under the scores that have them.

    Parameters
    ----------
    totals : DataFrame of float, shape (networks, scores)
        Nats; columns named as by `make_score`.
    reference : str, optional
        Network that is compared with; by default the best one under each score.

    Returns
    -------
    DataFrame of float, shape (networks, Bayesian scores)
        Nats; greater than 0 where the data speak for the network and against the reference.

    Raises
    ------
    ValueError
        If there is no such network.

    Examples
    --------
    >>> import pandas as pd
    >>> totals = pd.DataFrame({"bic": [-10.0, -12.0], "k2": [-9.0, -8.5]}, index=["a", "b"])
    >>> bayes_factors_data(totals, "a").loc["b"].to_dict()
    {'k2': 0.5}
    """
    return differences_data(totals[bayesian(totals.columns)], reference)


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
