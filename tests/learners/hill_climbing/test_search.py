"""Hill climbing: against all DAGs of few variables, and against R bnlearn on its own data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.graphs import Dag, skeleton
from bnlab.learners import HillClimbing
from bnlab.scores import local_scores
from bnlab.search import Trace, iterate, run

from ..small_problems import PlantedScores, RandomScores, best_total, is_acyclic, total


@pytest.mark.parametrize("name", ["bic", "k2"])
def test_it_scores_at_least_as_well_as_bnlearn(name, alarm5k, golden):
    phi = local_scores(alarm5k, name)
    arcs = pd.read_csv(golden / f"alarm5k_hc_{name}_arcs.csv")
    theirs = Dag.from_edges(alarm5k.names, arcs.iloc[:, :2].itertuples(index=False, name=None))
    assert phi.total(run(HillClimbing(phi, phi.n))) >= phi.total(theirs.parents) - 1e-6


@pytest.mark.parametrize("name", ["bic", "k2", "bdeu"])
@pytest.mark.parametrize("rows", ["alarm5k", "hailfinder5k"])
def test_it_scores_at_least_as_well_as_pyagrum(name, rows, golden, request):
    table = request.getfixturevalue(rows)
    phi = local_scores(table, name)
    arcs = pd.read_csv(golden / f"{rows}_pyagrum_greedy_{name}_arcs.csv")
    theirs = Dag.from_edges(table.names, arcs.itertuples(index=False, name=None))
    assert phi.total(run(HillClimbing(phi, phi.n))) >= phi.total(theirs.parents) - 1e-6


def test_a_tabu_list_scores_at_least_as_well_as_bnlearns(alarm5k):
    phi = local_scores(alarm5k, "bic")
    assert phi.total(run(HillClimbing(phi, phi.n, tabu=10))) >= -55075.43


@pytest.mark.parametrize("seed", range(10))
def test_no_single_move_improves_the_result(seed):
    phi = RandomScores(4, seed)
    found = run(HillClimbing(phi, 4))
    edges = [(u, v) for u in range(4) for v in range(4) if u != v]
    for u, v in edges:
        toggled = [set(p) for p in found]
        toggled[v] ^= {u}
        turned = [set(p) for p in toggled]
        turned[u] ^= {v}
        for graph in (toggled, turned):
            neighbour = tuple(tuple(sorted(p)) for p in graph)
            assert not is_acyclic(neighbour) or total(phi, neighbour) <= total(phi, found) + 1e-8


@pytest.mark.parametrize("seed", range(5))
def test_with_restarts_it_finds_the_best_of_all_graphs(seed):
    phi = RandomScores(4, seed)
    found = run(HillClimbing(phi, 4, tabu=3, restarts=40, perturbations=4))
    assert total(phi, found) == pytest.approx(best_total(phi, 4))


def test_every_graph_on_the_way_is_acyclic_and_its_score_is_the_sum():
    phi = RandomScores(5, 0)
    for state, info in iterate(HillClimbing(phi, 5, tabu=4, restarts=5)):
        assert is_acyclic(state.parents)
        assert state.score == pytest.approx(total(phi, state.parents))
        assert info.best_score == state.best_score >= state.score - 1e-6


def test_restarts_add_delete_and_reverse_equally_often(alarm5k):
    trace = Trace()
    trace.run(HillClimbing(local_scores(alarm5k, "bic"), 37, restarts=20, tabu=10))
    begins = {event.iteration for event in trace.events if event.kind == "restart"}
    kinds = [event.kind for event in trace.events if event.iteration in begins and event.kind != "restart"]
    assert len(begins) == 20
    assert all(0.25 < kinds.count(kind) / len(kinds) < 0.42 for kind in ("add", "delete", "reverse"))


def test_the_seed_settles_the_restarts():
    phi = RandomScores(5, 2)

    def events(seed):
        trace = Trace()
        trace.run(HillClimbing(phi, 5, restarts=5, seed=seed))
        return trace.events

    assert events(1) == events(1) != events(2)


def test_the_limit_of_parents_and_the_allowed_edges_hold():
    phi = PlantedScores([(), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)])
    assert max(map(len, run(HillClimbing(phi, 5, max_parents=2, restarts=5)))) == 2
    within = skeleton(Dag(list("ABCDE"), [(), (0,), (1,), (2,), (3,)]))
    found = run(HillClimbing(phi, 5, within=within))
    assert found == ((), (0,), (1,), (2,), (3,))
    only_one = np.zeros((5, 5), dtype=bool)
    only_one[3, 4] = True
    assert run(HillClimbing(phi, 5, within=only_one)) == ((), (), (), (), (3,))


def test_equal_gains_of_an_equivalent_score_are_settled_by_order():
    phi = local_scores(bnlab.load_network("cancer").sample(3000, seed=1), "bic")
    noisy = np.random.default_rng(0)
    jittered = lambda child, parents: phi(child, parents) * (1 + 1e-14 * noisy.standard_normal())  # noqa: E731
    assert run(HillClimbing(jittered, phi.n)) == run(HillClimbing(phi, phi.n))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tabu": -1}, "tabu=-1"),
        ({"restarts": 1.5}, "restarts=1.5"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"start": [(1,), (0,)]}, "start.*cycle"),
        ({"start": [(1,), ()], "max_parents": 0}, "more than max_parents=0"),
        ({"within": np.ones((3, 3), dtype=bool)}, "shape"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        run(HillClimbing(PlantedScores([(), ()]), 2, **options))


def test_a_score_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite"):
        run(HillClimbing(lambda child, parents: float("nan"), 2))
