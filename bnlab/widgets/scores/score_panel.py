"""Compare networks under every score, with controls for ess, alpha and sample size (Carvalho 2009, section 2.1)."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from typing import Any

import ipywidgets
import traitlets

from bnlab.counts.source import DataLike
from bnlab.figures.scores.network_scores import Networks, NetworkScores
from bnlab.figures.scores.sample_size import PrefixScores
from bnlab.scores.dirichlet import Hyperparameters, PriorNetwork
from bnlab.widgets.base.controls import Controls, message
from bnlab.widgets.base.gap import Optima
from bnlab.widgets.base.panel import html_line, status_message
from bnlab.widgets.base.plotly_view import PlotlyView
from bnlab.widgets.base.worker import wait_all
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.graph.view import GraphView
from bnlab.widgets.scores.content import CHARTS, Chart, ScoreContent, Settings
from bnlab.widgets.scores.controls import SHOW, score_lines
from bnlab.widgets.scores.traits import ScoreTraits

COLUMN = {"min_width": "0", "width": "100%"}
GRID = {"grid_template_columns": "repeat(auto-fit, minmax(min(100%, max(420px, 34%)), 1fr))"}
AT_ONCE = 0.1
"""Seconds up to which a change is computed in the caller's thread; longer work goes to the worker thread."""
COMPUTING = "Computing …"


class ScorePanel(ScoreTraits):
    """Every score of several networks: which is best, for which ess, at which nodes, and with how many rows.

    Families are counted once for each number of rows; a slider evaluates only the formulas that depend on it.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
        A CountSource is scored only on all of its rows.
    networks : mapping of str to graph, or sequence of graphs, or graph
        Each a Dag, networkx.DiGraph, (parent, child) pairs, or anything with a `dag`, on the variables of the data in
        any order. Without names they are called "network 1", "network 2", ...
    prior : BayesianNetwork, optional
        Prior network of BDe. Without one, BDe is not shown.
    hyper : float, array_like or callable, optional
        Hyperparameters of BD. Without them, BD is not shown.
    **settings
        First values of the traits: ess, alpha, reference, score, n_rows, selected (a name or several) and hovered.

    Raises
    ------
    ValueError
        If there is no network, one is on other variables than the data, or a setting is out of range.
    TypeError
        If the name of a network is not a string, one is not a directed graph, the data cannot be counted, or there is
        no such setting.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> bit = ("0", "1")
    >>> table = Table([Variable("X", bit), Variable("Y", bit)], [[0, 0, 1, 1], [0, 0, 1, 1]])
    >>> panel = ScorePanel(table, {"apart": [], "joined": [("X", "Y")]})
    >>> panel.ess = 4
    >>> panel.to_frame()["bdeu"].round(3).to_dict()
    {'apart': -6.3, 'joined': -5.347}
    >>> panel.switches()["network"].tolist()
    ['joined']
    """

    _controls: Controls

    def __init__(
        self,
        data: DataLike,
        networks: Networks,
        *,
        prior: PriorNetwork | None = None,
        hyper: Hyperparameters | Any = None,
        **settings: Any,
    ) -> None:
        self._content = ScoreContent(PrefixScores(data, networks, prior=prior, hyper=hyper))
        self._scores: NetworkScores = self._content.scores.all
        self._shown: Settings | None = None
        self._pointing = self._moving = False
        self._links: dict[GraphView, traitlets.link] = {}
        self._optima = Optima(self._optima_changed)
        super().__init__()
        first = {"score": "bdeu", "n_rows": self._scores.n_rows, "selected": self.networks, **settings}
        first["score"] = self._scores.known_score(first["score"])
        if isinstance(first["selected"], str):
            first["selected"] = (first["selected"],)
        self.set_known_traits(first)
        self._build()

    def link(self, graph: Any) -> None:
        """Link the hovered node of a graph to the one of this panel, in both directions.

        Parameters
        ----------
        graph : NetworkGraph or GraphView

        Raises
        ------
        TypeError
            If it has no nodes to hover.
        """
        view = hovered_view(graph)
        if view not in self._links:
            nodes = frozenset(self._scores.nodes)
            transform = (lambda name: name, lambda name: name if name in nodes else None)
            self._links[view] = traitlets.link((self, "hovered"), (view, "hovered"), transform)

    def unlink(self, graph: Any) -> None:
        """Undo `link`; do nothing if the graph is not linked."""
        link = self._links.pop(hovered_view(graph), None)
        if link is not None:
            link.unlink()

    def distance_to_optimum(self) -> None:
        """Start an exact search under the current score and rows; `gap_text` gives the distances when it ends.

        The search runs in the background for up to a minute; `stop` ends it earlier, `wait` waits for it.

        Raises
        ------
        RuntimeError
            If an exact search is running already.
        """
        settings = self._settings()
        if self._optima.searching:
            raise RuntimeError("an exact search is running already: `stop` it first, or `wait`.")
        self._optima.found.pop(_searched_for(settings), None)
        self._optima.find(_searched_for(settings), lambda: self._content.gap_search(settings))

    def stop(self) -> None:
        """Stop the exact search; the bound so far stays."""
        self._optima.stop()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs; False if something still runs after `timeout` seconds."""
        return wait_all(timeout, self._optima.wait, super().wait)

    @property
    def gap_text(self) -> str:
        """Distances of the shown networks from the optimum; empty if they are not known for these settings."""
        settings = self._settings()
        found = self._optima.found.get(_searched_for(settings))
        return "" if found is None else self._content.gap_sentence(found, settings)

    def close(self) -> None:
        """Close the panel with its charts and controls, and stop its background work."""
        self._optima.stop()
        for view in list(self._links):
            self.unlink(view)
        super().close()

    def _build(self) -> None:
        self._controls = Controls("Scores")
        self._best: list[str] = []
        self._charts: dict[Chart, PlotlyView] = {name: PlotlyView({"data": [], "layout": {}}) for name in CHARTS}
        self._table, self._words = html_line(), html_line()
        columns = [ipywidgets.VBox([chart], layout=COLUMN) for chart in self._charts.values()]
        charts = ipywidgets.GridBox(columns, layout={**GRID, "width": "100%", "overflow": "hidden"})
        self.children = [self._controls, self._words, charts, self._table]
        self._ready = True
        self._show_controls()
        self._show()
        self._controls.on_change(self._choose)
        self._choose_by_click("scores", "score", lambda point: self._content.scores.all.scores[point["index"]])
        self._choose_by_click("ess", "ess", lambda point: float(point["x"]))
        self._choose_by_click("rows", "n_rows", lambda point: int(point["x"]))
        self._charts["nodes"].observe(self._bar_pointed, "hovered")

    def _choose_by_click(self, chart: Chart, name: str, value: Callable[[Any], Any]) -> None:
        """Set a trait to a value of the point that is clicked in a chart."""

        def clicked(change: Any) -> None:
            if change["new"] is not None:
                self._choose(name, value(change["new"]))

        self._charts[chart].observe(clicked, "clicked")

    def _show_controls(self) -> None:
        searching = self._optima.progress if self._optima.searching else None
        lines = score_lines(self._content, self._settings(), self._best, searching)
        distance = message("distance", self.gap_text, "status" if self.gap_text else "")
        self._controls.show([*lines, [distance, status_message(self)]])

    def _optima_changed(self) -> None:
        """Show the progress or the result of the exact search; the search calls this from its thread, too."""
        with self._errors_shown("Not shown"), self._lock:
            if self._ready:
                if self._optima.failure:
                    self._report(self._optima.failure, failed=True)
                self._show_controls()

    def _star(self, best: list[str]) -> None:
        self._best = best
        self._show_controls()

    def _choose(self, name: str, value: Any) -> None:
        """Set a trait from a control, or start an action. While a slider moves, only its last value is computed."""
        if name in ("optimum", "stop"):
            with self._errors_shown():
                (self.stop if name == "stop" else self.distance_to_optimum)()
            return
        with self._errors_shown(), self._lock:
            if name.startswith(SHOW):
                name, network = "selected", name.removeprefix(SHOW)
                value = (*self.selected, network) if value else tuple(n for n in self.selected if n != network)
            self._moving = True
            try:
                self.set_trait(name, round(value) if name == "n_rows" else value)
            finally:
                self._moving = False

    def _bar_pointed(self, change: Any) -> None:
        """Highlight in linked graphs the node whose bar is under the mouse; the chart does not change."""
        with self._errors_shown("Not shown"), self._lock:
            nodes = self._content.nodes(self._settings())
            self._pointing = True
            try:
                self.hovered = None if change["new"] is None else nodes[change["new"]["index"]]
            finally:
                self._pointing = False

    @traitlets.observe("ess", "alpha", "n_rows", "reference", "score", "selected", "hovered")
    def _changed(self, change: Any) -> None:
        if not self._ready:
            return
        with self._lock:
            self._show_controls()
            if change["name"] != "hovered":
                self._show()
            elif not self._pointing and self._content.scores.known(self.n_rows):
                self._charts["nodes"].figure = self._content.chart("nodes", self._settings(), legend=False)

    def _show(self) -> None:
        """Show the current settings: at once if code set them and the work is quick, otherwise in the background."""
        quick = self._content.seconds(self._settings()) <= AT_ONCE
        if quick and not self._moving and not self._worker.running:
            self._catch_up()
            return
        if not quick:
            self._report(COMPUTING)
        self._later(self._catch_up, "Not shown")

    def _catch_up(self) -> None:
        """Compute and show one part after another; stop after a later change, which has a job of its own."""
        settings = self._wanted()
        if settings == self._shown or not self._ready:
            self._report("")
            return
        self._shown = None
        for show, compute in self._parts_of(settings):
            found = compute()
            with self._lock:
                if not self._ready or self._wanted() != settings:
                    return
                show(found)
        self._shown = settings
        self._report("")

    def _wanted(self) -> Settings:
        """Settings that change the numbers."""
        return self._settings()._replace(hovered=None)

    def _parts_of(self, settings: Settings) -> Iterator[tuple[Callable[[Any], None], Callable[[], Any]]]:
        """Pairs (show, compute), the quick ones first."""
        content = self._content

        def into(widget: Any, trait: str) -> Callable[[Any], None]:
            return partial(setattr, widget, trait)

        def chart(name: Chart) -> tuple[Callable[[Any], None], Callable[[], Any]]:
            # The hovered node may have changed since.
            return into(self._charts[name], "figure"), lambda: content.chart(
                name, settings._replace(hovered=self.hovered), legend=False
            )

        yield into(self._table, "value"), partial(content.tables, settings)
        yield self._star, partial(content.best, settings)
        for name in ("scores", "ess", "nodes"):
            yield chart(name)
        yield into(self._words, "value"), partial(self._sentence, settings)
        for n in content.scores.sizes:
            if not content.scores.known(n):
                yield self._report, partial(self._counted, n)
        yield chart("rows")

    def _sentence(self, settings: Settings) -> str:
        words = escape(self._content.sentence(settings))
        return f'<div aria-live="polite" style="line-height: 1.5; padding: 4px 8px 0 0">{words}</div>'

    def _counted(self, n: int) -> str:
        self._content.scores.at(n)
        return COMPUTING

    def __repr__(self) -> str:
        """Settings and scores."""
        given = {"n_rows": self.n_rows != self._scores.n_rows, "reference": self.reference is not None}
        others = "".join(f", {name}={getattr(self, name)!r}" for name, shown in given.items() if shown)
        return (
            f"ScorePanel(ess={self.ess:g}, alpha={self.alpha:g}, score={self.score!r}{others})\n"
            f"{self.to_frame().round(2).to_string()}"
        )

    def still(self) -> dict[str, Any]:
        """Summary, pictures and tables."""
        distance = f"<p>{escape(self.gap_text)}</p>" if self.gap_text else ""
        return {"text/html": f"{self._content.still(self._settings())}{distance}"}


def _searched_for(settings: Settings) -> tuple[Any, ...]:
    """Settings on which a distance to the optimum depends."""
    return settings.score, settings.ess, settings.alpha, settings.n_rows


def hovered_view(graph: Any) -> GraphView:
    """View of a graph, whose trait `hovered` can be linked; TypeError if there is none."""
    view = graph.view if isinstance(graph, NetworkGraph) else graph
    if not isinstance(view, GraphView):
        raise TypeError(f"{type(graph).__name__} has no nodes to hover: link a NetworkGraph or a GraphView.")
    return view
