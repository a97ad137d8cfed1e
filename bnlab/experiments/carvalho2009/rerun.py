"""Table 2 as a `Rerun`: a row a data set and score, a variant a protocol, a run a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.experiments.carvalho2009.candidates import AS_PRINTED, CANDIDATES, HONEST, PROTOCOLS, drawn
from bnlab.experiments.carvalho2009.cell import classified, evaluate, learned_folds
from bnlab.experiments.carvalho2009.comparison import ROUNDING
from bnlab.experiments.carvalho2009.protocol import SCORES
from bnlab.experiments.carvalho2009.runs import grid, records_frame
from bnlab.experiments.carvalho2009.trees import structures
from bnlab.experiments.classification import attribute_graph, confusion, hits_in_words, printed_accuracies
from bnlab.experiments.grid import Cell, Record
from bnlab.experiments.published import carvalho2009_table2
from bnlab.experiments.rerun import Close, Network, Rerun, beside

_DRAWN = {protocol.name: protocol for protocol in (drawn(AS_PRINTED), drawn(HONEST))}
_VARIANTS = PROTOCOLS | _DRAWN | CANDIDATES
_CLASS = "the class is one more parent of each attribute and is left out"


class Table2(Rerun):
    """Accuracy of the optimal TAN under eight scores on twelve data sets."""

    key = "carvalho2009"
    title = "Carvalho 2009, Table 2"
    group_name, item_name, variant_name = "data set", "score", "protocol"
    variants = tuple(_VARIANTS)
    stems = ("table2", "candidates")
    keys = ("dataset", "protocol", "seed")

    def unit(self, variant: str) -> str:
        """Percent."""
        return "correctly classified, %"

    def interval(self, variant: str) -> str:
        """Printed half-width."""
        return f"Bars are the printed intervals. {_VARIANTS[variant].reason}"

    def table(self, records: Iterable[Record], variant: str) -> pd.DataFrame:
        """See `Rerun.table`."""
        frame = records_frame([record for record in records if record["protocol"] == variant])
        values = pd.DataFrame({"group": frame.dataset, "item": frame.score, "value": 100 * frame.accuracy})
        return beside(printed_accuracies(carvalho2009_table2(), "score"), values, rounding=ROUNDING)

    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """A seed each; one where the files are split."""
        return list(grid([_VARIANTS[variant]], range(runs), datasets=[group]).cells)

    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """Hits of all scores."""
        return partial(evaluate, {variant: _VARIANTS[variant]})

    def stem(self, variant: str, cell: Cell) -> str:
        """See `Rerun.stem`."""
        return "table2" if variant in PROTOCOLS | _DRAWN else "candidates"

    def stands_behind(self, record: Record, variant: str, group: str, item: str) -> bool:
        """See `Rerun.stands_behind`."""
        return bool(record["dataset"] == group and record["protocol"] == variant)

    def outcome(self, record: Record, item: str) -> str:
        """Hits of a score."""
        return hits_in_words(record["hits"][list(SCORES).index(item)], record["n_test"])

    def look(self, variant: str, item: str, cell: Cell) -> Close:
        """Confusion matrix and the tree of each fold."""
        protocol = _VARIANTS[variant]
        learned = learned_folds(cell["dataset"], protocol, cell["seed"])
        found, networks = [], {}
        for k, (fold, edges) in enumerate(learned):
            structure = structures(edges, protocol, [cell["seed"], k])[item]
            found.append((fold, classified(MemorySource(fold.train, threads=1), fold, structure, protocol)))
            if protocol.tree != "greedy":
                networks[f"fold {k + 1}"] = Network(attribute_graph(fold, structure))
        hits = sum(int((codes == fold.labels).sum()) for fold, codes in found)
        facts = {
            "training rows": f"{learned[0][0].train.n_rows:,}" + (" in each fold" if len(learned) > 1 else ""),
            "network": _CLASS if networks else "each attribute's best parent; there may be cycles, so no picture",
        }
        n_test = sum(len(fold.labels) for fold, _ in found)
        return Close(hits_in_words(hits, n_test), facts, networks, confusion(found))

    def code(self, variant: str, item: str, cell: Cell) -> str:
        """See `Rerun.code`."""
        module = "bnlab.experiments.carvalho2009"
        if variant in CANDIDATES:
            names, protocol = "CANDIDATES", f"CANDIDATES[{variant!r}]"
        else:
            names, protocol = "HONEST, drawn", "drawn(HONEST)"
        return (
            f"from {module} import {names}, grid, records_frame, run\n\n"
            f"cells = grid([{protocol}], seeds=[{cell['seed']}], datasets=[{cell['dataset']!r}])\n"
            "records = records_frame(record for _, record in run(cells))\n"
            f"records[records.score == {item!r}]"
        )


RERUN = Table2()
