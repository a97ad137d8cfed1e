"""Widgets of a `Workbench`, and what they show."""

from __future__ import annotations

from typing import Any

import ipywidgets

from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import not_drawn
from bnlab.graphs import Dag
from bnlab.learners.table import scores_of
from bnlab.networks.fit import fit
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.panel import column, html_line, row, show_part
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.workbench import content, results
from bnlab.widgets.workbench.columns import column_lines, detail_lines, first_column
from bnlab.widgets.workbench.edges import edge_frame, edge_lines
from bnlab.widgets.workbench.knowledge import knowledge_lines, knowledge_picture
from bnlab.widgets.workbench.live import WorkbenchLive
from bnlab.widgets.workbench.traits import WorkbenchTraits

FORMS = {
    "data": "Data",
    "columns": "Columns",
    "details": "Details",
    "knowledge": "Background knowledge",
    "learn": "Learn a network",
    "list": "Networks",
    "trust": "Edge confidence",
    "edges": "Edges",
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
        self._results = results.result_frame(panel._session)
        self._changing = False
        self.forms = {name: Controls(label, heading=True) for name, label in FORMS.items()}
        self.data, self.columns, self.details, self.knowing, self.learning, *others = self.forms.values()
        self.networks, self.trust, self.edges, self.files = others
        self._edges = edge_frame(Dag((), ()), None, None)
        self.forms["steps"] = self.steps = Controls("Workbench")
        self.live = WorkbenchLive()
        self.place, self.comparison, self.known = ipywidgets.VBox([], layout=FULL), html_line(), html_line()
        columns = row(column(WIDE, self.columns), column(NARROW, self.details))
        self._steps: dict[ipywidgets.Widget, tuple[str, ...]] = {
            self.data: ("data",),
            columns: ("variables",),
            row(column(WIDE, self.knowing), column(NARROW, self.known)): ("knowledge",),
            self.learning: ("learn",),
            self.networks: ("compare",),
            self.trust: ("trust",),
            self.place: ("compare", "trust"),
            self.edges: ("compare", "trust"),
            self.comparison: ("compare",),
            self.files: ("export",),
        }
        """Parts of the page, and the steps that show each."""
        self.parts = (self.steps, *self._steps, self.live)
        panel.observe(self._setting_changed, ["algorithm", "score", "options", "replicates", "estimate", "threshold"])
        panel.observe(self._choice_changed, ["shown", "reference"])
        panel.observe(lambda _: self.show(), ["step", "knowledge"])

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
            self._results = results.result_frame(panel._session)
            self._changing = True
            try:
                if panel.reference not in graphs or panel.reference == shown:
                    panel.reference = None
                panel.shown = shown if shown in graphs else next(iter(graphs), None)
            finally:
                self._changing = False
            self._draw_network()
            self.comparison.value = results.comparison_html(panel._session, self._results)
        self.show()

    def _draw_network(self) -> None:
        """Draw the network that is shown."""
        session, name, other = self._panel._session, self._panel.shown, self._panel.reference
        old, self.graph = self.graph, None
        if name is None:
            self.place.children = []
            self._edges = self._edges.head(0)
        else:
            graph, found = session.study.graphs[name], session.study.confidence.get(name)
            table = session.table if len(graph) <= PROBABLE else None
            gaps = table is not None and table.has_gaps
            edges = () if found is None else found.edge_list().itertuples()
            try:
                self.graph = NetworkGraph(
                    # The picture counts complete rows only; probabilities do without them.
                    fit(graph, table) if table is not None and gaps else graph,
                    None if gaps else table,
                    reference=None if other is None else {other: session.study.graphs[other]},
                    strengths={(edge.u, edge.v): edge.strength for edge in edges} or None,
                    bars=False if table is None or max(table.arities) > BARS else None,
                )
                self.place.children = [self.graph]
            except TooLarge as error:
                self.place.children = [ipywidgets.HTML(not_drawn(error))]
            self._edges = edge_frame(graph, session.table, found)
        if self.graph is not None:
            self.graph.observe(lambda _: self.show_edges(), "selected_edge")
        if old is not None:
            old.close()

    def show_edges(self) -> None:
        """Show the table of edges, and which one is selected in the picture."""
        selected = None if self.graph is None else self.graph.selected_edge
        self.edges.show(edge_lines(self._edges, self._panel._typed["sort"], selected))

    def select_edge(self, key: str) -> None:
        """Select an edge of the table in the picture; ValueError when it was edited away there."""
        edge = self._edges.iloc[int(key)]
        if self.graph is not None:
            self.graph.selected_edge = (edge["u"], edge["v"])

    def show(self) -> None:
        """Show everything but columns and pictures."""
        with self._panel._lock:
            if self._panel._ready:
                self.data.show(content.data_lines(self._panel))
                self.files.show(content.file_lines(self._panel))
                if self._panel.step in self._panel._closed:
                    self._panel.step = "data" if self._panel._session.source is None else "learn"
                self.known.value = knowledge_picture(self._panel.knowledge)
                for part, steps in self._steps.items():
                    show_part(part, self._panel.step in steps)
                self.show_forms()

    def show_forms(self) -> None:
        """Show the forms that change while a job runs."""
        with self._panel._lock:
            self.steps.show(content.step_lines(self._panel))
            self.knowing.show(knowledge_lines(self._panel))
            self.learning.show(content.learn_lines(self._panel))
            self.networks.show(results.network_lines(self._panel, self._results))
            self.trust.show(content.trust_lines(self._panel))
            self.show_edges()

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
