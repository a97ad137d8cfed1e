"""Greedy hill climbing over DAGs: add, delete or reverse one edge, with a tabu list and random restarts.

References
----------
D. Heckerman, D. Geiger, D. M. Chickering. Learning Bayesian networks. Machine Learning 20, 1995, section 7.
F. Glover. Tabu search, part I. ORSA Journal on Computing 1, 1989.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import check_counts, check_optional_counts
from bnlab.graphs.dag import GraphLike
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.edges import Restricted, acyclic_parents
from bnlab.learners.hill_climbing.climb import Climb
from bnlab.learners.hill_climbing.neighbours import Neighbours
from bnlab.learners.hill_climbing.ranked import Ranked, tree_order
from bnlab.learners.hill_climbing.state import HillClimbingState, Move, after_move, move_of, possible_moves
from bnlab.learners.types import ParentTuples, rounding_unit, scores_alone
from bnlab.search import Event, Progress, Snapshot, Work

TIES = ("columns", "scores", "random")


@dataclass(frozen=True)
class HillClimbing(Restricted):
    """Climb by the move of greatest gain: a `Search` whose result is the parents of the best graph found.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better. A `LocalScoreFunction` scores all changes of
        a node at once.
    n : int
        Number of variables.
    start : Dag, or what `as_dag` takes, or sequence of parents, optional
        First graph; by default it has only the required edges.
    max_parents : int, optional
        No move gives a node more parents than this.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be added, as for `allowed_edges`, such as the skeleton of another learner.
    knowledge : Knowledge, optional
        Edges that the network must have or may not have.
    tabu : int
        Number of latest moves whose pairs of nodes are tabu: they change again only if the result is the best so far.
        With 0 a climb ends at the first graph that no move improves. The list holds pairs, not graphs: of 36 climbs on
        ALARM, INSURANCE and HAILFINDER a list of the last 10 graphs made 9 worse and 4 better, one of 100 graphs made 9
        worse and 5 better, and both lists together changed no score.
    patience : int, optional
        With a tabu list, number of moves without a new best graph after which a climb ends; by default
        `max(tabu, 15)`.
    restarts : int
        Number of further climbs, each from the best graph so far changed by random moves.
    perturbations : int, optional
        Number of random moves at a restart; by default n / 4 to 3 n / 4, drawn at each restart. Additions, deletions
        and reversals are equally likely: most possible moves are additions, which the next climb undoes at once.
    ties : {"columns", "scores", "random"}
        Which of two moves of equal gain comes first; under BIC and BDeu both directions of an edge gain the same, so
        that this decides most of the first directions. "columns": the first in the order of the columns. "scores": the
        first in the order in which a spanning tree of greatest gain joins the variables, from the one that explains
        most of the others (`tree_order`), which does not depend on the order of the columns. "random": the first in an
        order drawn from `seed` and all φ(i, ∅), which differs between the samples of a bootstrap. The random moves
        refer to the same order. `bnlab.learn` uses "scores": on 11 tables of 8 networks, climbs end 0.08 % below the
        best of 15 orders in the mean, as far as in the order of the files, which has parents first, and 0.45 % if the
        variables are sorted by φ(i, ∅), 0.16 % if the greatest comes first.
    seed : int
        Seed of random ties and of the random moves; the moves of a restart depend only on `(seed, iteration)`.

    Raises
    ------
    ValueError, TypeError
        If an option is out of range, the first graph has a cycle or disagrees with `knowledge`; when running, if a
        score is nan or infinite.

    Notes
    -----
    Gains are compared in multiples of a power of two near 1e-10 of the greatest ``|φ(i, ∅)|``, so that rounding decides
    no tie. Of moves of equal gain, additions come first, then deletions, then reversals, then the smaller (u, v).
    LL, AIC, BIC, NML, K2 and BDeu of a table in memory are computed by compiled code.

    Examples
    --------
    >>> from bnlab.search import run
    >>> gain = np.array([[0, 5, 0], [6, 0, 3], [-2, 9, 0]])
    >>> run(HillClimbing(lambda child, parents: sum(gain[j, child] for j in parents), 3))
    ((1,), (2,), ())
    """

    start: GraphLike | Sequence[Iterable[int]] | None = field(default=None, kw_only=True)
    tabu: int = field(default=0, kw_only=True)
    patience: int | None = field(default=None, kw_only=True)
    restarts: int = field(default=0, kw_only=True)
    perturbations: int | None = field(default=None, kw_only=True)
    ties: Literal["columns", "scores", "random"] = field(default="columns", kw_only=True)
    seed: int = field(default=0, kw_only=True)
    bytes_another_pair: ClassVar[int] = 32

    def __post_init__(self) -> None:
        check_counts(1, n=self.n)
        check_counts(0, tabu=self.tabu, restarts=self.restarts, seed=self.seed)
        check_optional_counts(1, patience=self.patience, perturbations=self.perturbations)
        if self.ties not in TIES:
            raise ValueError(f"ties={self.ties!r}: the rules are {', '.join(map(repr, TIES))}")
        _ = self.rules
        widest = max(map(len, self._first))
        given = self.start is not None and self.knowledge is not None
        if given and (wrong := self.rules.violations(self._first, self.variable_names())):
            raise ValueError(f"start disagrees with `knowledge`: {wrong[0]}. Change one of them.")
        if self.max_parents is not None and widest > self.max_parents:
            raise ValueError(f"start has a node with {widest} parents, more than max_parents={self.max_parents}.")

    def init(self) -> HillClimbingState:
        """Return the first graph with its score."""
        return self.begin(self._first)

    def begin(self, parents: ParentTuples) -> HillClimbingState:
        """Return the state to climb from another graph; all climbs of this object share the gains found so far."""
        if self._ranked is not None:
            parents = self._ranked.in_ranks(parents)
        score = self._climb.score(parents)
        return HillClimbingState(parents, score, parents, score, climb_score=score)

    def step(self, state: HillClimbingState) -> tuple[HillClimbingState, Progress]:
        """Make the best move, restart, or end the search.

        Raises
        ------
        ValueError
            When the state is not one of a search over the same variables.
        """
        self._check(state)
        pairs = np.array(state.recent, dtype=np.int64).reshape(-1, 2)
        aspiration = state.best_score - state.score + self._climb.unit / 2
        min_gain = 0.0 if state.stalled >= self._patience else -np.inf
        number = self._climb.best_move(state.parents, pairs, aspiration, min_gain)
        if number >= 0:
            return self._make_move(state, move_of(number, self.n))
        if state.restart < self.restarts:
            return self._restart(state)
        done = replace(state, done=True)
        return done, Progress(state.iteration, (), state.best_score)

    def snapshot(self, state: HillClimbingState) -> Snapshot:
        """Climbs finished, if there are restarts, and the present graph."""
        work = Work(state.restart + state.done, self.restarts + 1, "climbs") if self.restarts else None
        return Snapshot(work, self._in_variables(state.parents), best=self._in_variables(state.best_parents))

    def result(self, state: HillClimbingState) -> ParentTuples:
        """Ascending parents of each variable in the best network so far."""
        return self._in_variables(state.best_parents)

    @property
    def ranked(self) -> Ranked | None:
        """Order of the variables that decides ties, and the score over ranks; None for the order of the columns."""
        return self._ranked

    @property
    def neighbours(self) -> Neighbours:
        """Scores of families that differ by one parent, over ranks if there are any."""
        return self._in_ranks[1]

    @cached_property
    def _in_ranks(self) -> tuple[Ranked | None, Neighbours]:
        if self.ties == "columns":
            return None, Neighbours(self.local_scores, self.rules)
        by_score = Ranked(self.local_scores, self.n)
        if self.ties == "random":
            drawn = by_score.shuffled(self.seed)
            return drawn, Neighbours(drawn, self.rules.permuted(drawn.order))
        neighbours = Neighbours(by_score, self.rules.permuted(by_score.order))
        rows = np.array(neighbours.rows([(v, ()) for v in range(self.n)]))
        gains = np.rint((rows - rows.diagonal()[:, None]) / by_score.unit)
        order = tree_order(np.maximum(gains, gains.T))
        ranked = by_score.reordered(order)
        return ranked, neighbours.permuted(order, ranked)

    @property
    def _ranked(self) -> Ranked | None:
        return self._in_ranks[0]

    @cached_property
    def _ranked_rules(self) -> EdgeRules:
        """Rules of the edges between the nodes of a state."""
        return self.rules if self._ranked is None else self.rules.permuted(self._ranked.order)

    def _in_variables(self, parents: ParentTuples) -> ParentTuples:
        return parents if self._ranked is None else self._ranked.in_variables(parents)

    def _event(self, iteration: int, move: Move) -> Event:
        kind, u, v = move
        order = range(self.n) if self._ranked is None else self._ranked.order
        return Event(iteration, kind, order[u], order[v])

    @cached_property
    def _first(self) -> ParentTuples:
        if self.start is None:
            return self.rules.parents
        return acyclic_parents(self.start, self.n, "start", self.variable_names())

    @cached_property
    def _climb(self) -> Climb:
        ranked, neighbours = self._in_ranks
        unit = rounding_unit(scores_alone(self.local_scores, self.n)) if ranked is None else ranked.unit
        return Climb(neighbours, unit)

    @property
    def _patience(self) -> int:
        return 0 if self.tabu == 0 else self.patience or max(self.tabu, 15)

    def _check(self, state: HillClimbingState) -> None:
        """Raise for a state of another search; the present graph is checked where compiled code reads it."""
        n = self.n
        if len(state.parents) != n or len(state.best_parents) != n:
            raise ValueError(
                f"the state is not one of this search: it has {len(state.parents)} variables instead of {n}. Take a "
                "state of the same variables, or start a new search."
            )
        named = [u for pair in state.recent for u in pair]
        if state.best_parents is not state.parents:
            named += [u for family in state.best_parents for u in family]
        if named and not 0 <= min(named) <= max(named) < n:
            raise ValueError(f"the state is not one of this search: it names nodes beyond its {n} variables")

    def _make_move(self, state: HillClimbingState, move: Move) -> tuple[HillClimbingState, Progress]:
        parents = after_move(state.parents, move)
        score = self._climb.score(parents)
        better = score > state.best_score + self._climb.unit / 2
        climbed = score > state.climb_score + self._climb.unit / 2
        after = HillClimbingState(
            parents=parents,
            score=score,
            best_parents=parents if better else state.best_parents,
            best_score=score if better else state.best_score,
            climb_score=score if climbed else state.climb_score,
            recent=(*state.recent, move[1:])[-self.tabu :] if self.tabu else (),
            stalled=0 if climbed else state.stalled + 1,
            iteration=state.iteration + 1,
            restart=state.restart,
        )
        return after, Progress(after.iteration, (score,), after.best_score, (self._event(after.iteration, move),))

    def _restart(self, state: HillClimbingState) -> tuple[HillClimbingState, Progress]:
        rng = np.random.default_rng([self.seed, state.iteration, state.restart])
        parents, moves = state.best_parents, []
        drawn = max(2, int(rng.integers(self.n // 4, 3 * self.n // 4, endpoint=True)))
        for _ in range(self.perturbations or drawn):
            possible = np.flatnonzero(possible_moves(parents, self._ranked_rules))
            if len(possible):
                kinds = possible // self.n**2
                of_a_kind = possible[kinds == rng.choice(np.unique(kinds))]
                moves.append(move_of(int(rng.choice(of_a_kind)), self.n))
                parents = after_move(parents, moves[-1])
        score = self._climb.score(parents)
        after = replace(
            state,
            parents=parents,
            score=score,
            recent=(),
            stalled=0,
            climb_score=score,
            iteration=state.iteration + 1,
            restart=state.restart + 1,
        )
        if score > after.best_score:
            after = replace(after, best_parents=parents, best_score=score)
        events = (Event(after.iteration, "restart"), *(self._event(after.iteration, move) for move in moves))
        return after, Progress(after.iteration, (score,), after.best_score, events)
