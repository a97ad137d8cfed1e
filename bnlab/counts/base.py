"""Interface of all sources of counts: tables in memory, chunks and, beyond one machine, clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray

if TYPE_CHECKING:
    from bnlab.data.variable import Variable


@runtime_checkable
class CountSource(Protocol):
    """Anything that can count families. A subclass defines `count` or `batches`: each default uses the other.

    Attributes
    ----------
    variables : tuple of Variable
        With the names of their states.
    names : tuple of str
    arities : tuple of int
        Number of states of each variable.
    n_rows : int
    """

    variables: tuple[Variable, ...]
    names: tuple[str, ...]
    arities: tuple[int, ...]
    n_rows: int

    def __init__(self, variables: Sequence[Variable], n_rows: int) -> None:
        self.variables, self.n_rows = tuple(variables), n_rows
        self.names = tuple(variable.name for variable in self.variables)
        self.arities = tuple(variable.arity for variable in self.variables)

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given; ValueError as by `bnlab.counts.types.refuse_family`."""
        return in_order(self.batches(families))

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of one child arity and bounded size.

        Yields
        ------
        positions : ndarray of int64, shape (families,)
            Index into `families` of each member of the stack.
        batch : FamilyBatch
        """
        yield from batches_of(self.count(families)) if families else ()


def batches_of(counts: Sequence[FamilyCounts]) -> Iterator[tuple[IntArray, FamilyBatch]]:
    """Stack finished counts by the arity of the child."""
    by_arity: dict[int, list[int]] = {}
    for position, family_counts in enumerate(counts):
        by_arity.setdefault(family_counts.r, []).append(position)
    for positions in by_arity.values():
        yield np.array(positions, dtype=np.int64), FamilyBatch.of([counts[p] for p in positions])


def in_order(batches: Iterable[tuple[IntArray, FamilyBatch]]) -> list[FamilyCounts]:
    """Counts of the families of all batches, in the order of their positions; each batch comes with its positions."""
    counted: dict[int, FamilyCounts] = {}
    for positions, batch in batches:
        counted.update(zip(positions.tolist(), batch.families(), strict=True))
    return [counted[position] for position in range(len(counted))]
