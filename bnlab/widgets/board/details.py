"""Details of runs, computed in the background one after the other and cached."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock

from bnlab.experiments.experiment import Experiment, RunDetail
from bnlab.experiments.grid import Cell, key_of
from bnlab.experiments.processes import Processes
from bnlab.widgets.base.worker import Worker

IDLE_S = 60.0
"""Seconds without a request after which the process ends."""

CACHED = 32


class DetailLoader:
    """Computes details of runs, and caches the last ones.

    Parameters
    ----------
    rerun : Experiment
    loaded : callable (error) -> None
        Called in the loader's thread when the last request is done, or has failed.
    in_process : bool
        Whether another process computes.
    """

    def __init__(self, rerun: Experiment, loaded: Callable[[Exception | None], None], *, in_process: bool) -> None:
        self._rerun, self._loaded = rerun, loaded
        self._pool = Processes(1) if in_process else None
        self._worker = Worker(self._end_idle_process)
        self._cache: dict[str, RunDetail] = {}
        self._wanted = ""
        self._settled, self._lock = Event(), Lock()
        self._settled.set()
        self._closed = self._idle = False

    @property
    def busy(self) -> bool:
        """Whether one is being computed."""
        return not self._settled.is_set()

    def find(self, variant: str, item: str, cell: Cell) -> RunDetail | None:
        """Cached detail; None when there is none."""
        return self._cache.get(_key(variant, item, cell))

    def forget(self, variant: str, item: str, cell: Cell) -> None:
        """Remove a detail from the cache."""
        self._cache.pop(_key(variant, item, cell), None)

    def request(self, variant: str, item: str, cell: Cell) -> None:
        """Compute one in the background; earlier requests that have not begun are dropped."""
        with self._lock:
            self._wanted = _key(variant, item, cell)
            self._settled.clear()
        self._worker.submit(lambda: self._compute(variant, item, cell))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the last request; False if it is not done after `timeout` seconds."""
        return self._settled.wait(timeout)

    def close(self) -> None:
        """Stop, and end the process."""
        self._closed = True
        if self._pool is not None:
            self._pool.kill()
        self._settled.set()
        self._worker.wake()

    def _compute(self, variant: str, item: str, cell: Cell) -> None:
        key, failure = _key(variant, item, cell), None
        self._idle = False
        if key != self._wanted or self._closed:
            return
        if key not in self._cache:
            try:
                found = self._find(variant, item, cell)
            except Exception as error:
                failure = error
            else:
                while len(self._cache) >= CACHED:
                    self._cache.pop(next(iter(self._cache)))
                self._cache[key] = found
        if key == self._wanted and not self._closed:
            self._loaded(failure)
        with self._lock:
            # There may be another request by now.
            if key == self._wanted:
                self._settled.set()

    def _find(self, variant: str, item: str, cell: Cell) -> RunDetail:
        if self._pool is None:
            return self._rerun.detail(variant, item, cell)
        future = self._pool.submit(self._rerun.detail, variant, item, cell)
        if self._closed:
            self._pool.kill()
        found: RunDetail = future.result()
        return found

    def _end_idle_process(self) -> float | None:
        """Between two requests: end the process after a long time without one."""
        if self._closed or self._pool is None or not self._pool.started:
            return None
        if self._idle:
            self._pool.kill()
            return None
        self._idle = True
        return IDLE_S


def _key(variant: str, item: str, cell: Cell) -> str:
    return key_of({"variant": variant, "item": item, "cell": dict(cell)})
