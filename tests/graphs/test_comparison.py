"""Comparison of graphs, on cases counted by hand."""

from __future__ import annotations

import dataclasses

import networkx as nx
import pytest

from bnlab.graphs import Comparison, Dag, Pdag, compare, essential_graph, skeleton

TRUE = Dag.from_edges("ABCD", [("A", "C"), ("B", "C"), ("C", "D")])


def test_one_found_one_reversed_one_missed_one_invented():
    learned = Dag.from_edges("ABCD", [("A", "C"), ("D", "C"), ("A", "B")])
    # Essential graphs: A -> C <- D, A - B against A -> C <- B, C -> D; only A -> C is the same.
    assert compare(learned, TRUE) == Comparison(tp=2, fp=1, fn=1, sn=2 / 3, sp=2 / 3, shd=3, shd_cpdag=3, reversed=1)


def test_one_reversal_may_undirect_many_edges():
    turned = compare([("A", "C"), ("C", "B"), ("C", "D")], TRUE)
    assert (turned.shd, turned.shd_cpdag, turned.reversed) == (1, 3, 1)


def test_sn_is_recall_and_sp_is_precision():
    result = compare([("A", "B"), ("A", "C")], TRUE)
    assert (result.tp, result.fp, result.fn) == (1, 1, 2)
    assert (result.sn, result.sp) == (1 / 3, 1 / 2)


def test_empty_denominators_are_perfect_ratios():
    nothing = Dag.empty("ABCD")
    learned_none, true_none = compare(nothing, TRUE), compare(TRUE, nothing)
    assert (learned_none.sn, learned_none.sp) == (0.0, 1.0)
    assert (true_none.sn, true_none.sp) == (1.0, 0.0)
    assert (compare(nothing, nothing).sn, compare(nothing, nothing).sp) == (1.0, 1.0)


def test_every_form_of_graph_and_every_order_of_variables_is_taken():
    edges = [("A", "C"), ("D", "C"), ("A", "B")]
    learned = Dag.from_edges("ABCD", edges)
    graph = nx.DiGraph(edges)
    assert compare(learned, TRUE) == compare(learned.reordered("DCBA"), TRUE)
    assert compare(learned, TRUE) == compare(edges, TRUE) == compare(graph, TRUE)
    assert compare(learned, TRUE) == compare(graph, list(TRUE.edges))


def test_a_pdag_has_a_distance_between_essential_graphs_alone():
    learned = Dag.from_edges("DCBA", [("A", "C"), ("D", "C"), ("A", "B")])
    dags = compare(learned, TRUE)
    expected = dataclasses.replace(dags, shd=None, reversed=None)
    assert compare(essential_graph(learned), TRUE) == compare(learned, essential_graph(TRUE)) == expected
    # A - B, A - C, C - D against A -> C <- B, C -> D
    assert compare(skeleton(learned), TRUE) == dataclasses.replace(expected, shd_cpdag=4)


def test_text_rounds_ratios_and_fields_make_a_record():
    result = compare([("A", "C"), ("A", "B"), ("B", "C")], TRUE)
    assert repr(result) == ("Comparison(shd_cpdag=4, shd=2, reversed=0, tp=2, fp=1, fn=1, sn=0.6667, sp=0.6667)")
    assert list(dataclasses.asdict(result)) == ["tp", "fp", "fn", "sn", "sp", "shd", "shd_cpdag", "reversed"]


@pytest.mark.parametrize(
    ("learned", "true", "message"),
    [
        ([("A", "B")], [("A", "B")], r"pairs do not name all variables"),
        (Dag.empty("AB"), TRUE, r"it lacks 'C', 'D'"),
        (Pdag("ABCDE"), TRUE, r"it has 'E'"),
        (TRUE, Pdag("ABCDE"), r"it lacks 'E'"),
    ],
)
def test_what_cannot_be_compared_is_said(learned, true, message):
    with pytest.raises(ValueError, match=message):
        compare(learned, true)
