"""Runs of an experiment board in the background, on other processes; they can be stopped at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event

from bnlab.experiments.batch import Batch
from bnlab.experiments.grid import Cell, key_of
from bnlab.experiments.processes import Processes
from bnlab.experiments.rerun import Records
from bnlab.widgets.base.pace import Pace
from bnlab.widgets.base.worker import Worker
from bnlab.widgets.board.texts import Row

REFRESH_S, SHARE = 0.3, 0.2
"""Least seconds between two updates of the board during a run, and the largest share of the time that they take."""


class BoardRuns:
    """Current run of a board, if there is one.

    Parameters
    ----------
    records : Records
        Where results go.
    processes : int
        Other processes that run cells; with 0 they run in a thread of this one.
    show : callable
        Called in the thread of the run at intervals.
    ended : callable (error) -> None
        Called there at the end, with the error or None.

    Attributes
    ----------
    batch : Batch
        Of the current or last run; None before the first.
    stopped : bool
        Whether `stop` was called.
    """

    def __init__(
        self,
        records: Records,
        processes: int,
        show: Callable[[], None],
        ended: Callable[[Exception | None], None],
    ) -> None:
        self._records, self._show, self._ended = records, show, ended
        self._at_once = max(1, processes)
        self._pool = Processes(processes) if processes else None
        self._worker = Worker()
        self._stop = Event()
        self._keys: dict[Row, set[str]] = {}
        self.batch: Batch | None = None
        self._variant = ""

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stop.is_set()

    def plan(self, variant: str, by_row: Mapping[Row, Sequence[Cell]]) -> int:
        """Prepare to run the cells of some rows; returns how many have no record yet."""
        batch = Batch(self._records, variant, [cell for cells in by_row.values() for cell in cells])
        if batch.total:
            self.batch, self._variant = batch, variant
            self._keys = {row: {key_of(cell) for cell in cells} for row, cells in by_row.items()}
        return batch.total

    def start(self) -> None:
        """Run what is planned."""
        self._stop.clear()
        self._worker.submit(self._run)

    def stop(self) -> None:
        """Stop now; finished runs are in the records."""
        self._stop.set()
        if self._pool is not None:
            self._pool.kill()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; False if the run still goes on after `timeout` seconds."""
        return self._worker.wait(timeout)

    def going(self) -> list[Cell]:
        """Cells that are running."""
        return [] if self.batch is None else self.batch.left[: self._at_once]

    def states(self, variant: str) -> dict[Row, str]:
        """Rows of a variant that wait for cells: "running" or "queued"."""
        if variant != self._variant:
            return {}
        left = [key_of(cell) for cell in list(self.batch.left)] if self.batch is not None else []
        going = set(left[: self._at_once])
        waiting = {row: keys.intersection(left) for row, keys in self._keys.items()}
        return {row: "running" if keys & going else "queued" for row, keys in waiting.items() if keys}

    def _run(self) -> None:
        failure: Exception | None = None
        try:
            self._follow()
        except Exception as error:
            # Stopped processes raise an error, too.
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
