"""One search of a player: its state and results so far as a value, its curve and history, and the true network."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from operator import itemgetter
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from bnlab.figures.searches.convergence import NATS
from bnlab.figures.searches.curve import Curve
from bnlab.graphs import Dag, Pdag, as_dag
from bnlab.search import Policies, Progress, Snapshot, Trace, Work
from bnlab.widgets.player.described import (
    Advances,
    CountsIterations,
    HasBestScore,
    described,
    progress,
    time_limit_of,
)

EVERY, MOMENT = 2_000, 0.001
"""Number of first steps whose graphs are all kept, and minimum seconds between two later graphs that are kept."""
GRAPH_BYTES = 64 << 20
POLICY_BYTES = 64 << 20
POINTER = 8
OVERHEAD = 120


class Past(NamedTuple):
    """Graph, policies and edge probabilities at an iteration; None for parts that the search lacks."""

    iteration: int
    graph: Dag | Pdag | None
    policies: Policies | None
    strengths: Mapping[tuple[str, str], float] | None = None


class Log:
    """What the steps of a run have left behind: it only grows, and all values of one run share it.

    Other threads may read it while a step is added.
    """

    def __init__(self, names: Sequence[str] | None) -> None:
        self.trace, self.curve, self.history = Trace(), Curve(names), History()
        self.others: list[Curve] = []
        """Curves of the other chains of a sampler."""
        self.noted = perf_counter()
        """Time of the last entry of the history."""

    def draw(self, point: Progress, seconds: float) -> None:
        """Add a step to the curves."""
        while len(self.others) < len(point.others):
            self.others.append(Curve(self.curve.names))
        for curve, chain in zip(self.others, point.others, strict=False):
            curve.add(Progress(point.iteration, chain, float(np.max(chain))), seconds)
        self.curve.add(point, seconds)

    def begin_again(self) -> None:
        """Forget curve and history, and not the time."""
        self.curve.clear()
        self.history = History()

    def note(self, iteration: int, found: Snapshot) -> None:
        """Add an entry to the history."""
        self.history.note(iteration, found.sketch, found.policies, found.best)
        self.noted = perf_counter()


@dataclass(frozen=True, eq=False)
class Run:
    """A search, the state after its last step, and its results so far; `seconds` is the time spent in steps.

    `names` are those of the variables, or else those that the search knows, or X1, X2, ... The curve shows scores if
    `scored`, otherwise the units of work done. `snapshot` is that of the last `look`.
    """

    search: Any
    names: tuple[str, ...] | None
    log: Log
    state: Any
    snapshot: Snapshot
    iteration: int
    best_score: float
    bound: float = inf
    steps: int = 0
    seconds: float = 0.0
    scored: bool = True
    work_start: tuple[Work | None, float, int] = (None, 0.0, 0)
    """Start of the current kind of work: work, seconds and steps."""

    @classmethod
    def of(cls, search: Any, names: Sequence[str] | None = None, state: Any = None) -> Run:
        """Run from a state, by default the first one, with an empty curve."""
        named = None if names is None else tuple(map(str, names))
        state = search.init() if state is None else state
        found, log = described(search).snapshot(state), Log(named)
        iteration = int(state.iteration) if isinstance(state, CountsIterations) else 0
        best = float(state.best_score) if isinstance(state, HasBestScore) else -inf
        return cls(search, named, log, state, found, iteration, best, work_start=(found.work, 0.0, 0)).look()

    @property
    def done(self) -> bool:
        """Whether the search has nothing left to do."""
        return bool(self.search.is_done(self.state))

    @property
    def work(self) -> Work | None:
        """Progress of the search; None if it does not know it."""
        return self.snapshot.work

    @property
    def has_best(self) -> bool:
        """Whether the search knows its best graph besides the current one."""
        return self.snapshot.best is not None

    @property
    def unit(self) -> str:
        """Quantity that the curve shows."""
        return NATS if self.scored else f"{self.work.unit} done" if self.work else "steps"

    def step(self, *, single: bool = False) -> Run:
        """Run after one more step, if `single` of one iteration; a step that fails changes nothing."""
        begin, search = perf_counter(), self.search
        single = single and isinstance(search, Advances)
        state, info = search.advance(self.state, 1) if single else search.step(self.state)
        seconds, log, steps = perf_counter() - begin, self.log, self.steps + 1
        point, scores = progress(info, steps), isinstance(info, Progress)
        if scores and not self.scored:
            log.begin_again()  # the second search of a chain counts its iterations from 1
        scored = scores or (self.scored and len(log.curve) > 0)
        log.trace.add(point, seconds)
        drawn = point
        if not scored:
            work = described(self.search).snapshot(state).work
            done = float(work.done if work else steps)
            drawn = Progress(steps, (done,), done)
        log.draw(drawn, seconds)
        after = replace(
            self,
            state=state,
            iteration=point.iteration,
            best_score=max(self.best_score, point.best_score),
            bound=min(self.bound, point.bound),
            steps=steps,
            seconds=self.seconds + seconds,
            scored=scored,
        )
        if len(log.history) < EVERY or perf_counter() - log.noted > MOMENT:
            log.note(after.iteration, described(self.search).snapshot(state))
        return after

    def look(self) -> Run:
        """The same run with a snapshot of its state, which the history then has."""
        found = described(self.search).snapshot(self.state)
        self.log.note(self.iteration, found)
        begun, now = self.work_start, found.work
        if now is not None and begun[0] is None:
            begun = Work(0, now.total, now.unit), *begun[1:]
        elif now is not None and begun[0] is not None and begun[0].unit != now.unit:
            begun = now, self.seconds, self.steps  # each search of a chain counts in its own unit
        looked = replace(self, snapshot=found, work_start=begun)
        for curve in (self.log.curve, *self.log.others):
            curve.unit = looked.unit
        return looked

    def left(self, speed: float) -> float | None:
        """Estimated seconds to the end at no more than `speed` steps per second (0: no limit); None if unknown."""
        begun, seconds, steps = self.work_start
        if self.work is None:
            return None
        made = self.work.done - (begun.done if begun else 0)
        spent = max(self.seconds - seconds, (self.steps - steps) / speed if speed else 0.0)
        if made <= 0:
            return None
        limit = max(time_limit_of(self.search) - self.seconds, 0.0)
        return min(spent * (self.work.total - self.work.done) / made, limit)

    def at(self, moment: int | None, *, best: bool = False) -> Past:
        """Entry of the history at an iteration, or the one before it; None for the current iteration.

        The graph is that of the iteration or, with `best`, the best one until then.
        """
        past, own = self.log.history.at(self.iteration if moment is None else moment), described(self.search)
        sketch = past.best if best and past.best is not None else past.sketch
        if sketch is None:
            return Past(past.iteration, None, past.policies)
        names = self.names or own.variable_names() or [f"X{i + 1}" for i in range(len(sketch))]
        return Past(past.iteration, own.graph_of(sketch, names), past.policies, own.strengths_of(sketch, names))

    def diagnostics(self) -> Mapping[str, float]:
        """Current convergence diagnostics of a sampler."""
        return described(self.search).diagnostics(self.state)

    def curves(self, name: str) -> dict[str, Curve]:
        """Curves by name: that of the run and those of its other chains."""
        return {name: self.log.curve} | {
            f"{name}, chain {i}": curve for i, curve in enumerate(self.log.others, start=2)
        }


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
        # Another thread may read meanwhile: entries are added or replaced, and never removed from this list.
        if self.entries and self.entries[-1][0] == iteration:
            self.total -= self.entries[-1][2]
            self.entries[-1] = iteration, value, size
        else:
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
        entries = self.entries
        return entries[max(bisect_right(entries, iteration, key=itemgetter(0)) - 1, 0)][:2] if entries else (-1, None)


def _same(a: Any, b: Any) -> bool:
    """Whether two graphs, as tuples or arrays, are equal; the searches of a chain may describe theirs differently."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)
