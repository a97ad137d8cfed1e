"""Where counts come from: one interface over tables in memory, chunks and, beyond one machine, clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from bnlab.counts.interventional import InterventionalSource
from bnlab.counts.memory import MemorySource
from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.table import Table
    from bnlab.data.variable import Variable


@runtime_checkable
class CountSource(Protocol):
    """Anything that can count families."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, with the names of their states."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each variable."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given; ValueError as by `bnlab.counts.types.refuse_family`."""

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of bounded size.

        Yields
        ------
        positions : ndarray of int64, shape (families,)
            Index into `families` of each member of the stack.
        batch : FamilyBatch
        """


def batches_of(families: Sequence[Family], counts: Sequence[FamilyCounts]) -> Iterator[tuple[IntArray, FamilyBatch]]:
    """Stack finished counts by the arity of the child."""
    by_arity: dict[int, list[int]] = {}
    for position, family_counts in enumerate(counts):
        by_arity.setdefault(family_counts.r, []).append(position)
    for positions in by_arity.values():
        yield np.array(positions, dtype=np.int64), FamilyBatch.of([counts[p] for p in positions])


DataLike: TypeAlias = "Table | pd.DataFrame | CountSource"

_sources: WeakKeyDictionary[Table, CountSource] = WeakKeyDictionary()


def as_data(data: DataLike) -> Table | CountSource:
    """Table or source itself, or the Table of a DataFrame; TypeError and ValueError as `bnlab.data.as_table` raises."""
    from bnlab.data.load import as_table
    from bnlab.data.table import Table

    if isinstance(data, MemorySource) or (not isinstance(data, Table) and isinstance(data, CountSource)):
        return data
    return as_table(data)


def count_source(data: DataLike) -> CountSource:
    """Source of the counts of a table; one table always gives the same source, so that its bitmaps are built once.

    TypeError and ValueError as `bnlab.data.as_table` raises.
    """
    from bnlab.data.table import Table

    data = as_data(data)
    if not isinstance(data, Table):
        return data
    source = _sources.get(data)
    if source is None:
        made = InterventionalSource(data) if data.interventions else MemorySource(data)
        source = _sources[data] = made
    return source
