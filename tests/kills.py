"""Processes that are started to be killed."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any

from tests.soak import times

KILLS = times(3, 100)
"""How often each kind of work is killed at least."""
STUCK_S = 500  # until a process is taken for stuck


def child(work: Callable[[], Any]) -> int:
    """Start the work in a process of its own, which ends when it is stuck; its id."""
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(STUCK_S)
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    return pid


def killed_until_done(work: Callable[[], Any], seed: int) -> int:
    """Do the work in processes that are killed at random moments until one lives to its end; how many were."""
    draw, kills, longest = random.Random(seed), 0, 0.003
    while True:
        pid = child(work)
        time.sleep(draw.uniform(0, longest))
        if ended_by_kill(pid):
            kills += 1
            longest *= 1.25
        else:
            return kills


def killed_again_and_again(work: Callable[[Callable[[int], None]], None], check: Callable[[int | None], None]) -> None:
    """Kill work without an end KILLS times, and until some of it was finished, and check each time what it left.

    Parameters
    ----------
    work : callable
        Called in a new process with a function that reports a number each time something is finished, the first time
        when the work begins.
    check : callable
        Called after each kill with the number that was reported last.
    """
    draw, longest = random.Random(KILLS), 0.03
    kills, finished = 0, False
    while kills < KILLS or not finished:
        read, write = os.pipe()
        pid = child(lambda write=write: work(lambda number: os.write(write, number.to_bytes(4, "big"))))
        os.close(write)
        with os.fdopen(read, "rb") as reports:
            first = reports.read(4)
            time.sleep(draw.uniform(0, longest))
            assert ended_by_kill(pid)
            numbers = first + reports.read()
        kills, finished = kills + 1, finished or len(numbers) >= 8
        longest *= 1.5 if len(numbers) < 8 else 0.8  # some of the work is to be finished, on a slow machine too
        check(int.from_bytes(numbers[: len(numbers) // 4 * 4][-4:], "big"))


def ended_by_kill(pid: int) -> bool:
    """Kill a process that `child` started; false when it had ended well before."""
    os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0
