"""What the workbench asks before a search, and says while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from threading import Event
from time import perf_counter
from typing import Any

from bnlab.analysis.choices import LEARNERS, SCORES, learner, options_of, scores_of
from bnlab.search import Progress, Work
from bnlab.widgets.base.controls import Control, button, message, number, select, text
from bnlab.widgets.base.controls import progress as progress_bar
from bnlab.widgets.base.times import duration
from bnlab.widgets.player.described import described, progress

FRAME = 0.15
"""Seconds between two reports of a search that runs."""


class Watcher:
    """Tells how far a search is, not too often, and ends it when somebody asks for that.

    Parameters
    ----------
    stop : Event
        Set to end the search.
    report : callable (share or None, text)
        Told what goes on.
    draw : callable (search, state, Progress)
        Told of every step; draws what it found when it is time.
    """

    def __init__(
        self, stop: Event, report: Callable[[float | None, str], None], draw: Callable[[Any, Any, Progress], None]
    ) -> None:
        self._stop, self._report, self._draw = stop, report, draw
        self._begin = perf_counter()
        self._due = 0.0
        self._steps, self._best = 0, float("-inf")
        self._first: Work | None = None

    def __call__(self, search: Any, state: Any, info: Any) -> bool:
        """Note a step; true when the search is to end."""
        self._steps += 1
        told = progress(info, self._steps)
        self._best = max(self._best, told.best_score)
        if self._stop.is_set():
            return True
        self._draw(search, state, told)
        now = perf_counter()
        if now >= self._due:
            self._due = now + FRAME
            self._report(*self._told(described(search).snapshot(state).work, now - self._begin))
        return self._stop.is_set()

    def _told(self, done: Work | None, seconds: float) -> tuple[float | None, str]:
        best = f", best score {self._best:,.2f}".replace("-", "−") if isfinite(self._best) else ""
        if done is None or not done.total:
            return None, f"step {self._steps:,}{best}, {seconds:,.1f} s"
        self._first = first = self._first or done
        share = done.done / done.total
        # A second stage counts other things than the first: only what was made of one and the same total tells a speed.
        made = done.done - first.done if first.total == done.total else 0
        left = f", {duration(seconds * (done.total - done.done) / made)} left" if made > 0 else ""
        return share, f"{done.done:,} of {done.total:,} {done.unit}{best}, {seconds:,.1f} s{left}"


def learn_lines(
    algorithm: str,
    score: str,
    options: Mapping[str, Any],
    *,
    name: str,
    suggestion: str,
    ready: bool,
    running: tuple[float | None, str] | None,
    busy: bool,
    said: tuple[str, bool],
) -> list[list[Control]]:
    """Lines of the form that learns a network.

    Parameters
    ----------
    algorithm, score, options
        What is chosen.
    name : str
        Somebody's own name for the network, or "".
    suggestion : str
        Why the first choice is as it is.
    ready : bool
        Whether there is a table.
    running : (share, text) or None
        How far the search is that runs.
    busy : bool
        Whether anything runs.
    said : (text, whether it failed)
        Last message.
    """
    fields = [_field(option, options.get(option.name, option.value)) for option in options_of(algorithm, score)]
    return [
        [message("suggestion", suggestion)],
        [
            select("algorithm", "Learner", algorithm, [(c.name, c.label) for c in LEARNERS.values()]),
            select("score", "Score", score, [(name, SCORES[name].label) for name in scores_of(algorithm)]),
            *fields,
        ],
        [
            message("about", f"{learner(algorithm).label}: {_lower(learner(algorithm).words)}"),
            message("about-score", f"{SCORES[score].label}: {_lower(SCORES[score].words)}"),
        ],
        [
            button("learn", "Learn", "Learn a network in this way", enabled=ready and not busy, main=True),
            button("stop", "Stop", "End the search; what it has found stays", enabled=running is not None),
            text("name", "Name", name, "What to call the network", placeholder="made from learner and score"),
        ],
        [] if running is None else [progress_bar("progress", "Progress of the search", *running)],
        [message("said", said[0], "alert" if said[1] else "status")],
    ]


def _field(option: Any, value: Any) -> Control:
    return number(
        f"option:{option.name}",
        option.label,
        value,
        option.words,
        least=option.least,
        step=1 if option.whole else "any",
    )


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
