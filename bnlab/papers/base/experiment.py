"""Base class of the papers: reported numbers, and the experiment that reproduces them.

A *row* is one reported number, named by a group and an item (a data set and a score). Its *cells* are runs of a grid,
for example one for each seed. A *variant* is a way to run all cells, such as a protocol.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from bnlab.graphs import Dag, Pdag
from bnlab.papers.base.grid import Cell, Grid, Record, RecordFile, StoredCells, key_of

COLUMNS = (
    *("group", "item", "published", "low", "high", "rerun", "runs", "least", "greatest"),
    *("difference", "inside", "text", "note"),
)
"""Columns of `Experiment.table`."""
RUNS = ("seed", "version", "origin")
"""Fields of a cell that distinguish the runs of a row."""


@dataclass(frozen=True, eq=False)
class Network:
    """A learned network, and how to draw it.

    Attributes
    ----------
    graph : Dag or Pdag
    kinds : mapping of (str, str) to str, optional
        Kinds of edges, such as kept, added and dropped.
    truth : Dag or Pdag, optional
        True network, for comparison.
    """

    graph: Dag | Pdag
    kinds: Mapping[tuple[str, str], str] | None = None
    truth: Dag | Pdag | None = None


@dataclass(frozen=True, eq=False)
class RunDetail:
    """One cell, recomputed with details that its record does not contain.

    Attributes
    ----------
    outcome : str
        The result in words, for comparison with `Experiment.outcome` of the stored record.
    facts : mapping of str to str
        Other results by name.
    networks : mapping of str to Network
        Networks by name, such as "fold 1".
    confusion : DataFrame of int, optional
        Numbers of test rows by true class (rows) and predicted class (columns).
    """

    outcome: str
    facts: Mapping[str, str] = field(default_factory=dict)
    networks: Mapping[str, Network] = field(default_factory=dict)
    confusion: pd.DataFrame | None = None


class Experiment(ABC):
    """Reported numbers of a paper, and the cells that reproduce them.

    Attributes
    ----------
    key : str
        Name of the package of the paper.
    title : str
    group_name, item_name, variant_name : str
        Labels of groups, items and variants, such as "data set", "score" and "protocol".
    run_name : str
        Field of a cell that distinguishes the runs of a row; also its label.
    variants : sequence of str
    stems : sequence of str
        Names of the files of records, without suffix.
    keys : sequence of str
        Fields of a record that name its cell.
    stored : sequence of StoredCells
        Cells whose records are stored with the paper's notebook, in the order in which they are run.
    verdicts : (str, str)
        Verbs for a number that is reproduced, and for one that is not.
    reported_format : str
        Format of reported numbers.
    rounding : float
        Distance from the reported interval within which a number still agrees.
    """

    key: str
    title: str
    group_name: str
    item_name: str
    variant_name: str
    run_name: str = "seed"
    variants: Sequence[str]
    stems: Sequence[str]
    keys: Sequence[str]
    stored: Sequence[StoredCells] = ()
    verdicts: tuple[str, str] = ("agrees", "differs")
    reported_format: str = ".2f"
    rounding: float = 0.0

    @abstractmethod
    def unit(self, variant: str) -> str:
        """Describe the numbers, with their unit."""

    @abstractmethod
    def interval(self, variant: str) -> str:
        """Explain the bar around a reported number in a sentence."""

    @abstractmethod
    def reported(self, variant: str) -> pd.DataFrame:
        """Return the reported numbers, one row each: group, item, published, low and high (reported interval)."""

    @abstractmethod
    def values(self, records: Iterable[Record], variant: str) -> Iterable[tuple[str, str, float]]:
        """Return group, item and value of each run, from records of any variant."""

    @abstractmethod
    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """Return the cells of a row, for `runs` seeds or samples if the row depends on them."""

    @abstractmethod
    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """Return a function from a cell to its results, which can run in another process."""

    @abstractmethod
    def outcome(self, record: Record, item: str) -> str:
        """Describe the result of an item in a record, without values that differ from run to run, such as seconds."""

    @abstractmethod
    def detail(self, variant: str, item: str, cell: Cell) -> RunDetail:
        """Recompute a cell with details that its record does not contain."""

    def code(self, variant: str, cell: Cell) -> str:
        """Return Python code that runs a cell again."""
        return (
            "from bnlab.papers.experiments import experiment_of\n\n"
            f"evaluate = experiment_of({self.key!r}).evaluate({variant!r})\n"
            f"evaluate({dict(cell)!r})"
        )

    def digits(self, variant: str) -> int:
        """Return the number of decimal places of reproduced numbers."""
        return 2

    def stem(self, variant: str, cell: Cell) -> str:
        """Return the name of the file of a cell's record, without suffix."""
        return self.stems[0]

    def run_label(self, cell: Cell) -> str:
        """Return the name of a cell among the cells of its row."""
        return f"{self.run_name} {cell[self.run_name]}"

    def describe(self, group: str) -> str:
        """Describe a group, if its name is only a key."""
        return group

    def describe_item(self, item: str) -> str:
        """Describe an item in a sentence without its subject; empty if its name is clear."""
        return ""

    def table(self, records: Iterable[Record], variant: str) -> pd.DataFrame:
        """Compare the reported and the reproduced number of every row.

        Parameters
        ----------
        records : iterable of dict
            Records of any variant.
        variant : str

        Returns
        -------
        DataFrame
            group, item, published, low and high (of the reported interval), rerun (median of the runs), runs, least
            and greatest (of the runs), difference (rerun less published), inside (bool; None if nothing was run), text
            (for a small table), note (for a tooltip). Numbers that were not run are nan.
        """
        return self.tabulated(self.values(records, variant), variant)

    def tabulated(self, reproduced: Iterable[tuple[str, str, float]], variant: str) -> pd.DataFrame:
        """Return the result of `table` for given values."""
        values = pd.DataFrame(reproduced, columns=["group", "item", "value"])
        by_row = values.astype({"value": float}).groupby(["group", "item"], sort=False).value
        runs = by_row.agg(rerun="median", runs="size", least="min", greatest="max").reset_index()
        table = self.reported(variant).merge(runs, on=["group", "item"], how="left")
        table["runs"] = table.runs.fillna(0).astype(int)
        table["difference"] = table.rerun - table.published
        table["inside"] = self.agrees(table).astype(object).where(table.rerun.notna(), None)
        digits = self.digits(variant)
        table["text"] = [
            f"{row.published:{self.reported_format}}\n→ "
            + ("not run" if row.inside is None else f"{row.rerun:.{digits}f}")
            for row in table.itertuples()
        ]
        table["note"] = [_spread(row, digits) for row in table.itertuples()]
        return table[list(COLUMNS)]

    def agrees(self, table: pd.DataFrame) -> pd.Series:
        """Whether each row is reproduced: by default, its median must lie in the reported interval."""
        return (table.low - self.rounding <= table.rerun) & (table.rerun <= table.high + self.rounding)

    def cell_of(self, record: Record) -> Cell:
        """Return the cell of a record."""
        return {name: record[name] for name in self.keys}


def _spread(row: Any, digits: int) -> str:
    """Number of runs of a row, and their range."""
    if not row.runs:
        return "not run"
    runs = f"{row.runs} run{'s' * (row.runs > 1)}"
    return runs if row.least == row.greatest else f"{runs}, {row.least:.{digits}f} to {row.greatest:.{digits}f}"


class Records:
    """Records of a paper, from its files and from new runs, each cell once.

    Parameters
    ----------
    experiment : Experiment
    folder : path-like, optional
        Folder of its files, to which new records are added; by default records are only in memory.

    Raises
    ------
    ValueError
        If there is no such folder, or a file is damaged.
    """

    def __init__(self, experiment: Experiment, folder: str | os.PathLike[str] | None = None) -> None:
        self.experiment = experiment
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None and not self.folder.is_dir():
            raise ValueError(
                f"records={str(folder)!r}: no such folder; create it first, it may be empty, or leave it out to hold "
                "records in memory only."
            )
        self._by_key: dict[str, Record] = {}
        for stem in experiment.stems if self.folder is not None else ():
            for record in RecordFile(self._path(stem)).load():
                self._by_key.setdefault(self._key(record), record)

    def __iter__(self) -> Iterator[Record]:
        return iter(list(self._by_key.values()))

    def __len__(self) -> int:
        return len(self._by_key)

    def find(self, cell: Cell) -> Record | None:
        """Return the record of a cell, or None if it has not been run."""
        return self._by_key.get(self._key(cell))

    def missing(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells without a record, each once."""
        by_key = {self._key(cell): cell for cell in cells}
        return [cell for key, cell in by_key.items() if key not in self._by_key]

    def behind(self, variant: str, group: str, item: str) -> list[Cell]:
        """Return the cells of a row that have a record, for all seeds or samples."""
        fields = [name for name in self.experiment.keys if name not in RUNS]
        wanted = {tuple(cell[name] for name in fields) for cell in self.experiment.cells(variant, group, item, 1)}
        found = map(self.experiment.cell_of, self)
        return [cell for cell in found if tuple(cell[name] for name in fields) in wanted]

    def add(self, record: Record) -> None:
        """Add a new record in memory; it is not written to a file here."""
        self._by_key[self._key(record)] = record

    def grids(self, variant: str, cells: Sequence[Cell]) -> list[Grid]:
        """Return grids that run these cells and write their records, one grid per file."""
        by_stem: dict[str, list[Cell]] = {}
        for cell in cells:
            by_stem.setdefault(self.experiment.stem(variant, cell), []).append(cell)
        evaluate = self.experiment.evaluate(variant)
        return [
            Grid(part, evaluate, None if self.folder is None else RecordFile(self._path(stem)))
            for stem, part in by_stem.items()
        ]

    def _path(self, stem: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{stem}.jsonl"

    def _key(self, cell: Cell) -> str:
        return key_of({name: cell[name] for name in self.experiment.keys})
