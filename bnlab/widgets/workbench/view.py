"""Widgets of a `Workbench`, and what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import not_drawn
from bnlab.learners.table import scores_of
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.panel import column, html_line, row, show_part
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.workbench import content
from bnlab.widgets.workbench.columns import column_lines, detail_lines, first_column
from bnlab.widgets.workbench.live import WorkbenchLive
from bnlab.widgets.workbench.traits import WorkbenchTraits

if TYPE_CHECKING:
    import pandas as pd

FORMS = {
    "data": "Data",
    "columns": "Columns",
    "details": "Details",
    "learn": "Learn a network",
    "list": "Networks",
    "files": "Save and export",
}
FULL = {"width": "100%"}
WIDE, NARROW = "3 1 700px", "1 1 280px"
PROBABLE = 60
"""Most variables of a network whose picture has probabilities."""
BARS = 8
"""Most states of nodes that show probabilities."""


class WorkbenchView:
    """Widgets of a `Workbench`: forms, the network that is shown, a running search, and the comparison."""

    def __init__(self, panel: WorkbenchTraits) -> None:
        self._panel = panel
        self.graph: NetworkGraph | None = None
        self._results = content.result_frame(panel._session)
        self._changing = False
        self.forms = {name: Controls(label, heading=True) for name, label in FORMS.items()}
        self.data, self.columns, self.details, self.learning, self.networks, self.files = self.forms.values()
        self.live = WorkbenchLive()
        self.place, self.comparison = ipywidgets.VBox([], layout=FULL), html_line()
        columns = row(column(WIDE, self.columns), column(NARROW, self.details))
        shown = (columns, self.learning, self.networks, self.live, self.place, self.comparison, self.files)
        self._parts = ipywidgets.VBox(shown, layout=FULL)
        self.parts = (self.data, self._parts)
        panel.observe(self._setting_changed, ["algorithm", "score", "options", "replicates", "threshold"])
        panel.observe(self._choice_changed, ["shown", "reference"])

    def show_columns(self, column: str | None = None) -> None:
        """Show the columns and their preparation, and the details of one; by default of the same as before."""
        panel, kinds = self._panel, self._panel._session.kinds
        if kinds is not None:
            names = [name for name in (column, panel._column) if name in kinds.index]
            panel._column = names[0] if names else first_column(kinds)
            self.details.label = f"Details of {panel._column}"
        self.columns.show(column_lines(panel))
        self.details.show(detail_lines(panel))

    def show_networks(self, shown: str | None) -> None:
        """Show the networks of the session, and one of them."""
        panel, graphs = self._panel, self._panel._session.study.graphs
        with panel._lock:
            if not panel._ready:
                return
            self._results = content.result_frame(panel._session)
            self._changing = True
            try:
                if panel.reference not in graphs or panel.reference == shown:
                    panel.reference = None
                panel.shown = shown if shown in graphs else next(iter(graphs), None)
            finally:
                self._changing = False
            self._draw_network()
            self.comparison.value = content.comparison_html(panel._session, self._results)
        self.show()

    def _draw_network(self) -> None:
        """Draw the network that is shown."""
        session, name, other = self._panel._session, self._panel.shown, self._panel.reference
        old, self.graph = self.graph, None
        if name is None:
            self.place.children = []
        else:
            graph, found = session.study.graphs[name], session.study.confidence.get(name)
            table = session.table if len(graph) <= PROBABLE else None
            edges = () if found is None else found.to_frame().itertuples()
            try:
                self.graph = NetworkGraph(
                    graph,
                    table,
                    reference=None if other is None else {other: session.study.graphs[other]},
                    strengths={(edge.u, edge.v): edge.strength for edge in edges} or None,
                    bars=False if table is None or max(table.arities) > BARS else None,
                )
                self.place.children = [self.graph]
            except TooLarge as error:
                self.place.children = [ipywidgets.HTML(not_drawn(error))]
        if old is not None:
            old.close()

    def show(self) -> None:
        """Show everything but columns and pictures."""
        with self._panel._lock:
            if self._panel._ready:
                self.data.show(content.data_lines(self._panel))
                self.files.show(content.file_lines(self._panel))
                show_part(self._parts, self._panel._session.source is not None)
                self.show_forms()

    def show_forms(self) -> None:
        """Show the forms that change while a job runs."""
        with self._panel._lock:
            self.learning.show(content.learn_lines(self._panel))
            self.networks.show(content.network_lines(self._panel, self._results))

    def report(self, form: str, text: str, *, failed: bool = False) -> None:
        """Show a message in a form; values that were refused are replaced."""
        panel = self._panel
        panel._messages[form] = (text, failed)
        panel.failed, panel.status = failed, text
        self.show()
        if form == "columns":
            self.show_columns()
        if failed:
            for controls in (self.forms[form], self.details):
                controls.restore()

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
