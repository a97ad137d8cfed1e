"""Panels: the same variables of several units at several times, as tables of transitions and of first slices."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import nearest
from bnlab._runtime.values import at_least
from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.dynamic.names import at, labels, sliced
from bnlab.graphs.dag import counted

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Panel:
    """Rows of several units, each at consecutive times; `load_panel` makes one.

    Parameters
    ----------
    table : Table
        A row for each unit and time, sorted by unit, then by time. A variable has the same states at all times.
    unit_of : array_like of int, shape (N,)
        Position in `units` of the unit of each row, ascending.
    times : array_like of int, shape (N,)
        Time of each row; the times of a unit are consecutive.
    units : sequence
        Labels of the units.
    static : sequence of str
        Variables that do not change in time.
    lags : int
        Number of slices of the past in a transition, at least 1.

    Raises
    ------
    ValueError
        If a static variable is unknown, all are static, `lags` is below 1, or rows are not sorted and consecutive.

    Examples
    --------
    >>> bp = Variable("bp", ("low", "high"))
    >>> panel = Panel(Table([bp], [[0, 1, 1, 0, 0]]), [0, 0, 0, 1, 1], [1, 2, 3, 1, 2], ["Ann", "Bob"])
    >>> panel
    Panel: 2 units, 5 rows, 2 to 3 times a unit; 1 variable, 0 static; lags 1, 3 transitions
    >>> panel.transitions
    Table: 3 rows, 2 variables
      bp[t-1]  2 states: 'low', 'high'
      bp[t]    2 states: 'low', 'high'
    """

    table: Table
    unit_of: Positions
    times: NDArray[np.int64]
    units: tuple[Hashable, ...]
    static: tuple[str, ...] = ()
    lags: int = 1

    def __init__(
        self,
        table: Table,
        unit_of: ArrayLike,
        times: ArrayLike,
        units: Sequence[Hashable],
        static: Sequence[str] = (),
        lags: int = 1,
    ) -> None:
        for field, value in (("unit_of", np.array(unit_of, np.intp)), ("times", np.array(times, np.int64))):
            if value.shape != (table.n_rows,):
                raise ValueError(f"{field} has the shape {value.shape}: a number for each of {table.n_rows} rows.")
            value.flags.writeable = False
            object.__setattr__(self, field, value)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "units", tuple(units))
        object.__setattr__(self, "static", tuple(static))
        object.__setattr__(self, "lags", at_least("lags", lags, 1))
        for name in self.static:
            if name not in table.names:
                raise ValueError(f"static variable {name!r}: no variable is called so; {nearest(name, table.names)}")
        if not self.names:
            raise ValueError("all variables are static: at least one must change in time.")
        same = np.diff(self.unit_of) == 0
        used = np.unique(self.unit_of)
        if (np.diff(self.unit_of) < 0).any() or not np.array_equal(used, np.arange(len(self.units))):
            raise ValueError(
                f"rows are not sorted by unit, or not of all {len(self.units)} units: bnlab.load_panel sorts rows."
            )
        if (np.diff(self.times)[same] != 1).any():
            row = int(np.flatnonzero(same & (np.diff(self.times) != 1))[0])
            raise ValueError(
                f"unit {self.units[self.unit_of[row]]!r}: time {self.times[row + 1]} follows {self.times[row]}: "
                'times are consecutive; bnlab.load_panel(..., gaps="missing") fills gaps.'
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables that change in time, in the order of the table."""
        return tuple(name for name in self.table.names if name not in self.static)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of times of each unit, shape (units,)."""
        return np.bincount(self.unit_of, minlength=len(self.units)).astype(np.int64)

    @property
    def longest(self) -> int:
        """Greatest number of times of a unit."""
        return int(self.lengths.max())

    @cached_property
    def _steps(self) -> Positions:
        """Number of rows of the same unit before each row."""
        lengths = self.lengths
        return np.arange(self.table.n_rows) - np.repeat(np.cumsum(lengths) - lengths, lengths)

    def __repr__(self) -> str:
        lengths = self.lengths
        some = f"{lengths.min()} to {lengths.max()}" if lengths.min() < lengths.max() else f"{lengths.max()}"
        return (
            f"Panel: {counted(len(self.units), 'unit')}, {counted(self.table.n_rows, 'row')}, {some} times a unit; "
            f"{counted(len(self.names), 'variable')}, {len(self.static)} static; lags {self.lags}, "
            f"{counted(np.maximum(lengths - self.lags, 0).sum(), 'transition')}"
        )

    @cached_property
    def transitions(self) -> Table:
        """All transitions: a row for each row that has `lags` rows of its unit before it.

        Its variables are the static ones, then those of each slice, ``bp[t-1]`` before ``bp[t]``. A row has the weight
        of its last row, that of the unit. A value that was set from outside is an intervention.

        Raises
        ------
        ValueError
            If no unit has more than `lags` times.
        """
        return self._table_of(np.flatnonzero(self._steps >= self.lags), labels(self.lags))

    def transitions_to(self, step: int) -> Table:
        """Transitions to the row number `step` of each unit, counted from 0; otherwise as `transitions`."""
        at_least("step", step, self.lags)
        return self._table_of(np.flatnonzero(self._steps == step), labels(self.lags))

    @cached_property
    def first(self) -> Table:
        """First `lags` slices of each unit that has them, with variables ``bp[0]`` and so on.

        Raises
        ------
        ValueError
            If no unit has so many times.
        """
        return self._table_of(np.flatnonzero(self._steps == self.lags - 1), list(range(self.lags)))

    def first_slices(self, count: int) -> Table:
        """The first `count` slices, at most `lags`, of the units that `first` has."""
        return self.first.select(sliced(self.static, self.names, range(count)))

    def unrolled(self, length: int) -> tuple[Positions, Table]:
        """Units with exactly so many times, as positions, and all their slices, ``bp[0]`` to ``bp[length-1]``."""
        last = np.flatnonzero((self._steps == length - 1) & (self.lengths[self.unit_of] == length))
        return self.unit_of[last], self._table_of(last, list(range(length)))

    def take(self, units: ArrayLike | slice) -> Panel:
        """Panel of some units, in their order: positions, a boolean mask, or a slice; for training and test parts.

        Raises
        ------
        ValueError
            If no unit is selected, a position does not exist or repeats, or a mask has another length.
        """
        try:
            chosen = np.sort(np.arange(len(self.units))[units if isinstance(units, slice) else np.asarray(units)])
        except IndexError:
            chosen = np.empty(0, np.intp)
        if not len(chosen) or not np.diff(chosen).all():
            raise ValueError(
                f"units {units!r}: give some of 0 to {len(self.units) - 1}, each once, or a mask of as many values; "
                "a weight counts a unit several times."
            )
        rows = np.flatnonzero(np.isin(self.unit_of, chosen))
        numbers = np.searchsorted(chosen, self.unit_of[rows])
        some = [self.units[u] for u in chosen]
        return Panel(self.table.take(rows), numbers, self.times[rows], some, self.static, self.lags)

    def with_lags(self, lags: int) -> Panel:
        """Same data with another number of slices of the past."""
        return self if lags == self.lags else replace(self, lags=lags)

    @classmethod
    def of_slices(cls, table: Table, static: Sequence[str], names: Sequence[str], lags: int = 1) -> Panel:
        """Panel of a table with a row for each unit and variables ``bp[0]``, ``bp[1]`` and so on.

        Raises
        ------
        ValueError
            If a variable is missing, or a variable has other states at another time.
        """
        length = (table.n_variables - len(static)) // len(names)
        for name in names:
            states = {table.variables[table.index(at(name, s))].states for s in range(length)}
            if len(states) > 1:
                raise ValueError(f"variable {name!r} has other states at another time: they must be the same.")
        variables = [table.variables[table.index(name)] for name in static]
        variables += [Variable(name, table.variables[table.index(at(name, 0))].states) for name in names]
        columns = [np.repeat(table.column(name), length) for name in static]
        columns += [np.stack([table.column(at(name, s)) for s in range(length)], axis=1).ravel() for name in names]
        units = np.arange(table.n_rows)
        rows = Table(variables, columns, gaps=table.has_gaps)
        times = np.tile(np.arange(length), table.n_rows)
        return cls(rows, np.repeat(units, length), times, units.tolist(), static, lags)

    def _table_of(self, last: Positions, slices: Sequence[int | str]) -> Table:
        """Table of the slices that end with the given rows."""
        if not len(last):
            refuse_short(len(slices), self.longest)
        table, back = self.table, range(len(slices) - 1, -1, -1)
        shown = [(table.index(name), name, last) for name in self.static]
        shown += [
            (table.index(name), at(name, when), last - lag)
            for when, lag in zip(slices, back, strict=True)
            for name in self.names
        ]
        variables = [Variable(name, table.variables[i].states) for i, name, _ in shown]
        found = Table(variables, [table.column(i)[rows] for i, _, rows in shown], gaps=table.has_gaps)
        if table.weights is not None:
            found = found.with_weights(table.weights[last])
        if not table.interventions:
            return found
        return found.with_interventions({name: table.intervened(table.names[i])[rows] for i, name, rows in shown})


def refuse_short(times: int, longest: int) -> NoReturn:
    """Raise the ValueError that no unit has so many times."""
    raise ValueError(
        f"no unit has {times} times as asked for; the longest has {longest}: take fewer lags, or add rows."
    )
