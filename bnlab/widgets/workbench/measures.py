"""Measures of the networks of a workbench, computed in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

from bnlab.analysis.recipe import Recipe
from bnlab.analysis.session import Session
from bnlab.analysis.study import Study
from bnlab.analysis.validation import Candidate, CrossValidationSearch
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import any_member, member
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.learners.exact.optimum import gap_search, gap_sentence
from bnlab.learners.table import score_of
from bnlab.scores import local_scores
from bnlab.scores.make import SCORE_TABLE
from bnlab.search import iterate
from bnlab.widgets.base.gap import Optima
from bnlab.widgets.base.worker import Worker, wait_all

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
        table, study = session.together
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
        """Exact search that answers the question."""
        scores = local_scores(table, self.score, **dict(self.params))
        return gap_search(scores, max_parents=self.max_parents, knowledge=self.knowledge)


class Held(NamedTuple):
    """What a held-out log-likelihood belongs to: a table, a network, and how it is learned anew in each fold.

    Attributes
    ----------
    fingerprint : str
    graph : Dag or Pdag
    arguments : str
        Of `bnlab.learn`; "" for a network that is the same in every fold, because it has no recipe or its search was
        stopped.
    """

    fingerprint: str
    graph: Dag | Pdag
    arguments: str

    @classmethod
    def of(cls, table: Table, study: Study, name: str) -> Held:
        """Key of a network of a study of the table."""
        again = name in study.recipes and name not in study.stopped
        return cls(table.fingerprint, study.graphs[name], study.recipes[name].arguments() if again else "")


class _Ended(Exception):
    """A result that nobody waits for any more."""


class NetworkMeasures:
    """Held-out log-likelihood of every network, and its distance to the optimum.

    A network with a recipe is learned anew in every fold of a cross-validation, so that it has not seen the rows that
    it predicts.

    Parameters
    ----------
    session : Session
    changed : callable ()
        Called in a thread when a measure is ready, and while the exact search runs.

    Attributes
    ----------
    optima : Optima
        Optima by `Question`.
    """

    def __init__(self, session: Session, changed: Callable[[], object]) -> None:
        self._session, self._changed, self._closed = session, changed, False
        self._worker = Worker()
        self._held_out: dict[Held, float] = {}
        self.optima = Optima(changed)

    def update(self, shown: str | None) -> None:
        """Start to compute missing measures; the distance to the optimum only for few variables."""
        if self._missing():
            self._worker.submit(self._measure)
        question = Question.about(self._session, shown)
        if question is not None and self._session.ready.n_variables <= SMALL:
            self.find_optimum(question)

    def find_optimum(self, question: Question | None) -> None:
        """Start the exact search for a question, after a running one; ValueError without a question."""
        table = self._session.table
        if question is None or table is None:
            raise ValueError("the distance to the optimum needs a network and a table without missing values.")
        if not self._closed:
            self.optima.find(question, lambda: question.search(table))

    def held_out(self, name: str) -> float | None:
        """Mean log-likelihood of held-out rows in nats; NaN if it cannot be computed, None if it is not yet."""
        return self._held_out.get(Held.of(self._session.ready, self._session.study, name))

    def is_relearned(self, name: str) -> bool:
        """Whether a network is learned anew in every fold."""
        return bool(Held.of(self._session.ready, self._session.study, name).arguments)

    def all_held_out(self) -> list[float]:
        """Held-out log-likelihoods of all networks; missing ones are computed in the calling thread."""
        self._measure()
        return [found if (found := self.held_out(name)) is not None else nan for name in self._session.study.graphs]

    def gap_texts(self, shown: str | None) -> dict[str, str]:
        """Known distances of networks to the optimum under the score of the shown network."""
        question = Question.about(self._session, shown)
        found = self.optima.found.get(question)
        if question is None or found is None:
            return {}
        graphs = {name: any_member(graph) for name, graph in self._session.study.graphs.items()}
        return {name: found.gap_text(graph) if question.covers(graph) else "–" for name, graph in graphs.items()}

    def gap_sentence(self, shown: str | None) -> str:
        """Sentence about the distance of the shown network to the optimum; "" if it is unknown."""
        question = Question.about(self._session, shown)
        found = self.optima.found.get(question)
        if question is None or found is None or shown is None:
            return ""
        agreeing = "" if question.knowledge is None else ", and with its background knowledge"
        sentence = gap_sentence(found, {shown: member(self._session.study.graphs[shown])})
        return f"Under {question.label}{agreeing}, {sentence}"

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the computation; False if it still runs after `timeout` seconds."""
        return wait_all(timeout, self._worker.wait, self.optima.wait)

    def close(self) -> None:
        """End the computation after its current step."""
        self._closed = True
        self.optima.stop()

    def _missing(self) -> list[tuple[Table, Study, str]]:
        table, study = self._session.together
        if table is None or table.has_gaps or self._closed:
            return []
        return [(table, study, name) for name in study.graphs if Held.of(table, study, name) not in self._held_out]

    def _measure(self) -> None:
        while missing := self._missing():
            table, study, name = missing[0]
            try:
                found = self._cross_validated(table, study, name)
            except _Ended:
                continue
            self._held_out[Held.of(table, study, name)] = found
            self._changed()

    def _cross_validated(self, table: Table, study: Study, name: str) -> float:
        """Mean log-likelihood of held-out rows in nats; NaN if it cannot be computed."""
        _, graph, arguments = Held.of(table, study, name)

        def go_on() -> None:
            now, known = self._session.together
            if self._closed or now is not table or known.graphs.get(name) is not graph:
                raise _Ended

        def learn(part: Table) -> Dag | Pdag:
            return _learned(study.recipes[name], part, go_on) if arguments else graph

        try:
            search = CrossValidationSearch(table, {name: Candidate(learn)})
            *_, (state, _) = iterate(search)
            return float(search.result(state).log_likelihoods[name].mean())
        except ValueError:
            return nan  # a table of probabilities would be too large, or there are too few rows


def _learned(recipe: Recipe, table: Table, go_on: Callable[[], None]) -> Dag | Pdag:
    """Network of a recipe; `go_on` raises to end the search between two steps."""
    search = recipe.search(table)
    state = search.init()
    while not search.is_done(state):
        go_on()
        state, _ = search.step(state)
    return recipe.graph(table.names, search.result(state))
