"""Quality of the skeletons of the default variant, compared with the papers' variant and with HPC of R bnlearn.

The rules of the default (`bnlab.skeletons.skeleton`) are based on these measurements. `benchmarks/skeletons.py`
measures HPC of R bnlearn with its tests "mi" and "mi-adf".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from bnlab.data.table import Table
from bnlab.graphs.comparison import compare
from bnlab.graphs.pdag import Pdag
from bnlab.papers.base.grid import Design, StoredCells
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.studies.leaderboard import network_of
from bnlab.skeletons.skeleton import skeleton

R = ("R bnlearn, hpc (mi)", "R bnlearn, hpc (mi-adf)")
DEFAULTS = ("opthpc", "hpc")
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm", "hailfinder", "andes")


def _joined(table: Table, algorithm: str, variant: str = "default") -> Pdag:
    return skeleton(table, algorithm, variant=variant).to_pdag()


LEARNERS: dict[str, Callable[[Table], Pdag]] = {
    **{name: partial(_joined, algorithm=name) for name in (*DEFAULTS, "mmpc")},
    "opthpc, paper": partial(_joined, algorithm="opthpc", variant="paper"),
}
"""Learners by name, as functions from a table to an undirected graph."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, float]:
    """Sensitivity and precision of the edges that a learner finds.

    Parameters
    ----------
    cell : mapping with network, rows, learner and sample

    Returns
    -------
    dict
        edges (their number in the skeleton); sensitivity, precision and f1, which are 0 if no true edge is found.
    """
    return measured(cell, LEARNERS[cell["learner"]](table_of_cell(cell)))


def table_of_cell(cell: Mapping[str, Any]) -> Table:
    """Sample of the network of a cell."""
    return network_of(cell["network"]).sample(cell["rows"], seed=cell["sample"])


def measured(cell: Mapping[str, Any], found: Pdag) -> dict[str, float]:
    """Results of one cell, as `evaluate` returns them, with a skeleton of any package."""
    quality = compare(found, network_of(cell["network"]).dag)
    sensitivity, precision = (float(np.nan_to_num(value)) for value in (quality.sn, quality.sp))
    both = sensitivity + precision
    return {
        "edges": len(found.undirected),
        "sensitivity": round(sensitivity, 5),
        "precision": round(precision, 5),
        "f1": round(2 * sensitivity * precision / both, 5) if both else 0.0,
    }


DESIGN = Design(
    evaluate, {"network": NETWORKS, "rows": (500, 1000, 5000), "learner": tuple(LEARNERS), "sample": (1, 2, 3, 4, 5, 6)}
)
STORED = (StoredCells("skeletons", DESIGN),)


def quality_table(records: StoredRecords) -> pd.DataFrame:
    """Means over the samples.

    Returns
    -------
    DataFrame, one row per network and number of rows
        Columns (measure, learner) for the measures f1, precision and sensitivity; and ("ahead of R", name) for the
        learners of `DEFAULTS`, the mean F1 less the better of the two of R.
    """
    frame = pd.DataFrame(stored_records(records))
    means = frame.pivot_table(
        index=["network", "rows"], columns="learner", values=["f1", "precision", "sensitivity"], sort=False
    )
    best = means["f1"][list(R)].max(axis=1)
    for name in DEFAULTS:
        means["ahead of R", name] = means["f1", name] - best
    return means
