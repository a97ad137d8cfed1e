"""A watched search whose quick steps are made several at a time: nothing of them is lost or made up."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest

from bnlab.search import Event, Progress, Trace
from bnlab.widgets.player.curve import COLUMNS, Curve
from bnlab.widgets.player.run import EVERY, Run
from tests.widgets.small_searches import Counter, Gate

LATER = EVERY + 500
LONG = 30.0


def begun(search: Counter) -> Run:
    """Run whose first steps, which are made one by one, are behind it."""
    run = Run(search)
    run.step(LONG)
    assert run.steps == 1
    while run.steps < EVERY:
        run.step()
    return run


def test_later_steps_are_made_together_and_are_those_of_the_search() -> None:
    search = Counter(LATER)
    run = begun(search)
    run.step(LONG)
    assert run.done
    trace = Trace()
    assert run.state == trace.run(search)
    assert run.trace.iterations == trace.iterations
    assert run.trace.best == trace.best
    assert np.array_equal(run.curve.column("score"), trace.scores)
    assert run.at(None)[0] == LATER


def test_without_time_a_step_is_one_step() -> None:
    run = begun(Counter(LATER))
    run.step()
    assert run.state.count == run.iteration == run.steps == len(run.curve) == EVERY + 1


def test_a_step_that_fails_leaves_those_before_it() -> None:
    broken = [True]

    def before(count: int) -> None:
        if count == EVERY + 7 and broken[0]:
            raise ZeroDivisionError

    run = begun(Counter(LATER, before))
    with pytest.raises(ZeroDivisionError):
        run.step(LONG)
    assert run.state.count == run.steps == len(run.curve) == EVERY + 7
    broken[0] = False
    run.step(LONG)
    assert run.trace.iterations == list(range(1, LATER + 1))


def test_a_step_that_is_given_up_comes_after_those_before_it_and_counts_later() -> None:
    gate, made = Gate(), []
    search = Counter(LATER, lambda count: (made.append(count), gate(count - EVERY)))
    run = begun(search)
    thread = Thread(target=run.step, args=(LONG,))
    thread.start()
    assert gate.reached.wait(LONG)
    run.abandon_step()
    assert run.state.count == run.steps == len(run.curve) == EVERY + 3
    gate.open.set()
    thread.join(LONG)
    assert run.state.count == EVERY + 3
    run.step()
    assert run.state.count == EVERY + 4
    run.step(LONG)
    assert made == list(range(LATER))
    assert run.trace.iterations == list(range(1, LATER + 1))


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
