"""The stable PC algorithm, against essential graphs with an oracle, cases by hand, and causal-learn."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import bnlab
from bnlab.citests import DSeparation
from bnlab.graphs import Dag, Knowledge, Pdag, compare, essential
from bnlab.graphs.orientation import oriented
from bnlab.learners import make_search
from bnlab.learners.pc import equivalence_class
from bnlab.networks import asia
from bnlab.search import iterate
from bnlab.skeletons.super_structure import SuperStructure
from tests.learners.small_problems import random_dag
from tests.soak import times


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8])
def test_with_an_oracle_the_result_is_the_essential_graph(n):
    for seed in range(times(30, 200)):
        dag = random_dag(seed, n, 2)
        assert bnlab.learn(DSeparation(dag), "pc") == essential(dag)


def test_with_an_oracle_the_skeleton_of_opthpc_leads_to_the_essential_graph_too():
    for seed in range(times(20, 200)):
        dag = random_dag(seed, 4 + seed % 5, 2)
        assert bnlab.learn(DSeparation(dag), "pc", skeleton="opthpc") == essential(dag)
    # As printed, OptHPC joins v0 - v4 and v2 - v5 of this graph.
    dag = Dag([f"v{i}" for i in range(7)], [(), (), (1,), (0, 2), (1, 2, 3), (0, 4), (2, 4, 5)])
    assert bnlab.learn(DSeparation(dag), "pc", skeleton="opthpc") == essential(dag)


def test_the_skeleton_is_that_of_its_algorithm():
    data = bnlab.load_network("child").sample(1000, seed=2)
    for skeleton, options in (("heupc", {"stable": True, "unreliable": "independent"}), ("opthpc", {"sepset": "mb"})):
        found = bnlab.learn(data, "pc", skeleton=skeleton)
        expected = bnlab.skeleton(data, skeleton, **options)
        assert {frozenset(pair) for pair in found.directed | found.undirected} == set(map(frozenset, expected.pairs))
    with pytest.raises(ValueError, match="did you mean 'opthpc'"):
        bnlab.learn(data, "pc", skeleton="opthcp")


def test_with_an_oracle_knowledge_decides_what_follows_from_it():
    more = 0
    for seed in range(times(40, 200)):
        dag = random_dag(seed, 6, 2)
        known = Knowledge(required=dag.edges[::3], tiers=[dag.names[:0], dag.names])
        expected = essential(dag, knowledge=known)
        assert bnlab.learn(DSeparation(dag), "pc", knowledge=known) == expected
        more += expected != essential(dag)
    assert more > 5


def structure(names: str, pairs: list[str], separators: dict[str, str]) -> SuperStructure:
    at = names.index
    found = {(at(pair[0]), at(pair[1])): tuple(map(at, given)) for pair, given in separators.items()}
    return SuperStructure(tuple(names), frozenset((at(u), at(v)) for u, v in pairs), {}, found, 0, 0, 0)


def test_an_edge_that_two_v_structures_direct_differently_is_a_conflict_and_decides_nothing():
    found = equivalence_class(structure("abcde", ["ab", "bc", "cd", "ce"], {"ac": "", "bd": "", "be": "c", "de": "c"}))
    # a -> b <- c and b -> c <- d: b - c is a conflict. c - e is not directed by b, but by d, through Meek's first rule.
    assert found == Pdag("abcde", [(0, 1), (3, 2), (2, 4)], [(1, 2)], [(1, 2)])
    assert found.conflicting_edges == (("b", "c"),)
    assert repr(found) == "Pdag(5 nodes, 4 edges: a -> b, c -> e, d -> c, b - c (conflict))"
    exec(bnlab.graphs.pdag.python_code(found), space := {})
    assert space["pdag"] == found


def test_pairs_without_a_separator_and_joined_ones_make_no_v_structure():
    assert equivalence_class(structure("abc", ["ab", "bc"], {})).directed == set()
    assert equivalence_class(structure("abc", ["ab", "ac", "bc"], {"ac": ""})).directed == set()


def test_knowledge_overrules_a_v_structure():
    tests = structure("abc", ["ab", "bc"], {"ac": ""})
    assert equivalence_class(tests) == Pdag("abc", [(0, 1), (2, 1)])
    assert equivalence_class(tests, Knowledge(required=[("b", "a")])) == Pdag("abc", [(1, 0)], [(1, 2)])


def test_arrows_on_a_cycle_are_conflicts_except_those_that_are_kept():
    cycle = [(0, 1), (1, 2), (2, 0)]
    assert oriented(4, [(2, 3)], cycle).conflicts == {(0, 1), (1, 2), (0, 2)}
    assert oriented(4, [(2, 3)], cycle).lines == {(2, 3)}
    assert oriented(3, [], cycle, kept=[(0, 1)]).arrows == {(0, 1)}
    assert oriented(3, [], cycle, kept=cycle).arrows == set()
    with pytest.raises(ValueError, match="contradict each other at the edge of 'X' and 'Y'"):
        bnlab.graphs.pdag.completed(Pdag("XYZ", undirected=[(0, 1), (1, 2)]), [(0, 1), (1, 0)])


def test_conflicts_on_data_are_reported(caplog):
    data = bnlab.load_network("sachs").sample(5000, seed=11)
    with caplog.at_level(logging.WARNING, logger="bnlab"):
        found = bnlab.learn(data, "pc", alpha=0.01, rows_per_cell=0.01, unreliable="independent")
    assert found.conflicting_edges == (("Mek", "Raf"),)
    assert "contradictory directions to 1 edges, which stay undirected: Mek - Raf" in caplog.text


# causal-learn 0.1.4.8: pc(codes, 0.01, "gsq", stable=True, uc_rule=0, uc_priority=0) of the same rows.
CAUSAL_LEARN = {
    "cancer": "pdag { Pollution -> Cancer; Smoker -> Cancer; Xray -> Cancer; Dyspnoea -> Cancer }",
    "asia": "pdag { asia; xray; tub -> either; lung -> either; smoke -- lung; smoke -- bronc; bronc -- dysp }",
}


@pytest.mark.parametrize("name", CAUSAL_LEARN)
def test_the_class_is_that_of_causal_learn(name):
    data = bnlab.load_network(name).sample(20_000, seed=11)
    rules = {"alpha": 0.01, "df": "plain", "rows_per_cell": 0.01, "unreliable": "independent"}
    found, expected = bnlab.learn(data, "pc", **rules), bnlab.graphs.pdag.as_pdag(CAUSAL_LEARN[name])
    assert set(found.directed_edges) == set(expected.directed_edges)
    assert set(map(frozenset, found.undirected_edges)) == set(map(frozenset, expected.undirected_edges))


def test_the_order_of_the_columns_does_not_matter():
    data = bnlab.load_network("child").sample(1000, seed=2)
    found = bnlab.learn(data, "pc")
    for seed in range(3):
        names = [data.names[v] for v in np.random.default_rng(seed).permutation(data.n_variables)]
        other = bnlab.learn(data.select(names), "pc")
        assert set(other.directed_edges) == set(found.directed_edges)
        assert set(map(frozenset, other.conflicting_edges)) == set(map(frozenset, found.conflicting_edges))
        assert compare(other, found).shd_cpdag == 0


def test_a_sketch_has_no_directions():
    search = make_search(asia().sample(2000, seed=1), "pc")
    *_, (state, _) = iterate(search)
    assert search.graph_of(search.snapshot(state).sketch, asia().names).directed == frozenset()


def test_what_does_not_belong_to_tests_is_refused():
    data = asia().sample(100, seed=1)
    with pytest.raises(ValueError, match="'pc' tests independence and takes no score"):
        bnlab.learn(data, "pc", score="bic")
    with pytest.raises(ValueError, match="'alfa' is no option of 'pc': did you mean 'alpha'"):
        bnlab.learn(data, "pc", alfa=0.1)
    with pytest.raises(ValueError, match="conflict"):
        Pdag("ab", [(0, 1)], conflicts=[(0, 1)])


@pytest.mark.parametrize("skeleton", ["HeuPC", "heu_pc"])
def test_the_name_of_a_skeleton_may_be_spelled_in_other_ways(skeleton):
    data = asia().sample(500, seed=1)
    assert bnlab.learn(data, "pc", skeleton=skeleton) == bnlab.learn(data, "pc", skeleton="heupc")
