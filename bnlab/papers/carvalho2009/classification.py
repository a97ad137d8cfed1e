"""Base class of the two papers on classifiers: tables of accuracies by data set, under protocols."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.counts.types import IntArray
from bnlab.graphs import Dag
from bnlab.learners.types import ParentTuples
from bnlab.papers.base import metrics
from bnlab.papers.base.experiment import Experiment, Network, RunDetail
from bnlab.papers.base.grid import Cell, Design, Grid, Record
from bnlab.papers.base.metrics import ROUNDING
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.carvalho2009.protocol import Protocol, drawn_name
from bnlab.papers.carvalho2009.rows import Fold, classified, is_seeded
from bnlab.scores.make import SCORE_TABLE

VERDICTS = {
    "inside": "in the printed bar",
    "inside_95": "in a real 95 % interval",
    "in_central_95": "in the central 95 % of splits",
}
"""Verdicts on a reported accuracy: columns of `AccuracyTable.judged`, and their names."""

NO_CLASS = "none"
"""Column of test rows without a predicted class, and row of those whose class is not in the training rows."""


class AccuracyTable(Experiment):
    """Accuracies on data sets: groups are data sets, variants are protocols, and runs are seeds.

    Attributes
    ----------
    datasets, items : sequence of str
        Rows and columns of the paper's table; a record has the hits of all items in this order.
    protocols : mapping of str to Protocol
    """

    group_name, variant_name = "data set", "protocol"
    keys = ("dataset", "protocol", "seed")
    rounding = ROUNDING
    datasets: Sequence[str]
    items: Sequence[str]
    protocols: Mapping[str, Protocol]

    @staticmethod
    @abstractmethod
    def run_cell(protocols: Mapping[str, Protocol], cell: Cell) -> Mapping[str, Any]:
        """Return the results of a cell: n_test, hits of all items, and others."""

    @staticmethod
    @abstractmethod
    def published() -> pd.DataFrame:
        """Return the paper's table, one row per number: dataset, item, test, accuracy, half_width, half_width_95."""

    @abstractmethod
    def learned(self, cell: Cell, protocol: Protocol, item: str) -> Iterator[tuple[Fold, ParentTuples, Network | None]]:
        """Yield each fold with the parents of every variable, including the class, and the network to draw."""

    def facts(self, cell: Cell, item: str) -> dict[str, str]:
        """Return further facts about a run."""
        return {}

    def hits(self, record: Record) -> Sequence[int]:
        """Return the hits of all items under the protocol of the record."""
        found: Sequence[int] = record["hits"]
        return found

    def parameters(self, protocol: Protocol, item: str) -> Protocol:
        """Return the protocol under which the parameters of an item are estimated."""
        return protocol

    def columns(self, record: Record, place: int) -> dict[str, Any]:
        """Return further columns of `records_frame`, for the item at position `place`."""
        return {}

    def records_frame(self, records: StoredRecords) -> pd.DataFrame:
        """Return records as a table, one row per data set, protocol, seed and item.

        Parameters
        ----------
        records : path-like or iterable of dict
            A file of records, or the values of a grid's state.

        Returns
        -------
        DataFrame
            dataset, protocol, seed, the item, n_train, n_test, hits, accuracy (0 to 1), seconds (of all items
            together), and those of `columns`.
        """
        shared = (*self.keys, "n_train", "n_test", "seconds")
        rows = [
            {key: record[key] for key in shared}
            | {self.item_name: item, "hits": hits, "accuracy": hits / record["n_test"]}
            | self.columns(record, place)
            for record in stored_records(records)
            for place, (item, hits) in enumerate(zip(self.items, self.hits(record), strict=True))
        ]
        return pd.DataFrame(rows, columns=None if rows else [*shared, self.item_name, "hits", "accuracy"])

    def beside_reported(self, records: pd.DataFrame) -> pd.DataFrame:
        """Compare every reported accuracy with the reproduced one; see `bnlab.papers.base.metrics.beside_reported`.

        Parameters
        ----------
        records : DataFrame
            From `records_frame`, with any protocols.
        """
        return metrics.beside_reported(records, self.published(), ["dataset", self.item_name])

    def judged(self, records: pd.DataFrame) -> pd.DataFrame:
        """Give three verdicts on every reported accuracy, under the protocols "as printed" and "honest".

        Parameters
        ----------
        records : DataFrame
            From `records_frame`, with runs of drawn splits (`over_splits`).

        Returns
        -------
        DataFrame
            As from `beside_reported`, but in_range and in_central_95 (and their quantiles) are of drawn splits.
        """
        protocols = ("as printed", "honest")
        table = self.beside_reported(records[records.protocol.isin(protocols)])
        splits = self.beside_reported(pd.concat([over_splits(records, name) for name in protocols]))
        names = ["least", "low", "high", "greatest", "seeds", "share_below", "in_range", "in_central_95"]
        keys = ["protocol", "dataset", self.item_name]
        return table.drop(columns=names).merge(splits[[*keys, *names]], on=keys)

    def design(self, protocols: Mapping[str, Protocol]) -> Design:
        """Return the cells of all data sets under some protocols; the seed is 0 if nothing depends on it."""

        def complete(cell: Cell) -> Cell:
            seeded = is_seeded(cell["dataset"], protocols[cell["protocol"]])
            return cell if seeded else {**cell, "seed": 0}

        axes = {"dataset": self.datasets, "seed": (0,), "protocol": tuple(protocols)}
        return Design(partial(self.run_cell, protocols), axes, complete)

    def grid(
        self,
        protocols: Iterable[Protocol],
        seeds: Sequence[int] = (0,),
        path: str | os.PathLike[str] | None = None,
        datasets: Sequence[str] | None = None,
    ) -> Grid:
        """Return an experiment over data sets, protocols and seeds, a `Search` that resumes from its file.

        A cell counts its tables once for all items. If the files determine the training rows, one seed is run.

        Parameters
        ----------
        protocols : iterable of Protocol
        seeds : sequence of int
            Each seed gives another split of the rows.
        path : path-like, optional
            File of records (JSON lines); by default they are only in memory.
        datasets : sequence of str, optional
            By default all.
        """
        design = self.design({protocol.name: protocol for protocol in protocols})
        return design.grid(path, seed=seeds, dataset=self.datasets if datasets is None else datasets)

    def unit(self, variant: str) -> str:
        """Percent."""
        return "correctly classified, %"

    def describe_item(self, item: str) -> str:
        """Describe a score."""
        name = item.partition("(")[0].partition("/")[0].lower()
        return f"{SCORE_TABLE[name].label}: {SCORE_TABLE[name].words}" if name in SCORE_TABLE else ""

    def interval(self, variant: str) -> str:
        """Reported half-width."""
        return f"Bars are the reported intervals. {self.protocols[variant].reason}"

    def reported(self, variant: str) -> pd.DataFrame:
        table = self.published().rename(columns={"dataset": "group", self.item_name: "item", "accuracy": "published"})
        table["low"], table["high"] = table.published - table.half_width, table.published + table.half_width
        return table

    def values(self, records: Iterable[Record], variant: str) -> Iterator[tuple[str, str, float]]:
        """Percent of the test rows."""
        for record in records:
            if record["protocol"] == variant:
                for item, hits in zip(self.items, self.hits(record), strict=True):
                    yield record["dataset"], item, 100 * hits / record["n_test"]

    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """Return one cell per seed, or one if the files determine the split."""
        return list(self.grid([self.protocols[variant]], range(runs), datasets=[group]).cells)

    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """Hits of all items."""
        return partial(self.run_cell, {variant: self.protocols[variant]})

    def outcome(self, record: Record, item: str) -> str:
        """Hits of an item."""
        return hits_in_words(self.hits(record)[list(self.items).index(item)], record["n_test"])

    def detail(self, variant: str, item: str, cell: Cell) -> RunDetail:
        """Confusion matrix and the network of each fold."""
        protocol = self.parameters(self.protocols[variant], item)
        found, networks = [], {}
        for k, (fold, structure, network) in enumerate(self.learned(cell, protocol, item), start=1):
            found.append((fold, classified(MemorySource(fold.train, threads=1), fold, structure, protocol)))
            if network is not None:
                networks[f"fold {k}"] = network
        hits = sum(int((codes == fold.labels).sum()) for fold, codes in found)
        rows = f"{found[0][0].train.n_rows:,}" + (" in each fold" if len(found) > 1 else "")
        drawn = "the class is one more parent of each attribute and is left out"
        facts = {
            "training rows": rows,
            **self.facts(cell, item),
            "network": drawn if networks else "each attribute's best parent; there may be cycles, so none is drawn",
        }
        n_test = sum(len(fold.labels) for fold, _ in found)
        return RunDetail(hits_in_words(hits, n_test), facts, networks, confusion(found))


def over_splits(records: pd.DataFrame, protocol: str) -> pd.DataFrame:
    """Runs of a protocol; for data sets with a fixed split, those of the protocol with drawn splits, if any."""
    others = records[records.protocol == drawn_name(protocol)]
    mine = records[(records.protocol == protocol) & ~records.dataset.isin(others.dataset)]
    return pd.concat([mine, others.assign(protocol=protocol)])


def confusion(folds: Iterable[tuple[Fold, IntArray]]) -> pd.DataFrame:
    """Test rows of all folds by their class and the predicted one.

    Parameters
    ----------
    folds : iterable of (Fold, ndarray of int, shape (n_test,))
        Folds and their predicted codes; a negative code is no class.

    Returns
    -------
    DataFrame of int
        Rows are the true classes, columns the predicted ones.
    """
    pairs = [(_states(fold, fold.labels), _states(fold, predicted)) for fold, predicted in folds]
    true, predicted = (np.concatenate(side) for side in zip(*pairs, strict=True))
    states = sorted({*true, *predicted, NO_CLASS}, key=lambda name: (name == NO_CLASS, name))
    total = pd.crosstab(true, predicted).reindex(index=states, columns=states, fill_value=0)
    kept = [[*states[:-1], *([NO_CLASS] if counts.any() else [])] for counts in (total.loc[NO_CLASS], total[NO_CLASS])]
    return total.loc[kept[0], kept[1]].rename_axis(index="class", columns="predicted")


def _states(fold: Fold, codes: IntArray) -> IntArray:
    states = [*map(str, fold.train.variables[-1].states), NO_CLASS]
    return np.array(states, dtype=object)[np.where(codes < 0, -1, codes)]


def attribute_graph(fold: Fold, structure: ParentTuples) -> Dag:
    """Structure over the attributes, without the class, which is a further parent of each.

    Raises
    ------
    ValueError
        If it has a cycle.
    """
    names = fold.train.names[:-1]
    return Dag(names, [[p for p in parents if p < len(names)] for parents in structure[: len(names)]])


def hits_in_words(hits: int, n_test: int) -> str:
    """Accuracy in words.

    Examples
    --------
    >>> hits_in_words(4153, 5000)
    '4,153 of 5,000 test rows right, 83.06 %'
    """
    return f"{hits:,} of {n_test:,} test rows right, {100 * hits / n_test:.2f} %"
