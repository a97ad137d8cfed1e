"""Climbs over scores by compiled code against the same climbs over the scores of each family."""

from __future__ import annotations

import numpy as np
import pytest

import bnlab
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable
from bnlab.learners import HillClimbing
from bnlab.scores import EdgePrior, LocalScores, local_scores, make_score, table_scores
from bnlab.scores.function import LocalScoreFunction
from bnlab.search import Trace, iterate
from tests.scores.small_tables import make_table

SCORES = [("bic", {}), ("aic", {}), ("k2", {}), ("nml", {}), ("bdeu", {"ess": 0.3}), ("bdeu", {"ess": 20.0})]
SHAPES = [
    ((2, 3, 1, 4, 2, 3, 2), 300),
    ((3, 3, 16, 2, 2, 5), 1000),
    ((2,) * 9, 64),
    ((2, 3, 2, 3), 1),
    ((4,) * 8, 2049),
]
OPTIONS = [
    {},
    {"max_parents": 2, "tabu": 5},
    {"tabu": 3, "patience": 4, "restarts": 3, "seed": 2},
    {"restarts": 4, "perturbations": 6},
    {"max_parents": 0},
]


class Uncompiled(LocalScoreFunction):
    """Local scores without a compiled form."""

    def __init__(self, phi: LocalScores) -> None:
        self.many, self.toggled, self._phi = phi.many, phi.toggled, phi

    def __call__(self, child, parents, /):
        return self._phi(child, parents)


def both(table: Table, score: str, params: dict, **options):
    phi = LocalScores(table, make_score(score, **params))
    assert phi.compiled() is not None
    traces = []
    for given in (phi, Uncompiled(phi)):
        traces.append(Trace())
        last = traces[-1].run(HillClimbing(given, phi.n, **options))
    return traces, last, phi


def assert_same(traces):
    mine, theirs = traces
    assert mine.events == theirs.events
    assert mine.iterations == theirs.iterations
    np.testing.assert_allclose(mine.scores, theirs.scores, rtol=1e-13, atol=1e-9)
    np.testing.assert_allclose(mine.best, theirs.best, rtol=1e-13, atol=1e-9)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("score", "params"), SCORES, ids=str)
@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_compiled_scores_give_the_same_moves(shape, score, params, options):
    arities, rows = SHAPES[shape]
    traces, last, phi = both(make_table(arities, rows, seed=shape), score, params, **options)
    assert_same(traces)
    assert last.best_score == pytest.approx(phi.total(last.best_parents), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("score", ["bic", "k2", "bdeu", "ll"])
def test_it_keeps_to_the_start_and_the_allowed_edges(score):
    table = bnlab.load_network("alarm").sample(700, seed=2).select(bnlab.load_network("alarm").names[:14])
    rng = np.random.default_rng(0)
    start = [tuple(np.flatnonzero(rng.random(i) < 0.2)[:3].tolist()) for i in range(14)]
    within = rng.random((14, 14)) < 0.5
    for options in ({"start": start}, {"start": start, "within": within, "max_parents": 3, "tabu": 4}):
        traces, *_ = both(table, score, {}, **options)
        assert_same(traces)
        assert len(traces[0].events) > 10


def test_a_climb_from_another_graph_begins_with_its_scores():
    phi = local_scores(make_table((2, 3, 2, 4, 2), 200, seed=4), "bic")
    climb = HillClimbing(phi, phi.n)
    best = Trace().run(climb)
    parents = ((1, 2), (2,), (), (0, 1, 2), (3,))
    state = climb.begin(parents)
    assert state.score == pytest.approx(phi.total(parents), rel=1e-13)
    assert Trace().run(climb, state).best_score > state.score
    assert climb.begin(best.best_parents).score == best.score


def test_states_that_are_stepped_in_turns_do_not_disturb_each_other():
    phi = local_scores(make_table((2, 3, 2, 4, 2, 2), 300, seed=6), "bic")
    search = HillClimbing(phi, phi.n)
    expected = [state for state, _ in iterate(search)]
    first = list(iterate(search, expected[2]))
    mixed = list(zip(iterate(search), iterate(search, expected[1]), strict=False))
    assert [state for state, _ in first] == expected[3:]
    assert [a for (a, _), _ in mixed] == expected[: len(mixed)]
    assert [b for _, (b, _) in mixed] == expected[2 : 2 + len(mixed)]


@pytest.mark.parametrize("options", [{"tabu": 4, "patience": 30}, {"restarts": 2, "seed": 1}], ids=str)
@pytest.mark.parametrize(("score", "params"), SCORES, ids=str)
def test_threads_make_the_same_moves_and_scores_to_the_last_bit(monkeypatch, score, params, options):
    assert_threads_change_nothing(monkeypatch, make_score(score, **params), **options)


def test_threads_add_the_prior_of_a_family_once(monkeypatch):
    prior = EdgePrior({("V1", "V3"): 0.9, ("V4", "V7"): 0.01})
    assert_threads_change_nothing(monkeypatch, make_score("bdeu", ess=1.0), prior, tabu=4, patience=30)


def assert_threads_change_nothing(monkeypatch, score, prior=None, **options):
    monkeypatch.setattr(table_scores, "_MIN_SHARED_NS", 0.0)
    table = make_table((2, 3, 1, 4, 2, 3, 2, 5), 3000, seed=9)
    traces, misses = [], []
    for threads in (1, 2, 3):
        phi = LocalScores(MemorySource(table, threads=threads), score, structure_prior=prior)
        search = HillClimbing(phi, phi.n, **options)
        traces.append(Trace())
        traces[-1].run(search)
        misses.append(phi.misses)
    assert len(traces[0].events) > 10
    for trace in traces[1:]:
        assert trace.events == traces[0].events
        np.testing.assert_array_equal(trace.scores, traces[0].scores, strict=True)
    assert len(set(misses)) == 1


def test_a_climb_over_some_of_the_variables_finds_the_same_graph():
    phi = local_scores(make_table((2, 3, 2, 4, 2), 200, seed=8), "bic")
    assert Trace().run(HillClimbing(phi, 3)).best_parents == Trace().run(HillClimbing(Uncompiled(phi), 3)).best_parents


def test_scores_beyond_all_numbers_are_refused():
    phi = local_scores(make_table((2, 3, 2), 50, seed=1), "bdeu", ess=1e307)
    with pytest.raises(ValueError, match="finite"), np.errstate(all="ignore"):
        HillClimbing(phi, phi.n).init()


def test_equal_columns_are_settled_by_order():
    base = make_table((3, 2, 2), 500, seed=1)
    table = Table.from_codes(
        np.column_stack([base.column(i) for i in (0, 1, 2, 0, 1, 2)]), [*base.variables, *_renamed(base.variables)]
    )
    for score in ("bic", "k2", "bdeu"):
        traces, *_ = both(table, score, {})
        assert_same(traces)


def _renamed(variables):
    return [Variable(f"{v.name}'", v.states) for v in variables]


@pytest.mark.parametrize("options", [{}, {"tabu": 8, "patience": 40, "max_parents": 3}], ids=str)
def test_gains_that_are_kept_stay_right_in_a_graph_of_many_nodes(options):
    table = bnlab.networks.tile(bnlab.load_network("alarm"), 2, seed=1).sample(150, seed=3)
    traces, *_ = both(table, "aic", {}, **options)
    assert_same(traces)
    assert {"add", "reverse"} <= {event.kind for event in traces[0].events}
