"""Interface of tests to constraint-based learners, and the only code that counts their calls.

E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network super-structures, section 3:
the function Dep, the cache C, and the number of statistical calls, NSC, of section 4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

Pair: TypeAlias = tuple[int, int]
Test: TypeAlias = tuple[int, int, tuple[int, ...]]
Unreliable: TypeAlias = Literal["independent", "skip"]
UNRELIABLE = ("independent", "skip")

NOT_PERFORMED = -1.0
UNDECIDED = -2.0
"""Strength of a test with too few rows, and of a test that finds neither dependence nor independence."""
SPARSE_ROWS_PER_CELL = 2.0
"""Rows per cell below which a test given other variables uses the mean of G2 as its degrees of freedom, if tests with
too few rows count."""

K = TypeVar("K")
V = TypeVar("V")

_SETS_TOGETHER = 64  # in the search for a separator
_MISSING: Any = object()


@runtime_checkable
class Tester(Protocol):
    """Test of dependence: on data (`G2Tester`) or on a true graph (`DSeparation`)."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""

    def strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        """Strength of the dependence of x and y given z: a pure function, symmetric in x and y.

        Parameters
        ----------
        x, y : int
        z : tuple of int
            Ascending.

        Returns
        -------
        float
            Positive under dependence, greater if it is more certain; 0 under independence; `NOT_PERFORMED` if there
            are too few rows, `UNDECIDED` if the test finds neither.
        """


class BatchTester(ABC):
    """Base of a `Tester` that makes many tests in less time together."""

    @abstractmethod
    def strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        """Strength of the dependence (see `Tester.strength`)."""

    @abstractmethod
    def prepare(self, tests: Sequence[Test], *, stop: bool = False) -> None:
        """Make tests (x, y, z) of which `strength` will be asked next; z ascending.

        With `stop`, tests after the first that finds independence are not asked for.
        """


class Ledger(Mapping[K, V]):
    """Dictionary without deletions whose copies share the entries written before the copy.

    Every entry is appended to a list, and a copy stores the length of the list. The first copy that is written to
    continues the list. Another copy rebuilds its entries from its part of the list when it is written to or read.

    Examples
    --------
    >>> before = Ledger({"a": 1})
    >>> after = before.copy()
    >>> after["a"] = 2
    >>> before["a"], after["a"]
    (1, 2)
    """

    __slots__ = ("_keys", "_now", "_size", "_values")

    def __init__(self, entries: Mapping[K, V] | None = None) -> None:
        self._start(dict(entries or {}))

    def _start(self, entries: dict[K, V]) -> None:
        self._now = entries
        self._keys = list(entries)
        self._values = list(entries.values())
        self._size = len(entries)

    def copy(self) -> Ledger[K, V]:
        """Independent copy."""
        other: Ledger[K, V] = Ledger.__new__(Ledger)
        other._now, other._keys, other._values, other._size = self._now, self._keys, self._values, self._size
        return other

    def to_dict(self) -> dict[K, V]:
        """Entries as a plain dictionary, also while another thread writes to a copy."""
        return dict(zip(islice(self._keys, self._size), islice(self._values, self._size), strict=True))

    def get(self, key: K, default: Any = None) -> Any:
        """Value of a key, or the default."""
        if self._size != len(self._values):  # a copy has gone on with the list
            self._start(self.to_dict())
        return self._now.get(key, default)

    def __contains__(self, key: object) -> bool:
        return self.get(key, _MISSING) is not _MISSING  # type: ignore[arg-type]

    def __getitem__(self, key: K) -> V:
        value: V = self.get(key, _MISSING)
        if value is _MISSING:
            raise KeyError(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        if self._size != len(self._values):  # a copy has gone on with the list
            self._start(self.to_dict())
        self._now[key] = value
        self._keys.append(key)
        self._values.append(value)
        self._size += 1

    def __iter__(self) -> Iterator[K]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    def __repr__(self) -> str:
        return f"Ledger({self.to_dict()!r})"

    def __reduce__(self) -> tuple[type[Ledger[K, V]], tuple[dict[K, V]]]:
        return Ledger, (self.to_dict(),)


@dataclass
class Calls:
    """Results of the calls of a search so far.

    Attributes
    ----------
    nsc : int
        Number of statistical calls: tests evaluated, repeats included.
    not_performed : int
        Calls that were not evaluated because there were too few rows.
    separators : Ledger of (int, int) to tuple of int
        For each pair ever found independent, the first of the smallest sets that separated it.
    weakest : Ledger of (int, int) to (float, tuple of int)
        For each pair ever found dependent, the least strength and the set that was given.
    remembered : Ledger
        Strengths that need not be computed again, by pair and set: the algorithm's own cache.
    """

    nsc: int = 0
    not_performed: int = 0
    separators: Ledger[Pair, tuple[int, ...]] = field(default_factory=Ledger)
    weakest: Ledger[Pair, tuple[float, tuple[int, ...]]] = field(default_factory=Ledger)
    remembered: Ledger[tuple[int, ...], float] = field(default_factory=Ledger)

    def copy(self) -> Calls:
        """Independent copy, which takes constant time."""
        return Calls(self.nsc, self.not_performed, self.separators.copy(), self.weakest.copy(), self.remembered.copy())


class Dep:
    """The degree of dependence dep(x, y, z), counting its calls.

    Parameters
    ----------
    tester : Tester
    calls : Calls
        Updated by every call.
    unreliable : {"independent", "skip"}
        Result of a test that has too few rows or is undecided: "independent" returns 0, as all five algorithms do
        according to the paper; "skip" returns `NOT_PERFORMED`, which is below 0 and so neither separates (``== 0``)
        nor admits (``> 0``).
    remember_below : int
        The algorithm's own cache keeps results for sets z of fewer variables than this; a repeat is not a call.

    Examples
    --------
    >>> from bnlab.citests import DSeparation
    >>> from bnlab.graphs import Dag
    >>> dep = Dep(DSeparation(Dag.from_edges("XYZ", [("X", "Z"), ("Z", "Y")])), Calls())
    >>> dep(0, 1), dep(0, 1, (2,)), dep.calls.nsc
    (1.0, 0.0, 2)
    """

    def __init__(
        self, tester: Tester, calls: Calls, *, unreliable: Unreliable = "independent", remember_below: int = 0
    ) -> None:
        if unreliable not in UNRELIABLE:
            raise ValueError(f"unreliable={unreliable!r}: the rules are {', '.join(map(repr, UNRELIABLE))}")
        self.calls = calls
        self.remember_below = remember_below
        self._strength = tester.strength
        self._prepare = tester.prepare if isinstance(tester, BatchTester) else None
        self._if_not_performed = 0.0 if unreliable == "independent" else NOT_PERFORMED

    def __call__(self, x: int, y: int, z: tuple[int, ...] = ()) -> float:
        """Strength of dependence: positive, 0, or `NOT_PERFORMED` under "skip"; `z` in any order."""
        pair = (x, y) if x < y else (y, x)
        if len(z) > 1:
            z = tuple(sorted(z))
        if len(z) >= self.remember_below:
            return self._test(pair, x, y, z)
        key = pair + z
        strength: float | None = self.calls.remembered.get(key)
        if strength is None:
            strength = self.calls.remembered[key] = self._test(pair, x, y, z)
        return strength

    def separates(self, x: int, y: int, z: tuple[int, ...]) -> bool:
        """Whether z, in any order, separates x and y."""
        return self(x, y, z) == 0

    def prepare(self, tests: Iterable[Test], *, stop: bool = False) -> None:
        """Announce calls, so that a tester can make their tests together. They count when they are made.

        With `stop`, the calls end with the first that finds independence.
        """
        if self._prepare is not None:
            remembered, below = self.calls.remembered, self.remember_below
            new = [test for test in tests if len(test[2]) >= below or _key(*test) not in remembered]
            self._prepare(new, stop=stop)

    def prepare_group(self, x: int, others: Iterable[int], z: tuple[int, ...] = ()) -> None:
        """Announce the calls of x with each of some others given z, in any order."""
        if self._prepare is not None:
            z = tuple(sorted(z))
            tests = [(x, y, z) for y in others]
            if len(z) < self.remember_below:
                self.prepare(tests)
            else:
                self._prepare(tests)

    def separator(self, x: int, y: int, sets: Iterable[tuple[int, ...]]) -> tuple[int, ...] | None:
        """First of some sets that separates x and y; None if none does. The sets after it are not called."""
        left = iter(sets)
        while some := list(islice(left, _SETS_TOGETHER)):
            if self._prepare is not None:
                self.prepare([(x, y, z if len(z) < 2 else tuple(sorted(z))) for z in some], stop=True)
            for z in some:
                if self(x, y, z) == 0:
                    return z
        return None

    def _test(self, pair: Pair, x: int, y: int, z: tuple[int, ...]) -> float:
        calls = self.calls
        strength = self._strength(x, y, z)
        if strength == NOT_PERFORMED:
            calls.not_performed += 1
        else:
            calls.nsc += 1
        if strength < 0:
            strength = self._if_not_performed
        if strength == 0:
            known = calls.separators.get(pair)
            if known is None or len(z) < len(known):
                calls.separators[pair] = z
        elif strength > 0:
            least = calls.weakest.get(pair)
            if least is None or strength < least[0]:
                calls.weakest[pair] = (strength, z)
        return strength


def _key(x: int, y: int, z: tuple[int, ...]) -> tuple[int, ...]:
    return (x, y, *z) if x < y else (y, x, *z)
