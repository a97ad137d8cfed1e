"""Play, pause, step and stop any search in a notebook, and look at any past moment of it."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import partial
from html import escape
from math import isfinite
from threading import Event, RLock
from time import perf_counter
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from bnlab._names import nearest
from bnlab.figures.network import AnyGraph
from bnlab.figures.table import html_table
from bnlab.figures.theme import colour
from bnlab.graphs import Dag, Pdag
from bnlab.widgets.convergence_plot import ConvergencePlot
from bnlab.widgets.player_bar import PlayerBar
from bnlab.widgets.player_graph import PlayerGraph
from bnlab.widgets.policy_map import PolicyMap
from bnlab.widgets.run import Run
from bnlab.widgets.truth import Truth
from bnlab.widgets.watching import Policies
from bnlab.widgets.worker import Worker

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.search import Trace

VERBS = ("init", "step", "is_done", "result")
FRAME = 0.1
"""Seconds between two pictures while a search runs."""
CURVE_SHARE, GRAPH_SHARE = 0.1, 0.05
"""Of its time that a search gives up, at most, to have its curve and its graph drawn."""
COLUMN = {"flex": "1 1 380px", "min_width": "0", "max_width": "100%"}
LAST_RECORDS = 8


class Pace:
    """When to draw again: at most every `FRAME` seconds, and seldom enough that drawing takes a share of the time."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._next = 0.0

    def due(self) -> bool:
        """Whether it is time."""
        return perf_counter() >= self._next

    def took(self, seconds: float) -> None:
        """Note how long drawing took."""
        self._next = perf_counter() + max(FRAME - seconds, seconds / self._share)


class SearchPlayer(ipywidgets.VBox):  # type: ignore[misc]
    """One search or several, side by side, run in a thread of their own while the kernel stays free.

    Several take turns, so that all have spent the same time. The state is there after each step: ``player.state`` is
    what the search's own methods take, and may be set to go on from it. A search that runs in the player goes through
    the same states as without it.

    Parameters
    ----------
    search : Search, or mapping of str to Search, optional
        Left out when `make` is given.
    names : sequence of str, optional
        Variables; by default as the search knows them.
    truth : float, Dag, networkx.DiGraph or anything with a `dag`, optional
        Score of the true network, or the network, whose score is then computed with the first search's `phi`.
    baselines : mapping of str to float, optional
        Scores of other methods, drawn as lines.
    seed : int, optional
        Of the first run, and of the next after a reset.
    make : callable (seed) -> Search or mapping of str to Search, optional
        Makes the searches of a seed. By default those given, with another `seed` where they have one.
    speed : float
        Steps per second, of all runs together; 0 for as fast as it goes.
    grain : int, optional
        Iterations a step, for searches that can `advance` by them (`ChenSearch`); by default the search's own steps.

    Raises
    ------
    TypeError
        If a search lacks one of the four verbs, or `make` is needed and not given.
    ValueError
        If there is no search, or the true network is on other variables.

    Examples
    --------
    >>> from bnlab.learners.growing_tree import GrowingTree
    >>> gain = [[0, 5, 1], [6, 0, 3], [2, 4, 0]]
    >>> player = SearchPlayer(GrowingTree(lambda child, parents: sum(gain[j][child] for j in parents), 3, root=0))
    >>> player.play()
    >>> player.wait()
    True
    >>> player.result(), player.iteration, player.best_score
    (((), (0,), (1,)), 2, 8.0)
    """

    playing = traitlets.Bool(False)
    """Whether the searches are running; may be set."""
    iteration = traitlets.Int(0)
    """Iteration of the run that is looked at."""
    best_score = traitlets.Float(float("-inf"))
    """Best score of all runs so far."""
    moment = traitlets.Int(None, allow_none=True, min=0)
    """Past iteration whose graph and policies are shown; None to follow the search."""
    status = traitlets.Unicode("Ready.")
    """What goes on, in words."""
    speed = traitlets.Float(0.0, min=0.0)
    """Steps per second; 0 for as fast as it goes."""
    seed = traitlets.Int(None, allow_none=True, min=0)
    """Seed that `reset` begins with; None where the searches take none."""
    run = traitlets.Unicode()
    """Name of the run whose graph and policies are shown."""
    compare = traitlets.Bool(None, allow_none=True)
    """Whether the graph is told apart from the true network; None where there is none."""

    _closed = True
    _links: Sequence[Any] = ()
    _parts: Sequence[Any] = ()

    def __init__(
        self,
        search: Any = None,
        *,
        names: Sequence[str] | None = None,
        truth: float | AnyGraph | None = None,
        baselines: Mapping[str, float] | None = None,
        seed: int | None = None,
        make: Callable[[int], Any] | None = None,
        speed: float = 0.0,
        grain: int | None = None,
    ) -> None:
        if search is None and make is None:
            raise TypeError("there is no search: give one, or `make`, a function from a seed to a search.")
        own = 0 if make is not None else seed_of(search)
        if seed is not None and own is None:
            raise ValueError(f"seed={seed}: these searches take no seed; give `make`, a function from a seed.")
        begins = own if seed is None else seed
        self._make = make or partial(_reseeded, search, own)
        self._names, self._grain = names, grain
        self._going, self._painting = Event(), RLock()
        self._curve_pace, self._graph_pace, self._due = Pace(CURVE_SHARE), Pace(GRAPH_SHARE), 0.0
        self._error: tuple[str, BaseException] | None = None
        self._worker = Worker(self._between)
        self._runs = self._made(begins)
        super().__init__()
        self._closed = False
        first = next(iter(self._runs))
        self._truth = Truth.of(truth, self._runs[first])
        self._build(baselines)
        self._link()
        self.run, self.speed, self.seed = first, speed, begins
        known = self._runs[first]
        self.compare = None if self._truth.graph is None else known.at(None)[2] is None
        self._paint(last=True)

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(self._runs)

    @property
    def trace(self) -> Trace | dict[str, Trace]:
        """Curve of the search; of several, by their names."""
        traces: Trace | dict[str, Trace] = self._each(lambda run: run.trace)
        return traces

    @property
    def state(self) -> Any:
        """State of the search; of several, by their names. Set it to go on from another one, with an empty curve."""
        return self._each(lambda run: run.state)

    @state.setter
    def state(self, state: Any) -> None:
        states = state if len(self._runs) > 1 else {next(iter(self._runs)): state}
        for name in states:
            self._known(name)
        self._hold("Paused")
        self._worker.call(partial(self._continue_from, states))

    def result(self) -> Any:
        """What the search has found so far; of several, by their names."""
        return self._each(lambda run: run.search.result(run.state))

    def graph(self, moment: int | None = None, run: str | None = None) -> Dag | Pdag | None:
        """Graph at a past iteration, now by default, of a run, by default the one that is looked at.

        After any step that is still kept it is exact; in between it is the one after the step before. Searches without
        a graph have none.
        """
        return self._runs[self._known(run or self.run)].at(moment)[1]

    def policies(self, moment: int | None = None, run: str | None = None) -> Policies | None:
        """Policies at a past iteration, as for `graph`; None for searches without any."""
        return self._runs[self._known(run or self.run)].at(moment)[2]

    def to_frame(self) -> pd.DataFrame:
        """Every iteration of every run: run, seed, iteration, seconds, score, best."""
        return self.plot.to_frame()

    def play(self) -> None:
        """Run on; does not wait.

        Raises
        ------
        RuntimeError
            If the player is closed.
        """
        if self._closed:
            raise RuntimeError("this player is closed: make a new one, and set its `state` to go on.")
        if self._going.is_set() or self._finished:
            return
        self._error = None
        self._going.set()
        self._tell("Running.", playing=True)
        self._worker.submit(lambda: None)

    def pause(self) -> None:
        """Hold after the present step, and wait for that."""
        self._hold("Paused")

    def stop(self) -> None:
        """End the run after the present step, and wait for that; what it has found stays."""
        self._hold("Stopped")

    def step(self) -> None:
        """Make one step of each run that is not finished, and wait for it.

        Raises
        ------
        RuntimeError
            If the step failed.
        """
        self._hold("Paused")
        self._worker.call(self._one_step)
        self._raise()

    def reset(self, seed: int | None = None) -> None:
        """Begin again, with a seed if one is given.

        Raises
        ------
        ValueError
            If there is a seed, but the searches take none.
        """
        if seed is not None:
            if self.seed is None:
                raise ValueError(f"seed={seed}: these searches take no seed; give `make`, a function from a seed.")
            self.seed = seed
        self._hold("Paused")
        self._worker.call(self._begin_again)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the player rests: finished, paused, stopped or failed.

        Parameters
        ----------
        timeout : float, optional
            Seconds.

        Returns
        -------
        bool
            False if it is still running after that time.

        Raises
        ------
        RuntimeError
            If a step failed. An interrupt (Ctrl-C) stops the run.
        """
        try:
            rests = self._worker.wait(timeout)
        except KeyboardInterrupt:
            self._halt("Stopped")
            raise
        if rests:
            self._raise()
        return rests

    def close(self) -> None:
        """Stop the run and close every part."""
        if not self._closed:
            self._closed = True
            self._going.clear()
            self._worker.wake()
        for link in self._links:
            link.unlink()
        for part in self._parts:
            part.close()
        self._links = self._parts = ()
        super().close()

    def _made(self, seed: int | None) -> dict[str, Run]:
        given = self._make(0 if seed is None else seed)
        searches = dict(given) if isinstance(given, Mapping) else {"search": given}
        if not searches:
            raise ValueError("there is no search to play: give at least one.")
        for name, search in searches.items():
            missing = [verb for verb in VERBS if not callable(getattr(search, verb, None))]
            if missing:
                raise TypeError(f"{name!r} is no search: {type(search).__name__} has no {missing[0]}().")
        return {str(name): Run(search, self._names, self._grain) for name, search in searches.items()}

    def _each(self, of: Callable[[Run], Any]) -> Any:
        found = {name: of(run) for name, run in self._runs.items()}
        return found if len(found) > 1 else next(iter(found.values()))

    def _known(self, name: str) -> str:
        if name not in self._runs:
            raise ValueError(f"no run is called {name!r}; {nearest(name, self._runs)}")
        return name

    @property
    def _finished(self) -> bool:
        return all(run.done for run in self._runs.values())

    def _build(self, baselines: Mapping[str, float] | None) -> None:
        self.bar = PlayerBar(list(self._runs))
        self.plot = ConvergencePlot(baselines=baselines, truth=self._truth.score)
        _, graph, policies = next(iter(self._runs.values())).at(None)
        self.view = None if graph is None else PlayerGraph(graph, self._truth.graph)
        self.map = None if policies is None or graph is None else PolicyMap(graph.names)
        self._caption = ipywidgets.HTML()
        self._records = ipywidgets.HTML(layout={"overflow": "auto", "width": "100%"})
        self._follow()
        parts = [part for part in (self.view and self.view.view, self.map) if part is not None]
        columns = [ipywidgets.VBox([part], layout=COLUMN) for part in parts]
        row = ipywidgets.Box(columns, layout={"flex_flow": "row wrap", "width": "100%", "align_items": "flex-start"})
        below = [self._caption, row] if columns else [self._records]
        self.children = [self.bar, self.plot, *below]
        self.layout.width = "100%"
        self._parts = [*parts, *columns, row, self._caption, self._records, self.bar, self.plot]

    def _link(self) -> None:
        pairs = [("run", self.bar), ("speed", self.bar), ("seed", self.bar), ("compare", self.bar)]
        self._links = [traitlets.link((self, name), (part, name)) for name, part in pairs]
        self._links.append(traitlets.link((self, "run"), (self.plot, "focus")))
        self._links.append(traitlets.link((self, "moment"), (self.plot, "moment")))
        self.bar.on_msg(self._asked)
        self.observe(self._set_playing, "playing")
        self.observe(self._looked, ["moment", "run", "compare"])
        self.observe(lambda _: self._worker.wake(), "speed")

    def _follow(self) -> None:
        for name, run in self._runs.items():
            self.plot.follow(name, run.curve, run.names)

    def _paint(self, *, last: bool = False) -> None:
        """Show how things stand; the graph less often, when drawing it takes long."""
        with self._painting:
            begin = perf_counter()
            run = self._runs[self.run or next(iter(self._runs))]
            if not run.scored:
                self.plot.unit = f"{run.work.unit} done" if run.work else "steps"
            self.plot.refresh()
            self.bar.runs = [self._row(i, name) for i, name in enumerate(self._runs)]
            self.iteration = run.iteration
            self.best_score = max((r.best_score for r in self._runs.values() if r.scored), default=float("-inf"))
            self._curve_pace.took(perf_counter() - begin)
            if last or (self.moment is None and self._graph_pace.due()):
                begin = perf_counter()
                self._show(run, settle=last)
                self._graph_pace.took(perf_counter() - begin)

    def _show(self, run: Run, *, settle: bool) -> None:
        """Draw the graph and the policies of the moment."""
        iteration, graph, policies = run.at(self.moment)
        if self.view is not None and graph is not None:
            kinds = None if self.compare else run.kinds(graph, policies)
            self.view.show(graph, compare=bool(self.compare), kinds=kinds, settle=settle)
        if self.map is not None and policies is not None:
            self.map.show(policies)
        if graph is None:
            self._records.value = _table(run.search.result(run.state))
        name = f"{escape(run_name)}, " if len(self._runs) > 1 and (run_name := self.run) else ""
        when = "now" if self.moment is None else "then"
        self._caption.value = f"<b>{name}iteration {iteration:,}</b> ({when})"

    def _row(self, i: int, name: str) -> dict[str, Any]:
        run = self._runs[name]
        now, best = run.work, run.best_score if run.scored and isfinite(run.best_score) else None
        return {
            "name": name,
            "colour": colour(i),
            "iteration": run.iteration,
            "best": best,
            "gap": self._truth.gap(best),
            "seconds": run.seconds,
            "done": None if now is None else now.done,
            "total": None if now is None else now.total,
            "unit": "" if now is None else now.unit,
            "left": run.left(self.speed / len(self._runs)),
            "ended": run.done,
        }

    def _between(self) -> float | None:
        """Make the next step if it is due; seconds until then, or None when there is none to make."""
        if not self._going.is_set():
            return None
        waiting = [run for run in self._runs.values() if not run.done]
        if not waiting:
            self._halt("Finished")
            return None
        early = self._due - perf_counter()
        if self.speed and early > 0:
            return min(early, FRAME)
        run = min(waiting, key=lambda run: run.seconds)
        begin = perf_counter()
        if not self._stepped(run):
            return None
        self._due = begin + 1.0 / self.speed if self.speed else 0.0
        if self._curve_pace.due() and self._going.is_set():
            self._paint()
        return 0.0

    def _stepped(self, run: Run) -> bool:
        try:
            run.step()
        except Exception as error:
            name = next(name for name, known in self._runs.items() if known is run)
            words = f"Step {run.steps + 1:,} of {name!r} failed: {type(error).__name__}: {error}."
            self._error = words, error
            self._going.clear()
            self._paint(last=True)
            self._tell(f"{words} What was found before is kept.", playing=False, failed=True)
            return False
        return True

    def _one_step(self) -> None:
        self._error = None
        for run in self._runs.values():
            if not run.done and not self._stepped(run):
                return
        self._halt("Paused")

    def _begin_again(self) -> None:
        runs = self._made(self.seed)
        if list(runs) != list(self._runs):
            raise ValueError(
                f"`make` gave the runs {list(runs)}, before {list(self._runs)}: their names stay the same."
            )
        with self._painting:
            self._runs, self._error, self.moment = runs, None, None
            self._follow()
            self._halt("Ready")

    def _continue_from(self, states: Mapping[str, Any]) -> None:
        with self._painting:
            for name, state in states.items():
                self._runs[name].begin(state)
            self._error, self.moment = None, None
            self._follow()
            self._halt("Paused")

    def _hold(self, how: str) -> None:
        """End a run, and wait for that."""
        if self._going.is_set():
            self._going.clear()
            self._worker.wake()
            self._worker.call(partial(self._halt, how))

    def _halt(self, how: str) -> None:
        """Show where the searches have come to rest."""
        self._going.clear()
        self._paint(last=True)
        if self._finished:
            how = "Finished"
        place = {"Ready": "."}.get(how, f" {self._where()}.")
        self._tell(f"{how}{place}", playing=False)

    def _where(self) -> str:
        spent = sum(run.seconds for run in self._runs.values())
        at = f"at iteration {self.iteration:,}" if len(self._runs) == 1 else f"{len(self._runs)} runs"
        best = f", best score {self.best_score:,.2f}" if isfinite(self.best_score) else ""
        return f"{at}{best}, after {spent:,.2f} s of search".replace("-", "−")

    def _tell(self, words: str, *, playing: bool, failed: bool = False) -> None:
        self.status = words
        with self.bar.hold_sync():
            self.bar.status, self.bar.failed = words, failed
            self.bar.playing, self.bar.finished = playing, self._finished
        self.playing = playing

    def _raise(self) -> None:
        if self._error is not None:
            raise RuntimeError(self._error[0]) from self._error[1]

    def _asked(self, _: Any, content: Any, buffers: Any) -> None:
        """Do what a button asks for, on the thread; nobody waits here."""
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "play":
            self.play()
        elif kind in ("pause", "stop") and self._going.is_set():
            self._going.clear()
            self._worker.wake()
            self._worker.submit(
                partial(self._in_words, partial(self._halt, "Paused" if kind == "pause" else "Stopped"))
            )
        elif kind in ("step", "reset"):
            self._going.clear()
            self._worker.wake()
            self._worker.submit(partial(self._in_words, self._one_step if kind == "step" else self._begin_again))

    def _in_words(self, job: Callable[[], None]) -> None:
        """Say in the widget what goes wrong, where an exception would not be seen."""
        try:
            job()
        except Exception as error:
            self._tell(f"Not done: {error or type(error).__name__}", playing=False, failed=True)

    def _set_playing(self, change: Any) -> None:
        if change["new"] and not self._going.is_set():
            self.play()
            self.playing = self._going.is_set()
        elif not change["new"] and self._going.is_set():
            self._hold("Paused")

    def _looked(self, _: Any) -> None:
        with self._painting:
            try:
                run = self._runs[self._known(self.run)]
                self.iteration = run.iteration
                self._show(run, settle=False)
            except Exception as error:
                self._tell(f"Not shown: {error}", playing=self._going.is_set(), failed=True)

    def __repr__(self) -> str:
        """Runs and status."""
        return f"SearchPlayer({', '.join(self._runs)}: {self.status})"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        from bnlab.figures.convergence_picture import convergence_picture
        from bnlab.figures.policies_picture import policies_picture

        with self._painting:
            pictures = [convergence_picture(self.plot.data(), by=self.plot.by)]
            if self.view is not None:
                pictures.append(self.view.view.picture())
            if self.map is not None:
                pictures.append(policies_picture(self.map.data()))
        shown = "".join(f"<div>{picture.to_html()}</div>" for picture in pictures)
        still = {"text/html": f"<div><p>{escape(self.status)}</p>{shown}{self._records.value}</div>"}
        return {**super()._repr_mimebundle_(**options), **still, "text/plain": repr(self)}


def seed_of(search: Any) -> int | None:
    """Seed of a search, of the first of several that has one."""
    for one in search.values() if isinstance(search, Mapping) else [search]:
        seed = getattr(one, "seed", None)
        if is_dataclass(one) and isinstance(seed, int):
            return seed
    return None


def _reseeded(search: Any, own: int | None, seed: int) -> Any:
    """The same searches with other seeds: as far apart as they were, so that chains stay different."""
    if isinstance(search, Mapping):
        return {name: _reseeded(one, own, seed) for name, one in search.items()}
    mine = seed_of(search)
    if mine is None or own is None or seed == own:
        return search
    return replace(search, seed=max(mine - own + seed, 0))


def _table(result: Any) -> str:
    """Last records of a grid; nothing for other results."""
    if not hasattr(result, "columns") or not len(result):
        return ""
    return html_table(result.tail(LAST_RECORDS), caption=f"{len(result):,} records, the last of them").html
