"""What an experiment board computes in the background: runs of cells, and details of single runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor

from bnlab.papers.base.batch import Batch
from bnlab.papers.base.board.state import Ended, Moment, Moved, Recomputed, Row
from bnlab.papers.base.experiment import Experiment, Records
from bnlab.papers.base.grid import Cell, key_of
from bnlab.papers.base.processes import Processes
from bnlab.widgets.base.pure import Effect, Message
from bnlab.widgets.base.timing import Pace

REFRESH_S, SHARE = 0.3, 0.2
"""Minimum seconds between two updates of the board during a run, and the maximum share of the time for updates."""


class RunCells(Effect, channel="run", failure="Run failed"):
    """Run cells by row, in processes or in this one. Each record is written when its cell is done."""

    records: Records
    variant: str
    by_row: Mapping[Row, Sequence[Cell]]
    processes: Processes | None

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Ended:
        """Run until all cells are done, or a stop."""
        batch = Batch(self.records, self.variant, [cell for cells in self.by_row.values() for cell in cells])
        failure: Exception | None = None
        try:
            self._follow(batch, send, stopped)
        except Exception as error:
            # Processes that are stopped raise an error, too.
            failure = None if stopped() else error
        return Ended(self._moment(batch), ended(batch, failure, stopped=stopped()), failure is not None)

    def _follow(self, batch: Batch, send: Callable[[Message], None], stopped: Callable[[], bool]) -> None:
        pace = Pace(SHARE, REFRESH_S)
        pace.draw(lambda: send(Moved(self._moment(batch))))
        executor = None if self.processes is None else self.processes.executor
        if stopped():
            if self.processes is not None:
                self.processes.kill()  # the stop may have come before there were processes to end
            return
        for _ in batch.run(executor):
            if executor is None and stopped():
                return  # processes are killed, which ends the loop; leaving it here would make it fail
            pace.draw(lambda: send(Moved(self._moment(batch))))

    def _moment(self, batch: Batch) -> Moment:
        number = 1 if self.processes is None else self.processes.number
        keys = [key_of(cell) for cell in batch.left]
        going, waiting = set(keys[:number]), set(keys)
        states = {}
        for row, cells in self.by_row.items():
            own = {key_of(cell) for cell in cells}
            if own & waiting:
                states[row] = "running" if own & going else "queued"
        names = tuple(cell_name(self.records.experiment, cell) for cell in batch.left[:number])
        return Moment(self.variant, batch.done, batch.total, batch.seconds_left(), names, states)


class Kill(Effect, channel="kill", failure="Not stopped"):
    """End the processes that run cells; the records of finished cells are written."""

    processes: Processes

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> None:
        """End them now."""
        self.processes.kill()


class Recompute(Effect, channel="detail", failure="Not computed"):
    """Recompute a cell with details, in another process or in this one."""

    key: str
    rerun: Experiment
    variant: str
    item: str
    cell: Cell
    processes: Processes | None

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Recomputed | None:
        """The details, unless others are wanted by now."""
        if stopped():
            return None
        question = self.variant, self.item, self.cell
        try:
            if self.processes is None:
                return Recomputed(self.key, self.rerun.detail(*question))
            return Recomputed(self.key, self.processes.submit(self.rerun.detail, *question).result())
        except Exception:
            if stopped():
                return None
            raise


def cell_name(rerun: Experiment, cell: Cell) -> str:
    """Name of a cell among all cells of a paper."""
    first, label = str(next(iter(cell.values()))), rerun.run_label(cell)
    return label if first in label else f"{first}, {label}"


def ended(batch: Batch, failure: Exception | None, *, stopped: bool) -> str:
    """Message about the end of a run."""
    if isinstance(failure, BrokenExecutor):
        return "Run failed: a process ended unexpectedly; finished runs are saved."
    if failure is not None:
        return f"Run failed: {failure or type(failure).__name__}"
    runs = f"{batch.done:,} of {batch.total:,} runs"
    return f"Stopped after {runs}; finished runs are saved." if stopped and batch.left else f"Ran {runs}."
