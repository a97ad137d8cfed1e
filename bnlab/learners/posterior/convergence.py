"""Convergence of Markov chains: split R-hat, effective sample size and standard errors.

References
----------
A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner. Rank-normalization, folding, and localization: an
improved R-hat for assessing convergence of MCMC. Bayesian Analysis 16, 2021 (equations 1 to 4, 10 and 11).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnlab.learners.types import Floats

UNCERTAIN = 0.01
"""Diagnostics use edges whose probability is further than this from 0 and 1."""


def uncertain_edges(arcs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Draws of uncertain edges, shape (chains, draws, edges), from draws of all edges, shape (chains, draws, n, n).

    A draw is the probability of an edge given the partition of a chain.
    """
    mean = arcs.mean(axis=(0, 1), dtype=np.float64)
    return arcs[:, :, (mean > UNCERTAIN) & (mean < 1 - UNCERTAIN)]


def split_r_hat(draws: NDArray[np.floating]) -> Floats:
    """Potential scale reduction of quantities, with each chain split into two halves.

    Parameters
    ----------
    draws : ndarray of float, shape (chains, draws, quantities)
        At least 4 draws.

    Returns
    -------
    ndarray of float64, shape (quantities,)
        Near 1 if the chains agree; 1 if a quantity does not vary.
    """
    halves = _halves(draws)
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    size = halves.shape[1]
    constant = within + between == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(constant, 1.0, np.sqrt((size - 1) / size + between / within))


def effective_sample_size(draws: NDArray[np.floating]) -> Floats:
    """Number of independent draws that estimate the means equally well; shapes as for `split_r_hat`.

    Autocorrelations are summed in pairs until a pair is negative, each pair at most the one before (Geyer 1992).
    """
    halves = _halves(draws)
    chains, size, _ = halves.shape
    centred = halves - halves.mean(axis=1, keepdims=True)
    transform = np.fft.rfft(centred, n=2 * size, axis=1)
    covariance = np.fft.irfft(np.abs(transform) ** 2, axis=1)[:, :size].mean(axis=0) / size
    within = covariance[0] * size / (size - 1)
    total = covariance[0] + halves.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = 1 - (within - covariance) / total
    correlation[0] = 1.0
    even = size // 2 * 2
    pairs = correlation[0:even:2] + correlation[1:even:2]
    pairs = np.minimum.accumulate(np.where(np.logical_and.accumulate(pairs > 0, axis=0), pairs, 0.0), axis=0)
    time = np.maximum(2 * pairs.sum(axis=0) - 1, 1 / np.log10(chains * size))
    return np.where(total == 0, float(chains * size), chains * size / time)


def standard_errors(draws: NDArray[np.floating]) -> Floats:
    """Monte Carlo standard error of each mean; shapes as for `split_r_hat`."""
    spread: Floats = draws.std(axis=(0, 1), dtype=np.float64)
    return spread / np.sqrt(effective_sample_size(draws))


def _halves(draws: NDArray[np.floating]) -> Floats:
    """Both halves of each chain, shape (2 * chains, draws // 2, quantities)."""
    size = draws.shape[1] // 2
    return np.concatenate([draws[:, :size], draws[:, -size:]]).astype(np.float64)
