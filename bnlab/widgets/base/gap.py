"""Distance of graphs from the optimum, computed in the background."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import perf_counter

from bnlab.learners.exact.optimum import GapSearch, Optimum
from bnlab.widgets.base.timing import Pace, spent
from bnlab.widgets.base.worker import Worker

LIMIT_S = 60.0
"""Seconds after which the search ends with the bound that it has."""
REFRESH_S, SHARE = 0.3, 0.2
"""Least seconds between two calls of `changed`, and the largest share of the time that they take."""


class GapJob:
    """Exact search in a thread of its own, which ends at the optimum, after some seconds or when it is stopped.

    Parameters
    ----------
    changed : callable ()
        Called in the thread when there is progress, and at the end.
    limit : float
        Seconds.

    Attributes
    ----------
    found : Optimum or None
        Best network and bound; None before the end.
    error : Exception or None
        What ended the search instead.
    progress : str
        How far the search is, in words.

    Examples
    --------
    >>> import bnlab
    >>> from bnlab.learners.exact.optimum import gap_search
    >>> from bnlab.scores import local_scores
    >>> data = bnlab.load_network("asia").sample(1000, seed=0)
    >>> job = GapJob(lambda: None)
    >>> job.start(lambda: gap_search(local_scores(data, "bic")))
    >>> job.wait()
    True
    >>> job.found.gap_text(job.found.graph)
    'an optimum'
    """

    def __init__(self, changed: Callable[[], object], *, limit: float = LIMIT_S) -> None:
        self._changed, self._limit = changed, limit
        self._worker, self._stop = Worker(), Event()
        self.running = False
        self.found: Optimum | None = None
        self.error: Exception | None = None
        self.progress = ""

    def start(self, make: Callable[[], GapSearch]) -> None:
        """Start the search that a function makes; the function runs in the thread.

        Raises
        ------
        RuntimeError
            If a search is running already.
        """
        if self.running:
            raise RuntimeError("an exact search is running already: `stop` it first, or `wait`.")
        self._stop.clear()
        self.running, self.found, self.error, self.progress = True, None, None, "Starting the exact search …"
        self._worker.submit(lambda: self._run(make))

    def stop(self) -> None:
        """End the search after its present step."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; False if the search is still running after `timeout` seconds."""
        return self._worker.wait(timeout)

    def _run(self, make: Callable[[], GapSearch]) -> None:
        try:
            self.found = self._searched(make())
        except Exception as error:
            self.error = error
        finally:
            self.running = False
        self._changed()

    def _searched(self, search: GapSearch) -> Optimum:
        begun, pace, state = perf_counter(), Pace(SHARE, REFRESH_S), search.init()
        while not (search.is_done(state) or self._stop.is_set() or perf_counter() - begun > self._limit):
            state, _ = search.step(state)
            work = search.snapshot(state).work
            if work is not None and pace.due():
                total = f" of {work.total:,}" if state.second is None else ""
                seconds = spent(perf_counter() - begun)
                self.progress = f"Exact search: {work.done:,}{total} {work.unit} after {seconds}"
                pace.draw(self._changed)
        return search.result(state)
