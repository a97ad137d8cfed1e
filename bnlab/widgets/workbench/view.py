"""Widgets of a `Workbench`, and what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from bnlab.analysis.preparation import PreparationEditor
from bnlab.analysis.session import Session
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import not_drawn
from bnlab.learners.table import scores_of
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.panel import html_line
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.workbench.columns import WorkbenchColumns
from bnlab.widgets.workbench.learning import Activity, learn_lines
from bnlab.widgets.workbench.live import WorkbenchLive
from bnlab.widgets.workbench.results import (
    comparison_html,
    data_lines,
    file_lines,
    result_frame,
    result_lines,
)
from bnlab.widgets.workbench.traits import WorkbenchTraits

if TYPE_CHECKING:
    import pandas as pd

FULL = {"width": "100%"}
PROBABLE = 60
"""Most variables of a network whose picture has probabilities."""
BARS = 8
"""Most states of nodes that show probabilities."""


class WorkbenchView:
    """Widgets of a `Workbench`, and what they show.

    Parameters
    ----------
    panel : WorkbenchTraits
        The workbench, whose traits are shown.
    session : Session

    Attributes
    ----------
    name, path, file : str
        What is typed in the fields for a network's name, a data file and a file to write.
    suggestion : str
        Why the suggested learner was chosen.
    messages : dict of str to (text, failed)
        Last message of each form.
    running : (form, share or None, text) or None
        Progress of the running job.
    """

    def __init__(self, panel: WorkbenchTraits, session: Session) -> None:
        self._panel, self._session = panel, session
        self.preparing: PreparationEditor | None = None
        self.name, self.path, self.file, self.suggestion = "", "", "analysis", ""
        self.messages: dict[str, tuple[str, bool]] = {}
        self.running: tuple[str, float | None, str] | None = None
        self.graph: NetworkGraph | None = None
        self._results = result_frame(session)
        self._changing = False
        self.data = Controls("Data", heading=True)
        self.columns = WorkbenchColumns()
        self.learning = Controls("Learn a network", heading=True)
        self.networks = Controls("Networks", heading=True)
        self.live = WorkbenchLive()
        self._place = ipywidgets.VBox([], layout=FULL)
        self.comparison = html_line()
        self.files = Controls("Save and export", heading=True)
        self.parts = (
            *(self.data, self.columns, self.learning, self.networks),
            *(self.live, self._place, self.comparison, self.files),
        )
        panel.observe(self._setting_changed, ["algorithm", "score", "options", "replicates", "threshold"])
        panel.observe(self._choice_changed, ["shown", "reference"])

    def show_columns(self) -> None:
        """Show the columns and their preparation."""
        session, preparing = self._session, self.preparing
        if preparing is not None and session.kinds is not None and session.table is not None:
            self.columns.show(session.frame, session.kinds, preparing.preparation, session.table, dict(preparing.ways))

    def look(self, column: str) -> None:
        """Show one column closely."""
        session, preparing = self._session, self.preparing
        if preparing is not None and session.kinds is not None and column in session.kinds.index:
            self.columns.looked_at = column
            self.columns.look(session.frame, session.kinds, preparing.preparation)

    def show_networks(self, shown: str | None) -> None:
        """Show the networks of the session, and one of them."""
        graphs = self._session.study.graphs
        with self._panel._lock:
            if not self._panel._ready:
                return
            self._results = result_frame(self._session)
            self._changing = True
            try:
                if self._panel.reference not in graphs or self._panel.reference == shown:
                    self._panel.reference = None
                self._panel.shown = shown if shown in graphs else next(iter(graphs), None)
            finally:
                self._changing = False
            self._draw_network()
            self.comparison.value = comparison_html(self._session, self._results)
        self.show()

    def _draw_network(self) -> None:
        """Draw the network that is shown."""
        session, name = self._session, self._panel.shown
        old, self.graph = self.graph, None
        if name is not None:
            graph = session.study.graphs[name]
            table = session.table if len(graph) <= PROBABLE else None
            found = session.study.confidence.get(name)
            strengths = (
                None if found is None else {(row.u, row.v): row.strength for row in found.to_frame().itertuples()}
            )
            other = self._panel.reference
            reference = None if other is None else {other: session.study.graphs[other]}
            bars = False if table is None or max(table.arities) > BARS else None
            try:
                self.graph = NetworkGraph(graph, table, reference=reference, strengths=strengths or None, bars=bars)
                self._place.children = [self.graph]
            except TooLarge as error:
                self._place.children = [ipywidgets.HTML(not_drawn(error))]
        else:
            self._place.children = []
        if old is not None:
            old.close()

    def show(self) -> None:
        """Show everything but columns and pictures."""
        with self._panel._lock:
            if not self._panel._ready:
                return
            has_data = self._session.source is not None
            self.data.show(data_lines(self.path, has_data, self._message("data")))
            self.files.show(file_lines(self.file, has_data, self._message("files")))
            for part in (self.learning, self.networks, self.files):
                part.layout.display = None if has_data else "none"
            self.show_forms()

    def show_forms(self) -> None:
        """Show the forms that change while a job runs."""
        panel = self._panel
        with panel._lock:
            self.learning.show(
                learn_lines(
                    panel.algorithm,
                    panel.score,
                    panel.options,
                    name=self.name,
                    suggestion=self.suggestion,
                    ready=self._session.table is not None,
                    activity=self._activity("learn"),
                )
            )
            self.networks.show(
                result_lines(
                    self._session,
                    self._results,
                    shown=panel.shown,
                    reference=panel.reference,
                    replicates=panel.replicates,
                    threshold=panel.threshold,
                    activity=self._activity("list"),
                )
            )

    def _activity(self, place: str) -> Activity:
        running = self.running[1:] if self.running is not None and self.running[0] == place else None
        return Activity(running, self._panel.busy, *self._message(place))

    def _message(self, place: str) -> tuple[str, bool]:
        return self.messages.get(place, ("", False))

    def report(self, place: str, text: str, *, failed: bool = False) -> None:
        """Show a message in a form."""
        if place == "columns":
            self.columns.failed = ""
            self.columns.failed = text if failed else ""
        self.messages[place] = (text, failed)
        self._panel.failed, self._panel.status = failed, text
        self.show()

    def _setting_changed(self, change: Any) -> None:
        if change["name"] == "algorithm" and self._panel.score not in scores_of(self._panel.algorithm):
            self._panel.score = scores_of(self._panel.algorithm)[0]
        self.show()

    def _choice_changed(self, change: Any) -> None:
        if self._changing:
            return
        with self._panel._lock:
            if change["name"] == "shown" and self._panel.reference == self._panel.shown:
                self._panel.reference = None
            self._draw_network()
        self.show()


def size_words(frame: pd.DataFrame) -> str:
    """Rows and columns."""
    rows, columns = frame.shape
    return f"{rows:,} row{'s' if rows != 1 else ''}, {columns:,} column{'s' if columns != 1 else ''}"
