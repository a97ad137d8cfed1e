"""What a `Workbench` shows: its traits, its parts, and how they are drawn."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from threading import Event, RLock
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from bnlab.analysis.choices import learner, options_of, score, scores_of
from bnlab.analysis.preparing import Preparing
from bnlab.analysis.recipe import Recipe, recipe_of
from bnlab.analysis.saving import SavedFiles
from bnlab.analysis.session import Session
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.network import not_drawn
from bnlab.graphs.dag import counted
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.worker import Worker
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.workbench.columns import WorkbenchColumns
from bnlab.widgets.workbench.learning import learn_lines
from bnlab.widgets.workbench.live import WorkbenchLive
from bnlab.widgets.workbench.results import (
    comparison_html,
    data_lines,
    file_lines,
    result_frame,
    result_lines,
    still_html,
)

if TYPE_CHECKING:
    import pandas as pd

FULL = {"width": "100%"}
PROBABLE = 60
"""Variables up to which the picture of a network knows its probabilities."""
BARS = 8
"""States up to which nodes show them."""


class WorkbenchView(ipywidgets.VBox):  # type: ignore[misc]
    """Traits and parts of a `Workbench`."""

    status = traitlets.Unicode("Load data to begin.")
    """Last message."""
    busy = traitlets.Bool(False)
    """Whether something runs."""
    algorithm = traitlets.Unicode("hill-climbing")
    """Learner that the button "Learn" takes, as `bnlab.learn` names it."""
    score = traitlets.Unicode("bic")
    """Score that it takes."""
    options = traitlets.Dict()
    """Options of the learner and parameters of the score that differ from those suggested."""
    shown = traitlets.Unicode(None, allow_none=True)
    """Network that is looked at."""
    reference = traitlets.Unicode(None, allow_none=True)
    """Network that it is compared with."""
    replicates = traitlets.Int(100, min=1)
    """Samples of the bootstrap."""
    threshold = traitlets.Float(None, allow_none=True, min=0.0, max=1.0)
    """Share of the samples from which on an edge is sure; None for the one that the samples suggest."""

    _closed = True
    _arranging = False

    def __init__(self) -> None:
        self._session, self._saved = Session(), SavedFiles()
        self._preparing: Preparing | None = None
        self._name, self._path, self._file, self._suggestion = "", "", "analysis", ""
        self._results = result_frame(self._session)
        self._said: dict[str, tuple[str, bool]] = {}
        self._running: tuple[str, float | None, str] | None = None
        self._stop, self._lock = Event(), RLock()
        self._worker, self._desk = Worker(lambda: None), Worker(lambda: None)
        self._ended = Event()
        self._ended.set()
        self._graph: NetworkGraph | None = None
        super().__init__()
        self._build()
        self._closed = False
        self._draw()

    def _build(self) -> None:
        self._data = Controls("Data", heading=True)
        self._columns = WorkbenchColumns()
        self._learning = Controls("Learn a network", heading=True)
        self._list = Controls("Networks", heading=True)
        self._live = WorkbenchLive()
        self._place = ipywidgets.VBox([], layout=FULL)
        self._beside = ipywidgets.HTML(layout={**FULL, "overflow": "auto"})
        self._files = Controls("Keep it", heading=True)
        first = [self._data, self._columns, self._learning]
        self.children = [*first, self._list, self._live, self._place, self._beside, self._files]
        self.layout.width = "100%"
        self.observe(self._set, ["algorithm", "score", "options", "replicates", "threshold"])
        self.observe(self._looked, ["shown", "reference"])

    def _columns_shown(self) -> None:
        session, preparing = self._session, self._preparing
        if preparing is not None and session.kinds is not None and session.table is not None:
            self._columns.show(session.frame, session.kinds, preparing.preparation, session.table, dict(preparing.ways))

    def _look(self, column: str) -> None:
        session, preparing = self._session, self._preparing
        if preparing is not None and session.kinds is not None and column in session.kinds.index:
            self._columns.looked_at = column
            self._columns.look(session.frame, session.kinds, preparing.preparation)

    def _networks_changed(self, shown: str | None) -> None:
        """Show the networks as they are now, and one of them."""
        graphs = self._session.study.graphs
        with self._lock:
            if self._closed:
                return
            self._results = result_frame(self._session)
            self._arranging = True
            try:
                self.reference = self.reference if self.reference in graphs and self.reference != shown else None
                self.shown = shown if shown in graphs else next(iter(graphs), None)
            finally:
                self._arranging = False
            self._picture()
            self._beside.value = comparison_html(self._session, self._results)
        self._draw()

    def _picture(self) -> None:
        """Draw the network that is looked at."""
        session, name = self._session, self.shown
        old, self._graph = self._graph, None
        if name is not None:
            graph = session.study.graphs[name]
            table = session.table if len(graph) <= PROBABLE else None
            found = session.study.confidence.get(name)
            strengths = (
                None if found is None else {(row.u, row.v): row.strength for row in found.to_frame().itertuples()}
            )
            reference = None if self.reference is None else {self.reference: session.study.graphs[self.reference]}
            bars = False if table is None or max(table.arities) > BARS else None
            try:
                self._graph = NetworkGraph(graph, table, reference=reference, strengths=strengths or None, bars=bars)
                self._place.children = [self._graph]
            except TooLarge as error:
                self._place.children = [ipywidgets.HTML(not_drawn(error))]
        else:
            self._place.children = []
        if old is not None:
            old.close()

    def _draw(self) -> None:
        with self._lock:
            if self._closed:
                return
            has_data = self._session.source is not None
            self._data.show(data_lines(self._path, has_data, self._said.get("data", ("", False))))
            self._files.show(file_lines(self._file, has_data, self._said.get("files", ("", False))))
            for part in (self._learning, self._list, self._files):
                part.layout.display = None if has_data else "none"
            self._draw_forms()

    def _draw_forms(self) -> None:
        """Draw what changes while something runs."""
        with self._lock:
            running = self._running
            self._learning.show(
                learn_lines(
                    self.algorithm,
                    self.score,
                    self.options,
                    name=self._name,
                    suggestion=self._suggestion,
                    ready=self._session.table is not None,
                    running=running[1:] if running is not None and running[0] == "learn" else None,
                    busy=self.busy,
                    said=self._said.get("learn", ("", False)),
                )
            )
            self._list.show(
                result_lines(
                    self._session,
                    self._results,
                    shown=self.shown,
                    reference=self.reference,
                    replicates=self.replicates,
                    threshold=self.threshold,
                    running=running[1:] if running is not None and running[0] == "list" else None,
                    busy=self.busy,
                    said=self._said.get("list", ("", False)),
                )
            )

    def _say(self, place: str, told: str, *, failed: bool = False) -> None:
        """Say something where it belongs."""
        if place == "columns":
            self._columns.failed = ""
            self._columns.failed = told if failed else ""
        self._said[place] = (told, failed)
        self.status = told
        self._draw()

    def _present(self) -> Recipe:
        """Recipe that is chosen in the page."""
        return recipe_of(self.algorithm, self.score, **self._present_options())

    def _present_options(self) -> dict[str, Any]:
        known = {option.name for option in options_of(self.algorithm, self.score)}
        return {name: value for name, value in self.options.items() if name in known}

    @traitlets.validate("algorithm")
    def _check_algorithm(self, proposal: Any) -> str:
        return learner(proposal["value"]).name

    @traitlets.validate("score")
    def _check_score(self, proposal: Any) -> str:
        return score(proposal["value"]).name

    @traitlets.validate("shown", "reference")
    def _check_network(self, proposal: Any) -> str | None:
        return None if proposal["value"] is None else self._session.known(proposal["value"])

    def _set(self, change: Any) -> None:
        if change["name"] == "algorithm" and self.score not in scores_of(self.algorithm):
            self.score = scores_of(self.algorithm)[0]
        self._draw()

    def _looked(self, change: Any) -> None:
        if self._arranging:
            return
        with self._lock:
            if change["name"] == "shown" and self.reference == self.shown:
                self.reference = None
            self._picture()
        self._draw()

    def __repr__(self) -> str:
        """Data and networks."""
        source = self._session.source
        if source is None:
            return "Workbench(no data yet)"
        networks = counted(len(self._session.study.graphs), "network")
        return f"Workbench({source.name}: {size_words(source.frame)}; {networks})"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        with self._lock:
            still = still_html(self._session, self.shown, self.status)
        return {**(super()._repr_mimebundle_(**options) or {}), "text/html": still, "text/plain": repr(self)}


def size_words(frame: pd.DataFrame) -> str:
    """Rows and columns."""
    rows, columns = frame.shape
    return f"{rows:,} row{'s' if rows != 1 else ''}, {columns:,} column{'s' if columns != 1 else ''}"
