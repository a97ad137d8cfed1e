"""Exact probabilities of edges, summed over all orders or all graphs.

References
----------
M. Koivisto, K. Sood. Exact Bayesian structure discovery in Bayesian networks. JMLR 5, 2004 (orders).
J. Tian, R. He. Computing posterior probabilities of structural features in Bayesian networks. UAI 2009 (graphs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.interrupts import run_interruptible
from bnlab.engine.subsets import (
    probabilities_of_parents,
    shares_of_orders,
    sum_over_subsets,
    sums_over_graphs,
    sums_over_orders,
)
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.learners.posterior.families import FamilyScores, FamilyScoring
from bnlab.learners.types import Floats
from bnlab.search import Described, Snapshot

MOST_FOR_GRAPHS = 17
"""Number of variables beyond which the 3 ** n terms of the sum over graphs take minutes."""


def check_exact(n: int, structure_prior: str) -> None:
    """Raise for too many variables for the exact sum, before any family is scored.

    Raises
    ------
    ValueError
        If the sum would take too long.
    MemoryBudget
        (A ValueError.) If its tables would not fit into memory.
    """
    if structure_prior == "graphs" and n > MOST_FOR_GRAPHS:
        raise ValueError(
            f"{n} variables: the exact sum over graphs has 3 ** {n} terms, and takes at most {MOST_FOR_GRAPHS} "
            "variables. Use method='mcmc', or structure_prior='orders'."
        )
    check_memory(bytes_needed(n, structure_prior), f"exact sums over the subsets of {n} variables", "use method='mcmc'")


def bytes_needed(n: int, structure_prior: str) -> int:
    """Bytes of the tables over the subsets of n variables."""
    tables_of_families = 2 * n if structure_prior == "graphs" else n + 2
    return 8 * ((tables_of_families << max(n - 1, 0)) + (8 << n))


def exact_probabilities(families: FamilyScores, structure_prior: str) -> tuple[Floats, float]:
    """Posterior probability of each edge, and the logarithm of the sum of all weights.

    The weight of a graph is exp(its score), times the number of orders that it agrees with under "orders".

    Parameters
    ----------
    families : FamilyScores
    structure_prior : {"graphs", "orders"}

    Returns
    -------
    arcs : ndarray of float64, shape (n, n)
        [u, v] is the probability of u -> v.
    total : float
        In nats.

    Raises
    ------
    ValueError
        As for `check_exact`.

    Notes
    -----
    Let alpha_v(U) be the sum of exp φ(v, G) over the sets of parents G within U, and share_v(U) the probability that
    the parents of v come from U. Then both priors give

        P(u -> v) = sum over U of share_v(U) * (1 - alpha_v(U - u) / alpha_v(U)).
    """
    n = families.n
    check_exact(n, structure_prior)
    greatest = [float(scores[0]) for scores in families.scores]
    alpha = np.full((n, 1 << (n - 1)), -np.inf)
    for v, candidates in enumerate(families.candidates):
        places = np.array([u - (u > v) for u in candidates], dtype=np.int64)
        chosen = families.bits[v][:, None] >> np.arange(len(candidates)) & 1
        alpha[v, (chosen << places).sum(axis=1)] = families.scores[v] - greatest[v]
        run_interruptible(sum_over_subsets, alpha[v])
    arcs = np.zeros((n, n))
    if structure_prior == "graphs":
        weights, shares = run_interruptible(sums_over_graphs, alpha)
        for v in range(n):
            run_interruptible(probabilities_of_parents, v, alpha[v], shares[v], arcs)
    else:
        weights, last = run_interruptible(sums_over_orders, alpha)
        for v in range(n):
            share = run_interruptible(shares_of_orders, v, alpha[v], weights, last)
            run_interruptible(probabilities_of_parents, v, alpha[v], share, arcs)
    return np.clip(arcs, 0.0, 1.0), float(weights[-1]) + sum(greatest)


class ExactState(NamedTuple):
    """Scored families of the first variables, and after the last step the probabilities, shape (n, n)."""

    scored: Any
    arcs: Floats | None = None


@dataclass(frozen=True, eq=False)
class ExactPosterior(Described):
    """Search that ``edge_probabilities(method="exact")`` runs, which can be stopped between two steps.

    Each step scores the families of one variable; the last step sums over all graphs or orders.

    Parameters
    ----------
    scoring : FamilyScoring
    structure_prior : {"graphs", "orders"}

    Examples
    --------
    >>> from bnlab.learners.posterior.families import FamilyScoring
    >>> from bnlab.learners.types import as_local_scores
    >>> from bnlab.search import run
    >>> phi = as_local_scores(lambda child, parents: 0.0)
    >>> run(ExactPosterior(FamilyScoring(phi, ((1,), (0,)), 1))).arcs.round(3)
    array([[0.   , 0.333],
           [0.333, 0.   ]])
    """

    scoring: FamilyScoring
    structure_prior: str = "graphs"

    def init(self) -> ExactState:
        """State before the first variable; raises as `check_exact` and `FamilyScoring` do."""
        check_exact(self.scoring.n, self.structure_prior)
        return ExactState(self.scoring.init())

    def step(self, state: ExactState) -> tuple[ExactState, int]:
        """Score the families of a variable, or sum; the information is the number of variables scored."""
        if not self.scoring.is_done(state.scored):
            scored, _ = self.scoring.step(state.scored)
            return ExactState(scored), len(scored)
        arcs, _ = exact_probabilities(self.scoring.result(state.scored), self.structure_prior)
        return ExactState(state.scored, arcs), len(state.scored)

    def is_done(self, state: ExactState) -> bool:
        """Whether the probabilities are known."""
        return state.arcs is not None

    def result(self, state: ExactState) -> EdgeConfidence:
        """Probabilities of the edges; ValueError before the last step."""
        if state.arcs is None:
            raise ValueError("stopped before the last step: exact probabilities have no result until then.")
        return EdgeConfidence(self.scoring.phi.names or (), state.arcs, 0, "exact")

    def snapshot(self, state: ExactState) -> Snapshot:
        """Number of variables scored."""
        return self.scoring.snapshot(state.scored)

    def variable_names(self) -> tuple[str, ...] | None:
        """Names of the variables."""
        return self.scoring.variable_names()
