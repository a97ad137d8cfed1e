"""Where counts come from: one interface over tables in memory, chunks and, beyond one machine, clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from bnlab.counts.family import Family, FamilyBatch, FamilyCounts, IntArray

if TYPE_CHECKING:
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
        """Count many families, in the order given."""

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


_sources: WeakKeyDictionary[Table, CountSource] = WeakKeyDictionary()


def count_source(data: Table | CountSource | Any) -> CountSource:
    """Source of the counts of a table; one table always gives the same source, so that its bitmaps are built once.

    Raises
    ------
    TypeError
        When `data` is neither a Table nor a source.
    """
    from bnlab.data.table import Table

    if isinstance(data, Table):
        source = _sources.get(data)
        if source is None:
            from bnlab.counts.memory import MemorySource

            source = _sources[data] = MemorySource(data)
        return source
    if isinstance(data, CountSource):
        return data
    raise TypeError(
        f"cannot count {type(data).__name__}: pass a bnlab Table (bnlab.load_data makes one from a DataFrame, "
        "a csv or a parquet file) or a count source"
    )


def check_families(families: Sequence[Family], variables: IntArray, lengths: IntArray, n: int) -> None:
    """Refuse families that name a variable twice or one that does not exist.

    Parameters
    ----------
    families : sequence of (child, parents)
    variables : ndarray of int64
        The variables of all families one after the other, each family's parents first and its child last.
    lengths : ndarray of int64, shape (families,)
        Variables in each family.
    n : int
        Number of variables that exist.

    Raises
    ------
    ValueError
        Naming the family and the rule.
    """
    member = np.repeat(np.arange(len(lengths)), lengths)
    outside = (variables < 0) | (variables >= n)
    if outside.any():
        at = int(np.argmax(outside))
        child, parents = families[member[at]]
        raise ValueError(f"family {(child, tuple(parents))}: variable {variables[at]} is not in 0..{n - 1}")
    keys = np.sort(member * n + variables)
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        child, parents = families[keys[twice[0]] // n]
        rule = "a variable cannot be its own parent" if child in parents else "a parent is named twice"
        raise ValueError(f"family {(child, tuple(parents))}: {rule}")
