"""What is learned when no learner is named."""

import logging

import pytest

import bnlab
from bnlab.learners import learn, make_search, optimum, recommended
from bnlab.scores import BDeu, score


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


@pytest.mark.parametrize("n", [13, 37, 76, 223, 1041])
def test_more_effort_takes_more_restarts_at_every_size(n):
    quick, default, thorough = (
        recommended(n, 1000, effort=effort).options["restarts"] for effort in ("quick", "default", "thorough")
    )
    assert quick < default < thorough


def test_many_variables_get_a_search_over_orders_with_restarts_by_their_number():
    found = [recommended(n, 1000) for n in (40, 60, 200, 3000)]
    assert {recommendation.algorithm for recommendation in found} == {"boss"}
    assert [recommendation.options["restarts"] for recommendation in found] == [2000, 3000, 10000, 66]
    assert [recommendation.options["patience"] for recommendation in found] == [2000, 1333, 600, 600]


@pytest.mark.parametrize("score", ["bdeu", "K2", BDeu(10)])
def test_a_bayesian_score_gets_fewer_restarts_of_many_variables(score):
    found = [recommended(n, 5000, score).options for n in (40, 200, 724)]
    assert [options["restarts"] for options in found] == [2000, 10_000, 174]
    assert [options["patience"] for options in found] == [2000, 250, 250]
    assert recommended(724, 5000, "nml").options == recommended(724, 5000).options


@pytest.mark.parametrize(("score", "restarts"), [("bic", (1144, 1144, 286)), ("bdeu", (342, 116, 38))])
def test_many_rows_get_fewer_restarts(score, restarts):
    found = tuple(recommended(724, n_rows, score).options["restarts"] for n_rows in (100, 10_000, 40_000))
    assert found == restarts


def test_the_default_gives_the_same_network_on_a_slow_machine():
    assert "time_limit" not in recommended(37, 1000).options


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
        ({"algorithm": "k2", "score": ""}, "score='': known names"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    data = bnlab.load_network("asia").sample(50, seed=3)
    with pytest.raises(ValueError, match=message):
        learn(data, **arguments)


def test_a_score_object_is_recommended_the_learner_of_its_name():
    data = bnlab.load_network("asia").sample(100, seed=3)
    assert learn(data, score=bnlab.scores.LL()) == learn(data, score="ll")
    assert recommended(100, 500, bnlab.scores.BDeu(2.0)) == recommended(100, 500, "bdeu")


def test_an_effort_beside_the_learner_of_incomplete_rows_is_refused():
    table = bnlab.data.remove_values(bnlab.load_network("cancer").sample(100, seed=1), 0.1, seed=2)
    with pytest.raises(ValueError, match="effort='quick' chooses the learner of each graph: leave out 'hill-climbing'"):
        learn(table, learner="hill-climbing", effort="quick")
