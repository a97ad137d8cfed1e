"""Panels that are larger than memory: in chunks, or in the partitions of a Dask DataFrame, a unit in one part alone.

Counts add, so that learners get sources of counts in place of tables, and find what they find in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab._runtime.values import at_least
from bnlab.counts.base import CountSource
from bnlab.counts.chunked import ChunkedSource
from bnlab.counts.dask import DaskSource, check_columns, merged_variables, table_of_partition
from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.dynamic.load import panel_of_rows
from bnlab.dynamic.names import labels, sliced
from bnlab.dynamic.panel import Panel, refuse_short

if TYPE_CHECKING:
    import pandas as pd

Rows = Callable[[Panel], Table | None]


class PanelParts(ABC):
    """Base of panels in parts: what learners ask of a `Panel`, as sources of counts.

    Parameters
    ----------
    variables : sequence of Variable
        Of a row of the panel.
    static : sequence of str
    lags : int
        As for `Panel`.
    longest : int
        Greatest number of times of a unit.
    """

    def __init__(self, variables: Sequence[Variable], static: Sequence[str], lags: int, longest: int) -> None:
        self._variables = {variable.name: variable.states for variable in variables}
        self.static = tuple(static)
        self.names = tuple(name for name in self._variables if name not in self.static)
        self.lags, self.longest = at_least("lags", lags, 1), longest
        self._transitions: CountSource | None = None

    @property
    def transitions(self) -> CountSource:
        """Counts of the rows of `Panel.transitions`; ValueError if no unit has more than `lags` times."""
        if self._transitions is None:
            self._transitions = self._counts_of(labels(self.lags), self.lags + 1, attrgetter("transitions"))
        return self._transitions

    def transitions_to(self, step: int) -> CountSource:
        """Counts of the rows of `Panel.transitions_to`."""
        at_least("step", step, self.lags)
        return self._counts_of(labels(self.lags), step + 1, methodcaller("transitions_to", step))

    def first_slices(self, count: int) -> CountSource:
        """Counts of the rows of `Panel.first_slices`."""
        return self._counts_of(range(count), self.lags, methodcaller("first_slices", count))

    def with_lags(self, lags: int) -> PanelParts:
        """Same data with another number of slices of the past."""
        if lags == self.lags:
            return self
        other = copy(self)
        other.lags, other._transitions = at_least("lags", lags, 1), None
        return other

    def _counts_of(self, slices: Sequence[int | str], times: int, choose: Callable[[Panel], Table]) -> CountSource:
        """Source of the tables that a choice makes of the units with so many times."""
        if times > self.longest:
            refuse_short(times, self.longest)
        names = sliced((), self.names, slices)
        states = [self._variables[name] for name in self.names] * len(slices)
        variables = [Variable(name, self._variables[name]) for name in self.static]
        variables += [Variable(name, some) for name, some in zip(names, states, strict=True)]
        return self._source(variables, partial(_chosen, lags=self.lags, times=times, choose=choose))

    @abstractmethod
    def _source(self, variables: Sequence[Variable], rows: Rows) -> CountSource:
        """Source of the rows of all parts."""


class ChunkedPanel(PanelParts):
    """A panel in chunks, of which one is in memory at a time; each learner passes over all of them several times.

    Parameters
    ----------
    chunks : callable
        Called once per pass; returns an iterable of Panels with the same variables, states and static variables. A
        chunk has all rows of its units. The lags are those of the first chunk.

    Raises
    ------
    ValueError
        If there is no chunk, chunks differ in their variables or states, or a unit is in two chunks; when it is
        counted, also if values are missing.

    Examples
    --------
    >>> import bnlab
    >>> whole = bnlab.load_panel({"x_0": [0, 1] * 30, "x_1": [1, 0] * 30}, wide="_")
    >>> panel = ChunkedPanel(lambda: [whole.take(range(40)), whole.take(range(40, 60))])
    >>> bnlab.learn_dynamic(panel) == bnlab.learn_dynamic(whole)
    True
    """

    def __init__(self, chunks: Callable[[], Iterable[Panel]]) -> None:
        self._chunks = chunks
        first: Panel | None = None
        seen: set[Hashable] = set()
        longest = 0
        for chunk in chunks():
            first = first or chunk
            if (chunk.table.variables, chunk.static) != (first.table.variables, first.static):
                raise ValueError(
                    "the chunks differ in their variables or states; declare the states of all rows, "
                    ".astype(pandas.CategoricalDtype([...])), and cut numbers before"
                )
            _refuse_split(seen, chunk.units, "chunk", "cut the rows between units")
            longest = max(longest, chunk.longest)
        if first is None:
            raise ValueError("there is no chunk to count: the iterable of panels is empty")
        super().__init__(first.table.variables, first.static, first.lags, longest)

    def _source(self, variables: Sequence[Variable], rows: Rows) -> CountSource:
        def tables() -> Iterator[Table]:
            yield from (table for table in map(rows, self._chunks()) if table is not None)

        return ChunkedSource(tables)


class DaskPanel(PanelParts):
    """A panel in the partitions of a Dask DataFrame, which workers turn into transitions and count.

    Coded rows stay in the memory of the workers, as those of `bnlab.counts.DaskSource`; this process has the labels of
    the units alone.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        A long table of discrete columns, as for `DaskSource`. A partition has all rows of its units, in any order, as
        after ``frame.shuffle(on="patient")``.
    unit, time : str
    lags : int
    static : str or sequence of str
        As for `bnlab.load_panel`.
    weights, interventions : str, optional
        Columns that are no variables, as for `bnlab.load_data`.

    Raises
    ------
    ValueError
        If a column is unknown, a unit is in two partitions, a unit lacks a time between two others, values are missing,
        or as for `bnlab.load_panel`.

    Examples
    --------
    After ``client = dask.distributed.Client(address)``::

        visits = dask.dataframe.read_parquet("s3://clinic/visits/").shuffle(on="patient")
        bnlab.learn_dynamic(DaskPanel(visits, unit="patient", time="visit"), "cdbn")
    """

    def __init__(
        self,
        frame: Any,
        *,
        unit: str,
        time: str,
        lags: int = 1,
        static: str | Sequence[str] = (),
        weights: str | None = None,
        interventions: str | None = None,
    ) -> None:
        import dask

        columns = {"weights": weights, "interventions": interventions}
        check_columns(frame, {"unit": unit, "time": time, **columns})
        fixed = (static,) if isinstance(static, str) else tuple(static)
        make = dask.delayed(_panel_of_partition)
        panels = dask.persist(*(make(part, unit, time, fixed, lags, columns) for part in frame.to_delayed()))
        parts = [part for part in dask.compute(*map(dask.delayed(_summary), panels)) if part is not None]
        if not parts:
            raise ValueError("no row counts: the DataFrame has none, or all weights are zero.")
        seen: set[Hashable] = set()
        for units, _, _ in parts:
            _refuse_split(seen, units, "partition", f"frame.shuffle(on={unit!r}) puts them into one")
        variables = merged_variables([part[2] for part in parts])
        self._panels = dask.persist(*(dask.delayed(_recoded)(panel, variables) for panel in panels))
        super().__init__(variables, fixed, lags, max(longest for _, longest, _ in parts))

    def _source(self, variables: Sequence[Variable], rows: Rows) -> CountSource:
        import dask

        return DaskSource.of_tables(variables, [dask.delayed(_applied)(rows, panel) for panel in self._panels])


def _chosen(panel: Panel, lags: int, times: int, choose: Callable[[Panel], Table]) -> Table | None:
    """Table of some rows of the units with so many times; None if there is none whose weight is not 0."""
    there = panel.lengths >= times
    if panel.table.weights is not None:
        there &= np.bincount(panel.unit_of, panel.table.weights) > 0
    return choose(panel.with_lags(lags)) if there.any() else None


def _refuse_split(seen: set[Hashable], units: Sequence[Hashable], part: str, way_out: str) -> None:
    """Enter the units of a part into those that were seen; ValueError if one is there."""
    twice = next((unit for unit in units if unit in seen), None)
    if twice is not None:
        raise ValueError(f"unit {twice!r} is in two {part}s: a {part} has all rows of its units; {way_out}.")
    seen.update(units)


def _panel_of_partition(
    frame: pd.DataFrame, unit: str, time: str, static: tuple[str, ...], lags: int, columns: Mapping[str, str | None]
) -> Panel | None:
    """Panel of a partition, with the states that it shows; None if none of its rows counts."""
    weights = columns["weights"]
    if not len(frame) or (weights is not None and (frame[weights] == 0).all()):
        return None

    def encode(rows: pd.DataFrame) -> Table:
        table = table_of_partition(rows, "error", columns)
        assert table is not None
        return table

    return panel_of_rows(frame, unit, time, encode, static=static, lags=lags)


def _summary(panel: Panel | None) -> tuple[tuple[Hashable, ...], int, tuple[Variable, ...]] | None:
    """Units of a part, the greatest number of their times, and the variables."""
    return None if panel is None else (panel.units, panel.longest, panel.table.variables)


def _recoded(panel: Panel | None, variables: tuple[Variable, ...]) -> Panel | None:
    return None if panel is None else replace(panel, table=panel.table.recoded(variables))


def _applied(rows: Rows, panel: Panel | None) -> Table | None:
    return None if panel is None else rows(panel)
