"""The front door of the structure learners: an algorithm by name, data in, a graph out."""

from __future__ import annotations

from typing import Any

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.names import known_name, nearest
from bnlab._runtime.values import PAIRS, Kind
from bnlab.counts.source import DataLike, as_data
from bnlab.graphs.dag import Dag, as_dag
from bnlab.learners.edges import allowed_edges, as_node
from bnlab.learners.table import LEARNERS, Learner
from bnlab.learners.types import ParentTuples
from bnlab.scores import LocalScore, local_scores, make_score
from bnlab.scores.make import SCORE_TABLE
from bnlab.search import Search, run


def learn(
    data: DataLike,
    algorithm: str = "hill-climbing",
    *,
    score: str | LocalScore | None = None,
    **options: Any,
) -> Dag:
    """Learn the structure of a Bayesian network.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
    algorithm : str
        Case, hyphens, underscores and spaces do not matter; "hc" is "hill-climbing", "cl" "chow-liu".
        "chow-liu": the tree of greatest likelihood (Carvalho 2009, Algorithm 2); its score is always "ll".
        "branching": the tree of greatest score (Algorithms 3 and 4).
        "ckg": the consistent k-graph of greatest score (Carvalho and Oliveira 2007, Algorithm 1); options `k`, the
        greatest number of parents, by default 2, or "mdl" for that of least description length; and `order`, "path" or
        "bfs".
        "ordering-search": a search over the orders of the variables (Teyssier and Koller 2005); options `k`, `seed`,
        and those of `bnlab.learners.OrderingSearch`; ``start="bfs"`` is the breadth-first order of the optimal tree.
        "boss": best order score search (Andrews and others 2023), the search that finds the best networks here; options
        of `bnlab.learners.BestOrderSearch`, such as `restarts`, `max_parents`, `time_limit` and `seed`.
        "exact": the network of greatest score with a proof, by dynamic programming over subsets (Silander and Myllymaki
        2006) or cutting planes (Bartlett and Cussens 2013); options `max_parents`, by default 3, and `time_limit`.
        `bnlab.learners.optimum` also tells how far any graph is from it.
        "k2": the K2 algorithm (Cooper and Herskovits 1992); options of `bnlab.learners.K2Search`, such as `orders`,
        `max_parents` and `seed`.
        "hill-climbing": greedy search with a tabu list and restarts; options of `bnlab.learners.HillClimbing`, such as
        `max_parents`, `tabu`, `restarts` and `seed`.
        "chen": Chen's search over decision nodes (Matuszak and Miekisz 2012); `variant` "default" or "paper", `seed`,
        and options of `bnlab.learners.MultiStartChen`, or of `bnlab.learners.ChenSearch` and its `Readings`.
        The last five take `within`, the edges that they may use: what `bnlab.skeleton` returns, a Pdag, a Dag, a
        networkx graph, or pairs of names, which may be used either way.
    score : str or LocalScore, optional
        As for `bnlab.score`; by default "k2" for "k2" and "chen", "bic" for others.
    **options
        Options of the algorithm, and parameters of a score given by name, such as ``ess=4``. The first three take
        `root`, the variable at the root of the tree; by default the first one where every root gives the same score,
        and the best one where not.

    Raises
    ------
    ValueError
        When the algorithm, the score, an option or the root is unknown, an option is out of range, `within` is a graph
        on other variables, or more memory would be needed than one operation may have. For a DataFrame also as for
        `bnlab.load_data`.
    TypeError
        When the data are neither a Table nor a DataFrame nor a source, or a name is not a string.

    Notes
    -----
    A constant column stays alone under most scores. "bdeu" and "bde" may make it a parent where it declares states
    that no row shows: its edges spread the equivalent sample size thinner, and that alone can gain. Trees join it.
    Two columns that determine each other become neighbours, and whatever depends on one gains the same from the
    other: such a tie goes to the first in node order ("chen" takes either).

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("cancer").sample(5000, seed=0)
    >>> learn(data, "chow-liu", root="Cancer").edges
    (('Cancer', 'Pollution'), ('Cancer', 'Smoker'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    >>> bnlab.score(learn(data, "ckg", k=2), data) > bnlab.score(learn(data, "branching"), data)
    True

    Max-min hill climbing (Tsamardinos, Brown and Aliferis 2006) is hill climbing within the super-structure of "mmpc";
    that of any other constraint-based learner makes another hybrid.

    >>> learn(data, "hill-climbing", within=bnlab.skeleton(data, "mmpc"), score="bdeu", ess=10, tabu=10).edges
    (('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    """
    with reraise_interrupts():
        data = as_data(data)
        return Dag(data.names, run(make_search(data, algorithm, score=score, **options)))


def make_search(
    data: DataLike, algorithm: str = "hill-climbing", *, score: str | LocalScore | None = None, **options: Any
) -> Search[Any, Any, ParentTuples]:
    """Search of a structure learner by name, for callers that show its progress or stop it.

    Parameters
    ----------
    data, algorithm, score, **options
        As for `learn`.

    Returns
    -------
    Search
        Its result is the parents of each variable by index, ``Dag(data.names, result)`` when it is done what `learn`
        returns. In the middle of it the result is the best network so far, or one without edges.

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
    entry = LEARNERS[
        known_name(algorithm, LEARNERS, "algorithm", " (bnlab.skeleton learns undirected super-structures)")
    ]
    data = as_data(data)
    takes = {option.name: option.rule for option in entry.options}
    own = {name: _as_taken(name, options.pop(name), takes[name], data.names) for name in takes if name in options}
    phi = local_scores(data, _score(entry, score, options, list(takes)))
    return entry.search(phi, len(data.names), **own)


def _score(entry: Learner, score: str | LocalScore | None, params: dict[str, Any], takes: list[str]) -> LocalScore:
    given = entry.score if score is None else score
    if isinstance(given, str):
        given = known_name(given, SCORE_TABLE, "score")
        known = [*takes, *(option.name for option in SCORE_TABLE[given].options)]
        for name in params:
            if name not in known:
                raise ValueError(
                    f"{name!r} is no option of {entry.name!r} with the score {given!r}: {nearest(name, known)}"
                )
    chosen = make_score(given, **params)
    if entry.only and chosen.name != entry.score:
        raise ValueError(
            f"score={score!r}: the Chow-Liu tree maximises the likelihood; use algorithm 'branching' for other scores"
        )
    return chosen


def _as_taken(option: str, value: Any, rule: Kind | None, names: tuple[str, ...]) -> Any:
    """Value of an option with indices in place of names of variables."""
    if option == "within":
        return allowed_edges(value, len(names), names)
    if option == "start" and value is not None:
        if rule is PAIRS:
            return as_dag(value, names)
        if isinstance(value, str):
            return value
        return [as_node(name, len(names), names) for name in value]
    if option == "root" and value is not None:
        return as_node(value, len(names), names)
    return value
