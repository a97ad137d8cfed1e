"""Networks compared: exact differences, by score and by node, the scale, and log Bayes factors in words."""

from __future__ import annotations

from math import exp, lgamma, log

import numpy as np
import pandas as pd
import pytest

from bnlab.data import Table, Variable
from bnlab.figures import (
    contributions_data,
    contributions_figure,
    differences_data,
    differences_figure,
)
from bnlab.figures.scores.differences import bayesian, strength, times
from bnlab.figures.scores.network_scores import NetworkScores
from bnlab.figures.scores.symlog import difference_axis, symlog, ticks
from bnlab.scores.make import SCORE_TABLE

TOTALS = pd.DataFrame(
    {"bic": [-100.0, -110.0, -5000.0], "k2": [-99.0, -98.5, -4000.0]}, index=["true", "learned", "empty"]
)
LOCAL = pd.DataFrame(
    {"true": [-10.0, -20.0, -30.0], "learned": [-10.0, -25.0, -29.0], "empty": [-10.0, -21.0, -40.0]},
    index=["A", "B", "C"],
)


def test_differences_are_from_the_best_or_from_the_chosen_network() -> None:
    assert differences_data(TOTALS).to_numpy().tolist() == [[0, -0.5], [-10, 0], [-4900, -3901.5]]
    assert differences_data(TOTALS, "learned").to_numpy().tolist() == [[10, -0.5], [0, 0], [-4890, -3901.5]]
    with pytest.raises(ValueError, match="did you mean 'learned'"):
        differences_data(TOTALS, "lerned")


@pytest.mark.parametrize("size", [1.0, 1e6])
def test_networks_within_rounding_are_all_best_and_others_are_not(size: float) -> None:
    scores = [-1.0, -1.0 - 0.9e-9, -1.0 - 1.2e-9]
    totals = pd.DataFrame({"bic": size * np.array(scores), "ll": [-1e9, -1e9, -2e9]}, index=["a", "b", "c"])
    assert (differences_data(totals) == 0)["bic"].tolist() == [True, True, False]
    assert (differences_data(totals) == 0)["ll"].tolist() == [True, True, False]
    assert differences_data(totals)["bic"].tolist() == [0.0, 0.0, pytest.approx(-1.2e-9 * size, rel=1e-3)]


def test_contributions_put_the_nodes_that_matter_first_and_leave_out_the_others() -> None:
    data = contributions_data(LOCAL, "true")
    assert data.to_dict("index") == {"C": {"learned": 1, "empty": -10}, "B": {"learned": -5, "empty": -1}}
    with pytest.raises(ValueError, match="no network is called 'x'"):
        contributions_data(LOCAL, "x")


def test_the_scale_is_odd_monotone_and_shows_small_and_large() -> None:
    d = np.array([-30_000, -3, -0.1, 0, 0.1, 3, 30_000])
    assert (np.diff(symlog(d)) > 0).all()
    np.testing.assert_allclose(symlog(d), -symlog(d)[::-1])
    assert symlog(3) > symlog(30_000) / 10


@pytest.mark.parametrize(("low", "high"), [(-0.0999, 0), (-1e-9, 0), (0, 0.003), (-0.02, 0.05)])
def test_differences_below_the_smallest_tick_have_it_beyond_them_and_on_the_axis(low: float, high: float) -> None:
    places, texts = ticks(low, high)
    assert texts == [*(["−0.1"] if low else []), "0", *(["0.1"] if high else [])]
    np.testing.assert_allclose(places, symlog([float(text.replace("−", "-")) for text in texts]))
    begin, end = difference_axis([low, high], "")["range"]
    assert begin < places[0] <= places[-1] < end


@pytest.mark.parametrize(("low", "high"), [(0, 0), (-0.3, 0), (-7, 8), (-2500, 20), (-9e9, 9e9), (0, 1e5)])
def test_ticks_are_few_ascending_within_the_extent_and_include_zero(low: float, high: float) -> None:
    places, texts = ticks(low, high)
    assert "0" in texts
    assert 1 <= len(places) == len(texts) <= 7
    assert places == sorted(places)
    assert symlog(low) <= places[0] <= places[-1] <= symlog(high)
    assert len(texts) >= 2 or low == high


def test_differences_figure_has_a_trace_a_network_and_a_row_a_score() -> None:
    figure = differences_figure(differences_data(TOTALS), labels=["BIC/MDL", "K2"])
    assert [t.name for t in figure.data] == ["true", "learned", "empty"]
    assert list(figure.data[2].y) == ["BIC/MDL", "K2"]
    np.testing.assert_allclose(figure.data[2].x, symlog([-4900, -3901.5]))
    assert figure.data[2].customdata[0] == "−4,900.00"
    assert figure.layout.title.text == "Difference from the best network"
    assert len({t.marker.symbol for t in figure.data}) == 3
    assert differences_figure(differences_data(TOTALS, "true"), "true").layout.title.text == "Difference from “true”"


def test_a_network_keeps_its_colour_in_the_contributions() -> None:
    by_score = {t.name: t.marker.color for t in differences_figure(differences_data(TOTALS)).data}
    figure = contributions_figure(contributions_data(LOCAL, "true"), "true", "BIC", order=list(TOTALS.index))
    assert [t.name for t in figure.data] == ["learned", "empty"]
    assert {t.name: t.marker.color for t in figure.data} == {k: by_score[k] for k in ("learned", "empty")}
    assert len({t.marker.pattern.shape for t in figure.data}) == 2
    fewer = differences_figure(differences_data(TOTALS).loc[["empty"]], order=list(TOTALS.index))
    assert fewer.data[0].marker.color == by_score["empty"]
    assert "BIC by node" in figure.layout.title.text
    assert "Nodes that are not shown do not differ" in figure.layout.title.subtitle.text


def test_contributions_say_what_they_leave_out() -> None:
    local = pd.DataFrame({"a": np.zeros(20), "b": np.arange(1.0, 21)}, index=[f"v{i}" for i in range(20)])
    figure = contributions_figure(contributions_data(local, "a"), "a", "K2")
    assert list(figure.data[0].y)[:2] == ["v19", "v18"]
    assert len(figure.data[0].y) == 15
    assert "5 more nodes differ" in figure.layout.title.subtitle.text


def test_the_node_that_is_lit_up_is_drawn_whatever_it_adds() -> None:
    local = pd.DataFrame({"a": np.zeros(20), "b": np.arange(20.0)}, index=[f"v{i}" for i in range(20)])
    data = contributions_data(local, "a")
    for node, value in (("v2", 2.0), ("v0", 0.0)):
        figure = contributions_figure(data, "a", "K2", hovered=node)
        assert len(figure.data[0].y) == 15
        assert figure.data[0].y[-1] == node
        assert figure.data[0].x[-1] == pytest.approx(symlog(value))
        band = figure.layout.shapes[0]
        assert (band.y0, band.y1) == (13.5, 14.5)
    assert contributions_figure(data, "a", "K2", hovered="v19").layout.shapes[0].y0 == -0.5
    assert not contributions_figure(data, "a", "K2").layout.shapes


def test_rows_that_look_alike_when_shortened_stay_apart() -> None:
    long = [f"{'x' * 20}{i}{'y' * 20}" for i in range(3)]
    figure = contributions_figure(pd.DataFrame({"b": [3.0, 2.0, 1.0]}, index=long), "a", "K2")
    assert len(set(figure.data[0].y)) == 3


def test_networks_with_the_same_parents_give_an_empty_but_honest_figure() -> None:
    data = contributions_data(LOCAL.assign(learned=LOCAL["true"])[["true", "learned"]], "true")
    assert len(data) == 0
    assert "No node differs" in contributions_figure(data, "true", "K2").layout.title.subtitle.text


def test_only_bayesian_scores_have_log_bayes_factors() -> None:
    assert set(bayesian(SCORE_TABLE)) == {"k2", "bd", "bde", "bdeu"}


def test_log_bayes_factors_are_ratios_of_probabilities_of_the_data() -> None:
    bit = ("0", "1")
    table = Table([Variable("X", bit), Variable("Y", bit)], [[0, 0, 1, 1], [0, 0, 1, 1]])
    factors = differences_data(NetworkScores(table, {"apart": [], "joined": [("X", "Y")]}).totals(), "apart")
    coin = 2 * lgamma(3) - lgamma(6)  # log of the probability of 2 heads and 2 tails under a uniform prior
    two_pure = 2 * (lgamma(3) - lgamma(4))  # of two heads, and of two tails
    assert factors.loc["joined", "k2"] == pytest.approx(two_pure - coin)
    assert not factors.loc["apart"].any()


@pytest.mark.parametrize(
    ("factor", "word"),
    [(0.0, "hardly worth a mention"), (-2.9, "positive"), (4.9, "strong"), (5.0, "very strong"), (800, "very strong")],
)
def test_strength_has_the_words_of_kass_and_raftery(factor: float, word: str) -> None:
    assert strength(factor) == word


def test_a_bayes_factor_in_words_is_the_exponential_in_words() -> None:
    assert times(log(2.5)) == "2.5 times"
    assert times(log(123_456)) == "123,000 times"
    assert times(5000.0) == "10^2171 times"
    assert exp(5000 - 2171 * log(10)) < 10
