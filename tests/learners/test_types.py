"""The contract of a local score: all that a learner uses has a default; and every search describes its progress."""

from itertools import pairwise

import numpy as np
import pytest

from bnlab.graphs import Dag, Pdag
from bnlab.learners import Bootstrap, learn, make_search, partition_sampler
from bnlab.learners.table import LEARNERS
from bnlab.learners.types import as_local_scores
from bnlab.networks import cancer
from bnlab.scores import local_scores
from bnlab.scores.function import LocalScoreFunction
from bnlab.search import Described, iterate
from bnlab.skeletons import make_search as make_skeleton
from bnlab.skeletons.skeleton import SKELETONS

TABLE = cancer().sample(300, seed=0)
OPTIONS = {"hill-climbing": {"restarts": 2}, "chen": {"Q": 20, "max_iterations": 200}}
SEARCHES = {
    **{name: make_search(TABLE, name, **OPTIONS.get(name, {})) for name in LEARNERS},
    **{name: make_skeleton(TABLE, name) for name in SKELETONS},
    "opthpc, order 0 first": make_skeleton(TABLE, "opthpc", zero_order_first=True),
    "bootstrap": Bootstrap(TABLE, lambda table: learn(table, "chow-liu"), 3),
    "posterior": partition_sampler(TABLE, chains=2, draws=20, burn_in=20),
}


def plain(child: int, parents: tuple[int, ...]) -> float:
    return 10.0 * child - sum(parents)


def test_local_scores_offer_all_that_learners_use():
    phi = local_scores(TABLE)
    assert isinstance(phi, LocalScoreFunction)
    assert as_local_scores(phi) is phi


def test_a_plain_function_gets_the_defaults():
    phi = as_local_scores(plain, 4)
    assert phi.many([(1, ()), (2, (0, 1))]).tolist() == phi.once([(1, ()), (2, (0, 1))]).tolist() == [10.0, 19.0]
    assert [values.tolist() for values in phi.toggled([(0, (1,)), (3, ())], [(1, 2), (0,)])] == [[0, -3, -1], [30, 30]]
    assert phi.bounds(0, np.array([[1, 2]])).tolist() == [np.inf]
    assert (phi.compiled(), phi.names, phi.n, phi.score_equivalent) == (None, None, 4, False)


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_describes_its_work_and_graph_until_all_is_done(name):
    search = SEARCHES[name]
    assert isinstance(search, Described)
    assert search.variable_names() == TABLE.names
    works = []
    for state, _ in iterate(search):
        snapshot = search.snapshot(state)
        works.append(snapshot.work)
        if snapshot.sketch is not None:
            assert isinstance(search.graph_of(snapshot.sketch, TABLE.names), Dag | Pdag)
    assert works[-1].done == works[-1].total
    assert all(a.unit != b.unit or a.done <= b.done for a, b in pairwise(works))
    assert snapshot.sketch is not None


@pytest.mark.parametrize("name", ["hill-climbing", "ckg", "ordering-search"])
def test_a_search_scores_any_network_as_its_local_score_does(name):
    search = SEARCHES[name]
    parents = learn(TABLE, "chow-liu").parents
    assert search.score_of(parents) == pytest.approx(local_scores(TABLE).total(parents))


def test_only_a_search_over_decisions_has_policies():
    chen = make_search(TABLE, "chen", variant="paper", max_iterations=5)
    state = chen.init()
    shown = chen.snapshot(state).policies
    assert (shown.active, shown.permanent) == (state.active, ())
    np.testing.assert_array_equal(shown.tau, state.tau)
    climb = SEARCHES["hill-climbing"]
    assert climb.snapshot(climb.init()).policies is None


def test_a_local_score_without_a_formula_cannot_be_made():
    class Nothing(LocalScoreFunction):
        """Defines nothing."""

    with pytest.raises(TypeError, match="abstract"):
        Nothing()
