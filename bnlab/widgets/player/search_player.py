"""Play, pause, step and stop any search in a notebook, and look at any past moment of it."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from html import escape
from math import isfinite
from threading import RLock
from typing import Any

import traitlets

from bnlab.figures.graphs.network import AnyGraph
from bnlab.widgets.base.closing import close_parts
from bnlab.widgets.base.times import spent
from bnlab.widgets.player.engine import Engine
from bnlab.widgets.player.run import Run
from bnlab.widgets.player.seeds import reseeded, seed_of
from bnlab.widgets.player.traits import PlayerValues
from bnlab.widgets.player.truth import Truth
from bnlab.widgets.player.views import PlayerFace

HELD = {"pause": "Paused", "stop": "Stopped"}
VERBS = ("init", "step", "is_done", "result")


class SearchPlayer(PlayerValues):
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

    _closed = True
    _links: Sequence[Any] = ()

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
        self._make = make or partial(reseeded, search, own)
        self._names, self._grain, self._sown = names, grain, begins
        self._painting = RLock()
        self._error: tuple[str, BaseException] | None = None
        self._runs = self._made(begins)
        self._engine = Engine(
            self._runs, stepped=self._look, finished=partial(self._halt, "Finished"), failed=self._fail
        )
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
    def state(self) -> Any:
        """State of the search; of several, by their names. Set it to go on from another one, with an empty curve."""
        return self._each(lambda run: run.state)

    @state.setter
    def state(self, state: Any) -> None:
        states = state if len(self._runs) > 1 else {next(iter(self._runs)): state}
        for name in states:
            self._known(name)
        self._hold("Paused")
        self._engine.worker.call(partial(self._continue_from, states))

    def play(self) -> None:
        """Run on; does not wait.

        Raises
        ------
        RuntimeError
            If the player is closed.
        """
        if self._closed:
            raise RuntimeError("this player is closed: make a new one, and set its `state` to go on.")
        if self._engine.going:
            return
        self._error = None
        if not self._engine.done:
            self._tell("Running.", playing=True)
            self._engine.go()

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
        self._engine.worker.call(self._one_step)
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
        self._engine.worker.call(self._begin_again)

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
            rests = self._engine.worker.wait(timeout)
        except KeyboardInterrupt:
            self._hold("Stopped")
            raise
        if rests:
            self._raise()
        return rests

    def close(self) -> None:
        """Stop the run and close every part."""
        if not self._closed:
            self._closed = True
            self._engine.halt()
        for link in self._links:
            link.unlink()
        self._links = ()
        super().close()
        close_parts(self)

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

    def _build(self, baselines: Mapping[str, float] | None) -> None:
        self._face = face = PlayerFace(self._runs, self._truth, baselines)
        self.bar, self.plot, self.view, self.map = face.bar, face.plot, face.view, face.map
        self.children = face.children
        self.layout.width = "100%"

    def _link(self) -> None:
        shared = ("run", "speed", "seed", "compare", "keep")
        self._links = [traitlets.link((self, name), (self.bar, name)) for name in shared]
        self._links.append(traitlets.link((self, "run"), (self.plot, "focus")))
        self._links.append(traitlets.link((self, "moment"), (self.plot, "moment")))
        self.bar.on_msg(self._asked)
        self.observe(self._set_playing, "playing")
        self.observe(self._looked, ["moment", "run", "compare"])
        self.observe(self._paced, "speed")
        self.observe(self._forget, "keep")

    def _paint(self, *, last: bool = False) -> None:
        """Show how things stand; the graph less often, when drawing it takes long."""
        with self._painting:
            run = self._runs[self.run or next(iter(self._runs))]
            self._face.draw_curves(self._runs, run, self.speed)
            self.iteration = run.iteration
            self.best_score = max((r.best_score for r in self._runs.values() if r.scored), default=float("-inf"))
            if last or (self.moment is None and self._face.graph_pace.due()):
                self._show(run, settle=last)

    def _show(self, run: Run, *, settle: bool) -> None:
        """Draw the graph and the policies of the moment."""
        name = self.run if len(self._runs) > 1 else ""
        self._face.draw_moment(run, self.moment, name=name, compare=bool(self.compare), settle=settle)

    def _look(self) -> None:
        if self._face.curve_pace.due():
            self._paint()

    def _fail(self, words: str, error: Exception) -> None:
        self._error = words, error
        self._tell(f"{words} What was found before is kept.", playing=False, failed=True)
        with suppress(Exception):
            self._paint(last=True)

    def _one_step(self) -> None:
        self._error = None
        if self._engine.step():
            self._halt("Paused")

    def _begin_again(self) -> None:
        runs = self._made(self.seed)
        if list(runs) != list(self._runs):
            raise ValueError(
                f"`make` gave the runs {list(runs)}, before {list(self._runs)}: their names stay the same."
            )
        with self._painting:
            if self.keep:
                self._face.keep(self._runs, self._sown)
            self._sown = self.seed
            self._runs, self._engine.runs, self._error, self.moment = runs, runs, None, None
            self._face.follow(self._runs)
            self._halt("Ready")

    def _continue_from(self, states: Mapping[str, Any]) -> None:
        with self._painting:
            for name, state in states.items():
                self._runs[name].begin(state)
            self._error, self.moment = None, None
            self._face.follow(self._runs)
            self._halt("Paused")

    def _hold(self, how: str) -> None:
        """End a run, and wait for that."""
        if self._engine.going:
            self._engine.hold(partial(self._halt, how))

    def _halt(self, how: str) -> None:
        """Show where the searches have come to rest."""
        self._engine.halt()
        self._paint(last=True)
        if self._engine.done:
            how = "Finished"
        place = {"Ready": "."}.get(how, f" {self._where()}.")
        self._tell(f"{how}{place}", playing=False)

    def _where(self) -> str:
        seconds = spent(sum(run.seconds for run in self._runs.values()))
        at = f"at iteration {self.iteration:,}" if len(self._runs) == 1 else f"{len(self._runs)} runs"
        best = f", best score {self.best_score:,.2f}" if isfinite(self.best_score) else ""
        ending = "; a long step is still ending" if self._engine.ending else ""
        return f"{at}{best}, after {seconds} of search{ending}".replace("-", "−")

    def _tell(self, words: str, *, playing: bool, failed: bool = False) -> None:
        self.status = words
        with self.bar.hold_sync():
            self.bar.status, self.bar.failed = words, failed
            self.bar.playing, self.bar.finished = playing, self._engine.done
        self.playing = playing

    def _raise(self) -> None:
        if self._error is not None:
            raise RuntimeError(self._error[0]) from self._error[1]

    def _asked(self, _: Any, content: Any, buffers: Any) -> None:
        """Do what a button asks for, on the thread; nobody waits here."""
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "play":
            self.play()
        elif kind in ("step", "reset") or (kind in HELD and self._engine.going):
            job = {"step": self._one_step, "reset": self._begin_again}.get(kind) or partial(self._halt, HELD[kind])
            self._engine.soon(partial(self._in_words, job))

    def _in_words(self, job: Callable[[], None]) -> None:
        """Say in the widget what goes wrong, where an exception would not be seen."""
        try:
            job()
        except Exception as error:
            self._tell(f"Not done: {error or type(error).__name__}", playing=False, failed=True)

    def _set_playing(self, change: Any) -> None:
        if change["new"] and not self._engine.going:
            self.play()
            self.playing = self._engine.going
        elif not change["new"]:
            self._hold("Paused")

    def _paced(self, change: Any) -> None:
        self._engine.speed = change["new"]
        self._engine.worker.wake()

    def _forget(self, change: Any) -> None:
        if not change["new"]:
            with self._painting:
                self._face.forget()

    def _looked(self, _: Any) -> None:
        with self._painting:
            try:
                run = self._runs[self._known(self.run)]
                self.iteration = run.iteration
                self._show(run, settle=False)
            except Exception as error:
                self._tell(f"Not shown: {error}", playing=self._engine.going, failed=True)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        with self._painting:
            still = {"text/html": f"<div><p>{escape(self.status)}</p>{self._face.still()}</div>"}
        return {**super()._repr_mimebundle_(**options), **still, "text/plain": repr(self)}
