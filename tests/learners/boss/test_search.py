"""Best order score search: against all DAGs of few variables, and against hill climbing on samples of networks."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import bnlab
from bnlab._runtime.budget import MemoryBudget
from bnlab.checkpoint import load_state, save_state
from bnlab.data import Table, Variable
from bnlab.graphs import Dag, skeleton
from bnlab.learners import BestOrderSearch, HillClimbing, exact_search, make_search
from bnlab.learners.boss.search import RESTARTS_A_CLIMB, TABU
from bnlab.scores import local_scores
from bnlab.search import Trace, iterate, run
from tests.learners.small_problems import PlantedScores, RandomScores, best_total, is_acyclic, total


@pytest.fixture(scope="module")
def asia():
    return bnlab.load_network("asia").sample(500, seed=3)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_it_finds_the_best_of_all_graphs_for_arbitrary_scores(n):
    found = 0
    for seed in range(10):
        phi = RandomScores(n, seed)
        parents = run(BestOrderSearch(phi, n, restarts=40))
        assert is_acyclic(parents)
        found += total(phi, parents) == pytest.approx(best_total(phi, n))
    assert found >= 8


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_it_finds_the_best_of_all_graphs_over_the_columns_of_samples(score):
    data = bnlab.load_network("alarm").sample(300, seed=4)
    rng = np.random.default_rng(0)
    for _ in range(10):
        names = [data.names[i] for i in rng.choice(len(data.names), 4, replace=False)]
        phi = local_scores(data.select(names), score)
        found = run(BestOrderSearch(phi, 4, restarts=20))
        assert phi.total(found) == pytest.approx(best_total(phi, 4), abs=1e-6)


def test_a_parity_of_two_parents_is_found_though_neither_gains_alone():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (400, 6))
    codes[:, 2] = codes[:, 0] ^ codes[:, 4]
    data = Table.from_codes(codes, [Variable(f"X{i}", ("0", "1")) for i in range(6)])
    assert len(bnlab.learn(data, "hill-climbing").edges) == 0
    assert len(bnlab.learn(data, "boss").edges) == 2


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_among_many_variables_a_sample_finds_the_parent_that_gains_only_beside_another(score):
    rng = np.random.default_rng(1)
    codes = (rng.random((4000, 200)) < 0.5).astype(int)
    codes[:, 1] = rng.random(4000) < 0.3  # so that X0 tells something of X2 alone
    codes[:, 2] = codes[:, 0] ^ codes[:, 1] ^ (rng.random(4000) < 0.1)
    data = Table.from_codes(codes, [Variable(f"X{i}", ("0", "1")) for i in range(200)])
    phi = bnlab.scores.LocalScores(data, bnlab.scores.make_score(score))
    gains = [phi(2, (u,)) - phi(2, ()) for u in range(200) if u != 2]
    assert sorted(gains, reverse=True).index(phi(2, (1,)) - phi(2, ())) >= 64
    found = bnlab.learn(data, "boss", score=score, restarts=0).edges
    assert {frozenset(edge) for edge in found if "X1" in edge} & {frozenset(("X1", "X0")), frozenset(("X1", "X2"))}


@pytest.mark.parametrize(("score", "rows"), [("bic", 500), ("bdeu", 2000)])
def test_it_scores_more_than_hill_climbing_with_restarts(score, rows):
    phi = local_scores(bnlab.load_network("alarm").sample(rows, seed=1), score)
    climbed = run(HillClimbing(phi, phi.n, tabu=10, restarts=20))
    assert phi.total(run(BestOrderSearch(phi, phi.n, restarts=20))) > phi.total(climbed)


def test_it_scores_no_less_than_the_climb_that_it_begins_with():
    for seed in range(5):
        phi = RandomScores(5, seed)
        climbed = run(HillClimbing(phi, 5, tabu=10))
        assert total(phi, run(BestOrderSearch(phi, 5, restarts=0))) >= total(phi, climbed) - 1e-6


def test_it_searches_again_from_a_better_network_of_the_last_climb():
    phi = local_scores(bnlab.load_network("asia").sample(100, seed=2), "bdeu")
    best = run(exact_search(phi, phi.n, max_parents=7))
    assert phi.total(run(BestOrderSearch(phi, phi.n, restarts=0))) == pytest.approx(phi.total(best), rel=1e-9)


def test_restarts_end_when_they_gain_nothing_and_their_climbs_are_no_loss():
    phi = local_scores(bnlab.load_network("insurance").sample(500, seed=1), "bic")
    search = BestOrderSearch(phi, phi.n, restarts=10**6, patience=60)
    trace = Trace()
    last = trace.run(search)
    restarts = sum(event.kind == "restart" for event in trace.events)
    assert 100 < restarts < 1000
    assert restarts % RESTARTS_A_CLIMB in (1, 2)
    without = run(BestOrderSearch(phi, phi.n, restarts=restarts))
    assert last.best_score >= phi.total(without) - 1e-6


def test_at_the_end_all_variables_move_again_from_other_orders_of_the_best_network():
    phi = local_scores(bnlab.load_network("alarm").sample(500, seed=2), "bdeu")
    without, with_them = (run(BestOrderSearch(phi, phi.n, restarts=10, patience=patience)) for patience in (None, 10))
    assert phi.total(with_them) > phi.total(without) + 10


def test_its_scores_are_those_of_its_networks(asia):
    phi = local_scores(asia, "bdeu")
    search = BestOrderSearch(phi, 8, restarts=60, patience=50)
    kinds = set()
    for state, progress in iterate(search):
        sketch = search.snapshot(state).sketch
        assert is_acyclic(sketch)
        assert state.score == pytest.approx(phi.total(sketch), abs=1e-4)
        assert progress.best_score == state.best_score == pytest.approx(phi.total(search.result(state)), abs=1e-4)
        assert state.best_score >= state.score - 1e-4
        kinds |= {event.kind for event in progress.events}
    assert kinds >= {"add", "restart", "place"}


@pytest.mark.parametrize("form", ["table", "function"])
def test_a_search_stopped_anywhere_ends_in_the_same_state(form, asia, tmp_path):
    phi = local_scores(asia, "k2") if form == "table" else RandomScores(5, 3)
    search = BestOrderSearch(phi, 8 if form == "table" else 5, restarts=120, patience=60, seed=2)
    unbroken = Trace()
    last = unbroken.run(search)
    for at in range(0, len(unbroken.iterations), 231):
        state = [search.init(), *(state for state, _ in islice(iterate(search), at))][-1]
        save_state(state, tmp_path / "state")
        elsewhere = pickle.loads(pickle.dumps(search))
        rest = Trace()
        assert rest.run(elsewhere, load_state(tmp_path / "state")) == last
        assert rest.events == [event for event in unbroken.events if event.iteration > state.iteration]


def test_a_time_limit_stops_the_search_and_changes_nothing_before(asia):
    phi = local_scores(asia)
    free = [state for state, _ in iterate(BestOrderSearch(phi, 8, restarts=8))]
    ample = [state for state, _ in iterate(BestOrderSearch(phi, 8, restarts=8, time_limit=1e6))]
    assert [replace(state, seconds=0.0) for state in ample] == free
    assert 0 < ample[0].seconds < ample[-1].seconds
    late = BestOrderSearch(phi, 8, restarts=10**9, time_limit=1e-9)
    climb = Trace().run(late)
    assert climb.done
    assert not climb.order
    assert climb.best_score >= phi.total(run(HillClimbing(phi, 8, tabu=TABU, ties="scores"))) - 1e-6
    middle = next(state for state in ample if state.restart == 3)
    ended = run(late, replace(middle, seconds=1.0))
    assert phi.total(ended) >= middle.best_score - 1e-4


def test_the_seed_decides_the_orders(asia):
    phi = local_scores(asia, "bdeu", ess=20.0)

    def orders(seed):
        return [state.order for state, _ in iterate(BestOrderSearch(phi, 8, restarts=3, seed=seed))]

    assert orders(1) == orders(1) != orders(2)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_the_score_does_not_depend_on_the_order_of_the_columns(score):
    data = bnlab.load_network("alarm").sample(500, seed=2)
    found = set()
    for seed in range(3):
        names = np.random.default_rng(seed).permutation(list(data.names)).tolist()
        dag = bnlab.learn(data.select(names), "boss", score=score, restarts=3)
        found.add(frozenset(dag.edges))
    assert len(found) == 1


def test_the_limit_of_parents_and_the_allowed_edges_hold():
    phi = PlantedScores([(), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)])
    assert max(map(len, run(BestOrderSearch(phi, 5, max_parents=2, restarts=5)))) == 2
    within = skeleton(Dag(list("ABCDE"), [(), (0,), (1,), (2,), (3,)]))
    assert run(BestOrderSearch(phi, 5, within=within)) == ((), (0,), (1,), (2,), (3,))
    only_one = np.zeros((5, 5), dtype=bool)
    only_one[3, 4] = True
    assert run(BestOrderSearch(phi, 5, within=only_one)) == ((), (), (), (), (3,))


def test_a_super_structure_by_names_limits_the_edges(asia):
    within = [("tub", "either"), ("either", "xray")]
    edges = bnlab.learn(asia, "boss", within=within, restarts=3).edges
    assert {frozenset(edge) for edge in edges} <= {frozenset(edge) for edge in within}
    assert edges


def test_every_score_of_a_table_is_taken(asia):
    for score in ("aic", "nml", "mit", "k2", "ll"):
        dag = bnlab.learn(asia, "boss", score=score, restarts=2, max_parents=2)
        climbed = bnlab.learn(asia, "hill-climbing", score=score, tabu=10, max_parents=2)
        assert bnlab.score(dag, asia, score) >= bnlab.score(climbed, asia, score) - 1e-6


@pytest.mark.parametrize(
    "changes",
    [
        {"order": (0, 1, 2)},
        {"order": (0,) * 8},
        {"order": (*range(7), 99)},
        {"home": ((99,), *((),) * 7)},
        {"waiting": (-1,)},
        {"parents": ((99,), *((),) * 7)},
        {"best_parents": ((1,), (0,), *((),) * 6)},
        {"parents": ((),) * 7},
        {"prepared": -1},
    ],
)
def test_a_state_of_another_search_is_refused(changes, asia):
    search = make_search(asia, "boss", restarts=3)
    state = next(state for state, _ in iterate(search) if state.restart == 2)
    search.step(state)
    with pytest.raises(ValueError, match="the state is not one of this search"):
        search.step(replace(state, **changes))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"restarts": -1}, "restarts=-1: it must be at least 0"),
        ({"patience": 0}, "patience=0: it must be at least 1"),
        ({"seed": 1.5}, "seed=1.5 is not an integer"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"time_limit": -1.0}, "time_limit=-1.0: it must be a number of seconds"),
        ({"time_limit": float("nan")}, "time_limit=nan"),
        ({"within": np.ones((3, 3), dtype=bool)}, "shape"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        BestOrderSearch(PlantedScores([(), ()]), 2, **options)


def test_a_score_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite"):
        run(BestOrderSearch(lambda child, parents: float("nan") if parents else 0.0, 3))


def test_a_search_over_too_many_variables_is_refused_before_it_begins(monkeypatch):
    monkeypatch.setenv("BNLAB_MEMORY", "32M")
    with pytest.raises(MemoryBudget, match="select fewer variables"):
        BestOrderSearch(lambda child, parents: 0.0, 3000)
