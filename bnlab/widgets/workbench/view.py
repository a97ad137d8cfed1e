"""Widgets of a `Workbench` and their content."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets

from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import not_drawn
from bnlab.figures.graphs.node_tables import EdgeStrengths
from bnlab.graphs import Dag, Knowledge, Pdag
from bnlab.graphs.equivalence import any_member
from bnlab.learners.table import scores_of
from bnlab.networks.fit import fit
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.panel import column, html_line, row, show_part
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.player.player_graph import HALF
from bnlab.widgets.workbench import content, results
from bnlab.widgets.workbench.columns import column_lines, detail_lines, first_column, pattern_lines
from bnlab.widgets.workbench.edges import edge_frame, edge_heads, edge_lines, next_order, strengths_on
from bnlab.widgets.workbench.knowledge import knowledge_html, knowledge_lines, limit_lines
from bnlab.widgets.workbench.live import WorkbenchLive
from bnlab.widgets.workbench.measures import NetworkMeasures
from bnlab.widgets.workbench.pair import LinkedGraphs
from bnlab.widgets.workbench.source import data_lines
from bnlab.widgets.workbench.traits import WorkbenchTraits

FORMS = {
    "data": "Data",
    "columns": "Columns",
    "details": "Details",
    "patterns": "Patterns of missing values",
    "knowledge": "Background knowledge",
    "limits": "Maximum numbers of parents",
    "learn": "Learn a network",
    "list": "Networks",
    "trust": "Edge confidence",
    "edges": "Edges",
    "files": "Save and export",
}
WIDE, NARROW = "5 1 660px", "1 1 350px"
PROBABLE = 60
"""Maximum number of variables of a network whose picture has probabilities."""
BARS = 8
"""Maximum number of states of nodes that show probabilities."""


class WorkbenchView:
    """Widgets of a `Workbench`: forms, the shown network, a running search, and the comparison."""

    def __init__(self, panel: WorkbenchTraits) -> None:
        self._panel = panel
        self.graph: NetworkGraph | None = None
        self._results = results.result_frame(panel._session)
        self._changing = False
        self.forms = {name: Controls(label, heading=True) for name, label in FORMS.items()}
        self.data, self.columns, self.details, self.patterns, self.knowing, self.limits, *others = self.forms.values()
        self.learning, self.networks, self.trust, self.edges, self.files = others
        self._edges = edge_frame(Dag((), ()), None, None)
        self.forms["steps"] = self.steps = Controls("Workbench")
        self.steps.add_class("bnlab-sticky")
        self.live = WorkbenchLive()
        self.measures = NetworkMeasures(panel._session, self._measures_changed)
        self._table_strengths: tuple[Any, EdgeStrengths | None] | None = None
        """Table, and the strengths of edges on it."""
        self._second: NetworkGraph | None = None
        self._linked: LinkedGraphs | None = None
        self.comparison, self.known = html_line(), html_line()
        self.comparison.add_class("bnlab-shaded")
        self._titles = ipywidgets.HTML(), ipywidgets.HTML()
        self._pictures = [column(HALF, title) for title in self._titles]
        show_part(self._pictures[1], False)
        self.place = row(*self._pictures)
        columns = row(column(WIDE, self.columns), column(NARROW, self.details))
        self._steps: dict[ipywidgets.Widget, tuple[str, ...]] = {
            self.data: ("data",),
            columns: ("variables",),
            self.patterns: ("variables",),
            row(column(WIDE, self.knowing, self.known), column(NARROW, self.limits)): ("knowledge",),
            self.learning: ("learn",),
            self.networks: ("compare",),
            self.trust: ("trust",),
            self.place: ("compare", "trust"),
            self.edges: ("compare", "trust"),
            self.comparison: ("compare",),
            self.files: ("export",),
        }
        """Parts of the page, each with the steps that show it."""
        self.parts = (self.steps, *self._steps, self.live)
        panel.observe(self._setting_changed, ["algorithm", "score", "options", "replicates", "estimate", "threshold"])
        panel.observe(self._choice_changed, ["shown", "reference", "beside"])
        panel.observe(lambda _: self._share_rules(), "knowledge")
        panel.observe(lambda _: self.show(), ["step", "knowledge"])

    def show_columns(self, column: str | None = None) -> None:
        """Show the columns and their preparation, and the details of a column, by default of the same as before."""
        panel, kinds = self._panel, self._panel._session.kinds
        if kinds is not None:
            names = [name for name in (column, panel._column) if name in kinds.index]
            panel._column = names[0] if names else first_column(kinds)
            self.details.label = f"Details of {panel._column}"
        self.columns.show(column_lines(panel))
        self.details.show(detail_lines(panel))
        self.patterns.show(pattern_lines(panel))

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
        self.measures.update(panel.shown)
        self.show()

    def _draw_network(self) -> None:
        """Draw the shown network and, if requested, the reference beside it."""
        session, name, other = self._panel._session, self._panel.shown, self._panel.reference
        self._remove_second()
        if name is None:
            self._remove_picture()
            self._edges = self._edges.head(0)
            return
        graph, found = session.study.graphs[name], session.study.confidence.get(name)
        if self._table_strengths is None or self._table_strengths[0] is not session.table:
            self._table_strengths = session.table, strengths_on(session.table)
        try:
            if self.graph is None or self.graph.graph.names != graph.names:
                self._remove_picture()
                self.graph = self._new_graph(name, other)
                self.graph.observe(lambda _: self.show_edges(), "selected_edge")
                self.graph.observe(self._picture_edited, ["graph", "show_essential"])
                self.graph.observe(self._picture_rules_changed, "knowledge")
            else:
                network, table, rest = self._graph_arguments(name, other)
                self.graph.switch(network, table, **rest)
                self._share_rules()
            self._show_pictures(name, other)
        except TooLarge as error:
            self._remove_picture()
            self._titles[0].value = not_drawn(error)
        shown = self._class_shown if self.graph is not None else session.study.as_class(name)
        self._edges = edge_frame(graph, self._table_strengths[1], found, shown)

    def _show_pictures(self, name: str, other: str | None) -> None:
        """Place the picture and, if requested, the picture of the other network beside it."""
        assert self.graph is not None
        self._pictures[0].children = [self._titles[0], self.graph]
        both = other is not None and self._panel.beside
        for title, text in zip(self._titles, (name, other), strict=True):
            title.value = f"<b>{escape(text)}</b>" if both and text else ""
        if other is not None and both:
            self._second = self._new_graph(other, name, details=False, editable=False)
            self._linked = LinkedGraphs(self.graph, self._second)
            self._pictures[1].children = [self._titles[1], self._second]
        show_part(self._pictures[1], both)

    def _graph_arguments(self, name: str, other: str | None) -> tuple[Any, Any, dict[str, Any]]:
        """Arguments of a `NetworkGraph` of a network, which may be compared with another one."""
        session = self._panel._session
        graphs, found = session.study.graphs, session.study.confidence.get(name)
        graph = any_member(graphs[name]) or graphs[name]
        table = session.table if len(graph) <= PROBABLE else None
        reference = None if other is None else {other: any_member(graphs[other]) or graphs[other]}
        if table is not None and table.has_gaps:
            # The picture needs complete rows to count; `fit` does not.
            return fit(graph, table), None, {"reference": reference, "strengths": found}
        return graph, table, {"reference": reference, "strengths": found}

    def _new_graph(self, name: str, other: str | None, **traits: Any) -> NetworkGraph:
        network, table, rest = self._graph_arguments(name, other)
        data = self._panel._session.table
        few = data is not None and data.n_variables <= PROBABLE and max(data.arities) <= BARS
        bars = None if few else False
        rules = self._panel.knowledge
        known = None if rules == Knowledge() else rules
        # What data cannot decide is not shown as a direction, unless the user asks for one member of the class.
        learned = name in self._panel._session.study.recipes and not isinstance(network, Pdag)
        traits = {"show_essential": learned, **traits}
        return NetworkGraph(network, table, bars=bars, knowledge=known, learnable=False, **rest, **traits)

    def _remove_second(self) -> None:
        """Remove the second picture."""
        if self._linked is not None:
            self._linked.close()
        if self._second is not None:
            self._pictures[1].children = [self._titles[1]]
            self._second.close()
        self._linked = self._second = None

    def _remove_picture(self) -> None:
        old, self.graph = self.graph, None
        self._pictures[0].children = [self._titles[0]]
        self._titles[0].value = ""
        if old is not None:
            old.close()

    @property
    def edited(self) -> bool:
        """Whether the network was edited in its picture."""
        given = self._panel._session.study.graphs.get(str(self._panel.shown))
        if self.graph is None or given is None:
            return False
        return self.graph.graph not in (given, any_member(given))

    @property
    def _class_shown(self) -> Dag | Pdag | None:
        """Essential graph in the picture; None if it shows the graph itself."""
        return self.graph.state.session.essential if self.graph is not None and self.graph.show_essential else None

    def _picture_edited(self, _: Any) -> None:
        """Show the edges of the picture after an edit."""
        session, name = self._panel._session, self._panel.shown
        if self.graph is None or name not in session.study.graphs or self._table_strengths is None:
            return
        found = session.study.confidence.get(name)
        self._edges = edge_frame(self.graph.graph, self._table_strengths[1], found, self._class_shown)
        self.show_forms()

    def _picture_rules_changed(self, change: Any) -> None:
        """Copy rules about edges from the picture."""
        self._panel.knowledge = change["new"] or Knowledge()

    def show_edges(self) -> None:
        """Show the table of edges, and mark the edge that is selected in the picture."""
        with self._panel._lock:
            selected = None if self.graph is None else self.graph.selected_edge
            self.edges.show(edge_lines(self._edges, self._heads, self._panel._order, selected))

    @property
    def _heads(self) -> dict[str, str]:
        """Columns of the table of edges."""
        return edge_heads(self._edges, self._panel._session.study.confidence.get(str(self._panel.shown)))

    def sort_edges(self, head: str) -> None:
        """Sort the table of edges by a column."""
        self._panel._order = next_order(self._panel._order, self._heads, head)
        self.show_edges()

    def select_edge(self, key: str) -> None:
        """Select an edge of the table in the picture; ValueError if the picture has no such edge any more."""
        edge = self._edges.iloc[int(key)]
        if self.graph is not None:
            ends = edge["u"], edge["v"]
            self.graph.selected_edge = ends if ends in self.graph.state.data.marks() else ends[::-1]

    def show(self) -> None:
        """Show everything except columns and pictures."""
        with self._panel._lock:
            if self._panel._ready:
                self.data.show(data_lines(self._panel))
                self.files.show(content.file_lines(self._panel))
                if self._panel.step in self._panel._closed_steps:
                    self._panel.step = "data" if self._panel._session.source is None else "learn"
                self.known.value = knowledge_html(self._panel.knowledge)
                for part, steps in self._steps.items():
                    show_part(part, self._panel.step in steps)
                self.show_forms()

    def show_forms(self) -> None:
        """Show the forms that change while a job runs."""
        with self._panel._lock:
            self.steps.show(content.step_lines(self._panel))
            self.knowing.show(knowledge_lines(self._panel))
            self.limits.show(limit_lines(self._panel))
            self.learning.show(content.learn_lines(self._panel))
            if list(self._results.index) != list(self._panel._session.study.graphs):
                # Other data are loaded but not shown yet.
                self._results = results.result_frame(self._panel._session)
            listed = results.network_lines(self._panel, self._results, self.measures, edited=self.edited)
            self.networks.show(listed)
            self.trust.show(content.trust_lines(self._panel))
            self.show_edges()

    def report(self, form: str, text: str, *, failed: bool = False) -> None:
        """Show a message in a form; after an error, restore the values of its controls."""
        panel = self._panel
        first, _, rest = text.partition(" ")
        panel._messages[form] = (
            f"{first.capitalize()} {rest}" if first.islower() and first.isalpha() else text,
            failed,
        )
        panel.failed, panel.status = failed, text
        self.show()
        if form == "columns":
            self.show_columns()
        if failed:
            for controls in (self.forms[form], self.details):
                controls.restore()

    def _setting_changed(self, change: Any) -> None:
        scores = scores_of(self._panel.algorithm)
        if change["name"] == "algorithm" and scores and self._panel.score not in scores:
            self._panel.score = scores[0]
        self.show()

    def _choice_changed(self, change: Any) -> None:
        if self._changing:
            return
        with self._panel._lock:
            if change["name"] == "beside" and self.graph is not None:
                # A picture with a selection would not be fitted to its new width.
                self.graph.selected_node = self.graph.selected_edge = None
            if change["name"] == "shown":
                self._panel._messages.pop("list", None)  # about another network
            if change["name"] == "shown" and self._panel.reference == self._panel.shown:
                self._panel.reference = None
            self._draw_network()
        self.measures.update(self._panel.shown)
        self.show()

    def _share_rules(self) -> None:
        """Copy the background knowledge to the picture, unless it names other variables."""
        rules, graph = self._panel.knowledge, self.graph
        if graph is not None and (graph.knowledge or Knowledge()) != rules and {*rules.names} <= {*graph.graph.names}:
            graph.knowledge = rules

    def _measures_changed(self) -> None:
        """Show measures that were computed in the background."""
        with self._panel._lock:
            if self._panel._ready:
                self.show_forms()

    def close(self) -> None:
        """Remove the second picture and its link to the first."""
        self._remove_second()
