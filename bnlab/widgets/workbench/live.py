"""A running search in a `Workbench`: its curve, its graph, and its progress as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import isfinite
from threading import Event
from time import perf_counter
from typing import Any

import ipywidgets

from bnlab.figures.searches.curve import Curve
from bnlab.graphs import Dag, Pdag
from bnlab.learners.posterior.exact import ExactPosterior
from bnlab.search import Work
from bnlab.widgets.base.panel import column, row
from bnlab.widgets.base.timing import CURVE_SHARE, GRAPH_FRAME, GRAPH_SHARE, Pace, written_time
from bnlab.widgets.base.widget import BaseWidget, close_parts
from bnlab.widgets.player.charts import ConvergencePlot
from bnlab.widgets.player.described import described, progress
from bnlab.widgets.player.player_graph import HALF, PlayerGraph

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

        Nodes have the positions of the network `places`; `report(share or None, text)` is called at intervals.
        """
        self._names, self._places, self._stop, self._report = tuple(names), places, stop, report
        self._curve, self._pace = Curve(self._names), Pace(CURVE_SHARE + GRAPH_SHARE, GRAPH_FRAME)
        self._begun, self._due, self._steps, self._best = perf_counter(), 0.0, 0, float("-inf")
        self._first: Work | None = None
        self._failed = False

    def watch(self, search: Any, state: Any, info: Any) -> bool:
        """Record a step; report and draw it when due. Return whether the search must end."""
        self._steps += 1
        point, now = progress(info, self._steps), perf_counter() - self._begun
        self._best = max(self._best, point.best_score)
        if isfinite(point.best_score):
            self._curve.add(point, now - self._curve.seconds)
        if self._stop.is_set():
            return True
        # Exact probabilities have no graph before the end.
        if now >= LONG and not self._failed and not isinstance(search, ExactPosterior):
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
        """Finished share, None if unknown, and the progress as text."""
        best = f", best score {self._best:,.2f}".replace("-", "−") if isfinite(self._best) else ""
        if done is None or not done.total:
            return None, f"step {self._steps:,}{best}, {seconds:,.1f} s"
        self._first = first = self._first or done
        # Each stage of a search has its own total, so speed is measured within one stage.
        made = done.done - first.done if first.total == done.total else 0
        left = f", {written_time(seconds * (done.total - done.done) / made)} left" if made > 0 else ""
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
    """Best graph of a search so far; for a bootstrap, the consensus so far."""
    found = search.result(state)
    if isinstance(found, Pdag):
        return found
    if isinstance(found, tuple):
        return Dag(names, found)
    description = described(search)
    graph: Dag | Pdag = description.graph_of(description.snapshot(state).sketch, names)
    return graph
