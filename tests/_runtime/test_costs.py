"""Estimates of long work from short runs."""

from __future__ import annotations

import pytest

from bnlab._runtime.costs import extrapolated, say_if_long


def test_seconds_that_grow_with_a_power_are_found_from_two_runs() -> None:
    def took(n: int) -> float:
        return 0.005 + 1e-4 * n**2

    assert extrapolated((8, took(8)), (20, took(20)), 1000, 2.0) == pytest.approx(took(1000), rel=0.1)


def test_small_work_is_not_run_beforehand(caplog: pytest.LogCaptureFixture) -> None:
    ran: list[int] = []
    say_if_long("'k2'", 40, 1000, 2.0, ran.append)
    assert not ran
    assert not caplog.messages


def test_work_that_is_short_by_its_estimate_begins_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    ran: list[int] = []
    say_if_long("'k2'", 5000, 1000, 2.0, ran.append)
    assert ran == [8, 125, 500]
    assert not caplog.messages


def test_long_work_says_what_it_is_and_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = iter([0.0, 0.1, 1.0, 3.0])
    monkeypatch.setattr("bnlab._runtime.costs.perf_counter", lambda: next(clock))
    say_if_long("'k2'", 5000, 1000, 2.0, lambda _: None)
    (said,) = caplog.messages
    assert said.startswith("bnlab begins 'k2' on 5,000 variables and 1,000 rows, which takes about 3 min.")
