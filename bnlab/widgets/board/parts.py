"""Parts of an experiment board, and its controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import ipywidgets
import pandas as pd

from bnlab.experiments.experiment import Experiment
from bnlab.figures.papers.confusion import confusion_table
from bnlab.graphs import Dag
from bnlab.widgets.base.controls import Control, Controls, button, number, progress, select, tabs
from bnlab.widgets.base.plotly_view import PlotlyView
from bnlab.widgets.board.code import BoardCode
from bnlab.widgets.board.table import BoardTable
from bnlab.widgets.graph.view import GraphView

ALL = "all"
NOT_RUN = "not run"
VIEWS = {"table": "Table", "forest": "Forest plot"}
WRAPPED = {"flex_flow": "row wrap", "width": "100%", "overflow": "hidden", "align_items": "flex-start"}
HALF = {"flex": "1 1 400px", "min_width": "0", "max_width": "100%"}
WIDE = 14
"""Columns of a confusion matrix from which on it has a line of its own."""
MOST_RUNS = 10_000
GRAPH_HEIGHT = 420
COMPUTED = "Test rows by class and prediction, recomputed; the records store only the number of hits."


class BoardState(NamedTuple):
    """Values that the controls show: traits of the board, and the progress of a run as (share, text) or None."""

    variant: str
    group: str | None
    item: str | None
    verdict: str
    view: str
    runs: int
    running: bool
    has_selection: bool
    progress: tuple[float, str] | None


class BoardParts:
    """Widgets of a board; the board gives them their values and listens to them.

    Parameters
    ----------
    rerun : Experiment
    table : DataFrame
        From `Experiment.table`.
    """

    def __init__(self, rerun: Experiment, table: pd.DataFrame) -> None:
        self._rerun = rerun
        self._groups, self._items = (_with_all(table[name]) for name in ("group", "item"))
        self.heading, self.status, self.words = (ipywidgets.HTML() for _ in range(3))
        self.controls, self.choices = Controls("Experiments"), Controls("Run")
        self.cells = BoardTable(corner=rerun.group_name, description=f"{rerun.title}: reported and reproduced")
        self.forest = PlotlyView({"data": [], "layout": {}}, description=f"{rerun.title}: forest plot")
        self.confusion = ipywidgets.HTML(layout={"overflow": "auto", "max_width": "100%"})
        self.confusion.tabbable = True  # arrow keys scroll it
        self.graph = GraphView.from_graph(Dag.empty(["?"]), height=GRAPH_HEIGHT)
        self.code = BoardCode()
        self.left, self.right = (ipywidgets.VBox([part], layout=HALF) for part in (self.confusion, self.graph))
        both = ipywidgets.Box([self.left, self.right], layout=WRAPPED)
        self.detail = ipywidgets.VBox([self.choices, both, self.code], layout={"width": "100%"})
        self.children = [
            *(self.heading, self.controls, self.status),
            *(self.cells, self.forest, self.words, self.detail),
        ]

    def show_controls(self, state: BoardState) -> None:
        """Show filters and buttons."""
        rerun = self._rerun
        verdicts = [(verdict, verdict) for verdict in (ALL, *rerun.verdicts, NOT_RUN)]
        variants = [(variant, variant) for variant in rerun.variants]
        filters = [
            select("group", rerun.group_name, state.group, self._groups, "Rows shown"),
            select("item", rerun.item_name, state.item, self._items, "Columns shown"),
            select("verdict", "result", state.verdict, verdicts, "Results shown"),
            tabs("view", "View", state.view, list(VIEWS.items())),
        ]
        if len(variants) > 1:
            filters.insert(0, select("variant", rerun.variant_name, state.variant, variants, "Protocol of all runs"))
        running = [] if state.progress is None else [progress("progress", "Progress of the run", *state.progress)]
        self.controls.show([filters, self._run_line(state), running])

    def _run_line(self, state: BoardState) -> list[Control]:
        runs = f"{self._rerun.run_name}s"
        tip = f"Number of {runs} per cell of the table, counted from the first"
        startable = state.has_selection and not state.running
        selected = "Run what is missing for the selected cell; if nothing is, recompute the run shown"
        return [
            number("runs", runs, state.runs, tip, least=1, most=MOST_RUNS),
            button("run_selected", "Run selected", selected, enabled=startable),
            button("run", "Run all shown", "Run what is missing for the cells shown", enabled=not state.running),
            button("stop", "Stop", "Stop now; finished runs are saved", enabled=state.running),
        ]

    def show_choices(self, runs: Sequence[str], run: str | None, networks: Sequence[str], network: str | None) -> None:
        """Show which run and network of the selected row can be chosen."""
        line = [select("shown_run", "run", run, [(name, name) for name in runs], f"{self._rerun.run_name} shown")]
        if len(networks) > 1:
            line.append(select("shown_network", "network", network, [(n, n) for n in networks], "Network shown"))
        self.choices.show([line])

    def show_confusion(self, counts: pd.DataFrame | None) -> None:
        """Show a confusion matrix, or that there is none."""
        self.show(self.left, counts is not None)
        if counts is not None:
            self.confusion.value = confusion_table(counts, caption=COMPUTED).html
            self.left.layout.flex = "1 1 100%" if len(counts.columns) > WIDE else HALF["flex"]

    def show(self, part: Any, shown: bool) -> None:
        """Show or hide a part."""
        part.layout.display = None if shown else "none"


def _with_all(names: Sequence[str]) -> list[tuple[str | None, str]]:
    return [(None, ALL), *((name, name) for name in dict.fromkeys(names))]
