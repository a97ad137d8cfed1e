"""Variables, edges and orders by name or by index."""

from __future__ import annotations

import pytest

import bnlab
from bnlab.learners.nodes import as_edges, as_order, names_of
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


def test_the_names_are_those_of_the_score_if_it_has_any():
    data = bnlab.load_network("cancer").sample(10, seed=0)
    assert names_of(local_scores(data, "k2")) == data.names
    assert names_of(lambda child, parents: 0.0) is None
