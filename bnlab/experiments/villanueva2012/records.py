"""The grids of Figures 1 and 2 and of the orders of columns, and their records as tables."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pandas as pd

from bnlab.experiments.grid import Cell, Design, Record, StoredCells
from bnlab.experiments.records import stored_records
from bnlab.experiments.villanueva2012.cell import evaluate, evaluate_order
from bnlab.experiments.villanueva2012.protocol import (
    ALGORITHMS,
    AS_PRINTED,
    NETWORKS,
    READINGS,
    ROWS,
    STUDY,
    VERSIONS,
    origin_of,
)


def _complete(cell: Cell) -> Cell | None:
    """Cell with its origin; None for an algorithm that the reading does not concern: it is not run again for it."""
    if not READINGS[cell["reading"]].concerns(cell["algorithm"]):
        return None
    return {**cell, "origin": cell["origin"] or origin_of(cell["network"], cell["copies"])}


DESIGN = Design(
    evaluate,
    {
        "network": NETWORKS,
        "copies": (1,),
        "origin": (None,),
        "rows": ROWS,
        "version": VERSIONS,
        "reading": (AS_PRINTED.name,),
        "algorithm": ALGORITHMS,
    },
    _complete,
)
"""Algorithms on samples under readings; see `bnlab.experiments.villanueva2012.protocol`, and `sample` for origins.

Examples
--------
>>> len(DESIGN.cells()), len(DESIGN.cells(reading=["order 0 first"]))  # the second is one for OptHPC alone
(300, 60)
"""

ORDER_DESIGN = Design(
    evaluate_order,
    {
        "network": NETWORKS,
        "rows": ROWS,
        "version": VERSIONS,
        "reading": (AS_PRINTED.name, "order 0 first"),
        "algorithm": ("opthpc", "hpc"),
        "order": range(1, 11),
    },
    lambda cell: cell if READINGS[cell["reading"]].concerns(cell["algorithm"]) else None,
)
"""Random orders of the columns, by their seeds."""

_TILED = {"reading": [AS_PRINTED.name, "order 0 first", "symmetry"]}

STORED = (
    StoredCells("base", DESIGN),
    StoredCells("base", DESIGN, {"reading": [name for name in READINGS if name != AS_PRINTED.name]}),
    StoredCells("orders", ORDER_DESIGN),
    StoredCells("tilings", DESIGN, {"copies": [3, 5], **_TILED}),
    StoredCells("tilings", DESIGN, {"copies": [10], "version": [1], **_TILED}),
    StoredCells(
        "tilings",
        DESIGN,
        {"network": ["Child"], "copies": [10], "origin": [STUDY], "rows": [5000], "version": [4], **_TILED},
    ),
)
grid, order_grid = DESIGN.grid, ORDER_DESIGN.grid


def records_frame(*records: str | os.PathLike[str] | Iterable[Record]) -> pd.DataFrame:
    """Records as a table, one row a cell.

    Parameters
    ----------
    *records : path-like or iterable of dict
        Files of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        The cell and its results (see `evaluate`), and sn = TP / (TP + FN) and sp = TP / (TP + FP), as the paper
        defines them: its "specificity" is precision. The origin is where the rows really came from.
    """
    frame = pd.DataFrame([record for part in records for record in stored_records(part)])
    if "drawn_from" in frame:
        frame["origin"] = frame.pop("drawn_from").fillna(frame.origin)
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
