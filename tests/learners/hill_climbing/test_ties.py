"""Learners of a table whose columns are in another order."""

from __future__ import annotations

import numpy as np
import pytest

import bnlab
from bnlab.graphs import Knowledge
from bnlab.learners import HillClimbing, make_search
from bnlab.scores import local_scores
from bnlab.search import run

ORDERS = 8


def scores_of_orders(table, *arguments, **options) -> set[float]:
    """Scores of the networks learned from the columns in random orders."""
    rng = np.random.default_rng(4)
    orders = [rng.permutation(len(table.names)) for _ in range(ORDERS)]
    graphs = [bnlab.learn(table.select([table.names[v] for v in order]), *arguments, **options) for order in orders]
    return {round(bnlab.score(graph, table), 6) for graph in graphs}


@pytest.mark.parametrize(("network", "n_rows"), [("asia", 500), ("alarm", 1000)])
@pytest.mark.parametrize("options", [{}, {"tabu": 10, "restarts": 2}])
def test_the_order_of_columns_changes_no_score_of_hill_climbing(network, n_rows, options):
    table = bnlab.load_network(network).sample(n_rows, seed=6)
    assert len(scores_of_orders(table, "hill-climbing", **options)) == 1


def test_the_order_of_columns_changes_no_score_under_random_ties_of_one_seed():
    table = bnlab.load_network("alarm").sample(1000, seed=6)
    assert len(scores_of_orders(table, "hill-climbing", ties="random", seed=3)) == 1


def test_random_ties_depend_on_the_seed_and_on_the_rows():
    table = bnlab.load_network("cancer").sample(1000, seed=6)
    pair = table.select(["Cancer", "Xray"])
    samples = [pair.take(np.random.default_rng(k).integers(0, 1000, 1000)) for k in range(20)]
    by_rows = {bnlab.learn(sample, "hill-climbing", ties="random").edges for sample in samples}
    by_seed = {bnlab.learn(pair, "hill-climbing", ties="random", seed=seed).edges for seed in range(20)}
    assert by_rows == by_seed == {(("Cancer", "Xray"),), (("Xray", "Cancer"),)}
    assert len({bnlab.learn(sample, "hill-climbing").edges for sample in samples}) == 1


def test_with_ties_by_columns_their_order_matters():
    table = bnlab.load_network("alarm").sample(1000, seed=6)
    assert len(scores_of_orders(table, "hill-climbing", ties="columns")) > 1


def test_the_order_of_columns_changes_no_score_of_the_learner_of_few_variables():
    assert len(scores_of_orders(bnlab.load_network("asia").sample(500, seed=6))) == 1


def test_the_order_of_columns_changes_no_score_of_the_search_over_orders():
    table = bnlab.load_network("child").sample(500, seed=6)
    assert len(scores_of_orders(table, "boss", restarts=2)) == 1


@pytest.mark.parametrize("ties", ["columns", "scores", "random"])
def test_graphs_and_events_are_of_columns(ties):
    table = bnlab.load_network("asia").sample(1000, seed=2)
    n = len(table.names)
    search = HillClimbing(local_scores(table, "bic"), n, ties=ties, tabu=3, restarts=2)
    state, edges, of_best = search.init(), set(), set()
    while not search.is_done(state):
        state, progress = search.step(state)
        for event in progress.events:
            edge = event.u, event.v
            if event.kind in ("add", "delete"):
                edges ^= {edge}
            elif event.kind == "reverse":
                edges ^= {edge, edge[::-1]}
            else:
                edges = set(of_best)
        shown = search.snapshot(state).sketch
        assert {(u, v) for v, parents in enumerate(shown) for u in parents} == edges
        assert search.score_of(shown) == pytest.approx(state.score, abs=1e-6)
        of_best = {(u, v) for v, parents in enumerate(search.result(state)) for u in parents}
    assert search.score_of(search.result(state)) == pytest.approx(state.best_score, abs=1e-6)


def test_a_first_graph_and_knowledge_are_of_columns():
    table = bnlab.load_network("asia").sample(1000, seed=2)
    start = [("xray", "asia"), ("dysp", "smoke")]
    search = make_search(table, "hill-climbing", start=start, knowledge=Knowledge(required=[("dysp", "smoke")]))
    shown = search.graph_of(search.snapshot(search.init()).sketch, table.names)
    assert set(shown.edges) == set(start)
    assert ("dysp", "smoke") in bnlab.learn(table, "hill-climbing", knowledge=Knowledge(required=[start[1]])).edges
    with pytest.raises(ValueError, match="ties='names': the rules are 'columns', 'scores', 'random'"):
        run(make_search(table, "hill-climbing", ties="names"))
