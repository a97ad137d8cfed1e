"""The G2 test against worked examples, other people's software and its own symmetries."""

from __future__ import annotations

import math
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2

from bnlab.citests import G2Tester, expected_g2, g2, log_p_value

TWO_BY_TWO = [[10, 5], [3, 12]]
THREE_STRATA = [TWO_BY_TWO, [[0, 0], [4, 6]], [[7, 1], [2, 8]]]


def test_a_two_by_two_table_gives_the_worked_values():
    outcome = g2(TWO_BY_TWO)
    assert outcome.statistic == pytest.approx(6.946408152828, rel=1e-12)
    assert outcome.df == 1
    assert outcome.p_value == pytest.approx(0.008398769766, rel=1e-9)


@pytest.mark.parametrize(("df", "freedom", "p"), [("adjusted", 2, 0.000359186861), ("plain", 3, 0.001209537326)])
def test_the_adjusted_degrees_of_freedom_leave_out_what_does_not_occur(df, freedom, p):
    outcome = g2(THREE_STRATA, df=df)
    assert outcome.statistic == pytest.approx(15.863335602119, rel=1e-12)
    assert outcome.df == freedom
    assert outcome.p_value == pytest.approx(p, rel=1e-8)


@pytest.mark.parametrize(("test", "df"), [("mi", "plain"), ("mi-adf", "adjusted")])
def test_statistics_and_p_values_equal_those_of_r_bnlearn(golden: Path, alarm5k, test, df):
    expected = pd.read_csv(golden / "citests_alarm5k.csv", keep_default_na=False)
    tester = G2Tester(alarm5k, df=df)
    performed = 0
    for row in expected[expected.test == test].itertuples():
        found = tester.test(row.x, row.y, row.z.split())
        if test == "mi-adf" and not found.performed:
            # What has too few rows is not computed there; under mi there is no such rule.
            assert (row.statistic, row.p_value) == (0, 1)
            continue
        assert found.outcome.statistic == pytest.approx(row.statistic, rel=1e-9, abs=1e-9)
        assert found.outcome.df == row.df
        assert found.outcome.p_value == pytest.approx(row.p_value, rel=1e-9, abs=1e-11)
        performed += 1
    assert performed >= 27


@pytest.mark.parametrize(
    ("statistic", "df", "log_p"), [(5000.0, 6, -2485.0442551589326), (4000.0, 1000, -811.97872848825)]
)
def test_the_logarithm_of_p_does_not_underflow(statistic, df, log_p):
    assert log_p_value(statistic, df) == pytest.approx(log_p, rel=1e-12)


def test_the_two_ways_to_the_logarithm_of_p_meet():
    for df in (1, 2, 3, 10, 57, 400):
        statistics = np.linspace(1100, 2600, 400)
        values = [log_p_value(x, df) for x in statistics]
        assert all(a > b for a, b in pairwise(values))
        slopes = np.diff(values) / np.diff(statistics)
        assert np.all(np.abs(np.diff(slopes)) < 1e-2)
        switch = next(k for k, v in enumerate(values) if v < math.log(1e-280))
        below, above = slopes[switch - 2 : switch + 1], slopes[switch - 1 : switch + 2]
        assert below == pytest.approx(above, rel=1e-2)


def test_the_logarithm_of_p_is_scipys_where_that_is_finite():
    for df in (1, 2, 7, 40):
        for statistic in (0.0, 0.3, 3.0, 50.0, 600.0):
            assert log_p_value(statistic, df) == pytest.approx(chi2.logsf(statistic, df), rel=1e-9, abs=1e-12)


def test_a_constant_variable_leaves_no_degree_of_freedom():
    outcome = g2([[4, 0], [9, 0]])
    assert (outcome.statistic, outcome.df, outcome.p_value) == (0.0, 0, 1.0)


@given(arrays(np.int64, (3, 2, 4), elements=st.integers(0, 30)))
def test_the_order_of_states_and_variables_changes_nothing(table):
    outcome = g2(table)
    assert outcome == g2(table.transpose(0, 2, 1)) == g2(table[::-1, ::-1, ::-1])
    assert outcome.statistic >= 0


@given(st.lists(st.integers(1, 9), min_size=2, max_size=4), st.lists(st.integers(1, 9), min_size=2, max_size=4))
def test_a_table_that_is_a_product_is_independent(row, column):
    assert g2(np.outer(row, column)).p_value == pytest.approx(1)


def _counted(z, x, y, shape=(2, 3, 3)):
    table = np.zeros(shape, dtype=int)
    np.add.at(table, (z, x, y), 1)
    return table


def test_the_expected_statistic_is_the_mean_over_all_permutations():
    x, y = np.array([0, 0, 1, 1, 1, 2, 2]), np.array([0, 1, 0, 0, 2, 0, 0])
    one = np.zeros(7, dtype=int)
    statistics = [g2(_counted(one, x, y[list(order)], (1, 3, 3))).statistic for order in permutations(range(7))]
    assert expected_g2(_counted(one, x, y, (1, 3, 3))) == pytest.approx(np.mean(statistics), rel=1e-9)
    within = [
        [*first, *(3 + v for v in second)] for first in permutations(range(3)) for second in permutations(range(4))
    ]
    z = np.array([0, 0, 0, 1, 1, 1, 1])
    statistics = [g2(_counted(z, x, y[order])).statistic for order in within]
    assert expected_g2(_counted(z, x, y)) == pytest.approx(np.mean(statistics), rel=1e-9)


def test_with_many_rows_the_expected_statistic_is_the_degrees_of_freedom():
    assert expected_g2([[3000, 5000], [1000, 2000]]) == pytest.approx(1, rel=1e-3)
    assert expected_g2(np.full((2, 4, 5), 4000)) == pytest.approx(24, rel=1e-3)
    assert expected_g2([[4, 3, 0]]) == expected_g2(np.zeros((2, 3, 3))) == 0


@given(arrays(np.int64, (2, 3, 4), elements=st.integers(0, 30)))
def test_the_expected_statistic_does_not_depend_on_the_order_of_states_and_variables(table):
    expected = expected_g2(table)
    assert expected_g2(table.transpose(0, 2, 1)) == expected_g2(table[::-1, ::-1, [2, 0, 3, 1]]) == expected


@pytest.mark.parametrize(("chances", "adjusted"), [([0.85, 0.08, 0.05, 0.02], 0.0), ([0.25] * 4, 0.6)])
def test_a_test_of_a_sparse_table_keeps_its_level_under_the_expected_statistic(chances, adjusted):
    rng = np.random.default_rng(1)
    weights = 1 / np.arange(1, 61)
    x, y = rng.choice(60, 500, p=weights / weights.sum()), rng.choice(4, 500, p=chances)
    tables = [_counted(0 * x, x, rng.permutation(y), (1, 60, 4)) for _ in range(500)]
    statistics = [g2(table).statistic for table in tables]
    rejected, wrongly = (
        np.mean([log_p_value(statistic, df) < math.log(0.2) for statistic in statistics])
        for df in (expected_g2(tables[0]), g2(tables[0]).df)
    )
    assert 0.08 < rejected < 0.22
    assert wrongly == pytest.approx(adjusted, abs=0.05)


def test_wrong_tables_and_rules_are_refused():
    with pytest.raises(ValueError, match="two axes"):
        g2([1, 2, 3])
    with pytest.raises(ValueError, match="'adjusted', 'plain'"):
        g2(TWO_BY_TWO, df="exact")
