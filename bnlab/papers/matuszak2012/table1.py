"""Table 1 and section 4 as an experiment: rows are networks and readings of an algorithm, runs are seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.graphs import Dag, compare
from bnlab.graphs.dag import counted
from bnlab.papers.base.experiment import Experiment, Network, RunDetail
from bnlab.papers.base.grid import Cell, Design, Record, StoredCells
from bnlab.papers.matuszak2012.cell import OTHER_ALARM, RANDOM, evaluate, network_called, sampled
from bnlab.papers.matuszak2012.readings import (
    K2_LIMITS,
    K2_ORDERS,
    READINGS,
    RUNS,
    SWEEPS,
    TABLE1,
    k2_name,
    sweep_name,
)
from bnlab.papers.matuszak2012.records import GAP, NETWORKS, SECONDS, percent_gap, reported_numbers
from bnlab.scores import LocalScores, make_score
from bnlab.search import run

DESIGN = Design(evaluate, {"network": ("simple", "alarm"), "run": TABLE1, "seed": range(20)})
"""Runs over networks and seeds; each seed has its own sample of rows."""


def _sweep_runs(network: str) -> list[str]:
    return [sweep_name(name, value) for name, values in SWEEPS[network].items() for value in values]


_K2_RUNS = [k2_name(order, limit) for order in K2_ORDERS for limit in K2_LIMITS]
_OTHER_READINGS = [name for name in READINGS if name != "faithful"]
_RANDOM = [
    *("faithful", "check: moved", "limit: iterations"),
    *("K2, random order", "K2, random order, 1 parent", "Chow-Liu"),
]


class ReportedNumbers(Experiment):
    """Gaps to the true network, and times, of K2, Chow-Liu and Chen's search; runs are seeds."""

    key = "matuszak2012"
    title = "Matuszak and Miękisz 2012, Table 1 and section 4"
    group_name, item_name, variant_name = "network", "algorithm", "number"
    variants = (GAP, SECONDS)
    stems = ("table1", "k2", "other_alarm")
    keys = ("network", "run", "seed")
    reported_format = "g"
    stored = (
        StoredCells("table1", DESIGN),
        StoredCells("k2", DESIGN, {"run": _K2_RUNS}),
        StoredCells("other_alarm", DESIGN, {"run": ["faithful", "Chow-Liu", *_K2_RUNS[:5]], "network": [OTHER_ALARM]}),
        StoredCells(
            "other_alarm",
            DESIGN,
            {"run": [k2_name("random", 1)], "network": [OTHER_ALARM, "alarm"], "seed": range(100)},
        ),
        StoredCells("random_networks", DESIGN, {"run": _RANDOM, "network": [RANDOM], "seed": range(100)}),
        StoredCells("sweeps", DESIGN, {"run": _sweep_runs("simple"), "network": ["simple"]}),
        StoredCells("sweeps", DESIGN, {"run": _sweep_runs("alarm"), "network": ["alarm"]}),
        StoredCells("readings", DESIGN, {"run": _OTHER_READINGS}),
    )

    def unit(self, variant: str) -> str:
        """Percent, or seconds."""
        return "K2 score behind the true network's, %" if variant == GAP else "seconds"

    def interval(self, variant: str) -> str:
        """Explain when a number is reproduced."""
        return "The paper reports no intervals: a number is reproduced if it lies, as rounded, within its seeds."

    def digits(self, variant: str) -> int:
        """Two for gaps, three for seconds."""
        return 2 if variant == GAP else 3

    def reported(self, variant: str) -> pd.DataFrame:
        """Intervals are those of rounding."""
        return reported_numbers(variant)

    def values(self, records: Iterable[Record], variant: str) -> Iterator[tuple[str, str, float]]:
        """Gaps, or seconds."""
        numbers = reported_numbers(variant)
        fields: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for group, item, run_name, field in numbers[["group", "item", "run", "field"]].itertuples(index=False):
            fields.setdefault((group, run_name), []).append((item, field))
        for record in records:
            for item, field in fields.get((record["network"], record["run"]), ()):
                value = record[field]
                yield record["network"], item, percent_gap(value, record["true"]) if variant == GAP else value

    def agrees(self, table: pd.DataFrame) -> pd.Series:
        """Whether a seed agrees with the reported number, or seeds lie on both sides of it."""
        return table.least.le(table.high) & table.low.le(table.greatest)

    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """Return one cell per seed, with which the rows are drawn."""
        return DESIGN.cells(run=[_run(variant, item)], network=[group], seed=range(runs))

    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """Return the function that runs a search."""
        return evaluate

    def stem(self, variant: str, cell: Cell) -> str:
        if cell["network"] == OTHER_ALARM:
            return "other_alarm"
        return "table1" if cell["run"] in TABLE1 else "other_alarm" if cell["network"] == "alarm" else "k2"

    def outcome(self, record: Record, item: str) -> str:
        """Score, gap and distance."""
        best = ""
        if "stopped_best" in record:
            best = f", {percent_gap(record['stopped_best'], record['true']):.2f} % at its best up to Q"
        words = (
            f"K2 score {record['score']:,.1f} nats, {percent_gap(record['score'], record['true']):.2f} % behind the "
            f"true one's {record['true']:,.1f}{best}; "
            f"{counted(record['edges'], 'edge')}, structural Hamming distance {record['shd']}"
        )
        return words.replace(" -", " −")

    def detail(self, variant: str, item: str, cell: Cell) -> RunDetail:
        """Compare the network at the end with the true one."""
        table, true = sampled(cell["network"], cell["seed"]), network_called(cell["network"]).dag
        record = evaluate(cell)
        phi = LocalScores(MemorySource(table, threads=1), make_score("k2"))
        found = Dag(true.names, run(RUNS[cell["run"]](phi, true, cell["seed"])))
        same = compare(found, true)
        facts = {
            "rows": f"{table.n_rows:,}, drawn with the seed",
            "iterations": f"{record['iterations']:,}",
            "families scored": f"{record['families']:,}",
            "edges": f"{same.tp} right whatever their direction, {same.fp} extra, {same.fn} missing",
            "events": ", ".join(f"{number:,} {kind}" for kind, number in record["events"].items()) or "none",
        }
        return RunDetail(self.outcome(record, item), facts, {"at the end": Network(found, truth=true)})

    def describe_item(self, item: str) -> str:
        """Describe an algorithm."""
        return {
            "K2, file order": "K2 with the variables in the order of the network file.",
            "K2, random order, 1 parent": "K2 with the variables in random orders and at most one parent each.",
            "Chow-Liu": "Tree of greatest likelihood.",
            "Chen, faithful": "Chen's search with the paper's settings; the network at its end.",
            "Chen, faithful, best up to Q": "Chen's search; the best network of its first Q iterations.",
        }.get(item, "")

    def describe(self, group: str) -> str:
        """Describe a network."""
        return NETWORKS[group]


NUMBERS = ReportedNumbers()
grid = DESIGN.grid


@cache  # called for each record
def _run(variant: str, item: str) -> str:
    numbers = reported_numbers(variant)
    return str(numbers.run[numbers["item"] == item].iloc[0])
