"""The parametric complexity of the multinomial (Carvalho 2009, Algorithm 1)."""

from __future__ import annotations

from fractions import Fraction
from math import comb, fsum, log

import numpy as np
import pytest

from bnlab.scores import multinomial_complexity, nml
from tests.scores import exact_scores as exact


def two_states_by_step_2(m: int) -> Fraction:
    """C(2, m), the sum in step 2 of Algorithm 1."""
    return Fraction(sum(comb(m, h) * h**h * (m - h) ** (m - h) for h in range(m + 1)), m**m)


def two_states_by_falling_factorials(m: int) -> float:
    """C(2, m) = 1 + Q(m); the terms are positive and below 1e-17 after 9 sqrt(m) of them."""
    k = np.arange(min(m, int(9 * m**0.5) + 1))
    return 1 + fsum(np.cumprod((m - k) / m))


@pytest.mark.parametrize("m", [1, 2, 3, 7, 40, 255, 256, 257, 258, 300, 700])
def test_two_states_are_exact_on_both_sides_of_the_switch(m: int) -> None:
    expected = exact.log_of(two_states_by_step_2(m))
    assert float(multinomial_complexity(2, m)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("m", [1_000, 31_623, 100_000, 1_000_000, 10_000_000])
def test_two_states_are_exact_for_many_rows(m: int) -> None:
    expected = log(two_states_by_falling_factorials(m))
    assert float(multinomial_complexity(2, m)) == pytest.approx(expected, rel=1e-12)


def test_the_sum_of_step_2_is_one_plus_ramanujans_q() -> None:
    for m in range(1, 40):
        assert two_states_by_falling_factorials(m) == pytest.approx(float(two_states_by_step_2(m)), rel=1e-14)


@pytest.mark.parametrize(("r", "n"), [(3, 1), (3, 9), (4, 7), (5, 6), (7, 4), (12, 2), (30, 1)])
def test_more_states_sum_over_all_sequences(r: int, n: int) -> None:
    assert float(multinomial_complexity(r, n)) == pytest.approx(exact.log_of(exact.complexity(r, n)), rel=1e-13)


@pytest.mark.parametrize(("r", "m"), [(3, 500), (10, 600), (100, 700)])
def test_the_recurrence_is_that_of_the_paper(r: int, m: int) -> None:
    below, here = Fraction(1), two_states_by_step_2(m)
    for states in range(3, r + 1):
        below, here = here, here + Fraction(m, states - 2) * below
    assert float(multinomial_complexity(r, m)) == pytest.approx(exact.log_of(here), rel=1e-13)


def test_complexities_beyond_the_largest_double_are_logarithms_all_the_same() -> None:
    value = float(multinomial_complexity(200, 10**8))
    # Rissanen (1996): (r - 1)/2 log(n / 2 pi) + log of the integral of sqrt |I|, which is pi^(r/2) / Gamma(r/2).
    from scipy.special import gammaln

    rissanen = 199 / 2 * np.log(10**8 / (2 * np.pi)) + 100 * np.log(np.pi) - gammaln(100)
    assert value > np.log(np.finfo(float).max)
    assert value == pytest.approx(rissanen, rel=1e-3)


@pytest.mark.parametrize("r", [10_001, 60_000, 10**9])
def test_of_states_beyond_number_one_row_and_two_are_counted_by_hand(r: int) -> None:
    assert multinomial_complexity(r, [[0, 1, 2]])[0] == pytest.approx([0, log(r), log(r + r * (r - 1) / 4)], rel=1e-13)


@pytest.mark.parametrize(("r", "n"), [(10_001, 3), (12_345, 10**8), (20_000, 20_000), (60_000, 900)])
def test_the_sum_over_rows_is_the_recurrence_over_states(r: int, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = float(multinomial_complexity(r, n))
    monkeypatch.setattr(nml, "_MAX_RECURSIVE_STATES", r)
    assert found == pytest.approx(float(multinomial_complexity(r, n)), rel=1e-12)


def test_no_rows_or_one_state_cost_exactly_nothing() -> None:
    assert multinomial_complexity(1, [0, 5, 10**7]).tolist() == [0.0, 0.0, 0.0]
    assert [float(multinomial_complexity(r, 0)) for r in (2, 3, 50)] == [0.0, 0.0, 0.0]


def test_the_shape_of_the_rows_is_kept() -> None:
    assert multinomial_complexity(3, np.ones((2, 5), dtype=np.uint8)).shape == (2, 5)


@pytest.mark.parametrize(("r", "n", "message"), [(0, 3, "r=0 states"), (2, [4, -1], "n=-1 rows")])
def test_impossible_counts_are_refused(r: int, n: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        multinomial_complexity(r, n)  # type: ignore[arg-type]


def test_sums_of_weights_beyond_the_largest_integer_have_a_complexity():
    n = np.array([1e12, 1e19, 1e300])
    # C(2, n) = sqrt(pi n / 2) + 2 / 3 + O(1 / sqrt(n)).
    np.testing.assert_allclose(
        multinomial_complexity(2, n), np.log(np.sqrt(np.pi / 2) * np.sqrt(n) + 2 / 3), rtol=1e-13
    )
