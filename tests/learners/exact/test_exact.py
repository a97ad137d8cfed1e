"""Exact search: against brute force over all graphs, by dynamic programming and by cutting planes."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

import bnlab
from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.learners import OptimumSearch, ParentSetSearch, exact_search, learn, optimum
from bnlab.learners.exact.cutting_planes import Cluster, Program
from bnlab.learners.exact.dynamic_programming import best_network, score_of_sets
from bnlab.learners.exact.optimum import gap_search, gap_sentence
from bnlab.scores import local_scores
from bnlab.search import iterate, run
from tests.learners.small_problems import (
    PlantedScores,
    RandomScores,
    best_total,
    every_dag,
    every_family,
    random_knowledge,
    random_table,
    total,
)


def search_over(sets, subsets):
    return OptimumSearch(sets, subsets=subsets)


@pytest.mark.parametrize("subsets", [20, 0], ids=["dynamic programming", "cutting planes"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_optimum_is_that_of_all_graphs(n, subsets):
    for seed in range(30):
        phi = RandomScores(n, seed)
        found = run(search_over(run(ParentSetSearch(phi, n, n - 1)), subsets))
        assert found in every_dag(n)
        assert total(phi, found) == pytest.approx(best_total(phi, n), abs=1e-8)


@pytest.mark.parametrize("subsets", [20, 0], ids=["dynamic programming", "cutting planes"])
def test_the_optimum_of_five_variables_with_few_parents_and_some_edges_only(subsets):
    allowed = np.random.default_rng(0).random((5, 5)) < 0.7
    np.fill_diagonal(allowed, False)
    for seed in range(5):
        phi = RandomScores(5, seed)
        found = run(search_over(run(ParentSetSearch(phi, 5, 2, within=allowed)), subsets))
        assert all(len(parents) <= 2 and allowed[list(parents), v].all() for v, parents in enumerate(found))
        best = max(
            sum(best_score(phi, allowed, order[:i], order[i]) for i in range(5)) for order in permutations(range(5))
        )
        assert total(phi, found) == pytest.approx(best, abs=1e-8)


def best_score(phi, allowed, before, v):
    """Greatest score of v with at most two parents before it in an order."""
    possible = sorted(u for u in before if allowed[u, v])
    return max(phi(v, parents) for size in range(3) for parents in combinations(possible, size))


@pytest.mark.parametrize("seed", range(6))
def test_both_ways_agree_on_twelve_variables_and_the_bound_falls_to_the_optimum(seed):
    data = bnlab.load_network("child").sample(300, seed=seed)
    phi = local_scores(data.select(data.names[:12]), "bdeu")
    sets = run(ParentSetSearch(phi, 12, 3))
    best = score_of_sets(sets, best_network(sets))
    search = search_over(sets, 0)
    bounds = [search.init().bound, *(state.bound for state, _ in iterate(search))]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] == pytest.approx(best, abs=1e-6)
    assert all(bound >= best - 1e-6 for bound in bounds)
    assert score_of_sets(sets, run(search)) == pytest.approx(best, abs=1e-6)


@pytest.mark.slow
def test_alarm_of_a_thousand_rows_is_proven():
    data = bnlab.load_network("alarm").sample(1000, seed=0)
    best = optimum(data, "bic", time_limit=None)
    assert best.proven
    assert best.gap(best.graph) == 0.0
    assert best.gap(learn(data, "boss", max_parents=3)) >= 0.0
    assert best.gap(learn(data, "branching")) > 100


def test_a_cycle_of_the_best_families_is_cut():
    chosen = ((0.0, (1,)), (-10.0, ())), ((0.0, (2,)), (-3.0, ())), ((0.0, (0,)), (-7.0, ()))
    program = Program(chosen)
    shares = np.array([1.0, 0, 1, 0, 1, 0])
    assert program.violated(shares) == {Cluster((0, 1, 2))}
    assert run(search_over(chosen, 0)) == ((1,), (), (0,))


def test_shares_that_leave_one_variable_of_each_cluster_but_no_two_are_cut():
    sets = tuple(((2.0, tuple({0, 1, 2} - {v})), (0.0, ())) for v in range(3))
    program = Program(sets)
    assert program.violated(np.full(6, 0.5)) == {Cluster((0, 1, 2), first=2)}
    assert score_of_sets(sets, run(search_over(sets, 0))) == 2.0


def test_no_network_violates_a_row():
    program = Program(tuple(tuple((0.0, parents) for i, parents in every_family(4) if i == v) for v in range(4)))
    clusters = [
        Cluster(members, first) for first in (1, 2) for size in (2, 3, 4) for members in combinations(range(4), size)
    ]
    of_clusters = program.rows(clusters, np.arange(len(program.score))).toarray()
    least = [cluster.first for cluster in clusters]
    for number, network in enumerate(every_dag(4)):
        families = program.families(network)
        assert (of_clusters @ families >= least).all()
        assert number % 8 or not program.violated(families.astype(float))


def test_a_time_limit_leaves_a_network_and_a_bound():
    data = bnlab.load_network("insurance").sample(500, seed=1)
    stopped = optimum(data, "bic", time_limit=0)
    proven = optimum(data, "bic", time_limit=None)
    assert not stopped.proven
    assert stopped.score <= proven.score + 1e-6 < stopped.bound
    assert stopped.gap(proven.graph) == pytest.approx(stopped.bound - proven.score)


def test_the_planted_network_of_thirty_variables_is_found():
    rng = np.random.default_rng(2)
    planted = tuple(tuple(sorted(rng.choice(v, min(v, 2), replace=False).tolist())) for v in range(30))
    assert run(exact_search(PlantedScores(planted), 30, 2)) == planted


def test_a_graph_with_more_parents_than_the_bound_is_of_is_refused():
    data = bnlab.load_network("asia").sample(200, seed=0)
    best = optimum(data, "bic", max_parents=1)
    with pytest.raises(ValueError, match=r"'either' has 2 parents.*max_parents=2"):
        best.gap(bnlab.load_network("asia"))


def test_a_graph_that_breaks_a_rule_of_the_search_has_no_gap_and_is_called_outside():
    """Without this, a graph that scores more than the bound was called an optimum."""
    seen = 0
    for seed in range(30):
        table = random_table(seed)
        known = random_knowledge(seed, table.names)
        best = optimum(table, "bic", knowledge=known, max_parents=2)
        assert best.gap_text(best.graph) == "proved best"
        open_edges = known.essential_graph(best.graph).undirected_edges
        assert set(map(frozenset, best.graph.undecided)) == set(map(frozenset, open_edges))
        for other in (learn(table, "exact", max_parents=2), Dag.empty(table.names)):
            if known.violations(other):
                seen += 1
                assert best.gap_text(other).startswith("outside these networks (")
                assert "is outside these networks" in gap_sentence(best, {"other": other})
                with pytest.raises(ValueError, match=r"the bound is not one of this graph: .*call optimum without"):
                    best.gap(other)
            else:
                assert best.gap(other) == pytest.approx(best.score - bnlab.score(other, table, "bic"), abs=1e-6)
    assert seen > 10


def test_parent_sets_that_may_be_best_are_counted_against_the_memory(monkeypatch):
    """Under the likelihood most sets are better than their subsets."""
    monkeypatch.setenv("BNLAB_MEMORY", "4M")
    rows = np.random.default_rng(0).integers(0, 2, (25, 40))
    table = Table([Variable(f"v{i}", (0, 1)) for i in range(25)], list(rows))
    search = ParentSetSearch(local_scores(table, "ll"), 25, 3)
    with pytest.raises(ValueError, match=r"sets of parents that may be best, after \d+ of 25 variables .*score that"):
        run(search)
    run(replace(search, phi=local_scores(table, "bic")))


def test_what_does_not_fit_into_memory_is_refused_before_the_first_count(monkeypatch):
    monkeypatch.setenv("BNLAB_MEMORY", "10M")
    data = bnlab.load_network("alarm").sample(100, seed=0)
    with pytest.raises(
        ValueError, match=r"sets of at most 36 parents of 37 variables would need .* allow fewer parents"
    ):
        learn(data, "exact", max_parents=None)
    with pytest.raises(ValueError, match="dynamic programming over all subsets of 20 variables"):
        learn(data.select(data.names[:20]), "exact", max_parents=1)


@pytest.mark.parametrize(
    ("sets", "message"),
    [((((0.0, (1,)), (1.0, (2,))), ((0.0, ()),), ((0.0, ()),)), "variable 0 has no score without parents")],
)
def test_sets_that_hold_no_network_are_refused(sets, message):
    with pytest.raises(ValueError, match=message):
        OptimumSearch(sets)


def test_a_negative_number_of_parents_is_refused_by_the_name_of_the_option():
    with pytest.raises(ValueError, match="max_parents=-1: it must be at least 0"):
        learn(bnlab.load_network("asia").sample(20, seed=0), "exact", max_parents=-1)


@pytest.mark.parametrize("time_limit", [-1, "3"])
def test_a_time_limit_is_a_number_of_seconds(time_limit):
    with pytest.raises(ValueError, match=f"time_limit={time_limit!r}: it must be a number of seconds"):
        OptimumSearch((((0.0, ()),),), time_limit=time_limit)


def test_the_search_behind_the_optimum_can_be_stopped_with_a_bound_that_holds():
    data = bnlab.load_network("child").sample(300, seed=1)
    search = gap_search(local_scores(data.select(data.names[:12]), "bdeu"))
    best = run(search)
    state = search.init()
    assert search.result(state).gap_text(best.graph) == "at an unknown distance from the optimum"
    bounds = []
    while not search.is_done(state):
        state, _ = search.step(state)
        bounds.append(search.result(state).bound)
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] == best.bound == best.score
    assert best.gap_text(best.graph) == "proved best"
    edges = best.graph.edges[1:]
    other = bnlab.Dag.from_edges(best.graph.names, edges)
    assert best.gap(other) == pytest.approx(best.score - bnlab.score(other, data.select(data.names[:12]), "bdeu"))
    assert best.gap_text(other) == f"{best.gap(other):,.2f} nats from the optimum"
