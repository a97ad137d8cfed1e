"""The exact search for the distance of graphs from the optimum."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter

from bnlab.learners.exact.optimum import GapSearch, Optimum
from bnlab.widgets.base.timing import Pace, spent

LIMIT_S = 60.0
"""Seconds after which a search ends with its bound so far."""
REFRESH_S, SHARE = 0.3, 0.2
"""Minimum seconds between two reports, and the maximum share of the time for them."""
STARTING = "Starting the exact search …"


def optimum(search: GapSearch, report: Callable[[str], object], stopped: Callable[[], bool]) -> Optimum:
    """Best network, or the bound after a minute or a stop; `report` gets the progress as text.

    Examples
    --------
    >>> import bnlab
    >>> from bnlab.learners.exact.optimum import gap_search
    >>> from bnlab.scores import local_scores
    >>> data = bnlab.load_network("asia").sample(1000, seed=0)
    >>> found = optimum(gap_search(local_scores(data, "bic")), lambda text: None, lambda: False)
    >>> found.gap_text(found.graph)
    'proved best'
    """
    begun, pace, state = perf_counter(), Pace(SHARE, REFRESH_S), search.init()
    while not (search.is_done(state) or stopped() or perf_counter() - begun > LIMIT_S):
        state, _ = search.step(state)
        work = search.snapshot(state).work
        if work is not None and pace.due():
            total = f" of {work.total:,}" if state.second is None else ""
            words = f"Exact search: {work.done:,}{total} {work.unit} after {spent(perf_counter() - begun)}"
            pace.draw(partial(report, words))
    return search.result(state)
