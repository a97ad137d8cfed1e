"""Table 1 and the sweep over k and orders: their grids, and their records beside the reported numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

from bnlab.experiments import metrics
from bnlab.experiments.carvalho2007 import combine
from bnlab.experiments.carvalho2007.cell import (
    change_picture,
    edge_changes,
    evaluate,
    evaluate_model,
    learned_structures,
    scored,
)
from bnlab.experiments.carvalho2007.protocol import (
    AS_PRINTED,
    CLASSIFIERS,
    DATASETS,
    HONEST,
    HONEST_CUTS,
    NO_ID,
    SCORE_OF,
    SWEEP,
)
from bnlab.experiments.carvalho2009.protocol import Protocol
from bnlab.experiments.carvalho2009.rows import Fold, folds
from bnlab.experiments.classification import AccuracyTable, attribute_graph
from bnlab.experiments.experiment import Network
from bnlab.experiments.grid import Cell, Design, Record, StoredCells
from bnlab.experiments.metrics import beside_reported, tested_rows
from bnlab.experiments.published import carvalho2007_table1
from bnlab.experiments.records import stored_records
from bnlab.learners.types import ParentTuples

VARIANTS = {protocol.name: protocol for protocol in (AS_PRINTED, HONEST, NO_ID, HONEST_CUTS)}
"""All protocols by name."""


class Table1(AccuracyTable):
    """Accuracy of naive Bayes, the optimal TAN and C2G on fourteen data sets."""

    key = "carvalho2007"
    title = "Carvalho and Oliveira 2007, Table 1"
    item_name = "classifier"
    datasets, items, protocols = DATASETS, CLASSIFIERS, VARIANTS
    variants = tuple(VARIANTS)
    stems = ("table1",)
    published = staticmethod(carvalho2007_table1)

    @staticmethod
    def run_cell(protocols: Mapping[str, Protocol], cell: Cell) -> Mapping[str, Any]:
        """Hits of all classifiers."""
        return evaluate(protocols, cell)

    def learned(self, cell: Cell, protocol: Protocol, item: str) -> Iterator[tuple[Fold, ParentTuples, Network | None]]:
        """The network of each fold; that of C2G shows what became of the tree."""
        for fold in folds(cell["dataset"], protocol, cell["seed"]):
            phi, n = scored(fold.train, SCORE_OF[cell["dataset"]])
            learned = learned_structures(phi, n)
            if item == "C2G" and any(edge_changes(learned["TAN"], learned["C2G"]).values()):
                network = Network(*change_picture(fold.train, learned))
            else:
                network = Network(attribute_graph(fold, learned[item]))
            yield fold, phi.augmented(learned[item]), network

    def facts(self, cell: Cell, item: str) -> dict[str, str]:
        """Score of the structure."""
        return {"score": "none: only parameters are learned" if item == "NB" else SCORE_OF[cell["dataset"]]}


SWEEP_DESIGN = Design(
    partial(evaluate_model, AS_PRINTED),
    {"dataset": DATASETS, "model": tuple(model.name for model in SWEEP), "seed": (0,)},
)
"""Every model of `SWEEP` on each data set, under the protocol "as printed"."""

_SEEDS = range(50)
TABLE1 = Table1()
Table1.stored = (
    StoredCells("table1", TABLE1.design({p.name: p for p in (AS_PRINTED, HONEST)}), {"seed": _SEEDS}),
    StoredCells(
        "table1",
        TABLE1.design({p.name: p for p in (NO_ID, HONEST_CUTS)}),
        {"seed": _SEEDS, "dataset": ["glass"]},
    ),
    StoredCells("sweep", SWEEP_DESIGN),
    StoredCells(
        "sweep",
        SWEEP_DESIGN,
        {
            "dataset": ["chess", "segment"],
            "model": ["path 1", "path 2", "path 3", "bfs 2", "search 2"],
            "seed": _SEEDS,
        },
    ),
    *combine.STORED,
)
grid = TABLE1.grid
sweep_grid = SWEEP_DESIGN.grid


def records_frame(records: str | os.PathLike[str] | Iterable[Record]) -> pd.DataFrame:
    """Records of Table 1 as a table, one row a data set, protocol, seed and classifier.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        dataset, protocol, seed, n_train, n_test, folds, seconds (of all classifiers together), kept, dropped and added
        (edges), least_gain (least score of C2G less the branching's over the folds, nats), forests, classifier, hits,
        accuracy (0 to 1), unsmoothed (accuracy with unsmoothed parameters).
    """
    rows = []
    for record in stored_records(records):
        shared = {key: record[key] for key in ("dataset", "protocol", "seed", "n_train", "n_test", "folds", "seconds")}
        shared |= dict(zip(("kept", "dropped", "added"), record["edges"], strict=True))
        shared |= {"least_gain": min(record["gains"]), "forests": record["forests"]}
        for name, hits, raw in zip(CLASSIFIERS, record["hits"], record["hits_unsmoothed"], strict=True):
            n = record["n_test"]
            rows.append({**shared, "classifier": name, "hits": hits, "accuracy": hits / n, "unsmoothed": raw / n})
    return pd.DataFrame(rows)


def sweep_frame(records: str | os.PathLike[str] | Iterable[Record]) -> pd.DataFrame:
    """Records of the sweep as a table, one row a data set and model.

    Returns
    -------
    DataFrame
        dataset, model, order, k, seed, train and test (accuracies, percent), score (nats), edges, seconds.
    """
    frame = pd.DataFrame(stored_records(records))
    frame[["order", "k"]] = frame.model.str.split(" ", expand=True)
    frame["k"] = frame.k.astype(int)
    frame["train"] = 100 * frame.train_hits / frame.n_train
    frame["test"] = 100 * frame.test_hits / frame.n_test
    place = {name: i for names in SWEEP_DESIGN.axes.values() for i, name in enumerate(names)}
    frame = frame.sort_values(
        ["dataset", "model", "seed"],
        key=lambda s: s if s.name == "seed" else s.map(place),
        kind="stable",
        ignore_index=True,
    )
    return frame[["dataset", "model", "order", "k", "seed", "train", "test", "score", "edges", "seconds"]]


def table1(records: pd.DataFrame) -> pd.DataFrame:
    """Every reported accuracy beside the reproduced one; see `bnlab.experiments.metrics.beside_reported`.

    Parameters
    ----------
    records : DataFrame
        From `records_frame`, of one protocol.

    Raises
    ------
    ValueError
        If the records mix protocols.
    """
    if records.protocol.nunique() > 1:
        raise ValueError(f"records of the protocols {sorted(records.protocol.unique())}: choose one of them")
    return beside_reported(records, carvalho2007_table1(), ["dataset", "classifier"]).drop(columns="protocol")


def implied_rows() -> pd.DataFrame:
    """Test rows that the reported intervals imply; see `bnlab.experiments.metrics.implied_rows`."""
    published = carvalho2007_table1()
    return metrics.implied_rows(published, tested_rows(published, chess=1066))


def printed_hits(chess_test: int = 1066) -> pd.DataFrame:
    """Whether each reported accuracy is a whole number of hits; see `bnlab.experiments.metrics.whole_hits`.

    Parameters
    ----------
    chess_test : int
        Test rows of chess.
    """
    published = carvalho2007_table1()
    return metrics.whole_hits(
        published[["dataset", "classifier", "accuracy"]], tested_rows(published, chess=chess_test)
    )
