"""Classes and their members, against all DAGs of 3 and 4 nodes."""

from __future__ import annotations

import pickle
from collections import defaultdict
from itertools import permutations, product

import pytest

import bnlab
from bnlab.graphs import (
    Dag,
    Knowledge,
    Pdag,
    compare,
    essential,
    essential_graph,
    markov_equivalent,
    member,
    skeleton,
    v_structures,
)
from bnlab.graphs.equivalence import agreeing_member, as_learned, shown_graph
from bnlab.networks import asia, fit, held_out
from tests.soak import times


def test_a_member_of_a_class_is_in_it_and_its_class_is_the_given_one(dags_of_4):
    for pdag in {essential_graph(dag) for dag in dags_of_4}:
        found = member(pdag)
        assert essential(found) == essential(pdag) == pdag
        assert found.names == pdag.names


def test_a_member_keeps_directions_that_knowledge_decided(dags_of_3):
    for dag in dags_of_3:
        for edge in dag.edges:
            pdag = Knowledge(required=[edge]).essential_graph(dag)
            found = member(pdag)
            assert markov_equivalent(found, dag)
            assert edge in found.edges
            assert set(pdag.directed_edges) <= set(found.edges)
            assert essential(dag, knowledge=Knowledge(required=[edge])) == pdag


def test_a_graph_has_a_member_exactly_if_some_dag_has_its_directions_and_v_structures(dags_of_4):
    by_skeleton = {}
    for dag in dags_of_4:
        by_skeleton.setdefault(skeleton(dag).undirected, []).append(dag)
    refused = 0
    for pairs in by_skeleton:
        for choice in product(range(3), repeat=len(pairs)):
            chosen = list(zip(sorted(pairs), choice, strict=True))
            directed = [pair if turn == 1 else pair[::-1] for pair, turn in chosen if turn]
            lines = [pair for pair, turn in chosen if not turn]
            try:
                pdag = Pdag("ABCD", directed, lines)
            except ValueError:
                continue  # a directed cycle
            arrows = v_structures(Dag("ABCD", [sorted(u for u, v in directed if v == w) for w in range(4)]))
            joined = {frozenset((pdag.names[u], pdag.names[v])) for u, v in pairs}
            own = {(x, z, y) for x, z, y in arrows if frozenset((x, y)) not in joined}
            possible = [
                dag
                for dag in by_skeleton[pairs]
                if set(pdag.directed_edges) <= set(dag.edges) and set(v_structures(dag)) == own
            ]
            if possible:
                assert member(pdag) in possible
            else:
                refused += 1
                with pytest.raises(ValueError, match=r"no member: .*within=pdag"):
                    member(pdag)
    assert refused > 100


def test_a_member_may_be_put_in_the_order_of_a_table():
    pdag = Pdag("ABC", undirected=[(0, 1), (1, 2)])
    assert member(pdag, "CAB").names == ("C", "A", "B")
    assert member([("A", "B")], "AB") == Dag.from_edges("AB", [("A", "B")])
    with pytest.raises(ValueError, match="lacks 'D'"):
        member(pdag, "ABCD")


def test_experiments_decide_directions():
    assert essential(Dag.from_edges("AB", [("A", "B")]), experiments=[{"A"}]).directed == {(0, 1)}


def test_what_takes_a_graph_takes_a_class():
    net = asia()
    data, pdag = net.sample(300, seed=1), bnlab.essential(net)
    for name in ("bic", "bdeu"):
        assert bnlab.score(pdag, data, name) == pytest.approx(bnlab.score(net, data, name))
    assert fit(pdag, data).dag == member(pdag)
    assert held_out(pdag, data) == held_out(member(pdag), data)
    assert compare(pdag, net).shd_cpdag == 0
    found = bnlab.cross_validate(data, {"class": pdag, "graph": net.dag}, folds=2)
    assert found.summary().loc["log_likelihood", "difference"].abs().max() < 1e-9


def both_ways(dag, others):
    """Edges of a graph that others have in the other direction."""
    return {(u, v) for u, v in dag.edges if any((v, u) in other.edges for other in others)}


def test_a_learned_graph_knows_the_edges_that_equivalent_graphs_have_in_both_directions(dags_of_4):
    classes = defaultdict(list)
    for dag in dags_of_4:
        classes[skeleton(dag), frozenset(v_structures(dag))].append(dag)
    for dag in dags_of_4[:: times(11, 1)]:
        equivalent = classes[skeleton(dag), frozenset(v_structures(dag))]
        learned = as_learned(dag)
        assert learned.undecided == both_ways(dag, equivalent)
        assert shown_graph(learned) == (essential_graph(dag) if learned.undecided else dag)
        for rule in (Knowledge(required=[edge]) for edge in dag.edges):
            agreeing = [other for other in equivalent if not rule.violations(other)]
            assert as_learned(dag, rule).undecided == both_ways(dag, agreeing)


def test_a_member_that_agrees_with_knowledge_is_found_if_there_is_one(dags_of_4):
    classes = defaultdict(list)
    for dag in dags_of_4:
        classes[essential_graph(dag)].append(dag)
    for pdag, members in [*classes.items()][:: times(7, 1)]:
        for edge, kind in product(permutations(pdag.names, 2), ("required", "forbidden")):
            rule = Knowledge(**{kind: [edge]})
            agreeing = [dag for dag in members if not rule.violations(dag)]
            found = agreeing_member(pdag, rule)
            assert found in agreeing if agreeing else found is None
            if found is not None:
                assert found.undecided == both_ways(found, agreeing)


def test_the_mark_of_a_learned_graph_is_no_part_of_its_value_and_is_kept():
    chain = Dag("XYZ", [("X", "Y"), ("Y", "Z")])
    learned = as_learned(chain)
    assert (learned == chain, hash(learned) == hash(chain), chain.undecided) == (True, True, None)
    turned = learned.reordered("ZYX")
    assert turned.undecided == learned.undecided == pickle.loads(pickle.dumps(learned)).undecided
    assert shown_graph(turned).undirected_edges == (("Z", "Y"), ("Y", "X"))
    assert member(learned).undecided is None
    assert shown_graph(member(learned)) == chain
    assert essential(learned) == essential(chain)
    assert as_learned(learned.with_undecided([("X", "Y")])).undecided == {("X", "Y")}, "the other one is decided"


def test_what_learn_returns_says_which_edges_data_and_knowledge_leave_open():
    table = asia().sample(2000, seed=1)
    for known in (None, Knowledge(tiers=[["asia", "smoke"], ["tub", "lung", "bronc"]])):
        found = bnlab.learn(table, "hill-climbing", knowledge=known)
        assert shown_graph(found) == essential(found, knowledge=known)
    tree = bnlab.learn(table, "chow-liu")
    assert tree.undecided == set(tree.edges)
    assert fit(tree, table).dag.undecided == tree.undecided
    assert fit(essential(tree), table).dag.undecided == set(member(essential(tree)).edges)
