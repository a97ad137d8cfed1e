"""Base class of all sources of counts: tables in memory, chunks and, beyond one machine, clusters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.cached import cached_property
from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray, refuse_family

if TYPE_CHECKING:
    from bnlab.data.variable import Variable


class CountSource(ABC):
    """Anything that counts families. A subclass defines `count`.

    Counts of disjoint sets of rows add, so that rows may be anywhere. What the rows carry is honoured: a family leaves
    out the rows in which its child was set from outside, and a row counts as often as its weight says.

    Attributes
    ----------
    variables : tuple of Variable
        With the names of their states.
    names : tuple of str
    arities : tuple of int
        Number of states of each variable.
    n_rows : int or float
        Number of rows, or sum of their weights.
    whole : bool
        Whether counts are whole numbers.
    same_rows : bool
        Whether every family counts the same rows. If not, Markov-equivalent graphs score differently, and tests of
        independence are refused.
    experiments : frozenset of frozenset of str
        As `Table.experiments`: variables that were set together, and the empty set for rows that were only observed.
    """

    whole: bool = True
    same_rows: bool = True
    experiments: frozenset[frozenset[str]] = frozenset({frozenset()})

    def __init__(self, variables: Sequence[Variable], n_rows: int | float) -> None:
        self.variables = tuple(variables)
        self.n_rows: Any = n_rows
        self.names = tuple(variable.name for variable in self.variables)
        self.arities = tuple(variable.arity for variable in self.variables)

    @abstractmethod
    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Count many families, in the order given; ValueError as by `bnlab.counts.types.refuse_family`."""

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Count many families in stacks of one child arity.

        Yields
        ------
        positions : ndarray of int64, shape (families,)
            Index into `families` of each member of the stack.
        batch : FamilyBatch
        """
        yield from batches_of(self.count(families))

    def rows_of(self, child: int) -> int | float:
        """Number of rows that the families of a child count; missing values reduce it no further."""
        rows: int | float = self.n_rows
        return rows

    def seen(self) -> list[NDArray[np.bool_]]:
        """Which states the rows show: for each variable an ndarray of bool, shape (arity,)."""
        alone = self.count([(v, ()) for v in range(len(self.names))])
        return [np.asarray((counts.table > 0).any(axis=0)) for counts in alone]

    @cached_property
    def constant(self) -> tuple[int, ...]:
        """Variables of which the rows show at most one state: they say nothing about its edges."""
        return tuple(v for v, states in enumerate(self.seen()) if np.count_nonzero(states) <= 1)

    def check_same_rows(self, what: str) -> None:
        """Refuse what needs all rows in every table of counts, drawn from one distribution.

        Raises
        ------
        ValueError
            If families count different rows.
        """
        if not self.same_rows:
            raise ValueError(
                f"{what}: some rows are interventions, or have missing values, and families count different rows. "
                "Learn with a score, as by bnlab.learn(data); or use the other rows, table.take(~table.intervened()), "
                'and load the data with missing="drop"; table.with_interventions(None) reads all rows as observed.'
            )

    def checked(self, family: Family) -> Family:
        """Return a family; ValueError if it names a variable twice or one that does not exist."""
        child, parents = family
        members = {child, *parents}
        if len(members) <= len(parents) or not 0 <= min(members) <= max(members) < len(self.names):
            refuse_family(family, len(self.names))
        return family


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
