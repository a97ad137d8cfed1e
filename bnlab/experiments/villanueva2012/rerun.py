"""The claims of section 4 as a `Rerun`: a row a claim under a reading, a run an algorithm on a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from bnlab.experiments.grid import Cell, Record
from bnlab.experiments.published import villanueva2012_claims
from bnlab.experiments.rerun import COLUMNS, Close, Network, Rerun
from bnlab.experiments.villanueva2012.cell import evaluate, timed
from bnlab.experiments.villanueva2012.claims import MOSTLY, Finding, findings
from bnlab.experiments.villanueva2012.protocol import (
    ALGORITHMS,
    AS_PRINTED,
    COPIES,
    LABELS,
    NETWORKS,
    READINGS,
    ROWS,
    VERSIONS,
)
from bnlab.experiments.villanueva2012.runs import grid, records_frame, under
from bnlab.experiments.villanueva2012.samples import sample
from bnlab.graphs import compare, skeleton

CLAIMS, TILINGS = "networks", "networks and tilings"
COSTS = ("ratio", "fewer", "dearest", "scaling", "cheapest", "tolerance")
"""Claims of cost, which are judged on tilings too."""


class Claims(Rerun):
    """What the paper says of its figures, as shares of the cases in which it is so."""

    key = "villanueva2012"
    title = "Villanueva and Maciel 2012, section 4"
    group_name, item_name, variant_name, run_name = "claim", "reading", "run on", "sample"
    variants = (CLAIMS, TILINGS)
    stems = ("base", "tilings")
    keys = ("network", "copies", "origin", "rows", "version", "algorithm", "reading")
    verdicts = ("holds or mostly", "fails")

    def unit(self, variant: str) -> str:
        """Percent."""
        return "cases in which the claim holds, %"

    def interval(self, variant: str) -> str:
        """How the claims are judged."""
        return (
            "The paper prints no numbers: a claim holds if the rerun bears it out in all cases, and mostly if it does "
            f"in {MOSTLY:.0%} of them, which is the bar."
        )

    def table(self, records: Iterable[Record], variant: str) -> pd.DataFrame:
        """See `Rerun.table`."""
        kept = list(records)
        frame = records_frame(kept) if kept else None
        by_reading = {reading: _judged(frame, reading) for reading in READINGS}
        rows = [
            _row(key, reading, found.get(key))
            for key in villanueva2012_claims().key
            for reading, found in by_reading.items()
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def cells(self, variant: str, group: str, item: str, runs: int) -> list[Cell]:
        """All algorithms on the first samples of each size; for claims of cost of the tilings too, if so chosen.

        Those of ten copies take a process each, and some of them many minutes.
        """
        versions = VERSIONS[:runs]
        copies = COPIES if _tiled(variant, group) else (1,)
        concerned = [name for name in ALGORITHMS if READINGS[item].concerns(name)]
        others = [name for name in ALGORITHMS if name not in concerned]
        parts = [grid(copies=copies, versions=versions, readings=[item], algorithms=concerned)]
        if others:
            parts.append(grid(copies=copies, versions=versions, readings=[AS_PRINTED.name], algorithms=others))
        return [cell for part in parts for cell in part.cells]

    def evaluate(self, variant: str) -> Callable[[Cell], Mapping[str, Any]]:
        """Edges and tests."""
        return evaluate

    def stem(self, variant: str, cell: Cell) -> str:
        """See `Rerun.stem`."""
        return "base" if cell["copies"] == 1 else "tilings"

    def stands_behind(self, record: Record, variant: str, group: str, item: str) -> bool:
        """Accuracy is judged on the networks themselves, cost on their tilings too."""
        if record["copies"] != 1 and not _tiled(variant, group):
            return False
        own = READINGS[item].concerns(record["algorithm"])
        return bool(record["reading"] == (item if own else AS_PRINTED.name))

    def outcome(self, record: Record, item: str) -> str:
        """Edges and tests."""
        return (
            f"{record['tp']} right edges, {record['fp']} extra, {record['fn']} missing; {record['nsc']:,} statistical "
            "calls"
        )

    def look(self, variant: str, item: str, cell: Cell) -> Close:
        """Learned skeleton against the true one."""
        known = sample(cell["network"], cell["rows"], cell["version"], cell["copies"], cell["origin"])
        graph, _, _ = timed(known.table, cell["algorithm"], cell["reading"])
        learned, true = graph.to_pdag(), skeleton(known.dag)
        found = compare(learned, known.dag)
        facts = {
            "Sn = TP / (TP + FN)": f"{found.sn:.3f}",
            "Sp = TP / (TP + FP)": f"{found.sp:.3f}, elsewhere called precision",
            "calls not performed": f"{graph.not_performed:,}, for want of rows",
        }
        record = {"tp": found.tp, "fp": found.fp, "fn": found.fn, "nsc": graph.nsc}
        return Close(self.outcome(record, item), facts, {"skeleton": Network(learned, reference=true)})

    def code(self, variant: str, item: str, cell: Cell) -> str:
        """See `Rerun.code`."""
        copies = "" if cell["copies"] == 1 else f" copies=[{cell['copies']}],"
        return (
            "from bnlab.experiments.villanueva2012 import grid, records_frame\n"
            "from bnlab.search import iterate\n\n"
            "cells = grid(\n"
            f"    networks=[{cell['network']!r}], rows=[{cell['rows']}], versions=[{cell['version']}],{copies}\n"
            f"    algorithms=[{cell['algorithm']!r}], readings=[{cell['reading']!r}],\n"
            ")\n"
            'records_frame(record for _, record in iterate(cells))[["tp", "fp", "fn", "sn", "sp", "nsc"]]'
        )

    def called(self, cell: Cell) -> str:
        """Algorithm and sample."""
        network = cell["network"] if cell["copies"] == 1 else f"{cell['network']} × {cell['copies']}"
        return f"{LABELS[cell['algorithm']]}, {network}, {cell['rows']:,} rows, v{cell['version']}"

    def told(self, group: str) -> str:
        """The claim in words."""
        claims = villanueva2012_claims().set_index("key").claim
        return str(claims[group])


def _tiled(variant: str, group: str) -> bool:
    return variant == TILINGS and group in COSTS


def _judged(frame: pd.DataFrame | None, reading: str) -> dict[str, Finding]:
    """Findings under a reading, if every algorithm was run on some sample of each network and size."""
    if frame is None or reading not in set(frame.reading):
        return {}
    records = under(frame, reading)
    base = records[records.copies == 1]
    run = set(base[["network", "rows", "algorithm"]].itertuples(index=False, name=None))
    wanted = {(network, rows, name) for network in NETWORKS for rows in ROWS for name in ALGORITHMS}
    return findings(records) if wanted <= run else {}


def _row(key: str, reading: str, finding: Finding | None) -> dict[str, Any]:
    row: dict[str, Any] = {"group": key, "item": reading, "published": 100.0, "low": 100 * MOSTLY, "high": 100.0}
    if finding is None or not finding.cases:
        return row | {"runs": 0, "inside": None, "text": "not run", "note": "not run"}
    share = 100 * finding.holding / finding.cases
    return row | {
        "rerun": share,
        "runs": finding.cases,
        "least": share,
        "greatest": share,
        "difference": share - 100,
        "inside": finding.verdict != "fails",
        "text": f"{finding.verdict}\n{finding.holding} of {finding.cases}",
        "note": finding.number,
    }


RERUN = Claims()
