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
    draw, kills, longest = random.Random(seed), 0, 0.02
    while True:
        pid = child(work)
        time.sleep(draw.uniform(0, longest))
        if ended_by_kill(pid):
            kills += 1
            longest *= 1.4
        else:
            return kills


def ended_by_kill(pid: int) -> bool:
    """Kill a process that `child` started; false when it had ended well before."""
    os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0
