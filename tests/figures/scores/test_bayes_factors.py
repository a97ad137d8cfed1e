"""Log Bayes factors: only where they mean something, and what they mean in words."""

from __future__ import annotations

from math import exp, lgamma, log

import pandas as pd
import pytest

from bnlab.data import Table, Variable
from bnlab.figures import bayes_factors_data
from bnlab.figures.scores.bayes_factors import strength, times
from bnlab.figures.scores.network_scores import NetworkScores
from bnlab.scores.make import SCORE_TABLE


def test_only_bayesian_scores_have_them() -> None:
    totals = pd.DataFrame({name: [0.0, -1.0] for name in SCORE_TABLE}, index=["a", "b"])
    assert set(bayes_factors_data(totals).columns) == {"k2", "bd", "bde", "bdeu"}


def test_they_are_ratios_of_probabilities_of_the_data() -> None:
    bit = ("0", "1")
    table = Table([Variable("X", bit), Variable("Y", bit)], [[0, 0, 1, 1], [0, 0, 1, 1]])
    factors = bayes_factors_data(NetworkScores(table, {"apart": [], "joined": [("X", "Y")]}).totals(), "apart")
    coin = 2 * lgamma(3) - lgamma(6)  # log of the probability of 2 heads and 2 tails under a uniform prior
    two_pure = 2 * (lgamma(3) - lgamma(4))  # of two heads, and of two tails
    assert factors.loc["joined", "k2"] == pytest.approx(two_pure - coin)
    assert factors.loc["apart"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("factor", "word"),
    [(0.0, "hardly worth a mention"), (-2.9, "positive"), (4.9, "strong"), (5.0, "very strong"), (800, "very strong")],
)
def test_strength_has_the_words_of_kass_and_raftery(factor: float, word: str) -> None:
    assert strength(factor) == word


def test_times_is_the_exponential_in_words() -> None:
    assert times(log(2.5)) == "2.5 times"
    assert times(log(123_456)) == "123,000 times"
    assert times(5000.0) == "10^2171 times"
    assert exp(5000 - 2171 * log(10)) < 10
