"""The front door of the structure learners: an algorithm by name, data in, a graph out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, overload

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.names import check_known, known_name
from bnlab._runtime.values import PAIRS
from bnlab.citests.tester import Tester
from bnlab.counts.base import CountSource
from bnlab.counts.source import DataLike, as_data
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.graphs.equivalence import as_learned
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.learners.edges import leave_constant_alone, start_without_constant
from bnlab.learners.recommend import RESTARTS_IN_ROUNDS, recommended
from bnlab.learners.table import (
    CLASS_LEARNERS,
    COMPLETION,
    GAP_LEARNERS,
    LEARNERS,
    OFFERED,
    ClassLearner,
    GapLearner,
    Learner,
)
from bnlab.learners.types import ParentTuples
from bnlab.scores import LocalScore, LocalScores, local_scores, make_score
from bnlab.scores.make import SCORE_TABLE
from bnlab.scores.structure_prior import DecomposablePrior
from bnlab.search import Search, run

logger = logging.getLogger("bnlab")

Data: TypeAlias = Table | CountSource
Score: TypeAlias = str | LocalScore | None
Prior: TypeAlias = DecomposablePrior | None
Options: TypeAlias = dict[str, Any]

KNOWN = (*OFFERED, *GAP_LEARNERS)
UNDIRECTED = " (bnlab.skeleton learns undirected super-structures)"


@overload
def learn(
    data: DataLike | Tester,
    algorithm: Literal["pc", "ges"],
    *,
    score: str | LocalScore | None = None,
    structure_prior: DecomposablePrior | None = None,
    effort: str | None = None,
    **options: Any,
) -> Pdag: ...
@overload
def learn(
    data: DataLike,
    algorithm: str | None = None,
    *,
    score: str | LocalScore | None = None,
    structure_prior: DecomposablePrior | None = None,
    effort: str | None = None,
    **options: Any,
) -> Dag: ...
def learn(
    data: DataLike | Tester,
    algorithm: str | None = None,
    *,
    score: str | LocalScore | None = None,
    structure_prior: DecomposablePrior | None = None,
    effort: str | None = None,
    **options: Any,
) -> Dag | Pdag:
    """Learn the structure of a Bayesian network.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
        For "pc" also a Tester, such as `bnlab.citests.DSeparation` of a true graph.
    algorithm : str, optional
        By default the learner that is best on the leaderboard for the size of the data. `bnlab.learners.recommended`
        returns it, and the logger "bnlab" reports it at level INFO.
        Case, hyphens, underscores and spaces do not matter; "hc" is "hill-climbing", "cl" "chow-liu".
        "chow-liu": the tree of greatest likelihood (Carvalho 2009, Algorithm 2); its score is always "ll".
        "branching": the tree of greatest score (Algorithms 3 and 4).
        "ckg": the consistent k-graph of greatest score (Carvalho and Oliveira 2007, Algorithm 1); options `k`, the
        maximum number of parents, by default 2, or "mdl" for the k of least description length; and `order`, "path" or
        "bfs".
        "ordering-search": a search over the orders of the variables (Teyssier and Koller 2005); options `k`, `seed`,
        and those of `bnlab.learners.OrderingSearch`; ``start="bfs"`` is the breadth-first order of the optimal tree.
        "boss": best order score search (Andrews and others 2023), which seldom misses the best known network; options
        of `bnlab.learners.BestOrderSearch`, such as `restarts`, `max_parents`, `time_limit` and `seed`.
        "exact": the network of greatest score with a proof, by dynamic programming over subsets (Silander and Myllymaki
        2006) or cutting planes (Bartlett and Cussens 2013); options `max_parents`, by default 3, and `time_limit`.
        `bnlab.learners.optimum` also reports how far any graph is from it.
        "k2": the K2 algorithm (Cooper and Herskovits 1992); options of `bnlab.learners.K2Search`, such as `orders`,
        `max_parents` and `seed`.
        "hill-climbing": greedy search with a tabu list and restarts; options of `bnlab.learners.HillClimbing`, such as
        `max_parents`, `tabu`, `restarts` and `seed`.
        "chen": Chen's search over decision nodes (Matuszak and Miekisz 2012); options of
        `bnlab.learners.ChenSearch` and its `Readings`, such as `seed`. `variant` is "default", the best readings and
        then hill climbing from the best network, or "paper".
        "structural-em": structural expectation-maximisation for tables with missing values (Friedman 1997), loaded with
        ``missing="keep"``, for which it is the default. Option `learner` learns each graph and takes the other options;
        by default it follows from the size of the data. Options `draws`, `rounds`, `seed` and `not_at_random` are those
        of `bnlab.learners.StructuralEM`; the last is for values that are missing more often in some of their own
        states, such as high incomes.
        "available-cases": the quick alternative for such tables. The `learner` runs once, and each family is scored on
        the rows in which it is complete, scaled to all rows; by default by the penalised node-average likelihood,
        `bnlab.scores.PNAL` (Bodewes and Scutari 2021). It needs values that are missing completely at random.
        "pc": the stable PC algorithm (Colombo and Maathuis 2014): tests of independence, then the directions that
        follow. The result is a `Pdag`, whose `conflicts` are edges to which the tests give contradictory directions.
        It takes no score; options `alpha`, `df`, `rows_per_cell`, `max_order` and `unreliable` as for `bnlab.skeleton`,
        and `skeleton`, "heupc" or "opthpc": the algorithm of its skeleton.
        "ges": greedy equivalence search (Chickering 2002), a climb over equivalence classes, for scores that are the
        same for equivalent graphs, such as "bic" and "bdeu"; option `max_parents`. The result is a `Pdag`.
        "boss", "exact", "k2", "hill-climbing" and "chen" take `within`, the edges that they may use: the result of
        `bnlab.skeleton`, a Pdag, a Dag, a networkx graph, or pairs of names, which allow both directions.
        All take `knowledge`, a `bnlab.Knowledge` of edges that the network must have or may not have. Trees and "ckg"
        allow at most one required parent of a variable.
    score : str or LocalScore, optional
        As for `bnlab.score`; by default "k2" for "k2" and "chen", "bic" for others, but PNAL for "available-cases".
    structure_prior : EdgePrior or DifferencePrior, optional
        Prior of the edges, `bnlab.scores.EdgePrior`, for a Bayesian score such as "bdeu".
    effort : {"quick", "default", "thorough"}, optional
        For a call without an algorithm. Up to 12 variables get the best of all networks. Others get "boss": a climb,
        then orders from its network, then restarts, as many as follow from the effort, the score and the size of the
        table, not from the clock: the same call gives the same network on every machine. They end early if they gain
        too little. `time_limit` in seconds ends the search sooner, with the best network so far. On 14 networks of 32
        to 1,041 variables (BIC; 5,000 and 10,000 rows) "default" ends within 0.4 % of the best score that any version
        has found, in up to 36 seconds of processor time; "quick" within 2.1 % in up to 17, and "thorough" within 0.05 %
        in up to 116. Hill climbing ends up to 19 % behind. Under BDeu "default" ends within 0.3 % in up to 59 seconds,
        and "thorough" within 0.03 % in up to 106.
    **options
        Options of the algorithm, and parameters of a score given by name, such as ``ess=4``. The first three take
        `root`, the variable at the root of the tree; by default the first one if every root gives the same score,
        else the best one.

    Returns
    -------
    Dag, or for "pc" and "ges" Pdag
        A Dag is one graph of its equivalence class and knows the edges whose direction neither the data, with their
        interventions, nor the knowledge decide (`Dag.undecided`): they are drawn without an arrowhead.

    Raises
    ------
    ValueError
        When the algorithm, the score, an option or the root is unknown, an option is out of range, `within` is a graph
        on other variables, `knowledge` names other variables or contradicts the learner or another option, or the
        operation needs more memory than it may use. For a DataFrame also as for `bnlab.load_data`.
    TypeError
        When the data are neither a Table nor a DataFrame nor a source, or a name is not a string.

    Notes
    -----
    A column of which the rows show one state gets no edges, as they are no evidence for or against any; required ones
    remain, those of a `start` do not. The logger "bnlab" names such columns.
    Two columns that determine each other become neighbours, and a column that depends on one gains the same from the
    other. Such a tie goes to the first in node order, in "hill-climbing" and "boss" to the first by name ("chen" takes
    either). The score of the result does not depend on the order of the columns for "hill-climbing", "boss" and
    "exact"; for "k2" and "chen" it does.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("cancer").sample(5000, seed=0)
    >>> learn(data, "chow-liu", root="Cancer").edges
    (('Cancer', 'Pollution'), ('Cancer', 'Smoker'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    >>> bnlab.score(learn(data, "ckg", k=2), data) > bnlab.score(learn(data, "branching"), data)
    True

    Every network that a learner returns agrees with `knowledge`:

    >>> known = bnlab.Knowledge(tiers=[["Pollution", "Smoker"], ["Cancer"]], max_parents={"Cancer": 1})
    >>> learn(data, "boss", knowledge=known).edges
    (('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))

    Max-min hill climbing (Tsamardinos, Brown and Aliferis 2006) is hill climbing within the super-structure of "mmpc".
    Other constraint-based learners give other hybrids.

    >>> learn(data, "hill-climbing", within=bnlab.skeleton(data, "mmpc"), score="bdeu", ess=10, tabu=10).edges
    (('Cancer', 'Pollution'), ('Cancer', 'Smoker'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    """
    with reraise_interrupts():
        data, search = _data_and_search(data, algorithm, score, structure_prior, effort, options)
        found = run(search)
        return found if isinstance(found, Pdag) else learned(data, found, options.get("knowledge"))


def make_search(
    data: DataLike | Tester,
    algorithm: str | None = None,
    *,
    score: str | LocalScore | None = None,
    structure_prior: DecomposablePrior | None = None,
    effort: str | None = None,
    **options: Any,
) -> Search[Any, Any, Any]:
    """Search of a structure learner by name, for callers that show its progress or stop it.

    Parameters
    ----------
    data, algorithm, score, structure_prior, **options
        As for `learn`.

    Returns
    -------
    Search
        Its result is the parents of each variable by index; ``Dag(data.names, result)`` has the edges of the graph that
        `learn` returns. The result of "pc" and "ges" is that graph. Before the search is done, the result is the best
        network so far, or one without edges.

    Raises
    ------
    ValueError, TypeError
        As for `learn`.

    Examples
    --------
    >>> import bnlab
    >>> from bnlab.search import Search, run
    >>> data = bnlab.load_network("cancer").sample(5000, seed=0)
    >>> Dag(data.names, run(make_search(data, "ckg", k=2))) == learn(data, "ckg", k=2)
    True
    """
    return _data_and_search(data, algorithm, score, structure_prior, effort, options)[1]


def learned(data: Data, result: ParentTuples, knowledge: Knowledge | None = None) -> Dag:
    """Graph of the result of a search, which knows the edges whose direction data and knowledge do not decide."""
    return as_learned(Dag(data.names, result), knowledge, data.experiments)


def _data_and_search(
    data: DataLike | Tester, algorithm: str | None, score: Score, prior: Prior, effort: str | None, options: Options
) -> tuple[Any, Search[Any, Any, Any]]:
    """Data of a call as a Table or a source, and the search of the learner that it names or that suits the data."""
    if effort is not None and algorithm is not None:
        raise ValueError(
            f"effort={effort!r} is for a call without an algorithm: leave out {algorithm!r}, or the effort"
        )
    name = None if algorithm is None else known_name(algorithm, KNOWN, "algorithm", UNDIRECTED)
    if name in CLASS_LEARNERS and CLASS_LEARNERS[name].score is None:
        if score is not None or prior is not None:
            raise ValueError(f"{name!r} tests independence and takes no score: leave it out, or take another learner.")
        for option in options:
            check_known(option, CLASS_LEARNERS[name].kinds, f"{option!r} is no option of {name!r}")
        return data, CLASS_LEARNERS[name].search(data, **options)
    data = as_data(data)
    if name is None and isinstance(data, Table) and data.has_gaps:
        logger.info("bnlab completes missing values by structural expectation-maximisation")
        name = COMPLETION
    if name is None:
        name, options = _recommended(data, score, effort, options)
    if name in GAP_LEARNERS:
        return data, _with_gaps(GAP_LEARNERS[name], data, score, prior, effort, options)
    make, _ = _of_counts(OFFERED[name], data, score, prior, options)
    return data, make(data)


def _recommended(
    data: Data, score: Score, effort: str | None, options: Options, *, in_rounds: bool = False
) -> tuple[str, Options]:
    """Learner for the size of the data, and its options with those of the call; `in_rounds` if it runs repeatedly."""
    n_rows = data.total if isinstance(data, Table) else data.n_rows
    found = recommended(len(data.names), round(n_rows), score, effort or "default")
    logger.info("bnlab learns with %r: %s", found.algorithm, found.reason)
    once = {"restarts": RESTARTS_IN_ROUNDS} if in_rounds and found.algorithm == "boss" else {}
    return found.algorithm, {**found.options, **once, **options}


def _with_gaps(
    method: GapLearner, data: Data, score: Score, prior: Prior, effort: str | None, options: Options
) -> Search[Any, Any, ParentTuples]:
    """Search on a table with missing values. The learner gets all options except those of the rounds."""
    if not isinstance(data, Table):
        raise TypeError(f"{method.name!r} needs rows: give a Table or a DataFrame, not a {type(data).__name__}.")
    learner = options.pop("learner", None)
    if effort is not None and learner is not None:
        raise ValueError(f"effort={effort!r} chooses the learner of each graph: leave out {learner!r}, or the effort")
    if learner is None:
        learner, options = _recommended(data, score, effort, options, in_rounds=True)
    entry = LEARNERS[known_name(learner, LEARNERS, "learner")]
    if score is None and method.score is not None and not entry.only:
        score = method.score(len(data.names))
    own = {option.name: options[option.name] for option in method.options if option.name in options}
    takes = {option.name for option in entry.options}
    rest = {name: value for name, value in options.items() if name not in own or name in takes}
    if isinstance(rest.get("within"), Iterator):
        rest["within"] = list(rest["within"])  # each round reads it
    make, scores = _of_counts(entry, data, score, prior, rest)
    return method.search(data, make, scores=scores, **own)


def _of_counts(
    entry: Learner | ClassLearner, data: Data, score: Score, prior: Prior, options: Options
) -> tuple[Callable[[DataLike], Search[Any, Any, Any]], Callable[[DataLike], LocalScores]]:
    """Search of a learner on the counts of some data, and the local scores that it maximises there."""
    chosen, own = score_and_options(entry, score, options)
    known = leave_constant_alone(data.names, data.constant, own.get("knowledge"))
    if known is not None:
        own["knowledge"] = known
    from_graph = own.get("start") is not None and any(o.name == "start" and o.rule is PAIRS for o in entry.options)
    if from_graph and isinstance(known, EdgeRules):
        own["start"] = start_without_constant(own["start"], data.names, data.constant, known)

    def scores(counted: DataLike) -> LocalScores:
        return local_scores(counted, chosen, structure_prior=prior)

    def make(counted: DataLike) -> Search[Any, Any, Any]:
        return entry.search(scores(counted), len(data.names), **own)

    return make, scores


def score_and_options(entry: Learner | ClassLearner, score: Score, options: Options) -> tuple[LocalScore, Options]:
    """Score for a learner, with its parameters, and the options of the learner itself."""
    own = {option.name: options[option.name] for option in entry.options if option.name in options}
    params = {name: value for name, value in options.items() if name not in own}
    given = entry.score or "bic" if score is None else score
    if isinstance(given, str):
        given = known_name(given, SCORE_TABLE, "score")
        known = [option.name for option in (*entry.options, *SCORE_TABLE[given].options)]
        for name in params:
            check_known(name, known, f"{name!r} is no option of {entry.name!r} with the score {given!r}")
    chosen = make_score(given, **params)
    if isinstance(entry, Learner) and entry.only and chosen.name != entry.score:
        raise ValueError(
            f"score={score!r}: the Chow-Liu tree maximises the likelihood; use algorithm 'branching' for other scores"
        )
    return chosen, own
