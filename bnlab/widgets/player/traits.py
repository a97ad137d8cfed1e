"""State of a player as traits, and the results of its searches."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import traitlets

from bnlab._runtime.names import check_known
from bnlab.graphs import Dag, Pdag
from bnlab.search import Policies, Trace
from bnlab.widgets.base.panel import Panel
from bnlab.widgets.player.charts import ConvergencePlot
from bnlab.widgets.player.run import Run


class PlayerTraits(Panel):
    """Traits and results of a `SearchPlayer`, without its thread and its page."""

    playing = traitlets.Bool(False)
    """Whether the searches are running; set it to play or pause."""
    iteration = traitlets.Int(0)
    """Iteration of the shown run."""
    best_score = traitlets.Float(float("-inf"))
    """Best score of all runs so far."""
    moment = traitlets.Int(None, allow_none=True, min=0)
    """Past iteration whose graph and policies are shown; None to follow the search."""
    status = traitlets.Unicode("Ready.")
    speed = traitlets.Float(0.0, min=0.0)
    """Steps per second; 0 for as fast as possible."""
    seed = traitlets.Int(None, allow_none=True, min=0)
    """Seed that `reset` starts with; None if the searches take none."""
    run = traitlets.Unicode()
    """Name of the run whose graph and policies are shown."""
    keep = traitlets.Bool(False)
    """Whether `reset` keeps the curves of the previous run for comparison."""
    shown_graph = traitlets.Enum(("current", "best"), "current")
    """Whether the graph is that of the iteration or the best one until then; searches with only one kind show that."""
    compare = traitlets.Bool(None, allow_none=True)
    """Whether edges are marked by comparison with the true network; None without a true network."""

    plot: ConvergencePlot
    _run_seed: int | None
    _runs: dict[str, Run]

    @property
    def finished(self) -> bool:
        """Whether all searches are finished."""
        return all(run.done for run in self._runs.values())

    @property
    def has_new_seed(self) -> bool:
        """Whether `seed` is not that of the current run."""
        return bool(self.seed != self._run_seed)

    @property
    def has_best(self) -> bool:
        """Whether the shown search knows its best graph besides the current one."""
        return self._runs[self.run].has_best

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(self._runs)

    @property
    def trace(self) -> Trace | dict[str, Trace]:
        """Curve of the search; a dict by name for several."""
        traces: Trace | dict[str, Trace] = self._each(lambda run: run.trace)
        return traces

    def result(self) -> Any:
        """Result of the search so far; a dict by name for several."""
        return self._each(lambda run: run.search.result(run.state))

    def graph(self, moment: int | None = None, run: str | None = None, *, best: bool = False) -> Dag | Pdag | None:
        """Graph of a run at a past iteration; by default of the shown run at its current iteration.

        If the history has no entry for the iteration, the graph is that of the entry before it. The result is None for
        searches without a graph. With `best` it is the best graph until then.
        """
        return self._runs[self._known_run(run or self.run)].at(moment, best=best).graph

    def policies(self, moment: int | None = None, run: str | None = None) -> Policies | None:
        """Policies at a past iteration, as for `graph`; None for searches without policies."""
        return self._runs[self._known_run(run or self.run)].at(moment).policies

    def to_frame(self) -> pd.DataFrame:
        """Every iteration of every run: run, seed, iteration, seconds, score, best, bound."""
        return self.plot.to_frame()

    @traitlets.validate("run")
    def _check_run(self, proposal: Any) -> str:
        return self._known_run(proposal["value"])

    def _each(self, of: Callable[[Run], Any]) -> Any:
        found = {name: of(run) for name, run in self._runs.items()}
        return found if len(found) > 1 else next(iter(found.values()))

    def _known_run(self, name: str) -> str:
        check_known(name, self._runs, f"no run is called {name!r}")
        return name

    def __repr__(self) -> str:
        """Runs and status."""
        return f"{type(self).__name__}({', '.join(self._runs)}: {self.status})"
