"""Ordering-based search: a search over the orders of the variables.

Given an order, the best network with at most k parents a node is easy: each node takes its best set of parents among
those before it. The search is then one over orders.

References
----------
M. Teyssier, D. Koller. Ordering-based search: a simple and effective algorithm for learning Bayesian networks.
UAI 2005.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import comb, fsum
from typing import Any

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import check_counts, check_optional_counts
from bnlab.graphs.dag import Dag
from bnlab.graphs.paths import parents_first
from bnlab.learners.chain import Chain
from bnlab.learners.edges import Known, Node, as_order, edge_rules
from bnlab.learners.growing_tree import breadth_first_order
from bnlab.learners.parent_sets import ParentSets, ParentSetSearch, least_sets
from bnlab.learners.subsets import count_subsets
from bnlab.learners.trees import optimal_branching
from bnlab.learners.types import ParentTuples, Phi, as_local_scores
from bnlab.search import Described, Event, Progress, Snapshot, Work, run

BFS = "bfs"
MOST_SETS = 500_000
"""Sets of at most three parents that the default scores, at most: one to four seconds on 10,000 rows."""


@dataclass(frozen=True)
class OrderingState:
    """State of an `OrderingSearch`.

    Attributes
    ----------
    order : tuple of int
        The present order.
    chosen : tuple of int
        Index of each node's best set of parents in that order.
    swaps : tuple of (float, int, int)
        For each two neighbours of the order, what swapping them gains, and the indices of their best sets then; -inf
        where they may not be swapped.
    tabu : tuple of (int, int)
        Pairs of nodes that were swapped last.
    peak : float
        Best score since the last start.
    idle : int
        Moves since then.
    best : tuple of tuple of int
        Best network so far.
    best_score, score : float
        Of the best network, and of the best one in the present order.
    start, moves : int
        Starts finished, and moves made since the present one.
    iteration : int
        Steps made in all.
    """

    order: tuple[int, ...]
    chosen: tuple[int, ...]
    swaps: tuple[tuple[float, int, int], ...]
    score: float
    peak: float
    best: ParentTuples
    best_score: float
    tabu: tuple[tuple[int, int], ...] = ()
    idle: int = 0
    start: int = 0
    moves: int = 0
    iteration: int = 0


@dataclass(frozen=True)
class OrderingSearch(Described):
    """Greedy search over orders by swaps of neighbours, with a tabu list and random restarts.

    In an order each node takes its best set of parents among those before it. A move swaps the two neighbours whose
    swap gains most, even if that is less than nothing, and of several the first; only their two families change. The
    pair may then not be swapped back for some moves. After many moves without a new best order since the start, the
    search starts again from a random order.

    Parameters
    ----------
    sets : tuple of tuple of (float, tuple of int)
        Result of a `ParentSetSearch`.
    seed : int
        Seed of the random orders; start s draws from ``default_rng([seed, s])``.
    restarts : int
        Number of starts, at least one.
    start : sequence of int, optional
        Order to start from first, such as `breadth_first_order` of a branching; by default a random one.
    tabu : int, optional
        Number of last swaps that may not be undone; 0 ends each climb on the first hill. By default half the number
        of pairs: with a short list the search walks among the orders of one network.
    patience : int, optional
        Moves without a new best after which a start is given up; by default twice the number of pairs.

    Raises
    ------
    ValueError
        If a number is out of range, `start` is not an order of the nodes or has a node before one of its required
        parents, or a node has no set that all its others contain.
    """

    sets: ParentSets
    seed: int = field(default=0, kw_only=True)
    restarts: int = field(default=10, kw_only=True)
    start: Sequence[int] | None = field(default=None, kw_only=True)
    tabu: int | None = field(default=None, kw_only=True)
    patience: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_counts(0, seed=self.seed)
        check_counts(1, restarts=self.restarts)
        check_optional_counts(0, tabu=self.tabu)
        check_optional_counts(1, patience=self.patience)
        if self.start is not None and sorted(self.start) != list(range(len(self.sets))):
            raise ValueError(f"start={self.start}: an order holds each of the nodes 0 to {len(self.sets) - 1} once")
        if self.start is not None and parents_first(self._required, self.start) != tuple(self.start):
            raise ValueError(f"start={self.start} has a node before one of its required parents: move it")

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Dag:
        """DAG of a sketch: parents of each variable."""
        return Dag(names, sketch)

    def init(self) -> OrderingState:
        """First order."""
        return self._started(0, None)

    def step(self, state: OrderingState) -> tuple[OrderingState, Progress]:
        """Make the best move, or begin the next start."""
        move = self._best_move(state)
        after = self._started(state.start + 1, state) if move is None else self._swapped(state, move)
        after = replace(after, iteration=state.iteration + 1)
        begun = after.start > state.start and not self.is_done(after)
        events = (Event(after.iteration, "restart"),) if begun else ()
        return after, Progress(after.iteration, (after.score,), after.best_score, events)

    def is_done(self, state: OrderingState) -> bool:
        """Whether all starts are finished."""
        return state.start == self.restarts

    def result(self, state: OrderingState) -> ParentTuples:
        """Best network so far: ascending parents of each node."""
        return state.best

    def snapshot(self, state: OrderingState) -> Snapshot:
        """Starts finished, and the best networks in the present order and so far."""
        return Snapshot(Work(state.start, self.restarts, "starts"), self._parents(state.chosen), best=state.best)

    @cached_property
    def _required(self) -> ParentTuples:
        """Required parents of each node, which are in all its sets."""
        return least_sets(self.sets)

    def _first_order(self, start: int) -> tuple[int, ...]:
        """Order at the beginning of a start: the given order for the first start, or a random one."""
        if start == 0 and self.start is not None:
            return tuple(int(node) for node in self.start)
        drawn = np.random.default_rng([self.seed, start]).permutation(len(self.sets)).tolist()
        return parents_first(self._required, drawn)

    def _total(self, chosen: Sequence[int]) -> float:
        return fsum(sets[at][0] for sets, at in zip(self.sets, chosen, strict=True))

    def _parents(self, chosen: Sequence[int]) -> ParentTuples:
        return tuple(sets[at][1] for sets, at in zip(self.sets, chosen, strict=True))

    @cached_property
    def _tabu(self) -> int:
        return comb(len(self.sets), 2) // 2 if self.tabu is None else self.tabu

    @cached_property
    def _masks(self) -> list[list[int]]:
        return [[sum(1 << parent for parent in parents) for _, parents in sets] for sets in self.sets]

    def _first(self, node: int, allowed: int, begin: int = 0) -> int:
        """Index of the node's best set, of those from `begin` on, that lies within a set of nodes given by its bits."""
        masks = self._masks[node]
        at = begin
        while masks[at] & ~allowed:
            at += 1
        return at

    def _started(self, start: int, last: OrderingState | None) -> OrderingState:
        """State at the beginning of a start; after the last one, the final state."""
        n = len(self.sets)
        if last is not None and start == self.restarts:
            return replace(last, start=start)
        order = self._first_order(start)
        chosen = [0] * n
        before = 0
        for node in order:
            chosen[node] = self._first(node, before)
            before |= 1 << node
        swaps = self._swaps(order, chosen, [(0.0, 0, 0)] * (n - 1), range(n - 1))
        score = self._total(chosen)
        if last is not None and last.best_score >= score:
            best, best_score = last.best, last.best_score
        else:
            best, best_score = self._parents(chosen), score
        return OrderingState(order, tuple(chosen), swaps, score, score, best, best_score, start=start)

    def _best_move(self, state: OrderingState) -> int | None:
        patience = 2 * comb(len(self.sets), 2) if self.patience is None else self.patience
        if state.idle >= patience:
            return None
        tabu = set(state.tabu)
        swaps = enumerate(state.swaps)
        moves = [p for p, (gain, _, _) in swaps if gain > -np.inf and _pair(state.order, p) not in tabu]
        if not moves:
            return None
        best = max(moves, key=lambda p: state.swaps[p][0])
        return best if self._tabu or state.swaps[best][0] > 0 else None

    def _swapped(self, state: OrderingState, p: int) -> OrderingState:
        order, chosen = list(state.order), list(state.chosen)
        _, chosen[order[p]], chosen[order[p + 1]] = state.swaps[p]
        order[p], order[p + 1] = order[p + 1], order[p]
        around = range(max(p - 1, 0), min(p + 2, len(state.swaps)))
        score = self._total(chosen)
        better = score > state.best_score
        return replace(
            state,
            order=tuple(order),
            chosen=tuple(chosen),
            swaps=self._swaps(tuple(order), chosen, list(state.swaps), around),
            tabu=(*state.tabu, _pair(state.order, p))[-self._tabu :] if self._tabu else (),
            score=score,
            peak=max(score, state.peak),
            idle=0 if score > state.peak else state.idle + 1,
            best=self._parents(chosen) if better else state.best,
            best_score=max(score, state.best_score),
            moves=state.moves + 1,
        )

    def _swaps(
        self, order: tuple[int, ...], chosen: list[int], swaps: list[tuple[float, int, int]], where: range
    ) -> tuple[tuple[float, int, int], ...]:
        """Swaps of an order, those at the positions `where` recomputed."""
        before = sum(1 << node for node in order[: where.start])
        for p in where:
            a, b = order[p], order[p + 1]
            if a in self._required[b]:
                swaps[p] = -np.inf, chosen[a], chosen[b]
                before |= 1 << a
                continue
            a_then = self._first(a, before | 1 << b)
            b_then = self._first(b, before, chosen[b])
            changes = ((self.sets[a], chosen[a], a_then), (self.sets[b], chosen[b], b_then))
            swaps[p] = sum(sets[then][0] - sets[now][0] for sets, now, then in changes), a_then, b_then
            before |= 1 << a
        return tuple(swaps)


def _pair(order: Sequence[int], p: int) -> tuple[int, int]:
    return min(order[p], order[p + 1]), max(order[p], order[p + 1])


def ordering_search(phi: Phi, n: int, k: int | None = None, *, knowledge: Known = None, **options: Any) -> ParentTuples:
    """Network found by searching the orders of the variables (Teyssier and Koller 2005).

    Parameters
    ----------
    phi, n, k, knowledge
        As for `ParentSetSearch`, which finds the sets of parents. By default k is 3, but for more than 42 variables
        not all sets of three are scored, as ``k=3`` does: all sets of two are, or of required parents and one more, and
        the variables in the best of them are the candidates for three, so many that at most 500,000 sets are scored.
        Where the best networks have more parents, the result stays behind: on WIN95PTS, with up to six, by 1.7 % with
        10,000 rows; take "boss" there.
    **options
        Parameters of `OrderingSearch`; the order `start` also by names. ``start="bfs"`` starts first from the
        breadth-first order of the optimal branching, the total order that Carvalho and Oliveira (2007, section 5)
        suggest, with required parents before their children.

    Examples
    --------
    >>> parity = lambda child, parents: 1.0 * (child == 2 and parents == (0, 1))
    >>> ordering_search(parity, 3)
    ((), (), (0, 1))
    """
    return run(orderings_search(phi, n, k, knowledge=knowledge, **options))


def orderings_search(
    phi: Phi,
    n: int,
    k: int | None = None,
    *,
    knowledge: Known = None,
    start: Sequence[Node] | str | None = None,
    **options: Any,
) -> Chain:
    """Search that `ordering_search` runs."""
    if isinstance(start, str) and start != BFS:
        raise ValueError(f"start={start!r}: give an order of the variables, or {BFS!r} for that of the optimal tree")

    OrderingSearch((), **options)  # raises for wrong options before any work
    given = start if start is None or isinstance(start, str) else as_order(start, n, as_local_scores(phi, n).names)

    def searched(sets: ParentSets) -> OrderingSearch:
        if not isinstance(given, str):
            return OrderingSearch(sets, start=given, **options)
        order = parents_first(least_sets(sets), breadth_first_order(optimal_branching(phi, n)))
        return OrderingSearch(sets, start=order, **options)

    most = _candidates(n)

    def with_third_parents(sets: ParentSets) -> Chain:
        used = np.zeros((n, n), dtype=np.bool_)
        for child, of_child in enumerate(sets):
            candidates = dict.fromkeys(u for _, parents in of_child for u in parents)
            used[list(candidates)[:most], child] = True
        return Chain(ParentSetSearch(phi, n, 3, within=used, knowledge=knowledge), searched)

    if k is None and most < n - 1:
        rules = edge_rules(n, as_local_scores(phi, n).names, knowledge=knowledge, max_parents=3)
        two_or_one_more = np.maximum(2, rules.required.sum(axis=0) + 1)
        few = rules._replace(limits=np.minimum(rules.limits, two_or_one_more))
        return Chain(ParentSetSearch(phi, n, 3, knowledge=few), with_third_parents)
    return Chain(ParentSetSearch(phi, n, 3 if k is None else k, knowledge=knowledge), searched)


def _candidates(n: int) -> int:
    """Candidates of each variable of n, of which all sets of at most three are scored."""
    return next((m for m in range(n - 1, 3, -1) if n * count_subsets(m, 3) <= MOST_SETS), 3)
