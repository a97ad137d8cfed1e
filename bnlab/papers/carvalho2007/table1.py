"""Table 1 and the sweep over k and orders: grids, records, and comparison with the reported numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd

from bnlab.learners.types import ParentTuples
from bnlab.papers.base import metrics
from bnlab.papers.base.experiment import Network
from bnlab.papers.base.grid import Cell, Design, Record, StoredCells
from bnlab.papers.base.metrics import in_order_of
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.carvalho2007 import combine
from bnlab.papers.carvalho2007.cell import (
    Refinement,
    edge_changes,
    evaluate,
    evaluate_model,
    learned_structures,
    scored,
    unsmoothed,
)
from bnlab.papers.carvalho2007.protocol import (
    AS_PRINTED,
    CLASSIFIERS,
    DATASETS,
    HONEST,
    HONEST_CUTS,
    LARGE,
    NO_ID,
    SCORE_OF,
    SEGMENT_SUSPECTS,
    SWEEP,
)
from bnlab.papers.carvalho2007.reported import table1 as carvalho2007_table1
from bnlab.papers.carvalho2009.classification import AccuracyTable, attribute_graph
from bnlab.papers.carvalho2009.protocol import Protocol, drawn
from bnlab.papers.carvalho2009.rows import Fold, folds

_DRAWN = {protocol.name: protocol for protocol in (drawn(AS_PRINTED), drawn(HONEST))}
_SUSPECTS = {protocol.name: protocol for protocol in SEGMENT_SUSPECTS}
VARIANTS = {protocol.name: protocol for protocol in (AS_PRINTED, HONEST, NO_ID, HONEST_CUTS)} | _DRAWN | _SUSPECTS
"""All protocols by name."""


class Table1(AccuracyTable):
    """Accuracy of naive Bayes, the optimal TAN and C2G on fourteen data sets."""

    key = "carvalho2007"
    title = "Carvalho and Oliveira 2007, Table 1"
    item_name = "classifier"
    datasets, items, protocols = DATASETS, CLASSIFIERS, VARIANTS
    variants = tuple(VARIANTS)
    stems = ("table1", "segment")
    published, run_cell = staticmethod(carvalho2007_table1), staticmethod(evaluate)

    def describe_item(self, item: str) -> str:
        """Describe a classifier."""
        return {
            "NB": "Naive Bayes: each attribute depends on the class alone.",
            "TAN": "Tree-augmented naive Bayes: an attribute depends on the class and at most one other attribute.",
            "C2G": "Consistent 2-graph: an attribute depends on the class and at most two ancestors in TAN's tree.",
        }[item]

    def learned(self, cell: Cell, protocol: Protocol, item: str) -> Iterator[tuple[Fold, ParentTuples, Network | None]]:
        """Yield the network of each fold; that of C2G shows the changes of the tree."""
        for fold in folds(cell["dataset"], protocol, cell["seed"]):
            phi, n = scored(fold.train, SCORE_OF[cell["dataset"]])
            learned = learned_structures(phi, n)
            if item == "C2G" and any(edge_changes(learned["TAN"], learned["C2G"]).values()):
                found = Refinement.of(fold.train, learned)
                network = Network(found.both, found.kinds)
            else:
                network = Network(attribute_graph(fold, learned[item]))
            yield fold, phi.augmented(learned[item]), network

    def stem(self, variant: str, cell: Cell) -> str:
        return "segment" if variant in _SUSPECTS else "table1"

    def hits(self, record: Record) -> Sequence[int]:
        raw = self.protocols[record["protocol"]].unsmoothed
        both = zip(CLASSIFIERS, record["hits"], record["hits_unsmoothed"], strict=True)
        return [unsmoothed if name in raw else hits for name, hits, unsmoothed in both]

    def parameters(self, protocol: Protocol, item: str) -> Protocol:
        return unsmoothed(protocol) if item in protocol.unsmoothed else protocol

    def columns(self, record: Record, place: int) -> dict[str, Any]:
        """Edges kept, dropped and added, least_gain, forests, folds, smoothed and unsmoothed.

        least_gain is the minimum over the folds of the score of C2G less that of the branching, in nats. smoothed and
        unsmoothed are the accuracies with and without smoothing, for every protocol.
        """
        return {
            **dict(zip(("kept", "dropped", "added"), record["edges"], strict=True)),
            "least_gain": min(record["gains"]),
            "forests": record["forests"],
            "folds": record["folds"],
            "smoothed": record["hits"][place] / record["n_test"],
            "unsmoothed": record["hits_unsmoothed"][place] / record["n_test"],
        }

    def facts(self, cell: Cell, item: str) -> dict[str, str]:
        """Score of the structure."""
        return {"score": "none: only parameters are learned" if item == "NB" else SCORE_OF[cell["dataset"]]}


SWEEP_DESIGN = Design(
    partial(evaluate_model, AS_PRINTED),
    {"dataset": DATASETS, "model": tuple(SWEEP), "seed": (0,)},
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
    StoredCells("table1", TABLE1.design(_DRAWN), {"seed": _SEEDS, "dataset": ["letter", "satimage"]}),
    StoredCells("segment", TABLE1.design(_SUSPECTS), {"seed": range(20), "dataset": ["segment"]}),
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
    StoredCells(
        "sweep",
        SWEEP_DESIGN,
        {
            "dataset": [name for name in DATASETS if name not in LARGE],
            "model": ["path 2", "bfs 2", "search 2"],
            "seed": range(20),
        },
    ),
    *combine.STORED,
)
grid = TABLE1.grid
records_frame = TABLE1.records_frame
table1 = TABLE1.beside_reported
implied_rows = partial(metrics.implied_rows, carvalho2007_table1())
printed_hits = partial(metrics.whole_hits, carvalho2007_table1(), "classifier")
sweep_grid = SWEEP_DESIGN.grid


def sweep_frame(records: StoredRecords) -> pd.DataFrame:
    """Records of the sweep as a table, one row per data set, model and seed.

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
    frame = in_order_of(frame, ["dataset", "model", "seed"], SWEEP_DESIGN.axes["dataset"], SWEEP_DESIGN.axes["model"])
    return frame[["dataset", "model", "order", "k", "seed", "train", "test", "score", "edges", "seconds"]]
