"""What the page of a player shows: controls, a table of runs, curves, and the graph and policies of an iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import inf, isfinite
from typing import Any, NamedTuple, TypedDict

import pandas as pd

from bnlab.figures.searches.curve import Curve
from bnlab.figures.table import html_table
from bnlab.figures.theme import colour, glyph
from bnlab.graphs import Dag, Pdag
from bnlab.learners.exact.optimum import gap_text
from bnlab.search import Policies, Work
from bnlab.widgets.base.controls import Control, Lines, button, message, named, number, select, toggle
from bnlab.widgets.base.core import error_text
from bnlab.widgets.base.timing import LEAST, written_time
from bnlab.widgets.player.described import edge_kinds
from bnlab.widgets.player.run import Past, Run, Truth
from bnlab.widgets.player.update import State

SPEEDS = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
HEADS = ("Run", "Iterations", "Best score", "Gap to truth", "Best graph", "Seconds", "Progress")
LAST_RECORDS = 8
CONVERGED = 1.01
"""Largest R-hat of chains that agree (Vehtari et al. 2021)."""
NUMBER = "text-align: right; white-space: nowrap"


def player_lines(player: State) -> Lines:
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
    ]
    if len(player.runs) > 1:
        tip = "Run whose graph and policies are shown"
        shown.append(select("run", "Show run", player.run, named(player.runs), tip))
    if player.has_best:
        tip = "Graph of the iteration, or the best one until then"
        choices = [("current", "Current"), ("best", "Best")]
        shown.append(select("shown_graph", "Graph", player.shown_graph, choices, tip))
    shown.append(select("speed", "Speed", player.speed, speeds, "Steps per second"))
    if player.seed is not None:
        shown.append(number("seed", "Seed", player.seed, "Seed of the next reset"))
    shown.append(toggle("keep", "Keep curves", player.keep, "Reset keeps the curves of earlier runs, for comparison"))
    return [shown, [message("status", player.status, "alert" if player.failed else "status")]]


def graph_toolbar(player: State) -> dict[str, list[Control]]:
    """Controls above the graph, in the form of `GraphView.toolbar`."""
    tip = "Mark edges as true, reversed, extra or missing"
    known = player.compare is not None
    return {"view": [toggle("compare", "Compare with true network", bool(player.compare), tip)] if known else []}


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
    playing: bool = True

    @classmethod
    def of(cls, i: int, name: str, run: Run, truth: Truth, speed: float, playing: bool) -> RunRow:
        """Row of the i-th run, which makes at most `speed` steps per second; 0 for no limit."""
        best = run.best_score if run.scored and isfinite(run.best_score) else None
        optimal = "" if best is None or run.bound == inf else gap_text(max(run.bound - best, 0.0))
        so_far = (run.iteration, best, truth.gap(best), optimal, run.seconds)
        return cls(name, colour(i), glyph(i), *so_far, run.work, run.left(speed), run.done, playing)

    def progress(self) -> str:
        """Text of the progress of the run."""
        if self.work is None:
            return "Finished" if self.ended else "Running" if self.playing else "–"
        done = f"{self.work.done:,} of {self.work.total:,} {self.work.unit}"
        if self.ended:
            return f"Finished, {done}"
        return done if self.left is None else f"{done}, {written_time(self.left)} left"

    def cells(self) -> list[str]:
        """Cells of the table, as HTML."""
        swatch = f'<span aria-hidden="true" style="color: {self.colour}">{escape(self.glyph)}</span>'
        best = "–" if self.best is None else f"{self.best:,.2f}".replace("-", "−")
        gap = "–" if self.gap is None else "0 %" if abs(self.gap) < 0.005 else f"{self.gap:,.2f} %".replace("-", "−")
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


def records_html(result: Any) -> str:
    """Last records of a grid; "" for other results."""
    if not isinstance(result, pd.DataFrame) or not len(result):
        return ""
    return html_table(result.tail(LAST_RECORDS), caption=f"{len(result):,} records, the last of them").html


class Graph(NamedTuple):
    """A drawn graph: `strengths` are probabilities of edges, and `kinds` those of permanent and chosen edges."""

    graph: Dag | Pdag
    strengths: Mapping[tuple[str, str], float] | None
    compare: bool
    kinds: Mapping[tuple[str, str], str] | None


class Page(TypedDict):
    """What the page shows; parts that the shown search lacks are None."""

    controls: Lines
    table: str
    curves: tuple[tuple[str, Curve, int], ...]
    """Name, curve and its number of steps."""
    unit: str
    baselines: Mapping[str, float]
    focus: str
    moment: int | None
    caption: str
    graph: Graph | None
    settle: bool
    """Whether nodes may get a better layout, because the searches rest."""
    policies: Policies | None
    records: str


def run_rows(state: State) -> list[RunRow]:
    """Rows of the table of runs."""
    share = state.speed / len(state.runs)
    return [
        RunRow.of(i, name, run, state.truth, share, state.playing) for i, (name, run) in enumerate(state.runs.items())
    ]


def page(state: State) -> Page:
    """What the page shows."""
    run, runs, best = state.shown, state.runs, state.shown_graph == "best" and state.has_best
    failure, when = "", "latest" if state.moment is None else "past"
    try:
        past = run.at(state.moment, best=best)
    except Exception as error:  # of a search of one's own, whose status and curve stay
        past, failure = Past(run.iteration, None, None), f". Not shown: {escape(error_text(error))}"
    graph, iteration, records = None, past.iteration, ""
    if past.graph is not None:
        kinds = None if state.compare or best else edge_kinds(past.graph, past.policies)
        graph = Graph(past.graph, past.strengths, bool(state.compare), kinds)
    else:
        # A search without graphs has no history.
        iteration, when, records = run.iteration, "latest", records_html(run.search.result(run.state))
    of = f"{escape(state.run)}: iteration" if len(runs) > 1 else "Iteration"
    which = ", best graph so far" if best else ""
    curves = {
        name: (curve, one.steps) for run_name, one in runs.items() for name, curve in one.curves(run_name).items()
    }
    curves |= {name: (one.log.curve, one.steps) for name, one in state.kept.items()}
    return {
        "controls": player_lines(state),
        "table": table_html(run_rows(state)),
        "curves": tuple((name, *curve) for name, curve in curves.items()),
        "unit": run.unit,
        "baselines": state.lines if run.scored else {},
        "focus": state.run,
        "moment": state.moment,
        "caption": f"<b>{of} {iteration:,}</b> ({when}{which}){failure or convergence_html(run)}",
        "graph": graph,
        "settle": not (state.stepping or state.wanted),
        "policies": None if graph is None else past.policies,
        "records": records,
    }
