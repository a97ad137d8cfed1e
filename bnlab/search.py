"""The shape of every algorithm that loops: it says how to start, step and stop, and the caller owns the loop.

A state is a plain value that can be copied and stored, so pausing, resuming and replaying are the same act. A bar, a
widget, a test and a file of checkpoints are callers of `iterate`; none of them is known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.interrupts import interrupts_kept

State = TypeVar("State")
Info = TypeVar("Info", covariant=True)
Result = TypeVar("Result", covariant=True)


class Search(Protocol[State, Info, Result]):
    """An algorithm as four verbs."""

    def init(self) -> State:
        """State before the first step."""

    def step(self, state: State) -> tuple[State, Info]:
        """Next state, and what a watcher may want to know of the step; the argument is left as it was."""

    def is_done(self, state: State) -> bool:
        """Whether there is nothing left to do."""

    def result(self, state: State) -> Result:
        """What has been found so far."""


def iterate(search: Search[State, Info, Result], state: State | None = None) -> Iterator[tuple[State, Info]]:
    """Yield each state with its step's information until the search is done, from a given state if there is one."""
    current = search.init() if state is None else state
    while not search.is_done(current):
        with interrupts_kept():
            current, info = search.step(current)
        yield current, info


def run(search: Search[State, Info, Result], state: State | None = None) -> Result:
    """Step until done and return the result, from a given state if there is one.

    A search may have a quicker way to the same result, ``at_once()``, which is None where it cannot be taken.
    """
    with interrupts_kept():
        if state is None and (at_once := getattr(search, "at_once", None)) and (result := at_once()) is not None:
            return result  # type: ignore[no-any-return]
        last = search.init() if state is None else state
        while not search.is_done(last):
            last, _ = search.step(last)
        return search.result(last)


class Event(NamedTuple):
    """Something that happened in a search: of what kind, at which iteration, to which edge u -> v (-1 for none)."""

    iteration: int
    kind: str
    u: int = -1
    v: int = -1


@dataclass(frozen=True, eq=False)
class Progress:
    """What a step of a search for a graph of great score tells its watchers.

    Attributes
    ----------
    iteration : int
        Iterations made in all.
    scores : sequence of float
        Score after each iteration of this step.
    best_score : float
        Score of the best graph so far.
    events : tuple of Event
    """

    iteration: int
    scores: Sequence[float] | NDArray[np.float64]
    best_score: float
    events: tuple[Event, ...] = ()


@dataclass(eq=False, repr=False)
class Trace:
    """The curve of a search: every score, and when it was reached.

    Attributes
    ----------
    iterations, seconds, best : list
        After each step: iterations made, seconds spent in steps, score of the best graph so far.
    events : list of Event

    Examples
    --------
    >>> trace = Trace()
    >>> trace.add(Progress(2, (-9.0, -7.0), -7.0), seconds=0.5)
    >>> trace.add(Progress(3, (-8.0,), -7.0), seconds=0.25)
    >>> trace.scores, trace.seconds
    (array([-9., -7., -8.]), [0.5, 0.75])
    """

    iterations: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    _scores: list[Sequence[float] | NDArray[np.float64]] = field(default_factory=list)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Score after every iteration."""
        return np.concatenate([np.asarray(part, dtype=np.float64) for part in self._scores] or [np.empty(0)])

    def add(self, progress: Progress, seconds: float = 0.0) -> None:
        """Append what a step tells, and how long it took."""
        self.iterations.append(progress.iteration)
        self.seconds.append(seconds + (self.seconds[-1] if self.seconds else 0.0))
        self.best.append(progress.best_score)
        self.events.extend(progress.events)
        self._scores.append(progress.scores)

    def follow(self, search: Search[State, Progress, Result], state: State | None = None) -> Iterator[State]:
        """Yield each state of a search and note its curve; the time between steps does not count."""
        current = search.init() if state is None else state
        while not search.is_done(current):
            begin = perf_counter()
            with interrupts_kept():
                current, progress = search.step(current)
            self.add(progress, perf_counter() - begin)
            yield current

    def run(self, search: Search[State, Progress, Result], state: State | None = None) -> State:
        """Step until the search is done, note its curve and return the last state."""
        current = search.init() if state is None else state
        for last in self.follow(search, current):
            current = last
        return current
