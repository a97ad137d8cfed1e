import pytest

import bnlab
from bnlab.analysis.choices import LEARNERS, SCORES, recipe_of, scores_of, suggested_learner
from bnlab.learners.learn import ALGORITHMS


@pytest.fixture(scope="module")
def table():
    return bnlab.load_network("cancer").sample(200, seed=0)


def test_every_learner_is_offered_in_a_sentence():
    assert set(LEARNERS) == set(ALGORITHMS)
    for choice in (*LEARNERS.values(), *SCORES.values()):
        assert choice.words.endswith(".")


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_what_is_suggested_can_be_learned_under_every_score(table, algorithm):
    for score in scores_of(algorithm):
        recipe = recipe_of(algorithm, score)
        if algorithm == "chen" and score != "k2":
            continue
        assert len(recipe.learn(table)) == 5


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("hill",), "hill-climbing"),
        (("k2", "bik"), "bic"),
        (("chow-liu", "bic"), "takes ll"),
    ],
)
def test_unknown_choices_are_refused_in_words(call, told):
    with pytest.raises(ValueError, match=told):
        recipe_of(*call)


@pytest.mark.parametrize(("option", "value"), [("tabu", -1), ("tabu", 1.5), ("seed", "x"), ("restarts", float("inf"))])
def test_options_out_of_range_are_refused_in_words(option, value):
    with pytest.raises(ValueError, match="a whole number, at least 0"):
        recipe_of("hill-climbing", **{option: value})


def test_many_variables_begin_with_a_tree(table):
    assert suggested_learner(table)[0] == "hill-climbing"
