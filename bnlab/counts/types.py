"""Every shape of counts: of one family, and of many families.

Every score and every test of independence is a function of these counts alone (Carvalho 2009, section 2.1: N_ijk).
Counts of disjoint sets of rows add, which makes chunks, processes and streams possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[Any]
"""Numbers of rows: int64, or float64 where rows count in part."""
Family: TypeAlias = tuple[int, tuple[int, ...]]


class Families(Sequence[Family]):
    """Families flattened into two arrays for the kernels: f is ``variables[begins[f]:begins[f + 1]]``, the child last.

    Examples
    --------
    >>> list(Families.of([(2, (0, 1)), (0, ())]))
    [(2, (0, 1)), (0, ())]
    """

    def __init__(self, variables: IntArray, begins: IntArray) -> None:
        self.variables, self.begins = variables, begins

    @classmethod
    def of(cls, families: Sequence[Family]) -> Families:
        """Flatten a sequence of families."""
        if isinstance(families, cls):
            return families
        flat: list[int] = []
        begins = [0]
        for child, parents in families:
            flat += parents
            flat.append(child)
            begins.append(len(flat))
        return cls(np.fromiter(flat, np.int64, len(flat)), np.array(begins))

    def chosen(self, places: IntArray) -> Families:
        """Some of the families, in the order of `places`."""
        sizes = np.diff(self.begins)[places]
        ends = np.cumsum(sizes)
        at = np.repeat(self.begins[places] - (ends - sizes), sizes) + np.arange(sizes.sum())
        return Families(self.variables[at], np.append(0, ends))

    def __len__(self) -> int:
        return len(self.begins) - 1

    def __getitem__(self, family: Any) -> Any:
        if isinstance(family, slice):
            return [self[f] for f in range(*family.indices(len(self)))]
        f = range(len(self))[family]
        *parents, child = self.variables[self.begins[f] : self.begins[f + 1]].tolist()
        return child, tuple(parents)


class ParentArities(Sequence[tuple[int, ...]]):
    """Arities of the parents of chosen families, looked up when they are read."""

    def __init__(self, arities: IntArray, families: Families, chosen: IntArray) -> None:
        self._arities, self._families, self._chosen = arities, families, chosen

    def __len__(self) -> int:
        return len(self._chosen)

    def __getitem__(self, family: Any) -> Any:
        if isinstance(family, slice):
            return ParentArities(self._arities, self._families, self._chosen[family])
        _, parents = self._families[self._chosen[family]]
        return tuple(self._arities[list(parents)].tolist())


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """Contingency table N_ijk of one family (a child and its parents).

    Attributes
    ----------
    table : ndarray of int64 or float64, shape (observed, r)
        Row j counts the states of the child under one parent configuration; rows of zeros are left out. Expected
        counts, scaled counts and sums of weights are real numbers.
    configurations : ndarray of int64, shape (observed,)
        Code of each row's parent configuration, ascending. The code is mixed radix, the first parent
        most significant: ``(p0 * r1 + p1) * r2 + p2`` and so on; 0 when there is no parent.
    parent_arities : tuple of int
        Number of states of each parent, in the order of the family's parents.
    """

    table: Counts
    configurations: IntArray
    parent_arities: tuple[int, ...]

    @property
    def r(self) -> int:
        """Number of states of the child, seen or not."""
        return int(self.table.shape[1])

    @cached_property
    def q(self) -> int:
        """Number of parent configurations that are possible, seen or not (1 without parents)."""
        return prod(self.parent_arities)

    @cached_property
    def n_rows(self) -> int | float:
        """Number of data rows counted, N."""
        total: int | float = self.table.sum().item()
        return total

    @cached_property
    def n_ij(self) -> Counts:
        """Rows in each observed parent configuration, of the type of `table`, shape (observed,)."""
        sums: Counts = np.einsum("ij->i", self.table)
        return sums

    def __add__(self, other: FamilyCounts) -> FamilyCounts:
        """Counts of the rows of both operands; ValueError when they count families of different shapes."""
        if (self.r, self.parent_arities) != (other.r, other.parent_arities):
            raise ValueError(
                f"cannot add counts of a family with r={self.r}, parent arities {self.parent_arities} to one "
                f"with r={other.r}, parent arities {other.parent_arities}: only counts of the same family add"
            )
        configurations = np.concatenate([self.configurations, other.configurations])
        return _summed(np.concatenate([self.table, other.table]), configurations, self.parent_arities)

    def without_parent(self, place: int) -> FamilyCounts:
        """Counts of the family without one of its parents.

        Parameters
        ----------
        place : int
            Index of the parent.

        Examples
        --------
        >>> counts = FamilyCounts(np.array([[1, 0], [0, 2], [3, 4]]), np.array([0, 1, 3]), (2, 2))
        >>> counts.without_parent(0).table.tolist(), counts.without_parent(1).table.tolist()
        ([[1, 0], [3, 6]], [[1, 2], [3, 4]])
        """
        arities = self.parent_arities
        below = prod(arities[place + 1 :])
        codes = self.configurations // (below * arities[place]) * below + self.configurations % below
        return _summed(self.table, codes, arities[:place] + arities[place + 1 :])

    def dense(self) -> Counts:
        """Whole table, unobserved configurations included, of the type of `table`, shape ``(*parent_arities, r)``.

        Raises
        ------
        ValueError
            If it would need more memory than one operation may use.
        """
        check_memory(
            8 * self.q * self.r,
            f"a dense table of {self.q:.3g} parent configurations",
            "`table` and `configurations` hold the observed ones alone",
        )
        full = np.zeros((self.q, self.r), dtype=self.table.dtype)
        full[self.configurations] = self.table
        return full.reshape(*self.parent_arities, self.r)


def _summed(table: Counts, codes: IntArray, parent_arities: tuple[int, ...]) -> FamilyCounts:
    """Counts of a family from the rows of a table, in any order; those of equal configurations add."""
    configurations, where = np.unique(codes, return_inverse=True)
    sums = np.zeros((len(configurations), table.shape[1]), dtype=table.dtype)
    np.add.at(sums, where.ravel(), table)
    return FamilyCounts(sums, configurations, parent_arities)


@dataclass(frozen=True, eq=False)
class FamilyBatch:
    """Counts of many families whose children have the same arity, stacked so that a score is a few array operations.

    Attributes
    ----------
    table : ndarray of int64 or float64, shape (rows, r)
        The families' tables one below the other. A row of zeros is allowed and must add nothing to any score.
    first : ndarray of int64, shape (families,)
        Index of each family's first row; families follow each other without gaps, each with at least one row.
    q : ndarray of float64, shape (families,)
        Possible parent configurations of each family (float: the product may pass 2**63).
    parent_arities : sequence of tuple of int
        One tuple for each family.
    configurations : ndarray of int64, shape (rows,), optional
        Code of each row's parent configuration; None if every possible one has a row, in the order of the codes.
    rows : int or float, optional
        Rows of data that every family counts, if known.
    """

    table: Counts
    first: IntArray
    q: FloatArray
    parent_arities: Sequence[tuple[int, ...]]
    configurations: IntArray | None = None
    rows: int | float | None = None

    @classmethod
    def of(cls, counts: Sequence[FamilyCounts]) -> FamilyBatch:
        """Stack the counts of families with the same child arity."""
        # A family without rows has no observed configuration; one row of zeros keeps it in the stack.
        tables = [c.table if len(c.table) else np.zeros((1, c.r), dtype=c.table.dtype) for c in counts]
        sizes = np.array([len(t) for t in tables], dtype=np.int64)
        return cls(
            np.concatenate(tables),
            np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
            np.array([float(c.q) for c in counts]),
            [c.parent_arities for c in counts],
            np.concatenate([c.configurations if len(c.table) else np.zeros(1, np.int64) for c in counts]),
        )

    def __len__(self) -> int:
        return len(self.first)

    @property
    def r(self) -> int:
        """Number of states of every child in the batch."""
        return int(self.table.shape[1])

    @cached_property
    def n_ij(self) -> Counts:
        """Rows of data in each parent configuration, of the type of `table`, shape (rows,)."""
        sums: Counts = np.einsum("ij->i", self.table)
        return sums

    @cached_property
    def n_rows(self) -> Counts:
        """Rows of data counted by each family, shape (families,)."""
        return np.add.reduceat(self.n_ij, self.first) if self.rows is None else np.full(len(self), self.rows)

    @cached_property
    def marginal(self) -> Counts:
        """Counts of the child's states over all configurations, of the type of `table`, shape (families, r)."""
        sums: Counts = np.add.reduceat(self.table, self.first, axis=0)
        return sums

    def families(self) -> Iterator[FamilyCounts]:
        """Counts of each family, without rows of zeros."""
        ends = np.append(self.first[1:], len(self.table)).tolist()
        for begin, end, arities in zip(self.first.tolist(), ends, self.parent_arities, strict=True):
            table = self.table[begin:end]
            if self.configurations is not None:
                yield FamilyCounts(table, self.configurations[begin:end], arities)
                continue
            observed = np.flatnonzero(table.any(axis=1))
            yield FamilyCounts(table[observed], observed.astype(np.int64), arities)

    def split(self, parts: int) -> list[FamilyBatch]:
        """Split into at most `parts` consecutive batches with about the same number of rows."""
        cuts = np.searchsorted(self.first, np.arange(1, parts) * (len(self.table) // parts)).tolist()
        return [self._part(begin, end) for begin, end in pairwise(sorted({0, *cuts, len(self)}))]

    def _part(self, begin: int, end: int) -> FamilyBatch:
        families = slice(begin, end)
        rows = slice(int(self.first[begin]), int(self.first[end]) if end < len(self) else len(self.table))
        codes = None if self.configurations is None else self.configurations[rows]
        first, arities = self.first[families] - rows.start, self.parent_arities[families]
        return FamilyBatch(self.table[rows], first, self.q[families], arities, codes, self.rows)

    def sum_cells(self, values: FloatArray) -> FloatArray:
        """Sum a value per cell, shape (rows, r), over each family: shape (families,)."""
        # Adding 0.0 turns the -0.0 of a family without uncertainty into 0.0.
        sums: FloatArray = np.add.reduceat(values.ravel(), self.first * self.r) + 0.0
        return sums

    def sum_rows(self, values: FloatArray) -> FloatArray:
        """Sum a value per table row, shape (rows,), over each family: shape (families,)."""
        return np.add.reduceat(values, self.first)


def refuse_family(family: Family, n: int) -> NoReturn:
    """Raise the ValueError for a family that names a variable twice or one that does not exist."""
    child, parents = family
    outside = [v for v in (*parents, child) if not 0 <= v < n]
    if outside:
        rule = f"variable {outside[0]} is not in 0..{n - 1}"
    elif child in parents:
        rule = "a variable cannot be its own parent"
    else:
        rule = "a parent is named twice"
    raise ValueError(f"family {(child, tuple(parents))}: {rule}")
