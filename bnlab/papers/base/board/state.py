"""State of an experiment board, and its messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pandas as pd

from bnlab.papers.base.experiment import Experiment, Network, Records, RunDetail
from bnlab.papers.base.grid import Cell, key_of
from bnlab.papers.base.processes import Processes
from bnlab.widgets.base.pure import Message

Row: TypeAlias = tuple[str, str]
"""Group and item."""
ALL, NOT_RUN = "all", "not run"
NO_DETAIL = RunDetail("")


@dataclass(frozen=True)
class Moment:
    """How far a run of several cells is."""

    variant: str = ""
    done: int = 0
    total: int = 0
    left: float | None = None
    """Seconds."""
    going: tuple[str, ...] = ()
    """Names of the running cells."""
    states: Mapping[Row, str] = field(default_factory=dict)
    """"running" or "queued" for the rows with unfinished cells."""


@dataclass(frozen=True)
class State:
    """State of a board; fields from `variant` to `failed` are public. New runs are added to `records`."""

    rerun: Experiment = field(repr=False)
    records: Records = field(repr=False)
    runner: Processes | None = field(repr=False)
    """Processes that run cells; None for this process."""
    details_runner: Processes | None = field(repr=False)
    """Process that recomputes single cells."""
    variant: str
    group: str | None = None
    item: str | None = None
    verdict: str = ALL
    view: str = "table"
    selected: list[str] | None = None
    shown_run: str | None = None
    shown_network: str | None = None
    runs: int = 1
    running: bool = False
    progress: Mapping[str, Any] = field(default_factory=dict)
    status: str = ""
    failed: bool = False
    table: pd.DataFrame = field(default=None, repr=False, compare=False)
    """Reported and reproduced numbers of all rows of the variant."""
    behind: Mapping[str, Cell] = field(default_factory=dict, repr=False)
    """Cells of the selected row by the names of their runs."""
    moment: Moment = field(default_factory=Moment, repr=False)
    """Of the current or last run."""
    details: Mapping[str, RunDetail] = field(default_factory=dict, repr=False, compare=False)
    """The most recent ones, by `detail_key`."""
    wanted: str = ""
    """Key of the detail that is being recomputed; "" for none."""
    room: int | None = None
    """Width of the forest plot in pixels; None if it is not known."""

    @property
    def cell(self) -> Cell | None:
        """Cell of the shown run."""
        return self.behind.get(self.shown_run or "")

    @property
    def detail_key(self) -> str:
        """Key of the detail of the shown run; "" if no run is shown."""
        if self.cell is None or self.selected is None:
            return ""
        return key_of({"variant": self.variant, "item": self.selected[1], "cell": dict(self.cell)})

    @property
    def run_detail(self) -> RunDetail | None:
        """Details of the shown run; None until they are recomputed."""
        return self.details.get(self.detail_key)

    @property
    def confusion(self) -> pd.DataFrame | None:
        """Confusion matrix of the shown run; None if it has none or is not recomputed yet."""
        return (self.run_detail or NO_DETAIL).confusion

    @property
    def networks(self) -> list[str]:
        """Names of the networks of the shown run."""
        return list((self.run_detail or NO_DETAIL).networks)

    @property
    def network(self) -> Network | None:
        """Shown network."""
        return (self.run_detail or NO_DETAIL).networks.get(self.shown_network or "")

    @property
    def code(self) -> str:
        """Python code that repeats the shown run; empty if no run is shown."""
        return "" if self.cell is None else self.rerun.code(self.variant, self.cell)

    @property
    def shown(self) -> pd.DataFrame:
        """Rows of the table that pass the filters."""
        table = self.table
        for name, value in (("group", self.group), ("item", self.item)):
            if value is not None:
                table = table[table[name] == value]
        if self.verdict != ALL:
            table = table[[verdict(self.rerun, value) == self.verdict for value in table.inside]]
        return table

    @property
    def titles(self) -> dict[str, Any]:
        """Title, unit and verdicts of the forest plot, as its options."""
        return {"title": self.rerun.title, "unit": self.rerun.unit(self.variant), "verdicts": self.rerun.verdicts}

    def row(self, place: Iterable[str] | None) -> Any:
        """Row of the table at [group, item]; None if there is none."""
        if place is None:
            return None
        group, item = place
        return next(self.table[(self.table.group == group) & (self.table["item"] == item)].itertuples(), None)


def verdict(rerun: Experiment, inside: bool | None) -> str:
    """Text of a verdict."""
    return NOT_RUN if inside is None else rerun.verdicts[not inside]


class Run(Message):
    """Run the cells of some rows without a record, by default of all shown rows."""

    rows: tuple[Row, ...] | None = None


class RunSelected(Message):
    """Run the missing cells of the selected row; if there are none, recompute the shown run."""


class StopRun(Message):
    """Stop running."""


class Moved(Message):
    """Some of the cells have been run."""

    moment: Moment


class Ended(Message):
    """A run of cells has ended, with an error or None; `stopped` if it was stopped before its end."""

    moment: Moment
    text: str
    failed: bool


class Recomputed(Message):
    """The details of a run were recomputed."""

    key: str
    detail: RunDetail


class Resized(Message):
    """The forest plot has another width."""

    room: int | None
