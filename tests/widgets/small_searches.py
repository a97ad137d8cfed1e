"""Searches that are small enough to be played in a test, and one that does what a test asks of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event as Signal

from bnlab.graphs import Dag
from bnlab.learners.types import PlainScores
from bnlab.search import Described, Event, Progress, Snapshot

GAIN = [[0.0, 5.0, 1.0, 0.5], [6.0, 0.0, 3.0, 0.2], [2.0, 4.0, 0.0, 7.0], [0.1, 0.2, 6.0, 0.0]]
NAMES = ("A", "B", "C", "D")


def phi(child: int, parents: tuple[int, ...]) -> float:
    """Each parent gains its own, less something that grows with their number."""
    return sum(GAIN[j][child] for j in parents) - 2.0 * len(parents) ** 2 - 10.0


class NamedScores(PlainScores):
    """A function as a local score whose variables have names."""

    def __init__(self, phi: Callable[[int, tuple[int, ...]], float], names: tuple[str, ...] = NAMES) -> None:
        super().__init__(phi, len(names))
        self.names = names


@dataclass(frozen=True)
class CounterState:
    """A number, and a graph that tells it."""

    count: int
    parents: tuple[tuple[int, ...], ...]
    best_score: float = float("-inf")

    @property
    def iteration(self) -> int:
        return self.count


@dataclass(frozen=True)
class Counter(Described):
    """Counts to `most`; its graph after k steps has the edge A -> B when k is odd. `before` is called in each step."""

    most: int = 10
    before: Callable[[int], None] = field(default=lambda count: None)
    seed: int = 0

    def init(self) -> CounterState:
        return CounterState(0, ((), ()))

    def step(self, state: CounterState) -> tuple[CounterState, Progress]:
        self.before(state.count)
        count = state.count + 1
        score = -100.0 / count - self.seed
        after = CounterState(count, ((), (0,) if count % 2 else ()), max(state.best_score, score))
        events = (Event(count, "converged", 0, 1),) if count == 3 else ()
        return after, Progress(count, (score,), after.best_score, events)

    def is_done(self, state: CounterState) -> bool:
        return state.count >= self.most

    def result(self, state: CounterState) -> tuple[tuple[int, ...], ...]:
        return state.parents

    def snapshot(self, state: CounterState) -> Snapshot:
        return Snapshot(sketch=state.parents)

    def graph_of(self, sketch: tuple[tuple[int, ...], ...], names: Sequence[str]) -> Dag:
        return Dag(names, sketch)


class Gate:
    """Holds a search in its step until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self.open = Signal(), Signal()

    def __call__(self, count: int) -> None:
        if count == 3:
            self.reached.set()
            assert self.open.wait(30)
