"""Where counts come from: one interface over tables in memory, chunks and, beyond one machine, clusters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray, TallyBatch

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.counts.engine.bitmaps import StateBitmaps
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
        """Count many families, in the order given.

        Raises
        ------
        ValueError
            When a family names a variable twice or one that does not exist (`bnlab.counts.types.refuse_family`).
        """

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of bounded size.

        Yields
        ------
        positions : ndarray of int64, shape (families,)
            Index into `families` of each member of the stack.
        batch : FamilyBatch
        """


class InMemorySource(ABC):
    """Base of a source whose rows are in this process; scores and tests use what it offers beyond a `CountSource`.

    It is no Protocol, since an `isinstance` of one takes longer than the score of a family.

    Attributes
    ----------
    variables, names, arities, n_rows
        As of a `CountSource`.
    threads : int
        Threads that may count at the same time.
    """

    variables: tuple[Variable, ...]
    names: tuple[str, ...]
    arities: tuple[int, ...]
    n_rows: int
    threads: int

    @abstractmethod
    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """See `CountSource.count`."""

    @abstractmethod
    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """See `CountSource.batches`."""

    @abstractmethod
    def tallies(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch | TallyBatch]]:
        """As `batches`, but of large tables only how often each count occurs."""

    @abstractmethod
    def joint(self, variables: Sequence[int]) -> IntArray:
        """Contingency table of some variables, counted at once and alone: for callers whose next table depends on it.

        Parameters
        ----------
        variables : sequence of int
            At least one, all different.

        Returns
        -------
        ndarray of int64, shape (arity of each variable)

        Raises
        ------
        ValueError
            When the table would have too many cells, or more axes than numpy has.
        """

    @abstractmethod
    def codes(self) -> tuple[NDArray[Any], ...]:
        """Columns as the kernels take them: the blocks of each width, then the block and the row of each variable."""

    @abstractmethod
    def bits(self) -> tuple[NDArray[Any], ...]:
        """Bitmaps of all variables of few states, for callers whose kernels count one small table after the other.

        Returns
        -------
        first, ones, words
            See `bnlab.counts.engine.bitmaps.Bitmaps`.
        below : ndarray of float64
            A table of k variables is counted faster from bitmaps than by a histogram if it has fewer cells than
            ``below[k]``; empty where there is nothing to have bitmaps of.
        """

    @abstractmethod
    def states(self) -> StateBitmaps | None:
        """Bitmaps of all states; None where there are too many rows or states for them."""


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
    """Table or source itself, or the Table of a DataFrame (`bnlab.data.as_table`).

    Raises
    ------
    TypeError
        When `data` is none of the three.
    ValueError
        When a DataFrame is refused, as by `bnlab.load_data`.
    """
    from bnlab.data.load import as_table
    from bnlab.data.table import Table

    if isinstance(data, InMemorySource) or (not isinstance(data, Table) and isinstance(data, CountSource)):
        return data
    return as_table(data)


def count_source(data: DataLike) -> CountSource:
    """Source of the counts of a table; one table always gives the same source, so that its bitmaps are built once.

    Raises
    ------
    TypeError, ValueError
        As for `as_data`.
    """
    from bnlab.data.table import Table

    data = as_data(data)
    if not isinstance(data, Table):
        return data
    source = _sources.get(data)
    if source is None:
        from bnlab.counts.memory import MemorySource

        source = _sources[data] = MemorySource(data)
    return source
