"""Board of a paper's printed numbers: each beside its rerun, what is behind it, and a button to run it again."""
# mypy: allow-untyped-decorators

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import RLock
from time import perf_counter
from typing import Any

from bnlab.experiments.grid import Cell
from bnlab.experiments.rerun import Network, Records, Rerun
from bnlab.experiments.reruns import rerun_of
from bnlab.figures.graphs.network import network_picture
from bnlab.figures.papers.forest import WIDTH, forest_json
from bnlab.figures.papers.forest_table import counted_inside, forest_table
from bnlab.figures.picture import Picture
from bnlab.widgets.base.closing import close_parts
from bnlab.widgets.base.worker import Worker
from bnlab.widgets.board.details import Looks
from bnlab.widgets.board.parts import BoardParts
from bnlab.widgets.board.runs import BoardRuns
from bnlab.widgets.board.texts import (
    CHOOSE,
    Row,
    detail_html,
    ended,
    going_html,
    heading_html,
    status_html,
    still_html,
    table_rows,
)
from bnlab.widgets.board.traits import BoardTraits


class ExperimentBoard(BoardTraits):
    """Published against rerun for a whole paper.

    Table and forest plot of every printed number, filters, and for the chosen one its runs, confusion matrix, network
    and code. What has not been run can be run from here; records go to their files one by one, so that a run that is
    stopped, or closed, goes on where it was.

    Parameters
    ----------
    paper : str or Rerun
        "carvalho2009", "carvalho2007", "villanueva2012" or "matuszak2012".
    records : path-like, optional
        Folder with the paper's records, where fresh ones go, too; without one they are in memory alone.
    variant : str, optional
        Where the board stands first; the first variant by default.
    processes : int
        Other processes that run cells; with 0 they run in this one, where a cell that is begun is finished.

    Raises
    ------
    ValueError
        If the paper or a setting is unknown, or the folder is not there.

    Examples
    --------
    >>> from bnlab.widgets import ExperimentBoard
    >>> board = ExperimentBoard("carvalho2009")
    >>> board.verdict = "not run"
    >>> len(board.to_frame())
    96
    >>> board.close()
    """

    _placing = _closed = False

    def __init__(
        self,
        paper: str | Rerun,
        records: str | os.PathLike[str] | None = None,
        *,
        variant: str | None = None,
        processes: int = 1,
    ) -> None:
        self.rerun = rerun_of(paper) if isinstance(paper, str) else paper
        self.records = Records(self.rerun, records)
        self._runs = BoardRuns(self.records, processes, self._show_progress, self._ran)
        self._looks = Looks(self.rerun, self._looked, apart=processes > 0)
        self._worker, self._lock = Worker(lambda: None), RLock()
        self._behind: dict[str, Cell] = {}
        super().__init__()
        self.set_trait("variant", self.rerun.variants[0] if variant is None else variant)
        self._table = self.rerun.table(self.records, self.variant)
        self._parts = BoardParts(self.rerun, self._table, self.variant)
        self.children, self.layout.width = self._parts.children, "100%"
        self.add_class("bnlab-panel")
        self._show_rows()
        self._show_close()
        self._listen()

    def run(self, rows: Sequence[Row] | None = None) -> None:
        """Run what has no record yet in the background, `runs` seeds or samples a row.

        Parameters
        ----------
        rows : sequence of (group, item), optional
            All that are shown by default.

        Raises
        ------
        RuntimeError
            If cells are being run already.
        """
        if self.running:
            raise RuntimeError("cells are being run already: `stop` first, or `wait`")
        shown = self._shown()
        chosen = list(zip(shown.group, shown["item"], strict=True)) if rows is None else [(g, i) for g, i in rows]
        by_row = {(g, i): self.rerun.cells(self.variant, g, i, self.runs) for g, i in chosen}
        if not self._runs.plan(self.variant, by_row):
            self._tell("Nothing to run: these runs are all among the records.")
            return
        self.running = True
        self._tell("")
        self._runs.start()

    def run_selected(self) -> None:
        """Run what the selected row lacks; if it lacks nothing, compute its shown run anew.

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
            self._tell("All of its runs are among the records; the one below is computed anew.")
            self._looks.forget(self.variant, item, self.cell)
            self._look_closely()

    def stop(self) -> None:
        """Stop running; what has ended is among the records."""
        self._runs.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is being run or computed; False if it still is after `timeout` seconds."""
        begun = perf_counter()
        for wait in (self._worker.wait, self._runs.wait, self._looks.wait):
            if not wait(None if timeout is None else max(0.0, timeout - (perf_counter() - begun))):
                return False
        return True

    def close(self) -> None:
        """Stop what is going on and close the board with its parts."""
        self._closed = True
        self.stop()
        self._looks.close()
        super().close()
        close_parts(self)

    def _listen(self) -> None:
        parts = self._parts
        for name, choice in [*parts.choices.items(), ("runs", parts.runs)]:
            choice.observe(partial(self._chosen, name), "value")
        for name, button in parts.buttons.items():
            button.on_click(partial(self._pressed, name))
        parts.cells.observe(lambda change: self._picked(change["new"]), "selected")
        parts.cells.observe(lambda _: self._later(self._show_forest), "room")
        parts.forest.observe(lambda change: self._picked((change["new"] or {}).get("customdata")), "clicked")
        self.observe(self._rerun_otherwise, "variant")
        self.observe(self._filtered, ["group", "item", "verdict", "view"])
        self.observe(self._point_out, "selected")
        self.observe(self._look_closely, "shown_run")
        self.observe(self._draw_network, "shown_network")
        self.observe(self._place_controls, ["runs", "running"])

    def _chosen(self, name: str, change: Any) -> None:
        value = change["new"] or None
        if not self._placing and value != getattr(self, name):
            self._later(lambda: self.set_trait(name, value))

    def _pressed(self, name: str, _: Any) -> None:
        if name == "stop":
            self.stop()
        else:
            self._later(getattr(self, name))

    def _picked(self, row: Any) -> None:
        if isinstance(row, list) and row != self.selected:
            self._later(lambda: self.set_trait("selected", row))

    def _later(self, job: Callable[[], None]) -> None:
        """Do a control's bidding in a thread, and say in the board what goes wrong."""

        def watched() -> None:
            with self._in_words("Not done"):
                if not self._closed:
                    job()

        self._worker.submit(watched)

    @contextmanager
    def _in_words(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not self._closed:
                self._tell(f"{what}: {error or type(error).__name__}", failed=True)
                self._place_controls()

    def _tell(self, text: str, *, failed: bool = False) -> None:
        self.failed, self.status = failed, text
        self._parts.status.value = status_html(text, failed=failed)

    def _rerun_otherwise(self, _: Any) -> None:
        """Show another variant; filters and choice stay where it has them."""
        with self._lock:
            self._table = self.rerun.table(self.records, self.variant)
            for name in ("group", "item"):
                if getattr(self, name) not in {None, *self._table[name]}:
                    setattr(self, name, None)
            if self.selected is not None and self._row(self.selected) is None:
                self.selected = None
            self._show_rows()
            self._point_out()

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
        self._place_controls()

    def _show_forest(self) -> None:
        self._parts.show(self._parts.forest, self.view == "forest")
        if self.view != "forest":
            return
        chosen = None if self.selected is None else (self.selected[0], self.selected[1])
        titles = self._titles() | {"title": ""}
        self._parts.forest.figure = forest_json(
            self._shown(), **titles, width=self._parts.cells.room or WIDTH, selected=chosen
        )

    def _place_controls(self, _: Any = None) -> None:
        """Put each control where its trait stands."""
        parts = self._parts
        self._placing = True
        try:
            for name, choice in parts.choices.items():
                if name in ("shown_run", "shown_network"):
                    continue
                choice.value = getattr(self, name) or ""
            parts.runs.value = self.runs
            parts.buttons["run_selected"].disabled = self.running or self.selected is None
            parts.buttons["run"].disabled = self.running
            parts.buttons["stop"].disabled = not self.running
        finally:
            self._placing = False

    def _offer(self, name: str, names: list[str], value: str | None) -> None:
        """Offer other names to choose from."""
        choice = self._parts.choices[name]
        self._placing = True
        try:
            if list(choice.options) != names:
                choice.options = names
            choice.value = value
        finally:
            self._placing = False

    def _point_out(self, _: Any = None) -> None:
        """Offer the runs behind the selected row, and look at one."""
        with self._lock:
            self._parts.cells.selected = self.selected
            self._behind = self._cells_behind()
            names = list(self._behind)
            run = self.shown_run if self.shown_run in self._behind else next(iter(names), None)
            self._offer("shown_run", names, run)
            if run == self.shown_run:
                self._look_closely()
            self.shown_run = run
            self._show_forest()
            self._place_controls()

    def _cells_behind(self) -> dict[str, Cell]:
        if self.selected is None:
            return {}
        group, item = self.selected
        stored = self.records.behind(self.variant, group, item)
        planned = self.rerun.cells(self.variant, group, item, self.runs)
        return {self.rerun.called(cell): cell for cell in [*stored, *planned]}

    def _look_closely(self, _: Any = None) -> None:
        """Show the run, and compute it in the background where that has not been done."""
        with self._lock:
            cell = self.cell
            if cell is not None and self.selected is not None and self.close_look is None:
                self._looks.ask(self.variant, self.selected[1], cell)
            self._offer("shown_run", list(self._behind), self.shown_run)
            self._show_close()

    def _looked(self, failure: Exception | None) -> None:
        """Show what a look has found; only the thread of the looks comes here."""
        with self._lock, self._in_words("Not shown"):
            if failure is not None:
                self._tell(f"Not computed: {failure or type(failure).__name__}", failed=True)
            elif self.failed:
                self._tell("")
            self._show_close(settled=True)

    def _show_close(self, *, settled: bool = False) -> None:
        parts, cell, close = self._parts, self.cell, self.close_look
        row = None if self.selected is None else self._row(self.selected)
        parts.show(parts.close, cell is not None)
        if row is None or cell is None:
            parts.words.value = CHOOSE
            return
        record = self.records.find(cell)
        going = close is None and self._looks.busy and not settled
        parts.words.value = detail_html(self.rerun, row, self.shown_run or "", record, close, going=going)
        parts.code.code = self.code
        parts.show_confusion(self.confusion)
        names = list(close.networks) if close is not None else []
        name = self.shown_network if self.shown_network in names else next(iter(names), None)
        self._offer("shown_network", names, name)
        parts.show(parts.choices["shown_network"], len(names) > 1)
        if name == self.shown_network:
            self._draw_network()
        self.shown_network = name

    def _draw_network(self, _: Any = None) -> None:
        network, graph = self.network, self._parts.graph
        self._parts.show(self._parts.right, network is not None)
        if network is not None:
            self._offer("shown_network", list(self._parts.choices["shown_network"].options), self.shown_network)
            graph.set_graph(network.graph, network.reference, kinds=network.kinds, relayout=True)

    def _ran(self, failure: Exception | None) -> None:
        """Show how a run has ended; only the thread of the runs comes here."""
        self.running = False
        batch = self._runs.batch
        if self._closed or batch is None:
            return
        with self._in_words("Not shown"):
            self._show_progress()
            self._point_out()
            self._tell(ended(batch, failure, stopped=self._runs.stopped), failed=failure is not None)

    def _show_progress(self) -> None:
        """Show what has been run so far; only the thread of the runs comes here."""
        batch = self._runs.batch
        if batch is None:
            return
        with self._lock:
            self._table = self.rerun.table(self.records, self.variant)
            self.progress = {"done": batch.done, "total": batch.total, "left": batch.seconds_left()}
            going = [self._named(cell) for cell in self._runs.going()]
            self._parts.progress.value = going_html(batch, going) if self.running else ""
            self._show_rows()

    def _named(self, cell: Cell) -> str:
        where, called = str(next(iter(cell.values()))), self.rerun.called(cell)
        return called if where in called else f"{where}, {called}"

    def __repr__(self) -> str:
        """Settings, verdicts and the table."""
        shown = self._shown()
        head = f"ExperimentBoard({self.rerun.title}; {self.variant}): {counted_inside(shown, self.rerun.verdicts)}"
        return f"{head}\n{forest_table(shown, corner=self.rerun.group_name).text}" if len(shown) else head

    def _repr_mimebundle_(self, **options: Any) -> Any:
        parts = self._parts
        close = "" if self.cell is None else parts.words.value
        close += "" if self.confusion is None else parts.confusion.value
        drawn = "" if self.network is None else _picture(self.network).to_html()
        html = still_html(self.rerun, self.variant, self._shown(), close + drawn, self.code)
        return {**super()._repr_mimebundle_(**options), "text/html": html, "text/plain": repr(self)}


def _picture(network: Network) -> Picture:
    return network_picture(network.graph, reference=network.reference, classes=network.kinds)
