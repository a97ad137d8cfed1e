"""The types that all learners share, and local scores as they use them (`bnlab.scores.function`)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from math import fsum
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.cached import cached_property
from bnlab.graphs.dag import Dag
from bnlab.scores.function import LocalScoreFunction
from bnlab.search import Described

Phi: TypeAlias = Callable[[int, tuple[int, ...]], float]
Family: TypeAlias = tuple[int, tuple[int, ...]]
ParentTuples: TypeAlias = tuple[tuple[int, ...], ...]
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

ROUNDING = 1e-10
"""Gains that differ by less than this part of the greatest |φ| differ only by rounding."""

_TINY = 1e-200  # where all scores are 0


class PlainScores(LocalScoreFunction):
    """Local score that is a plain function, with the defaults of `LocalScoreFunction`."""

    def __init__(self, phi: Phi, n: int | None = None) -> None:
        self.phi, self.n = phi, n

    def __call__(self, child: int, parents: tuple[int, ...], /) -> float:
        """Score of one family."""
        return self.phi(child, parents)


class MappedScores(LocalScoreFunction):
    """Base of local scores that map each family to a family of another local score.

    Attributes
    ----------
    phi : LocalScoreFunction
    """

    phi: LocalScoreFunction

    @abstractmethod
    def family(self, child: int, parents: tuple[int, ...]) -> Family:
        """Family of `phi` that a family is mapped to."""

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
    """Local score with the interface of learners: `phi` itself if it is a `LocalScoreFunction`, else `PlainScores`.

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
    return phi if isinstance(phi, LocalScoreFunction) else PlainScores(phi, n)


class ScoreSearch(Described):
    """Base of searches for a network of high score, whose sketches are the parents of each variable.

    By default their states have `done` and `best_parents`.
    """

    phi: Phi
    n: int

    def __getstate__(self) -> dict[str, Any]:
        """Omit cached values: another process computes them again."""
        dataclass: Any = self
        return {field.name: vars(self)[field.name] for field in fields(dataclass)}

    @cached_property
    def local_scores(self) -> LocalScoreFunction:
        """The local score, with all that searches ask of it."""
        return as_local_scores(self.phi, self.n)

    def is_done(self, state: Any) -> bool:
        """Whether the search has ended."""
        return bool(state.done)

    def result(self, state: Any) -> ParentTuples:
        """Ascending parents of each variable in the best network so far."""
        parents: ParentTuples = state.best_parents
        return parents

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Dag:
        """DAG of a sketch: parents of each variable."""
        return Dag(names, sketch)

    def variable_names(self) -> tuple[str, ...] | None:
        """Names of the variables, if the local score knows them."""
        return self.local_scores.names

    def score_of(self, parents: Sequence[Sequence[int]]) -> float:
        """Score of a network."""
        return fsum(self.local_scores.many([(v, tuple(family)) for v, family in enumerate(parents)]))


def check_time_limit(time_limit: Any) -> None:
    """Refuse a time limit that is not a number of seconds, at least 0; None is for no limit."""
    if time_limit is not None and not (isinstance(time_limit, Real) and 0 <= float(time_limit) < np.inf):
        raise ValueError(
            f"time_limit={time_limit!r}: it must be a number of seconds, at least 0; None is for no limit."
        )


def evaluate(phi: LocalScoreFunction, families: Sequence[Family], *, once: bool = False) -> Floats:
    """Local scores of many families.

    Parameters
    ----------
    phi : LocalScoreFunction
    families : sequence of (child, parents)
    once : bool
        Whether the scores are not needed again and need not be cached.

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


def scores_alone(phi: LocalScoreFunction, n: int) -> Floats:
    """φ(i, ∅) of every variable, shape (n,)."""
    return evaluate(phi, [(i, ()) for i in range(n)])


def rounding_unit(scores: Floats, rounding: float = ROUNDING) -> float:
    """Power of two below `rounding` times the greatest |score|; differences below it are noise.

    Sums of its multiples are exact, so that they do not depend on the order of addition.
    """
    _, exponent = np.frexp(rounding * max(float(np.abs(scores).max(initial=0.0)), _TINY))
    return float(np.ldexp(1.0, int(exponent) - 1))


def families_of(sets: NDArray[np.uint64]) -> list[Family]:
    """Families from sets, one per row: parents as bits, then the child plus one.

    Examples
    --------
    >>> families_of(np.array([[0b1010, 1], [0, 3]], dtype=np.uint64))
    [(0, (1, 3)), (2, ())]
    """
    octets = np.ascontiguousarray(sets[:, :-1], dtype="<u8").view(np.uint8)
    bits = np.unpackbits(octets, axis=1, bitorder="little")
    parents = np.nonzero(bits)[1].tolist()
    ends = np.cumsum(bits.sum(axis=1, dtype=np.int64)).tolist()
    children = (sets[:, -1].astype(np.int64) - 1).tolist()
    return [(child, tuple(parents[begin:end])) for child, begin, end in zip(children, [0, *ends], ends, strict=False)]
