"""Variables, edges and orders by name or by index."""

from __future__ import annotations

import pytest

import bnlab
from bnlab.learners import HillClimbing
from bnlab.learners.nodes import as_edges, as_order
from bnlab.scores import local_scores


def test_names_and_indices_may_be_mixed():
    assert as_order(["C", 0, "B"], 3, "ABC") == [2, 0, 1]
    assert as_edges([("A", 2), (1, "A")], 3, "ABC") == [(0, 2), (1, 0)]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (["AB"], "is a pair"),
        ([("A", "D")], "no variable 'D'"),
        ([("A", 3)], "variable 3 is out of range: 3 variables have indices 0 to 2"),
        ([("A", -1)], "variable -1 is out of range"),
        ([("B", 1)], "cannot be its own parent"),
    ],
)
def test_edges_that_are_none_are_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        as_edges(edges, 3, "ABC")


def test_the_variables_of_a_search_have_the_names_of_its_local_scores():
    data = bnlab.load_network("cancer").sample(50, seed=0)
    assert HillClimbing(local_scores(data, "k2"), 5).variable_names() == data.names
    assert HillClimbing(lambda child, parents: 0.0, 5).variable_names() is None
