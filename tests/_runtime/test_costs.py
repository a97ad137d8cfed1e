"""Estimates of long work from short runs."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest

from bnlab._runtime.costs import FEW, FEW_ROWS, Growth, ShortRun, Spent, Watch, in_words, longest_run, say_if_long
from bnlab._runtime.jit import njit

GROWTH = Growth(lambda n: float(n**2), repeats=1.0, rows=1.5)


def test_seconds_grow_with_variables_and_rows_and_repeats_by_their_own_powers() -> None:
    short = ShortRun(10, 1000, Spent(once=3.0, repeats=1.0))
    assert short.seconds(10, 1000, GROWTH) == pytest.approx(4.0)
    assert short.seconds(20, 1000, GROWTH) == pytest.approx(3.0 * 4 + 1.0 * 2)
    # Few rows take hardly longer than none, and many as their power.
    assert short.seconds(10, 4000, GROWTH) == pytest.approx(4.0 * (14 / 11) ** 1.5)
    assert short._replace(n_rows=10**7).seconds(10, 4 * 10**7, GROWTH) == pytest.approx(4.0 * 8, rel=0.01)


def test_rows_count_as_much_as_two_short_runs_show() -> None:
    few, more = (
        ShortRun(10, 1000, Spent(1.0)),
        ShortRun(10, 4000, Spent(16.0)).with_growth(ShortRun(10, 1000, Spent(1.0))),
    )
    assert more.rows_growth == pytest.approx(2.0)
    assert more.seconds(10, 8000, GROWTH) == pytest.approx(16.0 * 4)
    assert ShortRun(20, 4000, Spent(20.0)).with_growth(more).rows_growth == pytest.approx(2.0)
    assert few.with_growth(None).rows_growth == 0


def test_runs_that_take_no_time_lead_to_the_whole_table() -> None:
    ran: list[tuple[int, int]] = []

    def run_on(n: int, n_rows: int) -> Spent:
        ran.append((n, n_rows))
        return Spent(1.0)

    assert longest_run(run_on, 100, 5000, GROWTH) == ShortRun(100, 5000, Spent(1.0))
    # The first run, which may compile, comes twice; then grows what is farther from the whole.
    assert ran == [(FEW, FEW_ROWS)] * 2 + [(20, 1000), (40, 1000), (80, 1000), (80, 4000), (100, 4000), (100, 5000)]
    ran.clear()
    longest_run(run_on, 20, 10**6, GROWTH)
    assert ran[2:5] == [(FEW, 4000), (FEW, 16_000), (FEW, 64_000)]
    assert longest_run(run_on, 5, 20, GROWTH).n_rows == 20
    assert longest_run(run_on, 100, 5000, GROWTH, enough=1e9).n == FEW


def test_a_run_that_was_slow_only_once_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([9.0, 0.25, 0.01, 0.3])
    clock = [0.0]
    begun = 9.0
    monkeypatch.setattr("bnlab._runtime.costs.Watch", lambda: lambda: clock[0] - begun)

    def run_on(n: int, n_rows: int) -> Spent:
        spent = next(seconds)
        clock[0] += spent
        return Spent(spent)

    # After 0.25 of 0.6 seconds there is no time for four times as long a run, after 0.01 there is.
    assert longest_run(run_on, 100, 1000, GROWTH) == ShortRun(2 * FEW, FEW_ROWS, Spent(0.3))


def test_a_run_without_repeats_has_those_of_the_shorter_one(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = {10: Spent(0.0, 1.0), 20: Spent(0.5)}
    assert longest_run(lambda n, _: spent[n], 20, 1000, GROWTH) == ShortRun(20, 1000, Spent(0.5, 2.0))


def test_a_run_that_takes_long_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnlab._runtime.costs.BUDGET", 0.0)
    ran: list[int] = []

    def run_on(n: int, n_rows: int) -> Spent:
        ran.append(n)
        return Spent(1.0)

    assert longest_run(run_on, 100, 5000, GROWTH).n == FEW
    assert ran == [FEW, FEW]


def test_long_work_says_what_it_is_and_how_long_it_takes(caplog: pytest.LogCaptureFixture) -> None:
    say_if_long("'k2'", 5000, 1000, 59.0)
    assert not caplog.messages
    say_if_long("'k2'", 5000, 1000, 180.0)
    say_if_long("'exact'", 40, 1000, 2.0, at_least=True)
    long, unknown = caplog.messages
    assert long.startswith("bnlab begins 'k2' on 5,000 variables and 1,000 rows, which takes about 3 min.")
    assert "takes at least 2 s, or hours" in unknown


def test_time_in_words() -> None:
    assert in_words(0.2) == "less than 1 s"
    assert in_words(4 * 86_400) == "about 4 days"


def test_compilation_is_no_part_of_what_work_takes() -> None:
    watch, begun = Watch(), process_time()
    njit()(lambda x: np.sort(-np.arange(x))[0])(3)
    assert watch() < (process_time() - begun) / 2


def test_a_run_that_only_compiles_has_a_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_on(n: int, n_rows: int) -> Spent:
        watch = Watch()
        monkeypatch.setattr(Watch, "compiling", Watch.compiling + 60.0)
        return Spent(watch())

    assert longest_run(run_on, FEW, 10**6, GROWTH).n_rows > FEW_ROWS
