"""Reported and reproduced numbers of a paper, with the runs behind them."""
# mypy: allow-untyped-decorators

from __future__ import annotations

import os
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from bnlab.experiments.experiment import Experiment, Network, Records
from bnlab.experiments.grid import Cell
from bnlab.experiments.papers import experiment_of
from bnlab.figures.graphs.network import network_picture
from bnlab.figures.papers.forest import WIDTH, forest_json
from bnlab.figures.papers.forest_table import counted_inside, forest_table
from bnlab.figures.picture import Picture
from bnlab.widgets.board.details import DetailLoader
from bnlab.widgets.board.parts import BoardParts, BoardState
from bnlab.widgets.board.runs import BoardRuns
from bnlab.widgets.board.texts import (
    CHOOSE,
    Row,
    detail_html,
    ended,
    heading_html,
    progress_text,
    still_html,
    table_rows,
)
from bnlab.widgets.board.traits import BoardTraits


class ExperimentBoard(BoardTraits):
    """Reported against reproduced numbers of a whole paper.

    Table and forest plot of every reported number, filters, and for the selected one its runs, confusion matrix,
    network and code. Missing runs can be started here. Each record is written when its run ends, so that a stopped or
    closed board continues where it was.

    Parameters
    ----------
    paper : str or Experiment
        "carvalho2009", "carvalho2007", "villanueva2012" or "matuszak2012".
    records : path-like, optional
        Folder of the paper's records, also for new ones; without one they are only in memory.
    variant : str, optional
        First value of the trait; the first variant by default.
    processes : int
        Number of processes that run cells; with 0 they run in this one, and a stop waits for the present cell.

    Raises
    ------
    ValueError
        If the paper or a setting is unknown, or the folder does not exist.

    Examples
    --------
    >>> from bnlab.widgets import ExperimentBoard
    >>> board = ExperimentBoard("carvalho2009")
    >>> board.verdict = "not run"
    >>> len(board.to_frame())
    96
    >>> board.close()
    """

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
        self._runs = BoardRuns(self.records, processes, self._show_progress, self._ran)
        self._details = DetailLoader(self.rerun, self._detail_loaded, in_process=processes > 0)
        self._behind: dict[str, Cell] = {}
        super().__init__()
        self.set_trait("variant", self.rerun.variants[0] if variant is None else variant)
        self._table = self.rerun.table(self.records, self.variant)
        self._parts = BoardParts(self.rerun, self._table)
        self._controls, self._status_line = self._parts.controls, self._parts.status
        self.children = self._parts.children
        self._ready = True
        self._show_rows()
        self._show_detail()
        self._listen()

    def run(self, rows: Sequence[Row] | None = None) -> None:
        """Run cells without a record in the background, `runs` seeds or samples per row.

        Parameters
        ----------
        rows : sequence of (group, item), optional
            All that are shown by default.

        Raises
        ------
        RuntimeError
            If cells are running already.
        """
        if self.running:
            raise RuntimeError("cells are running already: `stop` first, or `wait`")
        shown = self._shown()
        chosen = list(zip(shown.group, shown["item"], strict=True)) if rows is None else [(g, i) for g, i in rows]
        by_row = {(g, i): self.rerun.cells(self.variant, g, i, self.runs) for g, i in chosen}
        if not self._runs.plan(self.variant, by_row):
            self._report("Nothing to run: all of these runs have records.")
            return
        self.running = True
        self._report("")
        self._runs.start()

    def run_selected(self) -> None:
        """Run what is missing for the selected row; if nothing is, recompute the run shown.

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
            self._details.forget(self.variant, item, self.cell)
            self._load_detail()

    def stop(self) -> None:
        """Stop running; finished runs have records."""
        self._runs.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is running; False if something still is after `timeout` seconds."""
        begun = perf_counter()
        for wait in (self._worker.wait, self._runs.wait, self._details.wait):
            if not wait(None if timeout is None else max(0.0, timeout - (perf_counter() - begun))):
                return False
        return True

    def close(self) -> None:
        """Stop what runs, and close the board with its parts."""
        self._ready = False
        self.stop()
        self._details.close()
        super().close()

    def _listen(self) -> None:
        parts = self._parts
        parts.controls.on_change(self._control_used)
        parts.choices.on_change(self._control_used)
        parts.cells.observe(lambda change: self._picked(change["new"]), "selected")
        parts.cells.observe(lambda _: self._later(self._show_forest), "room")
        parts.forest.observe(lambda change: self._picked((change["new"] or {}).get("customdata")), "clicked")
        self.observe(self._show_variant, "variant")
        self.observe(self._filtered, ["group", "item", "verdict", "view"])
        self.observe(self._show_selected, "selected")
        self.observe(self._load_detail, "shown_run")
        self.observe(self._draw_network, "shown_network")
        self.observe(self._show_controls, ["runs", "running"])

    def _control_used(self, name: str, value: Any) -> None:
        actions = {"run": self.run, "run_selected": self.run_selected}
        if name == "stop":
            self.stop()
        elif name in actions:
            self._later(actions[name])
        else:
            self._later(lambda: self.set_trait(name, value))

    def _picked(self, row: Any) -> None:
        if isinstance(row, list) and row != self.selected:
            self._later(lambda: self.set_trait("selected", row))

    def _show_variant(self, _: Any) -> None:
        """Show another variant; keep filters and selection where it has them."""
        with self._lock:
            self._table = self.rerun.table(self.records, self.variant)
            for name in ("group", "item"):
                if getattr(self, name) not in {None, *self._table[name]}:
                    setattr(self, name, None)
            if self.selected is not None and self._row(self.selected) is None:
                self.selected = None
            self._show_rows()
            self._show_selected()

    def _filtered(self, _: Any) -> None:
        with self._lock:
            self._show_rows()

    def _show_rows(self) -> None:
        shown, cells = self._shown(), self._parts.cells
        columns, rows = table_rows(shown, self.rerun, self._runs.states(self.variant) if self.running else {})
        with cells.hold_sync():
            cells.columns, cells.rows = columns, rows
            cells.selected, cells.shown = self.selected, self.view == "table"
        self._parts.heading.value = heading_html(self.rerun, self.variant, shown)
        self._show_forest()
        self._show_controls()

    def _show_forest(self) -> None:
        self._parts.show(self._parts.forest, self.view == "forest")
        if self.view != "forest":
            return
        chosen = None if self.selected is None else (self.selected[0], self.selected[1])
        titles = self._titles() | {"title": ""}
        self._parts.forest.figure = forest_json(
            self._shown(), **titles, width=self._parts.cells.room or WIDTH, selected=chosen
        )

    def _show_controls(self, _: Any = None) -> None:
        batch = self._runs.batch
        progress = None
        if self.running and batch is not None:
            going = [self._named(cell) for cell in self._runs.going()]
            progress = batch.done / max(batch.total, 1), progress_text(batch, going)
        self._parts.show_controls(
            BoardState(
                *(self.variant, self.group, self.item, self.verdict, self.view, self.runs, self.running),
                has_selection=self.selected is not None,
                progress=progress,
            )
        )
        self._parts.show_choices(list(self._behind), self.shown_run, self._networks(), self.shown_network)

    def _networks(self) -> list[str]:
        detail = self.close_look
        return [] if detail is None else list(detail.networks)

    def _show_selected(self, _: Any = None) -> None:
        """Offer the runs of the selected row, and show one."""
        with self._lock:
            self._parts.cells.selected = self.selected
            self._behind = self._cells_behind()
            names = list(self._behind)
            run = self.shown_run if self.shown_run in self._behind else next(iter(names), None)
            if run == self.shown_run:
                self._load_detail()
            self.shown_run = run
            self._show_forest()
            self._show_controls()

    def _cells_behind(self) -> dict[str, Cell]:
        if self.selected is None:
            return {}
        group, item = self.selected
        stored = self.records.behind(self.variant, group, item)
        planned = self.rerun.cells(self.variant, group, item, self.runs)
        return {self.rerun.run_label(cell): cell for cell in [*stored, *planned]}

    def _load_detail(self, _: Any = None) -> None:
        """Show the run, and compute it in the background where that has not been done."""
        with self._lock:
            cell = self.cell
            if cell is not None and self.selected is not None and self.close_look is None:
                self._details.request(self.variant, self.selected[1], cell)
            self._show_detail()

    def _detail_loaded(self, failure: Exception | None) -> None:
        """Show a detail; called in the loader's thread."""
        with self._lock, self._errors_shown("Not shown"):
            if failure is not None:
                self._report(f"Not computed: {failure or type(failure).__name__}", failed=True)
            elif self.failed:
                self._report("")
            self._show_detail(settled=True)

    def _show_detail(self, *, settled: bool = False) -> None:
        parts, cell, close = self._parts, self.cell, self.close_look
        row = None if self.selected is None else self._row(self.selected)
        parts.show(parts.detail, cell is not None)
        if row is None or cell is None:
            parts.words.value = CHOOSE
            return
        record = self.records.find(cell)
        going = close is None and self._details.busy and not settled
        parts.words.value = detail_html(self.rerun, row, self.shown_run or "", record, close, going=going)
        parts.code.code = self.code
        parts.show_confusion(self.confusion)
        names = self._networks()
        name = self.shown_network if self.shown_network in names else next(iter(names), None)
        if name == self.shown_network:
            self._draw_network()
        self.shown_network = name
        self._show_controls()

    def _draw_network(self, _: Any = None) -> None:
        network, graph = self.network, self._parts.graph
        self._parts.show(self._parts.right, network is not None)
        if network is not None:
            self._show_controls()
            graph.set_graph(network.graph, truth=network.truth, kinds=network.kinds, relayout=True)

    def _ran(self, failure: Exception | None) -> None:
        """Show how a run has ended; called in the thread of the runs."""
        self.running = False
        batch = self._runs.batch
        if not self._ready or batch is None:
            return
        with self._errors_shown("Not shown"):
            self._show_progress()
            self._show_selected()
            self._report(ended(batch, failure, stopped=self._runs.stopped), failed=failure is not None)

    def _show_progress(self) -> None:
        """Show finished runs; called in the thread of the runs."""
        batch = self._runs.batch
        if batch is None:
            return
        with self._lock:
            self._table = self.rerun.table(self.records, self.variant)
            self.progress = {"done": batch.done, "total": batch.total, "left": batch.seconds_left()}
            self._show_rows()

    def _named(self, cell: Cell) -> str:
        where, called = str(next(iter(cell.values()))), self.rerun.run_label(cell)
        return called if where in called else f"{where}, {called}"

    def __repr__(self) -> str:
        """Settings, verdicts and the table."""
        shown = self._shown()
        head = f"ExperimentBoard({self.rerun.title}; {self.variant}): {counted_inside(shown, self.rerun.verdicts)}"
        return f"{head}\n{forest_table(shown, corner=self.rerun.group_name).text}" if len(shown) else head

    def still(self) -> dict[str, Any]:
        """Table, pictures, and the selected row."""
        parts = self._parts
        detail = "" if self.cell is None else parts.words.value
        detail += "" if self.confusion is None else parts.confusion.value
        drawn = "" if self.network is None else _picture(self.network).to_html()
        return {"text/html": still_html(self.rerun, self.variant, self._shown(), detail + drawn, self.code)}


def _picture(network: Network) -> Picture:
    return network_picture(network.graph, truth=network.truth, classes=network.kinds)
