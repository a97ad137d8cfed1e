"""The compiled logarithm of the gamma function, and the table of factorials, against scipy's."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from bnlab.scores.compiled.dirichlet import log_gamma
from bnlab.scores.dirichlet import log_factorial


def test_log_gamma_is_that_of_scipy_from_the_least_number_to_a_thousand_million():
    x = np.concatenate([10.0 ** np.linspace(-300, 9, 4000), np.linspace(0.01, 20, 4000), np.arange(1.0, 50)])
    np.testing.assert_allclose([log_gamma(v) for v in x], gammaln(x), rtol=4e-15, atol=4e-14)


def test_factorials_inside_and_beyond_the_table():
    n = np.array([[0, 1, 2, 5], [16383, 16384, 16385, 10**9]])
    np.testing.assert_array_equal(log_factorial(n), gammaln(n + 1.0))
    np.testing.assert_array_equal(log_factorial(n[0]), gammaln(n[0] + 1.0))
    assert log_factorial(np.array(69_999)) == gammaln(70_000.0)
