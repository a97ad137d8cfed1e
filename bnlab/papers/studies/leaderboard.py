"""The leaderboard: quality of the networks that each learner finds, and its costs.

Rows are sampled from a known network, the columns are permuted, and every learner gets the same table. A cell is one
run. Its record has the score, the structural Hamming distance between essential graphs, the log-likelihood of other
rows, and processor time. Memory is measured separately, with one process per run. `bnlab.learners.recommended` is based
on these records.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from math import prod
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.counts.memory import MemorySource
from bnlab.data.table import Table
from bnlab.graphs.comparison import compare
from bnlab.graphs.dag import Dag
from bnlab.learners.learn import make_search
from bnlab.networks import BayesianNetwork, load_network, tile
from bnlab.papers.base.grid import Cell, Design, StoredCells
from bnlab.papers.base.processes import in_own_process, peak_megabytes
from bnlab.papers.base.records import RecordFile, StoredRecords, stored_records
from bnlab.scores import score
from bnlab.search import run
from bnlab.skeletons import skeleton

LEARNERS: dict[str, tuple[str | None, dict[str, Any]]] = {
    "learn(table), quick": (None, {"effort": "quick"}),
    "learn(table)": (None, {"effort": "default"}),
    "learn(table), thorough": (None, {"effort": "thorough"}),
    "optimal tree": ("branching", {}),
    "hill climbing": ("hill-climbing", {"ties": "columns"}),
    "hill climbing, ties by score": ("hill-climbing", {"ties": "scores"}),
    "tabu 10": ("hill-climbing", {"tabu": 10, "ties": "columns"}),
    "tabu 10, ties by score": ("hill-climbing", {"tabu": 10, "ties": "scores"}),
    "tabu 10, 100 restarts": ("hill-climbing", {"tabu": 10, "restarts": 100, "ties": "columns"}),
    "tabu 10 within OptHPC": ("hill-climbing", {"tabu": 10, "ties": "scores", "within": "opthpc"}),
    "CkG, k = 2": ("ckg", {"k": 2}),
    "K2, 10 orders": ("k2", {"orders": 10}),
    "ordering search": ("ordering-search", {}),
    "ordering search, k = 3": ("ordering-search", {"k": 3}),
    "Chen": ("chen", {}),
    "BOSS, no restart": ("boss", {"restarts": 0}),
    "BOSS, 200 restarts": ("boss", {"restarts": 200}),
    "BOSS, 1000 restarts": ("boss", {"restarts": 1000}),
    "exact, at most 3 parents": ("exact", {"max_parents": 3}),
}
"""Learners by name: the algorithm and the options for `bnlab.learn`; `within` names an algorithm for skeletons."""

LONG = ("learn(table), thorough",)
"""Learners for large networks only, where they may find a better network than any other."""

SEEDED = {
    *("tabu 10, 100 restarts", "Chen", "BOSS, 200 restarts", "BOSS, 1000 restarts"),
    *("ordering search", "ordering search, k = 3", "K2, 10 orders"),
}
"""Learners that use random numbers; their seed is that of the order of the columns."""

SMALL = {"asia": 8, "sachs": 11, "child": 20, "insurance": 27, "alarm": 37}
LARGE = {"hailfinder": 56, "alarm x 2": 74, "andes": 223} | {f"alarm x {k}": 37 * k for k in (10, 16, 32, 54)}
REPOSITORY = {
    "water": 32,
    "mildew": 35,
    "barley": 48,
    "hepar2": 70,
    "win95pts": 76,
    "pathfinder": 109,
    "munin1": 186,
    "diabetes": 413,
    "pigs": 441,
    "link": 724,
    "munin2": 1003,
    "munin4": 1038,
    "munin": 1041,
    "munin3": 1041,
}
"""Networks that are not bundled."""
VARIABLES = {**SMALL, **LARGE, **REPOSITORY}
"""Number of variables of each network; "alarm x 2" is a tiling of two copies."""
SOME_LARGE = ("pathfinder", "munin1", "diabetes", "link")
"""Networks of the repository that slow learners take part on."""

MOST_VARIABLES = {
    "exact, at most 3 parents": 20,
    "ordering search": 80,
    "ordering search, k = 3": 40,
    "Chen": 60,
    "BOSS, 200 restarts": 60,
    "BOSS, 1000 restarts": 40,
}
"""Maximum number of variables of learners that take minutes beyond it."""

HELD_OUT = 10_000
"""Number of rows for the log-likelihood of new data."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with network, rows, score, learner, sample and order

    Returns
    -------
    dict
        As `measured` returns it.
    """
    _compile(cell["score"], cell["learner"])
    table = table_of_cell(cell)
    begin = process_time()
    found = _learned(table, cell)
    return measured(cell, table, found, process_time() - begin)


def peak_memory(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Peak resident memory of a process that does nothing but one run.

    Parameters
    ----------
    cell : mapping
        As for `evaluate`.

    Returns
    -------
    dict
        megabytes, including the interpreter and the compiled code; None if the system does not report it.
    """
    return in_own_process(_peak_memory, cell)


def _peak_memory(cell: Mapping[str, Any]) -> dict[str, Any]:
    _compile(cell["score"], cell["learner"])
    _learned(table_of_cell(cell), cell)
    return {"megabytes": peak_megabytes()}


def table_of_cell(cell: Cell) -> Table:
    """Sample of the network of a cell, with its columns in the order of the cell (0 is the order of the network)."""
    rows = network_of(cell["network"]).sample(cell["rows"], seed=cell["sample"])
    rng = np.random.default_rng([cell["sample"], cell["order"]])
    names = list(rows.names) if cell["order"] == 0 else [rows.names[i] for i in rng.permutation(len(rows.names))]
    return rows.select(names)


def measured(cell: Cell, table: Table, found: Dag, seconds: float) -> dict[str, Any]:
    """Results of one cell with a learner of any package.

    Parameters
    ----------
    cell : mapping with network, rows, score, sample and order
    table : Table
        Sample of the cell.
    found : Dag
    seconds : float
        Processor time on one thread, without compilation.

    Returns
    -------
    dict
        variables, edges; score_found and score_true, of the learned and the true graph, nats; shd_cpdag, between
        essential graphs; held_out, mean log-likelihood of new rows, nats, with parameters under a BDeu prior (ess 1);
        seconds.
    """
    net = network_of(cell["network"])
    new = net.sample(HELD_OUT, seed=10_000 + cell["sample"])
    return {
        "variables": len(table.names),
        "edges": len(found.edges),
        "score_found": round(float(score(found, table, cell["score"])), 4),
        "score_true": round(float(score(net.dag, table, cell["score"])), 4),
        "shd_cpdag": compare(found, net.dag).shd_cpdag,
        "held_out": round(_held_out(found, table, new), 5),
        "seconds": round(seconds, 4),
    }


def _held_out(dag: Dag, table: Table, new: Table) -> float:
    """Mean log-likelihood of new rows with parameters under a BDeu prior (ess 1), without tables of all probabilities.

    Under BDeu some variables get twelve parents, too many for such a table.
    """
    total, new = 0.0, new.select(table.names)
    for v, parents in enumerate(dag.parents):
        codes = pd.DataFrame({u: np.concatenate([table.column(u), new.column(u)]) for u in (*parents, v)})
        configurations = codes.groupby(list(parents)).ngroup() if parents else pd.Series(0, index=codes.index)
        cells = codes.groupby([*parents, v]).ngroup()
        in_cell, in_configuration = (
            np.bincount(of_row[: table.n_rows], minlength=of_row.max() + 1)[of_row[table.n_rows :]]
            for of_row in (cells, configurations)
        )
        q = prod(table.arities[u] for u in parents)
        total += np.log((in_cell + 1.0 / (q * table.arities[v])) / (in_configuration + 1.0 / q)).sum()
    return float(total) / new.n_rows


@cache
def network_of(name: str) -> BayesianNetwork:
    """Network by the name in a cell; "alarm x 2" is a tiling of two copies.

    Examples
    --------
    >>> len(network_of("asia x 3"))
    24
    """
    known, _, copies = name.partition(" x ")
    return tile(load_network(known), int(copies), seed=1) if copies else load_network(known)


def _learned(table: Table, cell: Cell) -> Dag:
    algorithm, options = LEARNERS[cell["learner"]]
    source = MemorySource(table, threads=1)
    if "within" in options:
        options = {**options, "within": skeleton(source, options["within"])}
    seed = {"seed": cell["order"]} if cell["learner"] in SEEDED else {}
    search = make_search(source, algorithm, score=cell["score"], **options, **seed)
    return Dag(table.names, run(search))


@cache
def _compile(name: str, learner: str) -> None:
    """Run a learner, so that timings exclude compilation; `learn(table)` uses another learner for more variables."""
    for network in ("asia",) if LEARNERS[learner][0] else ("asia", "asia x 2"):
        _learned(network_of(network).sample(100, seed=0), {"learner": learner, "score": name, "order": 0})


def _complete(cell: Cell) -> Cell | None:
    """The cell, or None if the network has too many variables for the learner."""
    return cell if VARIABLES[cell["network"]] <= MOST_VARIABLES.get(cell["learner"], 10_000) else None


DESIGN = Design(
    evaluate,
    {
        "network": list(SMALL),
        "rows": [500, 2000, 10_000],
        "score": ["bic"],
        "learner": [name for name in LEARNERS if name not in LONG],
        "sample": [1, 2],
        "order": [0, 1],
    },
    _complete,
)
_CLIMBS = [name + ties for name in ("hill climbing", "tabu 10") for ties in ("", ", ties by score")]
_SCALABLE = ["learn(table), quick", "learn(table)", "optimal tree", *_CLIMBS, "BOSS, no restart"]
_MEMORY = Design(
    peak_memory,
    {**DESIGN.axes, "network": ["child", "alarm"], "rows": [10_000], "sample": [1], "order": [1]},
    _complete,
)
_LARGEST = ["tabu 10", "learn(table), quick", "learn(table)", "learn(table), thorough"]
_MOST = [*_SCALABLE, "tabu 10, 100 restarts", "exact, at most 3 parents"]


def _part(*networks: str, **values: Sequence[Any]) -> StoredCells:
    return StoredCells("leaderboard", DESIGN, {"learner": _SCALABLE, "sample": [1], "network": networks, **values})


STORED = (
    StoredCells("leaderboard", DESIGN),
    _part(*SMALL, learner=_MOST, score=["bdeu"]),
    _part(*SMALL, rows=[50_000], order=[0]),
    _part("hailfinder", learner=[*_MOST, "BOSS, 200 restarts", "ordering search"]),
    _part("alarm x 2", "andes", rows=[2000, 10_000], learner=[*_SCALABLE, "ordering search"]),
    _part("alarm x 10", rows=[2000], order=[0]),
    _part("alarm x 16", rows=[2000], order=[1], learner=["learn(table), quick", "learn(table)", "tabu 10"]),
    _part("alarm x 32", rows=[2000], order=[1], learner=["learn(table)", "tabu 10"]),
    _part("alarm x 54", rows=[2000], order=[1], learner=["learn(table), thorough", "tabu 10"]),
    _part("alarm x 2", "andes", "alarm x 10", rows=[2000], order=[0], learner=["learn(table), thorough"]),
    _part("alarm x 2", "andes", rows=[10_000], order=[0], learner=["learn(table), thorough"]),
    StoredCells("memory", _MEMORY),
    StoredCells("memory", _MEMORY, {"learner": _SCALABLE, "network": ["andes"]}),
)
"""Small networks under BIC, under BDeu (ess 1), and with 50,000 rows; large ones, where the thorough search gives the
best known score; memory."""

STORED_LARGE = (
    _part(*REPOSITORY, rows=[5000], order=[1]),
    _part(*REPOSITORY, rows=[5000], order=[0], learner=["hill climbing", "tabu 10"]),
    _part(*REPOSITORY, rows=[5000], order=[1], learner=["learn(table), thorough"]),
    _part(*REPOSITORY, rows=[10_000], order=[1], learner=_LARGEST),
    _part(*REPOSITORY, rows=[5000, 10_000], order=[1], score=["bdeu"], learner=_LARGEST),
)
"""Networks of the repository, downloaded by name, in a folder of their own. In the order of their files (0) parents
mostly come before children, and climbs whose ties go by columns are lucky."""


def records_frame(records: StoredRecords) -> pd.DataFrame:
    """Records as a table, one row a run.

    Returns
    -------
    DataFrame
        The fields of the cells and of `evaluate`; gap, nats behind the best score of any run on the same rows;
        gap_percent, the same in percent of that score; megabytes, NaN because memory is measured separately.
    """
    frame = pd.DataFrame(stored_records(records)).assign(megabytes=float("nan"))
    best = frame.groupby(["network", "rows", "score", "sample"]).score_found.transform("max")
    return frame.assign(gap=best - frame.score_found, gap_percent=100.0 * (best - frame.score_found) / best.abs())


def board(frame: pd.DataFrame, score_name: str = "bic") -> pd.DataFrame:
    """Learners by their distance from the best score, best first.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.
    score_name : str

    Returns
    -------
    DataFrame
        Index learner; runs; best, the share of runs within a relative 1e-6 of the best score; gap and worst, the median
        and the greatest gap in percent of the best score; spread, the greatest range of scores over column orders of
        the same rows, nats; shd, the median SHD of essential graphs less that of the best learner on the same rows;
        seconds, the median; megabytes, the greatest peak of a process that does one run.
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
        megabytes=("megabytes", "max"),
    )
    return table.assign(spread=orders).sort_values(["worst", "gap"])


def stored_frame(folder: str | os.PathLike[str]) -> pd.DataFrame:
    """Stored records of a folder of results, including those of other packages, as from `records_frame`.

    Returns
    -------
    DataFrame
        Also with the megabytes of the runs whose memory was measured.
    """
    files = {stem: RecordFile(Path(folder) / f"{stem}.jsonl") for stem in ("leaderboard", "peers", "memory")}
    frame = records_frame([*files["leaderboard"].load(), *files["peers"].load()])
    keys = list(DESIGN.axes)
    memory = pd.DataFrame(files["memory"].load(), columns=[*keys, "megabytes"]).astype(frame.dtypes[keys])
    return frame.drop(columns="megabytes").merge(memory, how="left", on=keys)


def profile(frame: pd.DataFrame, gaps: Sequence[float]) -> pd.DataFrame:
    """Performance profile: the share of runs close to the best score.

    Parameters
    ----------
    frame : DataFrame
        From `records_frame`.
    gaps : sequence of float
        Percent of the best score.

    Returns
    -------
    DataFrame
        Index learner, one column per gap: the share of the learner's runs with at most this gap.

    Examples
    --------
    >>> frame = pd.DataFrame({"learner": ["a", "a", "b"], "gap_percent": [0.0, 0.5, 2.0]})
    >>> profile(frame, [0.01, 1.0]).loc["a"].tolist()
    [0.5, 1.0]
    """
    shares = {gap: frame.gap_percent.le(gap).groupby(frame.learner).mean() for gap in gaps}
    return pd.DataFrame(shares)
