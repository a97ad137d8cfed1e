"""The grids and their records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import pandas as pd

from bnlab.experiments.grid import Grid, Record, RecordFile
from bnlab.experiments.matuszak2012.cell import OTHER_ALARM, evaluate
from bnlab.experiments.matuszak2012.random_networks import evaluate_random
from bnlab.experiments.matuszak2012.readings import (
    ABLATIONS,
    CLIMBS,
    K2_LIMITS,
    K2_ORDERS,
    LONG,
    READINGS,
    SWEEPS,
    TABLE1,
    k2_name,
    sweep_name,
)

Path = str | os.PathLike[str]

NETWORKS = ("simple", "alarm")
SEEDS = {"simple": 20, "alarm": 20}
RANDOM_RUNS = (
    "faithful",
    "check: moved",
    "limit: iterations",
    "K2, random order",
    "K2, random order, 1 parent",
    "Chow-Liu",
)


def grid(
    runs: Sequence[str],
    path: Path | None = None,
    networks: Sequence[str] = NETWORKS,
    seeds: Sequence[int] | None = None,
) -> Grid:
    """Runs over networks and seeds, a `Search` that resumes from its file.

    Parameters
    ----------
    runs : sequence of str
        Names of `RUNS`.
    path : path-like, optional
        File of records (JSON lines); without one the records stay in memory.
    networks : sequence of str
        "simple", "alarm" or "alarm, MMHC".
    seeds : sequence of int, optional
        By default those of `SEEDS`. Each seed samples its own rows.

    Examples
    --------
    >>> len(grid(["Chow-Liu", "faithful"]).cells)
    80
    """
    cells = [
        {"network": network, "run": run, "seed": seed}
        for network in networks
        for run in runs
        for seed in (range(SEEDS[network]) if seeds is None else seeds)
    ]
    return Grid(cells, evaluate, _file(path))


def all_grids(folder: Path) -> list[Grid]:
    """All grids of the notebook, in the order in which they run."""

    def file(name: str) -> str:
        return os.path.join(folder, f"{name}.jsonl")

    quick = [name for name in READINGS if name not in LONG and name != "faithful"]
    k2_runs = [k2_name(order, limit) for order in K2_ORDERS for limit in K2_LIMITS]
    lacking = [name for name in ABLATIONS if name != "default"]
    return [
        grid(TABLE1, file("table1")),
        grid(k2_runs, file("k2")),
        grid(["faithful", "Chow-Liu", *k2_runs[:5]], file("other_alarm"), [OTHER_ALARM], range(10)),
        grid([k2_name("random", 1)], file("other_alarm"), [OTHER_ALARM, "alarm"], range(100)),
        random_grid(100, file("random_networks")),
        grid(quick, file("readings")),
        grid(sweep_runs("simple"), file("sweeps"), ["simple"]),
        grid(sweep_runs("alarm"), file("sweeps"), ["alarm"]),
        grid(LONG, file("readings"), ["simple"]),
        grid([*lacking, *list(CLIMBS)[3:]], file("ablation"), ["alarm"]),
        grid(LONG, file("readings"), ["alarm"], range(5)),
    ]


def sweep_runs(network: str) -> list[str]:
    """Names of the runs of all sweeps on a network."""
    return [sweep_name(name, value) for name, values in SWEEPS[network].items() for value in values]


def random_grid(networks: int, path: Path | None = None, runs: Sequence[str] = RANDOM_RUNS) -> Grid:
    """Runs on random networks of 7 nodes and 7 edges, each with its own sample of rows."""
    cells = [{"network": "random", "run": run, "seed": seed} for run in runs for seed in range(networks)]
    return Grid(cells, evaluate_random, _file(path))


def records_frame(records: Path | Iterable[Record]) -> pd.DataFrame:
    """Records as a table, one row per network, run and seed.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        The fields of `cell.learned`, and gap, best_gap, stopped_gap, stopped_best_gap: (T - S) / |T| in percent of the
        four scores.
    """
    stored = RecordFile(records).load() if isinstance(records, str | os.PathLike) else list(records)
    frame = pd.DataFrame(stored)
    for column in ("score", "best", "stopped", "stopped_best"):
        if column in frame:
            frame[f"{column}_gap"] = 100.0 * (frame["true"] - frame[column]) / frame["true"].abs()
    return frame.rename(columns={"score_gap": "gap"})


def sweep_frame(records: Path | Iterable[Record]) -> pd.DataFrame:
    """Records of the sweeps, with the columns parameter and value."""
    frame = records_frame(records)
    frame[["parameter", "value"]] = frame.run.str.split(" = ", expand=True)
    return frame.assign(value=frame.value.astype(float))


def curves(records: pd.DataFrame) -> pd.DataFrame:
    """Curves in long form, one row per point.

    Returns
    -------
    DataFrame
        network, run, seed, iteration, score, best, seconds, and true.
    """
    kept = records[["network", "run", "seed", "true"]].to_dict("records")
    parts = [pd.DataFrame(curve).assign(**cell) for cell, curve in zip(kept, records.curve, strict=True)]
    return pd.concat(parts, ignore_index=True)


def _file(path: Path | None) -> RecordFile | None:
    return None if path is None else RecordFile(path)
