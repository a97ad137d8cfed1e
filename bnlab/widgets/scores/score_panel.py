"""Compare networks under every score, with controls for ess, alpha and sample size (Carvalho 2009, section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from bnlab._runtime.names import check_known
from bnlab.counts.source import DataLike
from bnlab.figures.scores.network_scores import Networks
from bnlab.figures.scores.sample_size import PrefixScores
from bnlab.scores.dirichlet import Hyperparameters, PriorNetwork
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.core import LOCK, check_known_fields
from bnlab.widgets.base.parts import Composite, column, html_line, row
from bnlab.widgets.base.plotly_view import PlotlyView
from bnlab.widgets.base.pure import Set
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.graph.view import GraphView
from bnlab.widgets.scores.content import CHARTS, Chart, ScoreContent
from bnlab.widgets.scores.page import EMPTY, distance, page, still
from bnlab.widgets.scores.update import (
    Click,
    Compute,
    FindOptimum,
    Point,
    Show,
    State,
    StopOptimum,
    checked,
    update,
)

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


CHART = "1 1 max(420px, 34%)"
"""Width of a chart, as a value of the CSS property flex: one or two beside each other."""


class ScorePanel(Composite):
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
        First values of the attributes, which are traits that can be set and observed.

    Attributes
    ----------
    ess : float
        Equivalent sample size of BDeu and BDe.
    alpha : float
        Confidence level of MIT.
    n_rows : int
        Number of first rows that are scored.
    reference : str or None
        Network that scores are compared with; None for the best shown network under each score.
    score : str
        Score of the node chart, of the sample size chart and of the summary.
    selected : tuple of str
        Names of the shown networks, in the order of `networks`; one name may be given alone.
    hovered : str or None
        Highlighted node, here and in linked graphs.

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

    update, page, still = staticmethod(update), staticmethod(page), staticmethod(still)
    public = ("ess", "alpha", "n_rows", "reference", "score", "selected", "hovered")

    def __init__(
        self,
        data: DataLike,
        networks: Networks,
        *,
        prior: PriorNetwork | None = None,
        hyper: Hyperparameters | Any = None,
        **settings: Any,
    ) -> None:
        check_known_fields("ScorePanel", settings, self.public)
        content = ScoreContent(PrefixScores(data, networks, prior=prior, hyper=hyper))
        state = State(content, n_rows=content.scores.all.n_rows, selected=content.networks)
        for name, value in settings.items():
            state = replace(state, **{name: checked(state, name, value)})
        self._links: dict[GraphView, traitlets.link] = {}
        self.controls, self._sentence, self._tables = Controls("Scores"), ipywidgets.HTML(), html_line()
        self.charts = {chart: PlotlyView(EMPTY["figure"]) for chart in CHARTS}
        drawn = row(*(column(CHART, view) for view in self.charts.values()))
        super().__init__(
            state,
            Compute(content, state.settings, state.hovered),
            children=[self.controls, self._sentence, drawn, self._tables],
        )
        with LOCK:
            self._show(page(self.state))
        self.controls.on_change(self._used)
        for chart, view in self.charts.items():
            view.observe(partial(self._clicked, chart), "clicked")
        self.charts["nodes"].observe(self._pointed, "hovered")

    def _show(self, page: Mapping[str, Any]) -> None:
        self.controls.show(page["controls"])
        words = escape(page["sentence"])
        self._sentence.value = f'<div aria-live="polite" style="line-height: 1.5; max-width: 110ch">{words}</div>'
        self._tables.value = page["tables"]
        for chart, view in self.charts.items():
            with view.hold_sync():
                view.figure, view.description = page["charts"][chart]["figure"], page["charts"][chart]["description"]

    def _used(self, id: str, value: Any) -> None:
        """Do what a control asks for."""
        asked: dict[str, Any] = {"optimum": FindOptimum(), "stop": StopOptimum()}
        asked |= {f"network {i}": Show(name, bool(value)) for i, name in enumerate(self.networks)}
        self.handle(lambda: asked.get(id) or Set(id, value))

    def _clicked(self, chart: Chart, change: Any) -> None:
        """Choose what was clicked in a chart."""
        if (point := change["new"]) is not None:
            self.handle(lambda: Click(chart, point["index"], point["x"]))
            self.charts[chart].clicked = None  # so that the same point can be clicked again

    def _pointed(self, change: Any) -> None:
        """Highlight the node whose bar is under the mouse."""
        point = change["new"]
        self.handle(lambda: Point(point and point["index"]))

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the networks."""
        names: tuple[str, ...] = self.state.content.networks
        return names

    def to_frame(self) -> pd.DataFrame:
        """Scores of the shown networks at the current ess, alpha and number of rows.

        Returns
        -------
        DataFrame of float, shape (networks, scores)
            Nats; greater is better.
        """
        return self.state.content.frame(self.state.settings)

    def switches(self) -> pd.DataFrame:
        """Best network in each interval of ess; the ends of the intervals are found by bisection.

        Returns
        -------
        DataFrame
            network, from, to (ess) and equal (names of networks with the same score at every ess).
        """
        return self.state.content.over_ess(self.state.settings).to_frame()

    def figure(self, chart: Chart = "ess") -> go.Figure:
        """One of the charts as a plotly figure.

        Parameters
        ----------
        chart : "ess", "scores", "nodes" or "rows"

        Raises
        ------
        ValueError
            If there is no such chart.
        """
        import plotly.graph_objects as go

        check_known(chart, CHARTS, f"chart={chart!r}")
        return go.Figure(self.state.content.chart(chart, self.state.settings._replace(hovered=self.state.hovered)))

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
            nodes = frozenset(self.state.content.scores.all.nodes)
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
        self.dispatch(FindOptimum())

    def stop(self) -> None:
        """Stop the exact search; the bound so far stays."""
        self.dispatch(StopOptimum())

    @property
    def gap_text(self) -> str:
        """Distances of the shown networks from the optimum; empty if they are not known for these settings."""
        return distance(self.state)

    def close(self) -> None:
        """Close the panel, and stop its background work."""
        if self.comm is not None:
            for view in list(self._links):
                self.unlink(view)
        super().close()

    def __repr__(self) -> str:
        """Settings and scores."""
        state = self.state
        given = {"n_rows": state.n_rows != state.content.scores.all.n_rows, "reference": state.reference is not None}
        others = "".join(f", {name}={getattr(state, name)!r}" for name, shown in given.items() if shown)
        return (
            f"ScorePanel(ess={state.ess:g}, alpha={state.alpha:g}, score={state.score!r}{others})\n"
            f"{self.to_frame().round(2).to_string()}"
        )


def hovered_view(graph: Any) -> GraphView:
    """View of a graph, whose trait `hovered` can be linked; TypeError if there is none."""
    view = graph.view if isinstance(graph, NetworkGraph) else graph
    if not isinstance(view, GraphView):
        raise TypeError(f"{type(graph).__name__} has no nodes to hover: link a NetworkGraph or a GraphView.")
    return view
