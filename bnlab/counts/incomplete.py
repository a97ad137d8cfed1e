"""Counts of tables with missing values: of the rows in which a family is complete, or expected counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.base import CountSource, batches_of
from bnlab.counts.source import source_of
from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, IntArray
from bnlab.data.table import Table, concat
from bnlab.data.variable import Variable


class ExpectedCounts(CountSource):
    """Mean of the counts of completed tables: an estimate of the expected counts.

    Parameters
    ----------
    tables : sequence of Table
        With the same rows and variables and no missing values, such as `bnlab.networks.impute` draws.

    Raises
    ------
    ValueError
        When there is no table, or they differ in their variables or states.

    Examples
    --------
    >>> coin = [Variable("coin", ("heads", "tails"))]
    >>> ExpectedCounts([Table(coin, [[0, 1, 1]]), Table(coin, [[0, 1, 0]])]).count([(0, ())])[0].table
    array([[1.5, 1.5]])
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        self._source = source_of(concat(tables))
        self._tables, self._times = len(tables), float(len(tables))
        super().__init__(self._source.variables, tables[0].total)
        self.whole = False
        self.same_rows, self.experiments = self._source.same_rows, self._source.experiments

    def rows_of(self, child: int) -> int | float:
        """Number of rows that the families of a child count."""
        return self._source.rows_of(child) / self._tables

    def seen(self) -> list[NDArray[np.bool_]]:
        """Which states the tables show."""
        return self._source.seen()

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Expected counts of many families, in the order given."""
        return [replace(counts, table=self._mean(counts.table)) for counts in self._source.count(families)]

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Expected counts of many families in stacks (see `CountSource.batches`)."""
        for positions, batch in self._source.batches(families):
            rows = None if batch.rows is None else batch.rows / self._tables
            yield positions, replace(batch, table=self._mean(batch.table), rows=rows)

    def weighted(self, weight: float) -> ExpectedCounts:
        """Counts multiplied by a weight; penalties remain those of the number of rows."""
        other = copy(self)
        other._times = self._times / weight
        return other

    def _mean(self, table: Any) -> Any:
        return table / self._times


class AvailableCases(CountSource):
    """Counts of each family in the rows in which it is complete, scaled to all rows in which its child was not set.

    A decomposable score of these is N times the node-average likelihood, less its penalty (Bodewes and Scutari 2021).
    Parents that are never observed together with each other and their child count as constant, so that no edge is
    learned without rows.

    Parameters
    ----------
    table : Table

    Attributes
    ----------
    with_missing_state : CountSource
        Counts of all rows, with missing values as an additional state of their variable.

    Examples
    --------
    >>> table = Table([Variable("x", (0, 1)), Variable("y", (0, 1))], [[0, 1, 1, 2], [0, 1, 2, 0]], gaps=True)
    >>> AvailableCases(table).count([(1, (0,))])[0].table
    array([[2., 0.],
           [0., 2.]])
    """

    def __init__(self, table: Table) -> None:
        super().__init__(table.variables, table.total)
        # A missing value has the code of an additional state.
        wider = [Variable(v.name, tuple(range(v.arity + (v.name in table.gaps)))) for v in table.variables]
        self._wide = tuple(v.arity for v in wider)
        self._incomplete = frozenset(i for i, v in enumerate(table.variables) if v.name in table.gaps)
        columns = [table.column(i) for i in range(table.n_variables)]
        self.with_missing_state = source_of(Table(wider, columns).carrying(table))
        self.same_rows = self.with_missing_state.same_rows and not self._incomplete
        self.experiments = self.with_missing_state.experiments
        self.whole = self.with_missing_state.whole and not self._incomplete

    def rows_of(self, child: int) -> int | float:
        """Number of rows that the families of a child are scaled to."""
        return self.with_missing_state.rows_of(child)

    def seen(self) -> list[NDArray[np.bool_]]:
        """Which states the rows show."""
        return [states[:r] for states, r in zip(self.with_missing_state.seen(), self.arities, strict=True)]

    def count(self, families: Sequence[Family]) -> list[FamilyCounts]:
        """Scaled counts of many families, in the order given."""
        found = list(map(self._complete, families, self.with_missing_state.count(families)))
        never = [p for p, (_, parents) in enumerate(families) if parents and not found[p].table.size]
        alone = self.count([(families[p][0], ()) for p in never]) if never else []
        for p, counts in zip(never, alone, strict=True):
            found[p] = replace(counts, parent_arities=found[p].parent_arities)
        return found

    def batches(self, families: Sequence[Family]) -> Iterator[tuple[IntArray, FamilyBatch]]:
        """Scaled counts of many families in stacks (see `CountSource.batches`)."""
        whole: list[int] = []
        scaled: dict[int | float, list[int]] = {}
        for position, (child, parents) in enumerate(families):
            if self._incomplete.isdisjoint((child, *parents)):
                whole.append(position)
            else:
                scaled.setdefault(self.rows_of(child), []).append(position)
        for at, batch in self.with_missing_state.batches([families[p] for p in whole]):
            yield np.array(whole)[at], batch
        for rows, positions in scaled.items():
            for at, batch in batches_of(self.count([families[p] for p in positions])):
                yield np.array(positions)[at], replace(batch, rows=rows)

    def _complete(self, family: Family, counts: FamilyCounts) -> FamilyCounts:
        """Scaled counts without those of missing values."""
        child, parents = family
        rest, code, weight = counts.configurations, np.zeros_like(counts.configurations), 1
        known = np.ones(len(rest), dtype=bool)
        for parent in reversed(parents):
            rest, state = np.divmod(rest, self._wide[parent])
            known &= state < self.arities[parent]
            code += weight * state
            weight *= self.arities[parent]
        table = counts.table[known, : self.arities[child]]
        occurs = table.any(axis=1)
        scaled = table[occurs] * (self.rows_of(child) / (table.sum() or 1))
        return FamilyCounts(scaled, code[known][occurs], tuple(self.arities[p] for p in parents))


def complete_families(data: Table | CountSource) -> Table | CountSource:
    """Data as they are; of a table with missing values, the counts of the rows in which a family is complete."""
    return AvailableCases(data) if isinstance(data, Table) and data.has_gaps else data
