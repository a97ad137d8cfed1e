"""A watched search: nothing of its steps is lost or made up, and it is looked at seldom."""

from __future__ import annotations

from typing import Any

import numpy as np

from bnlab.figures.searches.curve import COLUMNS, Curve
from bnlab.search import Event, Progress, Trace
from bnlab.widgets.player.run import EVERY, Run
from bnlab.widgets.player.update import Advance, Ended
from tests.widgets.small_searches import Counter

LATER = EVERY + 500


def worked(most: int, *, once: bool = False, stopped: Any = lambda: False) -> Ended:
    """What the work on a search ends with."""
    return Advance(0, {"search": Run.of(Counter(most))}, 0.0, once).run(lambda moved: None, stopped)


def test_the_steps_are_those_of_the_search_alone() -> None:
    run, trace = worked(LATER).moved.runs["search"], Trace()
    assert run.state == trace.run(Counter(LATER))
    assert run.log.trace.iterations == trace.iterations
    assert run.log.trace.best == trace.best
    assert run.log.trace.events == trace.events
    assert np.array_equal(run.log.curve.column("score"), trace.scores)
    assert (run.done, run.steps, run.at(None).iteration) == (True, LATER, LATER)


def test_of_very_many_quick_steps_the_first_and_the_last_are_kept() -> None:
    history = worked(10 * EVERY).moved.runs["search"].log.history
    assert EVERY < len(history) < 10 * EVERY
    for moment in (1, 2, EVERY - 1, 10 * EVERY):
        assert history.at(moment).iteration == moment


def test_one_step_is_one_step_and_a_stop_ends_after_the_current_one() -> None:
    assert worked(9, once=True).moved.runs["search"].state.count == 1
    asked = iter([False, False, True])
    assert worked(9, stopped=lambda: next(asked)).moved.runs["search"].state.count == 2


def test_a_curve_that_is_looked_at_seldom_is_that_of_one_looked_at_after_each_step() -> None:
    rng = np.random.default_rng(5)
    seldom, often = Curve(), Curve()
    iteration = 0
    for _ in range(300):
        scores = rng.normal(size=rng.integers(0, 4))
        iteration += max(1, len(scores))
        told = Progress(iteration, scores, float(rng.normal()), (Event(iteration, "restart"),))
        seconds = float(rng.random())
        for curve in (seldom, often):
            curve.add(told, seconds)
        assert len(often) <= iteration
    for column in COLUMNS:
        assert np.array_equal(seldom.column(column), often.column(column)), column
    assert seldom.seconds == often.seconds
    assert seldom.marks(None) == often.marks(None)
