"""The tasks: what is timed, when two results agree, and what the memory alone would allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks import agreement
from benchmarks.contenders import Contender, Trial
from benchmarks.workload import Workload
from bnlab.counts.types import Family

Bytes = Callable[[Workload], int]
View = Callable[[Workload], Workload]

TOLERANCE = 1e-6  # single precision, and approximate logarithms of the gamma function, pass
OPTIMUM = 5e-3
SKELETON = 0.15
SHOWN = {"k2": "K2", "bdeu": "BDeu", "bic": "BIC"}
CLASSIFIERS = {"nb": "naive Bayes", "tan": "TAN", "c2g": "C2G"}
OVER_TIME = {"tdbn": "tDBN", "cdbn": "cDBN", "bcdbn": "bcDBN"}
SKELETONS = {"opthpc": "OptHPC", "hpc": "HPC", "mmpc": "MMPC", "getpc": "GetPC", "heupc": "HeuPC (a PC)"}


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
    option : optional
        Argument of the method: a score, a kind of classifier, a number of parents.
    on : callable
        The data of the task.
    """

    group: str
    title: str
    method: str
    difference: Callable[[Any, Any, Workload], float]
    tolerance: float
    once: Bytes | None = None
    each: Bytes | None = None
    option: str | int | None = None
    on: View = lambda work: work

    def trial(self, contender: Contender) -> Trial | None:
        """The task prepared by a contender, None when it cannot do it."""
        prepare = getattr(contender, self.method, None)
        if prepare is None:
            return None
        trial: Trial | None = prepare() if self.option is None else prepare(self.option)
        return trial


def all_tasks(work: Workload) -> list[Task]:
    """The tasks in the order of the table."""
    return [
        *_loading(work),
        *_pairs(work),
        *_local_scores(work),
        *_network_scores(),
        *_classification(work),
        *_climbs(work),
        *_consistent_graphs(work),
        *_over_time(work),
        *_skeletons(work),
        Task("sample", f"sampling {work.table.n_rows:,} rows", "sample", agreement.frequency_gap, 3.0, _coded),
        Task("bif", f"reading {work.bif.name}", "read_bif", agreement.network_gap, TOLERANCE),
    ]


def _loading(work: Workload) -> list[Task]:
    shape = f"{work.table.n_rows:,} x {len(work.names)}"
    same = agreement.different_columns
    return [
        Task("load", f"DataFrame of categoricals, {shape}, to a table", "load", same, 0.0, _coded),
        Task("load", f"DataFrame of text, {shape}, to a table", "load_strings", same, 0.0),
    ]


def _pairs(work: Workload) -> list[Task]:
    n, close = len(work.names), agreement.relative
    weights = f"mutual information of all {n * (n - 1) // 2} pairs"
    return [
        Task("pairs", weights, "mutual_information", close, TOLERANCE, _coded, _of_pairs),
        Task("pairs", "Chow-Liu tree", "chow_liu", close, TOLERANCE, _coded, _of_pairs),
    ]


def _local_scores(work: Workload) -> list[Task]:
    def task(score: str, title: str, on: View = lambda work: work) -> Task:
        bytes_read = _coded, _of_families(lambda w: w.families)
        return Task(
            "local", title, "local_scores", agreement.relative, TOLERANCE, *bytes_read, option=score, on=on
        )  # fmt: skip

    count = len(work.families)
    few, fewer = count // 10, count // 50
    n = len(work.names)
    most = min(5, n - 1)
    return [
        *(task(s, f"{count:,} local scores of 0 to 3 parents, {SHOWN[s]}") for s in SHOWN),
        task("bic", f"{few:,} local scores of 4 and {most} parents, BIC", lambda w: w.with_families((4, most), few)),
        task(
            "bic",
            f"{few:,} local scores of 0 to 3 parents, BIC, {_classified(work)}",
            lambda w: w.with_families((0, 1, 2, 3), few, letter=True),
        ),
        task(
            "bic",
            f"{fewer:,} local scores of 4 and {most} parents, BIC, {_classified(work)}",
            lambda w: w.with_families((4, most), fewer, letter=True),
        ),
    ]


def _classified(work: Workload) -> str:
    arities = [len(column.cat.categories) for _, column in work.train.items()]
    return f"{len(work.train) + len(work.test):,} rows of {min(arities)} to {max(arities)} states"


def _network_scores() -> list[Task]:
    bytes_read = _coded, _of_families(lambda w: w.structure)
    return [
        Task(
            "network",
            f"score of the true network, {SHOWN[score]}",
            "network_score",
            agreement.relative,
            TOLERANCE,
            *bytes_read,
            option=score,
        )
        for score in SHOWN
    ]


def _classification(work: Workload) -> list[Task]:
    def tasks(kind: str, name: str) -> list[Task]:
        fit = f"{name} fit, {len(work.train):,} rows"
        predict = f"{name} prediction, {len(work.test):,} rows"
        return [
            Task("classify", fit, "fit", agreement.relative, TOLERANCE, option=kind),
            Task("classify", predict, "predict", agreement.wrong_labels, 0.0, option=kind),
        ]

    return [task for kind, name in CLASSIFIERS.items() for task in tasks(kind, name)]


def _climbs(work: Workload) -> list[Task]:
    def task(rows: int, score: str) -> Task:
        title = f"hill climbing, {SHOWN[score]}, {rows:,} rows"
        group = "climb" if rows < work.sizes[2] else "climb-large"
        return Task(
            group, title, "climb", agreement.shortfall, OPTIMUM, _coded, option=score, on=lambda w: w.with_rows(rows)
        )

    return [task(rows, score) for rows in work.sizes for score in ("bic", "bdeu", "k2")]


def _consistent_graphs(work: Workload) -> list[Task]:
    return [
        Task("ckg", f"consistent k-graph, k = {k}, BIC", "ckg", agreement.relative, TOLERANCE, _coded, option=k)
        for k in (2, 3)
    ]


def _over_time(work: Workload) -> list[Task]:
    def task(algorithm: str, name: str) -> Task:
        title = f"{name}, BIC, {work.table.n_rows // 200:,} units, 10 times, 10 variables"
        return Task("dynamic", title, "dynamic", agreement.relative, TOLERANCE, option=algorithm)

    return [task(*item) for item in OVER_TIME.items()]


def _skeletons(work: Workload) -> list[Task]:
    rows = work.sizes[0]
    small: View = lambda w: w.with_rows(rows)  # noqa: E731
    tests = "G2 tests given 0 to 3 variables"
    return [
        Task(
            "skeleton", f"{len(small(work).triples):,} {tests}, {rows:,} rows", "independence_tests",
            agreement.relative, TOLERANCE, on=small,
        ),
        *(
            Task(
                "skeleton", f"skeleton, {name}, {rows:,} rows", "skeleton",
                agreement.worse_skeleton, SKELETON, _coded, option=algorithm, on=small,
            )
            for algorithm, name in SKELETONS.items()
        ),
    ]  # fmt: skip


def _coded(work: Workload) -> int:
    return sum(work.table.column(name).nbytes for name in work.names)


def _of_families(families: Callable[[Workload], tuple[Family, ...]]) -> Bytes:
    def bytes_read(work: Workload) -> int:
        size = [work.table.column(name).nbytes for name in work.names]
        return sum(size[v] for child, parents in families(work) for v in (child, *parents))

    return bytes_read


def _of_pairs(work: Workload) -> int:
    return (len(work.names) - 1) * _coded(work)
