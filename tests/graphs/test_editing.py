"""Edits of one edge, against the graph they should give, and their history."""

from __future__ import annotations

import pytest

from bnlab.graphs import Dag
from bnlab.graphs.editing import Edit, edited

CHAIN = Dag.from_edges("ABCD", [("A", "B"), ("B", "C"), ("C", "D")])


def test_each_action_changes_its_edge_alone() -> None:
    assert set(edited(CHAIN, Edit("add", "A", "D")).edges) == {*CHAIN.edges, ("A", "D")}
    assert set(edited(CHAIN, Edit("delete", "B", "C")).edges) == {("A", "B"), ("C", "D")}
    assert set(edited(CHAIN, Edit("reverse", "B", "C")).edges) == {("A", "B"), ("C", "B"), ("C", "D")}


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (Edit("add", "C", "A"), r"adding C -> A would close A -> B -> C -> A: "),
        (Edit("add", "D", "A"), r"adding D -> A would close A -> B -> C -> D -> A: "),
        (Edit("add", "A", "A"), r"A -> A: a variable cannot be its own parent"),
        (Edit("add", "A", "B"), r"adding A -> B: this edge is there already"),
        (Edit("add", "B", "A"), r"A -> B is there already; reverse it instead"),
        (Edit("delete", "A", "C"), r"no edge A -> C in this graph\.$"),
        (Edit("delete", "B", "A"), r"no edge B -> A in this graph \(there is A -> B\)"),
        (Edit("reverse", "A", "D"), r"no edge A -> D"),
        (Edit("add", "A", "E"), r"no variable 'E' in this graph"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(edit: Edit, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        edited(CHAIN, edit)


def test_reversing_names_the_cycle_it_would_close() -> None:
    triangle = Dag.from_edges("ABC", [("A", "B"), ("B", "C"), ("A", "C")])
    with pytest.raises(ValueError, match=r"reversing A -> C would close A -> B -> C -> A: "):
        edited(triangle, Edit("reverse", "A", "C"))
    assert edited(triangle, Edit("reverse", "A", "B")).parents == ((1,), (), (0, 1))


def test_an_unknown_action_is_refused() -> None:
    with pytest.raises(ValueError, match="'turn': an edit is one of 'add', 'delete', 'reverse'"):
        Edit("turn", "A", "B")  # type: ignore[arg-type]
