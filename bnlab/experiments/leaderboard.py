"""The leaderboard: how good the networks are that each learner finds, and what they cost.

Rows are sampled from a known network, the columns permuted, and every learner is given the same table. A cell is one
run; its record holds the score, the structural Hamming distance between essential graphs, the log-likelihood of other
rows, and processor time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.data.table import Table
from bnlab.experiments.grid import Cell, Design, Record, StoredCells
from bnlab.experiments.records import stored_records
from bnlab.graphs.comparison import compare
from bnlab.graphs.dag import Dag
from bnlab.learners import learn
from bnlab.networks import BayesianNetwork, BDeuPrior, fit, load_network
from bnlab.scores import score

LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "optimal tree": ("branching", {}),
    "hill climbing": ("hill-climbing", {"ties": "columns"}),
    "tabu 10": ("hill-climbing", {"tabu": 10, "ties": "columns"}),
    "tabu 10, 100 restarts": ("hill-climbing", {"tabu": 10, "restarts": 100, "ties": "columns"}),
    "ordering search, k = 3": ("ordering-search", {"k": 3, "moves": "swap"}),
    "Chen": ("chen", {}),
    "BOSS, no restart": ("boss", {"restarts": 0}),
    "BOSS, 200 restarts": ("boss", {"restarts": 200}),
    "BOSS, 1000 restarts": ("boss", {"restarts": 1000}),
    "exact, at most 3 parents": ("exact", {"max_parents": 3}),
}
"""Learners by name: what `bnlab.learn` is asked for."""

TIMED = {"tabu 10, 100 restarts", "Chen", "ordering search, k = 3", "BOSS, 200 restarts", "BOSS, 1000 restarts"}
"""Learners that use random numbers: their seed is that of the columns' order."""

VARIABLES = {"asia": 8, "sachs": 11, "child": 20, "insurance": 27, "alarm": 37, "hailfinder": 56, "andes": 223}
MOST_VARIABLES = {
    "exact, at most 3 parents": 20,
    "ordering search, k = 3": 40,
    "Chen": 60,
    "BOSS, 1000 restarts": 40,
}
"""Variables up to which a learner takes part: beyond them it takes minutes."""
HELD_OUT = 10_000
"""Rows for the log-likelihood of new data."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with network, rows, score, learner, sample and order

    Returns
    -------
    dict
        variables, edges; score_found and score_true, of the graph learned and of the true one, nats; shd_cpdag,
        between essential graphs; held_out, mean log-likelihood of new rows, nats, with parameters under a BDeu prior
        (ess 1); seconds, processor time on one thread, when the code is compiled.
    """
    net = load_network(cell["network"])
    rows = net.sample(cell["rows"], seed=cell["sample"])
    rng = np.random.default_rng([cell["sample"], cell["order"]])
    names = list(rows.names) if cell["order"] == 0 else [rows.names[i] for i in rng.permutation(len(rows.names))]
    table = rows.select(names)
    _compiled(cell["score"], cell["learner"])
    begin = process_time()
    found = _learned(table, cell)
    seconds = process_time() - begin
    return {
        "variables": len(names),
        "edges": len(found.edges),
        "score_found": round(float(score(found, table, cell["score"])), 4),
        "score_true": round(float(score(net.dag, table, cell["score"])), 4),
        "shd_cpdag": compare(found, net.dag).shd_cpdag,
        "held_out": round(_held_out(fit(found, table, BDeuPrior(1.0)), net, cell["sample"]), 5),
        "seconds": round(seconds, 4),
    }


def _learned(table: Table, cell: Cell) -> Dag:
    algorithm, options = LEARNERS[cell["learner"]]
    seed = {"seed": cell["order"]} if cell["learner"] in TIMED else {}
    return learn(MemorySource(table, threads=1), algorithm, score=cell["score"], **options, **seed)


@cache
def _compiled(name: str, learner: str) -> None:
    """Run a learner once, so that compiling does not count."""
    table = load_network("asia").sample(100, seed=0)
    _learned(table, {"learner": learner, "score": name, "order": 0})


def _held_out(net: BayesianNetwork, true: BayesianNetwork, sample: int) -> float:
    new = true.sample(HELD_OUT, seed=10_000 + sample)
    return float(net.log_likelihood(new).mean())


def _complete(cell: Cell) -> Cell | None:
    """Cell that is run: a learner takes part where it ends in minutes."""
    return cell if VARIABLES[cell["network"]] <= MOST_VARIABLES.get(cell["learner"], 10_000) else None


DESIGN = Design(
    evaluate,
    {
        "network": list(VARIABLES),
        "rows": [500, 2000, 10_000, 50_000],
        "score": ["bic", "bdeu"],
        "learner": list(LEARNERS),
        "sample": [1, 2, 3],
        "order": [0, 1],
    },
    _complete,
)
STORED = (StoredCells("leaderboard", DESIGN),)


def records_frame(records: str | os.PathLike[str] | Iterable[Record]) -> pd.DataFrame:
    """Records as a table, one row a run.

    Returns
    -------
    DataFrame
        The fields of the cells and of `evaluate`; gap, nats behind the best score that any run found on the same rows;
        gap_percent of that score.
    """
    frame = pd.DataFrame(stored_records(records))
    best = frame.groupby(["network", "rows", "score", "sample"]).score_found.transform("max")
    return frame.assign(gap=best - frame.score_found, gap_percent=100.0 * (best - frame.score_found) / best.abs())


def board(frame: pd.DataFrame, score_name: str = "bic") -> pd.DataFrame:
    """Learners by how near they come to the best score, best first.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.
    score_name : str

    Returns
    -------
    DataFrame
        Index learner; runs; best, the share of runs within 1e-6 of the best score; gap, median, and worst, greatest gap
        in percent of the best score; spread, the greatest range of scores over orders of the same rows, nats;
        shd, median SHD of essential graphs less that of the best learner on the same rows; seconds, median.
    """
    kept = frame[frame.score == score_name]
    rows = ["network", "rows", "sample"]
    behind = kept.assign(
        behind=kept.shd_cpdag - kept.groupby(rows).shd_cpdag.transform("min"),
        is_best=kept.gap < 1e-6 * kept.score_found.abs(),
    )
    orders = behind.groupby(["learner", *rows]).score_found.agg(np.ptp).groupby("learner").max()
    table = behind.groupby("learner").agg(
        runs=("gap", "size"),
        best=("is_best", "mean"),
        gap=("gap_percent", "median"),
        worst=("gap_percent", "max"),
        shd=("behind", "median"),
        seconds=("seconds", "median"),
    )
    return table.assign(spread=orders).sort_values(["worst", "gap"])


def stored_frame(folder: str | os.PathLike[str]) -> pd.DataFrame:
    """Stored records of a folder of results as `records_frame` gives them."""
    return records_frame(Path(folder) / "leaderboard.jsonl")
