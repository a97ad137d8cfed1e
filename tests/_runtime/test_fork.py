"""A process that is forked while other threads work can do all that its parent can."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from threading import Event, Thread

import pytest

from bnlab._runtime.cached import cached_property
from bnlab.counts.cache import BoundedCache
from tests.soak import times

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

STUCK_S = 500  # until a child is taken for stuck

UNDER_LOAD = f"""
import os, signal
from functools import partial
from itertools import count
from threading import Thread
import bnlab

NET = bnlab.load_network("asia")
TABLE = NET.sample(500, seed=1)
LEARNERS = ("hill-climbing", "chow-liu", "k2", "branching", "ordering-search")
JOBS = (
    *(partial(bnlab.learn, TABLE, name) for name in LEARNERS),
    *(partial(bnlab.learn, TABLE, "hill-climbing", score=name) for name in ("bdeu", "nml")),
    partial(bnlab.skeleton, TABLE, "mmpc"),
    lambda: bnlab.learn(NET.sample(500, seed=2), "hill-climbing"),
)

def work(first):
    for i in count(first):
        JOBS[i % len(JOBS)]()

def forked(job):
    child = os.fork()
    if child:
        return child
    signal.alarm({STUCK_S})
    try:
        job()
    except BaseException:
        os._exit(1)
    os._exit(0)

for job in JOBS:  # so that no thread imports or compiles while a process is forked
    job()
for first in range(3):
    Thread(target=work, args=(3 * first,), daemon=True).start()
stuck = []
for _ in range({times(1, 5)}):
    children = [(i, forked(job)) for i, job in enumerate(JOBS)]
    stuck += [i for i, child in children if os.waitpid(child, 0)[1]]
print(stuck, flush=True)
os._exit(0)
"""


def in_child(work: Callable[[], bool]) -> bool:
    """Whether the work, done in a forked process, returns true and is no exception."""
    import signal

    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(STUCK_S)
        try:
            os._exit(0 if work() else 2)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def test_processes_forked_while_threads_learn_can_learn_too() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", UNDER_LOAD], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_a_cache_that_a_thread_was_changing_is_empty_and_free() -> None:
    cache: BoundedCache[str, str] = BoundedCache(10, len)
    cache.put("a", "old")
    held, release = Event(), Event()

    def change() -> None:
        with cache.lock:
            held.set()
            release.wait(STUCK_S)

    thread = Thread(target=change)
    thread.start()
    held.wait()

    def use() -> bool:
        cache.put("b", "new")
        return cache.get("a") is None and cache.get("b") == "new" and cache.used == 3

    try:
        assert in_child(use)
    finally:
        release.set()
        thread.join()
    assert cache.get("a") == "old"


def test_a_cache_that_nobody_was_changing_keeps_its_values() -> None:
    cache: BoundedCache[str, str] = BoundedCache(10, len)
    cache.put("a", "old")
    assert in_child(lambda: cache.get("a") == "old")


def test_a_property_is_computed_once_and_the_first_value_stays() -> None:
    class Rows:
        computed = 0

        @cached_property
        def number(self) -> list[int]:
            """How many."""
            self.computed += 1
            if self.computed == 1:
                first.append(self.number)  # as another thread does meanwhile
            return [self.computed]

    first: list[list[int]] = []
    rows = Rows()
    assert rows.number is rows.number is first[0]
    assert rows.computed == 2
    assert Rows.number.__doc__ == "How many."
