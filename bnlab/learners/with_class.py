"""The local score of the attributes alone, each with the class as a parent: with it any learner learns a classifier."""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np

from bnlab.learners.types import Family, Floats, Integers, MappedScores, ParentTuples, Phi, as_local_scores
from bnlab.scores.function import LocalScoreFunction


@dataclass(frozen=True)
class WithClass(MappedScores):
    """The score φ_i(Π ∪ {C}, T) on the attributes, made by `with_class`."""

    phi: LocalScoreFunction
    class_index: int

    def family(self, child: int, parents: tuple[int, ...]) -> Family:
        """Family in all variables: the attribute, with the class among its parents."""
        return self.variable(child), tuple(sorted((self.class_index, *map(self.variable, parents))))

    def bounds(self, child: int, parents: Integers) -> Floats:
        """Upper bounds of the scores of families of one attribute; parents of shape (families, parents of each)."""
        classes = np.full((len(parents), 1), self.class_index)
        variables = np.hstack([parents + (parents >= self.class_index), classes])
        return self.phi.bounds(self.variable(child), variables)

    @property
    def score_equivalent(self) -> bool:  # type: ignore[override]
        """Whether φ is known to be score equivalent; then its gains with the class are also symmetric."""
        return self.phi.score_equivalent

    @property
    def names(self) -> tuple[str, ...] | None:  # type: ignore[override]
        """Names of the attributes, if the names of the variables are known."""
        c, names = self.class_index, self.phi.names
        return None if names is None else (*names[:c], *names[c + 1 :])

    def variable(self, attribute: int) -> int:
        """Index of an attribute among all variables."""
        return attribute + (attribute >= self.class_index)

    def augmented(self, parents: ParentTuples) -> ParentTuples:
        """Ascending parents of all variables, from the parents among attributes: the class becomes a parent of each."""
        c = self.class_index
        families = [self.family(*family)[1] for family in enumerate(parents)]
        return (*families[:c], (), *families[c:])


def with_class(phi: Phi, class_index: int) -> WithClass:
    """Score of the attributes alone, each with the class as a parent (Carvalho 2009, section 3).

    Attributes are numbered 0 to n - 2 in the order of the variables without the class: attribute a is
    variable a before the class, variable a + 1 after it (`variable(a)`). Any learner learns a classifier with this φ.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score on all n variables.
    class_index : int
        The class C.

    Raises
    ------
    ValueError
        If the index is negative, or beyond the variables of a φ whose `n` is known.
    TypeError
        If it is not an integer.

    Examples
    --------
    >>> with_class(lambda child, parents: print(child, parents), class_index=1)(2, (0, 1))
    3 (0, 1, 2)
    """
    try:
        index = operator.index(class_index)
    except TypeError:
        raise TypeError(
            f"class_index={class_index!r}: a variable's number is needed, such as names.index(name)."
        ) from None
    scores = as_local_scores(phi)
    n = scores.n
    if index < 0 or (n is not None and index >= n):
        raise ValueError(f"class_index={index}: variables are numbered from 0{f' to {n - 1}' if n else ''}.")
    return WithClass(scores, index)
