"""Grids of experiments: cells in, records out, each record on disk before the next cell starts.

A killed run resumes where it stopped: cells whose record is stored are not run again. Processes that run the same grid
on one file share the work: a cell that another has finished is taken from the file, and none is stored twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from bnlab._runtime.cached import cached_property
from bnlab.experiments.records import Record, RecordFile
from bnlab.search import Described, Snapshot, Work

__all__ = ["Cell", "Grid", "Record", "RecordFile"]

Cell: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Grid(Described):
    """Experiment over many cells, a `Search` whose state holds the finished records by the key of their cell.

    Parameters
    ----------
    cells : sequence of mapping
        What tells the runs apart: the same keys in every cell, JSON values only.
    evaluate : callable
        From a cell to its results (JSON values); a record is the cell with its results. To run in other processes it
        must be a function of a module.
    file : RecordFile, optional
        Where records are kept; without one they live in memory.
    """

    cells: Sequence[Cell]
    evaluate: Callable[[Cell], Mapping[str, Any]]
    file: RecordFile | None = None

    def init(self) -> dict[str, Record]:
        """Records of this grid's cells that are stored already."""
        self._note(self.file.load() if self.file else [])
        return {key: self._found[key] for key in self._by_key if key in self._found}

    def step(self, state: dict[str, Record]) -> tuple[dict[str, Record], Record]:
        """Run the next cell, unless another process has done so."""
        key = self._left(state)[0]
        if self.file:
            self._note(self.file.news())
        record = self._found.get(key) if self.file else None
        if record is None:
            record = self._store(key, self.evaluate(self._by_key[key]))
        return {**state, key: record}, record

    def is_done(self, state: dict[str, Record]) -> bool:
        """Whether every cell has its record."""
        return len(state) == len(self._by_key)

    def result(self, state: dict[str, Record]) -> pd.DataFrame:
        """Records as a table, in the order of the cells."""
        return pd.DataFrame([state[key] for key in self._by_key if key in state])

    def snapshot(self, state: dict[str, Record]) -> Snapshot:
        """Cells finished."""
        return Snapshot(Work(len(state), len(self.cells), "cells"))

    def finish(self, executor: Executor, state: dict[str, Record]) -> Iterator[tuple[dict[str, Record], Record]]:
        """Run all cells that are left on an executor; yields as `bnlab.search.iterate` does, in the order of ending."""
        futures = {executor.submit(self.evaluate, self._by_key[key]): key for key in self._left(state)}
        try:
            for future in as_completed(futures):
                record = self._store(futures[future], future.result())
                state = {**state, futures[future]: record}
                yield state, record
        except BrokenExecutor:
            futures.clear()  # it ends them itself, and stumbles over one that is taken back meanwhile
            raise
        finally:
            for future in futures:
                future.cancel()

    @cached_property
    def _by_key(self) -> dict[str, Cell]:
        return {key_of(cell): cell for cell in self.cells}

    def _left(self, state: dict[str, Record]) -> list[str]:
        return [key for key in self._by_key if key not in state]

    @cached_property
    def _found(self) -> dict[str, Record]:
        """Records known to be stored, by the keys of their cells."""
        return {}

    def _note(self, records: Sequence[Record]) -> None:
        names = list(self.cells[0]) if self.cells else []
        self._found.update({key_of({name: record.get(name) for name in names}): record for record in records})

    def _store(self, key: str, results: Mapping[str, Any]) -> Record:
        record: Record = json.loads(json.dumps({**self._by_key[key], **results}))  # as it comes from a file
        if not self.file:
            return record
        with self.file.appending() as append:
            self._note(append.news)
            if key not in self._found:
                append(record)
                self._found[key] = record
        return self._found[key]


def key_of(cell: Cell) -> str:
    """Key of a cell in the state of a grid."""
    return json.dumps(cell, sort_keys=True)
