"""Threads that share the work of one call; the caller is one of them, and the others wait for the next call."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

MOST = 64


@cache
def helpers() -> ThreadPoolExecutor:
    """Threads of this process, none before they are needed."""
    return ThreadPoolExecutor(MOST, "bnlab")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=helpers.cache_clear)


def run_parallel(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """What the tasks return, in their order, done by at most so many threads.

    Whoever is free takes the next task. The caller takes tasks too, so that a call from within a task, or one that
    finds all helpers busy, is only slower; and it hears Ctrl-C after each. When a task fails no other is begun.

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
            while (job := _first(todo)) is not None:
                place, task = job
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


def _first(todo: deque[T]) -> T | None:
    try:
        return todo.popleft()
    except IndexError:
        return None
