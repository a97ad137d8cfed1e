"""A thread that exists only while there are jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Condition, Thread, current_thread
from time import perf_counter
from typing import TypeAlias, TypeVar

Job: TypeAlias = Callable[[], object]
T = TypeVar("T")


class Worker:
    """Runs jobs one after the other, and a repeated callback between them.

    Parameters
    ----------
    between : callable () -> float or None
        Called repeatedly while no job waits. It returns the seconds until the next call, or None to end the thread
        until the next job, which is the default.

    Examples
    --------
    >>> worker = Worker()
    >>> worker.call(lambda: "done")
    'done'
    """

    def __init__(self, between: Callable[[], float | None] = lambda: None) -> None:
        self._between = between
        self._jobs: deque[Job] = deque()
        self._changed = Condition()
        self._thread: Thread | None = None

    @property
    def running(self) -> bool:
        """Whether the thread exists."""
        return self._thread is not None

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in the thread."""
        return current_thread() is self._thread

    def submit(self, job: Job) -> None:
        """Queue a job, without waiting."""
        with self._changed:
            self._jobs.append(job)
            if self._thread is None:
                self._begin()
            self._changed.notify_all()

    def call(self, job: Callable[[], T]) -> T:
        """Run a job in the thread and wait for it; return its result or raise its exception."""
        if self.is_here:
            return job()
        future: Future[T] = Future()

        def watched() -> None:
            try:
                future.set_result(job())
            except BaseException as error:
                future.set_exception(error)

        self.submit(watched)
        return future.result()

    def disown(self) -> Thread | None:
        """Abandon the thread: it ends after its current job, and another one runs the queued jobs."""
        with self._changed:
            gone, self._thread = self._thread, None
            if self._jobs:
                self._begin()
            self._changed.notify_all()
        return gone

    def wake(self) -> None:
        """End the pause between two calls of the callback."""
        with self._changed:
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the thread to end; False after the timeout, or if the caller is the thread itself."""
        if self.is_here:
            return False
        with self._changed:
            return self._changed.wait_for(lambda: self._thread is None, timeout)

    def _begin(self) -> None:
        # With a copy of the context, a kernel sends the thread's output to the cell that started it.
        self._thread = Thread(target=copy_context().run, args=(self._work,), daemon=True, name="bnlab search")
        self._thread.start()

    def _work(self) -> None:
        try:
            self._take_turns()
        finally:
            # Also after an exception: `wait` must return, and a caller may wait for a queued job.
            with self._changed:
                if self.is_here:
                    self._thread = None
                    if self._jobs:
                        self._begin()
                self._changed.notify_all()

    def _take_turns(self) -> None:
        while True:
            with self._changed:
                if not self.is_here:
                    return
                job = self._jobs.popleft() if self._jobs else None
            if job is not None:
                job()
                continue
            pause = self._between()
            with self._changed:
                if self._jobs or not self.is_here:
                    continue
                if pause is None:
                    self._thread = None
                    return
                if pause > 0:
                    self._changed.wait(pause)


def wait_all(timeout: float | None, *waits: Callable[[float | None], bool]) -> bool:
    """Call several waits with one common timeout in seconds; False if one of them fails.

    Examples
    --------
    >>> wait_all(1.0, Worker().wait, Worker().wait)
    True
    """
    end = None if timeout is None else perf_counter() + timeout
    return all(wait(None if end is None else max(0.0, end - perf_counter())) for wait in waits)
