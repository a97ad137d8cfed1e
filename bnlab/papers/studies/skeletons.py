"""Quality of the skeletons of the default variant, beside the paper's variant and R bnlearn's hpc and mmpc.

The rules of the default (`bnlab.skeletons.skeleton`) are based on these measurements. `benchmarks/skeletons.py`
measures R with its tests "mi" and "mi-adf".
"""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.data.table import Table
from bnlab.graphs.comparison import compare
from bnlab.graphs.pdag import Pdag
from bnlab.papers.base.grid import Design, StoredCells
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.studies.leaderboard import REPOSITORY, network_of
from bnlab.skeletons.skeleton import skeleton

DEFAULTS = ("opthpc", "hpc", "mmpc")
LEARNERS: dict[str, dict[str, Any]] = {
    **{name: {"algorithm": name} for name in DEFAULTS},
    "opthpc, paper": {"algorithm": "opthpc", "variant": "paper"},
}
"""Options of `bnlab.skeleton` by the name of the learner."""
R = {f"R bnlearn, {name} ({test})": (name, test) for name in ("hpc", "mmpc") for test in ("mi", "mi-adf")}
"""Algorithm and test of R's learners."""
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm", "hailfinder", "andes")


def evaluate(cell: Mapping[str, Any]) -> dict[str, float]:
    """Quality and costs of a learner.

    Parameters
    ----------
    cell : mapping with network, rows, learner and sample

    Returns
    -------
    dict
        edges (their number in the skeleton); sensitivity, precision and f1, which are 0 if no true edge is found; the
        number of tests, and seconds of processor time.
    """
    table, options = table_of_cell(cell), LEARNERS[cell["learner"]]
    skeleton(table.select(table.names[:3]), **options)  # compiles
    start = process_time()
    found = skeleton(table, **options)
    return measured(cell, found.to_pdag(), found.nsc, process_time() - start)


def table_of_cell(cell: Mapping[str, Any]) -> Table:
    """Sample of the network of a cell."""
    return network_of(cell["network"]).sample(cell["rows"], seed=cell["sample"])


def measured(cell: Mapping[str, Any], found: Pdag, tests: int, seconds: float) -> dict[str, float]:
    """Results of one cell, as `evaluate` returns them, with a skeleton of any package."""
    quality = compare(found, network_of(cell["network"]).dag)
    sensitivity, precision = (float(np.nan_to_num(value)) for value in (quality.sn, quality.sp))
    both = sensitivity + precision
    return {
        "edges": len(found.undirected),
        "sensitivity": round(sensitivity, 5),
        "precision": round(precision, 5),
        "f1": round(2 * sensitivity * precision / both, 5) if both else 0.0,
        "tests": tests,
        "seconds": round(seconds, 3),
    }


DESIGN = Design(
    evaluate, {"network": NETWORKS, "rows": (500, 1000, 5000), "learner": tuple(LEARNERS), "sample": (1, 2, 3, 4, 5, 6)}
)
LARGE: dict[str, tuple[Any, ...]] = {
    "network": tuple(name for name, size in REPOSITORY.items() if size <= 1003),
    "rows": (5000,),
    "sample": (1, 2, 3),
}
"""Values of the cells of networks that are not bundled: those on which a run of R's hpc takes six minutes at most. On
munin3, munin4 and munin, with 1,038 to 1,041 variables, it takes 18 and more."""
STORED = (
    StoredCells("skeletons", DESIGN),
    StoredCells("large_networks", DESIGN, {**LARGE, "learner": DEFAULTS}),
)


def quality_table(records: StoredRecords) -> pd.DataFrame:
    """Means over the samples.

    Returns
    -------
    DataFrame, one row per network and number of rows
        Columns (measure, learner) for the measures f1, precision, sensitivity, tests and seconds; and ("ahead of R",
        name) for the learners of `DEFAULTS`: the mean F1 less the best of R, for "mmpc" of R's mmpc.
    """
    frame = pd.DataFrame(stored_records(records))
    means = frame.pivot_table(
        index=["network", "rows"],
        columns="learner",
        values=["f1", "precision", "sensitivity", "tests", "seconds"],
        sort=False,
    )
    for name in DEFAULTS:
        peers = [peer for peer, (algorithm, _) in R.items() if name != "mmpc" or algorithm == "mmpc"]
        means["ahead of R", name] = means["f1", name] - means["f1"].reindex(columns=peers).max(axis=1)
    return means
