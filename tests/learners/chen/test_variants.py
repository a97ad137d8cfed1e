"""The front door to Chen's search: the variant of the paper, and the best readings followed by a climb."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

import bnlab
from bnlab.learners import ChenSearch, HillClimbing, make_search
from bnlab.learners.chen.variants import chen_search
from bnlab.scores import local_scores
from bnlab.search import Trace, iterate, run

from ..small_problems import RandomScores, is_acyclic, total

SIMPLE = bnlab.load_network("simple").sample(1000, seed=1)


@pytest.mark.parametrize("seed", range(5))
def test_the_default_is_chens_search_with_its_best_readings_and_a_climb_from_the_best_network(seed):
    phi = RandomScores(6, seed)
    search = chen_search(phi, 6, Q=40, seed=seed)
    states = [state for state, _ in iterate(search)]
    alone = Trace().run(search.first)
    readings = asdict(search.first.readings)
    assert (readings["limit"], readings["answer"], search.first.beta) == ("moves", "best", "data")
    assert states[-1].first.best_parents == alone.best_parents
    assert states[-1].first.best_score == pytest.approx(total(phi, alone.best_parents))
    climbed = run(HillClimbing(phi, 6, start=alone.best_parents))
    assert search.result(states[-1]) == climbed
    assert total(phi, climbed) >= alone.best_score - 1e-9


def test_iterations_go_on_and_the_best_score_never_falls_where_the_climb_begins():
    search = make_search(SIMPLE, "chen", Q=40, seed=1)
    steps = [info for _, info in iterate(search)]
    iterations, best = [info.iteration for info in steps], [info.best_score for info in steps]
    assert iterations == sorted(iterations)
    assert best == sorted(best)
    phi = local_scores(SIMPLE, "k2")
    assert best[-1] == pytest.approx(phi.total(run(search)))


def test_each_snapshot_shows_a_network():
    search = make_search(SIMPLE, "chen", Q=20, seed=2)
    policies = set()
    for state, _ in iterate(search):
        shown = search.snapshot(state)
        policies.add(shown.policies is None)
        dag = search.graph_of(shown.sketch, SIMPLE.names)
        assert is_acyclic(dag.parents)
        assert dag.names == SIMPLE.names
    assert policies == {True, False}, "only Chen's search has policies"


def test_the_climb_keeps_permanent_edges_and_an_order():
    names = SIMPLE.names
    order = [names[v] for v in np.random.default_rng(0).permutation(len(names))]
    found = bnlab.learn(SIMPLE, "chen", Q=20, order=order, permanent=[(order[0], order[-1])], max_parents=2)
    assert (order[0], order[-1]) in found.edges
    assert all(order.index(u) < order.index(v) for u, v in found.edges)
    assert max(map(len, found.parents)) <= 2


def test_the_variant_of_the_paper_has_no_climb():
    assert isinstance(make_search(SIMPLE, "chen", variant="paper"), ChenSearch)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"variant": "papers"}, "did you mean 'paper'"), ({"variant": "paper", "chains": 3}, "'chains' is no option")],
)
def test_unknown_variants_and_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        bnlab.learn(SIMPLE, "chen", **options)
