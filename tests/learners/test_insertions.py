"""Search over orders by insertions, against every place of every variable and against swaps."""

from __future__ import annotations

import pickle
from itertools import permutations

import pytest

import bnlab
from bnlab.graphs import Dag, Knowledge
from bnlab.learners import InsertionSearch, OrderingSearch, ParentSetSearch, ordering_search, orderings
from bnlab.scores import local_scores, make_score
from bnlab.search import iterate, run
from tests.learners.test_orderings import best_families, scores_of


def total(sets, order) -> float:
    """Score of an order, by looking at every set."""
    before = [set(order[:at]) for at in range(len(order))]
    return sum(
        next(score for score, parents in sets[v] if earlier.issuperset(parents))
        for v, earlier in zip(order, before, strict=True)
    )


@pytest.mark.parametrize("name", ["bic", "bdeu"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_search_finds_the_best_of_all_orders_of_five_variables(name, k):
    for seed in range(3):
        phi = scores_of(name, seed, 5)
        best = max(sum(best_families(phi, order, k)) for order in permutations(range(5)))
        found = ordering_search(phi, 5, k, restarts=20)
        assert max(map(len, found)) <= k
        assert phi.total(found) == pytest.approx(best, abs=1e-7)
        Dag(phi.names, found)


def test_every_state_scores_what_its_order_is_worth_and_a_start_ends_where_no_node_has_a_better_place():
    for seed in range(3):
        sets = run(ParentSetSearch(scores_of("bdeu", seed, 7), 7, 3))
        search = InsertionSearch(sets, restarts=12, seed=seed)
        before = search.init()
        ends = 0
        for state, _ in iterate(search):
            assert search.snapshot(state).work == (state.start, 12, "starts")
            assert state.score == pytest.approx(total(sets, state.order), abs=1e-9)
            assert state.best_score >= max(before.best_score, state.score)
            if state.start > before.start:
                ends += 1
                for v in before.order:
                    others = [u for u in before.order if u != v]
                    places = [total(sets, [*others[:at], v, *others[at:]]) for at in range(7)]
                    assert max(places) <= before.score + 1e-9
            else:
                assert state.score > before.score
            before = state
        assert ends == 12


def test_a_search_stopped_anywhere_ends_in_the_same_state():
    sets = run(ParentSetSearch(scores_of("k2", 6, 6), 6, 2))
    search = InsertionSearch(sets, restarts=12, seed=1)
    states = [search.init(), *(state for state, _ in iterate(search))]
    for state in states[::3]:
        stored = pickle.loads(pickle.dumps(state))
        again = [stored, *(state for state, _ in iterate(InsertionSearch(sets, restarts=12, seed=1), stored))]
        assert again[-1] == states[-1]


def test_insertions_find_no_worse_networks_than_swaps():
    for name in ("alarm", "insurance"):
        table = bnlab.load_network(name).sample(1000, seed=4)
        phi = local_scores(table, make_score("bic"))
        sets = run(ParentSetSearch(phi, len(table.names), 2))
        swaps = OrderingSearch(sets, restarts=2)
        assert phi.total(run(InsertionSearch(sets))) >= phi.total(run(swaps)) - 1e-6


def test_required_parents_stay_before_their_children():
    table = bnlab.load_network("asia").sample(500, seed=1)
    knowledge = Knowledge(required=[("dysp", "bronc"), ("xray", "either")])
    graph = bnlab.learn(table, "ordering-search", k=3, knowledge=knowledge)
    assert {("dysp", "bronc"), ("xray", "either")} <= set(graph.edges)


def test_by_default_three_parents_are_allowed_where_their_sets_are_few():
    parity = lambda child, parents: 1.0 * (child == 3 and parents == (0, 1, 2))  # noqa: E731
    assert ordering_search(parity, 4)[3] == (0, 1, 2)


def test_by_default_three_parents_of_many_variables_are_among_those_of_good_sets_of_two(monkeypatch):
    table = bnlab.load_network("alarm").sample(10_000, seed=2)
    phi = local_scores(table, make_score("bic"))
    options = {"restarts": 30, "seed": 2}
    best = phi.total(ordering_search(phi, 37, 3, **options))
    assert best > phi.total(ordering_search(phi, 37, 2, **options)) + 100
    monkeypatch.setattr(orderings, "MOST_SETS", 60_000)
    scored = phi.misses
    phi = local_scores(table.select(table.names), make_score("bic"))  # a new table, whose families are not cached
    found = ordering_search(phi, 37, **options)
    assert phi.total(found) == pytest.approx(best, abs=1e-6)
    assert phi.misses < scored / 3


def test_the_candidates_for_three_parents_hold_the_required_ones_and_no_forbidden_one(monkeypatch):
    monkeypatch.setattr(orderings, "MOST_SETS", 0)
    table = bnlab.load_network("asia").sample(2000, seed=1)
    knowledge = Knowledge(required=[("asia", "dysp"), ("xray", "dysp")], forbidden=[("bronc", "dysp")])
    graph = bnlab.learn(table, "ordering-search", restarts=20, knowledge=knowledge)
    parents = {u for u, v in graph.edges if v == "dysp"}
    assert {"asia", "xray"} <= parents
    assert "bronc" not in parents


def test_options_of_swaps_need_swaps():
    flat = lambda child, parents: 0.0  # noqa: E731
    with pytest.raises(ValueError, match="tabu is an option of moves='swap'"):
        ordering_search(flat, 3, moves="insertion", tabu=2)
    with pytest.raises(ValueError, match="moves='jump': the moves are 'insertion' and 'swap'"):
        ordering_search(flat, 3, moves="jump")
    with pytest.raises(ValueError, match="restarts=0: it must be at least 1"):
        InsertionSearch((((0.0, ()),),), restarts=0)
