"""Cross-validation of learners: each learns anew in every fold, so that no network has seen the rows it predicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import check_known
from bnlab._runtime.values import check_counts
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.validation_result import CrossValidation
from bnlab.data.load import as_table
from bnlab.data.splits import Split, five_fold
from bnlab.data.table import Table
from bnlab.graphs.confidence import arcs_of
from bnlab.graphs.dag import Dag
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.learners import learn, make_search
from bnlab.networks.fit import fit
from bnlab.networks.smoothing import BDeuPrior, Smoothing
from bnlab.scores import LocalScore
from bnlab.search import Described, Snapshot, Work, run

if TYPE_CHECKING:
    import pandas as pd

Graph: TypeAlias = Dag | Pdag
LearnerLike: TypeAlias = str | Recipe | Dag | Pdag | Callable[[Table], Graph]


class Candidate(NamedTuple):
    """A learner as a function Table -> Dag or Pdag, and the knowledge that decides on some directions."""

    learn: Callable[[Table], Graph]
    knowledge: Knowledge = Knowledge()


class FoldResult(NamedTuple):
    """What one learner found in one fold.

    Attributes
    ----------
    graph : Dag or Pdag
    log_likelihoods : ndarray of float, shape (test rows,)
        In nats.
    probabilities : ndarray of float, shape (test rows, states of the target)
        No columns without a target.
    """

    graph: Graph
    log_likelihoods: NDArray[np.float64]
    probabilities: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrossValidationSearch(Described):
    """A `Search` whose step lets one learner learn in one fold; a state is the tuple of the results so far.

    Parameters
    ----------
    table : Table
    candidates : mapping of str to Candidate
    target, folds, repeats, seed, smoothing
        As for `cross_validate`.

    Raises
    ------
    ValueError
        As for `cross_validate`.
    """

    table: Table
    candidates: Mapping[str, Candidate]
    target: str | None = None
    folds: int = 5
    repeats: int = 1
    seed: int = 0
    smoothing: Smoothing | None = None

    def __post_init__(self) -> None:
        if not self.candidates:
            raise ValueError("no learner to validate: name one at least, such as 'boss'.")
        check_counts(1, repeats=self.repeats)
        if self.target is not None:
            check_known(self.target, self.table.names, f"target={self.target!r} is no variable of the data")
            if self.table.interventions:
                raise ValueError(
                    f"target={self.target!r}: some rows are interventions, and a prediction reads their values as "
                    "observed. Leave out the target, the log-likelihood honours interventions; or read all values as "
                    "observed, table.with_interventions(None)."
                )
        object.__setattr__(self, "table", self.table.repeated())
        cells = self.repeats * self.table.n_rows * (1 + self._n_states) * len(self.candidates)
        check_memory(
            8 * cells, f"the predictions of {self.table.n_rows:,} rows", "take fewer rows, learners or repeats"
        )
        _ = self._splits

    @cached_property
    def _splits(self) -> list[Split]:
        """Training and test rows of each fold of each repeat."""
        labels = None if self.target is None else self.table.column(self.target)
        splits = []
        for repeat in range(self.repeats):
            splits += five_fold(self.table.n_rows, self.seed + repeat, labels, self.folds, every_row=True)
        return splits

    @property
    def _n_states(self) -> int:
        return 0 if self.target is None else self.table.arities[self.table.names.index(self.target)]

    @property
    def _total(self) -> int:
        return len(self._splits) * len(self.candidates)

    def init(self) -> tuple[FoldResult, ...]:
        """State before the first fold."""
        return ()

    def step(self, state: tuple[FoldResult, ...]) -> tuple[tuple[FoldResult, ...], str]:
        """Let the next learner learn in the current fold; the information is its name."""
        split, number = divmod(len(state), len(self.candidates))
        name = list(self.candidates)[number]
        return (*state, self.fold(name, split)), name

    def fold(self, name: str, split: int) -> FoldResult:
        """Learn in the training rows of a split, and predict its test rows."""
        train, test = (self.table.take(rows) for rows in self._splits[split])
        graph = self.candidates[name].learn(train)
        net = fit(graph, train, BDeuPrior(1.0) if self.smoothing is None else self.smoothing)
        probabilities = np.empty((test.n_rows, 0))
        if self.target is not None:
            probabilities = net.predict_proba(test, self.target).to_numpy()
        return FoldResult(graph, net.log_likelihood(test), probabilities)

    def is_done(self, state: tuple[FoldResult, ...]) -> bool:
        """Whether every learner has learned in every fold."""
        return len(state) == self._total

    def snapshot(self, state: tuple[FoldResult, ...]) -> Snapshot:
        """Folds of all learners that are done."""
        return Snapshot(Work(len(state), self._total, "folds"))

    def variable_names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.table.names

    def result(self, state: tuple[FoldResult, ...]) -> CrossValidation:
        """Predictions and networks of all folds.

        Raises
        ------
        ValueError
            If the search is not done: some rows are not predicted yet.
        """
        if not self.is_done(state):
            raise ValueError(
                f"{len(state)} of {self._total} folds are done: continue the search, then read the result."
            )
        n_rows, n_states, count = self.table.n_rows, self._n_states, len(self.candidates)
        fold_of = np.empty((self.repeats, n_rows), np.int64)
        for split, (_, test) in enumerate(self._splits):
            fold_of[split // self.folds, test] = split % self.folds
        graphs, logs, shares, arcs = {}, {}, {}, {}
        for number, (name, (_, known)) in enumerate(self.candidates.items()):
            own = state[number::count]
            graphs[name] = tuple(found.graph for found in own)
            logs[name] = np.empty((self.repeats, n_rows))
            shares[name] = np.empty((self.repeats, n_rows, n_states))
            for split, ((_, test), found) in enumerate(zip(self._splits, own, strict=True)):
                logs[name][split // self.folds, test] = found.log_likelihoods
                shares[name][split // self.folds, test] = found.probabilities
            classes = [
                g if isinstance(g, Pdag) else known.essential_graph(g, self.table.experiments) for g in graphs[name]
            ]
            arcs[name] = np.mean([arcs_of(graph) for graph in classes], axis=0)
        states = () if self.target is None else self.table.variables[self.table.names.index(self.target)].states
        truth = np.empty(0, np.int64) if self.target is None else self.table.column(self.target).astype(np.int64)
        return CrossValidation(self.table.names, self.target, states, graphs, logs, shares, arcs, truth, fold_of)


def cross_validate(
    data: Table | pd.DataFrame,
    learner: LearnerLike | Sequence[str] | Mapping[str, LearnerLike | None] | None = None,
    *,
    score: str | LocalScore | None = None,
    target: str | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    smoothing: Smoothing | None = None,
    **options: Any,
) -> CrossValidation:
    """Measure how well learners predict rows that they have not seen.

    In every fold each learner learns structure and parameters from the rows of the other folds, and the network
    predicts the rows of the fold. All learners see the same folds. The states are always those of the whole table, so
    that no fold lacks one.

    Parameters
    ----------
    data : Table or DataFrame
        Cut points of continuous columns belong to the table: if they were chosen by a target (``discretize="mdl"``),
        they have seen all rows, and predictions of that target look somewhat better than they are.
    learner : str, Recipe, Dag, Pdag, callable, or several of them
        An algorithm as for `bnlab.learn`, by default the recommended one; a `bnlab.analysis.Recipe`; a graph that stays
        the same in every fold; or a function Table -> Dag or Pdag. Several learners are a list of algorithms, or a
        mapping of any names to any of these. One alone is called after its algorithm, "default", "graph" or "learner".
    score, **options
        For algorithms given by name, as for `bnlab.learn`.
    target : str, optional
        Variable that is predicted from all others. The folds then have its states in equal proportions.
    folds : int
        2 <= folds <= rows.
    repeats : int
        How often the rows are split anew.
    seed : int
        Seed of the folds; that of a learner is one of its own options in a recipe.
    smoothing : Smoothing, optional
        For the parameters, by default ``BDeuPrior(1.0)``. With `MaximumLikelihood` a row with an unseen state has
        log-likelihood -inf.

    Returns
    -------
    CrossValidation

    Raises
    ------
    ValueError
        As for `bnlab.learn` and `bnlab.networks.fit`; if the target is unknown, a number is out of range, weights are
        fractions, or a target is given and rows are interventions.
    TypeError
        If a learner is none of the above.

    Notes
    -----
    A row with a whole weight counts as so many rows, missing values and interventions as in `bnlab.learn`. Of rows with
    missing values, what is present is predicted; rows without the target's value do not count for its measures.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("asia").sample(500, seed=1)
    >>> found = cross_validate(data, ["chow-liu", "hill-climbing"], target="lung")
    >>> found.summary().loc["log_likelihood", "difference"].round(2).to_dict()
    {'chow-liu': 0.0, 'hill-climbing': 0.06}
    >>> ("lung", "either") in found.stability("hill-climbing").consensus(1.0).edges
    True
    """
    table, given = as_table(data), _by_name(learner)
    named = [value for value in given.values() if value is None or isinstance(value, str)]
    if not named and (options or score is not None):
        raise ValueError(f"{next(iter(options), 'score')!r} is for algorithms given by name: set it in the recipe.")
    for value in named:
        make_search(table, value, score=score, **options)  # raises for wrong options before any work
    candidates = {name: _candidate(name, value, score, options) for name, value in given.items()}
    return run(CrossValidationSearch(table, candidates, target, folds, repeats, seed, smoothing))


def _by_name(learner: Any) -> Mapping[str, Any]:
    """Learners by name: a mapping as it is, algorithms by their own names, one other learner by its kind."""
    if isinstance(learner, Mapping):
        return learner
    if isinstance(learner, Sequence) and all(isinstance(name, str) for name in learner):
        return {name: name for name in ([learner] if isinstance(learner, str) else learner)}
    if isinstance(learner, Recipe):
        return {learner.algorithm: learner}
    return {"default" if learner is None else "graph" if isinstance(learner, Dag | Pdag) else "learner": learner}


def _candidate(name: str, value: Any, score: str | LocalScore | None, options: Mapping[str, Any]) -> Candidate:
    if value is None or isinstance(value, str):
        known = options.get("knowledge")
        return Candidate(partial(learn, algorithm=value, score=score, **options), known or Knowledge())
    if isinstance(value, Recipe):
        return Candidate(value.learn, value.knowledge or Knowledge())
    if isinstance(value, Dag | Pdag):
        return Candidate(partial(_the_same, value))
    if callable(value):
        return Candidate(value)
    raise TypeError(
        f"learner {name!r} is of type {type(value).__name__}: give the name of an algorithm, a bnlab.analysis.Recipe, "
        "a Dag, a Pdag, or a function of a Table; bnlab.graphs.as_graph makes a Dag of other graphs."
    )


def _the_same(graph: Graph, table: Table) -> Graph:
    return graph
