"""Table 1 and section 4 as a `Rerun`: a row a network and a way to read an algorithm, a run a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.experiments.grid import Cell, Record
from bnlab.experiments.matuszak2012.cell import OTHER_ALARM, evaluate, network_called, sampled
from bnlab.experiments.matuszak2012.comparison import CALLED, DIGITS, READ_AS
from bnlab.experiments.matuszak2012.gaps import percent_gap
from bnlab.experiments.matuszak2012.readings import RUNS, TABLE1, k2_name
from bnlab.experiments.matuszak2012.runs import grid, records_frame
from bnlab.experiments.published import matuszak2012
from bnlab.experiments.rerun import COLUMNS, Close, Network, Rerun, beside
from bnlab.graphs import Dag, compare
from bnlab.graphs.dag import counted
from bnlab.scores import LocalScores, make_score
from bnlab.search import run

GAP, SECONDS = "gap, %", "seconds"
_RANDOM_K2 = k2_name("random", 1)


class PrintedNumbers(Rerun):
    """Gaps to the true network, and times, of K2, Chow-Liu and Chen's search."""

    key = "matuszak2012"
    title = "Matuszak and Miękisz 2012, Table 1 and section 4"
    group_name, item_name, variant_name = "network", "algorithm", "number"
    variants = (GAP, SECONDS)
    stems = ("table1", "k2", "other_alarm")
    keys = ("network", "run", "seed")

    def unit(self, variant: str) -> str:
        """Percent, or seconds."""
        return "K2 score behind the true network's, %" if variant == GAP else "seconds"

    def interval(self, variant: str) -> str:
        """How inside is meant."""
        return (
            "The paper prints no intervals: a rerun agrees when the printed number, as rounded, lies within its seeds."
        )

    def table(self, records: Iterable[Record], variant: str) -> pd.DataFrame:
        """See `Rerun.table`."""
        printed = _printed(variant)
        runs = {_reading(variant, item)[0] for item in printed["item"]}
        kept = [record for record in records if record["run"] in runs]
        values = pd.concat([_values(kept, printed, variant), _NOTHING])
        table = beside(printed, values, digits=2 if variant == GAP else 3)
        agrees = table.least.le(table.high) & table.low.le(table.greatest)
        table["inside"] = agrees.astype(object).where(table.rerun.notna(), None)
        texts = zip(printed.text, table.text, strict=True)
        table["text"] = [f"{text}\n{rest.partition(chr(10))[2]}" for text, rest in texts]
        return table[list(COLUMNS)]

    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """A seed each, which draws the rows."""
        return list(grid([_reading(variant, item)[0]], networks=[group], seeds=range(runs)).cells)

    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """Everything about a search."""
        return evaluate

    def stem(self, variant: str, cell: Cell) -> str:
        """See `Rerun.stem`."""
        if cell["network"] == OTHER_ALARM:
            return "other_alarm"
        return "table1" if cell["run"] in TABLE1 else "other_alarm" if cell["network"] == "alarm" else "k2"

    def stands_behind(self, record: Record, variant: str, group: str, item: str) -> bool:
        """See `Rerun.stands_behind`."""
        return bool(record["network"] == group and record["run"] == _reading(variant, item)[0])

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

    def look(self, variant: str, item: str, cell: Cell) -> Close:
        """Network at the end, against the true one."""
        known = network_called(cell["network"])
        table, true = sampled(cell["network"], cell["seed"]), known.dag
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
        return Close(self.outcome(record, item), facts, {"at the end": Network(found, reference=true)})

    def code(self, variant: str, item: str, cell: Cell) -> str:
        """See `Rerun.code`."""
        return (
            "from bnlab.experiments.matuszak2012 import grid\n"
            "from bnlab.search import run\n\n"
            f"cells = grid([{cell['run']!r}], networks=[{cell['network']!r}], seeds=[{cell['seed']}])\n"
            'run(cells)[["score", "true", "edges", "shd", "seconds"]]'
        )

    def told(self, group: str) -> str:
        """What ALARM is meant."""
        return {
            "simple": "7 nodes and 7 edges",
            "alarm": "ALARM of the bnlearn repository",
            OTHER_ALARM: "ALARM with the parameters of the MMHC study's samples",
        }[group]


def _items(variant: str, algorithm: str) -> dict[str, tuple[str, str]]:
    """Runs and their columns that an algorithm's number may stand for, by the name of the row."""
    readings = [(run, column, CALLED[column]) for run, column in READ_AS[algorithm]]
    if variant == SECONDS:
        readings = [(readings[0][0], "seconds", "")]
    return {
        (run if run.startswith(algorithm) else f"{algorithm}, {run}") + more: (run, column)
        for run, column, more in readings
    }


def _reading(variant: str, item: str) -> tuple[str, str]:
    return next(found[item] for found in (_items(variant, algorithm) for algorithm in READ_AS) if item in found)


def _printed(variant: str) -> pd.DataFrame:
    lines = []
    for one in matuszak2012().itertuples():
        networks = ["simple"] if one.network == "simple" else ["alarm", *([OTHER_ALARM] if variant == GAP else [])]
        digits = DIGITS[one.network][one.algorithm] if variant == GAP else 3
        value = one.gap if variant == GAP else one.seconds
        reach = {"published": value, "low": value - 0.5 * 10**-digits, "high": value + 0.5 * 10**-digits}
        for network in networks:
            for item in _items(variant, one.algorithm):
                lines.append({"group": network, "item": item, **reach, "text": f"{value:g}"})
    order = {"simple": 0, "alarm": 1, OTHER_ALARM: 2}
    return pd.DataFrame(lines).sort_values("group", key=lambda s: s.map(order), kind="stable", ignore_index=True)


_NOTHING = pd.DataFrame({"group": pd.Series(dtype=str), "item": pd.Series(dtype=str), "value": pd.Series(dtype=float)})


def _values(records: list[Record], printed: pd.DataFrame, variant: str) -> pd.DataFrame:
    if not records:
        return _NOTHING
    frame = records_frame(records)
    parts = []
    for row in printed.itertuples():
        run_name, column = _reading(variant, row.item)
        chosen = frame[(frame.network == row.group) & (frame.run == run_name)]
        if column in chosen:
            parts.append(pd.DataFrame({"group": row.group, "item": row.item, "value": chosen[column]}))
    return pd.concat(parts) if parts else _NOTHING


RERUN = PrintedNumbers()
