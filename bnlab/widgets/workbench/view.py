"""Widgets of a `Workbench`, what they show, and a running search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import isfinite
from threading import Event
from time import perf_counter
from typing import Any

import ipywidgets

from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import not_drawn
from bnlab.figures.searches.curve import Curve
from bnlab.graphs import Dag, Pdag
from bnlab.learners.table import scores_of
from bnlab.networks.fit import fit
from bnlab.search import Work
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.panel import column, html_line, row, show_part
from bnlab.widgets.base.timing import CURVE_SHARE, GRAPH_FRAME, GRAPH_SHARE, Pace, duration
from bnlab.widgets.base.widget import BaseWidget, close_parts
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.player.charts import ConvergencePlot
from bnlab.widgets.player.described import described, progress
from bnlab.widgets.player.views import HALF, PlayerGraph
from bnlab.widgets.workbench import content
from bnlab.widgets.workbench.columns import column_lines, detail_lines, first_column
from bnlab.widgets.workbench.edges import edge_frame, edge_lines
from bnlab.widgets.workbench.knowledge import knowledge_html, knowledge_lines
from bnlab.widgets.workbench.traits import WorkbenchTraits

LONG = 0.3
"""Seconds after which a running search is drawn."""
FRAME = 0.15
"""Seconds between two reports of a running search."""


class WorkbenchLive(BaseWidget, ipywidgets.VBox):  # type: ignore[misc]
    """Follows a running search, and ends it on request; empty before and after.

    Examples
    --------
    >>> live = WorkbenchLive()
    >>> live.begin(("A", "B"), None, Event(), print)
    >>> live.end()
    >>> live.children
    ()
    """

    children: Any

    def __init__(self) -> None:
        super().__init__(layout={"width": "100%"})
        self._graph: PlayerGraph | None = None
        self._plot: ConvergencePlot | None = None

    def begin(
        self, names: Sequence[str], places: Dag | None, stop: Event, report: Callable[[float | None, str], None]
    ) -> None:
        """Start to follow a search until `stop` is set.

        Nodes get their positions in the network `places`; `report(share or None, text)` is called at intervals.
        """
        self._names, self._places, self._stop, self._report = tuple(names), places, stop, report
        self._curve, self._pace = Curve(self._names), Pace(CURVE_SHARE + GRAPH_SHARE, GRAPH_FRAME)
        self._begun, self._due, self._steps, self._best = perf_counter(), 0.0, 0, float("-inf")
        self._first: Work | None = None
        self._failed = False

    def watch(self, search: Any, state: Any, info: Any) -> bool:
        """Record a step, and report and draw it when it is time; true when the search has to end."""
        self._steps += 1
        point, now = progress(info, self._steps), perf_counter() - self._begun
        self._best = max(self._best, point.best_score)
        if isfinite(point.best_score):
            self._curve.add(point, now - self._curve.seconds)
        if self._stop.is_set():
            return True
        if now >= LONG and not self._failed:
            self._pace.draw(lambda: self._draw(search, state))
        if now >= self._due:
            self._due = now + FRAME
            self._report(*self._words(described(search).snapshot(state).work, now))
        return self._stop.is_set()

    def end(self) -> None:
        """Remove the pictures."""
        parts, self.children = self.children, ()
        self._graph, self._plot = None, None
        for part in parts:
            part.close()
            close_parts(part)

    def _words(self, done: Work | None, seconds: float) -> tuple[float | None, str]:
        """Share that is done, where it is known, and the progress in words."""
        best = f", best score {self._best:,.2f}".replace("-", "−") if isfinite(self._best) else ""
        if done is None or not done.total:
            return None, f"step {self._steps:,}{best}, {seconds:,.1f} s"
        self._first = first = self._first or done
        # The stages of a search have totals of their own: a speed is measured within one of them.
        made = done.done - first.done if first.total == done.total else 0
        left = f", {duration(seconds * (done.total - done.done) / made)} left" if made > 0 else ""
        return done.done / done.total, f"{done.done:,} of {done.total:,} {done.unit}{best}, {seconds:,.1f} s{left}"

    def _draw(self, search: Any, state: Any) -> None:
        try:
            found = present_graph(search, state, self._names)
            if self._graph is None:
                self._graph = PlayerGraph(found, self._places)
                self._show(self._graph)
            self._graph.show(found, compare=False, kinds=None, settle=False)
            if self._plot is not None:
                self._plot.refresh()
        except Exception as error:
            # An error in a picture must not end the search.
            self._failed = True
            self.end()
            words = str(error) or type(error).__name__
            self.children = [ipywidgets.HTML(f'<p role="alert">Search not drawn: {escape(words)}</p>')]

    def _show(self, drawn: PlayerGraph) -> None:
        parts: list[ipywidgets.Widget] = [drawn.view]
        if len(self._curve):
            self._plot = ConvergencePlot(height=240)
            self._plot.follow("this search", self._curve)
            parts.insert(0, self._plot)
        self.children = [row(*(column(HALF, part) for part in parts))]


def present_graph(search: Any, state: Any, names: Sequence[str]) -> Dag | Pdag:
    """Best graph that a search has found so far; of a bootstrap, the consensus so far."""
    found = search.result(state)
    if isinstance(found, tuple):
        return Dag(names, found)
    description = described(search)
    graph: Dag | Pdag = description.graph_of(description.snapshot(state).sketch, names)
    return graph


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
WIDE, NARROW = "2 1 660px", "1 1 350px"
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
                self.known.value = knowledge_html(self._panel.knowledge)
                for part, steps in self._steps.items():
                    show_part(part, self._panel.step in steps)
                self.show_forms()

    def show_forms(self) -> None:
        """Show the forms that change while a job runs."""
        with self._panel._lock:
            self.steps.show(content.step_lines(self._panel))
            self.knowing.show(knowledge_lines(self._panel))
            self.learning.show(content.learn_lines(self._panel))
            self.networks.show(content.network_lines(self._panel, self._results))
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
