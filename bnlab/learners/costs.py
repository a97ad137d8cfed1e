"""Seconds and memory of a structure learner, estimated before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

from bnlab._runtime.budget import written_size
from bnlab._runtime.costs import FEW, extrapolated, short_sizes, written_time
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.names import known_name
from bnlab.counts.source import as_data
from bnlab.data.table import Table
from bnlab.learners.exact.dynamic_programming import bytes_needed
from bnlab.learners.exact.search import SUBSETS
from bnlab.learners.learn import make_search, options_on_first
from bnlab.learners.parent_sets import BYTES_A_SET
from bnlab.learners.recommend import recommended
from bnlab.learners.subsets import count_subsets
from bnlab.learners.table import LEARNERS
from bnlab.learners.types import LocalScoreFunction, ScoreSearch
from bnlab.scores import LocalScore
from bnlab.search import run

EXACT = "exact"
FAMILIES_GROWTH = 2.2
"""Power with which the number of scored families grows."""
SOME_EXACT = 10
"""Most variables of the second short run of an exact search."""
SHORT, REPEATS = 0.2, 6
"""Runs are repeated for so many seconds, and at most so often; the fastest one counts."""
BYTES_A_FAMILY, BYTES_A_PAIR = 160, 48
"""Memory of a cached score, and of what learners keep of two variables."""
PER_SUBSET = 2e-8
"""Seconds for a subset and one of its variables in dynamic programming."""


@dataclass(frozen=True)
class Estimate:
    """What a run of a learner takes, within a factor of about three.

    Attributes
    ----------
    algorithm : str
    seconds : float
    memory : float
        Bytes beyond those of the table.
    at_least : bool
        Whether the time is a lower bound, because the rest depends on the data.
    """

    algorithm: str
    seconds: float
    memory: float
    at_least: bool = False

    def __str__(self) -> str:
        """Both in words, rounded."""
        words = "at least " if self.at_least else "about " if self.seconds >= 1 else ""
        return f"{self.algorithm}: {words}{written_time(self.seconds)}, about {written_size(self.memory)} of memory"


class _Run(NamedTuple):
    """A short run: its variables, its seconds, and the families that it scored."""

    n: int
    seconds: float
    families: int


def estimate(
    data: Any, algorithm: str | None = None, *, score: str | LocalScore | None = None, **options: Any
) -> Estimate:
    """Estimate how long a learner takes, and how much memory, without running it on all variables.

    The learner runs on some of the variables, with all rows, which takes less than a second for most data. A power of
    the number of variables leads from there to all of them.

    Parameters
    ----------
    data : Table or DataFrame
    algorithm : str, optional
        As for `bnlab.learn`; by default the recommended one.
    score, **options
        As for `bnlab.learn`. Of those that name variables only `within` counts.

    Raises
    ------
    ValueError
        As for `bnlab.learn`.
    TypeError
        If the data are neither a Table nor a DataFrame.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("alarm").sample(1000, seed=0)
    >>> found = bnlab.estimate(data, "boss", restarts=10)
    >>> found.algorithm, 0 < found.seconds < 600
    ('boss', True)
    """
    with reraise_interrupts():
        table = as_data(data)
        if not isinstance(table, Table):
            raise TypeError(
                f"an estimate runs on some columns: give a Table or a DataFrame, not a {type(data).__name__}."
            )
        n = len(table.names)
        if algorithm is None:
            found = recommended(n, table.n_rows, score)
            algorithm, options = found.algorithm, {**found.options, **options}
        name = known_name(algorithm, LEARNERS, "algorithm")
        make_search(table, name, score=score, **options)  # refuses wrong options
        sizes = (FEW, SOME_EXACT) if name == EXACT else short_sizes(n)
        few, some = (
            _short_run(table, m, name, score, options_on_first(table, m, options)) for m in (min(m, n) for m in sizes)
        )
        memory = _memory(table, some.families * (n / some.n) ** FAMILIES_GROWTH)
        limit = options.get("time_limit")
        growth = LEARNERS[name].growth
        if growth is None:
            return _of_exact(n, some, options.get("max_parents", 3), limit, memory)
        seconds = extrapolated(few[:2], some[:2], n, growth)
        return Estimate(name, seconds if limit is None else min(seconds, limit), memory)


def _short_run(table: Table, n: int, name: str, score: str | LocalScore | None, options: Mapping[str, Any]) -> _Run:
    """Run a learner on the first variables; the first run, which may compile, does not count."""
    best, families, spent = inf, 0, 0.0
    for attempt in range(1 + REPEATS):
        part = table.select(table.names[:n])  # a new table, whose families are not cached
        search: Any = make_search(part, name, score=score, **options)
        misses = _misses(search)
        begun = perf_counter()
        run(search)
        seconds = perf_counter() - begun
        families = _misses(search) - misses
        if attempt:
            best, spent = min(best, seconds), spent + seconds
            if spent > SHORT:
                break
    return _Run(n, best, families)


def _misses(search: Any) -> int:
    phi = search.phi if isinstance(search, ScoreSearch) else None
    return phi.misses if isinstance(phi, LocalScoreFunction) else 0


def _of_exact(n: int, some: _Run, max_parents: int | None, limit: float | None, memory: float) -> Estimate:
    """Estimate of the exact search: all parent sets, and up to 20 variables all subsets."""
    k = n - 1 if max_parents is None else max_parents
    sets = n * count_subsets(n - 1, k)
    seconds = some.seconds * sets / (some.n * count_subsets(some.n - 1, k))
    memory += BYTES_A_SET * sets
    if n <= SUBSETS:
        return Estimate(EXACT, seconds + PER_SUBSET * n * 2**n, memory + bytes_needed(n))
    # How many programs are solved is known only afterwards.
    return Estimate(EXACT, seconds + (limit or 0.0), memory, at_least=limit is None)


def _memory(table: Table, families: float) -> float:
    """Bytes of the bitmaps of all states, the cached scores, and the matrices of a learner."""
    n = len(table.names)
    states = sum(len(variable.states) for variable in table.variables)
    return table.n_rows / 8 * states + BYTES_A_FAMILY * families + BYTES_A_PAIR * n * n
