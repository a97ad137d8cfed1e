"""Recipes: the arguments of `bnlab.learn` as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bnlab._runtime.names import check_known
from bnlab._runtime.values import literal, shown, strings_in
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import as_learned
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.learners import learn, make_search
from bnlab.learners.recommend import RESTARTS_IN_ROUNDS
from bnlab.learners.table import CLASS_LEARNERS, COMPLETION, kinds_of, learner, options_of, score_of
from bnlab.learners.types import ParentTuples
from bnlab.search import Search

POSTERIOR = ("bdeu", "k2", "bic")
"""Scores that are, or approximate, the logarithm of a probability of the data."""


@dataclass(frozen=True)
class Recipe:
    """Arguments of `bnlab.learn` for one network.

    Attributes
    ----------
    algorithm : str
    score : str, optional
        By default that of the algorithm.
    options : mapping of str
        Options of the algorithm and parameters of the score: numbers, strings, lists of them, which become tuples, and
        background knowledge.

    Raises
    ------
    ValueError
        When the learner, the score or an option is unknown, the learner does not take the score, or a value is not of
        the kind that the option takes.

    Examples
    --------
    >>> Recipe("hill-climbing", "bdeu", {"ess": 4}).code("table")
    "bnlab.learn(table, 'hill-climbing', score='bdeu', ess=4)"
    """

    algorithm: str = "hill-climbing"
    score: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        algorithm = learner(self.algorithm).name
        score = score_of(algorithm, self.score)
        kinds = kinds_of(algorithm, score)
        for name in self.options:
            check_known(name, kinds, f"options: {shown(name)} is no option of {algorithm!r} with the score {score!r}")
        checked = {name: kinds[name].checked(f"options[{name!r}]", value) for name, value in self.options.items()}
        object.__setattr__(self, "algorithm", algorithm)
        object.__setattr__(self, "score", None if self.score is None else score)
        object.__setattr__(self, "options", checked)

    @property
    def variables(self) -> frozenset[str]:
        """Variables that the options name."""
        kinds = kinds_of(self.algorithm, score_of(self.algorithm, self.score))
        named = (value for name, value in self.options.items() if kinds[name].variables)
        return frozenset(
            name for value in named for name in (value.names if isinstance(value, Knowledge) else strings_in(value))
        )

    @property
    def knowledge(self) -> Knowledge | None:
        """Background knowledge among the options."""
        found: Knowledge | None = self.options.get("knowledge")
        return found

    def learn(self, table: Table, **options: Any) -> Dag | Pdag:
        """Learn a network or a class, with further options if given; errors are those of `bnlab.learn`."""
        found: Dag | Pdag = learn(table, score=self.score, **{**self._call(table.has_gaps), **options})
        return found

    @property
    def is_completed(self) -> bool:
        """Whether structural expectation-maximisation uses the learner where values are missing."""
        return self.algorithm not in CLASS_LEARNERS

    def _call(self, gaps: bool) -> dict[str, Any]:
        """Algorithm and options; `gaps` says whether values are missing."""
        if not gaps or not self.is_completed:
            return {"algorithm": self.algorithm, **self.options}
        # Its rounds end with a graph seen before, which ties that are drawn anew in each would prevent.
        options = {name: value for name, value in self.options.items() if (name, value) != ("ties", "random")}
        if self.algorithm == "boss":
            options["restarts"] = min(options.get("restarts", RESTARTS_IN_ROUNDS), RESTARTS_IN_ROUNDS)
        return {"algorithm": COMPLETION, "learner": self.algorithm, **options}

    @property
    def for_samples(self) -> Recipe:
        """The recipe for the samples of a bootstrap: with the learner's options for it, and with no restarts."""
        options = {**learner(self.algorithm).for_samples, **self.options}
        if self.algorithm == "boss":
            options["restarts"] = 0
        return replace(self, options=options)

    @property
    def posterior(self) -> dict[str, Any]:
        """Options of `bnlab.edge_probabilities`: the score of the recipe, or BDeu, and its background knowledge."""
        named = score_of(self.algorithm, self.score)
        options = {name: self.options[name] for name in ("ess", "knowledge") if name in self.options}
        return {"score": named if named in POSTERIOR else "bdeu", **options}

    def search(self, table: Table) -> Search[Any, Any, ParentTuples | Pdag]:
        """Return the search that learns the network (see `bnlab.learners.make_search`)."""
        return make_search(table, score=self.score, **self._call(table.has_gaps))

    def graph(self, names: Sequence[str], result: ParentTuples | Pdag) -> Dag | Pdag:
        """Return the graph of a result of the search."""
        return result if isinstance(result, Pdag) else as_learned(Dag(names, result), self.knowledge)

    def arguments(self, gaps: bool = False) -> str:
        """Return the arguments of `bnlab.learn` after the data as Python code; with `gaps`, values may be missing."""
        call = self._call(gaps)
        algorithm = literal(call.pop("algorithm"))
        options = {"score": self.score, **call} if self.score else call
        return ", ".join([algorithm, *(f"{name}={source_of(value)}" for name, value in options.items())])

    def code(self, table: str, gaps: bool = False) -> str:
        """Return the Python call that learns the network."""
        return f"bnlab.learn({table}, {self.arguments(gaps)})"


def recipe_of(algorithm: str, score_name: str | None = None, **options: Any) -> Recipe:
    """Recipe with the suggested options, except for the given ones; ValueError as for `Recipe`.

    Examples
    --------
    >>> recipe_of("hill-climbing", "bdeu", ess=4).code("table")
    "bnlab.learn(table, 'hill-climbing', score='bdeu', tabu=10, restarts=0, seed=0, ess=4.0)"
    """
    named = score_of(algorithm, score_name)
    known = {option.name: option for option in options_of(algorithm, named)}
    values = {name: option.value for name, option in known.items()} | options
    checked = {name: known[name].checked(value) if name in known else value for name, value in values.items()}
    options = {name: _as_pairs(name, value) for name, value in checked.items() if value is not None}
    return Recipe(algorithm, named, options)


def _as_pairs(option: str, value: Any) -> Any:
    """Value of an option; a graph is replaced by its edges if these are equivalent."""
    if option == "start" and isinstance(value, Dag):
        return value.edges
    if option == "within" and not isinstance(value, (list, tuple)):
        from bnlab.skeletons import SuperStructure

        if isinstance(value, SuperStructure):
            return value.edges
        if isinstance(value, Pdag) and not value.directed:
            return value.undirected_edges
    return value


def source_of(value: Any) -> str:
    """Python source of the value of an option."""
    return f"bnlab.{value!r}" if isinstance(value, Knowledge) else literal(value)
