"""Printed numbers beside their reruns, the same for every paper: what stands behind a number, and how to run it again.

A *row* is one printed number, named by a group and an item (a data set and a score). *Cells* are the runs of a grid
that stand behind it, such as one for each seed. A *variant* is a way to run all of them, such as a protocol.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from bnlab._runtime.names import nearest
from bnlab.experiments.grid import Cell, Grid, Record, RecordFile, key_of
from bnlab.graphs import Dag, Pdag

COLUMNS = (
    *("group", "item", "published", "low", "high", "rerun", "runs", "least", "greatest"),
    *("difference", "inside", "text", "note"),
)
"""Columns of `Rerun.table`."""


@dataclass(frozen=True, eq=False)
class Network:
    """A learned network, and how to look at it.

    Attributes
    ----------
    graph : Dag or Pdag
    kinds : mapping of (str, str) to str, optional
        Kinds of edges, such as kept, added and dropped.
    reference : Dag or Pdag, optional
        Graph that it is compared with.
    """

    graph: Dag | Pdag
    kinds: Mapping[tuple[str, str], str] | None = None
    reference: Dag | Pdag | None = None


@dataclass(frozen=True, eq=False)
class Close:
    """One cell looked at closely, computed anew.

    Attributes
    ----------
    outcome : str
        The result in words, to be compared with `Rerun.outcome` of a stored record.
    facts : mapping of str to str
        What else there is to say.
    networks : mapping of str to Network
        By name, such as "fold 1".
    confusion : DataFrame of int, optional
        Test rows by their class (rows) and the predicted one (columns).
    """

    outcome: str
    facts: Mapping[str, str] = field(default_factory=dict)
    networks: Mapping[str, Network] = field(default_factory=dict)
    confusion: pd.DataFrame | None = None


class Rerun(ABC):
    """A paper's printed numbers and the experiment that gives them again."""

    key: ClassVar[str]
    """Name of the module of the paper."""
    title: ClassVar[str]
    group_name: ClassVar[str]
    """What a group is, such as "data set"."""
    item_name: ClassVar[str]
    variant_name: ClassVar[str]
    run_name: ClassVar[str] = "seed"
    """What tells the runs behind a row apart, in one word."""
    variants: ClassVar[tuple[str, ...]]
    stems: ClassVar[tuple[str, ...]]
    """Names of the files of records, without ending."""
    keys: ClassVar[tuple[str, ...]]
    """Fields of a record that name its cell."""
    verdicts: ClassVar[tuple[str, str]] = ("inside", "outside")
    """What it is called that a rerun is as printed, and that it is not."""

    @abstractmethod
    def unit(self, variant: str) -> str:
        """What the numbers are, with their unit."""

    @abstractmethod
    def interval(self, variant: str) -> str:
        """What the bar around a published number means, in a sentence."""

    @abstractmethod
    def table(self, records: Iterable[Record], variant: str) -> pd.DataFrame:
        """Every row, printed and run again.

        Parameters
        ----------
        records : iterable of dict
            Of any variant.
        variant : str

        Returns
        -------
        DataFrame
            group, item, published, low and high (of the printed interval), rerun (median of the runs), runs, least and
            greatest (of the runs), difference (rerun less published), inside (bool; None where nothing was run), text
            (of a small table), note (of a tooltip). Numbers that were not run are nan.
        """

    @abstractmethod
    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """Cells behind a row, of that many seeds or samples, where the rows depend on them."""

    @abstractmethod
    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """From a cell to its results; other processes can run it."""

    @abstractmethod
    def stem(self, variant: str, cell: Cell) -> str:
        """File that the record of a cell belongs to."""

    @abstractmethod
    def stands_behind(self, record: Record, variant: str, group: str, item: str) -> bool:
        """Whether a row is made from this record among others."""

    @abstractmethod
    def outcome(self, record: Record, item: str) -> str:
        """What a record says of an item, in words; nothing that differs from run to run, such as seconds."""

    @abstractmethod
    def look(self, variant: str, item: str, cell: Cell) -> Close:
        """Compute a cell anew and keep what its record leaves out."""

    @abstractmethod
    def code(self, variant: str, item: str, cell: Cell) -> str:
        """Python that runs a cell again."""

    def called(self, cell: Cell) -> str:
        """Name of a cell among those behind its row."""
        return f"{self.run_name} {cell[self.run_name]}"

    def told(self, group: str) -> str:
        """What a group stands for, where its name is a mere key."""
        return group

    def cell_of(self, record: Record) -> Cell:
        """Cell that a record belongs to."""
        return {name: record[name] for name in self.keys}

    def check_variant(self, variant: str) -> None:
        """Refuse an unknown variant.

        Raises
        ------
        ValueError
            If it is unknown.
        """
        if variant not in self.variants:
            raise ValueError(f"{self.variant_name} {variant!r}: {nearest(variant, self.variants)}")


class Records:
    """Records of a paper, from its files and from fresh runs, each cell once.

    Parameters
    ----------
    rerun : Rerun
    folder : path-like, optional
        Where its files are, and where fresh records go; without one they are in memory alone.

    Raises
    ------
    ValueError
        If there is no such folder, or a file is damaged.
    """

    def __init__(self, rerun: Rerun, folder: str | os.PathLike[str] | None = None) -> None:
        self.rerun = rerun
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None and not self.folder.is_dir():
            raise ValueError(
                f"records={str(folder)!r}: no such folder; make it first, it may be empty, or leave it out to keep "
                "records in memory."
            )
        self._by_key: dict[str, Record] = {}
        for stem in rerun.stems if self.folder is not None else ():
            for record in RecordFile(self._path(stem)).load():
                self._by_key.setdefault(self._key(rerun.cell_of(record)), record)

    def __iter__(self) -> Iterator[Record]:
        return iter(list(self._by_key.values()))

    def __len__(self) -> int:
        return len(self._by_key)

    def find(self, cell: Cell) -> Record | None:
        """Record of a cell, if it has been run."""
        return self._by_key.get(self._key(cell))

    def missing(self, cells: Iterable[Cell]) -> list[Cell]:
        """Those without a record, each once."""
        by_key = {self._key(cell): cell for cell in cells}
        return [cell for key, cell in by_key.items() if key not in self._by_key]

    def behind(self, variant: str, group: str, item: str) -> list[Cell]:
        """Cells with a record that a row is made from."""
        rerun = self.rerun
        return [rerun.cell_of(record) for record in self if rerun.stands_behind(record, variant, group, item)]

    def add(self, record: Record) -> None:
        """Take a fresh record into account; it is not written to a file here."""
        self._by_key[self._key(self.rerun.cell_of(record))] = record

    def grids(self, variant: str, cells: Sequence[Cell]) -> list[Grid]:
        """Grids that run these cells and write them to their files, one a file."""
        by_stem: dict[str, list[Cell]] = {}
        for cell in cells:
            by_stem.setdefault(self.rerun.stem(variant, cell), []).append(cell)
        evaluate = self.rerun.evaluate(variant)
        return [
            Grid(part, evaluate, None if self.folder is None else RecordFile(self._path(stem)))
            for stem, part in by_stem.items()
        ]

    def _path(self, stem: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{stem}.jsonl"

    def _key(self, cell: Cell) -> str:
        return key_of({name: cell[name] for name in self.rerun.keys})


def beside(printed: pd.DataFrame, values: pd.DataFrame, *, digits: int = 2, rounding: float = 0.0) -> pd.DataFrame:
    """Printed numbers beside the values of runs; a row is inside when the median lies in the printed interval.

    Parameters
    ----------
    printed : DataFrame with columns group, item, published, low, high
    values : DataFrame with columns group, item, value
        A row a run.
    digits : int
        Of the texts.
    rounding : float
        How far outside the interval still counts as inside.

    Returns
    -------
    DataFrame
        As `Rerun.table`.
    """
    by_row = values.groupby(["group", "item"], sort=False).value
    runs = by_row.agg(rerun="median", runs="size", least="min", greatest="max").reset_index()
    table = printed.merge(runs, on=["group", "item"], how="left")
    table["runs"] = table.runs.fillna(0).astype(int)
    numbers = ["rerun", "least", "greatest"]
    table[numbers] = table[numbers].astype(float)
    table["difference"] = table.rerun - table.published
    within = (table.low - rounding <= table.rerun) & (table.rerun <= table.high + rounding)
    table["inside"] = within.astype(object).where(table.rerun.notna(), None)
    table["text"] = [
        f"{row.published:.{digits}f}\n→ " + ("not run" if row.inside is None else f"{row.rerun:.{digits}f}")
        for row in table.itertuples()
    ]
    table["note"] = [spread(row, digits) for row in table.itertuples()]
    return table[list(COLUMNS)]


def spread(row: Any, digits: int) -> str:
    """How many runs a row of `beside` comes from, and how far they lie apart."""
    if not row.runs:
        return "not run"
    runs = f"{row.runs} run{'s' * (row.runs > 1)}"
    return runs if row.least == row.greatest else f"{runs}, {row.least:.{digits}f} to {row.greatest:.{digits}f}"
