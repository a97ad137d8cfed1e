"""Protocol of every iterative algorithm: it defines how to start, step and stop, and the caller owns the loop.

A state is a plain value that can be copied and stored, so that pausing, resuming and replaying are the same. Progress
bars, widgets, tests and checkpoint files call `iterate`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.interrupts import reraise_interrupts

__all__ = [
    "Described",
    "Event",
    "Policies",
    "Progress",
    "Search",
    "Snapshot",
    "Trace",
    "Undescribed",
    "Work",
    "iterate",
    "run",
]

State = TypeVar("State")
Info = TypeVar("Info", covariant=True)
Result = TypeVar("Result", covariant=True)
Families: TypeAlias = tuple[tuple[int, ...], ...]


@runtime_checkable
class Search(Protocol[State, Info, Result]):
    """An algorithm as four methods."""

    def init(self) -> State:
        """State before the first step."""

    def step(self, state: State) -> tuple[State, Info]:
        """Next state, and information on the step; the argument does not change."""

    def is_done(self, state: State) -> bool:
        """Whether there is nothing left to do."""

    def result(self, state: State) -> Result:
        """Result so far."""


class Work(NamedTuple):
    """Units of work done, their total, and the name of the unit."""

    done: int
    total: int
    unit: str


@dataclass(frozen=True, eq=False)
class Policies:
    """Randomised policies of a search over decision nodes.

    Attributes
    ----------
    tau : ndarray of float, shape (n, n)
        [i, j] for i -> j, [i, i] for no edge; rows sum to one.
    flags : ndarray of bool, shape (n,)
        Which decisions are still open.
    edges : ndarray of bool, shape (n, n), optional
        Permanent edges; None if the search has no such edges.
    """

    tau: NDArray[np.float64]
    flags: NDArray[np.bool_]
    edges: NDArray[np.bool_] | None = None

    @property
    def active(self) -> tuple[bool, ...]:
        """Which decisions are still open."""
        return tuple(self.flags.tolist())

    @property
    def permanent(self) -> tuple[tuple[int, int], ...]:
        """Permanent edges (u, v)."""
        return () if self.edges is None else tuple((int(u), int(v)) for u, v in np.argwhere(self.edges))


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Description of one state of a search. A snapshot is cheap to make and to store.

    Attributes
    ----------
    work : Work, optional
        None if the search does not know how much is left.
    sketch : optional
        Current graph in a form that the search itself converts to a graph (`Described.graph_of`): families as
        tuples, or an array. None for a search without a graph.
    policies : Policies, optional
    best : optional
        Best graph so far, in the form of `sketch`; None if it is the current one.
    """

    work: Work | None = None
    sketch: Any = None
    policies: Policies | None = None
    best: Any = None


@runtime_checkable
class Described(Protocol):
    """A search that describes its own progress; the defaults are for one without a graph and a known end."""

    def snapshot(self, state: Any) -> Snapshot:
        """Work done, current graph and policies of a state."""
        return Snapshot()

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Any:
        """Graph (Dag or Pdag) of a sketch."""
        raise TypeError(f"{type(self).__name__} has no graph to show")

    def strengths_of(self, sketch: Any, names: Sequence[str]) -> Mapping[tuple[str, str], float] | None:
        """Probability of each edge of the graph of a sketch; None for a search without probabilities."""
        return None

    def diagnostics(self, state: Any) -> Mapping[str, float]:
        """Convergence of a sampler, such as "r_hat" and "ess"; empty for other searches."""
        return {}

    def variable_names(self) -> tuple[str, ...] | None:
        """Names of the variables; None if the search does not know them."""
        return None

    def score_of(self, parents: Sequence[Sequence[int]]) -> float | None:
        """Score of a network under the score of this search; None if it has none."""
        return None


class Undescribed(Described):
    """Description of a search that does not describe itself."""


def iterate(search: Search[State, Info, Result], state: State | None = None) -> Iterator[tuple[State, Info]]:
    """Yield each state with the information of its step until the search is done, starting from `state` if given."""
    current = search.init() if state is None else state
    while not search.is_done(current):
        with reraise_interrupts():
            current, info = search.step(current)
        yield current, info


def run(search: Search[State, Info, Result], state: State | None = None) -> Result:
    """Step until done and return the result, starting from `state` if given."""
    with reraise_interrupts():
        last = search.init() if state is None else state
        while not search.is_done(last):
            last, _ = search.step(last)
        return search.result(last)


class Event(NamedTuple):
    """Event of a search: its kind, its iteration and its edge u -> v (-1 for none)."""

    iteration: int
    kind: str
    u: int = -1
    v: int = -1


@dataclass(frozen=True, eq=False)
class Progress:
    """Information of one step of a search by a score.

    Attributes
    ----------
    iteration : int
        Total number of iterations.
    scores : sequence of float
        Score after each iteration of this step.
    best_score : float
        Score of the best graph so far.
    events : tuple of Event
    bound : float
        Upper bound of the score of any graph; infinite if unknown.
    others : tuple of sequence of float
        Scores of further chains; `scores` are those of the first one.
    """

    iteration: int
    scores: Sequence[float] | NDArray[np.float64]
    best_score: float
    events: tuple[Event, ...] = ()
    bound: float = np.inf
    others: tuple[Sequence[float] | NDArray[np.float64], ...] = ()


@dataclass(eq=False, repr=False)
class Trace:
    """Scores of a search over iterations and time.

    Attributes
    ----------
    iterations, seconds, best, bounds : list
        After each step: iterations made, seconds spent in steps, score of the best graph so far, and upper bound of
        the score of any graph.
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
    bounds: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    _scores: list[Sequence[float] | NDArray[np.float64]] = field(default_factory=list)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Score after every iteration."""
        return np.concatenate([np.asarray(part, dtype=np.float64) for part in self._scores] or [np.empty(0)])

    def add(self, progress: Progress, seconds: float = 0.0) -> None:
        """Append the information of a step, and its duration."""
        self.iterations.append(progress.iteration)
        self.seconds.append(seconds + (self.seconds[-1] if self.seconds else 0.0))
        self.best.append(progress.best_score)
        self.bounds.append(progress.bound)
        self.events.extend(progress.events)
        self._scores.append(progress.scores)

    def follow(self, search: Search[State, Progress, Result], state: State | None = None) -> Iterator[State]:
        """Yield each state of a search and record its scores; the time between steps does not count."""
        current = search.init() if state is None else state
        while not search.is_done(current):
            begin = perf_counter()
            with reraise_interrupts():
                current, progress = search.step(current)
            self.add(progress, perf_counter() - begin)
            yield current

    def run(self, search: Search[State, Progress, Result], state: State | None = None) -> State:
        """Step until the search is done, record its scores and return the last state."""
        current = search.init() if state is None else state
        for last in self.follow(search, current):
            current = last
        return current
