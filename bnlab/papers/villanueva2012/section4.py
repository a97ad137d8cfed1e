"""Claims of section 4 as an experiment: rows are claims under a reading, runs are algorithms on samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from bnlab.graphs import compare, skeleton
from bnlab.papers.base.experiment import COLUMNS, Experiment, Network, RunDetail
from bnlab.papers.base.grid import Cell, Record
from bnlab.papers.villanueva2012.cell import DESIGN, STORED, evaluate, records_frame, timed, under
from bnlab.papers.villanueva2012.claims import COSTS, MOSTLY, Finding, findings
from bnlab.papers.villanueva2012.protocol import (
    ALGORITHMS,
    AS_PRINTED,
    COPIES,
    LABELS,
    NETWORKS,
    READINGS,
    ROWS,
    VERSIONS,
    sample,
)
from bnlab.papers.villanueva2012.reported import claims as villanueva2012_claims

CLAIMS, TILINGS = "networks", "networks and tilings"


class Section4(Experiment):
    """Claims of the paper about its figures, as shares of the cases in which they hold."""

    key = "villanueva2012"
    title = "Villanueva and Maciel 2012, section 4"
    group_name, item_name, variant_name, run_name = "claim", "reading", "run on", "sample"
    variants = (CLAIMS, TILINGS)
    stems = ("base", "tilings")
    keys = ("network", "copies", "origin", "rows", "version", "algorithm", "reading")
    verdicts = ("holds in most cases", "fails")
    stored = STORED

    def unit(self, variant: str) -> str:
        """Percent."""
        return "cases in which the claim holds, %"

    def interval(self, variant: str) -> str:
        """Explain how the claims are judged."""
        return (
            "The paper reports no numbers: a claim holds if it is true in all cases, and mostly if it is true in "
            f"{MOSTLY:.0%} of them, which is the bar."
        )

    def reported(self, variant: str) -> pd.DataFrame:
        """Return one row per claim and reading."""
        rows = [(key, reading) for key in villanueva2012_claims().key for reading in READINGS]
        table = pd.DataFrame(rows, columns=["group", "item"])
        return table.assign(published=100.0, low=100 * MOSTLY, high=100.0)

    def values(self, records: Iterable[Record], variant: str) -> Iterable[tuple[str, str, float]]:
        """Percent of the cases in which a claim holds."""
        return _shares(self._findings(records))

    def table(self, records: Iterable[Record], variant: str) -> pd.DataFrame:
        """See `Experiment.table`; runs are the cases."""
        judged = self._findings(records)
        table = self.tabulated(_shares(judged), variant)
        found = {(key, reading): finding for key, reading, finding in judged}
        for row in table[table.runs > 0].itertuples():
            finding = found[row.group, row.item]
            words = f"{finding.verdict}\n{finding.holding} of {finding.cases}"
            changed = ["runs", "inside", "text", "note"]
            table.loc[row.Index, changed] = finding.cases, finding.verdict != "fails", words, finding.number
        table.loc[table.runs == 0, "text"] = "not run"
        return table[list(COLUMNS)]

    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """Return all algorithms on the first samples of each size; for claims about costs, of tilings too if chosen.

        Each tiling of ten copies needs its own process, and some take many minutes.
        """
        shared = {"version": VERSIONS[:runs], "copies": COPIES if _tiled(variant, group) else (1,)}
        others = [name for name in ALGORITHMS if not READINGS[item].concerns(name)]
        return DESIGN.cells(reading=[item], **shared) + DESIGN.cells(algorithm=others, **shared)

    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """Return the function that finds edges and counts tests."""
        return evaluate

    def stem(self, variant: str, cell: Cell) -> str:
        return "base" if cell["copies"] == 1 else "tilings"

    def outcome(self, record: Record, item: str) -> str:
        """Edges and tests."""
        return (
            f"{record['tp']} right edges, {record['fp']} extra, {record['fn']} missing; {record['nsc']:,} statistical "
            "calls"
        )

    def detail(self, variant: str, item: str, cell: Cell) -> RunDetail:
        """Compare the learned skeleton with the true one."""
        known = sample(cell["network"], cell["rows"], cell["version"], cell["copies"], cell["origin"])
        graph, _, _ = timed(known.table, cell["algorithm"], cell["reading"])
        learned, true = graph.to_pdag(), skeleton(known.dag)
        found = compare(learned, known.dag)
        facts = {
            "rows": f"{known.table.n_rows:,}. {known.note}".strip(),
            "Sn = TP / (TP + FN)": f"{found.sn:.3f}",
            "Sp = TP / (TP + FP)": f"{found.sp:.3f}, elsewhere called precision",
            "calls not performed": f"{graph.not_performed:,}, because of too few rows",
        }
        record = {"tp": found.tp, "fp": found.fp, "fn": found.fn, "nsc": graph.nsc}
        return RunDetail(self.outcome(record, item), facts, {"skeleton": Network(learned, truth=true)})

    def run_label(self, cell: Cell) -> str:
        """Algorithm and sample."""
        network = cell["network"] if cell["copies"] == 1 else f"{cell['network']} × {cell['copies']}"
        return f"{LABELS[cell['algorithm']]}, {network}, {cell['rows']:,} rows, v{cell['version']}"

    def describe_item(self, item: str) -> str:
        """Describe a reading."""
        return READINGS[item].meaning

    def describe(self, group: str) -> str:
        """Describe a claim."""
        claims = villanueva2012_claims().set_index("key").claim
        return str(claims[group])

    def _findings(self, records: Iterable[Record]) -> list[tuple[str, str, Finding]]:
        """Results with cases, for each reading under which all algorithms were run on all networks and sizes."""
        kept = list(records)
        frame = records_frame(kept) if kept else pd.DataFrame({"reading": []})
        wanted = {(network, rows, name) for network in NETWORKS for rows in ROWS for name in ALGORITHMS}
        found = []
        for reading, how in READINGS.items():
            if (AS_PRINTED.name if how.counts_all else reading) in set(frame.reading):
                chosen = under(frame, reading)
                base = chosen[chosen.copies == 1][["network", "rows", "algorithm"]]
                if wanted <= set(base.itertuples(index=False, name=None)):
                    found += [(key, reading, finding) for key, finding in findings(chosen).items() if finding.cases]
        return found


def _shares(found: Iterable[tuple[str, str, Finding]]) -> Iterator[tuple[str, str, float]]:
    """Percent of the cases in which each claim holds."""
    return ((key, reading, 100 * finding.holding / finding.cases) for key, reading, finding in found)


def _tiled(variant: str, group: str) -> bool:
    return variant == TILINGS and group in COSTS


SECTION4 = Section4()
