"""Panel that compares networks under every score while ess, alpha and the sample move (Carvalho 2009, section 2.1)."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from html import escape
from threading import RLock
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from bnlab.figures.scores.sample_size import PrefixScores
from bnlab.widgets.base.closing import close_parts
from bnlab.widgets.base.plotly_view import PlotlyView
from bnlab.widgets.base.worker import Worker
from bnlab.widgets.scores.content import ScoreContent, Settings
from bnlab.widgets.scores.controls import ScoreControls
from bnlab.widgets.scores.links import HoverLink, hovering
from bnlab.widgets.scores.traits import CHARTS, Chart, ScoreTraits

if TYPE_CHECKING:
    from bnlab.counts import CountSource
    from bnlab.data import Table
    from bnlab.figures.scores.network_scores import AnyNetwork, NetworkScores
    from bnlab.scores.dirichlet import Hyperparameters, PriorNetwork

COLUMN = {"min_width": "0", "width": "100%"}
GRID = {"grid_template_columns": "repeat(auto-fit, minmax(min(100%, max(420px, 34%)), 1fr))"}
AT_ONCE = 0.1
"""Seconds up to which a change is answered where it is made; what takes longer goes on in the background."""
COMPUTING = '<div role="status">computing …</div>'


class ScorePanel(ScoreTraits):
    """Every score of several networks: who is best, at which ess that changes, at which nodes, with how many rows.

    Families are counted once for each number of rows; a slider evaluates only the formulas that depend on it.

    Parameters
    ----------
    data : Table or CountSource
        Of a source, only all rows can be scored.
    networks : mapping of str to Dag, networkx.DiGraph, (parent, child) pairs, or anything with a `dag`
        On the variables of the data, in any order.
    ess, alpha, reference, score, n_rows, selected
        Where the controls stand first; see below.
    prior : BayesianNetwork, optional
        Prior network of BDe, which is shown only with one.
    hyper : float, array_like or callable, optional
        Hyperparameters of BD, which is shown only with them.

    Raises
    ------
    ValueError
        If there is no network, one is on other variables than the data, or a setting is out of range.
    TypeError
        If the name of a network is not a string, or the data cannot be counted.

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

    _ready = False
    _closed = False
    _links: tuple[HoverLink, ...] = ()

    def __init__(
        self,
        data: Table | CountSource,
        networks: Mapping[str, AnyNetwork],
        *,
        ess: float = 1.0,
        alpha: float = 0.99,
        reference: str | None = None,
        score: str = "bdeu",
        n_rows: int | None = None,
        selected: tuple[str, ...] | list[str] | None = None,
        prior: PriorNetwork | None = None,
        hyper: Hyperparameters | Any = None,
    ) -> None:
        self._content = ScoreContent(PrefixScores(data, networks, prior=prior, hyper=hyper))
        self._scores: NetworkScores = self._content.scores.all
        self._lock = RLock()
        self._worker = Worker(lambda: None)
        self._shown: Settings | None = None
        self._pointing = self._moving = False
        super().__init__()
        self.set_trait("ess", ess)
        self.set_trait("alpha", alpha)
        self.set_trait("reference", reference)
        self.set_trait("score", score)
        self.set_trait("n_rows", self._scores.n_rows if n_rows is None else n_rows)
        self.set_trait("selected", self.networks if selected is None else tuple(selected))
        self._build()
        self._ready = True

    def link(self, graph: Any) -> None:
        """Light up here the node that is hovered there, and the other way round.

        Parameters
        ----------
        graph : NetworkGraph or GraphView

        Raises
        ------
        TypeError
            If it has no nodes to hover.
        """
        view = hovering(graph)
        if all(link.view is not view for link in self._links):
            self._links = (*self._links, HoverLink(self, view, self._scores.nodes))

    def unlink(self, graph: Any) -> None:
        """Undo `link`; nothing happens when there is none."""
        view = hovering(graph)
        for link in self._links:
            if link.view is view:
                link.close()
        self._links = tuple(link for link in self._links if link.view is not view)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything is shown; False if it is not by `timeout` seconds."""
        return self._worker.wait(timeout)

    def close(self) -> None:
        """Close the panel with its charts and controls, and stop what goes on in the background."""
        self._ready, self._closed = False, True
        for link in self._links:
            link.close()
        self._links = ()
        super().close()
        close_parts(self)

    def _build(self) -> None:
        self._controls = ScoreControls(
            self.networks, self.scores, self._scores.nodes, self._content.scores.sizes, self._choose
        )
        self._charts: dict[Chart, PlotlyView] = {name: PlotlyView({"data": [], "layout": {}}) for name in CHARTS}
        self._table = ipywidgets.HTML(layout={"overflow": "auto", "width": "100%"})
        self._words = ipywidgets.HTML(layout={"width": "100%"})
        self._status = ipywidgets.HTML()
        columns = [ipywidgets.VBox([chart], layout=COLUMN) for chart in self._charts.values()]
        charts = ipywidgets.GridBox(columns, layout={**GRID, "width": "100%", "overflow": "hidden"})
        self.children = [
            self._controls.settings,
            self._controls.legend,
            self._status,
            self._words,
            charts,
            self._table,
        ]
        self.layout.width = "100%"
        self.add_class("bnlab-panel")
        self._controls.place(self._settings())
        self._show()
        self._controls.watch()
        self._charts["scores"].observe(self._row_clicked, "clicked")
        self._charts["ess"].observe(self._ess_clicked, "clicked")
        self._charts["rows"].observe(self._size_clicked, "clicked")
        self._charts["nodes"].observe(self._bar_pointed, "hovered")

    def _choose(self, name: str, value: Any) -> None:
        """Carry a control's value over; of a slider that goes on moving only the last place is computed."""
        with self._in_words(), self._lock:
            self._moving = True
            try:
                self.set_trait(name, value)
            finally:
                self._moving = False

    def _row_clicked(self, change: Any) -> None:
        """Choose the score whose row was clicked."""
        if change["new"] is not None:
            self._choose("score", self.scores[change["new"]["index"]])

    def _ess_clicked(self, change: Any) -> None:
        if change["new"] is not None:
            self._choose("ess", float(change["new"]["x"]))

    def _size_clicked(self, change: Any) -> None:
        if change["new"] is not None:
            self._choose("n_rows", int(change["new"]["x"]))

    def _bar_pointed(self, change: Any) -> None:
        """Light up in linked graphs the node whose bar is under the mouse; the chart itself stays as it is."""
        with self._in_words(), self._lock:
            nodes = self._content.nodes(self._settings())
            self._pointing = True
            try:
                self.hovered = None if change["new"] is None else nodes[change["new"]["index"]]
            finally:
                self._pointing = False

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Say in the panel what goes wrong in a callback, where an exception would not be seen."""
        try:
            yield
        except Exception as error:
            self._status.value = f'<div role="alert">Not shown: {escape(str(error) or type(error).__name__)}</div>'
            self._controls.place(self._settings())

    @traitlets.observe("ess", "alpha", "n_rows", "reference", "score", "selected", "hovered")
    def _changed(self, change: Any) -> None:
        if not self._ready:
            return
        with self._lock:
            self._controls.place(self._settings())
            if change["name"] == "hovered":
                self._light_up()
            else:
                self._show()

    def _light_up(self) -> None:
        if not self._pointing and self._content.scores.known(self.n_rows):
            self._charts["nodes"].figure = self._content.contributions_json(self._settings(), legend=False)

    def _show(self) -> None:
        """Bring everything up to the settings: now if code asks for what is quick, else in the background."""
        quick = self._content.seconds(self._settings()) <= AT_ONCE
        if quick and not self._moving and not self._worker.running:
            self._catch_up()
            return
        if not quick:
            self._status.value = COMPUTING
        self._worker.submit(self._catch_up_in_background)

    def _catch_up_in_background(self) -> None:
        with self._in_words():
            self._catch_up()

    def _catch_up(self) -> None:
        """Compute and show part after part; what a later change has made stale is left to the work for that change."""
        settings = self._wanted()
        if settings == self._shown or self._closed:
            self._status.value = ""
            return
        self._shown = None
        for widget, trait, compute in self._parts_of(settings):
            found = compute()
            with self._lock:
                if self._closed or self._wanted() != settings:
                    return
                setattr(widget, trait, found)
        self._shown = settings
        self._status.value = ""

    def _wanted(self) -> Settings:
        """Settings that call for new numbers when they change."""
        return self._settings()._replace(hovered=None)

    def _parts_of(self, settings: Settings) -> Iterator[tuple[Any, str, Callable[[], Any]]]:
        """What there is to show, and where: first what is quick."""
        content, figures = self._content, self._figures()
        yield self._table, "value", partial(content.tables, settings)
        yield self._controls.legend, "best", partial(content.best, settings)
        yield self._charts["scores"], "figure", partial(figures["scores"], settings, legend=False)
        yield self._charts["ess"], "figure", partial(figures["ess"], settings, legend=False)
        yield self._charts["nodes"], "figure", lambda: figures["nodes"](self._settings(), legend=False)
        yield self._words, "value", partial(self._sentence, settings)
        for n in content.scores.sizes:
            if not content.scores.known(n):
                yield self._status, "value", partial(self._counted, n)
        yield self._charts["rows"], "figure", partial(figures["rows"], settings, legend=False)

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

    def _repr_mimebundle_(self, **options: Any) -> Any:
        still = {"text/html": self._content.still(self._settings()), "text/plain": repr(self)}
        return {**super()._repr_mimebundle_(**options), **still}
