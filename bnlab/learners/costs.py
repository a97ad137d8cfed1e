"""Seconds and memory of a structure learner, estimated before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnlab._runtime.costs import BYTES_A_ROW, Estimate
from bnlab._runtime.names import known_name
from bnlab.data.table import Table
from bnlab.learners.exact.dynamic_programming import bytes_needed
from bnlab.learners.learn import is_bound, make_search, short_run
from bnlab.learners.parent_sets import BYTES_A_SET
from bnlab.learners.recommend import recommended
from bnlab.learners.subsets import all_sets
from bnlab.learners.table import COMPLETION, GAP_LEARNERS, LEARNERS
from bnlab.scores import LocalScore
from bnlab.scores.phi import MAX_ENTRIES

EXACT = "exact"
FAMILIES_GROWTH = 2.2
"""Power with which the number of scored families grows."""
BYTES_A_FAMILY, BYTES_A_PAIR = 160, 32
"""Memory of a cached score, of which there are at most `MAX_ENTRIES`, and of what learners keep of two variables."""


def learner_estimate(
    table: Table,
    algorithm: str | None,
    score: str | LocalScore | None,
    options: Mapping[str, Any],
    enough: float = 0.0,
) -> Estimate:
    """Estimate of `bnlab.analysis.estimate` for a structure learner, by default the recommended one."""
    n = len(table.names)
    if algorithm is None and table.has_gaps:
        algorithm = COMPLETION
    elif algorithm is None:
        found = recommended(n, table.n_rows, score)
        algorithm, options = found.algorithm, {**found.options, **options}
    name = known_name(algorithm, (*LEARNERS, *GAP_LEARNERS), "algorithm")
    make_search(table, name, score=score, **options)  # refuses wrong options
    short, growth = short_run(table, name, score, options, enough)
    memory = _memory(table, short.spent.families * (n / short.n) ** FAMILIES_GROWTH)
    seconds, limit = short.seconds(n, table.n_rows, growth), options.get("time_limit")
    if name != EXACT:
        return Estimate(name, seconds if limit is None else min(seconds, limit), memory)
    memory += BYTES_A_SET * all_sets(n, options.get("max_parents", 3))
    if not is_bound(name, n):
        return Estimate(name, seconds, memory + bytes_needed(n))
    return Estimate(name, seconds + (limit or 0.0), memory, at_least=limit is None)


def _memory(table: Table, families: float) -> float:
    """Bytes of the bitmaps of all states, the cached scores, and the matrices of a learner."""
    n = len(table.names)
    states = sum(len(variable.states) for variable in table.variables)
    of_rows = table.n_rows * (states / 8 + BYTES_A_ROW)
    return of_rows + BYTES_A_FAMILY * min(families, MAX_ENTRIES) + BYTES_A_PAIR * n * n
