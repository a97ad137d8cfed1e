"""One cell of the grids: an algorithm on a sample under a reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from bnlab.citests.g2_tester import G2Tester
from bnlab.counts.memory import MemorySource
from bnlab.data.table import Table
from bnlab.experiments.processes import Processes
from bnlab.experiments.villanueva2012.protocol import READINGS, Sample, sample
from bnlab.graphs.comparison import compare
from bnlab.graphs.dag import Dag
from bnlab.search import run
from bnlab.skeletons import SuperStructure, make_search

ALONE = 10
"""Tilings of so many copies have a process of their own, so that its peak memory is theirs."""


def evaluate(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    cell : mapping with network, copies, origin, rows, version, algorithm and reading

    Returns
    -------
    dict
        drawn_from (origin of the rows: "own" where the study's are not at hand), variables, edges (of the true graph),
        tp, fp, fn (edges of the skeleton), nsc, nsc_memoised and not_performed (see `SuperStructure`), seconds, cpu
        (seconds of processor time of the search alone, no test remembered but those of pairs given nothing) and
        peak_mb (of the process; only where it has one of its own).
    """
    return _in_own_process(_evaluate, cell) if cell["copies"] >= ALONE else _evaluate(cell)


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
    """Super-structure, seconds, and seconds of processor time, on one thread, when the code is compiled."""
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
    cell : mapping with network, rows, version, algorithm, reading and order (a seed; 0 leaves the order as it is)

    Returns
    -------
    dict
        drawn_from (see `evaluate`), tp, fp, fn, nsc, not_performed, and added and lost: edges that the original order
        does not give, and those that only it gives.
    """
    known = sample(cell["network"], cell["rows"], cell["version"])
    straight, _, _ = timed(known.table, cell["algorithm"], cell["reading"])
    names = permuted(known.dag, cell["order"])
    graph, _, _ = timed(known.table.select(names), cell["algorithm"], cell["reading"])
    before, after = ({frozenset(edge) for edge in found.edges} for found in (straight, graph))
    return {**_against_truth(graph, known), "added": len(after - before), "lost": len(before - after)}


def permuted(dag: Dag, order: int) -> list[str]:
    """Names of the variables in a random order; 0 leaves them as they are."""
    if order == 0:
        return list(dag.names)
    return [dag.names[i] for i in np.random.default_rng(order).permutation(len(dag))]


def _in_own_process(task: Callable[[Mapping[str, Any]], dict[str, Any]], cell: Mapping[str, Any]) -> dict[str, Any]:
    with Processes(1) as pool:
        return pool.submit(task, dict(cell)).result()


def peak_megabytes() -> float | None:
    """Greatest resident memory of this process so far; None where the system does not report it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return round(int(line.split()[1]) / 1024, 1)
