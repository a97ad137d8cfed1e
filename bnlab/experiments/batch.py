"""Cells that are run together: which are done, which remain, and how long those will take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from time import perf_counter

from bnlab.experiments.experiment import Records
from bnlab.experiments.grid import Cell, Record
from bnlab.search import iterate


class Batch:
    """Cells of a paper that have no record yet.

    Parameters
    ----------
    records : Records
        Take each new record, as do their files.
    variant : str
    cells : iterable of mapping
        Those with a record are left out.

    Attributes
    ----------
    left : list of mapping
        Cells to run, in their order; those that are being run come first.
    done, total : int

    Examples
    --------
    >>> from bnlab.experiments.papers import experiment_of
    >>> paper = experiment_of("carvalho2009")
    >>> Batch(Records(paper), "honest", paper.cells("honest", "iris", "LL", runs=3)).total
    3
    """

    def __init__(self, records: Records, variant: str, cells: Iterable[Cell]) -> None:
        self._records, self._variant = records, variant
        self.left = records.missing(cells)
        self.total, self.done = len(self.left), 0
        self._started = perf_counter()

    def run(self, executor: Executor | None = None) -> Iterator[Record]:
        """Run the remaining cells and yield each record; on an executor they end in any order."""
        self._started = perf_counter()
        for grid in self._records.grids(self._variant, self.left):
            state = grid.init()
            for record in state.values():
                self._take(record)
            steps = iterate(grid, state) if executor is None else grid.finish(executor, state)
            for _, record in steps:
                self._take(record)
                yield record

    def seconds_left(self) -> float | None:
        """Seconds until the end, if cells take as long as those before; None before the first has ended."""
        return (perf_counter() - self._started) / self.done * len(self.left) if self.done else None

    def _take(self, record: Record) -> None:
        self._records.add(record)
        cell = self._records.experiment.cell_of(record)
        if cell in self.left:
            self.left.remove(cell)
            self.done += 1
