"""Estimators of parameters that only a search for another's protocol needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnlab.counts.types import FamilyCounts, FloatArray
from bnlab.networks.fit import MaximumLikelihood


@dataclass(frozen=True)
class Unsmoothed(MaximumLikelihood):
    """Relative frequencies, with a choice of what a parent configuration gets that no row shows.

    Parameters
    ----------
    unobserved_as : {"uniform", "zero", "marginal"}
    """

    unobserved_as: str = "uniform"

    def unobserved(self, counts: FamilyCounts) -> FloatArray:
        """Uniform probabilities, zeros, or the child's frequencies, shape (r,)."""
        if self.unobserved_as == "zero":
            return np.zeros(counts.r)
        if self.unobserved_as == "marginal":
            totals = counts.table.sum(axis=0)
            return np.asarray(totals / totals.sum())
        return super().unobserved(counts)


@dataclass(frozen=True)
class Floored(MaximumLikelihood):
    """Relative frequencies, those below a small number raised to it; rows then sum to a little more than 1.

    Parameters
    ----------
    floor : float
    """

    floor: float = 1e-6

    def rows(self, counts: FamilyCounts) -> FloatArray:
        """Raised frequencies under the observed parent configurations, shape (observed, r)."""
        return np.maximum(super().rows(counts), self.floor)
