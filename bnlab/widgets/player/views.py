"""What a player of searches shows: controls, curves, and the graph and the policies of a moment."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import isfinite
from time import perf_counter
from typing import Any

import ipywidgets

from bnlab.figures.searches.convergence import convergence_picture
from bnlab.figures.searches.policies import policies_picture
from bnlab.figures.table import html_table
from bnlab.figures.theme import colour, glyph
from bnlab.widgets.base.pace import CURVE_FRAME, CURVE_SHARE, GRAPH_FRAME, GRAPH_SHARE, Pace
from bnlab.widgets.player.bar import PlayerBar
from bnlab.widgets.player.convergence_plot import ConvergencePlot
from bnlab.widgets.player.graph import PlayerGraph
from bnlab.widgets.player.policy_map import PolicyMap
from bnlab.widgets.player.run import Run
from bnlab.widgets.player.truth import Truth

COLUMN = {"flex": "1 1 380px", "min_width": "0", "max_width": "100%"}
LAST_RECORDS = 8

Runs = Mapping[str, Run]


class PlayerFace:
    """Widgets of a player, and when they are drawn anew.

    Parameters
    ----------
    runs : mapping of str to Run
    truth : Truth
    baselines : mapping of str to float, optional

    Attributes
    ----------
    bar : PlayerBar
    plot : ConvergencePlot
    view : PlayerGraph or None
        None for searches without a graph.
    map : PolicyMap or None
    caption, records : ipywidgets.HTML
    children : list of widget
        From top to bottom.
    """

    def __init__(self, runs: Runs, truth: Truth, baselines: Mapping[str, float] | None) -> None:
        self._truth = truth
        self.curve_pace, self.graph_pace = Pace(CURVE_SHARE, CURVE_FRAME), Pace(GRAPH_SHARE, GRAPH_FRAME)
        self._kept: dict[str, Run] = {}
        self.bar = PlayerBar(list(runs))
        self.plot = ConvergencePlot(baselines=baselines, truth=truth.score)
        _, graph, policies = next(iter(runs.values())).at(None)
        self.view = None if graph is None else PlayerGraph(graph, truth.graph)
        self.map = None if policies is None or graph is None else PolicyMap(graph.names)
        self.caption = ipywidgets.HTML()
        self.records = ipywidgets.HTML(layout={"overflow": "auto", "width": "100%"})
        parts = [part for part in (self.view and self.view.view, self.map) if part is not None]
        columns = [ipywidgets.VBox([part], layout=COLUMN) for part in parts]
        row = ipywidgets.Box(columns, layout={"flex_flow": "row wrap", "width": "100%", "align_items": "flex-start"})
        self.records.layout.display = "none" if columns else None
        self.children = [self.bar, self.plot, self.caption, row, self.records]
        self.follow(runs)

    def follow(self, runs: Runs) -> None:
        """Draw the curves of these runs from now on."""
        for name, run in runs.items():
            self.plot.follow(name, run.curve)

    def keep(self, runs: Runs, seed: int | None) -> None:
        """Leave the curves of these runs where they are, under names of their own, when others take their place."""
        for name, run in runs.items():
            if len(run.curve):
                self._kept[f"{name}, " + (f"run {len(self._kept) + 1}" if seed is None else f"seed {seed}")] = run
        for name, run in self._kept.items():
            self.plot.follow(name, run.curve)

    def forget(self) -> None:
        """Draw no more of the curves that were kept."""
        for name in self._kept:
            self.plot.forget(name)
        self._kept.clear()
        self.plot.refresh()

    def draw_curves(self, runs: Runs, looked_at: Run, speed: float) -> None:
        """Draw curves and table as they are now."""
        begin = perf_counter()
        self.plot.unit = looked_at.unit
        self.plot.refresh()
        self.bar.runs = [self._row(i, name, run, speed / len(runs)) for i, (name, run) in enumerate(runs.items())]
        self.curve_pace.took(perf_counter() - begin)

    def draw_moment(
        self, run: Run, moment: int | None, *, name: str = "", compare: bool = False, settle: bool = False
    ) -> None:
        """Draw the graph and the policies of a moment, None for now.

        Parameters
        ----------
        run : Run
        moment : int, optional
        name : str
            Of the run, to be told.
        compare : bool
            Whether edges are told apart against the true network.
        settle : bool
            The search rests: nodes may find better places.
        """
        begin = perf_counter()
        iteration, graph, policies = run.at(moment)
        if self.view is not None and graph is not None:
            kinds = None if compare else run.kinds(graph, policies)
            self.view.show(graph, compare=compare, kinds=kinds, settle=settle)
        if self.map is not None and policies is not None:
            self.map.show(policies)
        if graph is None:
            # Of a search without graphs nothing is kept of moments that are past.
            moment, iteration = None, run.iteration
            self.records.value = _table(run.search.result(run.state))
        when = "now" if moment is None else "then"
        told = f"{escape(name)}, " if name else ""
        self.caption.value = f"<b>{told}iteration {iteration:,}</b> ({when})"
        self.graph_pace.took(perf_counter() - begin)

    def still(self) -> str:
        """Pictures of all that is shown, as HTML."""
        pictures = [convergence_picture(self.plot.data(), by=self.plot.by)]
        if self.view is not None:
            pictures.append(self.view.view.picture())
        if self.map is not None:
            pictures.append(policies_picture(self.map.data()))
        return "".join(f"<div>{picture.to_html()}</div>" for picture in pictures) + str(self.records.value)

    def _row(self, i: int, name: str, run: Run, speed: float) -> dict[str, Any]:
        now, best = run.work, run.best_score if run.scored and isfinite(run.best_score) else None
        return {
            "name": name,
            "colour": colour(i),
            "glyph": glyph(i),
            "iteration": run.iteration,
            "best": best,
            "gap": self._truth.gap(best),
            "seconds": run.seconds,
            "done": None if now is None else now.done,
            "total": None if now is None else now.total,
            "unit": "" if now is None else now.unit,
            "left": run.left(speed),
            "ended": run.done,
        }


def _table(result: Any) -> str:
    """Last records of a grid; nothing for other results."""
    if not hasattr(result, "columns") or not len(result):
        return ""
    return html_table(result.tail(LAST_RECORDS), caption=f"{len(result):,} records, the last of them").html
