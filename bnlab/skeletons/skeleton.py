"""The front door of the constraint-based learners: an algorithm by name, data in, a super-structure out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import comb
from typing import Any

from bnlab._runtime.budget import check_pairs
from bnlab._runtime.names import check_known, known_name
from bnlab._runtime.values import FLAG, Entry, Kind, Option, one_of, table_of
from bnlab.citests.g2 import DegreesOfFreedom
from bnlab.citests.g2_tester import ALPHA, ROWS_PER_CELL, FewRows, G2Tester
from bnlab.citests.tester import UNRELIABLE, Tester
from bnlab.counts.memory import MemorySource
from bnlab.counts.source import DataLike, as_data
from bnlab.data.table import Table
from bnlab.graphs.knowledge import Knowledge
from bnlab.search import Search, run
from bnlab.skeletons.getpc import GetPC
from bnlab.skeletons.heupc import HeuPC
from bnlab.skeletons.hpc import HPC
from bnlab.skeletons.mmpc import MMPC
from bnlab.skeletons.opthpc import SEPSETS, OptHPC
from bnlab.skeletons.search import RULES, SkeletonProgress, SkeletonSearch
from bnlab.skeletons.super_structure import SuperStructure


@dataclass(frozen=True, kw_only=True)
class SkeletonLearner(Entry):
    """A constraint-based learner in the table.

    Attributes
    ----------
    search : callable (tester, **options) -> Search
    defaults : mapping of str to value
        Options and rules of the tests of the variant "default" that differ from the paper's.
    """

    search: Callable[..., Search[Any, SkeletonProgress, SuperStructure]]
    defaults: Mapping[str, Any] = field(default_factory=dict)


BYTES_A_PAIR = 100
"""Memory of the results of the tests of two variables."""
VARIANTS = ("default", "paper")
DEPENDENCE = "dependence"

_COMMON = (
    Option("variant", "the best rules known, or those of the papers", rule=one_of(*VARIANTS)),
    Option(
        "unreliable",
        "whether a test with too few rows counts where it finds dependence, is skipped, or separates a pair",
        rule=one_of(DEPENDENCE, *UNRELIABLE),
    ),
    Option("max_order", "greatest size of a separating set"),
    Option(
        "knowledge",
        "edges that are joined or not whatever the tests find",
        rule=Kind("a bnlab.Knowledge", lambda value: isinstance(value, Knowledge)),
        saved=False,
    ),
)
_RULE = Option("rule", "whether one of two variables or both must find the other", rule=one_of(*RULES))

_HYBRID = {"unreliable": DEPENDENCE, "rule": "and", "alpha": 0.001, "separating_alpha": ALPHA, "rows_per_cell": 7.0}
"""With them OptHPC has on none of 14 networks, with 500, 1,000 or 5,000 rows, a lower mean F1 than R's hpc or mmpc.

`bnlab.papers.studies.skeletons` has the records of seven of them beside R's hpc, those that come with the package.
"""
MOST_BY_CHANCE = 10
"""Pairs of independent variables that may pass tests at that level; on more than 141 variables the level is lower."""
_SPARSE = {"rows_per_cell": 0.1}
"""Tests in sparse tables count: with the mean of G2 as their degrees of freedom they are nearly as good as others."""
_SMALL_SETS = {**_SPARSE, "max_order": 2, "alpha": 0.03}
"""Given more than two variables, tests remove more true edges than false ones; with this limit, 0.03 beats 0.05.

Both were chosen on samples that are not among the stored ones. "heupc" has no limit, because PC directs edges by what
separated the other pairs: with one, its distance from the true class on 5,000 rows of ALARM was 13 instead of 9.
"""
MANY_NOT_PERFORMED = 0.5
"""Share of the tests from which on a warning says how many had too few rows."""

logger = logging.getLogger("bnlab")

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
        defaults=_HYBRID,
    ),
    SkeletonLearner(
        "hpc",
        "HPC",
        "Hybrid parents and children: superset by tests of small order, then a correction by weak associations.",
        (_RULE, *_COMMON),
        search=HPC,
        defaults=_HYBRID,
    ),
    SkeletonLearner(
        "mmpc",
        "MMPC",
        "Max-min parents and children, the first phase of max-min hill climbing.",
        (_RULE, Option("use_symmetry", "whether targets skip variables that did not find them", rule=FLAG), *_COMMON),
        search=MMPC,
        defaults=_SMALL_SETS,
    ),
    SkeletonLearner(
        "getpc",
        "GetPC",
        "Parents and children with a correction of false descendants by symmetry.",
        (_RULE, *_COMMON),
        search=GetPC,
        defaults=_SMALL_SETS,
    ),
    SkeletonLearner(
        "heupc",
        "HeuPC",
        "PC algorithm with a heuristic order of its tests: weakest edges first.",
        (
            Option("stable", "whether the edges do not depend on the order of the tests", rule=FLAG),
            *_COMMON,
        ),
        search=HeuPC,
        defaults=_SPARSE,
    ),
)
"""The one table of constraint-based learners."""

_RULES_OF_TESTS: dict[str, Any] = {
    "alpha": ALPHA,
    "separating_alpha": None,
    "df": "adjusted",
    "rows_per_cell": ROWS_PER_CELL,
}


def skeleton(
    data: DataLike | Tester,
    algorithm: str = "opthpc",
    *,
    alpha: float | None = None,
    separating_alpha: float | None = None,
    df: DegreesOfFreedom = "adjusted",
    rows_per_cell: float | None = None,
    **options: Any,
) -> SuperStructure:
    """Learn which variables are joined, by tests of conditional independence.

    Parameters
    ----------
    data : Table, DataFrame, CountSource or Tester
        At least two variables. A tester, such as `DSeparation` of a true graph, brings its own level and rules.
    algorithm : {"opthpc", "hpc", "mmpc", "getpc", "heupc"}
        Case, hyphens, underscores and spaces do not matter.
    alpha, separating_alpha, df, rows_per_cell
        Levels of significance, rule for the degrees of freedom, and rows that a test needs, see `G2Tester`. By default
        a test in "opthpc" and "hpc" finds dependence at 0.001, on more than 141 variables at the level at which ten
        independent pairs are expected to be dependent, independence given other variables above 0.05, and needs 7 rows
        a cell; in the others both levels are 0.03 ("heupc": 0.05), and it needs one row for ten cells. In the papers'
        variants both levels are 0.05, and the rows are 5, as they are in the others if `unreliable` is "skip" or
        "dependence".
    **options
        Of the algorithm: `variant`, `rule`, `unreliable`, `max_order`, `knowledge`, `zero_order_first`, `sepset`,
        `cache`, `use_symmetry`, `stable`; see `OptHPC`, `HPC`, `MMPC`, `GetPC` and `HeuPC`.

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
    MemoryBudget
        If the results of the tests would need more memory than one operation may have.

    Notes
    -----
    ``variant="paper"`` runs an algorithm as published, in the order of the columns. The default takes the variables by
    entropy, equal ones by name, so that the result does not depend on the order of the columns. In "mmpc", "getpc" and
    "heupc" it makes tests in sparse tables as well, with the degrees of freedom below. In "mmpc" and "getpc" separating
    sets have at most two variables, unless the tester is an oracle: given more, few rows are left for each case, and
    tests remove more true edges than false ones. On 15 networks of 8 to 441 variables, 5,000 rows, this and the level
    0.03 raise the mean F1 of "mmpc" from 0.75 to 0.79.

    In "opthpc" and "hpc" it joins two variables only if both find each other, tests at a lower level, and never lets a
    test separate a pair whose p-value is at most 0.05. A test that has too few rows (``unreliable="dependence"``)
    separates only if the states that occur leave ten rows for each degree of freedom and its p-value is above 0.15. As
    published every such test counts as independence, and drops most edges of variables with many states: on 1,000 rows
    of Hailfinder the precision is 0.52 and the sensitivity 0.50, by default 0.89 and 0.80.

    In sparse tables the adjusted degrees of freedom are the mean of G2 under independence, `bnlab.citests.expected_g2`:
    where a pair given nothing has too few rows, and where a test given others has fewer than two rows a cell. Without
    it a test of a variable of 60 states hardly ever finds dependence on one of skewed states, and too often on one of
    even states. A test given others that has no degree of freedom decides nothing: given a variable that determines x,
    x does not vary, and as published x is separated from all its other neighbours.

    ==========  =========  ==================  ==================  ==================
    network     measure    without both rules  mean of G2 alone    default
    ==========  =========  ==================  ==================  ==================
    Pathfinder  F1         0.26 / 0.35 / 0.54  0.33 / 0.43 / 0.59  0.40 / 0.47 / 0.61
    Pathfinder  precision  0.44 / 0.56 / 0.70  0.60 / 0.67 / 0.75  0.65 / 0.70 / 0.76
    Hailfinder  F1         0.79 / 0.82 / 0.70  0.79 / 0.82 / 0.70  0.81 / 0.84 / 0.86
    Hailfinder  precision  0.95 / 0.93 / 0.86  0.95 / 0.93 / 0.86  0.91 / 0.89 / 0.88
    all 14      mean F1    0.734               0.740               0.752
    ==========  =========  ==================  ==================  ==================

    They are means of six samples of 500, 1,000 and 5,000 rows; the last row is the mean F1 of 14 networks of 8 to 223
    variables. No F1 is lower by more than 0.005 than without the rules, and none of "opthpc" is below the better of R's
    hpc and mmpc with R's tests "mi" and "mi-adf" (bnlearn 5.2.1), which is 0.19 at most on Pathfinder. There a variable
    of 63 states has 106 children, and the false edges that are left join these children to each other.

    "opthpc" and "hpc" also do not join two variables of which neither finds the other in its own search, if one of them
    is determined by the neighbours that its search found. On Link, 5,000 rows, where genotypes are determined by two
    alleles each, the mean F1 of three samples rises from 0.576 to 0.596 ("opthpc") and from 0.575 to 0.593 ("hpc"); R's
    hpc has 0.590.

    Readings of what the papers leave open are options. Which edges are kept: `rule` (all but "heupc"). In "opthpc",
    the order of the tests given nothing, `zero_order_first`, and whether separators are sought in the shrinking set of
    neighbours or in the whole blanket, `sepset`. For all algorithms, the degrees of freedom, `df`; how many rows a
    test needs, `rows_per_cell`; and what one that has fewer answers, `unreliable`: "independent", as published;
    "skip", in which it is not performed and does not separate; or "dependence", in which it counts where it finds
    dependence. A warning of the logger "bnlab" tells the share of such tests if it is above a half.

    A constant column stays alone. Two columns that determine each other (one copies the other, whatever the states are
    called) are joined to each other; as published each separates the other from everything else, and they may be joined
    to nothing else, so leave one of them out. More variables than rows is no obstacle.

    Examples
    --------
    >>> from bnlab.networks import cancer
    >>> graph = skeleton(cancer().sample(20_000, seed=1), "mmpc")
    >>> graph.edges
    (('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    >>> graph.separator("Xray", "Dyspnoea"), graph.nsc
    (('Cancer',), 66)
    """
    rules = {"alpha": alpha, "separating_alpha": separating_alpha, "df": df, "rows_per_cell": rows_per_cell}
    search = make_search(data, algorithm, **rules, **options)
    if isinstance(search, SkeletonSearch):
        check_pairs(search.n, BYTES_A_PAIR)
    graph = run(search)
    if graph.not_performed > MANY_NOT_PERFORMED * (graph.nsc + graph.not_performed):
        share = graph.not_performed / (graph.nsc + graph.not_performed)
        logger.warning(
            "bnlab.skeleton: %.0f %% of the tests had too few rows for so many states. Edges may be missing or false: "
            "take more rows, or join states.",
            100 * share,
        )
    return graph


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
    given = {name: options.pop(name, None) for name in _RULES_OF_TESTS}
    known = [option.name for option in entry.options]
    for option in options:
        check_known(option, known, f"{algorithm} has no option {option!r}")
    variant = options.pop("variant", VARIANTS[0])
    if variant not in VARIANTS:
        raise ValueError(f"variant={variant!r}: the variants are {' and '.join(map(repr, VARIANTS))}")
    defaults = entry.defaults if variant == "default" else {}
    if "unreliable" not in defaults and options.get("unreliable") not in (None, "independent"):
        defaults = {}  # an answer for tests with too few rows needs a number that is too few
    rules = {
        name: defaults.get(name, paper) if given[name] is None else given[name]
        for name, paper in _RULES_OF_TESTS.items()
    }
    if given["separating_alpha"] is None and rules["separating_alpha"] is not None:
        rules["separating_alpha"] = max(rules["alpha"], rules["separating_alpha"])
    left_out = set(_RULES_OF_TESTS)
    if _is_tester(data) and not isinstance(data, G2Tester):
        left_out.add("max_order")  # an oracle needs no limit that follows from few rows
    options = {**{name: value for name, value in defaults.items() if name not in left_out}, **options}
    if not _is_tester(data):
        few_rows: FewRows = "dependence" if options.get("unreliable") == DEPENDENCE else "skip"
        data = as_data(data)
        if given["alpha"] is None and defaults is _HYBRID:
            rules["alpha"] = min(rules["alpha"], MOST_BY_CHANCE / max(1, comb(len(data.names), 2)))
        data = G2Tester(data, few_rows=few_rows, **rules)
    elif any(value is not None and value != _RULES_OF_TESTS[name] for name, value in given.items()):
        raise ValueError(
            "alpha, separating_alpha, df and rows_per_cell belong to the tester: set them where it is made"
        )
    if options.get("unreliable") == DEPENDENCE:
        options["unreliable"] = "skip"
    if variant == "default" and isinstance(data, G2Tester):
        if options.get("unreliable") == "skip":
            options.setdefault("max_order", data.largest_order())
        data = data.by_entropy()
    return entry.search(data, **options)


def _is_tester(data: Any) -> bool:
    """Whether data bring their own test; a DataFrame may have columns of the names that a `Tester` has."""
    return not isinstance(data, Table | MemorySource) and isinstance(data, Tester) and callable(data.strength)
