"""The front door of the constraint-based learners: an algorithm by name, data in, a super-structure out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bnlab._runtime.names import known_name, nearest
from bnlab._runtime.values import FLAG, Entry, Kind, Option, one_of, table_of
from bnlab.citests.g2 import DegreesOfFreedom
from bnlab.citests.g2_tester import ALPHA, ROWS_PER_CELL, G2Tester
from bnlab.citests.tester import UNRELIABLE, Tester
from bnlab.counts.source import DataLike
from bnlab.graphs.knowledge import Knowledge
from bnlab.search import Search, run
from bnlab.skeletons.getpc import GetPC
from bnlab.skeletons.heupc import HeuPC
from bnlab.skeletons.hpc import HPC
from bnlab.skeletons.mmpc import MMPC
from bnlab.skeletons.opthpc import SEPSETS, OptHPC
from bnlab.skeletons.search import RULES, SkeletonProgress
from bnlab.skeletons.super_structure import SuperStructure


@dataclass(frozen=True, kw_only=True)
class SkeletonLearner(Entry):
    """A constraint-based learner in the table.

    Attributes
    ----------
    search : callable (tester, **options) -> Search
    """

    search: Callable[..., Search[Any, SkeletonProgress, SuperStructure]]


_COMMON = (
    Option("unreliable", "whether a test with too few rows separates a pair, or is skipped", rule=one_of(*UNRELIABLE)),
    Option("max_order", "greatest size of a separating set"),
    Option(
        "knowledge",
        "edges that are joined or not whatever the tests find",
        rule=Kind("a bnlab.Knowledge", lambda value: isinstance(value, Knowledge)),
        saved=False,
    ),
)
_RULE = Option("rule", "whether one of two variables or both must find the other", rule=one_of(*RULES))

SKELETONS = table_of(
    SkeletonLearner(
        "opthpc",
        "OptHPC",
        "Hybrid parents and children with cached tests: the fewest tests of the five.",
        (
            _RULE,
            Option("zero_order_first", "whether the tests given nothing come first for all pairs", rule=FLAG),
            Option("sepset", "where separators are searched: neighbours or blanket", rule=one_of(*SEPSETS)),
            Option("cache", "whether tests of small order are cached", rule=FLAG),
            *_COMMON,
        ),
        search=OptHPC,
    ),
    SkeletonLearner(
        "hpc",
        "HPC",
        "Hybrid parents and children: superset by tests of small order, then a correction by weak associations.",
        (_RULE, *_COMMON),
        search=HPC,
    ),
    SkeletonLearner(
        "mmpc",
        "MMPC",
        "Max-min parents and children, the first phase of max-min hill climbing.",
        (_RULE, Option("use_symmetry", "whether targets skip variables that did not find them", rule=FLAG), *_COMMON),
        search=MMPC,
    ),
    SkeletonLearner(
        "getpc",
        "GetPC",
        "Parents and children with a correction of false descendants by symmetry.",
        (_RULE, *_COMMON),
        search=GetPC,
    ),
    SkeletonLearner(
        "heupc",
        "HeuPC",
        "PC algorithm with a heuristic order of its tests: weakest edges first.",
        _COMMON,
        search=HeuPC,
    ),
)
"""The one table of constraint-based learners."""

_RULES_OF_TESTS: dict[str, Any] = {"alpha": ALPHA, "df": "adjusted", "rows_per_cell": ROWS_PER_CELL}


def skeleton(
    data: DataLike | Tester,
    algorithm: str = "opthpc",
    *,
    alpha: float = ALPHA,
    df: DegreesOfFreedom = "adjusted",
    rows_per_cell: float = ROWS_PER_CELL,
    **options: Any,
) -> SuperStructure:
    """Learn which variables are joined, by tests of conditional independence.

    Parameters
    ----------
    data : Table, DataFrame, CountSource or Tester
        At least two variables. A tester, such as `DSeparation` of a true graph, brings its own level and rules.
    algorithm : {"opthpc", "hpc", "mmpc", "getpc", "heupc"}
        Case, hyphens, underscores and spaces do not matter.
    alpha, df, rows_per_cell
        Level of significance, rule for the degrees of freedom, and rows that a test needs, see `G2Tester`.
    **options
        Of the algorithm: `rule`, `unreliable`, `max_order`, `knowledge`, `zero_order_first`, `sepset`, `cache`,
        `use_symmetry`; see `OptHPC`, `HPC`, `MMPC`, `GetPC` and `HeuPC`.

    Returns
    -------
    SuperStructure

    Raises
    ------
    ValueError
        For fewer than two variables, an unknown algorithm or option, or one out of range. For a DataFrame also as for
        `bnlab.load_data`.
    TypeError
        If the data are none of the above.

    Notes
    -----
    Readings of what the papers leave open are options. Which edges are kept: `rule` (all but "heupc"). In "opthpc",
    the order of the tests given nothing, `zero_order_first`, and whether separators are sought in the shrinking set of
    neighbours or in the whole blanket, `sepset`. For all algorithms, the degrees of freedom, `df`; how many rows a
    test needs, `rows_per_cell`; and what one that has fewer answers, `unreliable`: "independent", as published, or
    "skip", the cautious reading, in which it separates nobody. Variables of many states gain most by the second:
    OptHPC finds 0.69 of Hailfinder's edges in 500 rows instead of 0.29, and twice the precision.

    A constant column stays alone. Of two columns that determine each other (one copies the other, whatever the states
    are called) each separates the other from everything else: they are joined to each other and may be joined to
    nothing else, so leave one of them out. More variables than rows is no obstacle, but a test needs `rows_per_cell`
    rows for each cell: with fewer than 20 rows no test of two binary variables is performed, and no edge is found.

    Examples
    --------
    >>> from bnlab.networks import cancer
    >>> graph = skeleton(cancer().sample(20_000, seed=1), "mmpc")
    >>> graph.edges
    (('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    >>> graph.separator("Xray", "Dyspnoea"), graph.nsc
    (('Cancer',), 71)
    """
    return run(make_search(data, algorithm, alpha=alpha, df=df, rows_per_cell=rows_per_cell, **options))


def make_search(
    data: DataLike | Tester, algorithm: str = "opthpc", **options: Any
) -> Search[Any, SkeletonProgress, SuperStructure]:
    """Make the search that `skeleton` runs, for callers who own the loop.

    Parameters
    ----------
    data, algorithm, **options
        As for `skeleton`.

    Raises
    ------
    ValueError, TypeError
        As for `skeleton`.

    Examples
    --------
    >>> from bnlab.citests import DSeparation
    >>> from bnlab.networks import asia
    >>> from bnlab.search import iterate
    >>> search = make_search(DSeparation(asia().dag), "opthpc", sepset="mb")
    >>> [f"{info.done}/{info.total} {info.doing}" for state, info in iterate(search)][:2]
    ['1/8 asia', '2/8 tub']
    """
    algorithm = known_name(algorithm, SKELETONS, "algorithm", " (bnlab.learn learns directed graphs)")
    entry = SKELETONS[algorithm]
    rules = {name: options.pop(name, default) for name, default in _RULES_OF_TESTS.items()}
    known = [option.name for option in entry.options]
    for option in options:
        if option not in known:
            raise ValueError(f"{algorithm} has no option {option!r}: {nearest(option, known)}")
    # A DataFrame may have columns of these names.
    if not (isinstance(data, Tester) and callable(data.strength)):
        data = G2Tester(data, **rules)
    elif rules != _RULES_OF_TESTS:
        raise ValueError("alpha, df and rows_per_cell belong to the tester: set them where it is made")
    return entry.search(data, **options)
