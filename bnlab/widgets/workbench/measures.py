"""Measures of the networks of a workbench: the distance to the optimum, and how well held-out rows are predicted."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

from bnlab.analysis.recipe import Recipe
from bnlab.analysis.session import Session
from bnlab.analysis.study import Study
from bnlab.analysis.validation import Candidate, CrossValidationSearch
from bnlab.analysis.validation_result import CrossValidation
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import any_member, member
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.learners.exact.optimum import PROVED, Optimum, gap_search, gap_sentence
from bnlab.learners.table import score_of
from bnlab.scores import local_scores
from bnlab.scores.make import SCORE_TABLE
from bnlab.search import iterate

LEAST_PARENTS = 3
"""Smallest limit on the number of parents per variable in the exact search."""
SMALL = 12
"""Maximum number of variables for which the exact search starts without a request and has no limit on parents."""


@dataclass(frozen=True)
class Question:
    """Problem of the exact search: table, score with its parameters, and the set of networks."""

    fingerprint: str
    score: str
    params: tuple[tuple[str, Any], ...]
    max_parents: int
    knowledge: Knowledge | None

    @classmethod
    def about(cls, session: Session, name: str | None) -> Question | None:
        """Question for the score and the knowledge that a network was learned with; None if there are no scores, or no
        graph of a class.

        The score is BIC if the learner maximises no score with a penalty or a prior.
        """
        table, study = session.table, session.study
        if table is None or table.has_gaps or name is None or name not in study.graphs:
            return None
        dag = any_member(study.graphs[name])
        if dag is None:
            return None
        recipe = study.recipes.get(name)
        score, options = "bic", dict[str, Any]()
        if recipe is not None and (used := score_of(recipe.algorithm, recipe.score)) in SCORE_TABLE and used != "ll":
            score, options = used, dict(recipe.options)
        params = tuple((o.name, options[o.name]) for o in SCORE_TABLE[score].options if o.name in options)
        n, most = table.n_variables, max(map(len, dag.parents))
        most = n - 1 if n <= SMALL else min(max(most, LEAST_PARENTS), n - 1)
        return cls(table.fingerprint, score, params, most, None if recipe is None else recipe.knowledge)

    @property
    def label(self) -> str:
        """Score with its parameters."""
        values = ", ".join(f"{name} {value:g}" for name, value in self.params)
        return SCORE_TABLE[self.score].label + (f" ({values})" if values else "")

    def covers(self, graph: Dag | None) -> bool:
        """Whether the optimum is certain to be at least as good as a graph."""
        if graph is None:
            return False
        few = max(map(len, graph.parents)) <= self.max_parents
        return few and (self.knowledge is None or not self.knowledge.violations(graph))

    def search(self, table: Table) -> Any:
        """Exact search that answers the question on its table."""
        scores = local_scores(table, self.score, **dict(self.params))
        return gap_search(scores, max_parents=self.max_parents, knowledge=self.knowledge)


class Held(NamedTuple):
    """What a held-out log-likelihood belongs to: a table, a network, and how it is learned anew in each fold.

    Attributes
    ----------
    fingerprint : str
    graph : Dag or Pdag
    target : str or None
        Variable whose prediction is measured, too.
    arguments : str
        Of `bnlab.learn`; "" for a network that is the same in every fold, because it has no recipe or its search was
        stopped.
    """

    fingerprint: str
    graph: Dag | Pdag
    target: str | None
    arguments: str

    @classmethod
    def of(cls, table: Table, study: Study, name: str) -> Held:
        """Key of a network of a study of the table."""
        again = name in study.recipes and name not in study.stopped
        # Values that an intervention has set are not predictions.
        target = None if table.interventions else table.target
        return cls(table.fingerprint, study.graphs[name], target, study.recipes[name].arguments() if again else "")


class Prediction(NamedTuple):
    """Mean log-likelihood of held-out rows in nats, NaN if there is none, and the cross-validation that it is from."""

    mean: float = nan
    validation: CrossValidation | None = None


class Ended(Exception):
    """Learning ended because nobody waits for its result any more."""


def missing_held(session: Session, known: Container[Held]) -> dict[Held, str]:
    """Names of the networks whose held-out log-likelihood is not among the known ones; none if values are missing."""
    table, study = session.table, session.study
    if table is None or table.has_gaps:
        return {}
    keys = {Held.of(table, study, name): name for name in study.graphs}
    return {key: name for key, name in keys.items() if key not in known}


def held_out(table: Table, study: Study, name: str, stopped: Callable[[], bool]) -> Prediction:
    """How well a network predicts held-out rows, by cross-validation.

    A network with a recipe is learned anew in every fold, so that it has not seen the rows that it predicts. Raises
    `Ended` when it is stopped.
    """
    _, graph, target, arguments = Held.of(table, study, name)

    def learn(part: Table) -> Dag | Pdag:
        if stopped():
            raise Ended
        return _learned(study.recipes[name], part, stopped) if arguments else graph

    try:
        search = CrossValidationSearch(table, {name: Candidate(learn)}, target)
        *_, (state, _) = iterate(search)
        found = search.result(state)
        return Prediction(float(found.log_likelihoods[name].mean()), found)
    except ValueError:
        return Prediction()  # a table of probabilities would be too large, or there are too few rows


def _learned(recipe: Recipe, table: Table, stopped: Callable[[], bool]) -> Dag | Pdag:
    """Network of a recipe; a stop ends the search between two steps."""
    search = recipe.search(table)
    state = search.init()
    while not search.is_done(state):
        if stopped():
            raise Ended
        state, _ = search.step(state)
    return recipe.graph(table.names, search.result(state))


def gap_texts(session: Session, optima: Mapping[Question, Optimum], shown: str | None) -> dict[str, str]:
    """Known distances of networks to the optimum under the score of the shown network."""
    question = Question.about(session, shown)
    found = None if question is None else optima.get(question)
    if question is None or found is None:
        return {}
    graphs = {name: any_member(graph) for name, graph in session.study.graphs.items()}
    return {name: found.gap_text(graph) if question.covers(graph) else "–" for name, graph in graphs.items()}


def gap_text(session: Session, optima: Mapping[Question, Optimum], shown: str | None) -> str:
    """Sentence about the distance of the shown network to the optimum; "" if it is unknown."""
    question = Question.about(session, shown)
    found = None if question is None else optima.get(question)
    if question is None or found is None or shown is None:
        return ""
    graph, limited = member(session.study.graphs[shown]), found.max_parents < len(found.graph) - 1
    agreeing = "" if question.knowledge is None else ", and with its background knowledge"
    if found.gap_text(graph) == PROVED:
        rules = [f"at most {found.max_parents} parents a variable"] if limited else []
        rules += ["this background knowledge"] if agreeing else []
        return f"No network{' with ' if rules else ''}{' and '.join(rules)} scores higher ({question.label})."
    sentence = gap_sentence(found, {shown: graph})
    return f"Under {question.label}{agreeing}, {sentence}"
