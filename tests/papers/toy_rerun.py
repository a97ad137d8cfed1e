"""A paper of two data sets and two scores whose experiment takes no time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from bnlab.graphs import Dag
from bnlab.papers.base.experiment import Experiment, Network, RunDetail
from bnlab.papers.base.grid import Cell, Record

HOSTILE = "<img src=x onerror=alert(1)>"
GROUPS = ("plain", HOSTILE)
ITEMS = ("A", "B")
PRINTED = {("plain", "A"): 50.0, ("plain", "B"): 90.0, (HOSTILE, "A"): 51.0, (HOSTILE, "B"): 10.0}


def evaluate(pause: float, cell: Cell) -> dict[str, Any]:
    """Hits of both items; data set "plain" has more."""
    time.sleep(pause)
    if cell["seed"] == 13:
        raise ArithmeticError("seed 13 <b>brings</b> bad luck")
    return {"hits": [50 + cell["seed"], 20], "seconds": 0.5}


class Evaluate:
    """`evaluate` as other processes can have it."""

    def __init__(self, pause: float) -> None:
        self.pause = pause

    def __call__(self, cell: Cell) -> Mapping[str, Any]:
        return evaluate(self.pause, cell)


class Toy(Experiment):
    """Rows by data set and score."""

    key = "toy"
    title = "Toy & Co 1999"
    group_name, item_name, variant_name = "data set", "score", "protocol"
    variants = ("plain way", "other way")
    stems = ("toy",)
    keys = ("dataset", "protocol", "seed")

    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause

    def unit(self, variant: str) -> str:
        return "hits, %"

    def interval(self, variant: str) -> str:
        return f"Run the {variant}."

    def reported(self, variant: str) -> pd.DataFrame:
        rows = [
            {"group": group, "item": item, "published": value, "low": value - 2, "high": value + 2}
            for (group, item), value in PRINTED.items()
        ]
        return pd.DataFrame(rows)

    def values(self, records: Iterable[Record], variant: str) -> Iterator[tuple[str, str, float]]:
        for record in records:
            if record["protocol"] == variant:
                for item, hits in zip(ITEMS, record["hits"], strict=True):
                    yield record["dataset"], item, float(hits)

    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        return [{"dataset": group, "protocol": variant, "seed": seed} for seed in range(runs)]

    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        return Evaluate(self.pause)

    def outcome(self, record: Record, item: str) -> str:
        return f"{record['hits'][ITEMS.index(item)]} hits"

    def detail(self, variant: str, item: str, cell: Cell) -> RunDetail:
        record = evaluate(self.pause, cell)
        counts = pd.DataFrame([[3, 1], [0, 4]], index=["yes", HOSTILE], columns=["yes", HOSTILE])
        dag = Dag.from_edges(["X", HOSTILE], [("X", HOSTILE)])
        networks = {"fold 1": Network(dag), "fold 2": Network(dag, truth=Dag.empty(dag.names))}
        return RunDetail(self.outcome(record, item), {"rows": HOSTILE}, networks, counts if item == "A" else None)

    def code(self, variant: str, cell: Cell) -> str:
        return f"print({cell['dataset']!r})"
