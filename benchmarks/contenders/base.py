"""What a contender is: a package that prepares repetitions of the tasks it can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import combinations
from math import log
from typing import Any, ClassVar, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd

from benchmarks.workload import Edges, Workload

Counts = dict[str, list[int]]

PEERS_PC = ("opthpc", "heupc")  # beside these stands the PC of a package that has no learner of the same name


@dataclass(frozen=True)
class Trial:
    """One repetition, prepared.

    Attributes
    ----------
    run : callable
        The work that is timed.
    read : callable
        Turns the result into the form in which contenders are compared: nats, names, arrays.
    share : float
        Part of the task's work that `run` does; times are divided by it.
    note : str
        What a reader has to know about this contender's time.
    seconds : callable, optional
        Time that the result itself tells, where another program does the work.
    """

    run: Callable[[], Any]
    read: Callable[[Any], Any] = lambda result: result
    share: float = 1.0
    note: str = ""
    seconds: Callable[[Any], float] | None = None


class Predicted(NamedTuple):
    """Predicted classes, indexed like the rows, and the edges of the classifier that predicted them."""

    labels: pd.Series
    edges: Edges


class Joined(NamedTuple):
    """A skeleton: the pairs that it joins, and the number of tests performed, where the package tells."""

    pairs: frozenset[frozenset[str]]
    tests: int | None = None


class Contender:
    """A package; `package` is its name in an index and `title` the one shown."""

    package: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, work: Workload) -> None:
        self.work = work
        self.version = self.installed_version()

    @classmethod
    @cache
    def installed_version(cls) -> str:
        """Version that is installed; an error when none is."""
        return version(cls.package)

    def on(self, work: Workload) -> Contender:
        """The same package on other data."""
        return self if work is self.work else type(self)(work)


def nats(bits: Any) -> Any:
    """Values in bits, converted."""
    return np.asarray(bits) * log(2)


def observed(counts: Iterable[int]) -> list[int]:
    """Counts of the states that occur, ascending."""
    return sorted(count for count in counts if count)


def frame_counts(frame: pd.DataFrame) -> Counts:
    """Counts of each column's states."""
    return {name: observed(column.value_counts().tolist()) for name, column in frame.items()}


def upper_triangle(matrix: Any) -> Any:
    """Entries of a symmetric matrix, pair by pair."""
    return matrix[np.triu_indices(len(matrix), 1)]


def pairs_of(edges: Iterable[Iterable[str]]) -> frozenset[frozenset[str]]:
    """Edges without their directions."""
    return frozenset(frozenset(edge) for edge in edges)


def heaviest_tree(names: tuple[str, ...], weights: Iterable[float]) -> list[tuple[str, str]]:
    """Edges of the maximum spanning tree, by networkx."""
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (a, b, weight) for (a, b), weight in zip(combinations(names, 2), weights, strict=True)
    )
    return list(nx.maximum_spanning_edges(graph, data=False))


def attributes_and_class(frame: pd.DataFrame, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Columns of a classification problem."""
    return frame.drop(columns=target), frame[target]


def predicted(labels: Any, index: pd.Index, edges: Iterable[Iterable[str]]) -> Predicted:
    """Predictions in the form in which they are compared."""
    return Predicted(pd.Series(np.asarray(labels), index=index), tuple(sorted((u, v) for u, v in edges)))
