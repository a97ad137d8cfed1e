import numpy as np
import pytest

import bnlab
from bnlab.analysis import Recipe, Study, cross_validate, findings
from bnlab.graphs import Dag
from bnlab.graphs.confidence import EdgeConfidence

NAMES = ("a", "b", "c", "d")
CHAIN = Dag.from_edges(NAMES, [("a", "b"), ("b", "c")])


def study(graph=CHAIN, confidence=None):
    found = Study().with_result("first", Recipe(), graph)
    return Study(**{**vars(found), "confidence": {} if confidence is None else {"first": confidence}})


def words(*arguments):
    return {evidence: text for text, evidence in findings(*arguments)}


def test_a_chain_has_no_direction_and_names_the_variable_without_an_edge():
    assert words(study(), "first") == {
        "network": "2 edges among 4 variables; d without any.",
        "confidence": "How stable they are has not been examined.",
        "directions": "All directions are open: the data fit either way equally well.",
    }


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([("a", "c"), ("b", "c")], "The data decide all directions, if no common cause is missing."),
        ([("a", "c"), ("b", "c"), ("a", "d")], "1 direction is open: the data fit either way equally well."),
    ],
)
def test_directions_are_those_of_the_class(edges, expected):
    assert words(study(Dag.from_edges(NAMES, edges)), "first")["directions"] == expected


def test_the_directions_of_a_network_that_was_not_learned_are_not_judged():
    given = Study().with_result("first", None, CHAIN)
    assert "directions" not in words(given, "first")


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((1.0, 0.1), "1 is stable (in all 20 networks from resampled rows); 1 could be chance."),
        ((1.0, 1.0), "All 2 are stable: in all 20 networks from resampled rows."),
    ],
)
def test_edges_below_the_threshold_could_be_chance(shares, expected):
    arcs = np.zeros((4, 4))
    arcs[0, 1], arcs[1, 2] = shares
    found = EdgeConfidence(NAMES, arcs, 20)
    kept = sum(share >= found.threshold for share in shares)
    assert kept == expected.startswith("All") + 1
    assert words(study(confidence=found), "first")["confidence"] == expected


def test_the_prediction_is_the_accuracy_on_held_out_rows_beside_the_most_frequent_state():
    table = bnlab.load_network("asia").sample(400, seed=1)
    found = cross_validate(table, {"first": "chow-liu"}, folds=4, target="lung")
    learned = Study().with_result("first", Recipe("chow-liu"), bnlab.learn(table, "chow-liu"))
    accuracy = found.measures()["accuracy"].mean()
    most = np.bincount(found.truth).max() / 400
    text = words(learned, "first", found)["validation"]
    assert text.startswith(f"Predicts lung right in {accuracy:.0%} (")
    assert text.endswith(f"its most frequent state alone would be right in {most:.0%}.")


def test_an_unknown_network_is_refused():
    with pytest.raises(ValueError, match="no network 'other': the study has 'first'"):
        findings(study(), "other")
