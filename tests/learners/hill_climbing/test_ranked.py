"""A local score over ranks is the same score, and does not see the order of the columns."""

from __future__ import annotations

import numpy as np

import bnlab
from bnlab.learners.hill_climbing.ranked import Ranked
from bnlab.learners.types import as_local_scores
from bnlab.scores import LocalScores, make_score
from tests.learners.small_problems import RandomScores, every_family
from tests.scores.small_tables import make_table


def test_families_of_ranks_score_as_those_of_their_variables():
    phi = RandomScores(4, 1)
    ranked = Ranked(as_local_scores(phi, 4), 4)
    assert sorted(ranked.order) == list(range(4))
    for child, parents in every_family(4):
        there = ranked.rank[child], tuple(sorted(ranked.rank[u] for u in parents))
        assert ranked(*there) == ranked.many([there])[0] == ranked.once([there])[0] == phi(child, parents)


def test_what_is_added_or_removed_keeps_its_place():
    phi = LocalScores(make_table((2, 3, 2, 4, 2), 200, seed=2), make_score("bic"))
    ranked = Ranked(phi, 5)
    (scores,) = ranked.toggled([(1, (0, 3))], [(0, 2, 3, 4)])
    expected = [ranked(1, family) for family in ((3,), (0, 2, 3), (0,), (0, 3, 4), (0, 3))]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def test_a_graph_of_ranks_becomes_one_of_variables():
    phi = RandomScores(4, 2)
    ranked = Ranked(as_local_scores(phi, 4), 4)
    there = ((), (0,), (0, 1), (2,))
    parents = ranked.in_variables(there)
    scored = [phi(i, family) for i, family in enumerate(parents)]
    assert sorted(scored) == sorted(ranked(k, family) for k, family in enumerate(there))


def test_ranks_of_permuted_columns_stand_for_the_same_variables():
    data = bnlab.load_network("alarm").sample(100, seed=0)  # several columns have the same counts of states
    names = np.random.default_rng(1).permutation(list(data.names)).tolist()
    first, second = (Ranked(LocalScores(table, make_score("bic")), 37) for table in (data, data.select(names)))
    assert first.names == second.names
    families = [(3, ()), (5, (0, 7)), (36, (35,))]
    wanted = np.where(np.arange(37) == np.array([[3], [5], [36]]), np.inf, -np.inf)
    scores = [ranked.compiled().toggles(families, wanted) for ranked in (first, second)]
    np.testing.assert_array_equal(scores[0], scores[1])
