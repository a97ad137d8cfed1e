"""Runs of several cells: which are done, which remain, and the time that the remaining ones will take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from time import perf_counter

from bnlab.papers.base.experiment import Records
from bnlab.papers.base.grid import Cell, Record, key_of
from bnlab.search import iterate


class Batch:
    """Cells of a paper that have no record yet.

    Parameters
    ----------
    records : Records
        Records to which each new record is added, also in their files.
    variant : str
    cells : iterable of mapping
        Cells that have a record already are left out.

    Attributes
    ----------
    left : list of mapping
        Cells that have not finished, in their order; running cells come first.
    done, total : int
        Numbers of finished cells and of all cells.

    Examples
    --------
    >>> from bnlab.papers.experiments import experiment_of
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
        """Run the remaining cells and yield each record; on an executor they finish in any order."""
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
        """Remaining seconds if a cell takes as long as those before it; None before the first one is done."""
        return (perf_counter() - self._started) / self.done * len(self.left) if self.done else None

    def _take(self, record: Record) -> None:
        self._records.add(record)
        key = key_of(self._records.experiment.cell_of(record))
        cell = next((cell for cell in self.left if key_of(cell) == key), None)
        if cell is not None:
            self.left.remove(cell)
            self.done += 1
