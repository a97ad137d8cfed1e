"""Table 1 as a `Rerun`: a row a data set and classifier, a variant a protocol, a run a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.experiments.carvalho2007.cell import evaluate, scored
from bnlab.experiments.carvalho2007.protocol import AS_PRINTED, CLASSIFIERS, HONEST, HONEST_CUTS, NO_ID, SCORE_OF
from bnlab.experiments.carvalho2007.refinement import change_picture, edge_changes, learned_structures
from bnlab.experiments.carvalho2007.runs import grid, records_frame
from bnlab.experiments.carvalho2009.cell import classified
from bnlab.experiments.carvalho2009.comparison import ROUNDING
from bnlab.experiments.carvalho2009.protocol import Protocol
from bnlab.experiments.carvalho2009.rows import Fold, folds
from bnlab.experiments.classification import attribute_graph, confusion, hits_in_words, printed_accuracies
from bnlab.experiments.grid import Cell, Record
from bnlab.experiments.published import carvalho2007_table1
from bnlab.experiments.rerun import Close, Network, Rerun, beside

_VARIANTS = {protocol.name: protocol for protocol in (AS_PRINTED, HONEST, NO_ID, HONEST_CUTS)}
_SYMBOLS = {"as printed": "AS_PRINTED", "honest": "HONEST", "no Id": "NO_ID", "cuts on training rows": "HONEST_CUTS"}


class Table1(Rerun):
    """Accuracy of naive Bayes, the optimal TAN and C2G on fourteen data sets."""

    key = "carvalho2007"
    title = "Carvalho and Oliveira 2007, Table 1"
    group_name, item_name, variant_name = "data set", "classifier", "protocol"
    variants = tuple(_VARIANTS)
    stems = ("table1",)
    keys = ("dataset", "protocol", "seed")

    def unit(self, variant: str) -> str:
        """Percent."""
        return "correctly classified, %"

    def interval(self, variant: str) -> str:
        """Printed half-width."""
        return f"Bars are the printed intervals. {_VARIANTS[variant].reason}"

    def table(self, records: Iterable[Record], variant: str) -> pd.DataFrame:
        """See `Rerun.table`."""
        chosen = [record for record in records if record["protocol"] == variant]
        if not chosen:
            return beside(
                printed_accuracies(carvalho2007_table1(), "classifier"),
                pd.DataFrame(columns=["group", "item", "value"], dtype=float),
            )
        frame = records_frame(chosen)
        values = pd.DataFrame({"group": frame.dataset, "item": frame.classifier, "value": 100 * frame.accuracy})
        return beside(printed_accuracies(carvalho2007_table1(), "classifier"), values, rounding=ROUNDING)

    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """A seed each; one where the files are split."""
        return list(grid([_VARIANTS[variant]], range(runs), datasets=[group]).cells)

    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """Hits of all classifiers."""
        return partial(evaluate, {variant: _VARIANTS[variant]})

    def stem(self, variant: str, cell: Cell) -> str:
        """See `Rerun.stem`."""
        return "table1"

    def stands_behind(self, record: Record, variant: str, group: str, item: str) -> bool:
        """See `Rerun.stands_behind`."""
        return bool(record["dataset"] == group and record["protocol"] == variant)

    def outcome(self, record: Record, item: str) -> str:
        """Hits of a classifier."""
        return hits_in_words(record["hits"][CLASSIFIERS.index(item)], record["n_test"])

    def look(self, variant: str, item: str, cell: Cell) -> Close:
        """Confusion matrix and the network of each fold; that of C2G shows what became of the tree."""
        protocol, score = _VARIANTS[variant], SCORE_OF[cell["dataset"]]
        found, networks = [], {}
        parts = folds(cell["dataset"], protocol, cell["seed"])
        for k, fold in enumerate(parts):
            predicted, networks[f"fold {k + 1}"] = _learned(fold, score, item, protocol)
            found.append((fold, predicted))
        hits = sum(int((codes == fold.labels).sum()) for fold, codes in found)
        facts = {
            "training rows": f"{parts[0].train.n_rows:,}" + (" in each fold" if len(parts) > 1 else ""),
            "score": "none: there is nothing to learn but parameters" if item == "NB" else score,
            "network": "the class is one more parent of each attribute and is left out",
        }
        n_test = sum(len(fold.labels) for fold in parts)
        return Close(hits_in_words(hits, n_test), facts, networks, confusion(found))

    def code(self, variant: str, item: str, cell: Cell) -> str:
        """See `Rerun.code`."""
        module, symbol = "bnlab.experiments.carvalho2007", _SYMBOLS[variant]
        return (
            f"from {module} import {symbol}, grid, records_frame\n"
            "from bnlab.search import iterate\n\n"
            f"cells = grid([{symbol}], seeds=[{cell['seed']}], datasets=[{cell['dataset']!r}])\n"
            "records = records_frame(record for _, record in iterate(cells))\n"
            f"records[records.classifier == {item!r}]"
        )


def _learned(fold: Fold, score: str, item: str, protocol: Protocol) -> tuple[Any, Network]:
    """Predicted classes, and the network over the attributes."""
    phi, n = scored(fold.train, score)
    learned = learned_structures(phi, n)
    source = MemorySource(fold.train, threads=1)
    predicted = classified(source, fold, phi.augmented(learned[item]), protocol)
    if item == "C2G" and any(edge_changes(learned["TAN"], learned["C2G"]).values()):
        return predicted, Network(*change_picture(fold.train, learned))
    return predicted, Network(attribute_graph(fold, learned[item]))


RERUN = Table1()
