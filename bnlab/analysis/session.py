"""An analysis in progress: data, preparation and networks, which do not change if a later step fails."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import pandas as pd

from bnlab._runtime.fork import Locked
from bnlab._runtime.names import check_known
from bnlab._runtime.values import check_text
from bnlab.analysis.columns import describe_columns
from bnlab.analysis.files import Source, keep_beside, open_source
from bnlab.analysis.preparation import Preparation
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.study import Study
from bnlab.data.table import Table
from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import GraphLike
from bnlab.graphs.pdag import Pdag, as_graph
from bnlab.learners.bootstrap import Bootstrap, BootstrapState
from bnlab.learners.posterior.probabilities import exact_posterior, partition_sampler
from bnlab.learners.table import OFFERED
from bnlab.scores.make import SCORE_TABLE
from bnlab.search import iterate

Watch: TypeAlias = Callable[[Any, Any, Any], bool]
"""Function of the search, the state and the information of the last step; True stops the search."""
EXACT = 12
"""Maximum number of variables for exact posterior probabilities; with so many they take about a second."""
NO_DATA = "there are no data yet: load a file or a DataFrame."


class Session(Locked):
    """Data, their preparation and networks. A method that raises an error changes nothing.

    Networks belong to the table from which they were learned: they return with its preparation. `kinds` is the result
    of `describe_columns` for the source, and `table` the data after the preparation. `study` holds preparation, recipes
    and networks; `seconds` are the times of the searches by network.

    Examples
    --------
    >>> import bnlab
    >>> session = Session()
    >>> session.load(open_source("iris-bezdek"))
    ''
    >>> session.learn(Recipe("chow-liu"))
    'Chow-Liu tree'
    >>> len(session.study.graphs["Chow-Liu tree"].edges)
    4
    """

    def __init__(self) -> None:
        super().__init__()
        self.source: Source | None = None
        self.kinds: pd.DataFrame | None = None
        self.table: Table | None = None
        self.study = Study()
        self.seconds: dict[str, float] = {}
        self._studies_by_table: dict[str, Study] = {}
        self._waiting: Study | None = None
        self._bootstraps: dict[str, tuple[str, Recipe, BootstrapState]] = {}

    @property
    def together(self) -> tuple[Table | None, Study]:
        """Table and study that belong together, also while another thread replaces both."""
        with self._lock:
            return self.table, self.study

    @property
    def frame(self) -> pd.DataFrame:
        """Data before the preparation; ValueError if there are none."""
        if self.source is None:
            raise ValueError(NO_DATA)
        return self.source.frame

    @property
    def ready(self) -> Table:
        """Data after the preparation; ValueError if there are none, or too few columns for a network."""
        if self.table is None:
            raise ValueError("there is no table yet: load data, and prepare their columns.")
        if self.table.n_variables < 2:
            raise ValueError(f"only {self.table.names[0]!r} is used: a network needs two columns at least.")
        return self.table

    def load(self, source: Source) -> str:
        """Use other data, prepared as in the opened study that needs them or as suggested; return a remark, or ""."""
        waiting, opened = self._waiting, self._waiting
        if waiting is not None:
            source = _read_as_saved(source, waiting)
        kinds = describe_columns(source.frame)
        if opened is not None and not _fits_networks(opened, source.frame):
            opened = None
        preparation = Preparation.suggested(source.frame, kinds) if opened is None else opened.preparation
        if len(preparation.leave_out) == len(kinds):
            listed = [f"{name!r} is {kind}" for name, kind in kinds["kind"].head(5).items()]
            listed += ["..."] * (len(kinds) > 5)
            raise ValueError(
                f"no column of {source.name} can be a variable: {', '.join(listed)}. A variable has at least two "
                "different values, which occur again in other rows; correct the format of the file, or load another."
            )
        self._set_table(source, kinds, preparation.apply(source.frame), preparation, opened)
        if waiting is None:
            return ""
        if opened is None:
            return f"{source.name} has other columns than the saved study: its networks are not here."
        if opened.fingerprint not in ("", self.study.fingerprint):
            return f"{source.name} is not as it was when the study was saved: its networks come from other rows."
        return ""

    def prepare(self, preparation: Preparation) -> Table:
        """Make the table by another preparation; return it, even if it has too few columns for a network."""
        table = preparation.apply(self.frame)
        assert self.source is not None
        assert self.kinds is not None
        self._set_table(self.source, self.kinds, table, preparation)
        return table

    def _set_table(
        self, source: Source, kinds: pd.DataFrame, table: Table, preparation: Preparation, opened: Study | None = None
    ) -> None:
        """Use a table and its known networks, after the networks of the present table have been saved."""
        if self.table is not None and self.study.graphs:
            self._studies_by_table[self.table.fingerprint] = self.study
        table.with_missing_marks((source.format and source.format.missing_marks) or ())
        if preparation.gaps and not table.has_gaps:
            preparation = replace(preparation, missing="error")
        known = opened or self._studies_by_table.get(table.fingerprint) or Study()
        study = replace(
            known,
            source=source.path,
            file_format=source.format,
            fingerprint=table.fingerprint,
            preparation=preparation,
        )
        with self._lock:
            self.source, self.kinds, self.table, self.study = source, kinds, table, study
            self._waiting = None

    def learn(self, recipe: Recipe, name: str | None = None, watch: Watch | None = None) -> str:
        """Learn a network; return its name. If the search is stopped, the result so far is used."""
        table, chosen = self.ready, check_text("name", name or self.name_of(recipe))
        search = recipe.search(table)
        begin = perf_counter()
        state, stopped = _run(search, search.init(), watch)
        graph = recipe.graph(table.names, search.result(state))
        self.seconds[chosen] = perf_counter() - begin
        self._change(lambda now: now.with_result(chosen, recipe, graph, stopped=stopped))
        return chosen

    def bootstrap(self, name: str, replicates: int = 100, watch: Watch | None = None) -> EdgeConfidence:
        """Learn a network repeatedly from resampled rows; a stopped bootstrap is continued."""
        table, recipe = self.ready, self.recipe(name)
        search = Bootstrap(
            table, recipe.for_samples.learn, replicates, self.study.bootstrap_seed, knowledge=recipe.knowledge
        )
        begin, kept = search.init(), self._bootstraps.get(name)
        if kept is not None and kept[:2] == (table.fingerprint, recipe) and kept[2].done <= replicates:
            begin = kept[2]
        state, _ = _run(search, begin, watch)
        if not state.done:
            raise ValueError("stopped before the first sample was done: there is no confidence yet.")
        found = search.result(state)
        self._bootstraps[name] = (table.fingerprint, recipe, state)
        self._change(lambda now: replace(now, confidence={**now.confidence, name: found}))
        return found

    def posterior(self, name: str, watch: Watch | None = None) -> EdgeConfidence:
        """Probabilities of the edges given the data: exact for few variables, sampled for more; see `Recipe.posterior`.

        They respect the background knowledge of the recipe. If sampling is stopped, the samples so far are used; an
        exact computation has no result before its end (ValueError).
        """
        table, options = self.ready, self.recipe(name).posterior
        exact = table.n_variables <= EXACT
        search: Any = (
            exact_posterior(table, **options)
            if exact
            else partition_sampler(table, seed=self.study.bootstrap_seed, **options)
        )
        found: EdgeConfidence = search.result(_run(search, search.init(), watch)[0])
        if not exact and not found.graphs:
            raise ValueError("stopped before the first graphs were sampled: there is no confidence yet.")
        self._change(lambda now: replace(now, confidence={**now.confidence, name: found}))
        return found

    def average(self, name: str, threshold: float | None = None) -> str:
        """Add the network of the edges that reach a threshold in the bootstrap; return its name."""
        if name not in self.study.confidence:
            raise ValueError(f"{name!r} has no edge confidence: run the bootstrap on it first.")
        found = self.study.confidence[name]
        least = found.threshold if threshold is None else threshold
        return self.add(f"{name}, edges of {least:.0%}", found.consensus(least))

    def add(self, name: str, graph: GraphLike | Pdag) -> str:
        """Add a network from elsewhere; return its name. ValueError if it has other variables than the table."""
        name, names = check_text("name", name), self.ready.names
        added = as_graph(graph, names)
        check_same_variables(added.names, names)
        self._change(lambda now: now.with_result(name, None, added))
        return name

    def remove(self, name: str) -> None:
        """Remove a network."""
        self._change(lambda now: now.without(self.known(name)))

    def known(self, name: str) -> str:
        """Return the name of a network; ValueError if there is no such network."""
        check_known(name, self.study.graphs, f"no network is called {name!r}")
        return name

    def recipe(self, name: str) -> Recipe:
        """Return the recipe of a network; ValueError if it was not learned."""
        if self.known(name) not in self.study.recipes:
            raise ValueError(f"{name!r} was not learned by one algorithm: choose a network that was.")
        return self.study.recipes[name]

    def name_of(self, recipe: Recipe) -> str:
        """Return a name for the network of a recipe that no other network has."""
        label = OFFERED[recipe.algorithm].label
        score = f", {SCORE_TABLE[recipe.score].label}" if recipe.score in SCORE_TABLE and recipe.score != "ll" else ""
        name, number = f"{label}{score}", 2
        while name in self.study.graphs and self.study.recipes.get(name) != recipe:
            name, number = f"{label}{score} ({number})", number + 1
        return name

    def kept_at(self, path: Path) -> tuple[Study, str]:
        """Return the study to save at `path`, and a remark on its data, or "" if they give the same table when reread.

        The study contains the path of its data relative to that folder. Data that are in no file, or whose file no
        longer gives the same table, are written next to it (see `keep_beside`; OSError if that fails). ValueError
        without data.
        """
        with self._lock:
            source, table, study = self.source, self.table, self.study
        if source is None or table is None:
            raise ValueError(NO_DATA)
        kept = keep_beside(source, path)
        note = ""
        if not kept.digest and not _gives_same_table(kept, study, table):
            kept = keep_beside(kept._replace(path=""), path)
            note = f"{source.path} is not as it was when it was read: the data are in {kept.path}."
        if kept.digest and not _gives_same_table(kept, study, table):
            note = "Read again from their file, the states of the data have other names or order."
        with self._lock:
            if self.source is source:
                self.source, self.study = kept, replace(self.study, source=kept.path, file_format=kept.format)
        return replace(study, source=_relative_to(path.parent, kept.path), file_format=kept.format), note

    def check_is_not_data(self, path: Path) -> None:
        """Raise a ValueError if a path is that of the file of the data."""
        own = Path("" if self.source is None else self.source.path)
        if own.is_file() and path.exists() and path.samefile(own):
            raise ValueError(f"{path} holds the data of this study: choose another name.")

    def open(self, study: Study, data: Any = None, folder: Path | None = None) -> str:
        """Open a study; return a remark on its data, or "".

        `data` is the data (as for `open_source`, or a Source); by default the file that the study names is read, first
        from `folder`.
        """
        source = data if isinstance(data, Source) else _find_source(study, data, folder)
        if source is None:
            self._waiting = study
            named = f" {study.source!r}" if study.source else ""
            return f"The session needs its data{named}: load them too, and its {len(study.graphs)} networks are here."
        waited, self._waiting = self._waiting, study
        try:
            return self.load(source)
        except BaseException:
            self._waiting = waited
            raise

    def _change(self, change: Callable[[Study], Study]) -> None:
        """Change the study, also while another thread does."""
        with self._lock:
            self.study = change(self.study)


def _run(search: Any, state: Any, watch: Watch | None) -> tuple[Any, bool]:
    """Last state, and whether the search was stopped before its end."""
    last = state
    for last, info in iterate(search, state):
        if watch is not None and watch(search, last, info):
            break
    return last, not search.is_done(last)


def _fits_networks(study: Study, frame: pd.DataFrame) -> bool:
    """Whether the preparation of these data gives a table with the variables of the networks."""
    try:
        names = set(study.preparation.apply(frame).names)
    except (ValueError, TypeError):
        return False
    return all(set(graph.names) == names for graph in study.graphs.values())


def _gives_same_table(source: Source, study: Study, table: Table) -> bool:
    """Whether data, read again from their path, give the same table."""
    try:
        return study.preparation.apply(open_source(source.path, source.format).frame).fingerprint == table.fingerprint
    except (ValueError, TypeError, OSError):
        return False


def _read_as_saved(source: Source, study: Study) -> Source:
    """Data in the format of the saved study, if their file can be read in it."""
    if study.file_format in (None, source.format) or source.format is None:
        return source
    try:
        return source.read_as(study.file_format)
    except ValueError:
        return source


def _find_source(study: Study, data: Any, folder: Path | None) -> Source | None:
    if data is not None:
        return open_source(data)
    if not study.source:
        return None
    beside = None if folder is None else folder / study.source
    try:
        return open_source(beside if beside is not None and beside.exists() else study.source, study.file_format)
    except (ValueError, OSError, ImportError):
        return None


def _relative_to(folder: Path, source: str) -> str:
    path = Path(source)
    if not source or not path.exists():
        return source
    here = Path(os.path.abspath(folder))
    there = Path(os.path.abspath(path))
    return there.relative_to(here).as_posix() if there.is_relative_to(here) else str(there)
