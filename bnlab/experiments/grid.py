"""Grids of experiments: cells in, records out, each record on disk before the next cell starts.

A killed run resumes where it stopped: cells whose record is stored are not run again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

Cell: TypeAlias = Mapping[str, Any]
Record: TypeAlias = dict[str, Any]


class RecordFile:
    """JSON lines, one record each, appended and forced to disk one by one.

    A last line cut short by a kill is dropped at the next opening; any other broken line is an error.

    Parameters
    ----------
    path : path-like
        Created, with its folder, at the first record.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def load(self) -> list[Record]:
        """Every record stored so far.

        Raises
        ------
        ValueError
            When a line that is not the last cannot be read.
        """
        if not self.path.exists():
            return []
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            self.path.write_bytes(whole)
        return [self._parse(number, line) for number, line in enumerate(whole.splitlines(), 1)]

    def append(self, record: Record) -> None:
        """Store one record."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _parse(self, number: int, line: bytes) -> Record:
        try:
            record: Record = json.loads(line)
        except ValueError as error:
            raise ValueError(
                f"{self.path}, line {number}: not a record ({error}); delete the line to have its cell run again"
            ) from error
        return record


@dataclass(frozen=True)
class Grid:
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
        stored = self.file.load() if self.file else []
        names = list(self.cells[0]) if self.cells else []
        records = {key_of({name: record.get(name) for name in names}): record for record in stored}
        return {key: records[key] for key in self._by_key if key in records}

    def step(self, state: dict[str, Record]) -> tuple[dict[str, Record], Record]:
        """Run the next cell."""
        key = self._left(state)[0]
        record = self._store(key, self.evaluate(self._by_key[key]))
        return {**state, key: record}, record

    def is_done(self, state: dict[str, Record]) -> bool:
        """Whether every cell has its record."""
        return len(state) == len(self._by_key)

    def result(self, state: dict[str, Record]) -> pd.DataFrame:
        """Records as a table, in the order of the cells."""
        return pd.DataFrame([state[key] for key in self._by_key if key in state])

    def finish(self, executor: Executor, state: dict[str, Record]) -> Iterator[tuple[dict[str, Record], Record]]:
        """Run all cells that are left on an executor; yields as `bnlab.search.iterate` does, in the order of ending."""
        futures = {executor.submit(self.evaluate, self._by_key[key]): key for key in self._left(state)}
        try:
            for future in as_completed(futures):
                record = self._store(futures[future], future.result())
                state = {**state, futures[future]: record}
                yield state, record
        finally:
            for future in futures:
                future.cancel()

    @cached_property
    def _by_key(self) -> dict[str, Cell]:
        return {key_of(cell): cell for cell in self.cells}

    def _left(self, state: dict[str, Record]) -> list[str]:
        return [key for key in self._by_key if key not in state]

    def _store(self, key: str, results: Mapping[str, Any]) -> Record:
        record = {**self._by_key[key], **results}
        if self.file:
            self.file.append(record)
        return record


def key_of(cell: Cell) -> str:
    """Key of a cell in the state of a grid."""
    return json.dumps(cell, sort_keys=True)
