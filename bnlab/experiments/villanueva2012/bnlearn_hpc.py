"""HPC as R's bnlearn (5.2) runs it, replayed to say at which step it drops an edge that HPC here keeps.

M. Gasse, A. Aussem and H. Elghazel (2014), A hybrid algorithm for Bayesian network structure learning with application
to multi-label learning, Expert Systems with Applications 41, 6755-6772: Markov blankets come from IAMB under control of
the false discovery rate (J. M. Peña, 2008, Learning Gaussian graphical models of gene networks with false discovery
rate control, EvoBIO, 165-176).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Literal, TypeAlias

from bnlab._runtime.names import check_known
from bnlab.citests.g2 import DegreesOfFreedom
from bnlab.citests.g2_tester import ALPHA, ROWS_PER_CELL, G2Tester
from bnlab.citests.tester import NOT_PERFORMED
from bnlab.counts.source import CountSource
from bnlab.data.table import Table
from bnlab.skeletons.search import joined, subsets

MARGINAL = "independent given nothing"
ONE = "separated by one variable"
BLANKET = "independent given the blanket"
FALSE_DISCOVERY = "above the threshold of the false discovery rate"
FEW_ROWS = "too few rows for the test given the blanket"
ITSELF = "tested given itself"
SUBSET = "separated within the blanket"

SecondLook: TypeAlias = Literal["as in R", "from nothing"]
SECOND_LOOKS = ("as in R", "from nothing")

_ALMOST_ONE = 1 - 1e-15  # a level under which every test answers with its p-value


@dataclass(frozen=True)
class Refusal:
    """What took one end of a pair from the neighbours of the other.

    Attributes
    ----------
    target, other : str
        Whose search it was, and what it dropped.
    around : str
        The variable whose neighbours were wanted: the target, or the other one, which takes a second look from the
        target at what it has dropped itself.
    step : str
    given : tuple of str
        Set of the deciding test.
    p_value, bound : float
        Of that test, and the greatest p-value that would have passed.
    """

    target: str
    other: str
    around: str
    step: str
    given: tuple[str, ...]
    p_value: float
    bound: float

    def __repr__(self) -> str:
        """The sentence."""
        look = "" if self.around == self.target else f", in the second look for {self.around}"
        given = f"{{{', '.join(self.given)}}}" if self.given else "nothing"
        numbers = f"p = {self.p_value:.2g} > {self.bound:.2g}"
        return f"{self.target} drops {self.other}{look}: {self.step}, given {given}, {numbers}"


class BnlearnHPC:
    """HPC of every variable in R's version, with a note of each step that dropped a candidate.

    It sorts candidates by p-value, tests the blanket's members and candidates against thresholds that control the
    false discovery rate, and keeps an edge that both ends find. `max.sx` is not set.

    Parameters
    ----------
    data : Table or CountSource
    df, rows_per_cell
        See `G2Tester`: the defaults are R's "mi-adf", "plain" and 0 its "mi".
    alpha : float
    second_look : {"as in R", "from nothing"}
        R begins the blanket of a variable that takes a second look with the two strongest neighbours of the first one.
        "from nothing" shows what that changes.

    Attributes
    ----------
    names : tuple of str
    found : tuple of tuple of int
        What the search from each end finds, before the ends are compared.
    tests : int
        Tests made, repeats and those with too few rows included.

    Examples
    --------
    >>> from bnlab.networks import cancer
    >>> replay = BnlearnHPC(cancer().sample(20_000, seed=1))
    >>> replay.edges
    (('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))
    >>> replay.refusals("Xray", "Dyspnoea")[0].step
    'separated by one variable'
    """

    def __init__(
        self,
        data: Table | CountSource,
        *,
        df: DegreesOfFreedom = "adjusted",
        alpha: float = ALPHA,
        rows_per_cell: float = ROWS_PER_CELL,
        second_look: SecondLook = "as in R",
    ) -> None:
        check_known(second_look, SECOND_LOOKS, f"second_look={second_look!r}")
        self._tester = G2Tester(data, _ALMOST_ONE, df=df, rows_per_cell=rows_per_cell)
        self.names = self._tester.names
        self.alpha = alpha
        self._is_as_in_r = second_look == "as in R"
        self.tests = 0
        self._refusals: dict[tuple[int, int, int], Refusal] = {}
        self.found = tuple(tuple(self._neighbours(t)) for t in range(len(self.names)))

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs that find each other, in the order of the columns."""
        return tuple((self.names[i], self.names[j]) for i, j in sorted(joined(self.found, "and")))

    def refusals(self, a: str, b: str) -> tuple[Refusal, ...]:
        """Why a pair is not joined: the steps at which an end lost the other and did not find it again.

        Raises
        ------
        ValueError
            If a name is unknown.
        """
        for name in (a, b):
            check_known(name, self.names, f"no variable {name!r}")
        i, j = self.names.index(a), self.names.index(b)
        return tuple(
            self._refusals[key]
            for t, x in ((i, j), (j, i))
            if x not in self.found[t]
            for key in ((t, x, t), (x, t, t))
            if key in self._refusals
        )

    def _neighbours(self, t: int) -> list[int]:
        p, separators = self._superset(t)
        pc = list(p)
        spouses = self._spouses(t, pc, separators) if len(pc) > 1 else []
        if len(pc) < 2 or (len(pc) == 2 and not spouses):
            return pc
        scope, start = [t, *pc, *spouses], sorted(pc, key=p.__getitem__)[:2]
        found = self._search(t, t, scope, start)
        for x in pc:
            if x not in found and t in self._search(x, t, scope, start if self._is_as_in_r else []):
                found.append(x)
        return found

    def _superset(self, t: int) -> tuple[dict[int, float], dict[int, int]]:
        """Greatest p-values of the variables that no set of fewer than two separates from t; separators of one."""
        marginal = {x: self._p(t, x, ()) for x in range(len(self.names)) if x != t}
        for x, p in marginal.items():
            if p > self.alpha:
                self._note(t, x, t, MARGINAL, (), p, self.alpha)
        weakest_first = sorted((x for x, p in marginal.items() if p <= self.alpha), key=lambda x: -marginal[x])
        greatest = {x: marginal[x] for x in weakest_first}
        separators: dict[int, int] = {}
        for x in weakest_first:
            for y in sorted(greatest, key=greatest.__getitem__):
                if y == x:
                    continue
                p = self._p(t, x, (y,))
                if p > self.alpha:
                    self._note(t, x, t, ONE, (y,), p, self.alpha)
                    del greatest[x]
                    separators[x] = y
                    break
                greatest[x] = max(greatest[x], p)
        return greatest, separators

    def _spouses(self, t: int, pc: Sequence[int], separators: dict[int, int]) -> list[int]:
        """Other variables that depend on t once some x of `pc` is given with their separator."""
        spouses: dict[int, None] = {}
        for x in pc:
            p: dict[int, float] = {}
            for y in range(len(self.names)):
                if y == t or y in pc or separators.get(y) == x:
                    continue
                given = (separators[y], x) if y in separators else (x,)
                if (value := self._p(t, y, given)) <= self.alpha:
                    p[y] = value
            left = sorted(p, key=lambda y: -p[y])
            for y in list(left):
                if any(self._p(t, y, (x, z)) > self.alpha for z in left if z != y):
                    left.remove(y)
            spouses.update(dict.fromkeys(left))
        return list(spouses)

    def _search(self, x: int, around: int, scope: Sequence[int], start: Sequence[int]) -> list[int]:
        """Neighbours of x within the scope of a target, x itself or another one that looks for x a second time.

        Of the two variables that a second look begins with x may be one: given itself it depends on nothing, and
        nothing joins its blanket.
        """
        blanket = self._blanket(x, around, [v for v in scope if v != x], start)
        if x != around and around not in blanket:
            return []
        return [v for v in blanket if v != x and not self._separated(x, around, v, blanket)]

    def _blanket(self, x: int, around: int, scope: Sequence[int], start: Sequence[int]) -> list[int]:
        """IAMB whose threshold for the k-th smallest of m p-values is alpha k / (m (1 + 1/2 + ... + 1/m)).

        A blanket that comes back ends it. R goes on without the variable moved last, which no data made necessary.
        """
        m = len(scope)
        share = self.alpha / (m * sum(1 / k for k in range(1, m + 1)))
        blanket = list(start)
        seen: list[set[int]] = []
        added: int | None = None
        removed: int | None = None
        while True:
            if set(blanket) in seen:
                return blanket
            seen.append(set(blanket))
            p = {v: self._p(x, v, _without(blanket, v)) for v in scope}
            ranked = sorted(scope, key=p.__getitem__)
            bound = {v: share * (k + 1) for k, v in enumerate(ranked)}
            refused = [v for v in reversed(ranked) if p[v] > bound[v]]
            weak = next((v for v in refused if v in blanket and v != added), None)
            if weak is not None:
                self._note_greedy(x, weak, around, _without(blanket, weak), p[weak], bound[weak])
                blanket.remove(weak)
                added, removed = None, weak
                continue
            passing = (v for v in ranked if v not in blanket and v != removed)
            strong = next((v for v in passing if p[v] <= bound[v]), None)
            if strong is None:
                for v in refused:
                    self._note_greedy(x, v, around, _without(blanket, v), p[v], bound[v])
                return blanket
            blanket.append(strong)
            added, removed = strong, None

    def _separated(self, x: int, around: int, v: int, blanket: Sequence[int]) -> bool:
        """Whether a subset of the blanket separates one of its members."""
        for given in subsets(_without(blanket, v), len(blanket)):
            p = self._p(x, v, given)
            if p >= self.alpha:
                self._note(x, v, around, SUBSET, given, p, self.alpha)
                return True
        return False

    def _p(self, x: int, y: int, given: tuple[int, ...]) -> float:
        """P-value; 1 for a test without rows enough, and for one given a variable that it tests."""
        self.tests += 1
        if x in given or y in given:
            return 1.0
        return exp(-max(self._tester.strength(x, y, tuple(sorted(given))), 0.0))

    def _note_greedy(self, x: int, v: int, around: int, given: tuple[int, ...], p: float, bound: float) -> None:
        if x in given:
            step = ITSELF
        elif self._tester.strength(x, v, tuple(sorted(given))) == NOT_PERFORMED:
            step = FEW_ROWS
        else:
            step = BLANKET if p > self.alpha else FALSE_DISCOVERY
        self._note(x, v, around, step, given, p, bound)

    def _note(self, x: int, v: int, around: int, step: str, given: tuple[int, ...], p: float, bound: float) -> None:
        target, other, centre, *z = (self.names[u] for u in (x, v, around, *given))
        self._refusals[x, v, around] = Refusal(target, other, centre, step, tuple(z), p, bound)


def _without(variables: Sequence[int], v: int) -> tuple[int, ...]:
    return tuple(u for u in variables if u != v)
