"""What a source whose rows are in this process offers beyond a `CountSource`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray, TallyBatch

if TYPE_CHECKING:
    from bnlab.counts.engine.bitmaps import StateBitmaps
    from bnlab.data.variable import Variable


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
