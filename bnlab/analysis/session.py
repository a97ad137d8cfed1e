"""An analysis in progress: data, preparation and networks, which do not change if a later step fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from math import nan
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from bnlab._runtime.names import check_known
from bnlab._runtime.values import check_text
from bnlab.analysis.columns import describe_columns
from bnlab.analysis.files import Source, keep_beside, open_source
from bnlab.analysis.longitudinal import PanelColumns, panel_columns
from bnlab.analysis.preparation import Preparation
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.study import Study
from bnlab.data.table import Table
from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag, GraphLike
from bnlab.graphs.pdag import Pdag, as_graph
from bnlab.learners.bootstrap import Bootstrap, BootstrapState
from bnlab.learners.posterior.probabilities import exact_posterior, partition_sampler
from bnlab.learners.structural_em import StructuralEM
from bnlab.learners.table import OFFERED
from bnlab.scores.make import SCORE_TABLE
from bnlab.search import iterate

Watch: TypeAlias = Callable[[Any, Any, Any], bool]
"""Function of the search, the state and the information of the last step; True stops the search."""
EXACT = 12
"""Maximum number of variables for exact posterior probabilities; with so many they take about a second."""
ELSEWHERE = " (other data)"
"""End of the name of a network that was learned from another table."""
NO_DATA = "there are no data yet: load a file or a DataFrame."


class Learned(NamedTuple):
    """A network that was learned, the seconds that it took, and whether its search was stopped.

    `observed` is the score of the observed values in nats that structural EM reached, NaN for other searches.
    """

    name: str
    recipe: Recipe
    graph: Dag | Pdag
    seconds: float
    stopped: bool
    observed: float = nan


class Estimated(NamedTuple):
    """Confidence of the edges of a network; for a bootstrap with the state from which it can be continued."""

    name: str
    confidence: EdgeConfidence
    bootstrap: tuple[str, Recipe, BootstrapState] | None = None


@dataclass(frozen=True, eq=False)
class Session:
    """Data, their preparation and networks, as a value: a method that changes something returns another session.

    Networks belong to the table from which they were learned: they return with its preparation. `kinds` is the result
    of `describe_columns` for the source, `rows` the data after the preparation, and `table` the same or the transitions
    between them. `panel_columns` are set if the source looks longitudinal. `study` holds preparation, recipes and
    networks; `seconds` are the times of the searches by network, `observed` the scores of the observed values that
    structural EM reached, `others` studies of other tables by fingerprint,
    `waiting` is a saved study whose data are not loaded yet, and `bootstraps` can be continued.

    Examples
    --------
    >>> import bnlab
    >>> session, _ = Session().load(open_source("iris-bezdek"))
    >>> session = session.with_result(session.learn(Recipe("chow-liu")))
    >>> len(session.study.graphs["Chow-Liu tree"].edges)
    4
    """

    source: Source | None = None
    kinds: pd.DataFrame | None = None
    panel_columns: PanelColumns | None = None
    rows: Table | None = None
    table: Table | None = None
    study: Study = field(default_factory=Study)
    seconds: Mapping[str, float] = field(default_factory=dict)
    observed: Mapping[str, float] = field(default_factory=dict)
    others: Mapping[str, Study] = field(default_factory=dict)
    waiting: Study | None = None
    bootstraps: Mapping[str, tuple[str, Recipe, BootstrapState]] = field(default_factory=dict)

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

    def load(self, source: Source) -> tuple[Session, str]:
        """Session with other data, and a remark, or "". They are prepared as in the study that waits or as suggested.

        ValueError if no column can be a variable.
        """
        waiting, opened = self.waiting, self.waiting
        if waiting is not None:
            source = _read_as_saved(source, waiting)
        kinds = describe_columns(source.frame)
        if opened is not None and not _fits_networks(opened, source.frame):
            opened = None
        preparation = Preparation.suggested(source.frame, kinds) if opened is None else opened.preparation
        if len(preparation.unused) == len(kinds):
            listed = [f"{name!r} is {kind}" for name, kind in kinds["kind"].head(5).items()]
            listed += ["..."] * (len(kinds) > 5)
            raise ValueError(
                f"no column of {source.name} can be a variable: {', '.join(listed)}. A variable has at least two "
                "different values, which occur again in other rows; correct the format of the file, or load another."
            )
        look = panel_columns(source.frame, kinds)
        new = replace(self, source=source, kinds=kinds, panel_columns=look)._prepared(preparation, opened)
        remark = ""
        if waiting is not None and opened is None:
            remark = f"{source.name} has other columns than the saved study: its networks are not here."
        elif opened is not None and opened.fingerprint not in ("", new.study.fingerprint):
            remark = f"{source.name} is not as it was when the study was saved: its networks come from other rows."
        return new, remark

    def prepare(self, preparation: Preparation) -> Session:
        """Session with the table of another preparation, even if it has too few columns for a network.

        Its networks are those that are known, and those of the present table if that has the same variables. Of these,
        what was learned is marked as from other data: it is a class without a recipe. All return with their table.
        """
        new = self._prepared(preparation)
        assert new.table is not None
        graphs, known = dict(new.study.graphs), list(new.study.classes.values())
        for name, graph in self.study.classes.items():
            if set(graph.names) == set(new.table.names) and graph not in known:
                known.append(graph)
                learned = any(f"{name}, ".startswith(f"{own}, ") for own in self.study.recipes)
                graphs[_free_name(f"{name}{ELSEWHERE}" if learned else name, graphs)] = graph
        return replace(new, study=replace(new.study, graphs=graphs))

    def _prepared(self, preparation: Preparation, opened: Study | None = None) -> Session:
        """Session with the table of a preparation, and the networks of an opened study, or those that are known."""
        frame = self.frame
        assert self.source is not None
        rows, table = preparation.tables(frame)
        others = dict(self.others)
        if self.table is not None and self.study.graphs:
            others[self.table.fingerprint] = self.study
        format = self.source.format
        table.with_missing_marks((format and format.missing_marks) or ())
        if preparation.gaps and not rows.has_gaps:
            preparation = replace(preparation, missing="error")
        known = opened or others.get(table.fingerprint) or Study()
        study = replace(
            known,
            source=self.source.path,
            file_format=format,
            fingerprint=table.fingerprint,
            preparation=preparation,
        )
        return replace(self, rows=rows, table=table, study=study, others=others, waiting=None)

    def learn(self, recipe: Recipe, name: str | None = None, watch: Watch | None = None) -> Learned:
        """Learn a network. If the search is stopped, the result so far is used."""
        table, chosen = self.ready, check_text("name", name or self.name_of(recipe))
        search = recipe.search(table)
        begin = perf_counter()
        state, stopped = _run(search, search.init(), watch)
        graph = recipe.graph(table.names, search.result(state))
        observed = state.best if isinstance(search, StructuralEM) else nan
        return Learned(chosen, recipe, graph, perf_counter() - begin, stopped, observed)

    def with_result(self, found: Learned | Estimated) -> Session:
        """Session with a learned network, or with the confidence of the edges of one."""
        if isinstance(found, Learned):
            study = self.study.with_result(found.name, found.recipe, found.graph, stopped=found.stopped)
            seconds = {**self.seconds, found.name: found.seconds}
            observed = {**self.observed, found.name: found.observed}
            return replace(self, study=study, seconds=seconds, observed=observed)
        study = replace(self.study, confidence={**self.study.confidence, found.name: found.confidence})
        continued = {} if found.bootstrap is None else {found.name: found.bootstrap}
        return replace(self, study=study, bootstraps={**self.bootstraps, **continued})

    def bootstrap(self, name: str, replicates: int = 100, watch: Watch | None = None) -> Estimated:
        """Learn a network repeatedly from resampled rows; a stopped bootstrap is continued."""
        table, recipe = self.ready, self.recipe(name)
        search = Bootstrap(
            table, recipe.for_samples.learn, replicates, self.study.bootstrap_seed, knowledge=recipe.knowledge
        )
        begin, kept = search.init(), self.bootstraps.get(name)
        if kept is not None and kept[:2] == (table.fingerprint, recipe) and kept[2].done <= replicates:
            begin = kept[2]
        state, _ = _run(search, begin, watch)
        if not state.done:
            raise ValueError("stopped before the first sample was done: there is no confidence yet.")
        return Estimated(name, search.result(state), (table.fingerprint, recipe, state))

    def posterior(self, name: str, watch: Watch | None = None) -> Estimated:
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
        return Estimated(name, found)

    def average(self, name: str, threshold: float | None = None) -> tuple[Session, str]:
        """Session with the network of the edges that reach a threshold in the bootstrap, and its name."""
        if name not in self.study.confidence:
            raise ValueError(f"{name!r} has no edge confidence: run the bootstrap on it first.")
        found = self.study.confidence[name]
        least = found.threshold if threshold is None else threshold
        average = f"{name}, edges of {least:.0%}"
        return self.add(average, found.consensus(least)), average

    def add(self, name: str, graph: GraphLike | Pdag) -> Session:
        """Session with a network from elsewhere; ValueError if it has other variables than the table."""
        name, names = check_text("name", name), self.ready.names
        added = as_graph(graph, names)
        check_same_variables(added.names, names)
        return replace(self, study=self.study.with_result(name, None, added))

    def remove(self, name: str) -> Session:
        """Session without a network."""
        return replace(self, study=self.study.without(self.known(name)))

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
        through = "Structural EM: " if self.ready.has_gaps and recipe.is_completed else ""
        return _free_name(
            f"{through}{label}{score}", [n for n in self.study.graphs if self.study.recipes.get(n) != recipe]
        )

    def kept_at(self, path: Path) -> tuple[Study, str, Source]:
        """Return the study to save at `path`, a remark on its data, and the data with their file (see `with_kept`).

        The remark is "" if the data give the same table when reread.

        The study contains the path of its data relative to that folder. Data that are in no file, or whose file no
        longer gives the same table, are written next to it (see `keep_beside`; OSError if that fails). ValueError
        without data.
        """
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
        saved = replace(study, source=_relative_to(path.parent, kept.path), file_format=kept.format)
        return saved, note, kept

    def with_kept(self, source: Source, kept: Source) -> Session:
        """Session whose data are in the file of `kept`, if its data are still those of `source`."""
        if self.source is not source:
            return self
        return replace(self, source=kept, study=replace(self.study, source=kept.path, file_format=kept.format))

    def check_is_not_data(self, path: Path) -> None:
        """Raise a ValueError if a path is that of the file of the data."""
        own = Path("" if self.source is None else self.source.path)
        if own.is_file() and path.exists() and path.samefile(own):
            raise ValueError(f"{path} holds the data of this study: choose another name.")

    def open(self, study: Study, data: Any = None, folder: Path | None = None) -> tuple[Session, str]:
        """Session with an opened study, and a remark on its data, or "".

        `data` is the data (as for `open_source`, or a Source); by default the file that the study names is read, first
        from `folder`.
        """
        source = data if isinstance(data, Source) else _find_source(study, data, folder)
        opened = replace(self, waiting=study)
        if source is not None:
            return opened.load(source)
        named = f" {study.source!r}" if study.source else ""
        words = f"The session needs its data{named}: load them too, and its {len(study.graphs)} networks are here."
        return opened, words


def _free_name(name: str, taken: Collection[str]) -> str:
    """Name, with a number if it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


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
