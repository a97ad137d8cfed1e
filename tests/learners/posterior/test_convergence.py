"""Diagnostics of Markov chains against what is known of autoregressive series."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from bnlab.learners.posterior.convergence import effective_sample_size, split_r_hat, standard_errors


def series(correlation: float, chains: int = 4, draws: int = 5000, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal((chains, draws + 500, 3))
    return lfilter([1.0], [1.0, -correlation], noise, axis=1)[:, 500:]


@pytest.mark.parametrize("correlation", [-0.3, 0.0, 0.5, 0.9])
def test_the_effective_size_of_an_autoregressive_series_is_known(correlation):
    expected = 20_000 * (1 - correlation) / (1 + correlation)
    found = effective_sample_size(series(correlation))
    assert found.mean() == pytest.approx(expected, rel=0.15)


def test_the_standard_error_is_the_spread_of_means_of_repeated_chains():
    repeated = [series(0.8, draws=500, seed=seed) for seed in range(200)]
    spread = np.std([draws.mean(axis=(0, 1)) for draws in repeated])
    assert np.mean([standard_errors(draws) for draws in repeated[:50]]) == pytest.approx(spread, rel=0.15)


def test_chains_that_agree_have_an_r_hat_near_one_and_others_not():
    draws = series(0.5)
    assert split_r_hat(draws).max() < 1.01
    apart = draws + np.arange(4)[:, None, None]
    assert split_r_hat(apart).min() > 1.2
    assert effective_sample_size(apart).max() < 100


def test_a_chain_that_drifts_is_noticed_by_its_halves():
    assert split_r_hat(series(0.0, chains=1) + np.linspace(0, 5, 5000)[None, :, None]).min() > 1.5


def test_quantities_that_never_vary_have_converged():
    draws = np.ones((2, 100, 1))
    assert split_r_hat(draws).tolist() == [1.0]
    assert effective_sample_size(draws).tolist() == [200.0]
    assert standard_errors(draws).tolist() == [0.0]


def test_diagnostics_agree_with_arviz():
    """What ArviZ 0.23.4 says of the same draws: `rhat` with "split" and `ess` with "mean"."""
    draws = series(0.6, seed=5)
    assert split_r_hat(draws) == pytest.approx([1.0002404, 1.0008441, 1.0004522], rel=1e-3)
    assert effective_sample_size(draws) == pytest.approx([4994.715, 4950.802, 4844.775], rel=0.02)
