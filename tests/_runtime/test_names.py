"""Names as people write them, in the one place where they are looked up."""

import pytest

from bnlab._runtime.names import ABBREVIATIONS, known_name
from bnlab.learners.table import GAP_LEARNERS, LEARNERS, learner, score_named
from bnlab.scores.make import SCORE_TABLE, make_score
from bnlab.skeletons.skeleton import SKELETONS

KNOWN = {"learners": {**LEARNERS, **GAP_LEARNERS}, "scores": SCORE_TABLE, "skeletons": SKELETONS}
EVERY = [(kind, name) for kind, names in KNOWN.items() for name in names]


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_case_hyphens_underscores_and_spaces_do_not_matter(kind, name):
    apart = name.replace("-", " ")
    for written in (name.upper(), name.replace("-", "_"), apart, apart.title(), name.replace("-", ""), f" {name} "):
        assert known_name(written, KNOWN[kind], "name") == name
    assert known_name("-".join(name), KNOWN[kind], "name") == name


def test_no_two_names_are_spelt_with_the_same_letters():
    for names in KNOWN.values():
        assert len({"".join(filter(str.isalnum, name)) for name in names}) == len(names)


def test_abbreviations_stand_for_known_names_and_hide_none():
    every = {name for _, name in EVERY}
    assert set(ABBREVIATIONS.values()) <= every
    assert not every & set(ABBREVIATIONS)
    for short, name in ABBREVIATIONS.items():
        (kind,) = [kind for kind, names in KNOWN.items() if name in names]
        assert known_name(short, KNOWN[kind], "name") == known_name(short.upper(), KNOWN[kind], "name") == name


def test_scores_and_choices_of_the_workbench_are_looked_up_alike():
    assert make_score("MDL") == make_score("b-i-c") == make_score("bic")
    assert make_score("BD_eu", ess=4) == make_score("bdeu", ess=4)
    assert learner("HC") is LEARNERS["hill-climbing"]
    assert score_named("mdl") is SCORE_TABLE["bic"]


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("hill-climber", ValueError, "algorithm='hill-climber': did you mean 'hill-climbing'"),
        ("", ValueError, "algorithm='': known names: boss, branching, chen"),
        ("--", ValueError, "algorithm='--': known names"),
        ("mdl", ValueError, "algorithm='mdl': known names"),
        (None, TypeError, "algorithm=None is not a name: give a string; known names: boss, branching, chen"),
        (SCORE_TABLE["bic"].make, TypeError, "is not a name: give a string"),
    ],
)
def test_what_is_no_known_name_is_refused_with_the_way_out(name, error, message):
    with pytest.raises(error, match=message):
        known_name(name, LEARNERS, "algorithm")
