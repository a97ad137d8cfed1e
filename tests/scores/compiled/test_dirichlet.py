"""The compiled logarithm of the gamma function against scipy's."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from bnlab.scores.compiled.dirichlet import log_gamma


def test_log_gamma_is_that_of_scipy_from_the_least_number_to_a_thousand_million():
    x = np.concatenate([10.0 ** np.linspace(-300, 9, 4000), np.linspace(0.01, 20, 4000), np.arange(1.0, 50)])
    np.testing.assert_allclose([log_gamma(v) for v in x], gammaln(x), rtol=4e-15, atol=4e-14)
