"""Any directed graph, cyclic or not: what it is told, and what may be done to it, is what networkx says."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
from hypothesis import assume, given
from hypothesis import strategies as st

from bnlab.citests import DSeparation
from bnlab.graphs import Dag, compare, essential_graph, markov_equivalent
from bnlab.graphs.editing import ACTIONS, Edit, edited

NAMES = "ABCDEFG"
PAIRS = [(u, v) for u in NAMES for v in NAMES if u != v]
Edges = list[tuple[str, str]]


def digraph(edges: Edges) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(NAMES)
    graph.add_edges_from(edges)
    return graph


def accepted(edges: Edges) -> Dag | None:
    try:
        return Dag.from_edges(NAMES, edges)
    except ValueError:
        return None


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    order = draw(st.permutations(NAMES))
    pairs = [(u, v) for i, u in enumerate(order) for v in order[i + 1 :]]
    return Dag.from_edges(NAMES, draw(st.lists(st.sampled_from(pairs), unique=True)))


@given(st.lists(st.sampled_from(PAIRS), max_size=9, unique=True))
def test_exactly_the_acyclic_graphs_are_taken(edges: Edges) -> None:
    graph = digraph(edges)
    dag = accepted(edges)
    assert (dag is not None) == nx.is_directed_acyclic_graph(graph)
    if dag is not None:
        assert set(dag.edges) == set(edges)
        assert Dag.from_networkx(graph, NAMES) == dag
        for name in NAMES:
            assert set(dag.ancestors_of(name)) == nx.ancestors(graph, name)
            assert set(dag.descendants_of(name)) == nx.descendants(graph, name)


@given(dags(), st.lists(st.tuples(st.sampled_from(ACTIONS), st.sampled_from(PAIRS)), max_size=12))
def test_edits_are_taken_where_networkx_sees_no_cycle(dag: Dag, edits: list[tuple[str, tuple[str, str]]]) -> None:
    for action, (u, v) in edits:
        graph = dag.to_networkx()
        there = graph.has_edge(u, v)
        possible = there != (action == "add") and not (action == "add" and graph.has_edge(v, u))
        if there and action != "add":
            graph.remove_edge(u, v)
        if action != "delete":
            graph.add_edge(*((v, u) if action == "reverse" else (u, v)))
        possible &= nx.is_directed_acyclic_graph(graph)
        try:
            dag = edited(dag, Edit(action, u, v))
        except ValueError as refused:
            assert not possible
            before, _, after = str(refused).partition("would close ")
            cycle = after.partition(":")[0].split(" -> ")
            assert all(graph.has_edge(a, b) for a, b in pairwise(cycle)), before
            assert cycle[0] == cycle[-1]
        else:
            assert possible
            assert set(dag.edges) == set(graph.edges)


@given(dags(), st.data())
def test_separation_is_that_of_networkx(dag: Dag, data: st.DataObject) -> None:
    x, y, *others = data.draw(st.permutations(range(len(NAMES))))
    z = tuple(others[: data.draw(st.integers(0, len(others)))])
    separated = nx.is_d_separator(dag.to_networkx(), {NAMES[x]}, {NAMES[y]}, {NAMES[v] for v in z})
    assert (DSeparation(dag).strength(x, y, z) == 0.0) == separated


@given(dags())
def test_a_covered_edge_turns_round_within_the_class_and_another_leaves_it(dag: Dag) -> None:
    """Chickering (1995), Lemma 1: reversing u -> v keeps the class exactly when v has u's parents and u."""
    assume(dag.edges)
    u, v = dag.edges[0]
    rest = [edge for edge in dag.edges if edge != (u, v)]
    turned = accepted([*rest, (v, u)])
    assume(turned is not None)
    covered = set(dag.parents_of(v)) == {*dag.parents_of(u), u}
    assert markov_equivalent(dag, turned) == covered
    assert (essential_graph(dag) == essential_graph(turned)) == covered
    if covered:
        assert tuple(sorted((u, v))) in {tuple(sorted(edge)) for edge in essential_graph(dag).undirected_edges}


@given(dags(), dags())
def test_comparison_is_arithmetic_of_sets(learned: Dag, true: Dag) -> None:
    found, real = ({frozenset(edge) for edge in dag.edges} for dag in (learned, true))
    outcome = compare(learned, true)
    assert (outcome.tp, outcome.fp, outcome.fn) == (len(found & real), len(found - real), len(real - found))
    assert outcome.reversed == len({(v, u) for u, v in learned.edges} & set(true.edges))
    assert outcome.shd == outcome.fp + outcome.fn + outcome.reversed
    assert compare(true, learned).shd_cpdag == outcome.shd_cpdag
    assert (outcome.shd_cpdag == 0) == markov_equivalent(learned, true)
