"""The grid of the hybrid learners, and its records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from bnlab.experiments.grid import Grid, Record, RecordFile
from bnlab.experiments.hybrid.cell import evaluate
from bnlab.experiments.hybrid.protocol import RESTRICTIONS, SCORES, SEARCHES
from bnlab.experiments.villanueva2012.protocol import NETWORKS, ROWS, VERSIONS

FilePath = str | os.PathLike[str]


def grid(
    path: FilePath | None = None,
    *,
    networks: Sequence[str] = NETWORKS,
    copies: int = 1,
    rows: Sequence[int] = ROWS,
    versions: Sequence[int] = VERSIONS,
    restrictions: Sequence[str] = RESTRICTIONS,
    searches: Sequence[str] = SEARCHES,
    scores: Sequence[str] = tuple(SCORES)[:1],
) -> Grid:
    """Searches within restrictions on the samples of the MMHC study, a `Search` that resumes from its file.

    Parameters
    ----------
    path : path-like, optional
        File of records (JSON lines); without one they live in memory.
    networks, copies, rows, versions
        As for `bnlab.experiments.villanueva2012.sample`.
    restrictions, searches, scores
        See `bnlab.experiments.hybrid.protocol`; by default the score is BDeu alone.

    Examples
    --------
    >>> len(grid().cells)
    900
    """
    cells = [
        {
            "network": network,
            "copies": copies,
            "rows": size,
            "version": version,
            "restriction": restriction,
            "search": search,
            "score": score,
        }
        for score in scores
        for search in searches
        for network in networks
        for size in rows
        for version in versions
        for restriction in restrictions
    ]
    return Grid(cells, evaluate, None if path is None else RecordFile(path))


def all_grids(folder: FilePath) -> Iterator[Grid]:
    """Grids whose records are stored: four networks under BDeu, hill climbing under BIC too, and Alarm times five.

    Chen's search, which takes longest, is run on 5,000 rows alone, and on one sample of the large network.
    """
    base, large = Path(folder) / "base.jsonl", Path(folder) / "large.jsonl"
    yield grid(base, searches=["hill-climbing", "k2"])
    yield grid(base, searches=["hill-climbing"], scores=["bic"])
    yield grid(base, searches=["chen"], rows=[5000])
    yield grid(large, networks=["Alarm"], copies=5, rows=[5000], searches=["hill-climbing", "k2"])
    yield grid(large, networks=["Alarm"], copies=5, rows=[5000], searches=["chen"], versions=[1])


def records_frame(records: FilePath | Iterable[Record]) -> pd.DataFrame:
    """Records as a table, one row a cell.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        What `grid` says of a cell and its results, and: sn and sp of the graph learned (Sp = TP / (TP + FP), elsewhere
        "precision"), gap (its score less that of the true graph, nats a row), seconds (super-structure and search).
    """
    stored = RecordFile(records).load() if isinstance(records, str | os.PathLike) else list(records)
    frame = pd.DataFrame(stored)
    frame["sn"] = frame.tp / (frame.tp + frame.fn)
    frame["sp"] = frame.tp / (frame.tp + frame.fp)
    frame["gap"] = (frame.learned_score - frame.true_score) / frame.rows
    frame["seconds"] = frame.skeleton_seconds + frame.search_seconds
    place = {name: i for names in (SCORES, SEARCHES, NETWORKS, RESTRICTIONS) for i, name in enumerate(names)}
    return frame.sort_values(
        ["score", "search", "network", "copies", "rows", "version", "restriction"],
        key=lambda column: column.map(place) if column.iloc[0] in place else column,
        ignore_index=True,
    )
