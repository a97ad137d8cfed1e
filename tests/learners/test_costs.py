"""Estimates of seconds and memory: what they are made of, and what must hold on any machine."""

from __future__ import annotations

from functools import partial
from itertools import count
from time import process_time
from typing import Any

import numpy as np
import pytest

import bnlab
from bnlab._runtime import costs
from bnlab.counts import MemorySource
from bnlab.learners.costs import FAMILIES_GROWTH, _memory
from bnlab.learners.learn import make_search, options_on_first, short_run
from bnlab.learners.table import LEARNERS
from bnlab.scores import local_scores
from bnlab.search import run, timed
from bnlab.skeletons.skeleton import SKELETONS

TABLE = bnlab.load_network("alarm").sample(500, seed=1)


@pytest.mark.parametrize("name", ["hill-climbing", "chow-liu", "branching", "ckg", "k2"])
def test_families_are_extrapolated_within_a_factor_of_three(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "BUDGET", 0.0)
    monkeypatch.setattr(costs, "FEW", 20)
    short, _ = short_run(TABLE, name, None, {})
    assert short.n == 20
    phi = local_scores(TABLE.take(range(500)), LEARNERS[name].score)
    run(LEARNERS[name].search(phi, 37))
    assert 1 / 3 < short.spent.families * (37 / short.n) ** FAMILIES_GROWTH / phi.misses < 3


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hill-climbing", {"restarts": 10}),
        ("chow-liu", {}),
        ("ckg", {}),
        ("k2", {}),
        ("boss", {"restarts": 100}),
        ("ordering-search", {"k": 2}),
        ("opthpc", {}),
        ("hpc", {}),
        ("mmpc", {}),
        ("getpc", {}),
        ("heupc", {}),
    ],
)
def test_an_estimate_from_part_of_a_table_is_near_what_the_whole_takes(monkeypatch, name, options) -> None:
    # The aim is a factor of three for long work on an idle machine; six leaves room for what other programs slow.
    monkeypatch.setattr(costs, "BUDGET", 0.15)
    table = bnlab.load_network("alarm").sample(20_000, seed=2)
    work = partial(bnlab.skeleton if name in SKELETONS else bnlab.learn, table, name, **options)
    work()
    taken = []
    for _ in range(3):
        begun = process_time()
        work()
        taken.append(process_time() - begun)
    estimated = sorted(bnlab.estimate(table, name, **options).seconds for _ in range(3))[1]
    assert 1 / 6 < estimated / min(taken) < 6


def test_a_run_that_knows_what_is_left_ends_early() -> None:
    begun = process_time()
    spent = timed(make_search(TABLE, "boss", restarts=10**7), "searches", limit=0.01)
    took = process_time() - begun
    assert spent.repeats > 100 * took
    assert 0 < spent.once <= took
    whole = timed(make_search(TABLE, "boss", restarts=10**7), limit=0.01)
    assert whole.repeats == 0
    assert whole.once > 100 * took


def test_few_variables_are_treated_as_many_are() -> None:
    assert [LEARNERS["ordering-search"].as_with(n) for n in (37, 370)] == [{"k": 3}, {"k": 2}]
    assert LEARNERS["boss"].as_with(370) == {}
    wide = [bnlab.estimate(TABLE, "ordering-search", k=k).seconds for k in (1, None)]
    assert wide[0] < wide[1]


def test_skeletons_without_compiled_loops_are_estimated_in_steps(monkeypatch) -> None:
    fast = bnlab.estimate(TABLE, "hpc").seconds
    monkeypatch.setattr("bnlab.citests.g2_tester.MAX_RESULTS", 0)
    assert bnlab.estimate(TABLE, "hpc").seconds > 2 * fast


def test_many_variables_are_refused_or_estimated_before_their_candidates_are_listed() -> None:
    search: Any = make_search(TABLE, "ordering-search", knowledge=bnlab.Knowledge(forbidden=[TABLE.names[:2]]))
    assert "candidates" not in vars(search.first)
    assert [search.first.number_of_candidates(v) for v in range(37)] == list(map(len, search.first.candidates))


@pytest.mark.parametrize(("name", "options"), [("exact", {"max_parents": 2}), ("ordering-search", {"k": 2})])
def test_the_growth_of_a_search_of_parent_sets_is_their_number(name: str, options: dict[str, int]) -> None:
    growth = LEARNERS[name].growth_with(options).once
    search: Any = make_search(TABLE, name, **options)
    assert growth(37) == search.snapshot(search.init()).work.total
    assert LEARNERS["boss"].growth_with({}).once(20) == 400


def test_more_work_takes_longer_and_a_limit_ends_it() -> None:
    few, many = (bnlab.estimate(TABLE, "boss", restarts=restarts) for restarts in (2, 400))
    assert 0 < few.seconds < many.seconds
    assert bnlab.estimate(TABLE, "boss", restarts=400, time_limit=0.01).seconds == 0.01
    assert 0 < few.memory < 1e8


def test_an_exact_search_is_bounded_only_where_its_steps_are_known() -> None:
    small = bnlab.estimate(TABLE.select(TABLE.names[:15]), "exact")
    assert not small.at_least
    whole = bnlab.estimate(TABLE, "exact")
    assert whole.at_least
    assert str(whole).startswith("exact: at least")
    limited = bnlab.estimate(TABLE, "exact", time_limit=30.0)
    assert not limited.at_least
    assert limited.seconds > 30
    # Short runs are timed, of which another program may slow one.
    two, three = (partial(bnlab.estimate, TABLE, "exact", max_parents=k) for k in (2, 3))
    assert any(two().seconds < three().seconds for _ in range(3))


def test_without_a_name_it_is_of_the_recommended_learner() -> None:
    whole = bnlab.estimate(TABLE)
    assert whole.algorithm == "boss"
    assert whole.seconds <= 10
    assert bnlab.estimate(TABLE.select(TABLE.names[:6]).to_pandas()).algorithm == "exact"


def test_memory_grows_with_rows_and_variables() -> None:
    assert _memory(TABLE, 1000.0) < _memory(TABLE, 2000.0) < _memory(TABLE.take([0] * 100_000), 2000.0)


def test_options_that_name_variables_are_checked_and_left_out() -> None:
    names = TABLE.names
    found = bnlab.estimate(TABLE, "HC", within=[(names[0], names[36])], start=[(names[36], names[0])])
    assert found.algorithm == "hill-climbing"


def test_short_runs_search_within_the_edges_among_their_variables() -> None:
    names = TABLE.names
    edges = [(names[0], names[5]), (names[3], names[36]), (names[7], names[2])]
    short = options_on_first(TABLE, 20, {"within": edges, "start": edges, "tabu": 3})
    assert short.keys() == {"within", "tabu"}
    assert np.argwhere(short["within"]).tolist() == [[0, 5], [2, 7], [5, 0], [7, 2]]
    assert bnlab.estimate(TABLE, "hill-climbing", within=edges, tabu=3).seconds > 0


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((TABLE, "hill-climber"), {}, ValueError, "did you mean 'hill-climbing'"),
        ((TABLE, "hc"), {"restart": 2}, ValueError, "'restart' is no option"),
        ((TABLE, "hc"), {"within": [("A", "B")]}, ValueError, "A"),
        ((MemorySource(TABLE), "hc"), {}, TypeError, "not a MemorySource"),
        ((TABLE, "hpcc"), {}, ValueError, "did you mean 'hpc'"),
        ((TABLE, "hpc"), {"alpa": 0.1}, ValueError, "hpc has no option 'alpa'"),
        ((TABLE, "hpc"), {"score": "bic"}, ValueError, "by tests, not by a score"),
    ],
)
def test_what_cannot_be_estimated_is_refused(
    arguments: tuple[object, ...], options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bnlab.estimate(*arguments, **options)


@pytest.mark.parametrize("name", SKELETONS)
def test_skeletons_have_estimates_too(name: str) -> None:
    found = bnlab.estimate(TABLE, name.upper(), alpha=0.01, variant="paper")
    assert found.algorithm == name
    assert found.seconds > 0
    assert not found.at_least
    assert found.memory > bnlab.estimate(TABLE.select(TABLE.names[:9]), name).memory


def test_missing_values_are_part_of_an_estimate() -> None:
    gaps = bnlab.data.remove_values(TABLE, 0.1, seed=1)
    found = bnlab.estimate(gaps, "structural-em", learner="hill-climbing")
    assert found.seconds > bnlab.estimate(gaps, "available-cases", learner="hill-climbing").seconds > 0
    assert bnlab.estimate(gaps).algorithm == "structural-em"


@pytest.mark.parametrize("what", ["hill-climbing", "chow-liu", "mmpc"])
def test_work_on_a_large_table_says_so_beforehand(monkeypatch, caplog, what) -> None:
    work = bnlab.skeleton if what in SKELETONS else bnlab.learn
    work(TABLE, what)
    assert not caplog.records
    monkeypatch.setattr(costs, "MANY", 1)
    monkeypatch.setattr(costs, "LONG", 0.0)
    work(TABLE, what)
    (record,) = caplog.records
    assert f"'{what}' on 37 variables and 500 rows, which takes" in record.getMessage()


@pytest.mark.parametrize(("what", "options"), [("boss", {}), ("exact", {"max_parents": 2}), ("k2", {}), ("chen", {})])
def test_a_long_search_on_a_small_table_says_so_soon(monkeypatch, caplog, what, options) -> None:
    table = TABLE.select(TABLE.names[:12])
    graph = bnlab.learn(table, what, **options)
    assert not caplog.records
    monkeypatch.setattr("bnlab.search.REPORT_AFTER_S", 0.0)
    monkeypatch.setattr(costs, "LONG", 0.0)
    assert bnlab.learn(table, what, **options) == graph
    (record,) = caplog.records
    assert f"'{what}' on 12 variables and 500 rows, which takes" in record.getMessage()


@pytest.mark.parametrize(
    ("method", "whats"),
    [
        ("exact", ["the exact posterior"]),
        ("mcmc", ["the scores of all families", "the sampler"]),
        ("bootstrap", ["the bootstrap"]),
    ],
)
def test_long_work_on_edge_probabilities_says_so_soon(monkeypatch, caplog, method, whats) -> None:
    table, few = TABLE.select(TABLE.names[:6]), {"mcmc": {"draws": 500}, "bootstrap": {"replicates": 3}}.get(method, {})
    found = bnlab.edge_probabilities(table, method, **few)
    assert not caplog.records
    monkeypatch.setattr(costs, "LONG", 0.0)
    # The first look comes after the first step.
    monkeypatch.setattr("bnlab.search.Watch", lambda: partial(next, count(0.0, 0.9)))
    again = bnlab.edge_probabilities(table, method, **few)
    assert np.array_equal(again.arcs, found.arcs)
    said = [record.getMessage() for record in caplog.records]
    assert [text.split(" on 6 variables")[0] for text in said] == [f"bnlab begins {what}" for what in whats]
