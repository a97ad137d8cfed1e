"""The local score of a slice: each variable with the best parents from the past.

With it a learner of networks learns a slice, as with `with_class` it learns a classifier: the optimal branching under
this score is the tDBN, and a consistent k-graph under it the cDBN or, in breadth-first order, the bcDBN.

References
----------
J. L. Monteiro, S. Vinga, A. M. Carvalho. Polynomial-time algorithm for learning optimal tree-augmented dynamic Bayesian
networks. UAI 2015.
M. Sousa, A. M. Carvalho. Polynomial-time algorithm for learning optimal BFS-consistent dynamic Bayesian networks.
Entropy 20:274, 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from bnlab._runtime.values import at_least
from bnlab.counts.types import Family
from bnlab.learners.subsets import count_subsets
from bnlab.learners.types import ROUNDING, Floats, evaluate
from bnlab.scores import LocalScores
from bnlab.scores.function import LocalScoreFunction

AT_ONCE = 1 << 14
"""Families that are scored together."""
MOST = 1 << 20
"""Greatest number of sets of past parents."""


class WithPast(LocalScoreFunction):
    """φ'(i, Π) = max over the sets S of at most p variables of the past of φ(i, Π ∪ S).

    Variables of the slice are numbered 0 to n - 1. Of sets that tie, the smallest counts, then the first.

    Parameters
    ----------
    phi : LocalScores
        Local score of a table of several slices.
    present, past : sequence of str
        Variables of the slice, and those that may be parents of each of them.
    p : int
        Greatest number of parents from the past, 0 or more.

    Raises
    ------
    ValueError
        If p is negative, a name is unknown, or there are too many sets.
    TypeError
        If p is not an integer.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> table = Table([Variable("x[t-1]", (0, 1)), Variable("x[t]", (0, 1))], [[0, 1] * 20, [1, 0] * 20])
    >>> from bnlab.scores import BIC
    >>> phi = WithPast(LocalScores(table, BIC()), ["x[t]"], ["x[t-1]"], 1)
    >>> phi.past_of(0, ())
    ('x[t-1]',)
    """

    def __init__(self, phi: LocalScores, present: Sequence[str], past: Sequence[str], p: int) -> None:
        at_least("p", p, 0)
        if count_subsets(len(past), p) > MOST:
            raise ValueError(
                f"{count_subsets(len(past), p):.1e} sets of at most {p} of {len(past)} variables of the past are too "
                "many to score for each family: lower p, or the lags of the panel."
            )
        self.phi, self.n, self.names = phi, len(present), tuple(present)
        self.threads, self.by_passes = phi.threads, phi.by_passes
        place = {name: i for i, name in enumerate(phi.names)}
        self._present = [place[name] for name in present]
        nodes = sorted(place[name] for name in past)
        self._sets = [some for size in range(min(p, len(nodes)) + 1) for some in combinations(nodes, size)]
        self._best: dict[Family, tuple[float, tuple[int, ...]]] = {}

    def __call__(self, child: int, parents: tuple[int, ...], /) -> float:
        """Score of one family of the slice; greater is better."""
        return float(self.many([(child, parents)])[0])

    def many(self, families: Sequence[Family]) -> Floats:
        """Scores of many families of the slice, shape (families,)."""
        missing = [family for family in dict.fromkeys(families) if family not in self._best]
        step = max(1, AT_ONCE // len(self._sets))
        for begin in range(0, len(missing), step):
            self._score(missing[begin : begin + step])
        return np.array([self._best[family][0] for family in families], dtype=np.float64)

    def past_of(self, child: int, parents: tuple[int, ...]) -> tuple[str, ...]:
        """Names of the best parents from the past of a family of the slice."""
        self.many([(child, parents)])
        return tuple(self.phi.names[v] for v in self._best[child, parents][1])

    def _score(self, families: Sequence[Family]) -> None:
        every = []
        for child, parents in families:
            own = [self._present[u] for u in parents]
            every += [(self._present[child], tuple(sorted((*some, *own)))) for some in self._sets]
        values = evaluate(self.phi, every, once=True).reshape(len(families), len(self._sets))
        tied = values >= values.max(axis=1, keepdims=True) - ROUNDING * np.abs(values).max(axis=1, keepdims=True)
        self.misses += len(every)
        for family, row, first in zip(families, values, tied.argmax(axis=1).tolist(), strict=True):
            self._best[family] = float(row[first]), self._sets[first]
