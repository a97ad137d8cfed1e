"""Controls of a player, and a table of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite
from typing import NamedTuple

from bnlab.figures.theme import colour, glyph
from bnlab.search import Work
from bnlab.widgets.base.controls import Lines, button, message, named, number, select, toggle
from bnlab.widgets.base.timing import LEAST, duration
from bnlab.widgets.player.run import Run, Truth
from bnlab.widgets.player.traits import PlayerTraits

SPEEDS = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
HEADS = ("Run", "Iterations", "Best score", "Gap to truth", "Seconds", "Progress")
NUMBER = "text-align: right; white-space: nowrap"


def player_lines(player: PlayerTraits) -> Lines:
    """Controls of a player, and its status below them."""
    playing, idle = player.playing, not player.playing and not player.finished
    speeds = [(s, f"{s:g} steps per second" if s else "maximum") for s in sorted({*SPEEDS, player.speed})]
    tip = "Pause after this step" if playing else "Run the search"
    shown = [
        button("play", "Pause" if playing else "Play", tip, enabled=playing or idle, main=True),
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
    if player.compare is not None:
        tip = "Mark edges as true, reversed, extra or missing"
        shown.append(toggle("compare", "Compare with true network", player.compare, tip))
    return [shown, [message("status", player.status, "alert" if player.failed else "status")]]


class RunRow(NamedTuple):
    """Row of a table of runs: colour and glyph of the curve, gap in percent, seconds left; None for the unknown."""

    name: str
    colour: str
    glyph: str
    iteration: int
    best: float | None
    gap: float | None
    seconds: float
    work: Work | None
    left: float | None
    ended: bool

    @classmethod
    def of(cls, i: int, name: str, run: Run, truth: Truth, speed: float) -> RunRow:
        """Row of the i-th run, which may make `speed` steps a second, 0 for any number."""
        best = run.best_score if run.scored and isfinite(run.best_score) else None
        so_far = (run.iteration, best, truth.gap(best), run.seconds)
        return cls(name, colour(i), glyph(i), *so_far, run.work, run.left(speed), run.done)

    def progress(self) -> str:
        """How far the run is, in words."""
        if self.work is None:
            return "finished" if self.ended else "length unknown"
        done = f"{self.work.done:,} of {self.work.total:,} {self.work.unit}"
        if self.ended:
            return f"finished, {done}"
        return done if self.left is None else f"{done}, {duration(self.left)} left"

    def cells(self) -> list[str]:
        """Cells of the table, as HTML."""
        swatch = f'<span aria-hidden="true" style="color: {self.colour}">{escape(self.glyph)}</span>'
        best = "–" if self.best is None else f"{self.best:,.2f}".replace("-", "−")
        gap = "–" if self.gap is None else f"{self.gap:,.2f} %".replace("-", "−")
        seconds = f"{self.seconds:,.2f}" if self.seconds >= LEAST else f"&lt;{LEAST}"
        bar = ""
        if self.work is not None:
            share = f'max="{max(self.work.total, 1)}" value="{self.work.done}"'
            bar = f'<progress style="width: 88px" aria-label="Progress of {escape(self.name)}" {share}></progress> '
        name, progress = f"{swatch}&nbsp;{escape(self.name)}", f"{bar}{escape(self.progress())}"
        return [name, f"{self.iteration:,}", best, gap, seconds, progress]


def table_html(rows: Sequence[RunRow]) -> str:
    """Table of runs; without a column for the gap where none is known."""
    gaps = any(row.gap is not None for row in rows)

    def line(tag: str, cells: Sequence[str]) -> str:
        styles = ["", *[NUMBER] * 4, ""]
        shown = [f'<{tag} style="{style}">{cell}</{tag[:2]}>' for style, cell in zip(styles, cells, strict=True)]
        return f"<tr>{''.join(shown if gaps else shown[:3] + shown[4:])}</tr>"

    head, body = line('th scope="col"', HEADS), "".join(line("td", row.cells()) for row in rows)
    return f'<div class="bnlab-form"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'
