"""The grid of the hybrid learners, and its records as a table."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pandas as pd

from bnlab.experiments.grid import Design, Record, StoredCells
from bnlab.experiments.hybrid.cell import evaluate
from bnlab.experiments.hybrid.protocol import RESTRICTIONS, SCORES, SEARCHES
from bnlab.experiments.records import stored_records
from bnlab.experiments.villanueva2012.protocol import NETWORKS, ROWS, VERSIONS

DESIGN = Design(
    evaluate,
    {
        "score": tuple(SCORES)[:1],
        "search": SEARCHES,
        "network": NETWORKS,
        "copies": (1,),
        "rows": ROWS,
        "version": VERSIONS,
        "restriction": RESTRICTIONS,
    },
)
"""Searches within restrictions on the samples of the MMHC study, under BDeu.

Examples
--------
>>> len(DESIGN.cells())
900
"""

_LARGE = {"network": ["Alarm"], "copies": [5], "rows": [5000]}

STORED = (
    StoredCells("base", DESIGN, {"search": ["hill-climbing", "k2"]}),
    StoredCells("base", DESIGN, {"search": ["hill-climbing"], "score": ["bic"]}),
    StoredCells("base", DESIGN, {"search": ["chen"], "rows": [5000]}),
    StoredCells("large", DESIGN, {"search": ["hill-climbing", "k2"], **_LARGE}),
    StoredCells("large", DESIGN, {"search": ["chen"], "version": [1], **_LARGE}),
)
"""Four networks under BDeu, hill climbing under BIC too, and Alarm times five.

Chen's search, which takes longest, is run on 5,000 rows alone, and on one sample of the large network.
"""

grid = DESIGN.grid


def records_frame(records: str | os.PathLike[str] | Iterable[Record]) -> pd.DataFrame:
    """Records as a table, one row a cell.

    Parameters
    ----------
    records : path-like or iterable of dict
        A file of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        The cell and its results (see `evaluate`), and: sn and sp of the graph learned (Sp = TP / (TP + FP), elsewhere
        "precision"), gap (its score less that of the true graph, nats a row), seconds (super-structure and search).
    """
    frame = pd.DataFrame(stored_records(records))
    frame["sn"] = frame.tp / (frame.tp + frame.fn)
    frame["sp"] = frame.tp / (frame.tp + frame.fp)
    frame["gap"] = (frame.learned_score - frame.true_score) / frame.rows
    frame["seconds"] = frame.skeleton_seconds + frame.search_seconds
    place = {name: i for names in (SCORES, SEARCHES, NETWORKS, RESTRICTIONS) for i, name in enumerate(names)}
    return frame.sort_values(
        list(DESIGN.axes),
        key=lambda column: column.map(place) if column.iloc[0] in place else column,
        ignore_index=True,
    )
