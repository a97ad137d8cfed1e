"""Factorised conditional log-likelihood, the future work of Carvalho 2009 (section 5), and its NML version.

The conditional log-likelihood of the class is not a sum over families. Two least-squares approximations, of
log(U / (U + V)) by a log U + b log V over the unit square and of log((1 - x) / x) by -lambda log x, make it one, up to
constants. With C among the parents of X_i, and j a configuration of the others, the score of a family is

    (a + b) sum_jck N_ijck log(N_ijck / N_ijc) - b lambda sum_jck N_ijck [log(N_ijck / N_ij*k) - log(N_ijc / N_ij*)].

The second sum is LL(X_i | Pi, C) - LL(X_i | Pi), so that the score is a weighted difference of two log-likelihoods:

    (a + b - b lambda) LL(X_i | Pi, C) + b lambda LL(X_i | Pi).

References
----------
Carvalho, Roos, Oliveira and Myllymäki (2011), Discriminative learning of Bayesian networks via factorized conditional
log-likelihood, JMLR 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import ClassVar, Self

from bnlab._runtime.names import nearest
from bnlab.counts.types import Family, FamilyBatch, FamilyCounts, FloatArray
from bnlab.data.variable import Variable
from bnlab.scores.likelihood import LL
from bnlab.scores.local import LocalScore
from bnlab.scores.nml import NML

A = (pi**2 + 6) / 24
B = (pi**2 - 18) / 24
LAMBDA = pi**2 / 6


@dataclass(frozen=True)
class FCLL(LocalScore):
    """Factorised conditional log-likelihood: rewards parents that help an attribute to separate the classes.

    It scores networks in which the class has no parents and is a parent of every other variable. The class itself adds
    (a + b - b lambda) LL(C). The constants of the approximation are left out, as they are the same for every network.
    Equivalent networks score the same. The derivation assumes two classes; with more, the formula is a heuristic.

    Parameters
    ----------
    target : str, optional
        The class variable. Classifiers set it.

    Raises
    ------
    ValueError
        From `for_family`, when there is no target, the class has a parent, or another variable lacks the class.

    Examples
    --------
    >>> from math import log
    >>> from bnlab.data import Table, Variable
    >>> from bnlab.scores import score
    >>> a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> table = Table([Variable(name, ("no", "yes")) for name in "abc"], [a, b, [0, 1, 1, 0]])
    >>> naive, tree = [("c", "a"), ("c", "b")], [("c", "a"), ("c", "b"), ("a", "b")]
    >>> gain = score(tree, table, "fcll", target="c") - score(naive, table, "fcll", target="c")
    >>> round(float(gain / (4 * log(2))), 4)  # an exclusive or: I(b; a | c) = I(b; c | a) = log 2
    0.8797
    """

    target: str | None = None
    name: ClassVar[str] = "fcll"
    score_equivalent: ClassVar[bool] = True
    base: ClassVar[LocalScore] = LL()
    """Score whose weighted difference is computed."""

    @property
    def needs_family(self) -> bool:
        """True: counts do not say which parent is the class."""
        return True

    def batch(self, batch: FamilyBatch) -> FloatArray:
        """Not defined: counts alone do not say which parent is the class."""
        raise ValueError(f"{self.name}: the score must know the class; score with for_family(...) or with LocalScores")

    def for_target(self, name: str) -> Self:
        """Score for a class variable; ValueError if it already has another."""
        if self.target not in (None, name):
            raise ValueError(f"{self.name}: target={self.target!r}, but the class is {name!r}: leave the target out")
        return replace(self, target=name)

    def for_family(self, family: Family, variables: Sequence[Variable]) -> Difference:
        """Score of one family of `variables`, after its class is found among the parents."""
        child, parents = variables[family[0]].name, [variables[p].name for p in family[1]]
        if self.target is None:
            raise ValueError(f'{self.name}: which variable is the class? Name it: target="{variables[-1].name}"')
        if child == self.target:
            if not parents:
                return Difference(self.base, None)
            raise ValueError(
                f"{self.name}: the class {child!r} has the parent {parents[0]!r}; it must have none: {self._scored}"
            )
        if self.target in parents:
            return Difference(self.base, parents.index(self.target))
        names = [variable.name for variable in variables]
        if self.target not in names:
            raise ValueError(f"{self.name}: target={self.target!r} is no variable: {nearest(self.target, names)}")
        raise ValueError(f"{self.name}: the class {self.target!r} is not a parent of {child!r}: {self._scored}")

    @property
    def _scored(self) -> str:
        return f'the score is for class-augmented networks, such as those of TAN(score="{self.name}") and CkG'


@dataclass(frozen=True)
class FCLLNML(FCLL):
    """Factorised conditional log-likelihood with an NML penalty, which Carvalho 2009 (section 5) suggests for few rows.

    Factorised NML replaces both log-likelihoods of the difference: the penalty of a family is
    (a + b - b lambda) sum_jc log C(r, N_ijc) + b lambda sum_j log C(r, N_ij*), with the multinomial complexity C.
    Equivalent networks may score differently.
    """

    name: ClassVar[str] = "fcll-nml"
    score_equivalent: ClassVar[bool] = False
    base: ClassVar[LocalScore] = NML()


@dataclass(frozen=True)
class Difference:
    """Weighted difference of the scores of a family with and without its class.

    Parameters
    ----------
    base : LocalScore
    place : int or None
        Index of the class among the parents; None for the family of the class itself.
    """

    base: LocalScore
    place: int | None

    def __call__(self, counts: FamilyCounts) -> float:
        """Score of the family, in nats."""
        value = (A + B - B * LAMBDA) * self.base(counts)
        return value if self.place is None else value + B * LAMBDA * self.base(counts.without_parent(self.place))
