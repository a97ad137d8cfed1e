"""Timing: contenders take turns on one core, and a time counts only beside a result that agrees.

Times are CPU seconds of the process: on one core those of a clock on the wall, less what other programs take.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks.contenders import CONTENDERS, Bnlab, Contender
from benchmarks.tasks import Task, accuracy
from benchmarks.workload import Workload

ROUNDS = 5
TURN = 3  # repetitions that a contender makes in a row, so that a short task is not all waking up of caches
PATIENCE = 5.0  # seconds that a contender may spend on a task before it sits out the rest
LIBRARIES = ("OMP", "MKL", "OPENBLAS", "NUMBA", "ARROW")
ONE_THREAD = dict.fromkeys((f"{library}_NUM_THREADS" for library in LIBRARIES), "1")
BANDWIDTH_BYTES = 1 << 30

Record = dict[str, Any]


def use_one_core() -> None:
    """Keep this process on one core, where the system allows to say so."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def contenders(work: Workload, packages: set[str]) -> tuple[list[Contender], dict[str, str]]:
    """The contenders that can be imported, and why the others cannot."""
    ready: list[Contender] = []
    missing: dict[str, str] = {}
    for kind in CONTENDERS:
        if kind is Bnlab or kind.package in packages:
            try:
                ready.append(kind(work))
            except Exception as error:  # a peer may fail in any way, and the others go on
                missing[kind.title] = f"{type(error).__name__}: {error}"
    return ready, missing


def measure(task: Task, entrants: list[Contender], work: Workload, rounds: int = ROUNDS) -> Record:
    """Time one task.

    The first, untimed repetition warms up, compiles and gives the result that is compared with bnlab's; for a
    contender that takes longer than `PATIENCE` it is the measurement.
    """
    records: dict[str, Record] = {}
    spent: dict[str, float] = {}
    reference: Any = None
    for contender in entrants:
        try:
            record, value = _first(task, contender, work)
        except Exception as error:
            records[contender.title] = {"failed": f"{type(error).__name__}: {error}"}
            continue
        if record is None:
            continue
        if isinstance(contender, Bnlab):
            reference = value
        record["difference"] = difference = task.difference(value, reference, work)
        record["agrees"] = difference <= task.tolerance
        records[contender.title] = record
        spent[contender.title] = record.pop("spent")
    for number in range(rounds):
        for contender in _rotated(entrants, number):
            name = contender.title
            gc.collect()
            for _ in range(TURN):
                if spent.get(name, PATIENCE) < PATIENCE:
                    seconds, all_of_it = _repetition(task, contender)
                    records[name]["seconds"].append(seconds)
                    spent[name] += all_of_it
    for record in records.values():
        if "first" in record:
            record["seconds"] = record["seconds"] or [record["first"]]
            record["median"] = median(record["seconds"])
    return {
        "task": task.title,
        "tolerance": task.tolerance,
        "bytes_once": task.once and task.once(work),
        "bytes_each": task.each and task.each(work),
        "contenders": records,
    }


def _first(task: Task, contender: Contender, work: Workload) -> tuple[Record | None, Any]:
    begin = process_time()
    trial = task.trial(contender)
    if trial is None:
        return None, None
    with _no_collector():
        start = process_time()
        result = trial.run()
        seconds = (process_time() - start) / trial.share
    spent = process_time() - begin
    value = trial.read(result)
    record = {"first": seconds, "seconds": [], "share": trial.share, "note": trial.note, "spent": spent}
    if task.method == "tan_predict":
        record["accuracy"] = accuracy(value, work)
    return record, value


def _repetition(task: Task, contender: Contender) -> tuple[float, float]:
    """Seconds of the timed part, and of everything."""
    begin = process_time()
    trial = task.trial(contender)
    assert trial is not None
    with _no_collector():
        start = process_time()
        result = trial.run()
        seconds = process_time() - start
    del result
    return seconds / trial.share, process_time() - begin


@contextmanager
def _no_collector() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _rotated(entrants: list[Contender], turn: int) -> list[Contender]:
    """Everyone follows everyone else equally often."""
    k = turn % len(entrants)
    return entrants[k:] + entrants[:k]


def bandwidth(size: int = BANDWIDTH_BYTES) -> float:
    """Bytes a second that one core reads from memory: the best of several sums over an array beyond the caches."""
    array = np.ones(size // 8, dtype=np.uint64)
    seconds = []
    for _ in range(5):
        start = process_time()
        array.sum()
        seconds.append(process_time() - start)
    return array.nbytes / min(seconds)


def finite(value: Any) -> Any:
    """A record without nan and infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value
