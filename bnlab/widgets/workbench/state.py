"""State of a workbench."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from bnlab._runtime.history import History
from bnlab.analysis.columns import ColumnPreview
from bnlab.analysis.files import SavedFiles, Source
from bnlab.analysis.findings import Sentence
from bnlab.analysis.preparation import Preparation
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.recipe import Recipe, recipe_of
from bnlab.analysis.session import Session
from bnlab.analysis.validation_result import CrossValidation
from bnlab.data.table import Table
from bnlab.figures.graphs.node_tables import EdgeStrengths
from bnlab.figures.searches.curve import Curve
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import any_member
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.learners.exact.optimum import Optimum
from bnlab.learners.recommend import Recommendation, recommended
from bnlab.learners.table import options_of, scores_of
from bnlab.widgets.base import controls as kit
from bnlab.widgets.workbench.edges import edge_frame
from bnlab.widgets.workbench.measures import Held, Prediction, Question

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
TYPED: dict[str, Any] = {
    "path": "",
    "name": "",
    "file": "analysis",
    "method": "quantile",
    "bins": 3,
    "kind": "required",
    "parent": None,
    "child": None,
    "unit": "",
    "time": "",
    "format": None,
}
"""First values of the fields that are not public: paths of the data and of written files, the name of a network, the
method that cuts all columns, a new edge of the background knowledge, the columns of units and times, and whether the
format of the file is shown (None: if it is unusual)."""


class Running(NamedTuple):
    """Progress of a job: the form that shows it, the finished share (None if unknown), and text."""

    form: str
    share: float | None
    text: str


class Sketch(NamedTuple):
    """Drawing of a running search: its graph, its curve with a number of points, and the network with the positions of
    the nodes; or the error of the drawing.
    """

    graph: Dag | Pdag | None
    curve: Curve | None = None
    points: int = 0
    places: Dag | None = None
    failure: str = ""


class Pictured(NamedTuple):
    """What the picture of a network shows: its graph after edits, its class if that is drawn, and the chosen edge."""

    name: str
    graph: Dag | Pdag
    essential: Dag | Pdag | None
    selected: tuple[str, str] | None


class File(NamedTuple):
    """A file for the browser."""

    name: str
    content: str | bytes
    mime: str


@dataclass(frozen=True, eq=False)
class State:
    """State of a workbench; the fields from `status` to `threshold` and some properties are public."""

    status: str = "Load data to begin."
    failed: bool = False
    step: str = "data"
    algorithm: str = "hill-climbing"
    score: str = "bic"
    options: Mapping[str, Any] = field(default_factory=dict)
    shown: str | None = None
    reference: str | None = None
    beside: bool = False
    replicates: int = 100
    estimate: str = "bootstrap"
    threshold: float | None = None
    session: Session = field(default_factory=Session)
    refused: Source | None = None
    """Data that were read but cannot be used. Their format may be wrong and can be corrected."""
    edits: History[PreparationEditor] | None = None
    """Preparations of the current data, for undo and redo; None without data."""
    rules: History[Knowledge] = field(default_factory=lambda: History.begin(Knowledge()))
    """Background knowledge, for undo and redo."""
    first_preparation: Preparation | None = None
    """Preparation that was suggested for the data."""
    column: str | None = None
    """Column whose details are shown."""
    typed: Mapping[str, Any] = field(default_factory=lambda: TYPED)
    said: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    """Last message of each form, and whether it is an error."""
    order: tuple[str, bool] = ("confidence", True)
    """Column by which the edges are sorted, and whether it descends."""
    reading: bool = False
    running: Running | None = None
    sketch: Sketch | None = None
    pictured: Pictured | None = None
    """What the picture of the shown network shows; None before it is drawn, or if it is too large."""
    results: pd.DataFrame = field(default_factory=pd.DataFrame)
    """Networks with scores (see `result_frame`), perhaps of older networks."""
    comparison: str = ""
    """Comparison of the networks, as HTML."""
    measured: Table | None = None
    strengths: EdgeStrengths | None = None
    """Strengths of edges on the table `measured`; None if it has missing values."""
    column_forms: Mapping[str, kit.Lines] = field(default_factory=dict)
    """Forms about columns."""
    edges: pd.DataFrame = field(default_factory=lambda: edge_frame(Dag((), ()), None, None))
    """Edges of the shown network."""
    findings: tuple[Sentence, ...] = ()
    """What the shown network says, as it was learned."""
    held_out: Mapping[Held, Prediction] = field(default_factory=dict)
    """How well networks predict held-out rows."""
    measuring: Held | None = None
    """Held-out log-likelihood that is being computed."""
    optima: Mapping[Question, Optimum] = field(default_factory=dict)
    searching: Question | None = None
    """Question that the exact search works on."""
    asked: Question | None = None
    """Question that the exact search answers next."""
    search_text: str = ""
    search_failure: str = ""
    offered: File | None = None
    """Last file for the browser."""
    saved: SavedFiles = field(default_factory=SavedFiles)
    """Files that this workbench has opened or written."""
    previews: dict[Any, ColumnPreview] = field(default_factory=dict)
    """Cache of previews of the columns of these data, by column, cut points and part of dates."""

    @property
    def busy(self) -> bool:
        """Whether a job is running."""
        return self.running is not None

    @property
    def knowledge(self) -> Knowledge:
        """Background knowledge that every learned network agrees with."""
        return self.rules.now

    @property
    def read(self) -> Source | None:
        """Data that the step Data shows."""
        return self.refused or self.session.source

    @property
    def identifiers(self) -> list[str]:
        """Columns that are used without cut points and have a different value in nearly every row."""
        kinds, now = self.session.kinds, self.session.study.preparation
        if kinds is None:
            return []
        names = kinds.index[kinds["kind"] == "identifier"]
        return [str(name) for name in names if name not in now.unused and name not in now.cuts]

    @property
    def alike(self) -> dict[str, dict[str, str]]:
        """States that differ from another one of their column only in blanks or capitals, with that one."""
        rows, now = self.session.rows, self.session.study.preparation
        found: dict[str, dict[str, str]] = {}
        for variable in () if rows is None else rows.variables:
            chosen: dict[str, str] = {}
            states = (
                () if variable.name in now.cuts else sorted(map(str, variable.states), key=lambda s: s != s.strip())
            )
            for state in states:
                other = chosen.setdefault(" ".join(state.split()).casefold(), state)
                if other != state:
                    found.setdefault(variable.name, {})[state] = other
        return found

    @property
    def networks_elsewhere(self) -> int:
        """Number of networks on other variables, which return with the table that they were learned from."""
        names = set() if self.session.table is None else set(self.session.table.names)
        graphs = [graph for study in self.session.others.values() for graph in study.graphs.values()]
        return sum(set(graph.names) != names for graph in graphs)

    @property
    def validation(self) -> CrossValidation | None:
        """Cross-validation of the shown network, once its held-out rows were predicted."""
        table, study = self.session.table, self.session.study
        if table is None or self.shown not in study.graphs:
            return None
        found = self.held_out.get(Held.of(table, study, str(self.shown)))
        return None if found is None else found.validation

    @property
    def preparing(self) -> PreparationEditor | None:
        """Current preparation in the form."""
        return None if self.edits is None else self.edits.now

    def next_edit(self, preparing: PreparationEditor) -> History[PreparationEditor]:
        """History of preparations with another one as the next step."""
        assert self.edits is not None
        now = self.edits.now.preparation
        return self.edits.step(preparing, now.differences(preparing.preparation) or "discretization")

    @property
    def suggested(self) -> Recommendation | None:
        """Learner that `bnlab.learn` uses for the current table."""
        table = self.session.table
        return None if table is None else recommended(table.n_variables, table.n_rows)

    @property
    def closed_steps(self) -> set[str]:
        """Steps that are closed until there are data, something to save, or a network."""
        if self.session.source is None:
            return set(STEPS) - {"data"}
        study = self.session.study
        if study.graphs:
            return set()
        own = study.preparation != self.first_preparation or self.knowledge != Knowledge()
        return {"compare", "trust"} | (set() if own else {"export"})

    def recipe(self, score: str | None = None, **options: Any) -> Recipe:
        """Recipe of the form; a given score and given options replace the chosen ones."""
        own = {option.name for option in options_of(self.algorithm, self.score)}
        own_score = self.score if scores_of(self.algorithm) else None
        chosen = {name: value for name, value in self.options.items() if name in own}
        return recipe_of(self.algorithm, score or own_score, **{**self.knowledge_option, **chosen, **options})

    @property
    def knowledge_option(self) -> dict[str, Knowledge]:
        """Option with the background knowledge, if there is any."""
        return {} if self.knowledge == Knowledge() else {"knowledge": self.knowledge}

    @property
    def rules_changed(self) -> bool:
        """Whether the shown network was learned under other background knowledge than the current one."""
        recipe = self.session.study.recipes.get(str(self.shown))
        return recipe is not None and (recipe.knowledge or Knowledge()) != self.knowledge

    def name_or_shown(self, name: str | None) -> str:
        """Name of a network, by default of the shown one; ValueError if there is none."""
        if name is None and self.shown is None:
            raise ValueError("there is no network yet: learn one first.")
        return self.session.known(str(self.shown) if name is None else name)

    @property
    def is_edited(self) -> bool:
        """Whether the shown network was edited in its picture."""
        if self.pictured is None or self.pictured.name != self.shown:
            return False
        given = self.session.study.graphs.get(self.shown)
        return given is not None and self.pictured.graph not in (given, any_member(given))

    def message_line(self, form: str) -> list[kit.Control]:
        """Last message of a form."""
        text, failed = self.said.get(form, ("", False))
        return [kit.message("said", text, "alert" if failed else "status")]
