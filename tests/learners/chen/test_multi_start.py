"""A search that is paused in one process and resumed in another, or run on another machine."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context

import numpy as np
import pytest

import bnlab
from bnlab.graphs import Dag
from bnlab.learners import ChenSearch, paper_search
from bnlab.scores import local_scores
from bnlab.search import Trace, run

from ..small_problems import RandomScores, is_acyclic, n_components


def finish(pickled):
    """Go on from a pickled search and state to the end; the last state and every score on the way, pickled."""
    search, state = pickle.loads(pickled)
    trace = Trace()
    return pickle.dumps((trace.run(search, state), trace.scores))


def test_a_search_paused_within_a_block_ends_bit_identical_in_another_process():
    data = bnlab.load_network("simple").sample(2000, seed=1)
    search = paper_search(local_scores(data, "k2"), 7, seed=3)
    unbroken = Trace()
    last = unbroken.run(search)
    paused, begun = search.advance(search.init(), 37)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        resumed, scores = pickle.loads(other.submit(finish, pickle.dumps((search, paused))).result())
    assert [*begun.scores, *scores] == unbroken.scores.tolist()
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


@pytest.mark.parametrize("seed", range(4))
def test_recorded_steps_are_acyclic_and_once_connected_stay_so_until_a_new_instance(seed):
    search = ChenSearch(RandomScores(7, seed), 7, beta=0.03, B=40, Q=300, seed=seed)
    state, once = search.init(), False
    while not search.is_done(state):
        state, info = search.advance(state, 1)
        once = once and not any(event.kind == "instance" for event in info.events)
        assert is_acyclic(state.parents)
        assert not once or n_components(state.parents) == 1
        once = once or n_components(state.parents) == 1


def test_the_present_network_may_be_the_answer_of_a_search_that_is_stopped():
    phi = RandomScores(5, 1)
    options = {"beta": 0.02, "Q": 10**6, "max_iterations": 75}
    state = Trace().run(ChenSearch(phi, 5, **options))
    assert run(ChenSearch(phi, 5, answer="present", **options)) == state.parents
    assert run(ChenSearch(phi, 5, answer="best", **options)) == state.best_parents


@pytest.mark.parametrize("beta", [1e-300, 1e300])
def test_no_rate_however_extreme_brings_nan_into_a_policy(beta):
    state = Trace().run(ChenSearch(RandomScores(5, 2), 5, beta=beta, B=20, Q=300))
    assert np.isfinite(state.tau).all()
    assert np.abs(state.tau.sum(axis=1) - 1).max() < 1e-12


def test_found_networks_are_graphs_on_the_names():
    data = bnlab.load_network("cancer").sample(500, seed=0)
    found = bnlab.learn(data, "chen", variant="paper", seed=1, answer="present", max_iterations=60)
    assert isinstance(found, Dag)
    assert found.names == data.names
