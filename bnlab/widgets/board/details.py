"""Details of runs, computed in the background one after the other and cached."""

from __future__ import annotations

from collections.abc import Callable

from bnlab.counts.cache import BoundedCache
from bnlab.experiments.grid import Cell, key_of
from bnlab.experiments.processes import Processes
from bnlab.experiments.rerun import Close, Rerun
from bnlab.widgets.base.worker import Worker

CACHED = 32


class DetailLoader:
    """Computes details of runs, and caches the last ones.

    Parameters
    ----------
    rerun : Rerun
    loaded : callable (error) -> None
        Called in the loader's thread when the last request is done, or has failed.
    in_process : bool
        Whether another process computes.
    """

    def __init__(self, rerun: Rerun, loaded: Callable[[Exception | None], None], *, in_process: bool) -> None:
        self._rerun, self._loaded = rerun, loaded
        self._pool = Processes(1) if in_process else None
        self._worker = Worker()
        self._cache: BoundedCache[str, Close] = BoundedCache(CACHED)
        self._wanted = ""
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether one is being computed."""
        return self._wanted != ""

    def find(self, variant: str, item: str, cell: Cell) -> Close | None:
        """Cached detail; None when there is none."""
        return self._cache.get(_key(variant, item, cell))

    def request(self, variant: str, item: str, cell: Cell) -> None:
        """Compute one in the background, also a cached one; earlier requests that have not begun are dropped."""
        self._wanted = key = _key(variant, item, cell)
        self._worker.submit(lambda: self._compute(key, variant, item, cell))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the last request; False if it is not done after `timeout` seconds."""
        return self._worker.wait(timeout)

    def close(self) -> None:
        """Stop, and end the process."""
        self._closed, self._wanted = True, ""
        if self._pool is not None:
            self._pool.kill()

    def _compute(self, key: str, variant: str, item: str, cell: Cell) -> None:
        if key != self._wanted:
            return
        failure: Exception | None = None
        try:
            self._cache.put(key, self._detail(variant, item, cell))
        except Exception as error:
            failure = error
        if key == self._wanted:
            self._wanted = ""
            self._loaded(failure)

    def _detail(self, variant: str, item: str, cell: Cell) -> Close:
        if self._pool is None:
            return self._rerun.look(variant, item, cell)
        future = self._pool.submit(self._rerun.look, variant, item, cell)
        if self._closed:
            self._pool.kill()
        found: Close = future.result()
        return found


def _key(variant: str, item: str, cell: Cell) -> str:
    return key_of({"variant": variant, "item": item, "cell": dict(cell)})
