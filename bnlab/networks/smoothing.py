"""Smoothing of the probabilities estimated from counts (Carvalho 2009, section 2; Heckerman 1995).

All estimates have the same form, with pseudo-counts a_k that are the same under every parent configuration:

    theta_ijk = (N_ijk + a_k) / (N_ij + sum of a).

An unobserved configuration gets a / sum of a, or uniform probabilities if there are no pseudo-counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.types import fits
from bnlab.counts.types import FamilyCounts, FloatArray


class Smoothing(ABC):
    """Estimator of the probabilities of one family; subclasses define the pseudo-counts."""

    @abstractmethod
    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Pseudo-counts a_k added under each parent configuration, shape (r,)."""

    def rows(self, counts: FamilyCounts) -> FloatArray:
        """Probabilities under the observed parent configurations.

        Returns
        -------
        ndarray of float64, shape (observed, r)
            In the order of ``counts.configurations``; rows sum to 1.
        """
        added = self.pseudo_counts(counts)
        return np.asarray((counts.table + added) / (counts.n_ij + added.sum())[:, None])

    def unobserved(self, counts: FamilyCounts) -> FloatArray:
        """Probabilities under any parent configuration that no row shows, shape (r,)."""
        added = self.pseudo_counts(counts)
        total = added.sum()
        return np.asarray(added / total) if total > 0 else np.full(counts.r, 1 / counts.r)

    def cpt(self, counts: FamilyCounts) -> FloatArray:
        """Whole table of probabilities, shape ``(*parent_arities, r)``.

        Raises
        ------
        ValueError
            If it would need more memory than one operation may have.
        """
        check_memory(
            8 * counts.q * counts.r, f"a table of {counts.q:.3g} parent configurations", "give the node fewer parents"
        )
        table = np.tile(self.unobserved(counts), (counts.q, 1))
        table[counts.configurations] = self.rows(counts)
        return table.reshape(*counts.parent_arities, counts.r)


@dataclass(frozen=True)
class MaximumLikelihood(Smoothing):
    """Relative frequencies N_ijk / N_ij; uniform under a parent configuration that no row shows.

    Examples
    --------
    >>> counts = FamilyCounts(np.array([[3, 1]]), np.array([0]), (2,))
    >>> MaximumLikelihood().cpt(counts)
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """

    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Zeros."""
        return np.zeros(counts.r)


@dataclass(frozen=True)
class _WithWeight(Smoothing):
    """Smoothing whose parameters are weights of pseudo-counts, which must be greater than 0."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (fits(value, float) and np.isfinite(value) and value > 0):
                raise ValueError(
                    f"{name}={value!r}: a number greater than 0 is needed; MaximumLikelihood() adds nothing."
                )


@dataclass(frozen=True)
class Dirichlet(_WithWeight):
    """The same number of pseudo-counts in every cell: (N_ijk + alpha) / (N_ij + r alpha).

    Parameters
    ----------
    alpha : float
        Greater than 0; 1 is Laplace's rule of succession.

    Raises
    ------
    ValueError
        If alpha is not a finite number greater than 0.
    """

    alpha: float = 1.0

    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Value alpha for each state."""
        return np.full(counts.r, float(self.alpha))


@dataclass(frozen=True)
class BDeuPrior(_WithWeight):
    """Posterior mean under the prior of the BDeu score, N'_ijk = ess / (q r) (Carvalho 2009, section 2.1.1).

    Parameters
    ----------
    ess : float
        Equivalent sample size, greater than 0.

    Raises
    ------
    ValueError
        If ess is not a finite number greater than 0.
    """

    ess: float = 1.0

    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Value ess / (q r) for each state."""
        return np.full(counts.r, self.ess / (counts.q * counts.r))


@dataclass(frozen=True)
class MarginalPseudoRows(_WithWeight):
    """Pseudo-rows under each configuration, distributed as the child's states: (N_ijk + m p_k) / (N_ij + m).

    "Adding 5 pseudo instances with conditional probabilities, given the parent attributes plus the class variable,
    distributed according to the frequency of the corresponding attribute in the training set" (Carvalho 2007,
    section 4, after Friedman, Geiger and Goldszmidt 1997).

    Parameters
    ----------
    m : float
        Number of pseudo-rows, greater than 0.

    Raises
    ------
    ValueError
        If m is not a finite number greater than 0.
    """

    m: float = 5.0

    def pseudo_counts(self, counts: FamilyCounts) -> FloatArray:
        """Value m p_k, where p_k is the share of rows in which the child has state k (uniform if there are no rows)."""
        marginal = counts.table.sum(axis=0)
        n = marginal.sum()
        return np.asarray(self.m * (marginal / n if n else np.full(counts.r, 1 / counts.r)))


def checked_smoothing(smoothing: Smoothing | None) -> Smoothing:
    """Given smoothing, or `MaximumLikelihood` for None; TypeError for anything else."""
    if smoothing is None:
        return MaximumLikelihood()
    if not isinstance(smoothing, Smoothing):
        raise TypeError(f"smoothing={smoothing!r}: give an object such as MaximumLikelihood() or Dirichlet(1).")
    return smoothing
