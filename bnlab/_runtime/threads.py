"""Threads that share the work of one call; the calling thread is one of them, the others are reused by later calls."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

MAX_THREADS = 64


@cache
def helpers() -> ThreadPoolExecutor:
    """Threads of this process, which are started when they are first needed."""
    return ThreadPoolExecutor(MAX_THREADS, "bnlab")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=helpers.cache_clear)


def available_cores() -> int:
    """Cores that the system lets this process use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_parallel(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """Run tasks in at most `threads` threads, and return their results in the order of the tasks.

    A free thread takes the next task. The calling thread takes tasks too, so that a call from within a task, or while
    all helpers are busy, is only slower. Ctrl-C takes effect after its current task. If a task fails, no other is
    started.

    Examples
    --------
    >>> run_parallel([lambda: 1, lambda: 2, lambda: 3], threads=2)
    [1, 2, 3]
    """
    if threads == 1 or len(tasks) <= 1:
        return [task() for task in tasks]
    todo = deque(enumerate(tasks))
    results: list[Any] = [None] * len(tasks)

    def work() -> None:
        try:
            while True:
                try:
                    place, task = todo.popleft()
                except IndexError:
                    return
                results[place] = task()
        except BaseException:
            todo.clear()
            raise

    others = [helpers().submit(work) for _ in range(min(threads, len(tasks)) - 1)]
    try:
        work()
    finally:
        wait([other for other in others if not other.cancel()])
    for other in others:
        if not other.cancelled():
            other.result()
    return results
