from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import bnlab
from bnlab.learners.bootstrap import Bootstrap
from bnlab.search import iterate, run

climb = partial(bnlab.learn, algorithm="hill-climbing", score="bic")


@pytest.fixture(scope="module")
def table():
    return bnlab.load_network("asia").sample(500, seed=3)


def test_each_share_is_that_of_essential_graphs_of_resampled_rows(table):
    confidence = run(Bootstrap(table, climb, replicates=4, seed=7))
    rows = [np.random.default_rng((7, k)).integers(0, 500, 500) for k in range(4)]
    frames = [table.to_pandas().iloc[picked] for picked in rows]
    skeletons = [climb(bnlab.load_data(frame)).adjacency() for frame in frames]
    expected = np.mean([skeleton | skeleton.T for skeleton in skeletons], axis=0)
    np.testing.assert_array_equal(confidence.strength, expected)
    assert confidence.graphs == 4


def test_an_executor_gives_the_same_states(table):
    search = Bootstrap(table, climb, replicates=5)
    with ThreadPoolExecutor(2) as executor:
        found = [state for state, _ in search.run_on(executor, ahead=2)]
    for state, (expected, _) in zip(found, iterate(search), strict=True):
        assert state.done == expected.done
        np.testing.assert_array_equal(state.arcs, expected.arcs)


def test_a_skeleton_learner_counts_undirected_edges(table):
    search = Bootstrap(table, lambda rows: bnlab.skeleton(rows, "mmpc").to_pdag(), replicates=2)
    arcs = run(search).arcs
    np.testing.assert_array_equal(arcs, arcs.T)
    assert arcs.max() == 0.5


@pytest.mark.parametrize("replicates", [0, -1, 2.5, True])
def test_the_number_of_replicates_is_checked(table, replicates):
    with pytest.raises((ValueError, TypeError), match="replicates"):
        Bootstrap(table, climb, replicates=replicates)


def test_numbers_of_numpy_are_taken_and_a_negative_seed_is_refused(table):
    assert run(Bootstrap(table, climb, replicates=np.int64(1), seed=np.int64(3))).graphs == 1
    with pytest.raises(ValueError, match="seed=-1: it must be at least 0"):
        Bootstrap(table, climb, seed=-1)
