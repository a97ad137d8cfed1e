"""Markov equivalence and essential graphs, against all DAGs of 3 and 4 nodes."""

from __future__ import annotations

from collections import defaultdict

import networkx as nx
import pytest

from bnlab.graphs import Dag, Pdag, essential_graph, markov_equivalent, skeleton, v_structures

COMPELLED = Dag.from_edges("XYZWU", [("X", "Z"), ("Z", "W"), ("Y", "Z"), ("Y", "U")])


def independences(dag: Dag) -> frozenset[tuple[str, str, frozenset[str]]]:
    """All (x, y, given) that are d-separated: what equivalence means, with no word of skeletons."""
    graph = dag.to_networkx()
    found = []
    for i, x in enumerate(dag.names):
        for y in dag.names[i + 1 :]:
            others = [name for name in dag.names if name not in (x, y)]
            for mask in range(2 ** len(others)):
                given = frozenset(name for bit, name in enumerate(others) if mask >> bit & 1)
                if nx.is_d_separator(graph, {x}, {y}, given):
                    found.append((x, y, given))
    return frozenset(found)


def classes_of(dags: list[Dag]) -> dict[frozenset, list[Dag]]:
    classes = defaultdict(list)
    for dag in dags:
        classes[independences(dag)].append(dag)
    return classes


@pytest.fixture(scope="module")
def classes_of_4(dags_of_4):
    return classes_of(dags_of_4)


def test_3_nodes_have_11_classes_and_4_nodes_185(dags_of_3, classes_of_4, dags_of_4):
    assert len({essential_graph(dag) for dag in dags_of_3}) == len(classes_of(dags_of_3)) == 11
    assert len({essential_graph(dag) for dag in dags_of_4}) == len(classes_of_4) == 185


def test_an_essential_graph_directs_exactly_what_its_whole_class_shares(classes_of_4):
    for members in classes_of_4.values():
        shared = frozenset.intersection(*(Pdag.from_dag(dag).directed for dag in members))
        for dag in members:
            pdag = essential_graph(dag)
            assert pdag.directed == shared
            assert skeleton(pdag) == skeleton(dag)


def test_equivalence_on_4_nodes_holds_within_classes_and_not_between(classes_of_4):
    firsts = [members[0] for members in classes_of_4.values()][::3]
    assert all(markov_equivalent(members[0], dag) for members in classes_of_4.values() for dag in members)
    assert sum(markov_equivalent(a, b) for a in firsts for b in firsts) == len(firsts)


def test_v_structures_are_those_of_networkx(dags_of_4):
    for dag in dags_of_4:
        expected = {(min(x, y), z, max(x, y)) for x, z, y in nx.dag.v_structures(dag.to_networkx())}
        assert set(v_structures(dag)) == expected


def test_v_structures_are_sorted_by_their_middle():
    dag = Dag.from_edges("DCBA", [("D", "B"), ("C", "B"), ("D", "A"), ("C", "A")])
    assert v_structures(dag) == (("D", "B", "C"), ("D", "A", "C"))


def test_the_papers_compelled_edge_outside_a_v_structure():
    pdag = essential_graph(COMPELLED)
    assert v_structures(COMPELLED) == (("X", "Z", "Y"),)
    assert pdag.directed_edges == (("X", "Z"), ("Y", "Z"), ("Z", "W"))
    assert pdag.undirected_edges == (("Y", "U"),)


def test_equivalence_looks_past_the_order_of_the_variables_and_the_form():
    chain = Dag.from_edges("ABC", [("A", "B"), ("B", "C")])
    assert markov_equivalent(chain, [("C", "B"), ("B", "A")])
    assert markov_equivalent(nx.DiGraph([("C", "B"), ("B", "A")]), chain)
    assert not markov_equivalent(chain, [("A", "B"), ("C", "B")])


def test_a_pdag_is_equal_whatever_the_order_of_its_undirected_pairs():
    assert Pdag("XYZ", undirected=[(2, 0), (0, 1)]) == Pdag("XYZ", undirected=[(0, 1), (0, 2), (2, 0)])


def test_text_tells_directed_from_undirected_edges():
    assert repr(essential_graph(COMPELLED)) == "Pdag(5 nodes, 4 edges: X -> Z, Y -> Z, Z -> W, Y - U)"
    assert repr(Pdag("XY")) == "Pdag(2 nodes, 0 edges)"
    complete = Pdag([f"v{i}" for i in range(100)], undirected=[(i, j) for i in range(100) for j in range(i)])
    assert repr(complete).endswith(", …)")
    assert len(repr(complete)) < 1000


@pytest.mark.parametrize(
    ("directed", "undirected", "message"),
    [
        ([(0, 1)], [(1, 0)], r"X -> Y is also undirected"),
        ([(0, 1), (1, 2), (2, 0)], [], r"close a cycle"),
        ([(0, 3)], [], r"edge \(0, 3\): 3 variables have indices 0 to 2"),
        ([], [(0, -1)], r"-1"),
        ([], [(1, 1)], r"its own parent"),
    ],
)
def test_wrong_edges_are_refused_in_words(directed, undirected, message):
    with pytest.raises(ValueError, match=message):
        Pdag("XYZ", directed, undirected)


def test_graphs_on_other_variables_are_not_compared():
    with pytest.raises(ValueError, match=r"it lacks 'A'; it has 'C'"):
        markov_equivalent(Dag.empty("AB"), Dag.empty("BC"))
