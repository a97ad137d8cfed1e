"""State of a workbench: settings as traits, and other values that its forms show."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from typing import Any

import traitlets

from bnlab._runtime.history import History
from bnlab.analysis.columns import ColumnPreview
from bnlab.analysis.files import Source
from bnlab.analysis.preparation import Preparation
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.recipe import Recipe, recipe_of
from bnlab.analysis.session import Session
from bnlab.graphs.knowledge import Knowledge
from bnlab.learners.recommend import Recommendation, recommended
from bnlab.learners.table import learner, options_of, score_named, scores_of
from bnlab.widgets.base import controls as kit
from bnlab.widgets.base.panel import Panel

METHODS = {"bootstrap": "Bootstrap (quick)", "posterior": "Posterior probability"}
"""Ways to estimate the confidence of edges."""
STEPS = {
    "data": "Data",
    "variables": "Variables",
    "knowledge": "Knowledge",
    "learn": "Learn",
    "compare": "Compare",
    "trust": "Trust",
    "export": "Export",
}
"""Steps of an analysis, and their tabs."""


class WorkbenchTraits(Panel):
    """State of a `Workbench`, without its page."""

    status = traitlets.Unicode("Load data to begin.")
    """Last message."""
    busy = traitlets.Bool(False)
    """Whether a job is running."""
    step = traitlets.Enum(list(STEPS), "data")
    """Shown step of the analysis."""
    algorithm = traitlets.Unicode("hill-climbing")
    """Learner of the button "Learn", as `bnlab.learn` names it."""
    score = traitlets.Unicode("bic")
    """Score of the learner."""
    options = traitlets.Dict()
    """Options of the learner and parameters of the score that differ from the suggested ones."""
    knowledge = traitlets.Instance(Knowledge, ())
    """Background knowledge that every learned network agrees with."""
    shown = traitlets.Unicode(None, allow_none=True)
    """Shown network."""
    reference = traitlets.Unicode(None, allow_none=True)
    """Network that the shown network is compared with."""
    beside = traitlets.Bool(False)
    """Whether the reference is drawn beside the shown network."""
    replicates = traitlets.Int(100, min=1)
    """Number of bootstrap samples."""
    estimate = traitlets.Enum(list(METHODS), "bootstrap")
    """Method of the step Trust that estimates the confidence of edges."""
    threshold = traitlets.Float(None, allow_none=True, min=0.0, max=1.0)
    """Least bootstrap share of an edge of the consensus network; None for the suggested threshold."""

    _edits: History[PreparationEditor] | None = None
    """Preparations of the current data, for undo and redo; None without data."""
    _rules: History[Knowledge] = History.begin(Knowledge())
    """Values of `knowledge`, for undo and redo."""
    _first_preparation: Preparation | None = None
    """Preparation that was suggested for the data."""
    _refused: Source | None = None
    """Data that were read but cannot be used. Their format may be wrong and can be corrected."""
    _column: str | None = None
    """Column whose details are shown."""
    _order = ("confidence", True)
    """Column by which the edges are sorted, and whether it descends."""
    _running: tuple[str, float | None, str] | None = None
    """Progress of the running job: form, share or None, and text."""

    def __init__(self) -> None:
        self._session = Session()
        self._typed: dict[str, Any] = {"path": "", "name": "", "file": "analysis", "method": "quantile", "bins": 3}
        """Values of the fields that are not traits: paths of the data and of written files, the name of a network, the
        method that cuts all columns, and a new edge of the background knowledge."""
        self._typed |= {"kind": "required", "parent": None, "child": None}
        self._previews: dict[Any, ColumnPreview] = {}
        """Previews of the columns of the current data, by column, cut points and part of dates."""
        self._messages: dict[str, tuple[str, bool]] = {}
        """Last message of each form, and whether it is an error."""
        super().__init__()
        # With one lock, all parts of the page show the same state.
        self._session.share_lock(self._lock)

    @property
    def _identifiers(self) -> list[str]:
        """Columns that are used without cut points and have a different value in nearly every row."""
        kinds, now = self._session.kinds, self._session.study.preparation
        if kinds is None:
            return []
        names = kinds.index[kinds["kind"] == "identifier"]
        return [str(name) for name in names if name not in now.leave_out and name not in now.cuts]

    @property
    def _preparing(self) -> PreparationEditor | None:
        """Current preparation in the form."""
        return None if self._edits is None else self._edits.now

    def _begin_edits(self, preparing: PreparationEditor, knowledge: Knowledge) -> None:
        """Set the preparation and the knowledge for other data, and clear the histories."""
        self._edits, self._rules = History.begin(preparing), History.begin(knowledge)
        self._previews = {}
        self.knowledge = knowledge

    def _next_edit(self, preparing: PreparationEditor) -> History[PreparationEditor]:
        """History of preparations with another one as the next step."""
        assert self._edits is not None
        now = self._edits.now.preparation
        return self._edits.step(preparing, now.differences(preparing.preparation) or "discretization")

    @property
    def _source(self) -> Source | None:
        """Data that the step Data shows."""
        return self._refused or self._session.source

    @property
    def _suggested(self) -> Recommendation | None:
        """Learner that `bnlab.learn` uses for the current table."""
        table = self._session.table
        return None if table is None else recommended(table.n_variables, table.n_rows)

    def _take_suggested(self) -> None:
        """Choose the suggested learner with its score and options."""
        if (suggested := self._suggested) is not None:
            self.algorithm, self.score = suggested.algorithm, scores_of(suggested.algorithm)[0]
            self.options = suggested.options

    @property
    def _closed_steps(self) -> set[str]:
        """Steps that are closed until there are data, something to save, or a network."""
        if self._session.source is None:
            return set(STEPS) - {"data"}
        study = self._session.study
        if study.graphs:
            return set()
        own = study.preparation != self._first_preparation or self.knowledge != Knowledge()
        return {"compare", "trust"} | (set() if own else {"export"})

    def _recipe(self, score: str | None = None, **options: Any) -> Recipe:
        """Recipe of the form; a given score and given options replace the chosen ones."""
        own = {option.name for option in options_of(self.algorithm, self.score)}
        own_score = self.score if scores_of(self.algorithm) else None
        chosen = {name: value for name, value in self.options.items() if name in own}
        return recipe_of(self.algorithm, score or own_score, **{**self._knowledge_option, **chosen, **options})

    @property
    def _knowledge_option(self) -> dict[str, Knowledge]:
        """Option with the background knowledge, if there is any."""
        return {} if self.knowledge == Knowledge() else {"knowledge": self.knowledge}

    @property
    def _rules_changed(self) -> bool:
        """Whether the shown network was learned under other background knowledge than the current one."""
        recipe = self._session.study.recipes.get(str(self.shown))
        return recipe is not None and (recipe.knowledge or Knowledge()) != self.knowledge

    def _name_or_shown(self, name: str | None) -> str:
        """Name of a network, by default of the shown one; ValueError if there is none."""
        if name is None and self.shown is None:
            raise ValueError("there is no network yet: learn one first.")
        return self._session.known(str(self.shown) if name is None else name)

    def _message_line(self, form: str) -> list[kit.Control]:
        """Last message of a form."""
        text, failed = self._messages.get(form, ("", False))
        return [kit.message("said", text, "alert" if failed else "status")]

    @traitlets.observe("knowledge")
    def _note_knowledge(self, change: Any) -> None:
        if change["new"] != self._rules.now:
            self._rules = self._rules.step(change["new"], "change of the rules")

    @traitlets.observe("algorithm")
    def _separate_options(self, _: Any) -> None:
        """Apply suggested options only to the learner that they are suggested for."""
        if (suggested := self._suggested) is not None:
            own = {name: value for name, value in self.options.items() if suggested.options.get(name) != value}
            self.options = own if self.algorithm != suggested.algorithm else {**suggested.options, **own}

    @traitlets.validate("algorithm")
    def _check_algorithm(self, proposal: Any) -> str:
        return learner(proposal["value"]).name

    @traitlets.validate("score")
    def _check_score(self, proposal: Any) -> str:
        return score_named(proposal["value"]).name

    @traitlets.validate("shown", "reference")
    def _check_network(self, proposal: Any) -> str | None:
        return None if proposal["value"] is None else self._session.known(proposal["value"])
