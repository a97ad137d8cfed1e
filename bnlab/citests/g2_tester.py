"""Tests of independence on data: the G2 test with its significance level and its minimum number of rows.

E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network super-structures, section 4:
G2 at the level alpha, not performed with fewer than 5 rows on average per cell.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate, takewhile
from math import log
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import xlogy

from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import reraise_interrupt
from bnlab._runtime.names import check_known
from bnlab.citests.g2 import G2, DegreesOfFreedom, by_states, check_df, log_p_value
from bnlab.citests.tester import (
    NOT_PERFORMED,
    SPARSE_ROWS_PER_CELL,
    BatchTester,
    Test,
)
from bnlab.counts.memory import MemorySource
from bnlab.counts.source import DataLike, count_source
from bnlab.counts.types import FamilyCounts, IntArray

FewRows: TypeAlias = Literal["skip", "dependence"]
FEW_ROWS = ("skip", "dependence")

ALPHA = 0.05
ROWS_PER_CELL = 5.0
MEMO = 1 << 17

_DENSE_CELLS = 1 << 16
_DENSE_CELLS_PER_ROW = 5


@dataclass(frozen=True)
class CITest:
    """One test, with everything that decides it.

    Attributes
    ----------
    x, y : str
    z : tuple of str
    table : ndarray of int64, shape (strata, r_x, r_y)
        Counts in each configuration of z; only those that occur if most do not.
    outcome : G2
        Result, even if the test is not performed.
    performed : bool
        Whether there are enough rows.
    dependent : bool
        Whether the test is performed and its p-value is at most alpha.
    """

    x: str
    y: str
    z: tuple[str, ...]
    table: IntArray
    outcome: G2
    performed: bool
    dependent: bool


class G2Tester(BatchTester):
    """Strength of dependence in data: -ln p of the G2 test where p is at most alpha, else 0.

    The strength is computed without underflow, so that it ranks dependences whose p-values are all 0.0.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
    alpha : float
        Level of significance, between 0 and 1.
    df : {"adjusted", "plain"}
        Degrees of freedom, see `bnlab.citests.g2.g2`. A constant column has none and is independent of everything
        (under "plain" its statistic is 0).
    rows_per_cell : float
        A test has too few rows if there are fewer than this many times r_x r_y times the declared arities of z. With
        0, every test has enough.
    few_rows : {"skip", "dependence"}
        Treatment of a test with too few rows. "skip": it is not performed. "dependence": it counts if it finds
        dependence, up to five cells a row. Given nothing, or with fewer than two rows a cell, its adjusted degrees of
        freedom are the mean of G2 under independence, `expected_g2`. The test has little power: finding no dependence
        counts only if each degree of freedom has ten rows and the p-value is above 0.15, and for pairs given nothing,
        for which there is no better test. A test given other variables that has no degree of freedom decides nothing,
        with any number of rows: given a variable that determines x, x does not vary.
    separating_alpha : float, optional
        A test given other variables finds independence if its p-value is greater than this, by default `alpha`.
        Between the two levels it decides nothing: p-values are not evidence for independence, and a pair is tested
        given many sets, any of which can separate it.
    memo : int
        Number of cached strengths. It affects speed alone, not the number of calls that a learner counts. With 0,
        only those of the latest batch are cached.

    Raises
    ------
    ValueError
        If alpha is not between 0 and 1, `separating_alpha` not between alpha and 1, `df` or `few_rows` is unknown or
        `rows_per_cell` is negative.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> bit = ("0", "1")
    >>> columns = [0] * 15 + [1] * 15, [0] * 10 + [1] * 5 + [0] * 3 + [1] * 12
    >>> tester = G2Tester(Table([Variable("X", bit), Variable("Y", bit)], columns))
    >>> round(tester.strength(0, 1, ()), 6)
    4.77967
    >>> tester.test("X", "Y").table.tolist()
    [[[10, 5], [3, 12]]]
    """

    def __init__(
        self,
        data: DataLike,
        alpha: float = ALPHA,
        *,
        df: DegreesOfFreedom = "adjusted",
        rows_per_cell: float = ROWS_PER_CELL,
        few_rows: FewRows = "skip",
        separating_alpha: float | None = None,
        memo: int = MEMO,
    ) -> None:
        if not (isinstance(alpha, float | Real) and 0 < alpha < 1):
            raise ValueError(f"alpha={alpha!r}: a level of significance lies between 0 and 1, such as 0.05")
        self.separating_alpha = alpha if separating_alpha is None else separating_alpha
        if not (isinstance(self.separating_alpha, float | Real) and alpha <= self.separating_alpha < 1):
            raise ValueError(f"separating_alpha={separating_alpha!r}: it lies between alpha={alpha!r} and 1")
        if not (isinstance(rows_per_cell, float | Real) and rows_per_cell >= 0):
            raise ValueError(f"rows_per_cell={rows_per_cell!r}: a number that is not negative; 0 performs every test")
        check_df(df)
        if few_rows not in FEW_ROWS:
            raise ValueError(f"few_rows={few_rows!r}: the rules are {', '.join(map(repr, FEW_ROWS))}")
        self.source = count_source(data)
        self.source.check_same_rows("a test of independence")
        if not self.source.whole:
            raise ValueError(
                "a test of independence counts whole rows, and some weights are fractions: learn with a score, as by "
                "bnlab.learn(data), or round the weights, table.with_weights(table.weights.round())."
            )
        self.alpha = alpha
        self.df = df
        self.rows_per_cell = rows_per_cell
        self.memo = memo
        self._least = rows_per_cell if few_rows == "skip" else min(rows_per_cell, 1 / _DENSE_CELLS_PER_ROW)
        self._in_memory = self.source if isinstance(self.source, MemorySource) else None
        self._n_rows = int(self.source.n_rows)
        self._dense_cells = max(_DENSE_CELLS, _DENSE_CELLS_PER_ROW * self._n_rows)
        self._arrange(range(len(self.source.names)))

    def strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        """Strength of dependence in nats (see `Tester.strength`)."""
        test = (x, y, z) if x < y else (y, x, z)
        known = self._known.get(test)
        if known is None:
            known = self._make([(x, y, z)])[test]
        return known

    def prepare(self, tests: Sequence[Test], *, stop: bool = False) -> None:
        """Make tests together and cache their strengths: x, y, and z ascending."""
        self._make(tests, stop=stop)

    def test(self, x: str, y: str, z: Sequence[str] = ()) -> CITest:
        """Test two variables given others, and return the table and everything that decides the test.

        Raises
        ------
        ValueError
            If a name is unknown or named twice.
        """
        at = [self._index(name) for name in (x, y, *z)]
        if len(set(at)) < len(at):
            raise ValueError(f"test of {x!r}, {y!r} given {tuple(z)!r}: a variable is named twice")
        x_at, y_at, z_at = at[0], at[1], tuple(at[2:])
        cells = self._cells(x_at, y_at, z_at)
        table = self._table(x_at, y_at, z_at, cells)
        performed = self._n_rows >= self._least * cells
        rules = self._rules if performed else self._rules._replace(mean_below=0.0, mean_below_given=0.0)
        statistic, df, _ = self._outcome((x_at, y_at, z_at), table, rules)
        outcome = G2(statistic, df, log_p_value(statistic, df))
        dependent = performed and outcome.log_p <= log(self.alpha)
        return CITest(x, y, tuple(z), table, outcome, performed, dependent)

    def determines(self, z: Sequence[int], x: int) -> bool:
        """Whether x has one state in each joint state of z that occurs."""
        (counts,) = self.source.count([(self.columns[x], tuple(self.columns[v] for v in z))])
        return bool((np.count_nonzero(counts.table, axis=1) <= 1).all())

    def by_entropy(self) -> G2Tester:
        """Tester with the same rules whose variables are in the order of their entropy, equal ones by name.

        This order does not depend on the order of the columns. Variable k is column ``columns[k]``.

        Examples
        --------
        >>> from bnlab.networks import cancer
        >>> G2Tester(cancer().sample(500, seed=1)).by_entropy().names
        ('Cancer', 'Pollution', 'Xray', 'Smoker', 'Dyspnoea')
        """
        columns, names = range(len(self.source.names)), self.source.names
        counts = self.source.count([(v, ()) for v in columns])
        tables = [np.sort(of_v.table.ravel()) for of_v in counts]  # unobserved states first, whose zeros change no sum
        terms = xlogy(together := np.concatenate(tables), together / self._n_rows).tolist()
        entropies = [
            -sum(terms[end - len(table) : end]) for table, end in zip(tables, accumulate(map(len, tables)), strict=True)
        ]
        other = copy(self)
        other._arrange(sorted(columns, key=lambda v: (entropies[v], names[v])))
        return other

    def _arrange(self, columns: Sequence[int]) -> None:
        """Let variable k be column ``columns[k]``."""
        self.columns = tuple(columns)
        self._columns = np.array(columns, dtype=np.int64)
        self.names = tuple(self.source.names[v] for v in columns)
        self._arities = tuple(self.source.arities[v] for v in columns)
        self._known: dict[Test, float] = {}

    def largest_order(self) -> int | None:
        """Greatest number of variables given in a test with enough rows; None if `rows_per_cell` sets no bound."""
        if self.rows_per_cell == 0:
            return None
        arities = sorted(arity for arity in self._arities if arity > 1)
        cells = accumulate(arities, operator.mul)
        fitting = takewhile(lambda of_first: of_first * self.rows_per_cell <= self._n_rows, cells)
        return max(sum(1 for _ in fitting) - 2, 0)

    def _index(self, name: str) -> int:
        check_known(name, self.names, f"no variable {name!r}")
        return self.names.index(name)

    def _cells(self, x: int, y: int, z: tuple[int, ...]) -> int:
        arities = self._arities
        cells = arities[x] * arities[y]
        for v in z:
            cells *= arities[v]
        return cells

    def _make(self, tests: Sequence[Test], *, stop: bool = False) -> dict[Test, float]:
        """Make those of some tests that are not cached; the cache, whose keys have the smaller of x and y first."""
        known, n_rows, least = self._known, self._n_rows, self._least
        if len(known) + len(tests) > self.memo:
            known = self._known = {}
        members: list[int] = []
        begins, keys, large = [0], [], []
        for test in tests:
            x, y, z = test
            key = test if x < y else (y, x, z)
            if key in known:
                if stop and known[key] == 0:
                    break
                continue
            self._check(key)
            cells = self._cells(x, y, z)
            if n_rows < least * cells:
                known[key] = NOT_PERFORMED
            elif cells <= self._dense_cells and self._in_memory is not None:
                members += (*z, x, y)
                begins.append(len(members))
                keys.append(key)
            else:
                large.append(key)
        found = self._from_rows(members, begins, stop) if keys else []
        known.update(zip(keys, found, strict=False))
        if large and not (stop and found and found[-1] == 0):
            known.update(zip(large, self._from_counts(large), strict=True))
        return known

    def _check(self, test: Test) -> None:
        x, y, z = test
        n = len(self._arities)
        if x < 0 or y >= n or (z and (z[0] < 0 or z[-1] >= n)):
            raise ValueError(f"test of {(x, y)} given {z}: the variables are 0..{n - 1}")

    def _from_rows(self, members: list[int], begins: list[int], stop: bool) -> list[float]:
        """Strength of each test that was made, from the rows of a table in memory; see `g2_batch`."""
        from bnlab.engine.tests import g2_batch

        assert self._in_memory is not None
        results = np.empty((len(begins) - 1, 3))
        variables, ends = self._columns[members], np.array(begins)
        try:
            made = g2_batch(self._in_memory.rows, self._terms, self._rules, variables, ends, stop, results)
        except (SystemError, RuntimeError) as error:
            reraise_interrupt(error)
            raise
        strengths: list[float] = results[:made, 2].tolist()
        return strengths

    def _from_counts(self, tests: Sequence[Test]) -> Iterator[float]:
        """Strength of each test, from the counts of any source, in one pass; strata without rows are left out."""
        for test, counts in zip(tests, self._count(tests), strict=True):
            yield self._outcome(test, _strata(counts, self._arities[test[0]]), self._rules)[2]

    def _outcome(self, test: Test, table: IntArray, rules: Any) -> tuple[float, float, float]:
        """Statistic, degrees of freedom and strength of a test, from a table of shape (strata, r_x, r_y)."""
        from bnlab.engine.tests import outcome

        x, y, z = test
        counts, cells = by_states(table), self._cells(x, y, z)
        found: tuple[float, float, float] = outcome(counts, table.shape[1], cells, z != (), self._terms, rules)
        return found

    def _count(self, tests: Sequence[Test]) -> list[FamilyCounts]:
        """Counts of the family (y, (*z, x)) of each test."""
        columns = self.columns
        return self.source.count([(columns[y], tuple(columns[v] for v in (*z, x))) for x, y, z in tests])

    @cached_property
    def _terms(self) -> Any:
        from bnlab.engine.tests import terms_of

        return terms_of(self._n_rows)

    @cached_property
    def _rules(self) -> Any:
        from bnlab.engine.tests import G2Rules

        rows, is_plain = float(self.rows_per_cell), self.df == "plain"
        mean_below = 0.0 if is_plain else rows
        return G2Rules(
            is_plain,
            rows,
            float(self._least),
            mean_below,
            min(mean_below, SPARSE_ROWS_PER_CELL),
            log(self.alpha),
            log(self.separating_alpha),
        )

    def _table(self, x: int, y: int, z: tuple[int, ...], cells: int) -> IntArray:
        """Counts, shape (strata, r_x, r_y); tables far larger than the data leave out empty strata."""
        counts = self._count([(x, y, z)])[0]
        if cells <= self._dense_cells:
            return counts.dense().reshape(-1, self._arities[x], self._arities[y])
        return _strata(counts, self._arities[x])


def _strata(counts: FamilyCounts, r_x: int) -> IntArray:
    """Counts of a test of shape (strata, r_x, r_y), from those of the family (y, (*z, x))."""
    strata, where = np.unique(counts.configurations // r_x, return_inverse=True)
    table = np.zeros((len(strata), r_x, counts.r), dtype=np.int64)
    table[where, counts.configurations % r_x] = counts.table
    return table
