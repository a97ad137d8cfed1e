"""Tests of independence on data: the G2 test with its significance level and its minimum number of rows.

E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network super-structures, section 4:
G2 at the level alpha, not performed with fewer than 5 rows on average per cell.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, takewhile
from math import inf, log, nan, prod
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import xlogy

from bnlab._runtime.budget import check_pairs
from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import reraise_interrupt
from bnlab._runtime.names import check_known
from bnlab.citests.compiled.search import MAX_NODES, MAX_RESULTS, CompiledDep, TestRules, largest_set
from bnlab.citests.g2 import G2, DegreesOfFreedom, check_df, expected_g2, g2, log_p_value
from bnlab.citests.tester import (
    FEW_ROWS_ALPHA,
    FEW_ROWS_PER_DF,
    NOT_PERFORMED,
    SPARSE_ROWS_PER_CELL,
    UNDECIDED,
    Unreliable,
)
from bnlab.counts.engine.bitmaps import NO_BITS
from bnlab.counts.memory import MemorySource
from bnlab.counts.source import DataLike, count_source
from bnlab.counts.types import IntArray

FewRows: TypeAlias = Literal["skip", "dependence"]
FEW_ROWS = ("skip", "dependence")

ALPHA = 0.05
ROWS_PER_CELL = 5.0
MEMO = 1 << 17
BYTES_A_PAIR = 8

_PAIRS_TOGETHER = 2048
_DENSE_CELLS = 1 << 16
_DENSE_CELLS_PER_ROW = 5
_MAX_CACHED_SETS = 1 << 12
_LOG_FEW_ROWS_ALPHA = log(FEW_ROWS_ALPHA)


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


class G2Tester:
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
        only those of pairs given nothing are cached.

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
        if not rows_per_cell >= 0:
            raise ValueError(f"rows_per_cell={rows_per_cell}: it is not negative; 0 performs every test")
        check_df(df)
        if few_rows not in FEW_ROWS:
            raise ValueError(f"few_rows={few_rows!r}: the rules are {', '.join(map(repr, FEW_ROWS))}")
        from bnlab.citests.compiled import g2 as kernels

        self.source = count_source(data)
        self.source.check_same_rows("a test of independence")
        self.names = self.source.names
        self.alpha = alpha
        self._log_alpha, self._log_separating = log(alpha), log(self.separating_alpha)
        self.df = df
        self.rows_per_cell = rows_per_cell
        self._mean_g2_below = (
            (rows_per_cell, min(rows_per_cell, SPARSE_ROWS_PER_CELL)) if df == "adjusted" else (0.0, 0.0)
        )
        self._min_rows_per_cell = rows_per_cell if few_rows == "skip" else min(rows_per_cell, 1 / _DENSE_CELLS_PER_ROW)
        self._arities = self.source.arities
        self._n_rows = self.source.n_rows
        self._g2_of_strata, self._g2_of_pairs = kernels.g2_of_strata, kernels.g2_of_pairs
        self._expected_of_strata = kernels.expected_of_strata
        unit = kernels.unit_of(self._n_rows)
        terms = np.empty(min(self._n_rows + 1, kernels.MAX_TERMS), dtype=np.int64)
        kernels.write_terms(self._n_rows, unit, terms)
        self._terms = self._n_rows, unit, terms
        self._g2_given, self._unknown_variable = kernels.g2_given, kernels.UNKNOWN_VARIABLE
        self._in_memory = self.source if isinstance(self.source, MemorySource) else None
        self._dense_cells = max(_DENSE_CELLS, _DENSE_CELLS_PER_ROW * self._n_rows)
        check_pairs(len(self.names), BYTES_A_PAIR)
        self._given = lru_cache(maxsize=memo)(self._strength_given)

    def strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        """Strength of dependence in nats (see `Tester.strength`)."""
        try:
            if z:
                return self._given(x, y, z) if x < y else self._given(y, x, z)
            known = self._marginal[x][y]
            if known != known:
                self._test_marginally(x)
                known = self._marginal[x][y]
        except (SystemError, RuntimeError) as error:
            reraise_interrupt(error)
            raise
        return known

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
        plain = self._plain_df(x_at, y_at, z_at)
        outcome = g2(table)
        if self.df == "plain" or self._is_sparse(cells, z_at):
            freedom = plain if self.df == "plain" else expected_g2(table)
            outcome = G2(outcome.statistic, freedom, log_p_value(outcome.statistic, freedom))
        performed = self._is_performed(cells)
        dependent = performed and outcome.log_p <= self._log_alpha
        return CITest(x, y, tuple(z), table, outcome, performed, dependent)

    @cached_property
    def _marginal(self) -> list[array[float]]:
        """Strengths of all pairs given nothing, nan until they are tested; compiled searches have their own."""
        return [array("d", [nan]) * len(self.names) for _ in self.names]

    @cached_property
    def compiles(self) -> bool:
        """Whether the tests have compiled loops: the data are a table whose results of a search are not too many."""
        n, n_rows = len(self.names), self._n_rows
        own = type(self) is G2Tester and "strength" not in vars(self) and self._in_memory is not None
        if (
            not own
            or self._min_rows_per_cell <= 0
            or n_rows > self._min_rows_per_cell * self._dense_cells
            or n > MAX_NODES
        ):
            return False
        a_pair = 10 + 4 * largest_set(self._arities, n_rows / self._min_rows_per_cell)
        return a_pair * n * (n - 1) // 2 <= MAX_RESULTS

    def compiled_dep(self, unreliable: Unreliable, remember_below: int = 0) -> CompiledDep | None:
        """Tests for compiled loops; None if the table or the results of a search are too large for them.

        Parameters
        ----------
        unreliable, remember_below
            See `bnlab.citests.tester.Dep`.
        """
        if self._in_memory is None or not self.compiles:
            return None
        rules = TestRules(
            self.rows_per_cell, self._min_rows_per_cell, self.df == "plain", self._log_alpha, self._log_separating
        )
        return CompiledDep(self._in_memory, self._terms, rules, unreliable, remember_below)

    def order_of_columns(self) -> tuple[int, ...]:
        """Columns by entropy, then by name: an order that does not depend on the order of the columns."""
        columns = range(len(self.names))
        if self._in_memory is not None:  # the tests need its bitmaps as well
            counts = self._in_memory.margins(columns)
        else:
            counts = [of_v.table.ravel() for of_v in self.source.count([(v, ()) for v in columns])]
        tables = [np.sort(table) for table in counts]  # unobserved states first, whose zeros change no sum
        terms = xlogy(together := np.concatenate(tables), together / self._n_rows).tolist()
        entropies = [
            -sum(terms[end - len(table) : end]) for table, end in zip(tables, accumulate(map(len, tables)), strict=True)
        ]
        return tuple(sorted(columns, key=lambda v: (entropies[v], self.names[v])))

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

    def _is_performed(self, cells: int) -> bool:
        return self._n_rows >= self._min_rows_per_cell * cells

    def _is_sparse(self, cells: int, z: tuple[int, ...]) -> bool:
        """Whether a performed test uses the mean of G2 as its degrees of freedom."""
        return self._n_rows < self._mean_g2_below[z != ()] * cells and self._is_performed(cells)

    def _cells(self, x: int, y: int, z: tuple[int, ...]) -> int:
        arities = self._arities
        cells = arities[x] * arities[y]
        for v in z:
            cells *= arities[v]
        return cells

    def _plain_df(self, x: int, y: int, z: tuple[int, ...]) -> int:
        return (self._arities[x] - 1) * (self._arities[y] - 1) * prod([self._arities[v] for v in z])

    def _strength_given(self, x: int, y: int, z: tuple[int, ...]) -> float:
        statistic, df = self._g2_given(*self._bits, x, y, _as_array(z))
        if statistic == NOT_PERFORMED:
            return NOT_PERFORMED
        if statistic == self._unknown_variable:
            raise ValueError(f"test of {(x, y)} given {z}: the variables are 0..{len(self._arities) - 1}")
        is_performed, is_sparse = True, False
        if self._min_rows_per_cell < self.rows_per_cell:
            cells = self._cells(x, y, z)
            is_performed = self._n_rows >= self.rows_per_cell * cells
            is_sparse = not is_performed and self._is_sparse(cells, z)
        if statistic < 0 or is_sparse:
            table = self._table(x, y, z, self._cells(x, y, z))
            if statistic < 0:
                statistic, df = self._g2_of_strata(table, *self._terms)
            if is_sparse:
                df = self._expected_of_strata(table, *self._terms)
        df = df if self.df == "adjusted" else self._plain_df(x, y, z)
        if df == 0 and self._min_rows_per_cell < self.rows_per_cell:
            return UNDECIDED if is_performed else NOT_PERFORMED
        if is_performed:
            return self._strength_of(statistic, df, self._log_separating)
        can_separate = df * FEW_ROWS_PER_DF <= self._n_rows
        strength = self._strength_of(statistic, df, _LOG_FEW_ROWS_ALPHA if can_separate else 0.0)
        return NOT_PERFORMED if strength == UNDECIDED else strength

    @cached_property
    def _bits(self) -> tuple[Any, ...]:
        """Arguments of `kernels.g2_given` except the variables; without bitmaps, it leaves all tests to the caller."""
        bits = NO_BITS if self._in_memory is None else self._in_memory.bits()
        n_rows, *terms = self._terms
        return np.array(self._arities), *bits, n_rows, float(self._min_rows_per_cell), *terms

    def _strength_of(self, statistic: float, df: float, log_separating: float = -inf) -> float:
        log_p = log_p_value(statistic, df)
        if log_p <= self._log_alpha:
            return -log_p
        return UNDECIDED if log_p <= log_separating else 0.0

    def _table(self, x: int, y: int, z: tuple[int, ...], cells: int) -> IntArray:
        """Counts, shape (strata, r_x, r_y); tables far larger than the data leave out empty strata."""
        r_x, r_y = self._arities[x], self._arities[y]
        if self._in_memory is not None and cells <= self._dense_cells:
            return self._in_memory.joint((*z, x, y)).reshape(-1, r_x, r_y)
        counts = self.source.count([(y, (*z, x))])[0]
        strata, where = np.unique(counts.configurations // r_x, return_inverse=True)
        table = np.zeros((len(strata), r_x, r_y), dtype=np.int64)
        table[where, counts.configurations % r_x] = counts.table
        return table

    def _test_marginally(self, x: int) -> None:
        """Test x, and the next variables if there are few, with every other variable given nothing, in one pass."""
        n = len(self.names)
        together = range(x, min(n, x + max(1, _PAIRS_TOGETHER // n)))
        families = []
        for a in together:
            known = self._marginal[a]
            for b in range(n):
                if known[b] == known[b] or b == a or (b < a and b in together):
                    continue
                if self._is_performed(self._arities[a] * self._arities[b]):
                    families.append((max(a, b), (min(a, b),)))
                else:
                    self._store((a, b), NOT_PERFORMED)
        for positions, batch in self.source.batches(families):
            begins = np.append(batch.first, len(batch.table))
            statistics, dfs = self._g2_of_pairs(batch.table, begins, *self._terms)
            found = zip(positions.tolist(), statistics.tolist(), dfs.tolist(), strict=True)
            for at, (position, statistic, df) in enumerate(found):
                b, (a,) = families[position]
                if self.df == "plain":
                    df = self._plain_df(a, b, ())
                elif self._n_rows < self._mean_g2_below[0] * self._arities[a] * self._arities[b]:
                    df = self._expected_of_strata(batch.table[None, begins[at] : begins[at + 1]], *self._terms)
                self._store((a, b), self._strength_of(statistic, df))

    def _store(self, pair: tuple[int, int], strength: float) -> None:
        a, b = pair
        self._marginal[a][b] = self._marginal[b][a] = strength


@lru_cache(maxsize=_MAX_CACHED_SETS)
def _as_array(z: tuple[int, ...]) -> IntArray:
    return np.array(z, dtype=np.int64)
