"""State of a player, its messages and effects, and the state that follows a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from time import perf_counter, sleep
from typing import Any, Literal, TypeAlias

from bnlab._runtime.names import check_known, known_name
from bnlab.widgets.base.pure import Effect, Failed, Message, Set, Stop, Told
from bnlab.widgets.base.timing import Pace, spent
from bnlab.widgets.player.charts import reference_lines
from bnlab.widgets.player.described import reseeded, seed_of
from bnlab.widgets.player.run import Run, Truth

FRAME = 0.25
"""Minimum seconds between two drawings while a search runs."""
SHARE, SLOW_SHARE = 0.075, 0.5
"""Maximum shares of the time for drawing: of a search that runs as fast as possible, and of one that mostly waits."""
BURST_S = 0.002
"""Seconds of steps between two questions whether to draw; a longer step is made alone."""
POLL_S = 0.02
"""Polling interval, seconds."""

GRAPHS = ("current", "best")
How: TypeAlias = Literal["Ready", "Paused", "Stopped"]
Error: TypeAlias = tuple[str, Exception | None]
"""Words of an error, and the exception if a step raised it."""


@dataclass(frozen=True)
class Given:
    """What a player is made of: its searches by name, names of the variables, the true network, and baselines."""

    searches: Mapping[str, Any]
    names: Sequence[str] | None = None
    truth: Any = None
    baselines: Mapping[str, float] | None = None

    @property
    def seed(self) -> int | None:
        """Seed of the first search that has one; None if the searches take no seed."""
        return next((seed for seed in map(seed_of, self.searches.values()) if seed is not None), None)

    def runs(self, seed: int | None) -> dict[str, Run]:
        """New runs with this seed; all seeds shift by the same number, so that chains stay different."""
        shift = 0 if seed is None or self.seed is None else seed - self.seed
        return {name: Run.of(reseeded(search, shift), self.names) for name, search in self.searches.items()}

    def checked_seed(self, seed: int | None) -> int | None:
        """The seed; ValueError if the searches take none, or it is negative."""
        if seed is None:
            return self.seed
        if self.seed is None:
            raise ValueError(f"seed={seed}: these searches take no seed; only a dataclass with a field `seed` does.")
        if seed < 0:
            raise ValueError(f"seed={seed}: a seed is 0 or greater.")
        return seed


@dataclass(frozen=True)
class State:
    """State of a player. The runs are those of the last look, and steps may have been made since."""

    given: Given = field(repr=False)
    truth: Truth = field(repr=False)
    lines: Mapping[str, float]
    """Scores that are drawn as lines beside the curves."""
    runs: Mapping[str, Run] = field(repr=False)
    run: str
    generation: int = 0
    """Number of times that the runs were replaced by others."""
    run_seed: int | None = None
    """Seed of the runs."""
    seed: int | None = None
    speed: float = 0.0
    moment: int | None = None
    keep: bool = False
    shown_graph: str = "current"
    compare: bool | None = None
    kept: Mapping[str, Run] = field(default_factory=dict, repr=False)
    """Earlier runs whose curves are shown for comparison."""
    wanted: Literal["", "step", "play"] = ""
    stepping: bool = False
    """Whether an `Advance` is running; it makes its last step when nothing is wanted any more."""
    how: How = "Ready"
    """How the searches came to rest."""
    error: Error | None = None

    @property
    def playing(self) -> bool:
        """Whether the searches run until they are finished."""
        return self.wanted == "play"

    @cached_property
    def finished(self) -> bool:
        """Whether all searches are finished."""
        return all(run.done for run in self.runs.values())

    @property
    def has_new_seed(self) -> bool:
        """Whether `seed` is not that of the current runs."""
        return self.seed != self.run_seed

    @property
    def shown(self) -> Run:
        """Run whose graph and policies are shown."""
        return self.runs[self.run]

    @property
    def has_best(self) -> bool:
        """Whether the shown search knows its best graph besides the current one."""
        return self.shown.has_best

    @property
    def iteration(self) -> int:
        """Iteration of the shown run."""
        return self.shown.iteration

    @cached_property
    def best_score(self) -> float:
        """Best score of all runs so far."""
        return max((run.best_score for run in self.runs.values() if run.scored), default=-inf)

    @property
    def failed(self) -> bool:
        """Whether the status is an error."""
        return self.error is not None

    @cached_property
    def status(self) -> str:
        """What the searches do, or how they came to rest."""
        if self.error is not None:
            return self.error[0]
        if self.stepping:
            return {"": "Ending the current step …", "step": "Making a step …", "play": "Running."}[self.wanted]
        if self.how == "Ready" and not self.finished:
            return "Ready."
        where = f" at iteration {self.iteration:,}" if len(self.runs) == 1 else f": {len(self.runs)} runs"
        best = f", best score {self.best_score:,.2f}" if isfinite(self.best_score) else ""
        seconds = spent(sum(run.seconds for run in self.runs.values()))
        words = f"{'Finished' if self.finished else self.how}{where}{best}, after {seconds} of search."
        return words.replace("-", "−")


class Play(Message):
    """Run the searches; from the beginning if they are finished and `seed` is another one."""


class Pause(Message):
    """Rest after the current step."""

    how: How = "Paused"


class Step(Message):
    """Make one step of each unfinished run."""


class Reset(Message):
    """Start again, with another seed if one is given."""

    seed: int | None = None


class Continue(Message):
    """Continue some runs from other states of their searches."""

    states: Mapping[str, Any]


class Moved(Message):
    """Steps have been made; the runs are of the given generation."""

    generation: int
    runs: Mapping[str, Run]


class Ended(Message):
    """An `Advance` has ended, perhaps with an error."""

    moved: Moved
    once: bool
    error: Error | None = None


class Advance(Effect, channel="search", failure="Stopped"):
    """Make steps of several runs in turn, so that all get the same time, or one step of each."""

    generation: int
    runs: Mapping[str, Run]
    speed: float
    once: bool

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Ended:
        """Step until nothing is left to do or another message stops it; tell about it at intervals."""
        runs, pace = dict(self.runs), Pace(SLOW_SHARE if self.speed else SHARE, FRAME)
        due = burst_end = 0.0
        while (waiting := self._waiting(runs)) and not stopped():
            now = perf_counter()
            if now < due:
                sleep(min(due - now, POLL_S))
                continue
            name = min(waiting, key=lambda name: runs[name].seconds)
            try:
                runs[name] = runs[name].step(single=self.once or self.speed > 0)
            except Exception as error:
                words = f"Step {runs[name].steps + 1:,} of {name!r} failed: {type(error).__name__}: {error}."
                return Ended(self._moved(runs), self.once, (f"{words} The result so far is kept.", error))
            due = now + 1.0 / self.speed if self.speed and not self.once else 0.0
            if self.speed or perf_counter() > burst_end:
                pace.draw(lambda: send(self._moved(runs)))
                burst_end = perf_counter() + BURST_S
        return Ended(self._moved(runs), self.once)

    def _waiting(self, runs: Mapping[str, Run]) -> list[str]:
        """Names of the runs that are to make a step."""
        made = {name for name, run in runs.items() if self.once and run.steps > self.runs[name].steps}
        return [name for name, run in runs.items() if name not in made and not run.done]

    def _moved(self, runs: Mapping[str, Run]) -> Moved:
        return Moved(self.generation, {name: run.look() for name, run in runs.items()})


def begun(given: Given, seed: int | None, speed: float) -> State:
    """First state of a player."""
    runs = given.runs(seed)
    first = next(iter(runs))
    truth = Truth.of(given.truth, runs[first])
    compare = None if truth.graph is None else runs[first].at(None).policies is None
    lines = reference_lines(given.baselines, truth.score)
    state = State(given, truth, lines, runs, first, run_seed=seed, seed=seed, compare=compare)
    return replace(state, speed=checked(state, "speed", speed))


def checked(state: State, name: str, value: Any) -> Any:
    """Value of a public field; ValueError if it is not possible."""
    match name:
        case "speed":
            if not 0 <= value < inf:
                raise ValueError(f"speed={value!r}: give steps per second, or 0 for as fast as possible.")
            return float(value)
        case "moment":
            if value is not None and value < 0:
                raise ValueError(f"moment={value!r}: give an iteration, or None to follow the search.")
            return None if value is None else int(value)
        case "seed":
            return state.given.checked_seed(value)
        case "run":
            check_known(value, state.runs, f"no run is called {value!r}")
            return value
        case "shown_graph":
            return known_name(value, GRAPHS, "graph")
        case "keep":
            return bool(value)
        case "compare":
            if value and state.truth.graph is None:
                raise ValueError(f"compare={value!r}: there is no true network to compare with; give `truth`.")
            return value if value is None else bool(value)
    raise ValueError(f"{name!r} is no setting of a player.")


def update(state: State, message: Any) -> tuple[State, Sequence[Any]]:
    """Next state and effects."""
    match message:
        case Play() | Set("playing", True):
            if state.playing:
                return state, []
            new = replace(state, error=None)
            if new.finished and new.has_new_seed:
                new = begun_again(new)
            return (new, []) if new.finished else advanced(replace(new, wanted="play"))
        case Step():
            if state.finished:
                return state, []
            stops = [Stop("search")] if state.playing else []
            new, effects = advanced(replace(state, wanted="step", how="Paused", error=None))
            return new, [*stops, *effects]
        case Set("playing", False):
            return update(state, Pause())
        case Pause(how):
            return (replace(state, wanted="", how=how), [Stop("search")]) if state.wanted else (state, [])
        case Reset(seed):
            seed = state.seed if seed is None else state.given.checked_seed(seed)
            return begun_again(replace(state, seed=seed)), [Stop("search")]
        case Continue(states):
            for name in states:
                check_known(name, state.runs, f"no run is called {name!r}")
            names = state.given.names
            runs = {name: Run.of(state.runs[name].search, names, there) for name, there in states.items()}
            return replaced(state, {**state.runs, **runs}, "Paused"), [Stop("search")]
        case Moved(generation, runs):
            return (replace(state, runs=runs) if generation == state.generation else state), []
        case Ended(moved, once, error):
            now = moved.generation == state.generation
            new = replace(update(state, moved)[0], stepping=False)
            if now and error is not None:
                return replace(new, wanted="", how="Paused", error=error), []
            if new.finished or (now and once and new.wanted == "step"):
                return replace(new, wanted=""), []
            return advanced(new)
        case Failed(Advance(), error):
            words = f"Stopped: {type(error).__name__}: {error}."
            return replace(state, stepping=False, wanted="", how="Paused", error=(words, error)), []
        case Told(words):
            return replace(state, wanted="", how="Paused", error=(words, None)), [Stop("search")]
        case Set("keep", False):
            return replace(state, keep=False, kept={}), []
        case Set(name, value):
            new = replace(state, **{name: checked(state, name, value)})
            # The work at the old speed ends, and then begins again at the new one.
            return new, [Stop("search")] if name == "speed" and new.playing else []
    raise TypeError(f"{message!r} is no message of a player.")


def advanced(state: State) -> tuple[State, Sequence[Any]]:
    """Make the steps that are wanted; while others are ending, their end asks again."""
    if state.stepping or not state.wanted:
        return state, []
    work = Advance(state.generation, state.runs, state.speed, state.wanted == "step")
    return replace(state, stepping=True), [work]


def begun_again(state: State) -> State:
    """State with new runs; the curves of the old ones are kept if they are to be compared."""
    kept = dict(state.kept)
    for name, run in state.runs.items() if state.keep else ():
        if len(run.log.curve):
            kept[f"{name}, " + (f"run {len(kept) + 1}" if state.run_seed is None else f"seed {state.run_seed}")] = run
    return replaced(replace(state, kept=kept, run_seed=state.seed), state.given.runs(state.seed), "Ready")


def replaced(state: State, runs: Mapping[str, Run], how: How) -> State:
    """State with other runs, which rest."""
    new = state.generation + 1
    return replace(state, runs=runs, generation=new, wanted="", how=how, error=None, moment=None)
