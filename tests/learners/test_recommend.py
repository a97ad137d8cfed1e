"""What is learned when no learner is named."""

import logging

import pytest

import bnlab
from bnlab.learners import learn, make_search, optimum, recommended
from bnlab.scores import score


def test_few_variables_get_the_best_of_all_networks():
    data = bnlab.load_network("asia").sample(500, seed=3)
    best = optimum(data, "bic", max_parents=7)
    assert best.proven
    assert score(learn(data), data) == pytest.approx(best.score)
    assert score(learn(data, score="bdeu", ess=4), data, "bdeu", ess=4) == pytest.approx(
        optimum(data, "bdeu", ess=4, max_parents=7).score
    )


def test_more_variables_get_a_network_that_hill_climbing_does_not_beat():
    data = bnlab.load_network("insurance").sample(1000, seed=0)
    found = score(learn(data, effort="quick"), data)
    assert found >= score(learn(data, "hill-climbing", tabu=10), data)


@pytest.mark.parametrize(("effort", "most"), [("quick", 300), ("default", 600), ("thorough", 1000)])
def test_more_variables_than_the_time_is_enough_for_are_climbed(effort, most):
    for n_rows, limit in ((2001, most), (2000, 2 * most)):
        assert recommended(limit + 1, n_rows, effort=effort).algorithm == "hill-climbing"
        assert recommended(limit, n_rows, effort=effort).algorithm == "boss"


def test_more_effort_takes_more_restarts_and_more_time():
    quick, default, thorough = (
        recommended(37, 1000, effort=effort).options for effort in ("quick", "default", "thorough")
    )
    assert quick["restarts"] < default["restarts"] < thorough["restarts"]
    assert quick["time_limit"] < default["time_limit"] < thorough["time_limit"]


def test_the_restarts_grow_with_the_variables_beyond_forty():
    restarts = [recommended(n, 1000).options["restarts"] for n in (13, 37, 76, 223)]
    assert restarts == [1000, 1000, 1900, 5575]


def test_a_score_without_a_penalty_gets_a_tree():
    data = bnlab.load_network("asia").sample(500, seed=3)
    assert learn(data, score="ll") == learn(data, "branching", score="ll")


def test_an_option_replaces_that_of_the_recommendation():
    data = bnlab.load_network("asia").sample(500, seed=3)
    assert max(map(len, learn(data, max_parents=1).parents)) == 1


def test_what_was_chosen_is_logged(caplog):
    data = bnlab.load_network("asia").sample(100, seed=3)
    with caplog.at_level(logging.INFO, logger="bnlab"):
        make_search(data)
    assert "bnlab learns with 'exact': 8 variables, 100 rows" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"effort": "enormous"}, "effort='enormous': known names: default, quick, thorough"),
        ({"algorithm": "k2", "effort": "quick"}, "effort='quick' is for a call without an algorithm"),
        ({"tabu": 10}, "'tabu' is no option of 'exact'"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    data = bnlab.load_network("asia").sample(50, seed=3)
    with pytest.raises(ValueError, match=message):
        learn(data, **arguments)
