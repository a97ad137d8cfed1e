"""Dag: its operations against networkx, and the errors that teach."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pytest

from bnlab.graphs import Dag, as_dag
from tests.learners.small_problems import random_dag


@pytest.fixture(params=range(6))
def dag(request: pytest.FixtureRequest) -> Dag:
    return random_dag(request.param, 12, 2.75)


def test_there_are_25_and_543_dags_on_3_and_4_nodes(dags_of_3, dags_of_4):
    assert len(set(dags_of_3)) == len(dags_of_3) == 25
    assert len(set(dags_of_4)) == len(dags_of_4) == 543


def test_relatives_are_those_of_networkx(dag):
    graph = dag.to_networkx()
    for name in dag.names:
        assert set(dag.parents_of(name)) == set(graph.predecessors(name))
        assert set(dag.children_of(name)) == set(graph.successors(name))
        assert set(dag.ancestors_of(name)) == nx.ancestors(graph, name)
        assert set(dag.descendants_of(name)) == nx.descendants(graph, name)


def test_relatives_come_in_node_order(dag):
    for name in dag.names:
        for relatives in (dag.parents_of, dag.children_of, dag.ancestors_of, dag.descendants_of):
            indices = [dag.index(other) for other in relatives(name)]
            assert indices == sorted(indices)


def test_topological_order_takes_the_smallest_index_first_as_networkx_does(dag):
    expected = nx.lexicographical_topological_sort(dag.to_networkx(), key=dag.index)
    assert [dag.names[i] for i in dag.topological_order] == list(expected)


def test_adjacency_is_that_of_networkx_and_a_copy(dag):
    expected = nx.to_numpy_array(dag.to_networkx(), nodelist=dag.names, dtype=bool)
    dag.adjacency()[:] = True
    assert np.array_equal(dag.adjacency(), expected)


def test_networkx_and_back_is_the_same_graph(dag):
    assert Dag.from_networkx(dag.to_networkx()) == dag
    assert Dag.from_networkx(dag.to_networkx(), dag.names[::-1]) == dag.reordered(dag.names[::-1])


def test_edges_are_sorted_and_rebuild_the_graph(dag):
    indices = [(dag.index(u), dag.index(v)) for u, v in dag.edges]
    assert indices == sorted(indices)
    assert Dag.from_edges(dag.names, dag.edges) == dag


def test_reordering_keeps_edges_and_undoes_itself(dag):
    turned = dag.reordered(dag.names[::-1])
    assert turned.names == dag.names[::-1]
    assert set(turned.edges) == set(dag.edges)
    assert turned != dag
    assert turned.reordered(dag.names) == dag


def test_equal_graphs_hash_alike_and_pickle(dag):
    twin = Dag(list(dag.names), [list(parents) for parents in dag.parents])
    assert len({dag, twin, pickle.loads(pickle.dumps(dag))}) == 1


def test_parents_are_sorted_and_repeated_ones_count_once():
    dag = Dag("XYZ", [(), (), np.array([1, 0, 1])])
    assert dag.parents == ((), (), (0, 1))
    assert Dag.from_edges("XY", [("X", "Y"), ("X", "Y")]).edges == (("X", "Y"),)


def test_a_dag_cannot_be_changed():
    with pytest.raises(AttributeError):
        Dag.empty("XY").parents = ((), (0,))


def test_the_empty_graph_has_nodes_and_no_edge():
    dag = Dag.empty("XYZ")
    assert (len(dag), dag.edges, dag.topological_order) == (3, (), (0, 1, 2))


def test_text_shows_families_and_is_cut_for_large_graphs():
    assert repr(Dag.from_edges("XY", [("X", "Y")])) == "Dag(2 nodes, 1 edge: [X][Y|X])"
    large = repr(Dag.empty([f"v{i}" for i in range(1000)]))
    assert large.startswith("Dag(1,000 nodes, 0 edges: [v0][v1]")
    assert large.endswith("…)")
    assert len(large) < 500


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ([("A", "B"), ("B", "A")], "A -> B -> A"),
        ([("D", "A"), ("A", "B"), ("B", "C"), ("C", "A"), ("C", "E")], "A -> B -> C -> A"),
    ],
)
def test_a_cycle_is_written_out(edges, cycle):
    with pytest.raises(ValueError, match=r"close a cycle, .*remove or reverse one") as error:
        Dag.from_edges("ABCDE", edges)
    assert cycle in str(error.value)


@pytest.mark.parametrize(
    ("names", "parents", "kind", "message"),
    [
        ("AB", [(), (1,)], ValueError, r"edge B -> B: a variable cannot be its own parent"),
        ("AB", [(), (2,)], ValueError, r"parent index 2 of 'B' is out of range: .* 0 to 1"),
        ("AB", [(), (-1,)], ValueError, r"parent index -1 of 'B' is out of range"),
        ("AB", [()], ValueError, r"1 parent sets for 2 names"),
        ("ABA", [(), (), ()], ValueError, r"names 'A' repeat"),
        (["A", 1], [(), ()], TypeError, r"name 1: a variable's name is a string"),
        ("AB", [(), (0.5,)], TypeError, r"integer"),
    ],
)
def test_wrong_families_are_refused_in_words(names, parents, kind, message):
    with pytest.raises(kind, match=message):
        Dag(names, parents)


@pytest.mark.parametrize(
    "edges",
    [
        [("A", "C"), ("B", "C")],
        (["A", "C"], ["B", "C"]),
        iter([("A", "C"), ("B", "C"), ("A", "C")]),
        {("A", "C"), ("B", "C")},
    ],
)
def test_edges_may_be_given_in_place_of_parents(edges):
    assert Dag(["A", "B", "C"], edges) == Dag(["A", "B", "C"], [(), (), (0, 1)])


def test_no_edges_and_as_many_edges_as_names_are_edges_too():
    assert Dag("ABC", []) == Dag("ABC", [(), (), ()]) == Dag.empty("ABC")
    assert Dag([], []) == Dag.empty([])
    assert Dag("ABC", [("A", "B"), ("B", "C"), ("A", "C")]) == Dag("ABC", [(), (0,), (0, 1)])
    dag = Dag("AB", [("B", "A")])
    assert Dag(dag.names, dag.edges) == Dag(dag.names, dag.parents) == dag


@pytest.mark.parametrize(
    ("entries", "kind", "message"),
    [
        ([("A", "Z")], ValueError, r"edge \('A', 'Z'\): no variable 'Z'"),
        ([("A", "B"), ("B", "A")], ValueError, r"close a cycle"),
        ([("A", "A")], ValueError, r"a variable cannot be its own parent"),
        ([(), ("A",), ("A", "B")], TypeError, r"parents of 'B' are \('A',\): an index is an integer; or give edges, "),
        (
            [("A", "B", "C")],
            ValueError,
            r"1 parent sets for 3 names: .*; or give edges, \(parent, child\) pairs of names",
        ),
    ],
)
def test_edges_and_parents_that_are_wrong_are_answered_with_the_way_out(entries, kind, message):
    with pytest.raises(kind, match=message):
        Dag(["A", "B", "C"], entries)


def test_an_unknown_name_is_met_with_the_nearest():
    names = ["smoke", "cancer"]
    with pytest.raises(ValueError, match=r"no variable 'smok'; did you mean 'smoke'"):
        Dag.from_edges(names, [("smok", "cancer")])
    with pytest.raises(ValueError, match=r"no variable 'cancr' in this graph; did you mean 'cancer'"):
        Dag.empty(names).parents_of("cancr")


@pytest.mark.parametrize("edge", ["AB", ("A",), ("A", "B", "C")])
def test_an_edge_is_a_pair(edge):
    with pytest.raises(ValueError, match=r"an edge is a pair of names"):
        Dag.from_edges("ABC", [edge])


def test_other_variables_are_named_on_both_sides():
    with pytest.raises(ValueError, match=r"it lacks 'C'; it has 'B', which"):
        Dag.empty("AB").reordered("AC")


def test_as_dag_reads_all_three_forms_alike():
    dag = Dag.from_edges("XYZ", [("Z", "X")])
    assert as_dag(dag) is dag
    assert as_dag(dag.to_networkx()) == dag
    assert as_dag([("Z", "X")], names="XYZ") == dag
    assert as_dag(dag, "ZYX") == as_dag(dag.to_networkx(), "ZYX") == Dag("ZYX", [(), (), (0,)])


@pytest.mark.parametrize(
    ("graph", "names", "kind", "message"),
    [
        ([("X", "Y")], None, ValueError, r"pairs do not name all variables"),
        (3, None, TypeError, r"3 is not a directed graph"),
        ("XY", "XY", TypeError, r"'XY' is not a directed graph.*load_network"),
        (nx.Graph([("X", "Y")]), None, TypeError, r"undirected: a Dag needs a DiGraph"),
        (nx.DiGraph([(0, 1)]), None, TypeError, r"name 0: a variable's name is a string"),
        (nx.DiGraph([("X", "Y"), ("Y", "X")]), None, ValueError, r"X -> Y -> X|Y -> X -> Y"),
        (nx.DiGraph([("X", "Y")]), "XYZ", ValueError, r"it lacks 'Z'"),
    ],
)
def test_as_dag_refuses_what_is_no_dag_in_words(graph, names, kind, message):
    with pytest.raises(kind, match=message):
        as_dag(graph, names)
