"""The K2 algorithm: given an order of the variables, each takes parents greedily among those before it.

The algorithm works with any local score, not only K2. The result depends on the order. With several orders, given or
drawn at random, the result is the best graph.

References
----------
G. F. Cooper, E. Herskovits. A Bayesian method for the induction of probabilistic networks from data. Machine
Learning 9, 1992, section 3.1.2 (figure 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import ClassVar

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import at_least, check_counts
from bnlab.learners.edges import Restricted, as_order
from bnlab.learners.types import Floats, ParentTuples, evaluate, rounding_unit, scores_alone
from bnlab.search import Event, Progress, Snapshot, Work


@dataclass(frozen=True)
class K2State:
    """State of a `K2Search`.

    Attributes
    ----------
    order : int
        Index of the current order; those before it are finished.
    position : int
        Position in that order of the variable whose parents are being selected.
    parents : tuple of tuple of int
        Ascending parents of each variable so far, under this order.
    local : tuple of float
        Score of each variable with these parents.
    best_parents, best_score
        The best graph so far; unfinished graphs count.
    iteration : int
        Edges added and variables finished, over all orders.
    """

    order: int
    position: int
    parents: ParentTuples
    local: tuple[float, ...]
    best_parents: ParentTuples
    best_score: float
    iteration: int = 0

    @property
    def score(self) -> float:
        """Score of the current graph."""
        return fsum(self.local)


@dataclass(frozen=True)
class K2Search(Restricted):
    """The K2 algorithm over one order or many: a `Search` whose result is the parents of the best graph found.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better.
    n : int
        Number of variables.
    orders : sequence of orders of the variables, or int, optional
        Variables by index, or by name if `phi` has `names`. A number means that many random orders. The default is
        the order of the variables. Orders that are not given are changed as little as possible to use each edge that
        `within` and `knowledge` allow in one direction only: tiers of one variable each are an order.
    max_parents : int, optional
        Maximum number of parents, u in the paper.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be used, as for `allowed_edges`.
    knowledge : Knowledge, optional
        Edges that the network must have or may not have.
    seed : int
        Seed of the random orders; order k depends only on `(seed, k)`.

    Raises
    ------
    ValueError, TypeError
        If an order is not a permutation or has a variable before one of its required parents, or an option is out of
        range; when running, if a score is nan or infinite.

    Notes
    -----
    Gains that differ by less than 1e-10 of the greatest ``|φ(i, ∅)|`` are equal, and the first such parent in node
    order is added. Gains below this threshold count as zero.

    Examples
    --------
    >>> from bnlab.search import run
    >>> gain = np.array([[0, 5, 1], [6, 0, 3], [-2, 4, 0]])
    >>> phi = lambda child, parents: sum(gain[j, child] for j in parents)
    >>> run(K2Search(phi, 3)), run(K2Search(phi, 3, orders=[(2, 1, 0)], max_parents=1))
    (((), (0,), (0, 1)), ((1,), (2,), ()))
    """

    orders: int | Sequence[Sequence[int | str]] | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    bytes_an_edge: ClassVar[int] = 650

    def __post_init__(self) -> None:
        check_counts(1, n=self.n)
        check_counts(0, seed=self.seed)
        if not self._orders:
            raise ValueError("orders is empty: give at least one order, or the number of random orders.")

    def init(self) -> K2State:
        """Return the graph of the required edges alone."""
        local = tuple(self._first.tolist())
        return K2State(0, 0, self.rules.parents, local, self.rules.parents, fsum(local))

    def step(self, state: K2State) -> tuple[K2State, Progress]:
        """Add the parent of greatest gain to the current variable, or proceed to the next variable."""
        added = self._best_parent(state)
        at = state.iteration + 1
        if added is None:
            after = replace(self._next_variable(state), iteration=at)
            begun = after.order > state.order and not self.is_done(after)
            events = (Event(at, "restart"),) if begun else ()
        else:
            u, score = added
            v = self._orders[state.order][state.position]
            parents = (*state.parents[:v], tuple(sorted((*state.parents[v], u))), *state.parents[v + 1 :])
            local = (*state.local[:v], score, *state.local[v + 1 :])
            after = replace(state, parents=parents, local=local, iteration=at)
            if after.score > after.best_score:
                after = replace(after, best_parents=parents, best_score=after.score)
            events = (Event(at, "add", u, v),)
        return after, Progress(at, (after.score,), after.best_score, events)

    def is_done(self, state: K2State) -> bool:
        """Whether all orders are finished."""
        return state.order == len(self._orders)

    def snapshot(self, state: K2State) -> Snapshot:
        """Variables finished, and the present graph."""
        done, total = state.order * self.n + state.position, len(self._orders) * self.n
        return Snapshot(Work(done, total, "variables"), state.parents, best=state.best_parents)

    @cached_property
    def _orders(self) -> tuple[tuple[int, ...], ...]:
        if self.orders is None:
            return (self.rules.along(range(self.n)),)
        if not isinstance(self.orders, Iterable):
            numbers = range(at_least("orders", self.orders, 1))
            draws = (np.random.default_rng([self.seed, k]).permutation(self.n) for k in numbers)
            return tuple(self.rules.along(order.tolist()) for order in draws)
        orders = tuple(tuple(as_order(order, self.n, self.variable_names())) for order in self.orders)
        for given, order in zip(self.orders, orders, strict=True):
            if self.rules.ordered(order) != order:
                raise ValueError(f"order {tuple(given)!r} has a variable before one of its required parents: move it.")
        return orders

    @cached_property
    def _unit(self) -> float:
        return rounding_unit(scores_alone(self.local_scores, self.n))

    @cached_property
    def _first(self) -> Floats:
        """Scores of the variables with their required parents alone."""
        return evaluate(self.local_scores, list(enumerate(self.rules.parents)))

    def _best_parent(self, state: K2State) -> tuple[int, float] | None:
        """Predecessor of greatest gain, and the score of the variable with it; None if none gains."""
        order = self._orders[state.order]
        v = order[state.position]
        family = state.parents[v]
        candidates = sorted(u for u in order[: state.position] if self.rules.allowed[u, v] and u not in family)
        if not candidates or len(family) >= self.rules.limits[v]:
            return None
        scores = evaluate(self.local_scores, [(v, tuple(sorted((*family, u)))) for u in candidates])
        gain = np.rint((scores - state.local[v]) / self._unit)
        best = int(gain.argmax())
        return (candidates[best], float(scores[best])) if gain[best] > 0 else None

    def _next_variable(self, state: K2State) -> K2State:
        if state.position + 1 < self.n:
            return replace(state, position=state.position + 1)
        last = state.order + 1 == len(self._orders)
        after = replace(state, order=state.order + 1, position=0)
        return after if last else replace(after, parents=self.rules.parents, local=tuple(self._first.tolist()))
