"""One search of a player with its state, curve and history, and the true network for comparison."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from operator import itemgetter
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from bnlab.figures.searches.convergence import NATS
from bnlab.figures.searches.curve import Curve
from bnlab.graphs import Dag, Pdag, as_dag
from bnlab.search import Policies, Progress, Snapshot, Trace, Work
from bnlab.widgets.player.described import CountsIterations, HasBestScore, described, progress

EVERY, MOMENT = 2_000, 0.001
"""Number of first steps whose graphs are all kept, and minimum seconds between two later graphs that are kept."""
GRAPH_BYTES = 64 << 20
POLICY_BYTES = 64 << 20
POINTER = 8
OVERHEAD = 120


class _Step(NamedTuple):
    """State after a step, report of the step, and its time in seconds."""

    state: Any
    info: Any
    seconds: float


class Past(NamedTuple):
    """Graph, policies and edge probabilities at an iteration; None for parts that the search lacks."""

    iteration: int
    graph: Dag | Pdag | None
    policies: Policies | None
    strengths: Mapping[tuple[str, str], float] | None = None


class Run:
    """A search and its results so far; `seconds` is the time spent in steps.

    Variables have the given names, or else those that the search knows, or X1, X2, ... The curve shows scores if
    `scored`, otherwise the units of work done.
    """

    def __init__(self, search: Any, names: Any = None) -> None:
        self.search = search
        self._description = described(search)
        self.names = None if names is None else tuple(map(str, names))
        self._lock = Lock()
        self._turn = object()
        self._abandoned: tuple[Any, _Step] | None = None
        self._new_steps: list[_Step] = []
        self.begin(search.init())

    def begin(self, state: Any) -> None:
        """Continue from a state, with an empty curve."""
        self.trace, self.curve, self.history = Trace(), Curve(self.names), History()
        self.others: list[Curve] = []
        self.steps, self.seconds, self.scored = 0, 0.0, True
        snapshot = self._description.snapshot(state)
        # Start of the current kind of work: work, seconds and steps.
        self._work_start: tuple[Work | None, float, int] = snapshot.work, 0.0, 0
        self.state = state
        self.iteration = int(state.iteration) if isinstance(state, CountsIterations) else 0
        self.best_score = float(state.best_score) if isinstance(state, HasBestScore) else float("-inf")
        self.bound = float("inf")
        self._recorded_at = perf_counter()
        self._note(snapshot)

    @property
    def done(self) -> bool:
        """Whether the search has nothing left to do."""
        return bool(self.search.is_done(self.state))

    @property
    def work(self) -> Work | None:
        """Progress of the search; None if it does not know it."""
        return self._description.snapshot(self.state).work

    def left(self, speed: float) -> float | None:
        """Estimated seconds to the end at no more than `speed` steps per second (0: no limit); None if unknown."""
        now = self.work
        if now is None:
            return None
        begun, seconds, steps = self._work_start
        begun = begun or Work(0, now.total, now.unit)
        if begun.unit != now.unit:
            # Each search of a chain counts in its own unit.
            begun, seconds, steps = now, self.seconds, self.steps
        self._work_start = begun, seconds, steps
        made = now.done - begun.done
        spent = max(self.seconds - seconds, (self.steps - steps) / speed if speed else 0.0)
        return spent * (now.total - now.done) / made if made > 0 else None

    def step(self, seconds: float = 0.0) -> None:
        """Make one step, or several for some seconds; a step that fails or is abandoned changes nothing.

        The first steps of a search are made one by one, and so are steps that report no `Progress`.
        """
        turn = self._turn
        try:
            self._make(turn, perf_counter() + seconds)
        except Exception:
            if turn is self._turn:
                raise
        finally:
            self._record(turn)

    def abandon_step(self) -> None:
        """Stop waiting for a step that another thread is making; its result counts as the next step."""
        with self._lock:
            self._turn = object()
            self._settle()

    def _make(self, turn: object, end: float) -> None:
        """Make a step, and more steps that begin before the time `end`."""
        state, self._new_steps = self.state, []
        alone = len(self.history) < EVERY
        while True:
            made = self._next_step(state)
            with self._lock:
                if turn is not self._turn:
                    self._abandoned = state, made
                    return
                self._new_steps.append(made)
            state = made.state
            if alone or perf_counter() > end or not isinstance(made.info, Progress) or self.search.is_done(state):
                return

    def _next_step(self, before: Any) -> _Step:
        with self._lock:
            abandoned, self._abandoned = self._abandoned, None
        if abandoned is not None and abandoned[0] is before:
            return abandoned[1]
        begin = perf_counter()
        after, info = self.search.step(before)
        return _Step(after, info, perf_counter() - begin)

    def _record(self, turn: object) -> None:
        """Record the steps made, unless they were abandoned in the meantime."""
        made, now = self._new_steps, perf_counter()
        if not made:
            return
        note = now - self._recorded_at > MOMENT or len(self.history) < EVERY
        found = self._description.snapshot(made[-1].state) if note else None
        with self._lock:
            if turn is not self._turn:
                return
            self._settle()
            if found is not None:
                self._note(found)
                self._recorded_at = now

    def _settle(self) -> None:
        """Adopt the state after the steps made."""
        made, self._new_steps = self._new_steps, []
        for state, info, seconds in made:
            self.steps += 1
            self.seconds += seconds
            point = progress(info, self.steps)
            self.state, self.iteration = state, point.iteration
            self.best_score = max(self.best_score, point.best_score)
            self.bound = min(self.bound, point.bound)
            self.trace.add(point, seconds)
            self._draw(point, seconds, scores=isinstance(info, Progress))

    def at(self, moment: int | None, *, best: bool = False) -> Past:
        """Entry of the history at an iteration, or the one before it; None for the current iteration.

        The graph is that of the iteration or, with `best`, the best one until then.
        """
        with self._lock:
            self._note(self._description.snapshot(self.state))
            past = self.history.at(self.iteration if moment is None else moment)
        sketch = past.best if best and past.best is not None else past.sketch
        if sketch is None:
            return Past(past.iteration, None, past.policies)
        names = self.names or self._description.variable_names() or [f"X{i + 1}" for i in range(len(sketch))]
        strengths = self._description.strengths_of(sketch, names)
        return Past(past.iteration, self._description.graph_of(sketch, names), past.policies, strengths)

    def diagnostics(self) -> Mapping[str, float]:
        """Current convergence diagnostics of a sampler."""
        return self._description.diagnostics(self.state)

    @property
    def has_best(self) -> bool:
        """Whether the search knows its best graph besides the current one."""
        return self._description.snapshot(self.state).best is not None

    def _draw(self, point: Progress, seconds: float, *, scores: bool) -> None:
        """Add a step to the curve: its scores, or units of work until a step has a score."""
        if scores and not self.scored:
            # The second search of a chain counts its iterations from 1.
            self.curve.clear()
            self.history = History()
        self.scored = scores or (self.scored and len(self.curve) > 0)
        if not self.scored:
            done = float(self.work.done if self.work else self.steps)
            point = Progress(self.steps, (done,), done)
        while len(self.others) < len(point.others):
            self.others.append(Curve(self.names))
        for curve, chain in zip(self.others, point.others, strict=False):
            curve.add(Progress(point.iteration, chain, float(np.max(chain))), seconds)
        self.curve.add(point, seconds)
        for curve in (self.curve, *self.others):
            curve.unit = self.unit

    def curves(self, name: str) -> dict[str, Curve]:
        """Curves by name: that of the run and those of its other chains."""
        return {name: self.curve} | {f"{name}, chain {i}": curve for i, curve in enumerate(self.others, start=2)}

    @property
    def unit(self) -> str:
        """Quantity that the curve shows."""
        now = self.work
        return NATS if self.scored else f"{now.unit} done" if now else "steps"

    def _note(self, found: Snapshot) -> None:
        self.history.note(self.iteration, found.sketch, found.policies, found.best)


@dataclass(frozen=True)
class Truth:
    """The true network: its graph, its score, or neither."""

    graph: Dag | None = None
    score: float | None = None

    @classmethod
    def of(cls, given: Any, run: Run) -> Truth:
        """Truth from a finite score, or from a network on the variables of the search, which then scores it."""
        if given is None:
            return cls()
        if isinstance(given, int | float):
            if not isfinite(given):
                raise ValueError(f"truth={given!r}: a score is finite; give the network, or leave it out.")
            return cls(score=float(given))
        present, own = run.at(None).graph, described(run.search)
        names = own.variable_names() if present is None else present.names
        dag = as_dag(given, names)
        return cls(dag, None if names is None else own.score_of(dag.parents))

    def gap(self, score: float | None) -> float | None:
        """True score minus a score, in percent of the true score; None if one of them is unknown."""
        if score is None or self.score is None or self.score == 0:
            return None
        return 100.0 * (self.score - score) / abs(self.score)


class Moment(NamedTuple):
    """Entry of a history: graph, policies and best graph, each with the iteration at which it was recorded."""

    iteration: int
    sketch: Any
    policies_iteration: int
    policies: Policies | None
    best_iteration: int = -1
    best: Any = None


class History:
    """Graph, policies and best graph so far after each step.

    Graphs are tuples that share their families, or arrays of bits: about 8 n + 120 bytes per step for n variables. All
    steps are kept up to `graph_bytes` (64 MB by default: 160,000 steps of 37 variables, 8,000 of 1,000). Policies are
    matrices of 9 n² bytes: `policy_bytes` (64 MB) hold 5,000 steps of 37 variables. Each time a limit is passed, every
    second entry except the last is dropped. An iteration without an entry then shows the entry before it.

    Examples
    --------
    >>> history = History()
    >>> history.note(0, ((), ()), None)
    >>> history.note(5, ((), (0,)), None)
    >>> history.at(4).sketch, history.at(9).iteration
    (((), ()), 5)
    """

    def __init__(self, *, graph_bytes: int = GRAPH_BYTES, policy_bytes: int = POLICY_BYTES) -> None:
        self._graphs = _Entries(graph_bytes)
        self._policies = _Entries(policy_bytes)
        self._best = _Entries(graph_bytes)
        self._families: dict[tuple[int, ...], tuple[int, ...]] = {}

    def __len__(self) -> int:
        """Number of stored graphs."""
        return len(self._graphs.entries)

    def note(self, iteration: int, graph: Any, policies: Policies | None, best: Any = None) -> None:
        """Record the graphs and policies after a step; they must not be changed later."""
        self._note_graph(self._graphs, iteration, graph)
        if not _same(best, self._best.latest):
            self._note_graph(self._best, iteration, best)
        if policies is not None:
            edges = 0 if policies.edges is None else policies.edges.nbytes
            self._policies.add(iteration, policies, policies.tau.nbytes + edges + OVERHEAD)

    def at(self, iteration: int) -> Moment:
        """Last entries at or before an iteration; the first entries if all are later."""
        return Moment(*self._graphs.at(iteration), *self._policies.at(iteration), *self._best.at(iteration))

    def _note_graph(self, kept: _Entries, iteration: int, graph: Any) -> None:
        if isinstance(graph, tuple):
            graph = tuple(map(self._families.setdefault, graph, graph))
            kept.add(iteration, graph, POINTER * len(graph) + OVERHEAD)
        elif graph is not None:
            kept.add(iteration, graph, graph.nbytes + OVERHEAD)


class _Entries:
    """Entries (iteration, value, bytes), thinned when they exceed a number of bytes."""

    def __init__(self, most: int) -> None:
        self.most, self.total = most, 0
        self.entries: list[tuple[int, Any, int]] = []

    def add(self, iteration: int, value: Any, size: int) -> None:
        if self.entries and self.entries[-1][0] == iteration:
            self.total -= self.entries.pop()[2]
        self.entries.append((iteration, value, size))
        self.total += size
        if self.total > self.most and len(self.entries) > 2:
            self.entries = [*self.entries[:-1:2], self.entries[-1]]
            self.total = sum(size for _, _, size in self.entries)

    @property
    def latest(self) -> Any:
        """Value of the last entry; None before the first."""
        return self.entries[-1][1] if self.entries else None

    def at(self, iteration: int) -> tuple[int, Any]:
        k = max(bisect_right(self.entries, iteration, key=itemgetter(0)) - 1, 0)
        return self.entries[k][:2] if self.entries else (-1, None)


def _same(a: Any, b: Any) -> bool:
    """Whether two graphs, as tuples or arrays, are equal; the searches of a chain may describe theirs differently."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)
