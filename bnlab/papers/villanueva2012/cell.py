"""Cells (an algorithm on a sample under a reading), their designs, and their records as tables."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd

from bnlab.citests.g2_tester import G2Tester
from bnlab.counts.memory import MemorySource
from bnlab.data.table import Table
from bnlab.graphs.comparison import compare
from bnlab.graphs.dag import Dag
from bnlab.papers.base.grid import Cell, Design, StoredCells
from bnlab.papers.base.processes import in_own_process, peak_megabytes
from bnlab.papers.base.records import StoredRecords, stored_records
from bnlab.papers.villanueva2012.protocol import (
    ALGORITHMS,
    AS_PRINTED,
    NETWORKS,
    READINGS,
    ROWS,
    STUDY,
    VERSIONS,
    Sample,
    origin_of,
    sample,
)
from bnlab.search import run
from bnlab.skeletons import SuperStructure, make_search

ALONE = 10
"""Tilings with at least this many copies have their own process, so that its peak memory is theirs."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with network, copies, origin, rows, version, algorithm and reading

    Returns
    -------
    dict
        drawn_from (origin of the rows: "own" if those of the study are not available), variables, edges (of the true
        graph), tp, fp, fn (edges of the skeleton), nsc, nsc_memoised and not_performed (see `SuperStructure`), seconds
        and cpu (elapsed and processor time of the search alone, in which only tests of order 0 are cached) and peak_mb
        (of the process; only if the cell has its own).
    """
    return in_own_process(_evaluate, cell) if cell["copies"] >= ALONE else _evaluate(cell)


def _evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    known = sample(cell["network"], cell["rows"], cell["version"], cell["copies"], cell["origin"])
    graph, seconds, cpu = timed(known.table, cell["algorithm"], cell["reading"])
    return {
        "variables": len(known.dag),
        "edges": len(known.dag.edges),
        **_against_truth(graph, known),
        "nsc_memoised": graph.nsc_memoised,
        "seconds": round(seconds, 4),
        "cpu": round(cpu, 4),
        "peak_mb": peak_megabytes() if cell["copies"] >= ALONE else None,
    }


def _against_truth(graph: SuperStructure, known: Sample) -> dict[str, Any]:
    found = compare(graph.to_pdag(), known.dag)
    counts = {"tp": found.tp, "fp": found.fp, "fn": found.fn}
    return {"drawn_from": known.origin, **counts, "nsc": graph.nsc, "not_performed": graph.not_performed}


def timed(table: Table, algorithm: str, reading: str) -> tuple[SuperStructure, float, float]:
    """Super-structure, elapsed seconds, and seconds of processor time, on one thread and without compilation."""
    chosen = READINGS[reading]
    source = MemorySource(table, threads=1)
    compiled = G2Tester(source, df=chosen.df, memo=0)
    compiled.strength(0, 1, ())
    compiled.strength(0, 1, (2,))
    tester = G2Tester(source, df=chosen.df, memo=0)
    search = make_search(tester, algorithm, **chosen.options_of(algorithm, table.n_rows))
    start, cpu = perf_counter(), process_time()
    graph = run(search)
    return graph, perf_counter() - start, process_time() - cpu


def evaluate_order(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell of the grid over orders of the columns.

    Parameters
    ----------
    cell : mapping with network, rows, version, algorithm, reading and order (a seed; 0 does not change the order)

    Returns
    -------
    dict
        drawn_from (see `evaluate`), tp, fp, fn, nsc, not_performed, added (edges that the original order does not give)
        and lost (edges that only the original order gives).
    """
    known = sample(cell["network"], cell["rows"], cell["version"])
    straight, _, _ = timed(known.table, cell["algorithm"], cell["reading"])
    names = permuted(known.dag, cell["order"])
    graph, _, _ = timed(known.table.select(names), cell["algorithm"], cell["reading"])
    before, after = ({frozenset(edge) for edge in found.edges} for found in (straight, graph))
    return {**_against_truth(graph, known), "added": len(after - before), "lost": len(before - after)}


def permuted(dag: Dag, order: int) -> list[str]:
    """Names of the variables in a random order; 0 is the original order."""
    if order == 0:
        return list(dag.names)
    return [dag.names[i] for i in np.random.default_rng(order).permutation(len(dag))]


def _complete(cell: Cell) -> Cell | None:
    """Add the origin to a cell; None if the reading does not concern the algorithm, which is then not run again."""
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
"""Algorithms on samples under readings; see `bnlab.papers.villanueva2012.protocol`, and `sample` for origins.

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


def records_frame(*records: StoredRecords) -> pd.DataFrame:
    """Records as a table, one row per cell.

    Parameters
    ----------
    *records : path-like or iterable of dict
        Files of records, or the values of a grid's state.

    Returns
    -------
    DataFrame
        The cell and its results (see `evaluate`), and sn = TP / (TP + FN) and sp = TP / (TP + FP), as the paper
        defines them: its "specificity" is precision. The origin is the actual origin of the rows.
    """
    frame = pd.DataFrame([record for part in records for record in stored_records(part)])
    if "drawn_from" in frame:
        frame["origin"] = frame.pop("drawn_from").fillna(frame.origin)
    frame["sn"] = frame.tp / (frame.tp + frame.fn)
    # If no edge is found, none is wrong, as in `bnlab.compare`.
    frame["sp"] = (frame.tp / (frame.tp + frame.fp)).fillna(1.0)
    return frame


def under(records: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Records of all algorithms under a reading; for algorithms that it does not concern, those "as printed".

    Under a reading that counts all calls, nsc includes tests that were not performed.

    Raises
    ------
    ValueError
        If no record has the reading.
    """
    counts_all = reading in READINGS and READINGS[reading].counts_all
    if reading not in set(records.reading) and not counts_all:
        raise ValueError(f"no record has the reading {reading!r}: they have {', '.join(records.reading.unique())}.")
    own = records[records.reading == reading]
    others = records[(records.reading == AS_PRINTED.name) & ~records.algorithm.isin(own.algorithm)]
    chosen = pd.concat([own, others]).sort_index()
    return chosen.assign(nsc=chosen.nsc + chosen.not_performed) if counts_all else chosen
