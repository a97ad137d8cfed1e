"""The grids of Figures 1 and 2 and of the orders of columns, and their records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import pandas as pd

from bnlab.experiments.grid import Grid, Record, RecordFile
from bnlab.experiments.villanueva2012.cell import evaluate, evaluate_order
from bnlab.experiments.villanueva2012.protocol import ALGORITHMS, AS_PRINTED, NETWORKS, READINGS, ROWS, VERSIONS
from bnlab.experiments.villanueva2012.samples import origin_of

Path = str | os.PathLike[str]


def grid(
    path: Path | None = None,
    *,
    copies: Sequence[int] = (1,),
    networks: Sequence[str] = NETWORKS,
    rows: Sequence[int] = ROWS,
    versions: Sequence[int] = VERSIONS,
    algorithms: Sequence[str] = ALGORITHMS,
    readings: Sequence[str] = (AS_PRINTED.name,),
    origin: str | None = None,
) -> Grid:
    """Algorithms on samples under readings, a `Search` that resumes from its file.

    An algorithm that a reading does not concern is not run again for it.

    Parameters
    ----------
    path : path-like, optional
        File of records (JSON lines); without one they live in memory.
    copies, networks, rows, versions, algorithms, readings
        See `bnlab.experiments.villanueva2012.protocol`.
    origin : {"MMHC", "own"}, optional
        As for `sample`.

    Examples
    --------
    >>> len(grid().cells), len(grid(readings=["order 0 first"]).cells)  # the second is one for OptHPC alone
    (300, 60)
    """
    cells = [
        {
            "network": network,
            "copies": tiled,
            "origin": origin or origin_of(network, tiled),
            "rows": size,
            "version": version,
            "algorithm": algorithm,
            "reading": reading,
        }
        for tiled in copies
        for network in networks
        for size in rows
        for version in versions
        for reading in readings
        for algorithm in algorithms
        if READINGS[reading].concerns(algorithm)
    ]
    return Grid(cells, evaluate, _file(path))


def order_grid(
    path: Path | None = None,
    *,
    networks: Sequence[str] = NETWORKS,
    rows: Sequence[int] = ROWS,
    versions: Sequence[int] = VERSIONS,
    orders: Sequence[int] = range(1, 11),
    runs: Sequence[tuple[str, str]] = (("opthpc", "as printed"), ("opthpc", "order 0 first"), ("hpc", "as printed")),
) -> Grid:
    """Random orders of the columns.

    Parameters
    ----------
    path : path-like, optional
        As for `grid`.
    orders : sequence of int
        Seeds.
    runs : sequence of (algorithm, reading)
    """
    cells = [
        {
            "network": network,
            "rows": size,
            "version": version,
            "algorithm": algorithm,
            "reading": reading,
            "order": order,
        }
        for network in networks
        for size in rows
        for version in versions
        for algorithm, reading in runs
        for order in orders
    ]
    return Grid(cells, evaluate_order, _file(path))


def records_frame(*records: Path | Iterable[Record]) -> pd.DataFrame:
    """Records as a table, one row a cell.

    Parameters
    ----------
    *records : path-like or iterable of dict
        Files of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        The cell and its results (see `evaluate`), and sn = TP / (TP + FN) and sp = TP / (TP + FP), as the paper
        defines them: its "specificity" is precision.
    """
    frame = pd.DataFrame([record for part in records for record in _stored(part)])
    frame["sn"] = frame.tp / (frame.tp + frame.fn)
    # No edge found is no edge wrong, as in `bnlab.compare`.
    frame["sp"] = (frame.tp / (frame.tp + frame.fp)).fillna(1.0)
    return frame


def under(records: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Records of all algorithms under a reading: as printed for those that it does not concern.

    Raises
    ------
    ValueError
        If no record has the reading.
    """
    if reading not in set(records.reading):
        raise ValueError(f"no record has the reading {reading!r}: they have {', '.join(records.reading.unique())}.")
    own = records[records.reading == reading]
    others = records[(records.reading == AS_PRINTED.name) & ~records.algorithm.isin(own.algorithm)]
    return pd.concat([own, others]).sort_index()


def _stored(records: Path | Iterable[Record]) -> list[Record]:
    return RecordFile(records).load() if isinstance(records, str | os.PathLike) else list(records)


def _file(path: Path | None) -> RecordFile | None:
    return None if path is None else RecordFile(path)
