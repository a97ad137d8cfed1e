"""Grids of experiments: each cell gives a record, which is on disk before the next cell starts.

A killed run resumes where it stopped: cells whose record is stored are not run again. Processes that run the same grid
with the same file share the work: they read the records of finished cells from the file, and none is stored twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import check_known
from bnlab.papers.base.records import Record, RecordFile
from bnlab.search import Described, Snapshot, Work

__all__ = ["Cell", "Design", "Grid", "Record", "RecordFile", "StoredCells", "key_of"]

Cell: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Grid(Described):
    """Experiment over many cells, a `Search` whose state holds the finished records by the key of their cell.

    Parameters
    ----------
    cells : sequence of mapping
        Parameters of the runs: JSON values, with the same fields in every cell.
    evaluate : callable
        Function from a cell to its results (JSON values); a record is the cell with its results. To run in other
        processes it must be a function of a module.
    file : RecordFile, optional
        File of the records; by default they are only in memory.
    """

    cells: Sequence[Cell]
    evaluate: Callable[[Cell], Mapping[str, Any]]
    file: RecordFile | None = None

    def init(self) -> dict[str, Record]:
        """Return the stored records of this grid's cells."""
        self._note(self.file.load() if self.file else [])
        return {key: self._found[key] for key in self._by_key if key in self._found}

    def step(self, state: dict[str, Record]) -> tuple[dict[str, Record], Record]:
        """Run the next cell, unless another process has run it."""
        key = self._left(state)[0]
        if self.file:
            self._note(self.file.news())
        record = self._found.get(key) if self.file else None
        if record is None:
            record = self._store(key, self.evaluate(self._by_key[key]))
        return {**state, key: record}, record

    def is_done(self, state: dict[str, Record]) -> bool:
        """Whether every cell has a record."""
        return len(state) == len(self._by_key)

    def result(self, state: dict[str, Record]) -> pd.DataFrame:
        """Return the records as a table, in the order of the cells."""
        return pd.DataFrame([state[key] for key in self._by_key if key in state])

    def snapshot(self, state: dict[str, Record]) -> Snapshot:
        """Return the number of finished cells."""
        return Snapshot(Work(len(state), len(self.cells), "cells"))

    def finish(self, executor: Executor, state: dict[str, Record]) -> Iterator[tuple[dict[str, Record], Record]]:
        """Run the remaining cells on an executor; yield as `bnlab.search.iterate` does, in the order of completion."""
        futures = {executor.submit(self.evaluate, self._by_key[key]): key for key in self._left(state)}
        try:
            for future in as_completed(futures):
                record = self._store(futures[future], future.result())
                state = {**state, futures[future]: record}
                yield state, record
        except BrokenExecutor:
            futures.clear()  # the executor ends them itself, and would fail if one were cancelled at the same time
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
        record: Record = json.loads(json.dumps({**self._by_key[key], **results}))  # as it is read from a file
        if not self.file:
            return record
        with self.file.appending() as (news, append):
            self._note(news)
            if key not in self._found:
                append(record)
                self._found[key] = record
        return self._found[key]


@dataclass(frozen=True)
class Design:
    """Cells of one kind: the function that evaluates a cell, and the values of its fields.

    Parameters
    ----------
    evaluate : callable
        Function from a cell to its results; see `Grid`.
    axes : mapping of str to sequence
        Fields of a cell with their default values; the last field varies fastest.
    complete : callable, optional
        Function from a cell to the cell that is run, or None if it is not run. Equal cells are run once.
    """

    evaluate: Callable[[Cell], Mapping[str, Any]]
    axes: Mapping[str, Sequence[Any]]
    complete: Callable[[Cell], Cell | None] = dict

    def cells(self, **values: Sequence[Any]) -> list[Cell]:
        """Return the cells with the given values; other fields have their default values.

        Raises
        ------
        ValueError
            If there is no field of a given name.
        """
        for name in values:
            check_known(name, self.axes, f"the cells have no field {name!r}")
        axes = {**self.axes, **values}
        found = (self.complete(dict(zip(axes, chosen, strict=True))) for chosen in product(*axes.values()))
        return list({key_of(cell): cell for cell in found if cell is not None}.values())

    def grid(self, path: str | os.PathLike[str] | None = None, **values: Sequence[Any]) -> Grid:
        """Return an experiment over these cells, a `Search` that resumes from its file.

        Parameters
        ----------
        path : path-like, optional
            File of records (JSON lines); by default they are only in memory.
        **values : sequence
            Values of fields, as for `cells`.
        """
        return Grid(self.cells(**values), self.evaluate, None if path is None else RecordFile(path))


class StoredCells(NamedTuple):
    """Cells whose records are in a file of a paper's folder of results.

    Attributes
    ----------
    stem : str
        Name of the file, without suffix.
    design : Design
    values : mapping of str to sequence
        Values of fields that differ from the defaults.
    """

    stem: str
    design: Design
    values: Mapping[str, Sequence[Any]] = {}

    def grid(self, folder: str | os.PathLike[str]) -> Grid:
        """Return a grid that writes to its file in a folder."""
        return self.design.grid(Path(folder) / f"{self.stem}.jsonl", **self.values)


def key_of(cell: Cell) -> str:
    """Key of a cell in the state of a grid."""
    return json.dumps(cell, sort_keys=True)
