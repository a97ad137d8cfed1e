"""What an experiment board computes in the background: runs of cells, and details of single runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event

from bnlab.counts.cache import BoundedCache
from bnlab.papers.base.batch import Batch
from bnlab.papers.base.experiment import Experiment, Records, RunDetail
from bnlab.papers.base.grid import Cell, key_of
from bnlab.papers.base.processes import Processes
from bnlab.widgets.base.timing import Pace
from bnlab.widgets.base.worker import Worker

Row = tuple[str, str]
REFRESH_S, SHARE = 0.3, 0.2
"""Minimum seconds between two updates of the board during a run, and the maximum share of the time for updates."""
CACHED = 32
"""Number of cached details."""


class BoardRuns:
    """Runs the cells of a board. `batch` holds the cells of the current or last run; it is None before the first.

    With ``processes=0``, cells run in the thread of the `worker`. That thread calls `show()` at intervals, and
    `ended(error or None)` at the end.
    """

    def __init__(
        self, records: Records, processes: int, show: Callable[[], None], ended: Callable[[Exception | None], None]
    ) -> None:
        self._records, self._show, self._ended = records, show, ended
        self._at_once = max(1, processes)
        self._pool = Processes(processes) if processes else None
        self.worker = Worker()
        self._stop = Event()
        self._keys: dict[Row, set[str]] = {}
        self.batch: Batch | None = None
        self._variant = ""

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stop.is_set()

    def plan(self, variant: str, by_row: Mapping[Row, Sequence[Cell]]) -> int:
        """Prepare to run the cells of some rows; return how many have no record yet."""
        batch = Batch(self._records, variant, [cell for cells in by_row.values() for cell in cells])
        if batch.total:
            self.batch, self._variant = batch, variant
            self._keys = {row: {key_of(cell) for cell in cells} for row, cells in by_row.items()}
        return batch.total

    def start(self) -> None:
        """Run the planned cells."""
        self._stop.clear()
        self.worker.submit(self._run)

    def stop(self) -> None:
        """Stop now; finished runs are in the records."""
        self._stop.set()
        if self._pool is not None:
            self._pool.kill()

    def going(self) -> list[Cell]:
        """Cells that are running."""
        return [] if self.batch is None else self.batch.left[: self._at_once]

    def states(self, variant: str) -> dict[Row, str]:
        """State of the rows of a variant with unfinished cells: "running" or "queued"."""
        if variant != self._variant:
            return {}
        left = [key_of(cell) for cell in list(self.batch.left)] if self.batch is not None else []
        going, waiting = set(left[: self._at_once]), set(left)
        return {row: "running" if keys & going else "queued" for row, keys in self._keys.items() if keys & waiting}

    def _run(self) -> None:
        failure: Exception | None = None
        try:
            self._follow()
        except Exception as error:
            # Processes that are stopped raise an error, too.
            failure = None if self.stopped else error
        self._ended(failure)

    def _follow(self) -> None:
        assert self.batch is not None
        pace = Pace(SHARE, REFRESH_S)
        pace.draw(self._show)
        executor = None if self._pool is None else self._pool.executor
        if self.stopped:
            # `stop` may have been called before there were processes to end.
            self.stop()
            return
        for _ in self.batch.run(executor):
            if self._stop.is_set() and executor is None:
                return  # with processes, `kill` ends the loop; leaving it here would make it fail
            pace.draw(self._show)


class DetailLoader:
    """Computes details of runs, in another process if `in_process`, and caches the most recent ones.

    The thread of its `worker` calls `loaded(error or None)` when the last request is done or has failed.
    """

    def __init__(self, rerun: Experiment, loaded: Callable[[Exception | None], None], *, in_process: bool) -> None:
        self._rerun, self._loaded = rerun, loaded
        self._pool = Processes(1) if in_process else None
        self.worker = Worker()
        self._cache: BoundedCache[str, RunDetail] = BoundedCache(CACHED)
        self._wanted = ""
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether a detail is being computed."""
        return self._wanted != ""

    def find(self, variant: str, item: str, cell: Cell) -> RunDetail | None:
        """Cached detail; None if it is not cached."""
        return self._cache.get(_key(variant, item, cell))

    def request(self, variant: str, item: str, cell: Cell) -> None:
        """Compute a detail in the background, even if it is cached; drop earlier requests that have not started."""
        self._wanted = key = _key(variant, item, cell)
        self.worker.submit(lambda: self._compute(key, variant, item, cell))

    def close(self) -> None:
        """Drop all requests and end the process."""
        self._closed, self._wanted = True, ""
        if self._pool is not None:
            self._pool.kill()

    def _compute(self, key: str, variant: str, item: str, cell: Cell) -> None:
        if key != self._wanted:
            return
        failure: Exception | None = None
        try:
            if self._pool is None:
                found = self._rerun.detail(variant, item, cell)
            else:
                future = self._pool.submit(self._rerun.detail, variant, item, cell)
                if self._closed:
                    self._pool.kill()
                found = future.result()
            self._cache.put(key, found)
        except Exception as error:
            failure = error
        if key == self._wanted:
            self._wanted = ""
            self._loaded(failure)


def _key(variant: str, item: str, cell: Cell) -> str:
    return key_of({"variant": variant, "item": item, "cell": dict(cell)})
