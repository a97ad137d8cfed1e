"""Settings of an experiment board as traits, and its numbers as frames and figures."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import traitlets

from bnlab._runtime.names import nearest
from bnlab.experiments.experiment import Experiment, Network, Records, RunDetail
from bnlab.experiments.grid import Cell
from bnlab.figures.papers.forest import forest_figure
from bnlab.widgets.base.panel import Panel
from bnlab.widgets.board.background import DetailLoader

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

ALL, NOT_RUN = "all", "not run"
NO_DETAIL = RunDetail("")
VIEWS = {"table": "Table", "forest": "Forest plot"}


class BoardTraits(Panel):
    """Part of `ExperimentBoard` that needs no page."""

    variant = traitlets.Unicode()
    """Protocol of all runs, or which of the reported numbers."""
    group = traitlets.Unicode(None, allow_none=True)
    """Group that is shown, such as a data set; None for all."""
    item = traitlets.Unicode(None, allow_none=True)
    """Item that is shown, such as a score; None for all."""
    verdict = traitlets.Unicode(ALL)
    """Rows that are shown: "all", "not run", or one of the paper's two verdicts, such as "inside" and "outside"."""
    view = traitlets.Enum(list(VIEWS), "table")
    """Table or forest plot."""
    selected = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True)
    """Selected row, [group, item]; None for none."""
    shown_run = traitlets.Unicode(None, allow_none=True)
    """Which of its runs, by name; None without a row."""
    shown_network = traitlets.Unicode(None, allow_none=True)
    """Which of its networks, by name; None before they are known."""
    runs = traitlets.Int(1, min=1)
    """Number of seeds or samples per row that `run` runs, counted from the first."""
    running = traitlets.Bool(False)
    """Whether cells are running."""
    progress = traitlets.Dict()
    """Of the present or last run: done, total, and left in seconds or None."""
    rerun: Experiment
    records: Records
    _details: DetailLoader
    _table: pd.DataFrame
    _behind: dict[str, Cell]

    def to_frame(self) -> pd.DataFrame:
        """Rows that are shown: reported and reproduced numbers.

        Returns
        -------
        DataFrame
            As `bnlab.experiments.experiment.Experiment.table`, without the texts.
        """
        return self._shown().drop(columns=["text", "note"]).reset_index(drop=True)

    def figure(self, **options: Any) -> go.Figure:
        """Forest plot of the rows that are shown; options as for `bnlab.figures.papers.forest.forest_figure`."""
        return forest_figure(self._shown(), **{**self._titles(), **options})

    @property
    def cell(self) -> Cell | None:
        """Cell of the shown run."""
        return self._behind.get(self.shown_run or "")

    @property
    def run_detail(self) -> RunDetail | None:
        """The shown run, recomputed; None before."""
        cell = self.cell
        if cell is None or self.selected is None:
            return None
        return self._details.find(self.variant, self.selected[1], cell)

    @property
    def confusion(self) -> pd.DataFrame | None:
        """Confusion matrix of the shown run, where it has one and is computed."""
        return (self.run_detail or NO_DETAIL).confusion

    @property
    def networks(self) -> list[str]:
        """Names of the networks of the shown run."""
        return list((self.run_detail or NO_DETAIL).networks)

    @property
    def network(self) -> Network | None:
        """Network that is shown."""
        return (self.run_detail or NO_DETAIL).networks.get(self.shown_network or "")

    @property
    def code(self) -> str:
        """Python that runs the shown run again; empty without one."""
        cell = self.cell
        return "" if cell is None or self.selected is None else self.rerun.code(self.variant, self.selected[1], cell)

    def _shown(self) -> pd.DataFrame:
        table = self._table
        for name, value in (("group", self.group), ("item", self.item)):
            if value is not None:
                table = table[table[name] == value]
        if self.verdict != ALL:
            table = table[[verdict(self.rerun, value) == self.verdict for value in table.inside]]
        return table

    def _row(self, row: Sequence[str]) -> Any:
        found = self._table[(self._table.group == row[0]) & (self._table["item"] == row[1])]
        return next(found.itertuples(), None)

    def _titles(self) -> dict[str, Any]:
        return {"title": self.rerun.title, "unit": self.rerun.unit(self.variant), "verdicts": self.rerun.verdicts}

    @traitlets.validate("variant")
    def _check_variant(self, proposal: Any) -> str:
        self.rerun.check_variant(proposal["value"])
        return str(proposal["value"])

    @traitlets.validate("group", "item", "verdict", "shown_run", "shown_network")
    def _check_choice(self, proposal: Any) -> str | None:
        name, value = proposal["trait"].name, proposal["value"]
        known: list[str] = {
            "group": list(dict.fromkeys(self._table["group"])),
            "item": list(dict.fromkeys(self._table["item"])),
            "verdict": [ALL, *self.rerun.verdicts, NOT_RUN],
            "shown_run": list(self._behind),
            "shown_network": self.networks,
        }[name]
        if value is not None and value not in known:
            raise ValueError(f"{name}={value!r}: {nearest(value, known) if known else 'there is none yet'}")
        return None if value is None else str(value)

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> list[str] | None:
        row: list[str] | None = proposal["value"]
        if row is not None and (len(row) != 2 or self._row(row) is None):
            raise ValueError(f"selected={row!r}: no such row; give [group, item] of `to_frame`, or None")
        return row


def verdict(rerun: Experiment, inside: bool | None) -> str:
    """Verdict in words."""
    return "not run" if inside is None else rerun.verdicts[not inside]
