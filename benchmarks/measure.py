"""Timing: contenders take turns, and a time counts only beside a result that agrees.

On one core times are CPU seconds of the process, those of a clock on the wall less what other programs take; on several
they are those of a clock on the wall.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.agreement import shortfall, shown
from benchmarks.contenders import CONTENDERS, Bnlab, Contender, Trial
from benchmarks.tasks import Task
from benchmarks.workload import Workload

ROUNDS = 5
TURN = 3  # repetitions that a contender makes in a row, so that a short task is not all waking up of caches
PATIENCE = 2.0  # seconds on the wall that a contender may spend on a task before it sits out the rest
LIBRARIES = ("OMP", "MKL", "OPENBLAS", "NUMBA", "ARROW")
BANDWIDTH_BYTES = 1 << 30

Record = dict[str, Any]


def threads(cores: int) -> dict[str, str]:
    """Environment in which libraries use as many threads."""
    return dict.fromkeys((f"{library}_NUM_THREADS" for library in LIBRARIES), str(cores))


def use_cores(cores: int) -> None:
    """Keep this process on so many cores, where the system allows to say so."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-cores:])


def clock(work: Workload) -> Callable[[], float]:
    """What tells the time."""
    return process_time if work.cores == 1 else perf_counter


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

    The first, untimed repetition warms up and gives the result that is compared with bnlab's; for a contender that
    takes longer than `PATIENCE` it is the measurement. bnlab has one more before it, in which it compiles.
    """
    work = task.on(work)
    entrants = [contender.on(work) for contender in entrants]
    records: dict[str, Record] = {}
    spent: dict[str, float] = {}
    reference: Any = None
    for contender in entrants:
        try:
            record, value = _first(task, contender, work)
            if record is None:
                continue
            if isinstance(contender, Bnlab):
                reference = value
            record |= _judged(task, value, reference, work)
        except Exception as error:
            records[contender.title] = {"failed": f"{type(error).__name__}: {error}"}
            continue
        records[contender.title] = record
        spent[contender.title] = record.pop("spent")
    for number in range(rounds):
        for contender in _rotated(entrants, number):
            name = contender.title
            gc.collect()
            for _ in range(TURN):
                if spent.get(name, PATIENCE) < PATIENCE:
                    seconds, all_of_it = _repetition(task, contender, clock(work))
                    records[name]["seconds"].append(seconds)
                    spent[name] += all_of_it
    for record in records.values():
        if "first" in record:
            record["seconds"] = record["seconds"] or [record["first"]]
            record["median"] = median(record["seconds"])
    return {
        "group": task.group,
        "task": task.title,
        "tolerance": task.tolerance,
        "bytes_once": task.once and task.once(work),
        "bytes_each": task.each and task.each(work),
        "contenders": records,
    }


def _judged(task: Task, value: Any, reference: Any, work: Workload) -> Record:
    """How far a result is from bnlab's, and what a reader wants to see of it."""
    difference = task.difference(value, reference, work)
    record = {"difference": difference, "agrees": difference <= task.tolerance, **shown(value, work)}
    if task.difference is shortfall:
        record["advantage"] = (value - reference) / abs(reference)
    return record


def _first(task: Task, contender: Contender, work: Workload) -> tuple[Record | None, Any]:
    if isinstance(contender, Bnlab):
        _repetition(task, contender, clock(work))  # what it compiles is not to be taken for patience spent
    begin = perf_counter()
    trial = task.trial(contender)
    if trial is None:
        return None, None
    seconds, result = _timed(trial, clock(work))
    spent = perf_counter() - begin
    record = {"first": seconds, "seconds": [], "share": trial.share, "note": trial.note, "spent": spent}
    return record, trial.read(result)


def _repetition(task: Task, contender: Contender, now: Callable[[], float]) -> tuple[float, float]:
    """Seconds of the timed part, and seconds on the wall of everything."""
    begin = perf_counter()
    trial = task.trial(contender)
    assert trial is not None
    seconds, result = _timed(trial, now)
    del result
    return seconds, perf_counter() - begin


def _timed(trial: Trial, now: Callable[[], float]) -> tuple[float, Any]:
    with _no_collector():
        start = now()
        result = trial.run()
        seconds = now() - start
    if trial.seconds is not None:
        seconds = trial.seconds(result)
    return seconds / trial.share, result


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
