"""Work that threads share."""

from __future__ import annotations

import os
from threading import Barrier, get_ident

import pytest

from bnlab._runtime.threads import run_parallel


def test_results_come_in_the_order_of_the_tasks():
    assert run_parallel([lambda number=number: number**2 for number in range(100)], 3) == [n**2 for n in range(100)]


def test_one_thread_is_the_caller():
    assert set(run_parallel([get_ident] * 5, 1)) == {get_ident()}


def test_tasks_run_at_the_same_time():
    met = Barrier(2)

    def meet() -> int:
        met.wait(500)
        return get_ident()

    assert len(set(run_parallel([meet, meet], 2))) == 2


def test_no_more_threads_take_part_than_were_allowed():
    assert len(set(run_parallel([get_ident] * 1000, 2))) <= 2


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_of_any_thread_is_the_callers(failing):
    met = Barrier(2)

    def fail(number: int) -> None:
        met.wait(30)
        if number == failing:
            raise ArithmeticError("no")

    with pytest.raises(ArithmeticError):
        run_parallel([lambda: fail(0), lambda: fail(1)], 2)


def test_after_an_error_no_task_begins():
    begun = []

    def fail() -> None:
        begun.append(1)
        raise ArithmeticError("no")

    with pytest.raises(ArithmeticError):
        run_parallel([fail] * 50, 2)
    assert len(begun) <= 2


def test_a_task_may_share_its_own_work():
    def nested() -> list[int]:
        return run_parallel([lambda: 1, lambda: 2, lambda: 3], 4)

    assert run_parallel([nested] * 200, 4) == [[1, 2, 3]] * 200


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_has_threads_of_its_own():
    met = Barrier(2)
    run_parallel([lambda: met.wait(30)] * 2, 2)
    child = os.fork()
    if child == 0:
        again = Barrier(2)
        try:
            run_parallel([lambda: again.wait(30)] * 2, 2)
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
