"""Play, pause, step and stop any search in a notebook, and view any past iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets

from bnlab._runtime.names import check_known
from bnlab.figures.graphs.network import AnyGraph
from bnlab.figures.searches.policies import policies_picture
from bnlab.graphs import Dag, Pdag
from bnlab.search import Policies, Trace
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.core import LOCK
from bnlab.widgets.base.parts import Composite, column, html_line, row, show_part
from bnlab.widgets.base.pure import Set
from bnlab.widgets.player.charts import ConvergencePlot, PolicyMap
from bnlab.widgets.player.player_graph import HALF, PlayerGraph
from bnlab.widgets.player.run import Run
from bnlab.widgets.player.searches import searches_of
from bnlab.widgets.player.update import Continue, Given, Pause, Play, Reset, Step, begun, update
from bnlab.widgets.player.views import graph_toolbar, page

if TYPE_CHECKING:
    import pandas as pd

POLICIES = "<b>Policies</b>: probability of each child (column) for each node (row)"
PATIENCE_S = 0.1
"""Seconds that pausing or stopping waits for the current step."""


class SearchPlayer(Composite):
    """Runs one or several searches in a thread of their own, so that the kernel stays free.

    Several searches take turns, so that all get the same time. A search goes through the same states in a player as
    without one.

    Parameters
    ----------
    search : Search, mapping of str to Search, sequence of Search, Table, DataFrame or CountSource
        Searches such as `bnlab.learners.make_search` and `bnlab.skeletons.make_search` return. Those of a sequence are
        called "search 1", "search 2", ... Or data, for the named algorithms.
    algorithm : str or sequence of str, optional
        For data: names as for `bnlab.learn` and `bnlab.skeleton`, or "mcmc" for `bnlab.learners.partition_sampler`.
        The default is that of `bnlab.learn`.
    names : sequence of str, optional
        Names of the variables; by default those that the search knows.
    truth : float, Dag, networkx.DiGraph or anything with a `dag`, optional
        Score of the true network, or the network, whose score is then computed with the first search's `phi`.
    baselines : mapping of str to float, optional
        Scores of other methods, drawn as lines.
    seed : int, optional
        Seed of the first run, and of the next run after a reset.
    speed : float
        Steps per second of all runs together; 0 for as fast as possible.
    **options
        For data: score, and the options of the algorithms.

    Attributes
    ----------
    playing : bool
        Whether the searches are running; set it to play or pause.
    iteration : int
        Iteration of the shown run.
    best_score : float
        Best score of all runs so far.
    moment : int or None
        Past iteration whose graph and policies are shown; None to follow the search.
    seed : int or None
        Seed that `reset` starts with; None if the searches take none.
    run : str
        Name of the run whose graph and policies are shown.
    keep : bool
        Whether `reset` keeps the curves of the previous run for comparison.
    shown_graph : "current" or "best"
        Whether the graph is that of the iteration or the best one until then; searches with only one kind show that.
    compare : bool or None
        Whether edges are marked by comparison with the true network; None without a true network.
    status : str
        What the searches do, or how they came to rest; `failed` says whether it is an error.

    Raises
    ------
    TypeError
        If a search lacks one of the four methods, or there are options without data.
    ValueError
        If there is no search, the true network is on other variables, or as for `bnlab.learn`.

    Examples
    --------
    >>> from bnlab.learners.growing_tree import GrowingTree
    >>> gain = [[0, 5, 1], [6, 0, 3], [2, 4, 0]]
    >>> player = SearchPlayer(GrowingTree(lambda child, parents: sum(gain[j][child] for j in parents), 3, root=0))
    >>> player.play()
    >>> player.wait()
    True
    >>> player.result(), player.iteration, player.best_score
    (((), (0,), (1,)), 2, 8.0)

    >>> import bnlab
    >>> table = bnlab.load_network("asia").sample(500, seed=1)
    >>> SearchPlayer(table, ["hill-climbing", "boss"], score="bdeu", ess=4).runs
    ('hill-climbing', 'boss')
    """

    update, page = staticmethod(update), staticmethod(page)
    public = (
        *("playing", "iteration", "best_score", "moment", "status", "failed"),
        *("speed", "seed", "run", "keep", "shown_graph", "compare"),
    )

    plot: ConvergencePlot
    """Chart of the curves."""
    view: PlayerGraph | None
    """Picture of the graph; None before a search has one."""
    map: PolicyMap | None
    """Picture of the policies; None before a search has them."""

    def __init__(
        self,
        search: Any,
        algorithm: str | Sequence[str] | None = None,
        *,
        names: Sequence[str] | None = None,
        truth: float | AnyGraph | None = None,
        baselines: Mapping[str, float] | None = None,
        seed: int | None = None,
        speed: float = 0.0,
        **options: Any,
    ) -> None:
        given = Given(searches_of(search, algorithm, options, seed), names, truth, baselines)
        if algorithm is not None and given.seed is None:
            seed = None  # the searches already have this seed
        state = begun(given, given.checked_seed(seed), speed)
        self.plot, self.view, self.map = ConvergencePlot(), None, None
        self.controls = Controls("Search player")
        self._table, self._caption, self._records = html_line(), ipywidgets.HTML(), html_line()
        self._graph_part, self._map_part = column(HALF), column(HALF)
        pictures = row(self._graph_part, self._map_part)
        self._curves: tuple[Any, ...] = ()
        parts = [self.controls, self._table, self.plot, self._caption, pictures, self._records]
        super().__init__(state, children=parts)
        self._show(page(state))
        self.controls.on_change(self._used)
        self.plot.observe(self._picked, "moment")

    @property
    def search_state(self) -> Any:
        """State of the search, as its own methods take it; a dict by name for several.

        It is the state after the last step or, while the search runs, at the last drawing. Set it to continue from
        another state, with an empty curve.
        """
        return self._each(lambda run: run.state)

    @search_state.setter
    def search_state(self, state: Any) -> None:
        runs = self.state.runs
        self.dispatch(Continue(state if len(runs) > 1 else {next(iter(runs)): state}))

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(self.state.runs)

    @property
    def finished(self) -> bool:
        """Whether all searches are finished."""
        finished: bool = self.state.finished
        return finished

    @property
    def trace(self) -> Trace | dict[str, Trace]:
        """Curve of the search; a dict by name for several."""
        traces: Trace | dict[str, Trace] = self._each(lambda run: run.log.trace)
        return traces

    def result(self) -> Any:
        """Result of the search so far; a dict by name for several."""
        return self._each(lambda run: run.search.result(run.state))

    def graph(self, moment: int | None = None, run: str | None = None, *, best: bool = False) -> Dag | Pdag | None:
        """Graph of a run at a past iteration; by default of the shown run at its current iteration.

        If the history has no entry for the iteration, the graph is that of the entry before it. The result is None for
        searches without a graph. With `best` it is the best graph until then.
        """
        return self._known(run).at(moment, best=best).graph

    def policies(self, moment: int | None = None, run: str | None = None) -> Policies | None:
        """Policies at a past iteration, as for `graph`; None for searches without policies."""
        return self._known(run).at(moment).policies

    def to_frame(self) -> pd.DataFrame:
        """Every iteration of every run: run, seed, iteration, seconds, score, best, bound."""
        return self.plot.to_frame()

    def play(self) -> None:
        """Start the searches, without waiting; from the beginning if they are finished and `seed` is another one.

        Raises
        ------
        RuntimeError
            If the player is closed.
        """
        if self.is_closed:
            raise RuntimeError("this player is closed: make a new one, and set its `search_state` to go on.")
        self.dispatch(Play())

    def pause(self) -> None:
        """Pause after the current step, and wait briefly for it."""
        self.dispatch(Pause())
        super().wait(PATIENCE_S)

    def stop(self) -> None:
        """End the run after the current step, and wait briefly for it; the result so far is kept."""
        self.dispatch(Pause("Stopped"))
        super().wait(PATIENCE_S)

    def step(self) -> None:
        """Make one step of each unfinished run, and wait for it.

        Raises
        ------
        RuntimeError
            If the step failed.
        """
        self.dispatch(Step())
        self.wait()

    def reset(self, seed: int | None = None) -> None:
        """Start again, with another seed if one is given.

        Raises
        ------
        ValueError
            If a seed is given, but the searches take none.
        """
        self.dispatch(Reset(seed))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs: the searches are finished, paused, stopped or failed.

        Parameters
        ----------
        timeout : float, optional
            Seconds.

        Returns
        -------
        bool
            False if it is still running after that time.

        Raises
        ------
        RuntimeError
            If a step failed. An interrupt (Ctrl-C) stops the run.
        """
        try:
            rests = super().wait(timeout)
        except KeyboardInterrupt:
            self.stop()
            raise
        words, error = self.state.error or ("", None)
        if rests and error is not None:
            raise RuntimeError(words) from error
        return rests

    def _known(self, name: str | None) -> Run:
        runs: Mapping[str, Run] = self.state.runs
        check_known(name or self.run, runs, f"no run is called {name!r}")
        return runs[name or self.run]

    def _each(self, of: Any) -> Any:
        found = {name: of(run) for name, run in self.state.runs.items()}
        return found if len(found) > 1 else next(iter(found.values()))

    def _show(self, page: Mapping[str, Any]) -> None:
        self.controls.show(page["controls"])
        self._table.value, self._caption.value, self._records.value = page["table"], page["caption"], page["records"]
        self._draw_curves(page)
        graph, policies = page["graph"], page["policies"]
        if graph is not None:
            if self.view is None:
                self.view = PlayerGraph(graph.graph, self.state.truth.graph)
                self.view.view.on_msg(self._asked)
                self._graph_part.children = [self.view.view]
            self.view.view.toolbar = graph_toolbar(self.state)
            self.view.show(*graph[:2], compare=graph.compare, kinds=graph.kinds, settle=page["settle"])
        if policies is not None:
            if self.map is None:
                self.map = PolicyMap(graph.graph.names)
                self._map_part.children = [ipywidgets.HTML(POLICIES), self.map]
            self.map.names = graph.graph.names
            self.map.show(policies)
        for part, content in ((self._graph_part, graph), (self._map_part, policies)):
            show_part(part, content is not None)
        show_part(self._records, graph is None)

    def _draw_curves(self, page: Mapping[str, Any]) -> None:
        """Follow the curves of the page, and draw them if there are new points."""
        plot, new = self.plot, {name: curve for name, curve, _ in page["curves"]}
        old = {name: curve for name, curve, _ in self._curves}
        changed = page["curves"] != self._curves or plot.unit != page["unit"]
        self._curves, plot.unit, plot.baselines = page["curves"], page["unit"], dict(page["baselines"])
        for name, curve in new.items():
            if old.get(name) is not curve:
                plot.follow(name, curve)
        for name in old.keys() - new.keys():
            plot.forget(name)
        plot.focus, plot.moment = page["focus"], page["moment"]
        if changed:
            plot.refresh()

    def _picked(self, change: Any) -> None:
        """Take the iteration that was chosen in the chart."""
        with LOCK:
            if self.plot.moment != self.state.moment:
                self.handle(lambda: Set("moment", self.plot.moment))

    def _asked(self, _: Any, content: Any, __: Any) -> None:
        """Do what a control above the graph asks for."""
        if content.get("type") == "control":
            self._used(content["id"], content.get("value"))

    def _used(self, id: str, value: Any) -> None:
        """Do what a control asks for."""
        if id == "seed":
            value = max(0, round(value or 0))
        asked = {
            "play": Pause() if self.playing else Play(),
            "stop": Pause("Stopped"),
            "step": Step(),
            "reset": Reset(),
        }
        self.handle(lambda: asked.get(id) or Set(id, value))
        self.controls.restore()  # shows the rounded seed

    def _html(self) -> str:
        parts = [f"<p>{escape(self.status)}</p><div>{self.plot.picture().to_html()}</div><p>{self._caption.value}</p>"]
        shown = page(self.state)
        if self.view is not None and shown["graph"] is not None:
            parts.append(f"<div>{self.view.view.picture().to_html()}</div>")
        if self.map is not None and shown["policies"] is not None:
            parts.append(f"<p>{POLICIES}</p><div>{policies_picture(self.map.data(), title='').to_html()}</div>")
        return f"<div>{''.join(parts)}{shown['records']}</div>"

    def __repr__(self) -> str:
        """Runs and status."""
        return f"SearchPlayer({', '.join(self.runs)}: {self.status})"
