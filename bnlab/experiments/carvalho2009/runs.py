"""The grid of data sets, protocols and seeds, and its records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial

import pandas as pd

from bnlab.experiments.carvalho2009.cell import evaluate
from bnlab.experiments.carvalho2009.protocol import DATASETS, SCORES, Protocol
from bnlab.experiments.carvalho2009.rows import is_seeded
from bnlab.experiments.grid import Grid, Record, RecordFile
from bnlab.search import iterate

Path = str | os.PathLike[str]


def grid(
    protocols: Iterable[Protocol],
    seeds: Sequence[int] = (0,),
    path: Path | None = None,
    datasets: Sequence[str] = DATASETS,
) -> Grid:
    """Experiment over all data sets, protocols and seeds, a `Search` that resumes from its file.

    A cell is a data set, a protocol and a seed, and counts its tables once for all eight scores. Where the files
    themselves say which rows train, only the first seed is run.

    Parameters
    ----------
    protocols : iterable of Protocol
    seeds : sequence of int
        Each splits the rows anew.
    path : path-like, optional
        File of records (JSON lines); without one they live in memory.
    datasets : sequence of str
    """
    by_name = {protocol.name: protocol for protocol in protocols}
    cells = [
        {"dataset": dataset, "protocol": protocol.name, "seed": seed}
        for dataset in datasets
        for seed in seeds
        for protocol in by_name.values()
        if seed == seeds[0] or is_seeded(dataset, protocol)
    ]
    return Grid(cells, partial(evaluate, by_name), RecordFile(path) if path is not None else None)


def run(experiment: Grid, executor: Executor | None = None) -> Iterator[tuple[dict[str, Record], Record]]:
    """Run the cells that are left, one by one or on an executor; yields the state and the record of each.

    Examples
    --------
    >>> from bnlab.experiments.carvalho2009 import PROTOCOLS, grid, run
    >>> experiment = grid(PROTOCOLS.values(), seeds=range(3), datasets=[])
    >>> [record for state, record in run(experiment)]
    []
    """
    if executor is None:
        return iterate(experiment)
    return experiment.finish(executor, experiment.init())


def records_frame(records: Path | Iterable[Record]) -> pd.DataFrame:
    """Records as a table, one row a data set, protocol, seed and score.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame with columns dataset, protocol, seed, score, n_train, n_test, hits, accuracy, seconds
        Accuracy is hits / n_test, in 0..1; seconds are those of all scores together.
    """
    stored = RecordFile(records).load() if isinstance(records, str | os.PathLike) else list(records)
    columns = ["dataset", "protocol", "seed", "score", "n_train", "n_test", "hits", "accuracy", "seconds"]
    rows = [
        {**record, "score": score, "hits": hits, "accuracy": hits / record["n_test"]}
        for record in stored
        for score, hits in zip(SCORES, record["hits"], strict=True)
    ]
    return pd.DataFrame(rows, columns=columns)
