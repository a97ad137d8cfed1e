"""Future work of section 5 of the 2007 paper, measured: a total order, and a combination with ordering-based search.

Consistent k-graphs along paths and in breadth-first order, the ordering search from that order and from a random one,
and k chosen by description length, on samples of known networks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.networks import Dirichlet, fit
from bnlab.networks.load import load_network
from bnlab.papers.base.all_columns import learn_all_columns
from bnlab.papers.base.grid import Design, StoredCells
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.scores import score

NETWORKS = ("asia", "child", "insurance", "alarm")
TEST_ROWS = 2000

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "C2G, paths": ("ckg", {"k": 2}),
    "C2G, breadth first": ("ckg", {"k": 2, "order": "bfs"}),
    "ordering search, 1 random start": ("ordering-search", {"k": 2, "restarts": 1}),
    "ordering search, breadth-first start": (
        "ordering-search",
        {"k": 2, "restarts": 1, "start": "bfs"},
    ),
    "climb, 1 random start": ("ordering-search", {"k": 2, "restarts": 1, "tabu": 0}),
    "climb, breadth-first start": (
        "ordering-search",
        {"k": 2, "restarts": 1, "tabu": 0, "start": "bfs"},
    ),
    "ordering search, 10 random starts": ("ordering-search", {"k": 2, "restarts": 10}),
    "LL, k = 1": ("ckg", {"k": 1, "score": "ll"}),
    "LL, k = 2": ("ckg", {"k": 2, "score": "ll"}),
    "LL, k = 3": ("ckg", {"k": 3, "score": "ll"}),
    "LL, k by MDL": ("ckg", {"k": "mdl", "score": "ll"}),
}
"""Learner and options of each method; the default score is BIC (MDL). A climb has no tabu list."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with network, rows and seed

    Returns
    -------
    dict
        Of each method in `METHODS`: mdl, the score of the training rows, and held_out, the log-likelihood of other rows
        for parameters with one pseudo-row per cell, both in nats per row; greatest_k, the maximum number of parents;
        seconds of processor time.
    """
    net = load_network(cell["network"])
    source = MemorySource(net.sample(cell["rows"], seed=cell["seed"]), threads=1)
    test = net.sample(TEST_ROWS, seed=10_000 + cell["seed"])
    rows = []
    for algorithm, options in METHODS.values():
        seeded = {"seed": cell["seed"]} if algorithm == "ordering-search" else {}
        start = process_time()
        dag = learn_all_columns(source, algorithm, **options, **seeded)
        seconds = process_time() - start
        held_out = float(np.mean(fit(dag, source, Dirichlet(1.0)).log_likelihood(test)))
        mdl = float(score(dag, source, "mdl")) / cell["rows"]
        rows.append((round(mdl, 5), round(held_out, 5), max(map(len, dag.parents)), round(seconds, 4)))
    return dict(zip(("mdl", "held_out", "greatest_k", "seconds"), zip(*rows, strict=True), strict=True))


DESIGN = Design(evaluate, {"network": NETWORKS, "rows": (100, 500, 5000), "seed": range(5)})
STORED = (StoredCells("combine", DESIGN),)


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Records as a table, one row per network, number of rows, seed and method."""
    measures = ("mdl", "held_out", "greatest_k", "seconds")
    rows = [
        {**{name: record[name] for name in DESIGN.axes}, "method": method, **dict(zip(measures, values, strict=True))}
        for record in stored_records(records)
        for method, values in zip(METHODS, zip(*(record[name] for name in measures), strict=True), strict=True)
    ]
    return pd.DataFrame(rows, columns=[*DESIGN.axes, "method", *measures])


def differences(frame: pd.DataFrame, methods: Sequence[str], against: str, measure: str = "mdl") -> pd.DataFrame:
    """Difference of each method from another one on the same samples: mean, 95 % interval, and samples won.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.
    methods : sequence of str
    against : str
    measure : "mdl" or "held_out"

    Returns
    -------
    DataFrame indexed by rows and method
        samples, better, equal, worse, difference, low and high, nats per row.
    """
    table = frame.pivot_table(index=list(DESIGN.axes), columns="method", values=measure)
    gained = table[list(methods)].sub(table[against], axis=0).round(9).stack().rename("gain").reset_index()
    groups = gained.groupby(["rows", "method"], sort=False).gain
    half = 1.96 * groups.std() / np.sqrt(groups.size())
    return pd.DataFrame(
        {
            "samples": groups.size(),
            "better": groups.agg(lambda gains: (gains > 0).sum()),
            "equal": groups.agg(lambda gains: (gains == 0).sum()),
            "worse": groups.agg(lambda gains: (gains < 0).sum()),
            "difference": groups.mean(),
            "low": groups.mean() - half,
            "high": groups.mean() + half,
        }
    )
