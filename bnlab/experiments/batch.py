"""Cells that are run in one go: which are done, which are going on, and how long the rest will take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from statistics import fmean, median
from time import perf_counter

from bnlab.experiments.grid import Cell, Record, key_of
from bnlab.experiments.rerun import Records
from bnlab.search import iterate

_RUNS = ("seed", "version")


class Batch:
    """Cells of a paper that have no record yet.

    Parameters
    ----------
    records : Records
        Take each fresh record, as do their files.
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
    >>> from bnlab.experiments.rerun import Records
    >>> from bnlab.experiments.reruns import rerun_of
    >>> rerun = rerun_of("carvalho2009")
    >>> Batch(Records(rerun), "honest", rerun.cells("honest", "iris", "LL", runs=3)).total
    3
    """

    def __init__(self, records: Records, variant: str, cells: Iterable[Cell]) -> None:
        self._records, self._variant = records, variant
        self.left = records.missing(cells)
        self.total, self.done = len(self.left), 0
        self._prices = _prices(records)
        self._paid, self._begun = 0.0, perf_counter()

    def run(self, executor: Executor | None = None) -> Iterator[Record]:
        """Run what is left and yield each record; on an executor they end in any order."""
        self._begun = perf_counter()
        for grid in self._records.grids(self._variant, self.left):
            state = grid.init()
            for record in state.values():
                self._take(record)
            steps = iterate(grid, state) if executor is None else grid.finish(executor, state)
            for _, record in steps:
                self._take(record)
                yield record

    def seconds_left(self) -> float | None:
        """Seconds until the end, by what like cells have cost; None before the first has ended."""
        if not self.done:
            return None
        paid = self._paid or 1e-9
        return (perf_counter() - self._begun) / paid * sum(map(self._price, self.left))

    def _take(self, record: Record) -> None:
        self._records.add(record)
        key = key_of(self._records.rerun.cell_of(record))
        cell = next((cell for cell in self.left if key_of(cell) == key), None)
        if cell is not None:
            self.left.remove(cell)
            self.done += 1
            self._paid += self._price(cell)

    def _price(self, cell: Cell) -> float:
        return self._prices.get(_kind(cell)) or (fmean(self._prices.values()) if self._prices else 1.0)


def _prices(records: Records) -> dict[str, float]:
    """Median seconds of the cells that differ in their seed or version alone."""
    seconds: dict[str, list[float]] = {}
    for record in records:
        seconds.setdefault(_kind(records.rerun.cell_of(record)), []).append(float(record["seconds"]))
    return {kind: max(median(values), 1e-3) for kind, values in seconds.items()}


def _kind(cell: Cell) -> str:
    return key_of({name: value for name, value in cell.items() if name not in _RUNS})
