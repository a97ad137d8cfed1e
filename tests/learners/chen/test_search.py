"""Chen's search: the invariants of every iteration, pausing and resuming, and the options."""

from __future__ import annotations

import pickle
from hashlib import sha256

import numpy as np
import pytest

import bnlab
from bnlab.graphs import Dag, skeleton
from bnlab.learners import ChenSearch, paper_search
from bnlab.learners.types import PlainScores
from bnlab.scores import local_scores
from bnlab.search import Trace, iterate, run
from tests.soak import times

from ..small_problems import PlantedScores, RandomScores, best_total, is_acyclic, n_components, total


def arrays(state):
    return [*state.net, *state.decisions]


def assert_same(a, b):
    for x, y in zip(arrays(a), arrays(b), strict=True):
        assert np.array_equal(x, y)


def one_by_one(search, most=400):
    """States after every iteration, with the one before and the events between."""
    state = search.init()
    for _ in range(most):
        if search.is_done(state):
            return
        before, (state, info) = state, search.advance(state, 1)
        yield before, state, info


@pytest.mark.parametrize("connected", ["preserved", "once", "required", "ignored"])
@pytest.mark.parametrize("choices", [1, 2])
def test_every_iteration_keeps_the_invariants(connected, choices):
    phi = RandomScores(6, 1)
    search = paper_search(phi, 6, beta=0.05, B=30, Q=120, connected=connected, choices=choices, limit="iterations")
    seen = 0
    for before, state, info in one_by_one(search, 150):
        seen += 1
        assert is_acyclic(state.parents)
        assert info.scores[-1] == pytest.approx(total(phi, state.parents))
        assert state.tau.sum(axis=1) == pytest.approx(np.ones(6), abs=1e-12)
        assert (state.tau >= 0).all()
        assert not state.tau[~state.decisions.support].any()
        assert set(before.permanent) <= set(state.permanent)
        edges = {(u, v) for v, family in enumerate(state.parents) for u in family}
        chosen = {(u, v) for u, children in enumerate(state.choices) for v in children}
        assert edges == set(state.permanent) | chosen
        assert state.best_score == pytest.approx(total(phi, state.best_parents))
        if connected != "ignored":
            assert state.net.numbers[2] == n_components(state.parents)
            if not any(event.kind == "instance" for event in info.events):
                once = n_components(before.parents) == 1
                assert not once or n_components(state.parents) == 1
                if connected == "preserved":
                    assert n_components(state.parents) <= n_components(before.parents)
    assert seen > 30


def certain(state, epsilon):
    """Active nodes and their current choices (the node itself for none) that satisfy equation 2."""
    chosen = {i: children[0] if children else i for i, children in enumerate(state.choices)}
    return {(i, h) for i, h in chosen.items() if state.active[i] and 1 - state.tau[i, h] < epsilon}


@pytest.mark.parametrize("seed", range(4))
def test_a_certain_choice_of_any_active_node_becomes_permanent_in_the_next_iteration(seed):
    """Unless the node itself moves or a new instance begins."""
    search = ChenSearch(RandomScores(6, seed), 6, beta=0.05, B=200, Q=400, seed=seed)
    seen = 0
    for before, state, info in one_by_one(search):
        settled = {(event.u, event.v) for event in info.events if event.kind in ("converged", "forced")}
        if not any(event.kind == "instance" for event in info.events):
            for i, h in certain(before, search.epsilon):
                seen += 1
                assert (i, h) in settled or (state.choices[i] or (i,))[0] != h
    assert seen > 2


def test_only_the_node_that_moved_is_tested_where_the_reading_says_so():
    search = paper_search(RandomScores(6, 0), 6, beta=0.05, B=200, Q=400, check="moved")
    waiting = [
        certain(state, search.epsilon) & certain(before, search.epsilon) for before, state, _ in one_by_one(search)
    ]
    assert sum(map(bool, waiting)) > 50


def test_reachability_and_components_hold_beyond_64_variables():
    n = 70
    phi = PlantedScores([(v - 1,) if v else () for v in range(n)])
    search = paper_search(phi, n, beta=0.05, B=60, choices=2)
    for _, state, _ in one_by_one(search, 100):
        dag = Dag([f"{i:02}" for i in range(n)], state.parents)
        bits = np.unpackbits(state.net.ancestors.view(np.uint8), axis=1, bitorder="little")
        for i, name in enumerate(dag.names):
            assert [dag.names[u] for u in np.flatnonzero(bits[i])] == list(dag.ancestors_of(name))
        assert state.net.numbers[2] == n_components(state.parents)


@pytest.mark.parametrize("limit", ["overall", "iterations", "moves"])
@pytest.mark.parametrize("stuck", ["restart", "skip"])
@pytest.mark.parametrize("seed", range(3))
def test_it_ends_with_the_network_of_the_permanent_edges(limit, stuck, seed):
    search = paper_search(RandomScores(5, 2), 5, beta=0.02, Q=60, B=25, limit=limit, stuck=stuck, seed=seed)
    state = Trace().run(search)
    assert not any(state.active)
    edges = {(u, v) for v, family in enumerate(search.result(state)) for u in family}
    assert edges == set(state.permanent)
    assert search.result(state) == state.parents


@pytest.mark.parametrize("steps", [1, 7, 50])
def test_how_iterations_are_grouped_changes_nothing(steps):
    search = paper_search(RandomScores(6, 3), 6, beta=0.05, B=40, Q=150, seed=5, growth=1.1)
    whole, parts = search.init(), search.init()
    scores: list[float] = []
    while not search.is_done(whole):
        whole, info = search.step(whole)
        scores.extend(info.scores)
    grouped: list[float] = []
    while not search.is_done(parts):
        parts, info = search.advance(parts, steps)
        grouped.extend(info.scores)
    assert grouped == scores
    assert_same(whole, parts)


def test_the_seed_settles_the_trace():
    def trace(seed):
        found = Trace()
        found.run(ChenSearch(RandomScores(6, 3), 6, beta=0.05, seed=seed))
        return found.scores.tolist()

    assert trace(1) == trace(1) != trace(2)


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("name", ["k2", "bic", "bdeu"])
def test_the_best_network_found_is_the_best_of_all(n, name):
    data = bnlab.load_network("asia").sample(2000, seed=4)
    phi = local_scores(data.select(data.names[-n:]), name)
    search = paper_search(phi, n, beta=1e-4, Q=4000, B=50, connected="ignored", choices=3, limit="iterations")
    best = best_total(phi, n)
    assert Trace().run(search).best_score == pytest.approx(best, rel=1e-10)


def test_policies_sum_to_one_after_very_many_updates():
    updates = times(50_000, 1_000_000)
    search = paper_search(
        RandomScores(4, 6), 4, beta=0.3, epsilon=1e-9, B=25_000, Q=10**9, max_iterations=updates, floor=1e-6
    )
    state = Trace().run(search)
    assert state.iteration == updates
    assert np.abs(state.tau.sum(axis=1) - 1).max() < 1e-12


@pytest.mark.parametrize("scale", [1e-300, 1e12])
def test_no_exponent_overflows_into_a_policy(scale):
    phi = RandomScores(5, 6)
    search = paper_search(lambda c, p: scale * phi(c, p), 5, beta=1e3, B=20, Q=200, max_exponent=690.0, floor=1e-300)
    for state, _ in iterate(search):
        assert np.isfinite(state.tau).all()
        assert state.tau.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-12)


def test_permanent_edges_are_there_from_the_start_to_the_end():
    search = ChenSearch(PlantedScores([(), (), (), ()]), 4, beta=0.05, permanent=[(2, 0), (2, 1)])
    assert search.init().permanent == ((2, 0), (2, 1))
    last = None
    for _, state, _ in one_by_one(search, 2000):
        assert {0: (2,), 1: (2,)}.items() <= {v: tuple(set(f) & {2}) for v, f in enumerate(state.parents)}.items()
        last = state
    assert 2 in search.result(last)[0]


def test_an_order_and_allowed_edges_hold():
    phi = RandomScores(5, 8)
    order = (4, 2, 0, 1, 3)
    for _, state, _ in one_by_one(paper_search(phi, 5, beta=0.05, order=order, connected="once")):
        assert all(order.index(u) < order.index(v) for v, family in enumerate(state.parents) for u in family)
    chain = skeleton(Dag(list("ABCDE"), [(), (0,), (1,), (2,), (3,)]))
    found = run(paper_search(phi, 5, beta=0.05, within=chain))
    assert all(abs(u - v) == 1 for v, family in enumerate(found) for u in family)


def test_the_limit_of_parents_holds():
    phi = PlantedScores([(), (), (), (), (0, 1, 2, 3)])
    for _, state, _ in one_by_one(ChenSearch(phi, 5, beta=0.05, max_parents=2)):
        assert max(map(len, state.parents)) <= 2


def test_pruned_supports_hold_no_edge_that_closes_a_cycle_with_permanent_ones():
    for _, state, _ in one_by_one(paper_search(RandomScores(6, 4), 6, beta=0.05, Q=50, prune=True)):
        path = np.linalg.matrix_power(np.eye(6) + state.decisions.permanent, 6) > 0
        live = state.decisions.support[list(state.active)] & ~np.eye(6, dtype=bool)[list(state.active)]
        assert not (live & path.T[list(state.active)]).any()


def test_given_policies_are_those_of_the_start():
    policies = np.array([[0.1, 0.9, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25]])
    search = ChenSearch(RandomScores(3, 1), 3, policies=policies)
    assert search.init().tau == pytest.approx(policies, abs=1e-11)
    by_columns = ChenSearch(RandomScores(3, 1), 3, policies=np.asfortranarray(policies))
    assert run(by_columns) == run(search)


def test_the_paper_variant_is_the_faithful_search_with_its_settings():
    data = bnlab.load_network("simple").sample(1000, seed=1)
    phi = local_scores(data, "k2")
    large = paper_search(lambda child, parents: 0.0, 37)
    assert (paper_search(phi, 7).Q, large.Q, large.beta) == (500, 15000, 9e-6)
    assert bnlab.learn(data, "chen", variant="paper", seed=2).parents == run(paper_search(phi, 7, seed=2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta": 0}, "beta=0"),
        ({"beta": -1e-3}, "beta=-0.001"),
        ({"beta": float("nan")}, "beta=nan"),
        ({"beta": "fast"}, "beta='fast'"),
        ({"epsilon": 0}, "epsilon=0"),
        ({"epsilon": 1}, "epsilon=1"),
        ({"B": 0}, "B=0"),
        ({"Q": 0}, "Q=0"),
        ({"Q": 2.5}, "Q=2.5"),
        ({"choices": 0}, "choices=0"),
        ({"connected": "always"}, "connected='always'"),
        ({"check": "every"}, "check='every'"),
        ({"limit": "iteration"}, "did you mean 'iterations'"),
        ({"floor": 0.0}, "floor"),
        ({"growth": 0.0}, "growth"),
        ({"permanent": [(0, 1), (1, 2), (2, 0)]}, "permanent.*cycle, A -> B -> C -> A"),
        ({"permanent": [("A", "D")]}, "no variable 'D'"),
        ({"permanent": [("A", "B")], "order": "CBA"}, "edge 'A' -> 'B' may not be used: `within`, an order"),
        ({"permanent": [("A", "C"), ("B", "C")], "max_parents": 1}, "'C' has 2 required parents, .* may have 1"),
        ({"permanent": ["AB"]}, "pair"),
        ({"order": "AB"}, "each of the 3"),
        ({"policies": np.eye(3) / 2}, "node 0 sums to 0.5"),
        ({"policies": np.array([[1.5, -0.5, 0], [1, 0, 0], [1, 0, 0]])}, "negative"),
        ({"policies": "greedy"}, "policies='greedy'"),
        ({"policies": np.ones((2, 2)) / 2}, "shape"),
    ],
)
def test_bad_options_are_refused(options, message):
    phi = PlainScores(RandomScores(3, 0), 3)
    phi.names = "A", "B", "C"
    with pytest.raises((ValueError, TypeError), match=message):
        paper_search(phi, 3, **options)


def test_a_single_variable_is_refused():
    with pytest.raises(ValueError, match="single variable"):
        ChenSearch(lambda child, parents: 0.0, 1)


@pytest.mark.parametrize("greatest", [1e100, 1e300, 1.5e308])
@pytest.mark.parametrize("alone", [0.0, -50.0])
def test_scores_beside_which_others_vanish_never_reach_a_policy(greatest, alone):
    with pytest.raises(ValueError, match=r"vanish beside it\. Forbid edges with `within`"):
        run(ChenSearch(lambda child, parents: -greatest if parents else alone, 4))


def test_a_large_penalty_keeps_an_edge_out():
    found = run(ChenSearch(lambda child, parents: 10.0 * len(parents) - 1e9 * (0 in parents) - 100.0, 4))
    assert all(0 not in parents for parents in found)
    assert any(found)


def test_a_score_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite"):
        run(ChenSearch(lambda child, parents: -np.inf if parents else 0.0, 3))


def test_a_copy_of_a_search_paused_within_a_block_ends_bit_identical():
    data = bnlab.load_network("simple").sample(2000, seed=1)
    search = paper_search(local_scores(data, "k2"), 7, seed=3)
    unbroken = Trace()
    last = unbroken.run(search)
    paused, begun = search.advance(search.init(), 37)
    rest = Trace()
    resumed = rest.run(*pickle.loads(pickle.dumps((search, paused))))
    assert [*begun.scores, *rest.scores] == unbroken.scores.tolist()
    for mine, theirs in zip((*last.net, *last.decisions), (*resumed.net, *resumed.decisions), strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_a_seed_gives_the_same_trace_on_any_machine():
    """Scores are sums of whole multiples of 1/8, so that no rounding differs; the digest is of the first 400."""
    gain = np.random.default_rng(8).integers(-40, 60, (9, 9)) / 8
    search = ChenSearch(lambda child, parents: float(gain[list(parents), child].sum()), 9, beta=0.05, seed=11)
    trace = Trace()
    trace.run(search)
    digest = sha256(trace.scores[:400].astype("<f8").tobytes()).hexdigest()[:16]
    assert digest == "08f2bb6481a78eaf"


def test_the_present_network_may_be_the_answer_of_a_search_that_is_stopped():
    phi = RandomScores(5, 1)
    options = {"beta": 0.02, "Q": 10**6, "max_iterations": 75}
    state = Trace().run(paper_search(phi, 5, **options))
    assert run(paper_search(phi, 5, answer="present", **options)) == state.parents
    assert run(paper_search(phi, 5, answer="best", **options)) == state.best_parents


@pytest.mark.parametrize("beta", [1e-300, 1e300])
def test_no_rate_however_extreme_brings_nan_into_a_policy(beta):
    state = Trace().run(ChenSearch(RandomScores(5, 2), 5, beta=beta, B=20, Q=300))
    assert np.isfinite(state.tau).all()
    assert np.abs(state.tau.sum(axis=1) - 1).max() < 1e-12
