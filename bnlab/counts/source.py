"""Where counts come from: one interface over tables in memory, chunks and, beyond one machine, clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray

if TYPE_CHECKING:
    from bnlab.data.table import Table
    from bnlab.data.variable import Variable


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
            When a family names a variable twice or one that does not exist (`refuse_family`).
        """

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


_MEMBERS = ("variables", "names", "arities", "n_rows", "count", "batches")

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
    if all(hasattr(data, member) for member in _MEMBERS):
        counting: CountSource = data
        return counting
    raise TypeError(
        f"cannot count {type(data).__name__}: pass a bnlab Table (bnlab.load_data makes one from a DataFrame, "
        "a csv or a parquet file) or a count source"
    )


def refuse_family(family: Family, n: int) -> NoReturn:
    """Raise the error for a family that names a variable twice or one that does not exist.

    Raises
    ------
    ValueError
        Naming the family and the rule.
    """
    child, parents = family
    outside = [v for v in (*parents, child) if not 0 <= v < n]
    if outside:
        rule = f"variable {outside[0]} is not in 0..{n - 1}"
    elif child in parents:
        rule = "a variable cannot be its own parent"
    else:
        rule = "a parent is named twice"
    raise ValueError(f"family {(child, tuple(parents))}: {rule}")
