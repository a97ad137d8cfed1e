"""The tasks: what is timed, when two results agree, and what the memory alone would allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.contenders import Contender, Counts, Trial
from benchmarks.workload import Workload
from bnlab.counts.family import Family

Bytes = Callable[[Workload], int]


@dataclass(frozen=True)
class Task:
    """One row of the table.

    Attributes
    ----------
    group : str
        Tasks of a group share a process.
    title : str
    method : str
        The contenders' method; one that lacks it cannot do the task.
    difference : callable
        How far a result is from bnlab's; both in the form of `Trial.read`.
    tolerance : float
        Greatest difference at which a time counts.
    once, each : callable, optional
        Bytes of the coded columns that must be read: all of them once, and anew for each family.
    score : str, optional
        Argument of the method.
    """

    group: str
    title: str
    method: str
    difference: Callable[[Any, Any, Workload], float]
    tolerance: float
    once: Bytes | None = None
    each: Bytes | None = None
    score: str | None = None

    def trial(self, contender: Contender) -> Trial | None:
        """The task prepared by a contender, None when it cannot do it."""
        prepare = getattr(contender, self.method, None)
        if prepare is None:
            return None
        return prepare() if self.score is None else prepare(self.score)


def relative(value: Any, reference: Any, work: Workload) -> float:
    """Greatest relative difference; a contender may have done the first ones only."""
    mine = np.atleast_1d(np.asarray(value, dtype=float))
    theirs = np.atleast_1d(np.asarray(reference, dtype=float))[: len(mine)]
    return float(np.max(np.abs(mine - theirs) / np.maximum(np.abs(theirs), 1.0)))


def different_columns(value: Counts, reference: Counts, work: Workload) -> float:
    """Columns whose states occur other numbers of times."""
    return float(sum(value.get(name) != counts for name, counts in reference.items()))


def frequency_gap(value: Counts, reference: Counts, work: Workload) -> float:
    """Greatest gap between the frequencies of a state in two samples, in units of 1 / sqrt(rows)."""
    gaps = [0.0]
    for name, counts in reference.items():
        a, b = sorted(value[name], reverse=True), sorted(counts, reverse=True)
        size = max(len(a), len(b))
        gaps.append(max(abs(x - y) for x, y in zip(_padded(a, size), _padded(b, size), strict=True)))
    return max(gaps) / work.table.n_rows**0.5


def _padded(counts: list[int], size: int) -> list[int]:
    return counts + [0] * (size - len(counts))


def accuracy(labels: Any, work: Workload) -> float:
    """Share of the predicted rows whose class is right."""
    return float((labels.to_numpy() == work.test.loc[labels.index, work.target].to_numpy()).mean())


def accuracy_gap(value: Any, reference: Any, work: Workload) -> float:
    """How much the accuracies differ on the rows that a contender predicted."""
    return abs(accuracy(value, work) - accuracy(reference.loc[value.index], work))


def network_gap(value: Any, reference: Any, work: Workload) -> float:
    """Relative gap of the sums of squared parameters; infinite when the arcs differ."""
    if set(value[0]) != set(reference[0]):
        return float("inf")
    return abs(value[1] - reference[1]) / reference[1]


def _coded(work: Workload) -> int:
    return sum(work.table.column(name).nbytes for name in work.names)


def _of_families(families: Callable[[Workload], tuple[Family, ...]]) -> Bytes:
    def bytes_read(work: Workload) -> int:
        size = [work.table.column(name).nbytes for name in work.names]
        return sum(size[v] for child, parents in families(work) for v in (child, *parents))

    return bytes_read


def _of_pairs(work: Workload) -> int:
    return (len(work.names) - 1) * _coded(work)


TOLERANCE = 1e-6  # single precision, and approximate logarithms of the gamma function, pass
SHOWN = {"k2": "K2", "bdeu": "BDeu", "bic": "BIC"}


def all_tasks(work: Workload) -> list[Task]:
    """The tasks in the order of the table."""
    n, rows, target_rows = len(work.names), work.table.n_rows, len(work.test)
    shape = f"{rows:,} x {n}"
    pairs = f"all {n * (n - 1) // 2} pairs"
    local = _of_families(lambda w: w.families)
    network = _of_families(lambda w: w.structure)
    return [
        Task("load", f"DataFrame of categoricals, {shape}, to a table", "load", different_columns, 0.0, _coded),
        Task("load", f"DataFrame of text, {shape}, to a table", "load_strings", different_columns, 0.0),
        Task("pairs", f"mutual information of {pairs}", "mutual_information", relative, TOLERANCE, _coded, _of_pairs),
        Task("pairs", "Chow-Liu tree", "chow_liu", relative, TOLERANCE, _coded, _of_pairs),
        *(
            Task(
                "local",
                f"{len(work.families):,} local scores, {SHOWN[score]}",
                "local_scores",
                relative,
                TOLERANCE,
                _coded,
                local,
                score,
            )
            for score in SHOWN
        ),
        *(
            Task(
                "network",
                f"score of the true network, {SHOWN[score]}",
                "network_score",
                relative,
                TOLERANCE,
                _coded,
                network,
                score,
            )
            for score in SHOWN
        ),
        Task("tan", f"TAN fit, {len(work.train):,} rows", "tan_fit", relative, TOLERANCE),
        Task("tan", f"TAN prediction, {target_rows:,} rows", "tan_predict", accuracy_gap, 0.02),
        Task("sample", f"sampling {rows:,} rows", "sample", frequency_gap, 3.0, _coded),
        Task("bif", f"reading {work.bif.name}", "read_bif", network_gap, TOLERANCE),
    ]
