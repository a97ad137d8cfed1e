"""Play, pause, step and stop any search in a notebook, and view any past iteration."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from html import escape
from math import isfinite
from typing import Any

import traitlets

from bnlab.figures.graphs.network import AnyGraph
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.timing import spent
from bnlab.widgets.player.charts import PolicyMap
from bnlab.widgets.player.described import reseeded, seed_of
from bnlab.widgets.player.engine import Engine
from bnlab.widgets.player.run import Run, Truth
from bnlab.widgets.player.searches import searches_of
from bnlab.widgets.player.traits import PlayerTraits
from bnlab.widgets.player.views import PlayerGraph, PlayerParts, player_lines

SETTINGS = ("speed", "seed", "keep", "run", "shown_graph", "compare")


class SearchPlayer(PlayerTraits):
    """Runs one or several searches in a thread of their own, so that the kernel stays free.

    Several searches take turns, so that all get the same time. ``player.state`` is the state after the last step, as
    the search's own methods take it; set it to continue from another state. A search goes through the same states in
    a player as without one.

    Parameters
    ----------
    search : Search, mapping of str to Search, sequence of Search, Table, DataFrame or CountSource
        Searches such as `bnlab.learners.make_search` and `bnlab.skeletons.make_search` return. Those of a sequence are
        called "search 1", "search 2", ... Or data, for the named algorithms.
    algorithm : str or sequence of str, optional
        For data: names as for `bnlab.learn` and `bnlab.skeleton`, or "mcmc" for `bnlab.learners.partition_sampler`.
        The default is that of `bnlab.learn`.
    names : sequence of str, optional
        Names of the variables; by default those that the search knows.
    truth : float, Dag, networkx.DiGraph or anything with a `dag`, optional
        Score of the true network, or the network, whose score is then computed with the first search's `phi`.
    baselines : mapping of str to float, optional
        Scores of other methods, drawn as lines.
    seed : int, optional
        Seed of the first run, and of the next run after a reset.
    speed : float
        Steps per second of all runs together; 0 for as fast as possible.
    **options
        For data: score, and the options of the algorithms.

    Raises
    ------
    TypeError
        If a search lacks one of the four methods, or there are options without data.
    ValueError
        If there is no search, the true network is on other variables, or as for `bnlab.learn`.

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

    >>> import bnlab
    >>> table = bnlab.load_network("asia").sample(500, seed=1)
    >>> SearchPlayer(table, ["hill-climbing", "boss"], score="bdeu", ess=4).runs
    ('hill-climbing', 'boss')
    """

    _controls: Controls
    view: PlayerGraph | None
    map: PolicyMap | None

    def __init__(
        self,
        search: Any,
        algorithm: str | Sequence[str] | None = None,
        *,
        names: Sequence[str] | None = None,
        truth: float | AnyGraph | None = None,
        baselines: Mapping[str, float] | None = None,
        seed: int | None = None,
        speed: float = 0.0,
        **options: Any,
    ) -> None:
        self._searches, self._names = searches_of(search, algorithm, options, seed), names
        self._first_seed = next((s for s in map(seed_of, self._searches.values()) if s is not None), None)
        if algorithm is not None and self._first_seed is None:
            seed = None  # the searches already have this seed
        begins = self._checked_seed(self._first_seed if seed is None else seed)
        self._run_seed = begins
        self._error: tuple[str, BaseException] | None = None
        self._runs = self._make_runs(begins)
        look, finish = partial(self._paint, last=False), partial(self._halt, "Finished")
        self._engine = Engine(self._runs, stepped=look, finished=finish, failed=self._fail)
        super().__init__()
        self._worker = self._engine.worker
        first = next(iter(self._runs))
        self._truth = Truth.of(truth, self._runs[first])
        self.run, self.speed, self.seed = first, speed, begins
        self.compare = None if self._truth.graph is None else self._runs[first].at(None).policies is None
        self._engine.speed = self.speed
        self._build(baselines)
        self._ready = True
        self._paint()

    @property
    def state(self) -> Any:
        """State of the search; a dict by name for several. Set it to continue from there with an empty curve."""
        return self._each(lambda run: run.state)

    @state.setter
    def state(self, state: Any) -> None:
        states = state if len(self._runs) > 1 else {next(iter(self._runs)): state}
        for name in states:
            self._known_run(name)
        self._hold("Paused")
        self._engine.worker.call(partial(self._continue_from, states))

    def play(self) -> None:
        """Start the searches, without waiting; from the beginning if they are finished and `seed` is another one.

        Raises
        ------
        RuntimeError
            If the player is closed.
        """
        if not self._ready:
            raise RuntimeError("this player is closed: make a new one, and set its `state` to go on.")
        if self._engine.going:
            return
        self._error = None
        if self.finished and self.has_new_seed:
            self._engine.worker.call(self._begin_again)
        if not self.finished:
            self._announce("Running.", playing=True)
            self._engine.go()

    def pause(self) -> None:
        """Pause after the current step, and wait for it."""
        self._hold("Paused")

    def stop(self) -> None:
        """End the run after the current step, and wait for it; the result so far is kept."""
        self._hold("Stopped")

    def step(self) -> None:
        """Make one step of each unfinished run, and wait for it.

        Raises
        ------
        RuntimeError
            If the step failed.
        """
        self._hold("Paused")
        self._engine.worker.call(self._one_step)
        self._raise()

    def reset(self, seed: int | None = None) -> None:
        """Start again, with another seed if one is given.

        Raises
        ------
        ValueError
            If a seed is given, but the searches take none.
        """
        if seed is not None:
            self.seed = self._checked_seed(seed)
        self._hold("Paused")
        self._engine.worker.call(self._begin_again)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs: the searches are finished, paused, stopped or failed.

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
            rests = self._engine.worker.wait(timeout)
        except KeyboardInterrupt:
            self._hold("Stopped")
            raise
        if rests:
            self._raise()
        return rests

    def close(self) -> None:
        """Stop the run and close all parts."""
        if self._ready:
            self._engine.halt()
        super().close()

    def _checked_seed(self, seed: int | None) -> int | None:
        if seed is not None and self._first_seed is None:
            raise ValueError(f"seed={seed}: these searches take no seed; only a dataclass with a field `seed` does.")
        return seed

    def _make_runs(self, seed: int | None) -> dict[str, Run]:
        """Runs of the searches with this seed; all seeds shift by the same number, so that chains stay different."""
        shift = 0 if seed is None or self._first_seed is None else seed - self._first_seed
        return {name: Run(reseeded(search, shift), self._names) for name, search in self._searches.items()}

    def _build(self, baselines: Mapping[str, float] | None) -> None:
        self._parts = parts = PlayerParts(self._runs, self._truth, baselines)
        self.plot, self.view, self.map = parts.plot, parts.view, parts.map
        self._controls = Controls("Search player")
        self.children = [self._controls, *parts.children]
        self._show_controls()
        self._controls.on_change(self._control_used)
        traitlets.link((self, "run"), (self.plot, "focus"))
        traitlets.link((self, "moment"), (self.plot, "moment"))
        self.observe(self._set_playing, "playing")
        self.observe(self._changed, ["moment", *SETTINGS])

    def _show_controls(self) -> None:
        self._controls.show(player_lines(self))

    def _paint(self, *, last: bool = True, settle: bool = True) -> None:
        """Show the current state. Unless it is the `last` one, it is drawn only when drawing is due."""
        if not (last or self._parts.curve_pace.due()):
            return
        with self._lock:
            self._parts.draw_curves(self)
            self.iteration = self._runs[self.run].iteration
            self.best_score = max((r.best_score for r in self._runs.values() if r.scored), default=float("-inf"))
            if last or (self.moment is None and self._parts.graph_pace.due()):
                self._parts.draw_moment(self, settle=last and settle)
                self.view, self.map = self._parts.view, self._parts.map

    def _fail(self, words: str, error: Exception) -> None:
        self._error = words, error
        self._announce(f"{words} The result so far is kept.", playing=False, failed=True)
        with suppress(Exception):
            self._paint()

    def _one_step(self) -> None:
        self._error = None
        if self._engine.step():
            self._halt("Paused")

    def _play_again(self) -> None:
        self._begin_again()
        self.play()

    def _begin_again(self) -> None:
        runs = self._make_runs(self.seed)
        with self._lock:
            if self.keep:
                self._parts.keep(self._runs, self._run_seed)
            self._run_seed = self.seed
            self._runs = self._engine.runs = runs
            self._continue_from({}, "Ready")

    def _continue_from(self, states: Mapping[str, Any], how: str = "Paused") -> None:
        with self._lock:
            for name, state in states.items():
                self._runs[name].begin(state)
            self._error, self.moment = None, None
            self._parts.follow(self._runs)
            self._halt(how)

    def _hold(self, how: str) -> None:
        """End the run, and wait for its end."""
        if self._engine.going:
            self._engine.hold(partial(self._halt, how))

    def _halt(self, how: str) -> None:
        """Show the state in which the searches have stopped."""
        self._engine.halt()
        self._paint()
        if self.finished:
            how = "Finished"
        self._announce("Ready." if how == "Ready" else f"{how} {self._where()}.", playing=False)

    def _where(self) -> str:
        seconds = spent(sum(run.seconds for run in self._runs.values()))
        at = f"at iteration {self.iteration:,}" if len(self._runs) == 1 else f"{len(self._runs)} runs"
        best = f", best score {self.best_score:,.2f}" if isfinite(self.best_score) else ""
        ending = "; a long step is still ending" if self._engine.ending else ""
        return f"{at}{best}, after {seconds} of search{ending}".replace("-", "−")

    def _announce(self, words: str, *, playing: bool, failed: bool = False) -> None:
        self.failed, self.status = failed, words
        self.playing = playing
        self._show_controls()

    def _raise(self) -> None:
        if self._error is not None:
            raise RuntimeError(self._error[0]) from self._error[1]

    def _control_used(self, id: str, value: Any) -> None:
        """Run the action of a control; changes of the searches run in the worker thread, without waiting."""
        going, shown = self._engine.going, self._errors_shown()
        if id == "play" and not going and self.finished and self.has_new_seed:
            self._engine.soon(shown(self._play_again))
        elif id == "play" and not going:
            self.play()
        elif id in ("play", "stop"):
            if going:
                self._engine.soon(shown(partial(self._halt, "Paused" if id == "play" else "Stopped")))
        elif id in ("step", "reset"):
            self._engine.soon(shown(self._one_step if id == "step" else self._begin_again))
        elif id in SETTINGS:
            self.set_trait(id, max(0, round(value or 0)) if id == "seed" else value)
            self._controls.restore()  # shows the rounded seed

    def _show_error(self, text: str) -> None:
        self._announce(text, playing=False, failed=True)

    def _set_playing(self, change: Any) -> None:
        if change["new"] and not self._engine.going:
            self.play()
            self.playing = self._engine.going
        elif not change["new"]:
            self._hold("Paused")

    def _changed(self, change: Any) -> None:
        """Apply a change of a setting or of the shown iteration."""
        name, value = change["name"], change["new"]
        if name == "speed":
            self._engine.speed = value
            self._engine.worker.wake()
        elif name == "keep" and not value:
            with self._lock:
                self._parts.forget()
        elif name in ("moment", "run", "shown_graph", "compare"):
            try:
                self._paint(settle=False)
            except Exception as error:
                self._announce(f"Not shown: {error}", playing=self._engine.going, failed=True)
        self._show_controls()

    def still(self) -> dict[str, Any]:
        """Status, curves, and the shown graph and policies."""
        with self._lock:
            return {"text/html": f"<div><p>{escape(self.status)}</p>{self._parts.still()}</div>"}
