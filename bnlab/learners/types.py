"""What a learner may use of a local score, and the types that all learners share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from math import fsum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.cached import cached_property
from bnlab.graphs.dag import Dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.scores.phi import LocalScores
from bnlab.search import Described

if TYPE_CHECKING:
    from bnlab.scores.compiled.neighbours import CompiledScore

Phi: TypeAlias = Callable[[int, tuple[int, ...]], float]
Family: TypeAlias = tuple[int, tuple[int, ...]]
ParentTuples: TypeAlias = tuple[tuple[int, ...], ...]
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

ROUNDING = 1e-10
"""Gains that differ by less than this part of the greatest |φ| differ by rounding only."""

_TINY = 1e-200  # where all scores are 0


@runtime_checkable
class LocalScoreFunction(Protocol):
    """A local score φ(child, parents) with all that a learner may use of it.

    `bnlab.scores.LocalScores` has everything. A subclass of this class needs only `__call__`: the other members have
    defaults, which a subclass replaces where it has something faster. A plain function becomes one by
    `as_local_scores`.

    Attributes
    ----------
    n : int or None
        Number of variables, where it is known.
    names : tuple of str or None
        Their names, where they are known.
    score_equivalent : bool
        Whether Markov-equivalent graphs are known to score the same.
    threads : int
        Threads that may score at the same time.
    by_passes : bool
        Whether each call is a pass over chunks or a cluster, so that few calls matter more than few families.
    misses : int
        Families scored; a compiled search adds its own.
    """

    n: int | None = None
    names: tuple[str, ...] | None = None
    score_equivalent: bool = False
    threads: int = 1
    by_passes: bool = False
    misses: int = 0

    @abstractmethod
    def __call__(self, child: int, parents: tuple[int, ...], /) -> float:
        """Score of one family; greater is better."""

    def many(self, families: Sequence[Family]) -> Floats:
        """Scores of many families, shape (families,)."""
        return np.array([self(child, parents) for child, parents in families], dtype=np.float64)

    def once(self, families: Sequence[Family]) -> Floats:
        """As `many`, for families that are scored only once: they need not be cached."""
        return self.many(families)

    def bounds(self, child: int, parents: Integers) -> Floats:
        """Upper bounds of the scores of families of one child; parents of shape (families, parents of each)."""
        return np.full(len(parents), np.inf)

    def toggled(self, families: Sequence[Family], neighbours: Sequence[tuple[int, ...]]) -> list[Floats]:
        """Scores of families with each of some nodes in turn added to the parents or removed; unchanged at the end."""
        changed = [
            (child, family)
            for (child, parents), others in zip(families, neighbours, strict=True)
            for family in (*(toggled(parents, u) for u in others), parents)
        ]
        ends = np.cumsum([len(others) + 1 for others in neighbours])
        return np.split(self.many(changed), ends[:-1])

    def compiled(self) -> CompiledScore | None:
        """Return the same score for compiled loops; None where there is none."""
        return None


class PlainScores(LocalScoreFunction):
    """Local score that is a plain function, with the defaults of `LocalScoreFunction`."""

    def __init__(self, phi: Phi, n: int | None = None) -> None:
        self.phi, self.n = phi, n

    def __call__(self, child: int, parents: tuple[int, ...], /) -> float:
        """Score of one family."""
        return self.phi(child, parents)


class MappedScores(LocalScoreFunction):
    """Local score of other families: each family stands for one of another local score.

    Attributes
    ----------
    phi : LocalScoreFunction
    """

    phi: LocalScoreFunction

    @abstractmethod
    def family(self, child: int, parents: tuple[int, ...]) -> Family:
        """Family of `phi` that a family stands for."""

    def __call__(self, child: int, parents: tuple[int, ...], /) -> float:
        """Score of one family."""
        return self.phi(*self.family(child, parents))

    def many(self, families: Sequence[Family]) -> Floats:
        """Scores of many families, shape (families,)."""
        return self.phi.many([self.family(*family) for family in families])

    def once(self, families: Sequence[Family]) -> Floats:
        """As `many`, for families that are scored only once."""
        return self.phi.once([self.family(*family) for family in families])


def as_local_scores(phi: Phi, n: int | None = None) -> LocalScoreFunction:
    """Local score with all that learners use: itself if it is a `LocalScoreFunction`, else `PlainScores`.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better.
    n : int, optional
        Number of variables.

    Examples
    --------
    >>> as_local_scores(lambda child, parents: float(len(parents))).many([(0, ()), (0, (1, 2))])
    array([0., 2.])
    """
    # The classes first: to ask a Protocol takes 30 to 60 microseconds.
    given: Any = phi
    return given if isinstance(phi, (LocalScores, MappedScores, LocalScoreFunction)) else PlainScores(phi, n)


class ScoreSearch(Described):
    """Base of searches for a network of great score. By default their states have `done` and `best_parents`."""

    phi: Phi
    n: int

    def __getstate__(self) -> dict[str, Any]:
        """Omit what is cached: another process computes it again."""
        dataclass: Any = self
        return {field.name: vars(self)[field.name] for field in fields(dataclass)}

    @cached_property
    def _phi(self) -> LocalScoreFunction:
        return as_local_scores(self.phi, self.n)

    def is_done(self, state: Any) -> bool:
        """Whether the search has ended."""
        return bool(state.done)

    def result(self, state: Any) -> ParentTuples:
        """Ascending parents of each variable in the best network so far."""
        parents: ParentTuples = state.best_parents
        return parents

    def variable_names(self) -> tuple[str, ...] | None:
        """Names of the variables, where the local score knows them."""
        return self._phi.names

    def score_of(self, parents: Sequence[Sequence[int]]) -> float:
        """Score of a network."""
        return fsum(self._phi.many([(v, tuple(family)) for v, family in enumerate(parents)]))

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Dag:
        """DAG of a sketch: parents of each variable."""
        return Dag(names, sketch)


def evaluate(phi: LocalScoreFunction, families: Sequence[Family], *, once: bool = False) -> Floats:
    """Local scores of many families.

    Parameters
    ----------
    phi : LocalScoreFunction
    families : sequence of (child, parents)
    once : bool
        These scores are not needed again, so that they need not be cached.

    Returns
    -------
    ndarray of float64, shape (families,)

    Raises
    ------
    ValueError
        If a score is nan or infinite.
    """
    values = np.asarray(phi.once(families) if once else phi.many(families), dtype=np.float64)
    if not np.isfinite(values).all():
        worst = int(np.argmin(np.isfinite(values)))
        child, parents = families[worst]
        raise ValueError(f"φ({child}, {parents}) is {values[worst]}: a local score is a finite number.")
    return values


def evaluate_neighbours(
    phi: LocalScoreFunction, families: Sequence[Family], edges: EdgeRules
) -> list[tuple[float, Floats]]:
    """Score of each family, and its scores with each node added to the parents or removed.

    Parameters
    ----------
    phi : LocalScoreFunction
    families : sequence of (child, parents)
    edges : EdgeRules

    Returns
    -------
    list of (float, ndarray of float64 of shape (n,))
        The array is -inf where the change is not possible or breaks the rules.

    Raises
    ------
    ValueError
        If a score is nan or infinite.
    """
    required, allowed, limits = edges
    neighbours = []
    for child, parents in families:
        free = np.flatnonzero(allowed[:, child]).tolist() if len(parents) < limits[child] else ()
        neighbours.append(tuple(u for u in sorted({*free, *parents}) if not required[u, child]))
    result = []
    for scores, family, others in zip(phi.toggled(families, neighbours), families, neighbours, strict=True):
        if not np.isfinite(scores).all():
            scores = evaluate(phi, [*((family[0], toggled(family[1], u)) for u in others), family])
        values = np.full(len(allowed), -np.inf)
        values[list(others)] = scores[:-1]
        result.append((float(scores[-1]), values))
    return result


def scores_alone(phi: LocalScoreFunction, n: int) -> Floats:
    """φ(i, ∅) of every variable, shape (n,)."""
    return evaluate(phi, [(i, ()) for i in range(n)])


def rounding_unit(scores: Floats, rounding: float = ROUNDING) -> float:
    """Power of two below `rounding` times the greatest |score|; differences below it are noise.

    Sums of its multiples are exact, so that equal sums are equal in whatever order they were added up.
    """
    _, exponent = np.frexp(rounding * max(float(np.abs(scores).max(initial=0.0)), _TINY))
    return float(np.ldexp(1.0, int(exponent) - 1))


def toggled(parents: tuple[int, ...], u: int) -> tuple[int, ...]:
    """Return the parents without u if it is among them, with it if not; ascending.

    Examples
    --------
    >>> toggled((0, 3), 2), toggled((0, 3), 3)
    ((0, 2, 3), (0,))
    """
    return tuple(p for p in parents if p != u) if u in parents else tuple(sorted((*parents, u)))
