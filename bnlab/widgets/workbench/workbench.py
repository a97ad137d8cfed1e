"""Analyse data in one place: columns, states, networks, confidence of edges, report and notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bnlab._runtime.files import digest_of
from bnlab.analysis.preparation import Preparation
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.recipe import recipe_of
from bnlab.analysis.study import Study
from bnlab.data import Table
from bnlab.figures.report import Report, study_report
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag, GraphLike, counted
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.core import LOCK, Stateful, error_text
from bnlab.widgets.base.pure import Set
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.workbench import messages
from bnlab.widgets.workbench.content import size_text, still
from bnlab.widgets.workbench.display import WorkbenchDisplay
from bnlab.widgets.workbench.measures import Held, Prediction, gap_text
from bnlab.widgets.workbench.page import page
from bnlab.widgets.workbench.requests import message_of
from bnlab.widgets.workbench.results import result_frame
from bnlab.widgets.workbench.state import State
from bnlab.widgets.workbench.update import update

SHOWN = ("results", "measures")
"""Channels of what is shown of a network: a report waits for it."""
SHOWN_IN = {"trust": ("trust", "trust"), "save-report": ("files", "export")}
"""Form and step that show the outcome of a button above the steps."""


class Workbench(Stateful):
    """From data to networks, step by step. When a step fails, the results of earlier steps stay.

    Parameters
    ----------
    data : DataFrame, Table, str or path, optional
        Path of a file that `bnlab.load_frame` reads or of a saved session, or name of a data set in the catalogue.
        Without data, the page has a place to drop a file on, and examples. A first preparation is suggested: see
        `Preparation.suggested`.

    Attributes
    ----------
    step : {"data", "variables", "knowledge", "learn", "compare", "trust", "export"}
        Shown step of the analysis.
    algorithm, score, options : str, str, dict
        Learner of the button "Learn" as `bnlab.learn` names it, its score, and its options and the parameters of the
        score that differ from the suggested ones.
    knowledge : Knowledge
        Background knowledge that every learned network agrees with.
    shown, reference : str or None
        Shown network, and the one that it is compared with.
    beside : bool
        Whether the reference is drawn beside the shown network.
    estimate : {"bootstrap", "posterior"}
        Method of the step Trust that estimates the confidence of edges.
    replicates : int
        Number of bootstrap samples.
    threshold : float or None
        Least bootstrap share of an edge of the consensus network; None for the suggested threshold.
    status : str
        Last message; `failed` says whether it is an error.
    busy : bool
        Whether a job is running.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        If the data cannot be read. If the file has a format that may be wrong, the step Data opens with the message
        instead.

    Examples
    --------
    >>> import bnlab
    >>> workbench = bnlab.Workbench("iris-bezdek")
    >>> workbench.set_role("class", "target")
    >>> workbench.cut("petal-length", "mdl")  # or cut_all, for every column of numbers
    >>> workbench.table
    Table: 150 rows, 5 variables, target 'class'
      sepal-length  3 states: '<=5.45', '(5.45, 6.25]', '>6.25'
      sepal-width   3 states: '<=2.85', '(2.85, 3.15]', '>3.15'
      petal-length  3 states: '<=2.45', '(2.45, 4.75]', '>4.75'
      petal-width   3 states: '<=0.8', '(0.8, 1.55]', '>1.55'
      class         3 states: 'Iris-setosa', 'Iris-versicolor', 'Iris-virginica'
    >>> len(workbench.learn("chow-liu").edges)
    4
    >>> workbench.bootstrap(replicates=5).graphs
    5
    >>> workbench.close()
    """

    update, page, still = staticmethod(update), staticmethod(page), staticmethod(still)
    public = (
        *("status", "failed", "busy", "step", "algorithm", "score", "options", "knowledge", "shown", "reference"),
        *("beside", "replicates", "estimate", "threshold"),
    )

    state: State
    forms: Mapping[str, Controls]
    """Forms of all steps, and "steps", which is above them."""

    def __init__(self, data: Any = None) -> None:
        state = State()
        self._display = WorkbenchDisplay(self._picture_changed)
        self.forms = self._display.forms
        self.add_class("bnlab-places")
        self._pieces: list[bytes] = []
        self._form = "data"
        super().__init__(state, children=self._display.parts)
        self._show(page(state))
        for name, form in self.forms.items():
            form.on_msg(lambda _, content, buffers, name=name: self._answer(name, content, buffers))
        if data is not None:
            try:
                self._job(messages.Load(data))
            except ValueError:
                if self.state.refused is None or self.state.refused.format is None:
                    raise  # else the page shows the message, and the format of the file can be corrected

    @property
    def frame(self) -> pd.DataFrame:
        """Data before the preparation; ValueError if there are none."""
        return self.state.session.frame

    @property
    def columns(self) -> pd.DataFrame:
        """Content of each column, from `bnlab.analysis.describe_columns`."""
        self.state.session.frame  # noqa: B018 - raises when there are no data
        assert self.state.session.kinds is not None
        return self.state.session.kinds

    @property
    def table(self) -> Table:
        """Data after the preparation; ValueError if there are none."""
        return self.state.session.ready

    @property
    def preparation(self) -> Preparation:
        """Preparation of the data; can be set."""
        return self.state.session.study.preparation

    @preparation.setter
    def preparation(self, preparation: Preparation) -> None:
        self._change(lambda now: PreparationEditor(now.frame, preparation))

    @property
    def study(self) -> Study:
        """Preparation, recipes and networks as one value."""
        return self.state.session.study

    @property
    def confidence(self) -> dict[str, EdgeConfidence]:
        """Confidence of edges by names of networks."""
        return dict(self.state.session.study.confidence)

    @property
    def networks(self) -> dict[str, Dag | Pdag]:
        """Networks of the current table by their names; a Pdag is an equivalence class."""
        return dict(self.state.session.study.graphs)

    @property
    def graph(self) -> NetworkGraph | None:
        """Picture of the shown network."""
        return self._display.pictures.graph

    @property
    def pictures(self) -> tuple[NetworkGraph | None, NetworkGraph | None]:
        """Picture of the shown network, and the one beside it."""
        return self._display.pictures.graph, self._display.pictures.second

    def load(self, data: Any) -> None:
        """Replace the data; parameter and errors are as for the class."""
        self._job(messages.Load(data))

    def set_role(self, column: str, role: str) -> None:
        """Use a column as a variable ("use"), as the "target", or "leave out"; ValueError if a name is unknown."""
        self._change(lambda now: now.role(column, role))

    def set_date(self, column: str, part: str) -> None:
        """Use a part of the dates in a column: "year", "quarter", "month", "weekday", "hour" or a "decimal year".

        ValueError if the column has no dates, or the part is unknown.
        """
        self._change(lambda now: now.date(column, part))

    def cut(self, column: str, method: str = "quantile", bins: int = 3, *, at: Any = ()) -> None:
        """Cut a numeric column into intervals.

        Parameters
        ----------
        column : str
        method : {"quantile", "width", "mdl", ""}
            As for `bnlab.analysis.cut_points`; "" for no cuts.
        bins : int
            Number of intervals of the first two.
        at : sequence of float
            Cut points to use instead of a method.

        Raises
        ------
        ValueError
            If the cut points or the resulting table are not possible; nothing changes.
        """
        own = ", ".join(repr(float(point)) for point in at)
        self._change(lambda now: now.cut(column, "own" if own else method, bins, own))

    def cut_all(self, method: str = "quantile", bins: int = 3) -> None:
        """Cut every used numeric column, as for `cut`."""
        self._change(lambda now: now.cut_all(method, bins))

    def recode(self, column: str, states: Mapping[str, str]) -> None:
        """Rename, merge and order the states of a column.

        Parameters
        ----------
        column : str
        states : mapping of str to str
            New state of each current state, in the order of the new states; other states stay in their places. States
            with the same new state are merged. An empty mapping restores the states of the data.

        Raises
        ------
        ValueError
            If there is no such column or state; nothing changes.

        Examples
        --------
        >>> import pandas as pd
        >>> workbench = Workbench(pd.DataFrame({"smokes": ["ex", "never", "often"] * 4, "ill": list("yn") * 6}))
        >>> workbench.recode("smokes", {"never": "no", "ex": "yes", "often": "yes"})
        >>> workbench.table.variables[0].states
        ('no', 'yes')
        >>> workbench.close()
        """
        self._change(lambda now: now.recode(column, states))

    def suggest(self) -> None:
        """Reset to the suggested preparation."""
        self._change(lambda now: PreparationEditor.suggested(now.frame))

    def set_missing(self, policy: str) -> None:
        """Treat missing values as an "error" or as a "state" of their own, "drop" their rows, or "keep" them missing.

        Kept values are estimated while a network is learned (`bnlab.learners.StructuralEM`); scores need complete rows.
        """
        self._change(lambda now: now.missing(policy))

    def set_panel(self, unit: str | None, time: str | None) -> None:
        """Learn from the transitions between the times of each unit (see `Preparation`); None and None: from the rows.

        ValueError if a column is unknown, or the rows are no panel, as for `bnlab.load_panel`; nothing changes.
        """
        self._change(lambda now: now.panel(unit, time))

    def learn(
        self,
        algorithm: str | None = None,
        *,
        score: str | None = None,
        name: str | None = None,
        wait: bool = True,
        **options: Any,
    ) -> Dag | Pdag | None:
        """Learn a network and show it.

        Parameters
        ----------
        algorithm : str, optional
            By default the learner chosen in the page, with its score and options.
        score : str, optional
            By default the first one of the algorithm.
        name : str, optional
            By default derived from learner and score.
        wait : bool
            Whether to wait for the end; if False, the method returns None at once.
        **options
            As for `bnlab.learn`; defaults are those of `bnlab.analysis.recipe`, and the trait `knowledge`.

        Raises
        ------
        ValueError
            If a name or an option is not possible, or there are no data.

        Notes
        -----
        `stop`, or an interrupt (Ctrl-C), ends the search with the best network so far.
        """
        self.state.session.ready  # noqa: B018 - raises when there are no data
        recipe = (
            self.state.recipe(score, **options)
            if algorithm is None
            else recipe_of(algorithm, score, **{**self.state.knowledge_option, **options})
        )
        named = name or self.state.typed["name"] or self.state.session.name_of(recipe)
        return self.networks[named] if self._job(messages.Learn(recipe, named), wait=wait) else None

    def bootstrap(
        self, name: str | None = None, replicates: int | None = None, *, wait: bool = True
    ) -> EdgeConfidence | None:
        """Learn a network again from resampled rows, and count its edges; continue a stopped bootstrap.

        Parameters
        ----------
        name : str, optional
            Network; by default the shown one.
        replicates : int, optional
            The trait `replicates` by default.
        wait : bool
            As for `learn`.

        Raises
        ------
        ValueError
            If there is no such network, or it was not learned.
        """
        return self._estimated(messages.Estimate("bootstrap", name, replicates), wait)

    def posterior(self, name: str | None = None, *, wait: bool = True) -> EdgeConfidence | None:
        """Posterior probabilities of the edges of a network, from `bnlab.edge_probabilities`.

        They respect the background knowledge that the network was learned with.

        Parameters
        ----------
        name, wait
            As for `bootstrap`.

        Raises
        ------
        ValueError
            As for `bootstrap`, or if values are missing.
        """
        return self._estimated(messages.Estimate("posterior", name), wait)

    def average(self, name: str | None = None, threshold: float | None = None) -> Dag | Pdag:
        """Add and show the consensus network: the edges that reach the confidence threshold.

        Raises
        ------
        ValueError
            If the network has no bootstrap, or the threshold is outside [0, 1].
        """
        self._job(messages.Average(name, threshold))
        return self.networks[str(self.shown)]

    def keep_edits(self) -> Dag | Pdag:
        """Add and show the network as edited in the picture; ValueError if nothing was edited."""
        self._job(messages.KeepEdits())
        return self.networks[str(self.shown)]

    def add(self, name: str, graph: GraphLike | Pdag) -> Dag | Pdag:
        """Add and show a network from elsewhere, such as an expert's, to compare it with the learned ones.

        Parameters
        ----------
        name : str
        graph : Dag, Pdag, BayesianNetwork, networkx.DiGraph or iterable of (parent, child) names
            On the variables of the table.

        Raises
        ------
        ValueError
            If there are no data, the name is empty or taken, the graph has other variables, or as for
            `bnlab.graphs.as_dag`.
        TypeError
            If it is not a graph.

        Examples
        --------
        >>> from bnlab.networks import cancer
        >>> from bnlab.widgets import Workbench
        >>> workbench = Workbench(cancer().sample(500, seed=0))
        >>> workbench.add("expert", [("Smoker", "Cancer"), ("Cancer", "Xray")]).edges
        (('Smoker', 'Cancer'), ('Cancer', 'Xray'))
        >>> workbench.close()
        """
        self._job(messages.Add(name, graph))
        return self.networks[name]

    def remove(self, name: str) -> None:
        """Remove a network; ValueError if there is none with that name."""
        self._job(messages.Remove(name))

    def distance_to_optimum(self, *, wait: bool = True) -> str:
        """Compute the distance of the shown network to the best one, by an exact search of up to a minute.

        The score and the background knowledge are those that the network was learned with. For up to 12 variables, the
        page starts the search by itself.

        Parameters
        ----------
        wait : bool
            Whether to wait for the end; if False, the result is the distance known so far.

        Returns
        -------
        str
            A sentence, such as "No network scores higher (BIC)."; "" if the distance is unknown.

        Raises
        ------
        ValueError
            If there is no network, values are missing, or the search is not possible.
        """
        shown = self.state.name_or_shown(None)
        self.dispatch(messages.FindOptimum())
        if wait:
            self.rest("optimum")
            if self.state.search_failure:
                raise ValueError(self.state.search_failure)
        return gap_text(self.state.session, self.state.optima, shown)

    def to_frame(self) -> pd.DataFrame:
        """Networks, one per row.

        Returns
        -------
        DataFrame
            algorithm, learned_by, edges, seconds, stopped, bootstrap (samples); without missing values also every score
            in nats and held_out, the mean log-likelihood of held-out rows in nats: of `bnlab.cross_validate` with the
            recipe of the network, which learns anew in each of five folds, so that this may take five times as long as
            the network. A network without a recipe, or whose search was stopped, keeps its edges in every fold.
        """
        self.rest("results", "measures")
        session, table = self.state.session, self.state.session.table
        frame = result_frame(session)
        if table is not None and not table.has_gaps:
            keys = [Held.of(table, session.study, name) for name in session.study.graphs]
            frame["held_out"] = [self.state.held_out.get(key, Prediction()).mean for key in keys]
        return frame

    def stop(self) -> None:
        """Stop the running job, and wait for its end; the best result so far stays."""
        self.dispatch(messages.StopJob())
        self.rest("job")

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the session, which `Workbench.reopen` opens; data without a file are written into one beside it.

        No other file is replaced: data get a free name, and an older file with the session's name that this workbench
        neither opened nor saved is renamed to a free name.

        Parameters
        ----------
        path : str or path
        overwrite : bool
            Whether to replace an older file with that name in any case.

        Raises
        ------
        ValueError
            If there are no data, or the file is that of the data.
        FileExistsError
            If something else has changed the file since this workbench opened or saved it.
        OSError
            If a file cannot be written; an older file stays unchanged.
        """
        self.call(messages.Write("session", Path(path), "", overwrite), "files")

    @classmethod
    def reopen(cls, path: str | Path, data: Any = None) -> Workbench:
        """Open a session that `save` wrote. (ipywidgets uses the name `open`.)

        Parameters
        ----------
        path : str or path
        data : as for the class, optional
            By default the data that the session names.

        Raises
        ------
        ValueError
            If the file is not a saved session; nothing in it is ever executed.
        """
        digest, study = digest_of(path), Study.open(path)
        workbench = cls()
        workbench.call(messages.Open(Path(path), digest, study, data), "job", "results")
        return workbench

    def report(self, title: str = "Analysis") -> Report:
        """Report as one self-contained page."""
        self.rest(*SHOWN)
        session = self.state.session
        return study_report(session.study, session.frame, title=title, validation=self.state.validation)

    def export_report(self, path: str | Path, title: str = "Analysis", *, overwrite: bool = False) -> None:
        """Write the report as HTML, or with the suffix .pdf or .png as `bnlab.figures.printed.printed` does.

        An older file and errors are as for `save`; ImportError if playwright is not installed.
        """
        self.rest(*SHOWN)
        self.call(messages.Write("report", Path(path), title, overwrite), "files")

    def export_notebook(self, path: str | Path, title: str = "Analysis", *, overwrite: bool = False) -> None:
        """Write a notebook that repeats every step; data, an older file and errors are as for `save`."""
        self.call(messages.Write("notebook", Path(path), title, overwrite), "files")

    def close(self) -> None:
        """Stop the running job, and close every part."""
        with LOCK:
            if not self.is_closed:
                self._display.close()
                super().close()

    def _change(self, change: Callable[[PreparationEditor], PreparationEditor]) -> None:
        """Apply another preparation; ValueError if there are no data."""
        with LOCK:
            editor = self.state.preparing
            self.state.session.frame  # noqa: B018 - raises when there are no data
            assert editor is not None
            message = messages.Edit(change(editor))
        self._job(message)

    def _job(self, message: Any, *, wait: bool = True) -> bool:
        """Handle a message, and wait for its job and what is shown of it; whether it has waited.

        Ctrl-C stops the job; the best result so far stays.
        """
        if self.is_closed:
            raise RuntimeError("this workbench is closed: make a new one.")
        if not wait:
            self.dispatch(message)
            return False
        try:
            self.call(message, "job", "results")
        except KeyboardInterrupt:
            self.rest("job", "results")
            raise
        return True

    def _estimated(self, message: messages.Estimate, wait: bool) -> EdgeConfidence | None:
        name = self.state.name_or_shown(message.name)
        return self.confidence[name] if self._job(message, wait=wait) else None

    def _show(self, page: Mapping[str, Any]) -> None:
        self._display.show(page)
        pictured = self._display.pictures.pictured()
        if pictured != self.state.pictured:
            self.dispatch(messages.Picture(pictured))

    def _picture_changed(self, change: Any) -> None:
        """Take an edit, a rule or a selection in the picture."""
        if change["name"] == "knowledge":
            self.handle(lambda: Set("knowledge", change["new"] or Knowledge()))
        else:
            self.handle(lambda: messages.Picture(self._display.pictures.pictured()))

    def _answer(self, form: str, content: Mapping[str, Any], buffers: Sequence[Any]) -> None:
        """Do what a control of a form asks for; the content of a file comes in pieces."""
        id, value = str(content.get("id")), content.get("value")
        with LOCK:
            self._form = "columns" if form == "details" else form
            if content.get("type") == "file":
                self._pieces = ([] if content["first"] else self._pieces) + list(map(bytes, buffers))
                if content["last"]:
                    whole, self._pieces = b"".join(self._pieces), []
                    self.handle(lambda: messages.Upload(str(content["name"]), whole))
                return
            if id in ("learn", "again", "recommended"):  # also from other steps
                self._form = "learn"
                self.handle(lambda: Set("step", "learn"))
            if form == "steps" and id in SHOWN_IN:
                self._form, step = SHOWN_IN[id]
                self.handle(lambda: Set("step", step))
            if id == "edge":
                edge = self.state.edges.iloc[int(str(value))]
                self._display.pictures.select((edge["u"], edge["v"]))
            elif id == "load":
                self.handle(lambda: messages.Load(self.state.typed["path"]))
            elif id in ("save-page", "download-page"):
                self.handle(lambda: message_of(form, id, value, self._display.pictures.saved_page()))
            elif (message := message_of(form, id, value)) is not None:
                self.handle(lambda: message)
            if form in ("knowledge", "limits"):
                self.forms[form].restore()  # shows a value that changed nothing

    def _tell(self, what: str, error: Exception) -> None:
        if not what:  # otherwise the state has it already
            self.dispatch(messages.Told(self._form, error_text(error)))
        for form in (self._form, "details"):
            self.forms[form].restore()

    def __repr__(self) -> str:
        """Data and networks."""
        source = self.state.session.source
        if source is None:
            return "Workbench(no data yet)"
        networks = counted(len(self.state.session.study.graphs), "network")
        return f"Workbench({source.name}: {size_text(source.frame)}; {networks})"
