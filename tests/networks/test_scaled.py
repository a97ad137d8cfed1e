"""Arrays beyond the range of floats, against fractions."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.networks import scaled
from bnlab.networks.scaled import Scaled, range_checked
from tests.soak import times

NUMBERS = st.one_of(st.just(0.0), st.floats(1e-300, 1.0), st.floats(0.0, 1e-290), st.floats(0.01, 1.0))
ARRAYS = st.lists(NUMBERS, min_size=6, max_size=6).map(lambda numbers: np.array(numbers).reshape(2, 3))


def exact(numbers: Scaled) -> list[Fraction]:
    exponents = np.broadcast_to(np.asarray(numbers.exponent), numbers.shape).ravel().tolist()
    values = map(Fraction, numbers.values.ravel().tolist())
    return [
        value * Fraction(2) ** exponent if value else value for value, exponent in zip(values, exponents, strict=True)
    ]


def ratio(found: Fraction, expected: Fraction) -> float:
    return float(found / expected - 1) if expected else float(found)


def product_of(arrays: list[np.ndarray]) -> tuple[Scaled, list[Fraction]]:
    found, expected = Scaled(arrays[0]), [Fraction(x) for x in arrays[0].ravel().tolist()]
    with range_checked():
        for array in arrays[1:]:
            found = found * Scaled(array)
            expected = [a * Fraction(b) for a, b in zip(expected, array.ravel().tolist(), strict=True)]
    return found, expected


@settings(max_examples=times(50, 150), deadline=None)
@given(st.lists(ARRAYS, min_size=1, max_size=8))
def test_products_sums_and_logarithms_equal_those_of_fractions(arrays: list[np.ndarray]) -> None:
    found, expected = product_of(arrays)
    with range_checked():
        sums = found.sum((1,))
        logarithm = found.log()
    assert all(abs(ratio(a, b)) < 1e-14 for a, b in zip(exact(found), expected, strict=True))
    assert sums.shape == (2, 1)
    rows = [sum(expected[:3]), sum(expected[3:])]
    assert all(abs(ratio(a, b)) < 1e-14 for a, b in zip(exact(sums), rows, strict=True))
    total = sum(rows)
    exact_log = log(total.numerator) - log(total.denominator) if total else -np.inf
    assert logarithm == pytest.approx(exact_log, rel=1e-14, abs=1e-12)
    shares = found.shares((1,))
    for i, row in enumerate(rows):
        for k in range(3):
            assert shares[i, k] == pytest.approx(
                float(expected[3 * i + k] / row) if row else 0.0, rel=1e-13, abs=1e-307
            )


@settings(max_examples=times(50, 150), deadline=None)
@given(st.lists(ARRAYS, min_size=1, max_size=6), st.lists(ARRAYS, min_size=1, max_size=6))
def test_quotients_equal_those_of_fractions(above: list[np.ndarray], below: list[np.ndarray]) -> None:
    (b, denominators), (a, numerators) = product_of(below), product_of([*below, *above])
    with range_checked():
        found = exact(a / b)
    for quotient, numerator, denominator in zip(found, numerators, denominators, strict=True):
        assert abs(ratio(quotient, numerator / denominator if denominator else Fraction(0))) < 1e-13


def test_a_number_that_is_small_at_first_is_not_lost_when_it_becomes_the_largest() -> None:
    """A common factor for all numbers, however often it is renewed, makes the second one 0 on the way."""
    first, second = np.array([1.0, 1e-4]), np.array([1e-4, 1.0])
    found, _ = product_of([first] * 1000 + [second] * 1001)
    assert found.shares((0,)) == pytest.approx([1e-4 / 1.0001, 1 / 1.0001], rel=1e-10)


def test_numbers_close_to_each_other_get_one_exponent_again() -> None:
    found, expected = product_of([np.full((2, 3), 1e-200)] * 5)
    assert not isinstance(found.exponent, int)
    with range_checked():
        total = found.sum((0, 1))
    assert isinstance(total.exponent, int)
    assert abs(ratio(exact(total)[0], sum(expected))) < 1e-15


def test_a_sum_that_overflows_is_taken_with_other_exponents() -> None:
    found = Scaled(np.full(4, 1.5e308))
    with range_checked():
        assert found.log() == pytest.approx(log(1.5e308) + log(4), rel=1e-15)
        assert found.shares((0,)).tolist() == [0.25] * 4


def test_axes_are_exchanged_and_taken_out_with_their_exponents() -> None:
    found, _ = product_of([np.array([[1e-200, 1e-10, 0.5], [1e-300, 1e-50, 0.1]])] * 4)
    numbers = exact(found)
    assert exact(found.transpose((1, 0))) == [numbers[k] for k in (0, 3, 1, 4, 2, 5)]
    assert exact(found[:, 1, None]) == [numbers[1], numbers[4]]


def test_large_arrays_are_computed_in_a_thread_with_the_same_care(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [np.array([[1e-200, 0.2, 0.3], [0.0, 1e-300, 1.0]])] * 3
    before, _ = product_of(arrays)
    monkeypatch.setattr(scaled, "_LONG", 0)
    after, expected = product_of(arrays)
    assert exact(after) == exact(before)
    assert all(abs(ratio(a, b)) < 1e-14 for a, b in zip(exact(after), expected, strict=True))
    with range_checked():
        assert exact(after.sum((0,))) == exact(before.sum((0,)))
