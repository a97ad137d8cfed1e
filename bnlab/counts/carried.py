"""What the rows of a table carry, as sources of several tables add it up: weights, interventions, states that occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.base import CountSource

if TYPE_CHECKING:
    from bnlab.data.table import Table
    from bnlab.data.variable import Variable


@dataclass(frozen=True, eq=False)
class Carried:
    """What some rows carry.

    Attributes
    ----------
    n_rows : int or float
        Number of rows, or sum of their weights.
    whole : bool
        Whether all weights are whole numbers.
    experiments : frozenset of frozenset of str
        As `Table.experiments`.
    set_rows : dict of str to int or float
        Number of rows in which each variable was set.
    seen : list of ndarray of bool
        Which states of each variable the rows show.
    weighted : bool
        Whether the rows have weights.
    """

    n_rows: int | float
    whole: bool
    experiments: frozenset[frozenset[str]]
    set_rows: dict[str, int | float]
    seen: list[NDArray[np.bool_]]
    weighted: bool

    @classmethod
    def of(cls, table: Table) -> Carried:
        """What the rows of a table carry."""
        weights = np.ones(table.n_rows, np.int64) if table.weights is None else table.weights
        return cls(
            table.total,
            weights.dtype.kind == "i",
            table.experiments,
            {name: weights[was_set].sum().item() for name, was_set in table.interventions.items()},
            [np.bincount(table.column(v), weights, r) > 0 for v, r in enumerate(table.arities)],
            table.weights is not None,
        )

    @classmethod
    def sum(cls, parts: Iterable[Carried]) -> Carried:
        """What the rows of several tables of the same variables carry; there is one at least."""
        parts = list(parts)
        set_rows: Counter[str] = Counter()
        for part in parts:
            set_rows.update(part.set_rows)
        return cls(
            sum(part.n_rows for part in parts),
            all(part.whole for part in parts),
            frozenset().union(*(part.experiments for part in parts)),
            dict(set_rows),
            [np.any(states, axis=0) for states in zip(*(part.seen for part in parts), strict=True)],
            any(part.weighted for part in parts),
        )


class SummedSource(CountSource):
    """Base of sources that add up the counts of several tables."""

    def __init__(self, variables: Sequence[Variable], parts: Iterable[Carried]) -> None:
        self.carried = carried = Carried.sum(parts)
        super().__init__(variables, carried.n_rows)
        self.whole, self.experiments, self.same_rows = carried.whole, carried.experiments, not carried.set_rows

    def rows_of(self, child: int) -> int | float:
        """Number of rows in which a child was not set."""
        rows: int | float = self.n_rows - self.carried.set_rows.get(self.names[child], 0)
        return rows

    def seen(self) -> list[NDArray[np.bool_]]:
        """Which states the rows show; the first pass has found them."""
        return self.carried.seen
