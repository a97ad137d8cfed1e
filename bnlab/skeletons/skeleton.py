"""The front door of the constraint-based learners: an algorithm by name, data in, a super-structure out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeAlias

from bnlab._runtime.names import nearest
from bnlab.citests.g2 import DegreesOfFreedom
from bnlab.citests.g2_tester import ALPHA, ROWS_PER_CELL, G2Tester
from bnlab.citests.tester import Tester
from bnlab.counts.source import CountSource
from bnlab.search import Search, run
from bnlab.skeletons.by_target import SkeletonProgress
from bnlab.skeletons.getpc import GetPC
from bnlab.skeletons.heupc import HeuPC
from bnlab.skeletons.hpc import HPC
from bnlab.skeletons.mmpc import MMPC
from bnlab.skeletons.opthpc import OptHPC
from bnlab.skeletons.super_structure import SuperStructure

if TYPE_CHECKING:
    from bnlab.data.table import Table

SkeletonSearch: TypeAlias = Search[Any, SkeletonProgress, SuperStructure]

ALGORITHMS: dict[str, Callable[..., SkeletonSearch]] = {
    "opthpc": OptHPC,
    "hpc": HPC,
    "mmpc": MMPC,
    "getpc": GetPC,
    "heupc": HeuPC,
}


def skeleton(
    data: Table | CountSource | Tester,
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
    data : Table, CountSource or Tester
        At least two variables. A tester, such as `DSeparation` of a true graph, brings its own level and rules.
    algorithm : {"opthpc", "hpc", "mmpc", "getpc", "heupc"}
    alpha, df, rows_per_cell
        Level of significance, rule for the degrees of freedom, and rows that a test needs, see `G2Tester`.
    **options
        Of the algorithm: `rule`, `unreliable`, `max_order`, `zero_order_first`, `sepset`, `cache`, `use_symmetry`; see
        `OptHPC`, `HPC`, `MMPC`, `GetPC` and `HeuPC`.

    Returns
    -------
    SuperStructure

    Raises
    ------
    ValueError
        For fewer than two variables, an unknown algorithm or option, or one out of range.

    Notes
    -----
    Readings of what the papers leave open are options. Which edges are kept: `rule` (all but "heupc"). In "opthpc",
    the order of the tests given nothing, `zero_order_first`, and whether separators are sought in the shrinking set of
    neighbours or in the whole blanket, `sepset`. For all algorithms, the degrees of freedom, `df`; how many rows a
    test needs, `rows_per_cell`; and what one that has fewer answers, `unreliable`.

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
    if isinstance(data, Tester):
        if (alpha, df, rows_per_cell) != (ALPHA, "adjusted", ROWS_PER_CELL):
            raise ValueError("alpha, df and rows_per_cell belong to the tester: set them where it is made")
        tester = data
    else:
        tester = G2Tester(data, alpha, df=df, rows_per_cell=rows_per_cell)
    return run(make_search(tester, algorithm, **options))


def make_search(tester: Tester, algorithm: str = "opthpc", **options: Any) -> SkeletonSearch:
    """Make the search that `skeleton` runs, for callers who own the loop.

    Raises
    ------
    ValueError
        For fewer than two variables, an unknown algorithm or option, or one out of range.

    Examples
    --------
    >>> from bnlab.citests import DSeparation
    >>> from bnlab.networks import asia
    >>> from bnlab.search import iterate
    >>> search = make_search(DSeparation(asia().dag), "opthpc", sepset="mb")
    >>> [f"{info.done}/{info.total} {info.doing}" for state, info in iterate(search)][:2]
    ['1/8 asia', '2/8 tub']
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm={algorithm!r}: {nearest(algorithm, ALGORITHMS)}")
    known = _options(algorithm)
    for option in options:
        if option not in known:
            raise ValueError(f"{algorithm} has no option {option!r}: {nearest(option, known)}")
    return ALGORITHMS[algorithm](tester, **options)


@cache
def _options(algorithm: str) -> frozenset[str]:
    return frozenset(signature(ALGORITHMS[algorithm]).parameters) - {"tester"}
