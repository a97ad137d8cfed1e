"""Ordering-based search against all orders of few variables."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

import bnlab
from bnlab import Knowledge
from bnlab.graphs import Dag
from bnlab.learners import (
    CkGSearch,
    OrderingSearch,
    ParentSetSearch,
    breadth_first_order,
    optimal_branching,
    ordering_search,
    orderings,
    parent_sets,
)
from bnlab.scores import LocalScores, local_scores, make_score
from bnlab.search import iterate, run
from tests.scores.small_tables import make_table


def scores_of(name: str, seed: int, n: int, n_rows: int = 80) -> LocalScores:
    """Scores of dependent columns of 2 or 3 states, in a random order."""
    rng = np.random.default_rng(seed)
    table = make_table(rng.integers(2, 4, n).tolist(), n_rows, seed)
    return LocalScores(table.select([table.names[v] for v in rng.permutation(n)]), make_score(name))


def best_families(phi, order, k):
    """Greatest local scores in an order, by looking at every set of earlier nodes."""
    before = [order[:position] for position in range(len(order))]
    return [
        max(phi(node, family) for size in range(k + 1) for family in combinations(sorted(earlier), size))
        for node, earlier in zip(order, before, strict=True)
    ]


def all_states(search):
    return [search.init(), *(state for state, _ in iterate(search))]


@pytest.mark.parametrize("name", ["ll", "bic", "k2", "mit"])
@pytest.mark.parametrize("k", [0, 1, 2, 4])
def test_the_sets_kept_hold_the_best_one_for_every_order(name, k):
    phi = scores_of(name, 1, 5)
    sets = run(ParentSetSearch(phi, 5, k))
    for order in permutations(range(5)):
        for position, expected in enumerate(best_families(phi, order, k)):
            node, earlier = order[position], set(order[:position])
            first = next(score for score, parents in sets[node] if set(parents) <= earlier)
            assert first == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("name", ["ll", "bic", "bdeu"])
def test_a_set_is_kept_only_if_it_scores_more_than_all_its_subsets(name, monkeypatch):
    monkeypatch.setattr(parent_sets, "WINDOW", 5)
    phi = scores_of(name, 2, 6)
    for node, kept in enumerate(run(ParentSetSearch(phi, 6, 3))):
        expected = set()
        for size in range(4):
            for family in combinations([j for j in range(6) if j != node], size):
                below = [phi(node, part) for m in range(size) for part in combinations(family, m)]
                if phi(node, family) > max(below, default=-np.inf) + 1e-7:
                    expected.add(family)
        assert {parents for _, parents in kept} == expected
        assert [score for score, _ in kept] == sorted((score for score, _ in kept), reverse=True)


def test_bounds_only_save_work_when_sets_are_sought():
    phi = scores_of("bic", 3, 6, n_rows=20)
    bounded = all_states(ParentSetSearch(phi, 6, 4))[-1]
    assert bounded.scored < bounded.done == ParentSetSearch(phi, 6, 4).total
    assert bounded.sets == run(ParentSetSearch(lambda child, parents: phi(child, parents), 6, 4))


@pytest.mark.parametrize("name", ["ll", "bic", "nml", "mit", "k2", "bdeu"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_search_finds_the_best_of_all_orders_of_five_variables(name, k):
    for seed in range(2):
        phi = scores_of(name, seed, 5)
        best = max(sum(best_families(phi, order, k)) for order in permutations(range(5)))
        found = ordering_search(phi, 5, k)
        assert max(map(len, found)) <= k
        assert phi.total(found) == pytest.approx(best, abs=1e-7)
        Dag(phi.names, found)


def test_every_move_is_a_swap_of_neighbours_and_scores_what_its_order_is_worth():
    phi = scores_of("bdeu", 5, 7)
    search = OrderingSearch(run(ParentSetSearch(phi, 7, 2)), restarts=2, patience=10, seed=3)
    state = search.init()
    while not search.is_done(state):
        before, (state, progress) = state, search.step(state)
        assert state.score == pytest.approx(sum(best_families(phi, state.order, 2)), abs=1e-7)
        assert progress.scores == (state.score,)
        assert progress.best_score == state.best_score >= before.best_score
        assert progress.iteration == state.iteration == before.iteration + 1
        assert bool(progress.events) == (before.start < state.start < 2)
        assert state.best_score == pytest.approx(phi.total(state.best), abs=1e-7)
        if state.moves > before.moves:
            p = next(q for q in range(7) if before.order[q] != state.order[q])
            gain = before.swaps[p][0]
            assert state.order == (*before.order[:p], *before.order[p : p + 2][::-1], *before.order[p + 2 :])
            assert state.score == pytest.approx(before.score + gain, abs=1e-7)
            allowed = [q for q in range(6) if tuple(sorted(before.order[q : q + 2])) not in before.tabu]
            assert p in allowed
            assert gain == max(before.swaps[q][0] for q in allowed)


def test_the_seed_decides_the_orders():
    sets = run(ParentSetSearch(scores_of("k2", 6, 6), 6, 2))
    assert OrderingSearch(sets, seed=1).init().order == OrderingSearch(sets, seed=1).init().order
    assert len({OrderingSearch(sets, seed=seed).init().order for seed in range(5)}) > 1
    orders = [state.order for state in all_states(OrderingSearch(sets, restarts=4, tabu=0)) if not state.moves]
    assert len(set(orders)) > 1


def test_without_a_tabu_list_each_start_climbs_one_hill():
    search = OrderingSearch(run(ParentSetSearch(scores_of("bic", 7, 7), 7, 2)), tabu=0, restarts=5)
    states = all_states(search)
    assert states[-1].start == 5
    for before, after in pairwise(states):
        if after.start == before.start:
            assert after.score > before.score


def test_a_search_from_the_breadth_first_order_never_ends_below_it():
    for seed in range(5):
        phi = scores_of("bic", seed, 7)
        tree = optimal_branching(phi, 7)
        bfs = phi.total(run(CkGSearch(phi, tree, 2, order="bfs")))
        start = breadth_first_order(tree)
        for tabu in (0, 5):
            found = ordering_search(phi, 7, 2, start=start, restarts=1, tabu=tabu)
            assert phi.total(found) >= bfs - 1e-7


def test_bfs_starts_from_the_breadth_first_order_of_the_optimal_tree():
    for seed in range(5):
        phi = scores_of("bic", seed, 7)
        start = breadth_first_order(optimal_branching(phi, 7))
        for options in ({"restarts": 1, "tabu": 0}, {"restarts": 3, "seed": 2}):
            by_name = ordering_search(phi, 7, 2, start="bfs", **options)
            assert by_name == ordering_search(phi, 7, 2, start=start, **options)
    data = bnlab.load_network("asia").sample(2000, seed=0)
    names = [data.names[v] for v in breadth_first_order(bnlab.learn(data, "branching").parents)]
    learned = [bnlab.learn(data, "ordering-search", start=first, restarts=1, tabu=0) for first in ("bfs", names)]
    assert learned[0] == learned[1]
    with pytest.raises(ValueError, match="start='dfs': give an order of the variables, or 'bfs'"):
        bnlab.learn(data, "ordering-search", start="dfs")


def test_one_variable_and_no_parents_are_no_problem():
    assert ordering_search(lambda child, parents: -1.0, 1) == ((),)
    assert ordering_search(lambda child, parents: float(len(parents)), 3, 0) == ((), (), ())
    assert ordering_search(lambda child, parents: float(len(parents)), 2, 5, seed=4) in [((1,), ()), ((), (0,))]


def test_the_front_door_searches_orders():
    data = bnlab.load_network("asia").sample(2000, seed=0)
    ckg = bnlab.learn(data, "ckg", k=2, order="bfs")
    found = bnlab.learn(data, "ordering-search", k=2, seed=1)
    assert bnlab.score(found, data) > bnlab.score(ckg, data)
    assert found == bnlab.learn(data, "ordering-search", k=2, seed=1)
    start = bnlab.learn(data, "ordering-search", restarts=1, tabu=0, start=list(data.names))
    assert max(len(parents) for parents in start.parents) <= 2
    with pytest.raises(ValueError, match="root"):
        bnlab.learn(data, "ordering-search", root="asia")
    with pytest.raises(ValueError, match="no variable 'asi'"):
        bnlab.learn(data, "ordering-search", start=["asi"])


SETS = (((0.0, ()),), ((0.0, ()),))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: OrderingSearch(SETS, restarts=0), ValueError, "restarts=0: it must be at least 1"),
        (lambda: OrderingSearch(SETS, tabu=-1), ValueError, "tabu=-1"),
        (lambda: OrderingSearch(SETS, patience=0), ValueError, "patience=0"),
        (lambda: OrderingSearch(SETS, seed=-1), ValueError, "seed=-1"),
        (lambda: OrderingSearch(SETS, start=(0, 0)), ValueError, r"start=\(0, 0\): an order holds each"),
        (lambda: ParentSetSearch(lambda i, p: 0.0, 0), ValueError, "n = 0"),
        (lambda: ParentSetSearch(lambda i, p: 0.0, 3, -1), ValueError, "k=-1"),
        (lambda: ParentSetSearch(lambda i, p: 0.0, 3, 1.0), TypeError, "k=1.0"),
        (lambda: run(ParentSetSearch(lambda i, p: np.inf, 2)), ValueError, "is inf: a local score is a finite number"),
    ],
)
def test_what_cannot_be_searched_is_said(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_by_default_three_parents_are_allowed_where_their_sets_are_few():
    parity = lambda child, parents: 1.0 * (child == 3 and parents == (0, 1, 2))  # noqa: E731
    assert ordering_search(parity, 4)[3] == (0, 1, 2)


def test_by_default_three_parents_of_many_variables_are_among_those_of_good_sets_of_two(monkeypatch):
    table = bnlab.load_network("insurance").sample(5000, seed=2)
    phi = local_scores(table, make_score("bic"))
    options = {"restarts": 3, "seed": 2}
    best = phi.total(ordering_search(phi, 27, 3, **options))
    assert best > phi.total(ordering_search(phi, 27, 2, **options)) + 20
    monkeypatch.setattr(orderings, "MOST_SETS", 15_000)
    scored = phi.misses
    phi = local_scores(table.select(table.names), make_score("bic"))  # a new table, whose families are not cached
    found = ordering_search(phi, 27, **options)
    assert phi.total(found) > best - 1e-3 * abs(best)
    assert phi.misses < scored / 3


def test_the_candidates_for_three_parents_hold_the_required_ones_and_no_forbidden_one(monkeypatch):
    monkeypatch.setattr(orderings, "MOST_SETS", 0)
    table = bnlab.load_network("asia").sample(2000, seed=1)
    knowledge = Knowledge(required=[("asia", "dysp"), ("xray", "dysp")], forbidden=[("bronc", "dysp")])
    graph = bnlab.learn(table, "ordering-search", restarts=20, knowledge=knowledge)
    parents = {u for u, v in graph.edges if v == "dysp"}
    assert {"asia", "xray"} <= parents
    assert "bronc" not in parents


def test_three_required_parents_fit_where_not_all_sets_of_three_are_scored(monkeypatch):
    monkeypatch.setattr(orderings, "MOST_SETS", 0)
    table = bnlab.load_network("asia").sample(2000, seed=1)
    known = Knowledge(required=[(parent, "dysp") for parent in ("asia", "xray", "tub")])
    graph = bnlab.learn(table, "ordering-search", restarts=1, knowledge=known)
    assert {u for u, v in graph.edges if v == "dysp"} == {"asia", "xray", "tub"}


def test_a_third_parent_joins_two_required_ones_where_not_all_sets_of_three_are_scored(monkeypatch):
    monkeypatch.setattr(orderings, "MOST_SETS", 0)
    table = bnlab.load_network("asia").sample(2000, seed=1)
    known = Knowledge(required=[("asia", "dysp"), ("tub", "dysp")], forbidden=[("dysp", "bronc")])
    graph = bnlab.learn(table, "ordering-search", restarts=10, knowledge=known, score="aic")
    assert {u for u, v in graph.edges if v == "dysp"} == {"asia", "tub", "bronc"}
