"""Base class of scores: one formula that turns the counts of a family into a number (Carvalho 2009, section 2.1).

A decomposable score of a network is the sum of such local scores (Definition 2.11).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, FloatArray

if TYPE_CHECKING:
    from bnlab.data.variable import Variable


LEAST_PRIOR = 1e-300
"""Least hyperparameter: log-gamma is infinite for the denormal numbers below."""


class LocalScore(ABC):
    """Score of one family, in nats; greater is better, and always finite.

    A parent configuration without rows adds exactly zero to the part that measures fit.

    Attributes
    ----------
    name : str
        Name of the score in `make_score`.
    score_equivalent : bool
        Whether Markov-equivalent graphs get the same score (Definition 2.17).
    bayesian : bool
        Whether it is the log-probability of the data, so that log P(B) of a structure prior may be added to it.
    """

    name: ClassVar[str]
    score_equivalent: ClassVar[bool]
    bayesian: ClassVar[bool] = False

    @property
    def needs_family(self) -> bool:
        """Whether the score depends on the variables of the family, so that `for_family` is needed."""
        return False

    @abstractmethod
    def batch(self, batch: Any) -> FloatArray:
        """Score of each family of a stack.

        Parameters
        ----------
        batch : FamilyBatch

        Returns
        -------
        ndarray of float64, shape (families,)
            Nats; greater is better.
        """

    def __call__(self, counts: FamilyCounts) -> float:
        """Score of one family, phi_i(Pi_i, T), in nats; greater is better."""
        return float(self.batch(FamilyBatch.of([counts]))[0])

    def upper_bound(self, r: int, q: FloatArray, n_rows: int | float) -> FloatArray:
        """Upper bound of the score of families of one shape, for any data; infinite if no bound is known.

        Parameters
        ----------
        r : int
            Number of states of the child.
        q : ndarray of float64
            Numbers of parent configurations.
        n_rows : int or float

        Returns
        -------
        ndarray of float64, of the shape of `q`
            Nats.
        """
        return np.full(q.shape, np.inf)

    def for_target(self, name: str) -> Self:
        """Score for classifiers of a class variable; itself if it does not depend on the class."""
        return self

    def for_family(self, family: Family, variables: Sequence[Variable]) -> Callable[[FamilyCounts], float]:
        """Score of the counts of one family of `variables`; itself if it does not depend on the family."""
        return self


def check_positive(score: str, parameter: str, value: object) -> None:
    """Refuse a parameter that is not a finite number greater than zero.

    Raises
    ------
    TypeError
        When it is not a number.
    ValueError
        When it is zero, negative, infinite or NaN.
    """
    number = as_number(score, parameter, value)
    if not (isfinite(number) and number > 0):
        raise ValueError(f"{score}: {parameter}={value!r}: it must be a finite number greater than 0")


def as_number(score: str, parameter: str, value: object) -> float:
    """Parameter as a float.

    Raises
    ------
    TypeError
        When it is not a number.
    """
    if not isinstance(value, Real):
        raise TypeError(f"{score}: {parameter}={value!r} is not a number")
    return float(value)
