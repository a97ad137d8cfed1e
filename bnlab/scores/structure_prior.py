"""Priors of network structures, log P(B) (Carvalho 2009, section 2.1.1), to add to a Bayesian score.

A prior that is a product over edges is decomposable: the terms of the edges into a variable are part of its local
score, so that every learner can use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.counts.types import FloatArray
from bnlab.graphs.checks import is_edge
from bnlab.graphs.dag import Dag
from bnlab.scores.local import LocalScore, as_number, check_positive

StructurePrior: TypeAlias = Callable[[Dag], float]


@runtime_checkable
class DecomposablePrior(Protocol):
    """A prior of structures that is a product over edges."""

    def __call__(self, dag: Dag, /) -> float:
        """Log P(B) in nats, up to a constant."""

    def log_odds(self, names: Sequence[str], /) -> FloatArray:
        """Term of each edge in log P(B), in nats: [u, v] for u -> v, shape (n, n), zeros on the diagonal."""


@dataclass(frozen=True, init=False, repr=False)
class EdgePrior:
    """Prior of structures from a probability of each edge: soft knowledge, where `bnlab.Knowledge` is strict.

    Edges are independent, except for the condition that the graph B has no cycle:

        P(B) proportional to the product of p(u -> v) over the edges of B, and of 1 - p(u -> v) over all other
        ordered pairs

    so that each edge adds log(p / (1 - p)) to log P(B), and a probability of 0.5 adds nothing.

    Parameters
    ----------
    probabilities : mapping of (str, str) to float
        Of edges (parent, child), between 0 and 1, both excluded. The reverse edge has a probability of its own.
    default : float
        Probability of all other edges. 0.5 prefers no structure; smaller values prefer few edges.

    Raises
    ------
    ValueError
        If a probability is out of range or an edge leads from a variable to itself.
    TypeError
        If a key is not a pair of names or a probability is not a number.

    Notes
    -----
    With a score-equivalent score such as BDeu, equivalent graphs score the same as long as both directions of each pair
    have the same probability. Because of the condition, p is not exactly the prior probability of an edge.

    Examples
    --------
    >>> import bnlab
    >>> prior = EdgePrior({("a", "b"): 0.9}, default=0.2)
    >>> round(prior(Dag.from_edges("abc", [("a", "b"), ("c", "b")])), 6)  # log(0.9 / 0.1) + log(0.2 / 0.8)
    0.81093
    >>> data = bnlab.load_network("cancer").sample(200, seed=0)
    >>> bnlab.learn(data, score="bdeu").edges
    (('Cancer', 'Xray'),)
    >>> bnlab.learn(data, score="bdeu", structure_prior=EdgePrior({("Smoker", "Cancer"): 0.999})).edges
    (('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'))
    """

    _given: tuple[tuple[tuple[str, str], float], ...]
    default: float

    def __init__(self, probabilities: Mapping[tuple[str, str], float], default: float = 0.5) -> None:
        given = []
        for edge, probability in probabilities.items():
            if not is_edge(edge):
                raise TypeError(f"edge prior: {edge!r} is no edge: a key is a pair of names, (parent, child).")
            if edge[0] == edge[1]:
                raise ValueError(f"edge prior: edge {edge!r}: a variable cannot be its own parent.")
            given.append(((edge[0], edge[1]), _checked(f"{edge[0]!r} -> {edge[1]!r}", probability)))
        object.__setattr__(self, "_given", tuple(sorted(given)))
        object.__setattr__(self, "default", _checked("default", default))

    @property
    def probabilities(self) -> dict[tuple[str, str], float]:
        """Probabilities of edges, as given."""
        return dict(self._given)

    def __repr__(self) -> str:
        """Code that makes an equal prior."""
        return f"EdgePrior({self.probabilities!r}, default={self.default!r})"

    def __call__(self, dag: Dag) -> float:
        """Log P(B) in nats, up to a constant."""
        odds = self.log_odds(dag.names)
        return fsum(odds[u, v] for v, parents in enumerate(dag.parents) for u in parents)

    def log_odds(self, names: Sequence[str]) -> FloatArray:
        """Term of each edge in log P(B), in nats: [u, v] for u -> v, shape (n, n), zeros on the diagonal.

        Raises
        ------
        ValueError
            If an edge of this prior has an unknown variable.
        """
        place = {name: i for i, name in enumerate(names)}
        odds = np.full((len(names), len(names)), log(self.default / (1 - self.default)))
        for edge, probability in self._given:
            for name in edge:
                if name not in place:
                    raise ValueError(f"edge prior: no variable {name!r}; {nearest(name, names)}")
            odds[place[edge[0]], place[edge[1]]] = log(probability / (1 - probability))
        np.fill_diagonal(odds, 0.0)
        return odds


@dataclass(frozen=True)
class DifferencePrior:
    """Prior of structures: P(B) proportional to kappa^delta, for delta edges in which B and a prior graph differ.

    Heckerman, Geiger and Chickering (1995), section 6.2. A reversed edge counts twice. It is the `EdgePrior` with the
    probability 1 / (1 + kappa) for the edges of the prior graph and kappa / (1 + kappa) for all others, times a
    constant.

    Parameters
    ----------
    kappa : float
        Factor for each edge, greater than 0; values below 1 prefer graphs close to the prior one.
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

    def log_odds(self, names: Sequence[str]) -> FloatArray:
        """Term of each edge in log P(B), in nats: [u, v] for u -> v, shape (n, n), zeros on the diagonal."""
        odds = np.full((len(names), len(names)), log(self.kappa))
        if self.prior is not None:
            for v, parents in enumerate(self.prior.reordered(tuple(names)).parents):
                odds[list(parents), v] *= -1
        np.fill_diagonal(odds, 0.0)
        return odds


def check_bayesian(score: LocalScore) -> None:
    """Refuse a score to which log P(B) may not be added.

    Raises
    ------
    ValueError
        If it is not Bayesian.
    """
    if not score.bayesian:
        raise ValueError(
            f"score {score.name!r} is not Bayesian, so it has no structure prior; take k2, bd, bde or bdeu"
        )


def _checked(what: str, probability: Any) -> float:
    number = as_number("edge prior", what, probability)
    if not 0.0 < number < 1.0:
        raise ValueError(
            f"edge prior: {what}: probability {probability!r}: it must be between 0 and 1, both left out; "
            "bnlab.Knowledge requires or forbids an edge"
        )
    return number
