"""Reported and reproduced numbers of a paper, with the runs behind them."""
# mypy: allow-untyped-decorators

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import ipywidgets
import pandas as pd

from bnlab.figures.contingency import confusion_table
from bnlab.figures.graphs.network import network_picture
from bnlab.graphs import Dag
from bnlab.papers.base.board import content
from bnlab.papers.base.board.background import BoardRuns, DetailLoader, Row
from bnlab.papers.base.board.content import BoardTraits
from bnlab.papers.base.experiment import Experiment, Network, Records
from bnlab.papers.base.forest import WIDTH, forest_json
from bnlab.papers.base.grid import Cell
from bnlab.papers.base.tables import agreement, forest_table
from bnlab.papers.experiments import experiment_of
from bnlab.widgets.base.controls import Controls, code
from bnlab.widgets.base.parts import column, row, show_part
from bnlab.widgets.base.plotly_view import PlotlyView
from bnlab.widgets.base.worker import wait_all
from bnlab.widgets.graph.view import GraphView

TABLE, GRAPH = "0 1 auto", "1 1 480px"
"""Widths of the confusion matrix and of the network beside it, as values of the CSS property flex."""
WIDE = 14
"""Number of columns above which a confusion matrix takes the whole width."""
GRAPH_HEIGHT = 420
COMPUTED = "Test rows by class and prediction, recomputed; the records store only the number of hits."


class ExperimentBoard(BoardTraits):
    """Reported and reproduced numbers of a whole paper.

    The board has a table and a forest plot of every reported number, filters, and the runs, confusion matrix, network
    and code of the selected number. It can start missing runs. Each record is written when its run ends, so that a
    stopped or closed board continues where it was.

    Parameters
    ----------
    paper : str or Experiment
        "carvalho2009", "carvalho2007", "villanueva2012" or "matuszak2012".
    records : path-like, optional
        Folder of the paper's records, including new ones; without a folder, records are only in memory.
    variant : str, optional
        First value of the trait; the first variant by default.
    processes : int
        Number of processes that run cells; with 0, cells run in this process, and a stop waits for the current cell.

    Raises
    ------
    ValueError
        If the paper or a setting is unknown, or the folder does not exist.

    Examples
    --------
    >>> from bnlab.papers import ExperimentBoard
    >>> board = ExperimentBoard("carvalho2009")
    >>> board.verdict = "not run"
    >>> len(board.to_frame())
    96
    >>> board.close()
    """

    _controls: Controls

    def __init__(
        self,
        paper: str | Experiment,
        records: str | os.PathLike[str] | None = None,
        *,
        variant: str | None = None,
        processes: int = 1,
    ) -> None:
        self.rerun = experiment_of(paper) if isinstance(paper, str) else paper
        self.records = Records(self.rerun, records)
        self._runs = BoardRuns(self.records, processes, self._show_progress, self._run_ended)
        self._details = DetailLoader(self.rerun, self._detail_loaded, in_process=processes > 0)
        self.behind: dict[str, Cell] = {}
        self._drawn: Network | None = None
        super().__init__()
        self.set_trait("variant", self.rerun.variants[0] if variant is None else variant)
        self.table = self.rerun.table(self.records, self.variant)
        self._build()
        self._ready = True
        self._show()
        self._listen()

    def run(self, rows: Sequence[Row] | None = None) -> None:
        """Run cells without a record in the background, `runs` seeds or samples per row.

        Parameters
        ----------
        rows : sequence of (group, item), optional
            All shown rows by default.

        Raises
        ------
        RuntimeError
            If cells are running already.
        """
        if self.running:
            raise RuntimeError("cells are running already: `stop` first, or `wait`")
        shown = self.shown()
        chosen = list(zip(shown.group, shown["item"], strict=True)) if rows is None else [(g, i) for g, i in rows]
        by_row = {(g, i): self.rerun.cells(self.variant, g, i, self.runs) for g, i in chosen}
        if not self._runs.plan(self.variant, by_row):
            self._report("Nothing to run: all of these runs have records.")
            return
        self.running = True
        self._report("")
        self._runs.start()

    def run_selected(self) -> None:
        """Run the missing cells of the selected row; if there are none, recompute the shown run.

        Raises
        ------
        ValueError
            If no row is selected.
        """
        if self.selected is None:
            raise ValueError("no row is selected: set `selected` to [group, item]")
        group, item = self.selected
        if self.records.missing(self.rerun.cells(self.variant, group, item, self.runs)):
            self.run([(group, item)])
        elif self.cell is not None:
            self._report("All of its runs have records; the run below is recomputed.")
            self._details.request(self.variant, item, self.cell)

    def stop(self) -> None:
        """Stop running; finished runs have records."""
        self._runs.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is running; False if something still is after `timeout` seconds."""
        return wait_all(timeout, self._worker.wait, self._runs.worker.wait, self._details.worker.wait)

    def close(self) -> None:
        """Stop all runs and close the board with its parts."""
        self._ready = False
        self.stop()
        self._details.close()
        super().close()

    def _build(self) -> None:
        title = self.rerun.title
        self._heading, self._legend, self._words = (ipywidgets.HTML() for _ in range(3))
        self._controls, self._choices = Controls("Experiments"), Controls("Run")
        self._cells, self._code = Controls(f"{title}: reported and reproduced"), Controls("Code")
        self._forest = PlotlyView({"data": [], "layout": {}}, description=f"{title}: forest plot", room=0)
        self._confusion = ipywidgets.HTML(layout={"overflow": "auto", "max_width": "100%"})
        self._confusion.tabbable = True  # arrow keys scroll it
        self._graph = GraphView.from_graph(Dag.empty(["?"]), height=GRAPH_HEIGHT)
        self._left, self._right = column(TABLE, self._confusion), column(GRAPH, self._graph)
        both = row(self._left, self._right)
        self._detail = ipywidgets.VBox([self._choices, both, self._code], layout={"width": "100%"})
        above = [self._heading, self._controls, self._cells]
        self.children = [*above, self._forest, self._legend, self._words, self._detail]

    def _listen(self) -> None:
        for controls in (self._controls, self._choices, self._cells):
            controls.on_change(self._control_used)
        self._forest.observe(self._point_clicked, "clicked")
        self._forest.observe(lambda _: self._later(self._show), "room")
        self.observe(self._show_variant, "variant")
        self.observe(self._show_selected, "selected")
        self.observe(self._show_run, "shown_run")
        self.observe(self._show, ["group", "item", "verdict", "view", "shown_network", "runs", "running"])

    def _control_used(self, name: str, value: Any) -> None:
        actions = {"run": self.run, "run_selected": self.run_selected}
        if name == "stop":
            self.stop()
        elif name in actions:
            self._later(actions[name])
        else:
            self._later(lambda: self.set_trait(name, value))

    def _point_clicked(self, change: Any) -> None:
        if isinstance(row := (change["new"] or {}).get("customdata"), list):
            self._control_used("selected", row)

    def _show_variant(self, _: Any) -> None:
        """Show another variant; keep the filters and the selection that it also has."""
        with self._lock:
            self.table = self.rerun.table(self.records, self.variant)
            for name in ("group", "item"):
                if getattr(self, name) not in {None, *self.table[name]}:
                    setattr(self, name, None)
            if self.selected is not None and self._row(self.selected) is None:
                self.selected = None
            self._show_selected()

    def _show_selected(self, _: Any = None) -> None:
        """List the runs of the selected row, and show one."""
        with self._lock:
            self.behind = self._cells_behind()
            self.shown_run = self.shown_run if self.shown_run in self.behind else next(iter(self.behind), None)
            self._show_run()

    def _cells_behind(self) -> dict[str, Cell]:
        if self.selected is None:
            return {}
        group, item = self.selected
        stored = self.records.behind(self.variant, group, item)
        planned = self.rerun.cells(self.variant, group, item, self.runs)
        return {self.rerun.run_label(cell): cell for cell in [*stored, *planned]}

    def _show_run(self, _: Any = None) -> None:
        """Show the run; recompute it in the background if its details are not cached."""
        with self._lock:
            if self.cell is not None and self.selected is not None and self.run_detail is None:
                self._details.request(self.variant, self.selected[1], self.cell)
            self._show()

    def _show(self, _: Any = None) -> None:
        """Show the current state of all parts."""
        with self._lock:
            shown, forest = self.shown(), self.view == "forest"
            states = self._runs.states(self.variant) if self.running else {}
            results = content.results_table(self, shown, states)
            self._heading.value = content.heading_html(self, shown)
            self._cells.show([] if forest else [[results]])
            legend = "" if forest or not len(shown) else content.legend_html(self, shown)
            if self._legend.value != legend:  # an unchanged legend stays open
                self._legend.value = legend
            show_part(self._forest, forest)
            if forest:
                self._forest.figure = self._forest_json(shown)
            self._show_detail()
            self._show_controls()

    def _forest_json(self, shown: pd.DataFrame) -> dict[str, Any]:
        chosen = None if self.selected is None else (self.selected[0], self.selected[1])
        titles = self.titles() | {"title": ""}
        return forest_json(shown, **titles, width=self._forest.room or WIDTH, selected=chosen)

    def _show_controls(self) -> None:
        batch, share = self._runs.batch, None
        if self.running and batch is not None:
            going = [self._cell_name(cell) for cell in self._runs.going()]
            share = batch.done / max(batch.total, 1), content.progress_text(batch, going)
        self._controls.show(content.filter_lines(self, share))
        self._choices.show(content.choice_lines(self))

    def _show_detail(self) -> None:
        row, cell, detail = None if self.selected is None else self._row(self.selected), self.cell, self.run_detail
        show_part(self._detail, cell is not None)
        if row is None or cell is None:
            self._words.value = content.CHOOSE
            return
        record, going = self.records.find(cell), detail is None and self._details.busy
        self._words.value = content.detail_html(self.rerun, row, self.shown_run or "", record, detail, going=going)
        self._code.show([[code("code", "Code that runs this cell again", self.code)]])
        counts = self.confusion
        show_part(self._left, counts is not None)
        if counts is not None:
            self._confusion.value = confusion_table(counts, caption=COMPUTED).html
            self._left.layout.flex = "1 1 100%" if len(counts.columns) > WIDE else TABLE
        if self.shown_network not in self.networks:
            self.shown_network = next(iter(self.networks), None)
        network = self.network
        show_part(self._right, network is not None)
        if network is not None and network is not self._drawn:
            self._graph.set_graph(network.graph, truth=network.truth, kinds=network.kinds, relayout=True)
        self._drawn = network

    def _detail_loaded(self, failure: Exception | None) -> None:
        """Show a detail; called in the loader's thread."""
        with self._lock, self._errors_shown("Not shown"):
            if failure is not None:
                self._report(f"Not computed: {failure or type(failure).__name__}", failed=True)
            elif self.failed:
                self._report("")
            self._show()

    def _run_ended(self, failure: Exception | None) -> None:
        """Show the end of a run; called in the thread of the runs."""
        self.running = False
        batch = self._runs.batch
        if not self._ready or batch is None:
            return
        with self._errors_shown("Not shown"):
            self._show_progress()
            self._show_selected()
            self._report(content.ended(batch, failure, stopped=self._runs.stopped), failed=failure is not None)

    def _show_progress(self) -> None:
        """Show finished runs; called in the thread of the runs."""
        batch = self._runs.batch
        if batch is None:
            return
        with self._lock:
            self.table = self.rerun.table(self.records, self.variant)
            self.progress = {"done": batch.done, "total": batch.total, "left": batch.seconds_left()}
            self._show()

    def _cell_name(self, cell: Cell) -> str:
        first, label = str(next(iter(cell.values()))), self.rerun.run_label(cell)
        return label if first in label else f"{first}, {label}"

    def __repr__(self) -> str:
        """Settings, verdicts and the table."""
        shown = self.shown()
        head = f"ExperimentBoard({self.rerun.title}; {self.variant}): {agreement(shown, self.rerun.verdicts)}"
        return f"{head}\n{forest_table(shown, corner=self.rerun.group_name).text}" if len(shown) else head

    def still(self) -> dict[str, Any]:
        """Table, pictures, and the selected row."""
        network, detail = self.network, "" if self.cell is None else self._words.value
        if self.confusion is not None:
            detail += self._confusion.value
        if network is not None:
            detail += network_picture(network.graph, truth=network.truth, classes=network.kinds).to_html()
        return {"text/html": content.still_html(self, detail)}
