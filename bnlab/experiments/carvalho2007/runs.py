"""The grids of Table 1 and of the sweep over k and orders, and their records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial

import pandas as pd

from bnlab.experiments.carvalho2007.cell import evaluate, evaluate_model
from bnlab.experiments.carvalho2007.protocol import AS_PRINTED, CLASSIFIERS, DATASETS, SWEEP
from bnlab.experiments.carvalho2009.protocol import Protocol
from bnlab.experiments.carvalho2009.rows import is_seeded
from bnlab.experiments.grid import Grid, Record, RecordFile

Path = str | os.PathLike[str]


def grid(
    protocols: Iterable[Protocol],
    seeds: Sequence[int] = (0,),
    path: Path | None = None,
    datasets: Sequence[str] = DATASETS,
) -> Grid:
    """Table 1 over data sets, protocols and seeds, a `Search` that resumes from its file.

    Where the files themselves say which rows train, only the first seed is run.

    Parameters
    ----------
    protocols : iterable of Protocol
    seeds : sequence of int
        Each splits the rows anew.
    path : path-like, optional
        File of records (JSON lines); without one they live in memory.
    datasets : sequence of str

    Examples
    --------
    >>> from bnlab.experiments.carvalho2007 import AS_PRINTED
    >>> len(grid([AS_PRINTED], seeds=range(50)).cells)  # letter and satimage once, twelve data sets fifty times
    602
    """
    by_name = {protocol.name: protocol for protocol in protocols}
    cells = [
        {"dataset": dataset, "protocol": protocol.name, "seed": seed}
        for dataset in datasets
        for seed in seeds
        for protocol in by_name.values()
        if seed == seeds[0] or is_seeded(dataset, protocol)
    ]
    return Grid(cells, partial(evaluate, by_name), _file(path))


def sweep_grid(
    path: Path | None = None,
    datasets: Sequence[str] = DATASETS,
    models: Sequence[str] | None = None,
    seeds: Sequence[int] = (0,),
) -> Grid:
    """Every model of `SWEEP` on each data set, under the protocol "as printed".

    Parameters
    ----------
    path : path-like, optional
        As for `grid`.
    datasets : sequence of str
    models : sequence of str, optional
        Names, such as "path 2"; by default all.
    seeds : sequence of int
        Each splits the rows anew.
    """
    names = [model.name for model in SWEEP] if models is None else list(models)
    cells = [
        {"dataset": dataset, "model": name, "seed": seed} for dataset in datasets for name in names for seed in seeds
    ]
    return Grid(cells, partial(evaluate_model, AS_PRINTED), _file(path))


def records_frame(records: Path | Iterable[Record]) -> pd.DataFrame:
    """Records of Table 1 as a table, one row a data set, protocol, seed and classifier.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        dataset, protocol, seed, classifier, n_train, n_test, hits, accuracy (0 to 1), unsmoothed (accuracy with
        unsmoothed parameters), least_gain (least score of C2G less the branching's over the folds, nats), kept,
        dropped and added (edges), forests, folds, seconds (of all classifiers together).
    """
    rows = []
    for record in _stored(records):
        shared = {key: record[key] for key in ("dataset", "protocol", "seed", "n_train", "n_test", "folds", "seconds")}
        shared |= dict(zip(("kept", "dropped", "added"), record["edges"], strict=True))
        shared |= {"least_gain": min(record["gains"]), "forests": record["forests"]}
        for name, hits, raw in zip(CLASSIFIERS, record["hits"], record["hits_unsmoothed"], strict=True):
            n = record["n_test"]
            rows.append({**shared, "classifier": name, "hits": hits, "accuracy": hits / n, "unsmoothed": raw / n})
    return pd.DataFrame(rows)


def sweep_frame(records: Path | Iterable[Record]) -> pd.DataFrame:
    """Records of the sweep as a table, one row a data set and model.

    Returns
    -------
    DataFrame
        dataset, model, order, k, seed, train and test (accuracies, percent), score (nats), edges, seconds.
    """
    frame = pd.DataFrame(_stored(records))
    frame[["order", "k"]] = frame.model.str.split(" ", expand=True)
    frame["k"] = frame.k.astype(int)
    frame["train"] = 100 * frame.train_hits / frame.n_train
    frame["test"] = 100 * frame.test_hits / frame.n_test
    place = {name: number for number, name in enumerate(DATASETS)}
    ranked = {model.name: number for number, model in enumerate(SWEEP)}
    frame = frame.sort_values(
        ["dataset", "model", "seed"],
        key=lambda s: s if s.name == "seed" else s.map(place | ranked),
        kind="stable",
        ignore_index=True,
    )
    return frame[["dataset", "model", "order", "k", "seed", "train", "test", "score", "edges", "seconds"]]


def _stored(records: Path | Iterable[Record]) -> list[Record]:
    return RecordFile(records).load() if isinstance(records, str | os.PathLike) else list(records)


def _file(path: Path | None) -> RecordFile | None:
    return None if path is None else RecordFile(path)
