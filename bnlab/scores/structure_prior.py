"""Prior probabilities of structures, log P(B) in the Bayesian scores (Carvalho 2009, section 2.1.1).

Any function of a graph will do; without one the prior is uniform, a constant that is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from bnlab.scores.local import check_positive

if TYPE_CHECKING:
    from bnlab.graphs.dag import Dag


@dataclass(frozen=True)
class DifferencePrior:
    """P(B) proportional to kappa^delta, delta being the edges in which B and a prior graph differ.

    Heckerman, Geiger and Chickering (1995), section 6.2. A reversed edge counts twice.

    Parameters
    ----------
    kappa : float
        Factor for each edge, greater than 0; below 1 it holds the graph near the prior one.
    prior : Dag, optional
        By default the graph without edges, so that every edge costs log(kappa).

    Examples
    --------
    >>> from bnlab.graphs.dag import Dag
    >>> chain = Dag.from_edges("ABC", [("A", "B"), ("B", "C")])
    >>> round(DifferencePrior(0.1)(chain), 6)  # 2 log(0.1)
    -4.60517
    """

    kappa: float
    prior: Dag | None = None

    def __post_init__(self) -> None:
        check_positive("structure prior", "kappa", self.kappa)

    def __call__(self, dag: Dag) -> float:
        """Log P(B) in nats, up to a constant."""
        expected = set(self.prior.reordered(dag.names).edges) if self.prior is not None else set()
        return log(self.kappa) * len(expected ^ set(dag.edges))
