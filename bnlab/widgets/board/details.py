"""Close looks at runs, computed in the background one after the other and kept for a while."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock

from bnlab.experiments.grid import Cell, key_of
from bnlab.experiments.processes import Processes
from bnlab.experiments.rerun import Close, Rerun
from bnlab.widgets.base.worker import Worker

IDLE = 60.0
"""Seconds without a look after which its process ends."""

KEPT = 32


class Looks:
    """What looks have found.

    Parameters
    ----------
    rerun : Rerun
    told : callable (error) -> None
        Called in the thread of the looks when the one that was asked for last is there, or has failed.
    apart : bool
        Whether they are computed in another process.
    """

    def __init__(self, rerun: Rerun, told: Callable[[Exception | None], None], *, apart: bool) -> None:
        self._rerun, self._told = rerun, told
        self._pool = Processes(1) if apart else None
        self._worker = Worker(self._rest)
        self._kept: dict[str, Close] = {}
        self._wanted = ""
        self._settled, self._lock = Event(), Lock()
        self._settled.set()
        self._closed = self._rested = False

    @property
    def busy(self) -> bool:
        """Whether one is being computed."""
        return not self._settled.is_set()

    def find(self, variant: str, item: str, cell: Cell) -> Close | None:
        """Look that is kept."""
        return self._kept.get(_key(variant, item, cell))

    def forget(self, variant: str, item: str, cell: Cell) -> None:
        """Compute it anew when it is asked for again."""
        self._kept.pop(_key(variant, item, cell), None)

    def ask(self, variant: str, item: str, cell: Cell) -> None:
        """Compute one in the background; those that were asked for before and have not begun are left out."""
        with self._lock:
            self._wanted = _key(variant, item, cell)
            self._settled.clear()
        self._worker.submit(lambda: self._compute(variant, item, cell))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the one that was asked for last; False if it is not there by then."""
        return self._settled.wait(timeout)

    def close(self) -> None:
        """End what is going on."""
        self._closed = True
        if self._pool is not None:
            self._pool.kill()
        self._settled.set()
        self._worker.wake()

    def _compute(self, variant: str, item: str, cell: Cell) -> None:
        key, failure = _key(variant, item, cell), None
        self._rested = False
        if key != self._wanted or self._closed:
            return
        if key not in self._kept:
            try:
                found = self._look(variant, item, cell)
            except Exception as error:
                failure = error
            else:
                while len(self._kept) >= KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[key] = found
        if key == self._wanted and not self._closed:
            self._told(failure)
        with self._lock:
            # Another one may have been asked for meanwhile.
            if key == self._wanted:
                self._settled.set()

    def _look(self, variant: str, item: str, cell: Cell) -> Close:
        if self._pool is None:
            return self._rerun.look(variant, item, cell)
        future = self._pool.submit(self._rerun.look, variant, item, cell)
        if self._closed:
            self._pool.kill()
        found: Close = future.result()
        return found

    def _rest(self) -> float | None:
        """Between two looks: end the process if nobody has asked for long."""
        if self._closed or self._pool is None or not self._pool.started:
            return None
        if self._rested:
            self._pool.kill()
            return None
        self._rested = True
        return IDLE


def _key(variant: str, item: str, cell: Cell) -> str:
    return key_of({"variant": variant, "item": item, "cell": dict(cell)})
