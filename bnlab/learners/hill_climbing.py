"""Greedy hill climbing over DAGs: add, delete or reverse one edge, with a tabu list and random restarts.

References
----------
D. Heckerman, D. Geiger, D. M. Chickering. Learning Bayesian networks. Machine Learning 20, 1995, section 7.
F. Glover. Tabu search, part I. ORSA Journal on Computing 1, 1989.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from bnlab._cached import cached_property
from bnlab.graphs.dag import Dag
from bnlab.learners.stepwise_climb import StepwiseClimb
from bnlab.learners.toggling import applied, flat, numbered
from bnlab.learners.trees import Integers, ParentTuples, Phi
from bnlab.learners.within import Restricted, Within, acyclic_parents, at_least
from bnlab.search import Event, Progress, run

if TYPE_CHECKING:
    from bnlab.learners.compiled_climb import CompiledClimb

Moves: TypeAlias = list[tuple[int, float]]


def hill_climbing(phi: Phi, n: int, **options: Any) -> ParentTuples:
    """Best graph of a `HillClimbing` search, whose parameters the options are.

    Examples
    --------
    >>> gain = np.array([[0, 5, 0], [6, 0, 3], [-2, 9, 0]])
    >>> hill_climbing(lambda child, parents: sum(gain[j, child] for j in parents), 3)
    ((1,), (2,), ())
    """
    return run(HillClimbing(phi, n, **options))


@dataclass(frozen=True)
class HillClimbingState:
    """Where a `HillClimbing` search stands.

    Attributes
    ----------
    parents : tuple of tuple of int
        Ascending parents of each variable now.
    score : float
        Sum of φ over the present graph, in its units.
    best_parents, best_score
        The best graph so far.
    recent : tuple of (int, int)
        Pairs of nodes that the last moves joined, parted or turned; the latest last.
    stalled : int
        Moves since the best graph of this climb was found.
    climb_score : float
        Score of the best graph of this climb.
    iteration, restart : int
        Moves made and climbs begun anew.
    done : bool
    """

    parents: ParentTuples
    score: float
    best_parents: ParentTuples
    best_score: float
    recent: tuple[tuple[int, int], ...] = ()
    stalled: int = 0
    climb_score: float = -np.inf
    iteration: int = 0
    restart: int = 0
    done: bool = False


@dataclass(frozen=True)
class HillClimbing(Restricted):
    """Climb by the move of greatest gain: a `Search` whose result is the parents of the best graph found.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better. Its method `many(families) -> ndarray`, if it has one, is asked
        for all gains of a node at once; they are kept as long as the node's parents stay.
    n : int
        Number of variables.
    start : Dag or sequence of parents, optional
        First graph; by default it has no edges.
    max_parents : int, optional
        No move gives a node more parents than this.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be added, as for `allowed_edges`; the skeleton of another learner, for one.
    tabu : int
        Number of last moves whose two nodes may not be touched again, unless the result is the best graph so far.
        With 0 a climb ends at the first graph that no move improves.
    patience : int, optional
        With a tabu list, a climb ends after as many moves without a new best; by default `max(tabu, 15)`.
    restarts : int
        Number of further climbs, each from the best graph so far changed by random moves.
    perturbations : int, optional
        Random moves at a restart; by default n / 4, at least 2.
    seed : int
        Of the random moves; those of a restart depend on `(seed, iteration)` alone.

    Raises
    ------
    ValueError, TypeError
        If an option is out of range or the first graph has a cycle; when running, if a score is nan or infinite.

    Notes
    -----
    Gains are compared in multiples of a power of two near 1e-10 of the greatest |φ(i, ∅)|, so that rounding settles
    no tie. Of equal gains, adding goes before deleting, deleting before reversing, then the smaller (u, v).
    LL, AIC, BIC, NML, K2 and BDeu of a table in memory, of at most 131,072 rows and 16 states a variable, have a
    compiled form, in which the search looks some moves ahead; the moves are the same.
    """

    phi: Phi
    n: int
    start: Dag | Sequence[Iterable[int]] | None = field(default=None, kw_only=True)
    max_parents: int | None = field(default=None, kw_only=True)
    within: Within = field(default=None, kw_only=True)
    tabu: int = field(default=0, kw_only=True)
    patience: int | None = field(default=None, kw_only=True)
    restarts: int = field(default=0, kw_only=True)
    perturbations: int | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    bytes_another_pair: ClassVar[int] = 32

    def __post_init__(self) -> None:
        at_least("n", self.n, 1)
        for name in ("tabu", "restarts", "seed"):
            at_least(name, getattr(self, name), 0)
        for name in ("patience", "perturbations"):
            if getattr(self, name) is not None:
                at_least(name, getattr(self, name), 1)
        _ = self._allowed
        widest = max(map(len, self._first))
        if widest > self._limit:
            raise ValueError(f"start has a node with {widest} parents, more than max_parents={self.max_parents}.")

    def init(self) -> HillClimbingState:
        """Return the first graph with its score."""
        return self.begin(self._first)

    def begin(self, parents: ParentTuples) -> HillClimbingState:
        """Return the state to climb from another graph; the gains found so far serve all climbs of this object."""
        score = self._engine.score(parents)
        return HillClimbingState(parents, score, parents, score, climb_score=score)

    def step(self, state: HillClimbingState) -> tuple[HillClimbingState, Progress]:
        """Make the best move, begin anew, or find that all climbs have ended.

        Raises
        ------
        ValueError
            When the state is not one of a search over the same variables.
        """
        moves = self._moves(state)
        if moves:
            return self._moved(state, moves)
        if state.restart < self.restarts:
            return self._restarted(state)
        done = replace(state, done=True)
        return done, Progress(state.iteration, (), state.best_score)

    def is_done(self, state: HillClimbingState) -> bool:
        """Whether the last climb has ended."""
        return state.done

    def result(self, state: HillClimbingState) -> ParentTuples:
        """Ascending parents of each variable in the best graph so far."""
        return state.best_parents

    def __getstate__(self) -> dict[str, Any]:
        """Leave the kept gains behind: another process finds them again."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_engine", "_ahead")}

    @cached_property
    def _first(self) -> ParentTuples:
        return acyclic_parents(self.start, self.n, "start")

    @cached_property
    def _engine(self) -> CompiledClimb | StepwiseClimb:
        from bnlab.learners.compiled_climb import RememberedClimb, compiled_climb

        rules = self.phi, self.n, self._allowed, self._limit
        compiled = compiled_climb(*rules)
        if compiled is None:
            return StepwiseClimb(*rules)
        return RememberedClimb(compiled, *rules) if self.restarts else compiled

    @cached_property
    def _ahead(self) -> list[tuple[HillClimbingState | None, Moves]]:
        """The state that was reached last, and the moves that are known to follow."""
        return [(None, [])]

    @property
    def _patience(self) -> int:
        return 0 if self.tabu == 0 else self.patience or max(self.tabu, 15)

    def _moves(self, state: HillClimbingState) -> Moves:
        """One or more of the next moves, none when the climb has ended, each with the score after it."""
        before, moves = self._ahead[0]
        if before is not state:
            self._check(state)
        return moves if before is state and moves else self._engine.ahead(state, self.tabu, self._patience)

    def _check(self, state: HillClimbingState) -> None:
        """Refuse a state that can be none of this search: compiled loops follow its numbers without looking."""
        for parents in (state.parents, state.best_parents):
            acyclic_parents(parents, self.n, "the state is not one of this search")
        wrong = [pair for pair in state.recent if not all(0 <= v < self.n for v in pair)]
        if wrong:
            raise ValueError(
                f"the state is not one of this search over {self.n} variables: it has moved an edge {wrong[0]}. Take a "
                "state of the same variables, or begin anew."
            )

    def _possible(self, parents: ParentTuples) -> Integers:
        """Numbers of the moves that can be made, ascending."""
        from bnlab.learners.moves import possible_moves

        return np.flatnonzero(possible_moves(*flat(parents), self._allowed, self._limit))

    def _moved(self, state: HillClimbingState, moves: Moves) -> tuple[HillClimbingState, Progress]:
        (number, score), *others = moves
        move = numbered(number, self.n)
        parents = applied(state.parents, move)
        better = score > state.best_score + self._engine.unit / 2
        climbed = score > state.climb_score + self._engine.unit / 2
        after = replace(
            state,
            parents=parents,
            score=score,
            best_parents=parents if better else state.best_parents,
            best_score=score if better else state.best_score,
            climb_score=score if climbed else state.climb_score,
            recent=(*state.recent, move[1:])[-self.tabu :] if self.tabu else (),
            stalled=0 if climbed else state.stalled + 1,
            iteration=state.iteration + 1,
        )
        self._ahead[0] = after, others
        return after, Progress(after.iteration, (score,), after.best_score, (Event(after.iteration, *move),))

    def _restarted(self, state: HillClimbingState) -> tuple[HillClimbingState, Progress]:
        rng = np.random.default_rng([self.seed, state.iteration, state.restart])
        parents, moves = state.best_parents, []
        for _ in range(self.perturbations or max(2, self.n // 4)):
            possible = self._possible(parents)
            if len(possible):
                moves.append(numbered(int(rng.choice(possible)), self.n))
                parents = applied(parents, moves[-1])
        score = self._engine.score(parents)
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
        events = (Event(after.iteration, "restart"), *(Event(after.iteration, *move) for move in moves))
        return after, Progress(after.iteration, (score,), after.best_score, events)
