import json
from dataclasses import asdict

import numpy as np
import pytest

import bnlab
from bnlab.analysis.recipe import Recipe, recipe_of
from bnlab.graphs import Dag
from bnlab.learners.table import CLASS_LEARNERS, LEARNERS, kinds_of, scores_of
from bnlab.search import run


@pytest.fixture(scope="module")
def table():
    return bnlab.load_network("cancer").sample(200, seed=0)


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


SAMPLES = {
    "hill-climbing": {
        "start": [("Smoker", "Cancer")], "within": [["Smoker", "Cancer"]], "patience": 2, "perturbations": 1,
        "max_parents": 2, "tabu": 1, "restarts": 1, "seed": 2, "ties": "columns",
    },
    "chow-liu": {"root": "Xray", "spanning": False},
    "branching": {"root": "Xray", "spanning": False},
    "ckg": {"k": 1, "order": "bfs", "root": "Xray"},
    "ordering-search": {
        "k": 1, "seed": 1, "restarts": 2, "tabu": 0, "patience": 2,
        "start": ["Xray", "Cancer", "Smoker", "Pollution", "Dyspnoea"],
    },
    "exact": {"max_parents": 2, "time_limit": 60.0, "within": [["Smoker", "Cancer"]]},
    "boss": {
        "restarts": 2, "patience": 9, "max_parents": 2, "time_limit": 60.0, "seed": 1,
        "within": [["Smoker", "Cancer"]],
    },
    "k2": {"orders": [[4, 3, 2, 1, 0]], "max_parents": 1, "within": [["Smoker", "Cancer"]], "seed": 1},
    "chen": {
        "beta": "data", "growth": 1.1, "B": 2, "Q": 5, "policies": "gains", "choices": 1, "max_parents": 2,
        "within": [["Smoker", "Cancer"]], "seed": 1,
    },
    "chen ": {
        "variant": "paper", "beta": 0.1, "epsilon": 0.1, "B": 2, "Q": 5, "seed": 1, "permanent": [["Smoker", "Cancer"]],
        "order": ["Smoker", 0, "Cancer", "Xray", "Dyspnoea"], "max_parents": 2, "choices": 1,
        "connected": "ignored", "check": "moved",
        "limit": "moves", "stuck": "skip", "update_first": True, "prune": True, "max_exponent": 9.0, "floor": 1e-9,
        "growth": 1.0, "max_iterations": 20, "answer": "best", "policies": "gains",
    },
}  # fmt: skip


KNOWN = bnlab.Knowledge(required=[("Smoker", "Cancer")], tiers=[["Cancer"], ["Xray"]], max_parents={"Xray": 2, None: 4})
ORDERED = bnlab.Knowledge(forbidden=[("Smoker", "Xray")], tiers=[["Cancer"], ["Xray"]], max_parents=2)
for options in SAMPLES.values():
    options["knowledge"] = ORDERED


@pytest.mark.parametrize("which", SAMPLES)
def test_a_recipe_takes_the_options_of_its_learner_and_no_others(table, which):
    algorithm = which.strip()
    recipe = Recipe(algorithm, None, SAMPLES[which])
    assert recipe.learn(table) == Dag(table.names, run(recipe.search(table)))
    again = {}
    exec(f"dag = {recipe.code('table')}", {"bnlab": bnlab, "table": table}, again)
    assert again["dag"] == recipe.learn(table)


def test_every_option_of_a_recipe_was_tried():
    tried = {name.strip(): set() for name in SAMPLES}
    for name, options in SAMPLES.items():
        tried[name.strip()] |= set(options)
    assert tried == {name: set(kinds_of(name, scores_of(name)[0])) for name in LEARNERS}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"tabu=0, x=print(1)": 1}, "is no option of 'hill-climbing' with the score 'bic'"),
        ({"alpha": 0.5}, "'alpha' is no option"),
        ({"tabu": True}, "a whole number"),
        ({"tabu": 1.0}, "a whole number"),
        ({"tabu": 2**63}, r"below 2\*\*63"),
        ({"tabu": None}, "a whole number"),
        ({"within": lambda: None}, "only text, finite numbers"),
        ({"knowledge": 1}, "a bnlab.Knowledge is needed"),
        ({"knowledge": {"required": []}}, "knowledge has the parts 'required'"),
        ({"knowledge": {**asdict(KNOWN), "required": 1}}, "give pairs of names"),
        ({"knowledge": {**asdict(KNOWN), "limits": [1]}}, "pairs of a name"),
        ({"knowledge": {**asdict(KNOWN), "limits": [["Cancer", 0]]}}, "'Cancer' has 1 required parents"),
        ({"knowledge": bnlab.Knowledge(forbidden=[("a", "\0")])}, "no text file holds a NUL"),
        ({"within": [("Smoker",)]}, "pairs of names"),
        ({"start": "Smoker"}, "pairs of names"),
        ({"within": np.ones((5, 5), dtype=bool)}, "pairs of names"),
    ],
)
def test_a_recipe_refuses_other_options_by_their_names(options, told):
    with pytest.raises(ValueError, match=rf"^options.*{told}"):
        Recipe("hill-climbing", "bic", options)


@pytest.mark.parametrize("ess", [float("nan"), float("inf"), 10**400, -1, "4", True, None])
def test_a_recipe_refuses_numbers_that_a_score_cannot_take(ess):
    with pytest.raises(ValueError, match=r"^options\['ess'\] = "):
        Recipe("hill-climbing", "bdeu", {"ess": ess})


def test_values_of_numpy_are_written_as_plain_python():
    options = {"ess": np.float64(2), "tabu": np.int64(3), "within": [[np.str_("a"), "b"]]}
    assert Recipe("hill-climbing", "bdeu", options).code("table") == (
        "bnlab.learn(table, 'hill-climbing', score='bdeu', ess=2.0, tabu=3, within=(('a', 'b'),))"
    )


def test_a_graph_becomes_pairs_that_a_recipe_holds(table):
    skeleton, start = bnlab.skeleton(table, "mmpc"), bnlab.learn(table, "chow-liu")
    for within in (skeleton, skeleton.to_pdag()):
        recipe = recipe_of("hill-climbing", within=within, start=start)
        assert set(map(frozenset, recipe.options["within"])) == set(map(frozenset, skeleton.edges))
        assert recipe.learn(table) == bnlab.learn(table, "hill-climbing", tabu=10, within=skeleton, start=start)


@pytest.mark.parametrize("value", ["3", "3.0", 3.0, np.int64(3)])
def test_numbers_of_the_page_are_read_in_any_form(value):
    assert recipe_of("hill-climbing", seed=value).code("table") == recipe_of("hill-climbing", seed=3).code("table")


def test_a_large_seed_is_taken_exactly():
    assert recipe_of("hill-climbing", seed=2**60 + 1).options["seed"] == 2**60 + 1


def test_knowledge_is_saved_in_a_recipe_and_kept_by_it(table):
    recipe = Recipe("hill-climbing", "bdeu", {"knowledge": KNOWN})
    again = Recipe(**json.loads(json.dumps(asdict(recipe))))
    assert again == recipe
    assert again.knowledge == KNOWN
    assert again.variables == {"Smoker", "Cancer", "Xray"}
    assert KNOWN.violations(again.learn(table)) == ()
    assert recipe.code("table") == (
        "bnlab.learn(table, 'hill-climbing', score='bdeu', knowledge=bnlab.Knowledge(required=[('Smoker', 'Cancer')], "
        "tiers=[['Cancer'], ['Xray']], max_parents={None: 4, 'Xray': 2}))"
    )


def test_samples_of_a_bootstrap_draw_their_ties_anew_unless_a_rule_is_chosen():
    assert recipe_of("hill-climbing").for_samples.options["ties"] == "random"
    assert recipe_of("hill-climbing", ties="columns").for_samples.options["ties"] == "columns"
    assert "ties" not in recipe_of("hill-climbing").options
    assert recipe_of("boss").for_samples.options["restarts"] == 0
    # The rounds of structural expectation-maximisation end with a graph seen before.
    assert "ties" not in recipe_of("hill-climbing").for_samples.arguments(gaps=True)
    assert "ties='columns'" in recipe_of("hill-climbing", ties="columns").for_samples.arguments(gaps=True)


def test_rounds_of_structural_em_have_few_restarts_or_as_few_as_are_chosen():
    assert "restarts=10" in recipe_of("boss").arguments(gaps=True)
    assert "restarts=10" in recipe_of("boss", restarts=300).arguments(gaps=True)
    assert "restarts=2" in recipe_of("boss", restarts=2).arguments(gaps=True)
    assert "restarts=0" in recipe_of("boss").for_samples.arguments(gaps=True)


@pytest.mark.parametrize("name", CLASS_LEARNERS)
def test_the_recipe_of_a_class_learns_it_and_a_learner_of_tests_takes_no_score(name):
    table = bnlab.load_network("cancer").sample(2000, seed=0)
    recipe = recipe_of(name)
    assert recipe.learn(table) == bnlab.learn(table, name)
    assert eval(recipe.code("table"), {"bnlab": bnlab, "table": table}) == bnlab.learn(table, name)
    if CLASS_LEARNERS[name].score is None:
        with pytest.raises(ValueError, match="takes no score; leave it out"):
            Recipe(name, "bic")
    else:
        with pytest.raises(ValueError, match="choose one, or another learner"):
            Recipe(name, "k2")  # it distinguishes equivalent graphs
