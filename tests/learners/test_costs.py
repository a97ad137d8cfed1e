"""Estimates of seconds and memory: what they are made of, and what must hold on any machine."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import bnlab
from bnlab._runtime import costs
from bnlab._runtime.costs import extrapolated
from bnlab.counts import MemorySource
from bnlab.learners.costs import _memory, _short_run
from bnlab.learners.learn import options_on_first
from bnlab.learners.table import LEARNERS
from bnlab.scores import local_scores
from bnlab.search import run

TABLE = bnlab.load_network("alarm").sample(500, seed=1)


def test_every_learner_but_the_exact_one_has_a_growth() -> None:
    assert [name for name, learner in LEARNERS.items() if learner.growth is None] == ["exact"]


@pytest.mark.parametrize("name", ["hill-climbing", "chow-liu", "branching", "ckg", "k2"])
def test_families_are_extrapolated_within_a_factor_of_three(name: str) -> None:
    some = _short_run(TABLE, 20, name, None, {})
    phi = local_scores(TABLE.take(range(500)), LEARNERS[name].score)
    run(LEARNERS[name].search(phi, 37))
    assert 1 / 3 < some.families * (37 / 20) ** 2.2 / phi.misses < 3


@pytest.mark.parametrize("power", [1.5, 2.0, 3.0])
def test_seconds_of_a_power_and_a_constant_are_found(power: float) -> None:
    seconds = {n: 0.01 + 2e-4 * n**power for n in (8, 20, 37, 223)}
    few, some = ((n, seconds[n]) for n in (8, 20))
    for n in (20, 37, 223):
        assert extrapolated(few, some, n, power) == pytest.approx(seconds[n])
    assert extrapolated((8, seconds[20]), some, 223, power) > seconds[20]


def test_more_work_takes_longer_and_a_limit_ends_it() -> None:
    few, many = (bnlab.estimate(TABLE, "boss", restarts=restarts) for restarts in (2, 400))
    assert 0 < few.seconds < many.seconds
    assert bnlab.estimate(TABLE, "boss", restarts=400, time_limit=0.01).seconds == 0.01
    assert 0 < few.memory == many.memory < 1e8


def test_an_exact_search_is_bounded_only_where_its_steps_are_known() -> None:
    small = bnlab.estimate(TABLE.select(TABLE.names[:15]), "exact")
    assert not small.at_least
    whole = bnlab.estimate(TABLE, "exact")
    assert whole.at_least
    assert str(whole).startswith("exact: at least") or whole.seconds < 1
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
    ],
)
def test_what_cannot_be_estimated_is_refused(
    arguments: tuple[object, ...], options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bnlab.estimate(*arguments, **options)


@pytest.mark.parametrize("what", ["hill-climbing", "chow-liu", "mmpc"])
def test_work_that_takes_long_says_so_beforehand(monkeypatch, caplog, what) -> None:
    work = bnlab.skeleton if what == "mmpc" else bnlab.learn
    work(TABLE, what)
    assert not caplog.records
    monkeypatch.setattr(costs, "MANY", 1)
    monkeypatch.setattr(costs, "LONG", 0.0)
    work(TABLE, what)
    (record,) = caplog.records
    assert f"'{what}' on 37 variables and 500 rows, which takes about" in record.getMessage()
