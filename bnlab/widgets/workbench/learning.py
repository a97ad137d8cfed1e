"""Controls of a search in the workbench, and its progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from threading import Event
from time import perf_counter
from typing import Any, NamedTuple

from bnlab.analysis.choices import LEARNERS, SCORES, learner, options_of, scores_of
from bnlab.search import Progress, Work
from bnlab.widgets.base.controls import Control, button, message, number, select, text
from bnlab.widgets.base.controls import progress as progress_bar
from bnlab.widgets.base.times import duration
from bnlab.widgets.player.described import described, progress

FRAME = 0.15
"""Seconds between two reports of a running search."""


class Activity(NamedTuple):
    """Activity of a form.

    Attributes
    ----------
    running : (share or None, text) or None
        Progress of its job; None when none runs.
    busy : bool
        Whether any job runs.
    message : str
        Last message.
    failed : bool
        Whether the message is an error.
    """

    running: tuple[float | None, str] | None
    busy: bool
    message: str
    failed: bool

    def lines(self, progress_label: str) -> list[list[Control]]:
        """Progress bar while a job runs, and the last message."""
        bar = [] if self.running is None else [progress_bar("progress", progress_label, *self.running)]
        return [bar, [said(self.message, self.failed)]]


def said(text: str, failed: bool) -> Control:
    """Last message of a form."""
    return message("said", text, "alert" if failed else "status")


class Watcher:
    """Reports the progress of a search at intervals, and ends it on request.

    Parameters
    ----------
    stop : Event
        Set to end the search.
    report : callable (share or None, text)
        Called at intervals.
    draw : callable (search, state, Progress)
        Called after every step; draws at its own intervals.
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
        """Record a step; true when the search has to end."""
        self._steps += 1
        found = progress(info, self._steps)
        self._best = max(self._best, found.best_score)
        if self._stop.is_set():
            return True
        self._draw(search, state, found)
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
        # The stages of a search have totals of their own: a speed is measured within one of them.
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
    activity: Activity,
) -> list[list[Control]]:
    """Lines of the form that learns a network.

    Parameters
    ----------
    algorithm, score, options
        Present choices.
    name : str
        Name for the network; "" for an automatic one.
    suggestion : str
        Why the suggested learner was chosen.
    ready : bool
        Whether there is a table.
    activity : Activity
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
            button(
                "learn", "Learn", "Learn a network with these settings", enabled=ready and not activity.busy, main=True
            ),
            button(
                "stop", "Stop", "Stop the search and keep the best network so far", enabled=activity.running is not None
            ),
            text("name", "Name", name, "Name of the network", placeholder="Automatic"),
        ],
        *activity.lines("Progress of the search"),
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
