"""Parts of a player: controls, curves, a table of runs, and the graph and the policies of an iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from math import inf, isfinite
from time import perf_counter
from typing import Any, NamedTuple

import ipywidgets
import numpy as np
import pandas as pd

from bnlab.figures.graphs import drawing
from bnlab.figures.graphs.layers import TooLarge
from bnlab.figures.graphs.layout import NODE_HEIGHT, Layout, layered_layout
from bnlab.figures.graphs.network import Reference, edge_directions
from bnlab.figures.searches.policies import policies_picture
from bnlab.figures.table import html_table
from bnlab.figures.theme import colour, glyph
from bnlab.graphs import Dag, Pdag
from bnlab.learners.exact.optimum import gap_text
from bnlab.search import Work
from bnlab.widgets.base.controls import Lines, button, named, number, select, toggle
from bnlab.widgets.base.panel import column, html_line, row, show_part, status_message
from bnlab.widgets.base.timing import CURVE_FRAME, CURVE_SHARE, GRAPH_FRAME, GRAPH_SHARE, LEAST, Pace, written_time
from bnlab.widgets.graph.content import comparable
from bnlab.widgets.graph.view import GraphView
from bnlab.widgets.player.charts import ConvergencePlot, PolicyMap
from bnlab.widgets.player.described import edge_kinds
from bnlab.widgets.player.run import Run, Truth
from bnlab.widgets.player.traits import PlayerTraits

SPEEDS = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
HEADS = ("Run", "Iterations", "Best score", "Gap to truth", "Best graph", "Seconds", "Progress")
NUMBER = "text-align: right; white-space: nowrap"


def player_lines(player: PlayerTraits) -> Lines:
    """Controls of a player, with its status below."""
    playing, idle = player.playing, not player.playing and not player.finished
    again = not playing and player.has_new_seed
    speeds = [
        (s, f"{s:g} {'step' if s == 1 else 'steps'} per second" if s else "Maximum")
        for s in sorted({*SPEEDS, player.speed})
    ]
    tip = "Pause after this step" if playing else "Start again with the new seed" if again else "Run the search"
    shown = [
        button("play", "Pause" if playing else "Play", tip, enabled=playing or idle or again, main=True),
        button("step", "Step", "Make one step", enabled=idle),
        button("stop", "Stop", "End the run and keep its result", enabled=playing),
        button("reset", "Reset", "Start again"),
        select("speed", "Speed", player.speed, speeds, "Steps per second"),
    ]
    if player.seed is not None:
        shown.append(number("seed", "Seed", player.seed, "Seed of the next reset"))
    shown.append(toggle("keep", "Keep curves", player.keep, "Reset keeps the curves of earlier runs, for comparison"))
    if len(player.runs) > 1:
        tip = "Run whose graph and policies are shown"
        shown.append(select("run", "Show run", player.run, named(player.runs), tip))
    if player.has_best:
        tip = "Graph of the iteration, or the best one until then"
        choices = [("current", "Current"), ("best", "Best")]
        shown.append(select("shown_graph", "Graph", player.shown_graph, choices, tip))
    if player.compare is not None:
        tip = "Mark edges as true, reversed, extra or missing"
        shown.append(toggle("compare", "Compare with true network", player.compare, tip))
    return [shown, [status_message(player)]]


class RunRow(NamedTuple):
    """Row of a table of runs: colour and glyph of the curve, gap in percent, seconds left; None for unknown values.

    `optimal` is the text of the distance from the optimum, "" if no bound is known.
    """

    name: str
    colour: str
    glyph: str
    iteration: int
    best: float | None
    gap: float | None
    optimal: str
    seconds: float
    work: Work | None
    left: float | None
    ended: bool

    @classmethod
    def of(cls, i: int, name: str, run: Run, truth: Truth, speed: float) -> RunRow:
        """Row of the i-th run, which makes at most `speed` steps per second; 0 for no limit."""
        best = run.best_score if run.scored and isfinite(run.best_score) else None
        optimal = "" if best is None or run.bound == inf else gap_text(max(run.bound - best, 0.0))
        so_far = (run.iteration, best, truth.gap(best), optimal, run.seconds)
        return cls(name, colour(i), glyph(i), *so_far, run.work, run.left(speed), run.done)

    def progress(self) -> str:
        """Text of the progress of the run."""
        if self.work is None:
            return "Finished" if self.ended else "Running"
        done = f"{self.work.done:,} of {self.work.total:,} {self.work.unit}"
        if self.ended:
            return f"Finished, {done}"
        return done if self.left is None else f"{done}, {written_time(self.left)} left"

    def cells(self) -> list[str]:
        """Cells of the table, as HTML."""
        swatch = f'<span aria-hidden="true" style="color: {self.colour}">{escape(self.glyph)}</span>'
        best = "–" if self.best is None else f"{self.best:,.2f}".replace("-", "−")
        gap = "–" if self.gap is None else f"{self.gap + 0.0:,.2f} %".replace("-0.00 %", "0.00 %").replace("-", "−")
        seconds = f"{self.seconds:,.2f}" if self.seconds >= LEAST else f"&lt;{LEAST}"
        bar = ""
        if self.work is not None and not self.ended:
            share = f'max="{max(self.work.total, 1)}" value="{self.work.done}"'
            bar = f'<progress style="width: 88px" aria-label="Progress of {escape(self.name)}" {share}></progress> '
        name, progress = f"{swatch}&nbsp;{escape(self.name)}", f"{bar}{escape(self.progress())}"
        return [name, f"{self.iteration:,}", best, gap, escape(self.optimal), seconds, progress]


def table_html(rows: Sequence[RunRow]) -> str:
    """Table of runs, without columns for gaps if no gap is known."""
    known = {"Gap to truth": any(row.gap is not None for row in rows), "Best graph": any(row.optimal for row in rows)}

    def line(tag: str, cells: Sequence[str]) -> str:
        styles = ["", *[NUMBER] * 3, "", NUMBER, ""]
        shown = zip(HEADS, styles, cells, strict=True)
        drawn = (f'<{tag} style="{style}">{cell}</{tag[:2]}>' for head, style, cell in shown if known.get(head, True))
        return f"<tr>{''.join(drawn)}</tr>"

    head, body = line('th scope="col"', HEADS), "".join(line("td", row.cells()) for row in rows)
    return f'<div class="bnlab-form"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


HALF = "1 1 380px"
LAST_RECORDS = 8
CONVERGED = 1.01
"""Largest R-hat of chains that agree (Vehtari et al. 2021)."""
POLICIES = "<b>Policies</b>: probability of each child (column) for each node (row)"

HEIGHT = 420
SPACING = 56.0
FLATNESS = 1.5
DENSE = 4  # edges per node

Runs = Mapping[str, Run]


class PlayerParts:
    """Parts of a player below its controls, and the pace of drawing them.

    `view` is None before a search has a graph, and `map` before one has policies.
    """

    def __init__(self, runs: Runs, truth: Truth, baselines: Mapping[str, float] | None) -> None:
        self._truth = truth
        self.curve_pace, self.graph_pace = Pace(CURVE_SHARE, CURVE_FRAME), Pace(GRAPH_SHARE, GRAPH_FRAME)
        self._kept_runs: dict[str, Run] = {}
        self._chains: set[str] = set()
        self.rows: list[RunRow] = []
        self.plot = ConvergencePlot(baselines=baselines, truth=truth.score)
        # Baselines are drawn only while the curves show scores; otherwise they wait in `_lines`.
        self._scored, self._lines = True, dict[str, float]()
        self.view: PlayerGraph | None = None
        self.map: PolicyMap | None = None
        self._table, self.caption, self.records = html_line(), ipywidgets.HTML(), html_line()
        self._graph_part, self._map_part = column(HALF), column(HALF)
        both = row(self._graph_part, self._map_part)
        self.children = [self._table, self.plot, self.caption, both, self.records]
        self.follow(runs)

    def follow(self, runs: Runs) -> None:
        """Draw the curves of these runs from now on."""
        curves = {name: curve for run, of in runs.items() for name, curve in of.curves(run).items()}
        for name in self._chains - curves.keys():
            self.plot.forget(name)
        self._chains = curves.keys() - runs.keys()
        for name, curve in curves.items():
            self.plot.follow(name, curve)

    def keep(self, runs: Runs, seed: int | None) -> None:
        """Keep the curves of these runs under new names when other runs replace them."""
        for name, run in runs.items():
            if len(run.curve):
                self._kept_runs[
                    f"{name}, " + (f"run {len(self._kept_runs) + 1}" if seed is None else f"seed {seed}")
                ] = run
        for name, run in self._kept_runs.items():
            self.plot.follow(name, run.curve)

    def forget(self) -> None:
        """Remove the kept curves."""
        for name in self._kept_runs:
            self.plot.forget(name)
        self._kept_runs.clear()
        self.plot.refresh()

    def draw_curves(self, player: PlayerTraits) -> None:
        """Draw the table, and the curves of the same quantity as that of the shown run."""
        begin, runs, shown = perf_counter(), player._runs, player._runs[player.run]
        if sum(len(run.others) for run in runs.values()) != len(self._chains):
            self.follow(runs)
        self.plot.unit = shown.unit
        if shown.scored != self._scored:
            self._scored = shown.scored
            self._lines, self.plot.baselines = self.plot.baselines, self._lines
        self.plot.refresh()
        share = player.speed / len(runs)
        self.rows = [RunRow.of(i, name, run, self._truth, share) for i, (name, run) in enumerate(runs.items())]
        self._table.value = table_html(self.rows)
        self.curve_pace.took(perf_counter() - begin)

    def draw_moment(self, player: PlayerTraits, *, settle: bool) -> None:
        """Draw the graph and the policies of the shown iteration, as the player's traits say; hide what a search lacks.

        With `settle`, because the search has stopped, nodes may get a better layout.
        """
        begin, run, moment, compare = perf_counter(), player._runs[player.run], player.moment, bool(player.compare)
        best = player.shown_graph == "best" and run.has_best
        iteration, graph, policies, strengths = run.at(moment, best=best)
        if graph is not None:
            if self.view is None:
                self.view = PlayerGraph(graph, self._truth.graph)
                self._graph_part.children = [self.view.view]
            kinds = None if compare or best else edge_kinds(graph, policies)
            self.view.show(graph, strengths, compare=compare, kinds=kinds, settle=settle)
        if graph is not None and policies is not None:
            if self.map is None:
                self.map = PolicyMap(graph.names)
                self._map_part.children = [ipywidgets.HTML(POLICIES), self.map]
            self.map.names = graph.names
            self.map.show(policies)
        for part, content in ((self._graph_part, graph), (self._map_part, policies)):
            show_part(part, content is not None)
        show_part(self.records, graph is None)
        if graph is None:
            # A search without graphs has no history.
            moment, iteration = None, run.iteration
            self.records.value = _table(run.search.result(run.state))
        when = "latest" if moment is None else "past"
        of = f"{escape(player.run)}: iteration" if len(player.runs) > 1 else "Iteration"
        which = ", best graph so far" if best else ""
        self.caption.value = f"<b>{of} {iteration:,}</b> ({when}{which}){convergence_html(run)}"
        self.graph_pace.took(perf_counter() - begin)

    def still(self) -> str:
        """Pictures of all parts, as HTML."""
        html = f"<div>{self.plot.picture().to_html()}</div><p>{self.caption.value}</p>"
        if self.view is not None and self._graph_part.layout.display != "none":
            html += f"<div>{self.view.view.picture().to_html()}</div>"
        if self.map is not None and self._map_part.layout.display != "none":
            html += f"<p>{POLICIES}</p><div>{policies_picture(self.map.data(), title='').to_html()}</div>"
        return html if self.records.layout.display == "none" else f"{html}{self.records.value}"


def convergence_html(run: Run) -> str:
    """Convergence of a sampler, as HTML; "" for other searches."""
    found = run.diagnostics()
    if not found:
        return ""
    if not isfinite(found["r_hat"]):
        return ". Burn-in: there are no edge probabilities yet."
    agree = "agree" if found["r_hat"] <= CONVERGED else "do not agree yet"
    return (
        f". The chains {agree}: greatest R-hat of the edges {found['r_hat']:.3f} (at most {CONVERGED} is good), least "
        f"effective sample size {found['ess']:,.0f}. Thickness of an edge: its probability so far."
    )


def _table(result: Any) -> str:
    """Last records of a grid; "" for other results."""
    if not isinstance(result, pd.DataFrame) or not len(result):
        return ""
    return html_table(result.tail(LAST_RECORDS), caption=f"{len(result):,} records, the last of them").html


class PlayerGraph:
    """A `GraphView` for a graph that changes often.

    The layout is that of the true network if it is known and not too large; otherwise nodes are on a ring until the
    search stops for the first time.
    """

    def __init__(self, graph: Dag | Pdag, truth: Dag | None = None) -> None:
        self._truth = Reference.of(None, truth)
        layout: Layout | None = None
        if truth is not None:
            with suppress(TooLarge):
                layout = layered_layout(truth, drawing.widths(truth.names))
        self._placed = layout is not None
        self.view = GraphView.from_graph(graph, layout=layout or ring(graph.names), height=HEIGHT)
        self._shown: object = None

    def show(
        self,
        graph: Dag | Pdag,
        strengths: Mapping[tuple[str, str], float] | None = None,
        *,
        compare: bool,
        kinds: Mapping[tuple[str, str], str] | None,
        settle: bool,
    ) -> None:
        """Draw another graph on the same nodes, with edges marked by comparison with the true network or by kinds.

        `strengths` are probabilities of edges, shown as their thickness.
        """
        shown = (graph, strengths, compare, kinds)
        # A layered layout of many edges takes long and shows nothing.
        sparse = 0 < len(edge_directions(graph)) <= DENSE * len(graph)
        relayout = settle and not self._placed and sparse and not self.view.positions
        if shown == self._shown and not relayout:
            return
        self._shown = shown
        self._placed |= relayout
        against = comparable(self._truth, graph) if compare else None
        kinds = None if against is not None else kinds
        look: dict[str, Any] = {"strength_label": "Probability", "strength_range": (0.0, 1.0)} if strengths else {}
        try:
            self.view.set_graph(graph, against, strengths, kinds=kinds, relayout=relayout, **look)
        except TooLarge:
            self.view.set_graph(graph, against, strengths, kinds=kinds, **look)


def ring(names: tuple[str, ...]) -> Layout:
    """Layout on an ellipse, for nodes whose edges are not known yet."""
    n = len(names)
    widths = drawing.widths(names)
    sizes = np.column_stack([widths, np.full(n, NODE_HEIGHT)])
    high = max(SPACING * n / (2 * np.pi), NODE_HEIGHT)
    angles = 2 * np.pi * np.arange(n) / max(n, 1) - np.pi / 2
    centres = np.column_stack([max(FLATNESS * high, float(widths.max())) * np.cos(angles), high * np.sin(angles)])
    low = (centres - sizes / 2).min(axis=0)
    size = (centres + sizes / 2).max(axis=0) - low
    return Layout(centres - low, sizes, {}, (float(size[0]), float(size[1])))
