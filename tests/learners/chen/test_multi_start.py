"""The multi-start version of Chen's search, and the front door to both versions."""

from __future__ import annotations

import pickle

import pytest

import bnlab
from bnlab.learners import MultiStartChen
from bnlab.scores import local_scores
from bnlab.search import Trace, iterate

from ..small_problems import RandomScores


def test_a_paused_search_resumes_identically_elsewhere():
    search = MultiStartChen(RandomScores(5, 9), 5, chains=2, rounds=3, iterations=100)
    states = [state for state, _ in iterate(search)]
    other, middle = pickle.loads(pickle.dumps((search, states[2])))
    last = Trace().run(other, middle)
    assert (last.best_parents, last.best_score) == (states[-1].best_parents, states[-1].best_score)
    assert last.policies.tolist() == states[-1].policies.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_the_default_finds_the_optimum_of_the_simple_network(seed):
    net = bnlab.load_network("simple")
    data = net.sample(5000, seed=1)
    phi = local_scores(data, "k2")
    found = bnlab.learn(data, "chen", seed=seed)
    assert phi.total(found.parents) == pytest.approx(best_by_subsets(phi, phi.n), rel=1e-12)


def best_by_subsets(phi, n):
    """Score of the best network, by dynamic programming over which variables come first (Silander 2006)."""
    best_family = {}
    for v in range(n):
        for mask in range(1 << n):
            if not mask >> v & 1:
                own = phi(v, tuple(u for u in range(n) if mask >> u & 1))
                smaller = (best_family[v, mask ^ (1 << u)] for u in range(n) if mask >> u & 1)
                best_family[v, mask] = max([own, *smaller])
    best = {0: 0.0}
    for mask in range(1, 1 << n):
        lasts = [v for v in range(n) if mask >> v & 1]
        best[mask] = max(best[mask ^ (1 << v)] + best_family[v, mask ^ (1 << v)] for v in lasts)
    return best[(1 << n) - 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"variant": "papers"}, "did you mean 'paper'"), ({"variant": "paper", "chains": 3}, "'chains' is no option")],
)
def test_unknown_variants_and_options_are_refused(options, message):
    data = bnlab.load_network("cancer").sample(100, seed=0)
    with pytest.raises(ValueError, match=message):
        bnlab.learn(data, "chen", **options)
