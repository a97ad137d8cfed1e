"""Steps of searches in a thread of their own; nothing here draws."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from threading import Event, Thread
from time import perf_counter

from bnlab.widgets.base.worker import Job, Worker
from bnlab.widgets.player.run import Run

BURST_S = 0.002
"""Seconds of steps between two checks for jobs and two drawings; a longer step is made alone."""
TURN_S = 0.001
"""Seconds of steps in one turn of a run; a longer step is a turn of its own."""
POLL_S = 0.1
"""Polling interval, seconds."""
STEP_TIMEOUT_S = 0.1
"""Seconds that pausing or stopping waits for the current step."""


class Engine:
    """Makes steps of several runs in turn, so that all get the same time. `runs` may be set while no step is made.

    It calls `stepped()` after each step or many quick ones, `finished()` when all runs are done, and
    `failed(message, error)` when a step or one of these callbacks raised an exception. `speed` is in steps per second
    of all runs together; 0 for as fast as possible.
    """

    def __init__(
        self,
        runs: dict[str, Run],
        *,
        stepped: Callable[[], None],
        finished: Callable[[], None],
        failed: Callable[[str, Exception], None],
    ) -> None:
        self.runs = runs
        self.speed = 0.0
        self.worker = Worker(self._between)
        self._stepped, self._finished, self._failed = stepped, finished, failed
        self._going = Event()
        self._due = 0.0
        self._late: Thread | None = None

    @property
    def going(self) -> bool:
        """Whether steps are made continuously."""
        return self._going.is_set()

    @property
    def ending(self) -> bool:
        """Whether an abandoned step still runs; a search makes one step at a time."""
        return self._late is not None and self._late.is_alive()

    def go(self) -> None:
        """Start making steps."""
        self._going.set()
        self.worker.submit(lambda: None)

    def halt(self) -> None:
        """Start no further step."""
        self._going.clear()
        self.worker.wake()

    def hold(self, job: Job) -> None:
        """End the run, then run a job and wait for its end."""
        if self.worker.is_here:
            self._going.clear()
        else:
            self._interrupt(lambda: None)()
        self.worker.call(job)

    def soon(self, job: Job) -> None:
        """End the run and submit a job, without waiting."""
        abandon = self._interrupt(job)
        Thread(target=copy_context().run, args=(abandon,), daemon=True).start()

    def step(self) -> bool:
        """Make one step of each unfinished run; False if one failed."""
        if self._late is not None:
            self._late.join()
        return all(self._step(run) for run in self.runs.values() if not run.done)

    def _interrupt(self, job: Job) -> Callable[[], None]:
        """Submit a job that runs after the current step. The returned function waits a limited time for that step."""
        ended = Event()
        self.halt()
        self.worker.submit(ended.set)
        self.worker.submit(job)
        return partial(self._abandon_step, ended)

    def _abandon_step(self, ended: Event) -> None:
        """Wait briefly for the current step, then abandon it; its result counts when the search continues."""
        if not ended.wait(STEP_TIMEOUT_S):
            for run in self.runs.values():
                run.abandon_step()
            self._late = self.worker.disown()

    def _between(self) -> float | None:
        """Make the next step if it is due; return the seconds until the next call, or None if no step is left."""
        try:
            return self._go_on()
        except Exception as error:
            # From a callback, or from a search that cannot describe its state.
            self._going.clear()
            self._failed(f"Stopped: {type(error).__name__}: {error}.", error)
            return None

    def _go_on(self) -> float | None:
        if not self.going:
            return None
        if self.ending:
            return POLL_S
        waiting = [run for run in self.runs.values() if not run.done]
        if not waiting:
            self._going.clear()
            self._finished()
            return None
        early = self._due - perf_counter()
        if self.speed and early > 0:
            return min(early, POLL_S)
        begin = perf_counter()
        while waiting and self.going:
            if not self._step(min(waiting, key=lambda run: run.seconds), 0.0 if self.speed else TURN_S):
                return None
            if self.speed or perf_counter() - begin > BURST_S:
                break
            waiting = [run for run in waiting if not run.done]
        self._due = begin + 1.0 / self.speed if self.speed else 0.0
        if self.going:
            self._stepped()
        return 0.0

    def _step(self, run: Run, seconds: float = 0.0) -> bool:
        try:
            run.step(seconds)
        except Exception as error:
            name = next(name for name, known in self.runs.items() if known is run)
            self._going.clear()
            self._failed(f"Step {run.steps + 1:,} of {name!r} failed: {type(error).__name__}: {error}.", error)
            return False
        return True
