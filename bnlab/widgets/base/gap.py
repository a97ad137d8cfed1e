"""Distance of graphs from the optimum, computed in the background."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Event, RLock
from time import perf_counter
from typing import TypeAlias

from bnlab.learners.exact.optimum import GapSearch, Optimum
from bnlab.widgets.base.timing import Pace, spent
from bnlab.widgets.base.worker import Worker

LIMIT_S = 60.0
"""Seconds after which a search ends with its bound so far."""
REFRESH_S, SHARE = 0.3, 0.2
"""Minimum seconds between two calls of `changed`, and the maximum share of the time for these calls."""

Make: TypeAlias = Callable[[], GapSearch]


class Optima:
    """Optima by the questions that they answer.

    One exact search runs at a time, in a thread; only the last other request waits. A search ends at the optimum, after
    a minute or when it is stopped.

    Parameters
    ----------
    changed : callable ()
        Called when a search begins, makes progress or ends; except at the beginning, the thread calls it.

    Attributes
    ----------
    found : dict of hashable to Optimum
        Best network and bound, by question.
    searching : bool
    progress : str
        Text of the progress of the search.
    failure : str
        Error of the last search; "" if it has a result.

    Examples
    --------
    >>> import bnlab
    >>> from bnlab.learners.exact.optimum import gap_search
    >>> from bnlab.scores import local_scores
    >>> data = bnlab.load_network("asia").sample(1000, seed=0)
    >>> optima = Optima(lambda: None)
    >>> optima.find("bic", lambda: gap_search(local_scores(data, "bic")))
    >>> optima.wait()
    True
    >>> optima.found["bic"].gap_text(optima.found["bic"].graph)
    'an optimum'
    """

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._worker, self._stop, self._lock = Worker(), Event(), RLock()
        self._next: tuple[Hashable, Make] | None = None
        self.found: dict[Hashable, Optimum] = {}
        self.searching = False
        self.progress = self.failure = ""

    def find(self, question: Hashable, make: Make) -> None:
        """Answer a question, unless it is in `found`; the thread calls `make` to get the search."""
        with self._lock:
            if question in self.found:
                return
            if self.searching:
                self._next = question, make
                return
            self._begin(question, make)
        self._changed()

    def stop(self) -> None:
        """End the search after its current step, with the bound so far; drop the request that waits."""
        self._next = None
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; False if a search is still running after `timeout` seconds."""
        return self._worker.wait(timeout)

    def _begin(self, question: Hashable, make: Make) -> None:
        self._stop.clear()
        self._next, self.searching = None, True
        self.failure, self.progress = "", "Starting the exact search …"
        self._worker.submit(lambda: self._run(question, make))

    def _run(self, question: Hashable, make: Make) -> None:
        failure = ""
        try:
            self.found[question] = self._searched(make())
        except Exception as error:
            failure = f"No distance to the optimum: {error or type(error).__name__}"
        with self._lock:
            self.searching, self.failure = False, failure
            if self._next is not None and self._next[0] not in self.found:
                self._begin(*self._next)
        self._changed()

    def _searched(self, search: GapSearch) -> Optimum:
        begun, pace, state = perf_counter(), Pace(SHARE, REFRESH_S), search.init()
        while not (search.is_done(state) or self._stop.is_set() or perf_counter() - begun > LIMIT_S):
            state, _ = search.step(state)
            work = search.snapshot(state).work
            if work is not None and pace.due():
                total = f" of {work.total:,}" if state.second is None else ""
                seconds = spent(perf_counter() - begun)
                self.progress = f"Exact search: {work.done:,}{total} {work.unit} after {seconds}"
                pace.draw(self._changed)
        return search.result(state)
