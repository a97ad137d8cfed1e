"""Greedy hill climbing over DAGs: add, delete or reverse one edge, with a tabu list and random restarts.

References
----------
D. Heckerman, D. Geiger, D. M. Chickering. Learning Bayesian networks. Machine Learning 20, 1995, section 7.
F. Glover. Tabu search, part I. ORSA Journal on Computing 1, 1989.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain
from math import fsum
from typing import Any, TypeAlias

import numpy as np

from bnlab.graphs.dag import Dag
from bnlab.learners.trees import Family, Floats, ParentTuples, Phi, evaluate, rounding_unit
from bnlab.learners.within import Restricted, Within, acyclic_parents, at_least, scores_alone
from bnlab.search import Event, Progress, run

Move: TypeAlias = tuple[str, int, int]

MAX_GAINS = 1 << 22
"""Gains of single edges that a search keeps; all are forgotten when there are more."""


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
        score = self._score(parents)
        return HillClimbingState(parents, score, parents, score, climb_score=score)

    def step(self, state: HillClimbingState) -> tuple[HillClimbingState, Progress]:
        """Make the best move, begin anew, or find that all climbs have ended."""
        move = self._best_move(state)
        if move is not None:
            return self._moved(state, move)
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
        return {name: value for name, value in self.__dict__.items() if name not in ("_gains", "_latest")}

    @cached_property
    def _first(self) -> ParentTuples:
        return acyclic_parents(self.start, self.n, "start")

    @cached_property
    def _unit(self) -> float:
        return rounding_unit(scores_alone(self.phi, self.n))

    @cached_property
    def _latest(self) -> list[tuple[ParentTuples, list[tuple[float, Floats]]]]:
        """The graph that was looked at last, for the next step begins with it."""
        return [((), [])]

    @cached_property
    def _gains(self) -> dict[Family, tuple[float, Floats]]:
        return {}

    @property
    def _patience(self) -> int:
        return 0 if self.tabu == 0 else self.patience or max(self.tabu, 15)

    def _score(self, parents: ParentTuples) -> float:
        return fsum(score for score, _ in self._toggles(parents))

    def _toggles(self, parents: ParentTuples) -> list[tuple[float, Floats]]:
        """For each node its score, and what the score gains when each other node becomes, or stops being, a parent."""
        latest, toggles = self._latest[0]
        if latest is parents:
            return toggles
        families = list(enumerate(parents))
        missing = [family for family in families if family not in self._gains]
        if missing:
            if (len(self._gains) + self.n) * self.n > MAX_GAINS:
                self._gains.clear()
                missing = families
            self._gains.update(zip(missing, self._evaluated(missing), strict=True))
        toggles = [self._gains[family] for family in families]
        self._latest[0] = parents, toggles
        return toggles

    def _evaluated(self, families: list[Family]) -> list[tuple[float, Floats]]:
        neighbours = [self._neighbours(child, parents) for child, parents in families]
        found = []
        for values, others in zip(toggled_scores(self.phi, families, neighbours), neighbours, strict=True):
            gain = np.full(self.n, -np.inf)
            gain[np.fromiter(others, np.int64, len(others))] = (
                np.rint((values[:-1] - values[-1]) / self._unit) * self._unit
            )
            found.append((float(values[-1]), gain))
        return found

    def _neighbours(self, child: int, parents: tuple[int, ...]) -> tuple[int, ...]:
        """Nodes that may become a parent, or stop being one, ascending."""
        free = self._free[child] if len(parents) < self._limit else ()
        return free if free and set(parents).issubset(free) else tuple(sorted({*free, *parents}))

    @cached_property
    def _free(self) -> list[tuple[int, ...]]:
        """Nodes that may become a parent of each node."""
        return [tuple(np.flatnonzero(column).tolist()) for column in self._allowed.T]

    def _best_move(self, state: HillClimbingState) -> Move | None:
        floor = 0.0 if state.stalled >= self._patience else -np.inf
        gain = self._move_gains(state.parents)
        if state.recent:
            tired = np.zeros((self.n, self.n), dtype=np.bool_)
            for u, v in state.recent:
                tired[u, v] = tired[v, u] = True
            better = gain > state.best_score - state.score + self._unit / 2
            gain[tired & ~better] = -np.inf
        best = int(gain.argmax())
        if gain.item(best) <= floor:
            return None
        return self._move(best)

    def _move(self, number: int) -> Move:
        kind, edge = divmod(number, self.n * self.n)
        return KINDS[kind], *divmod(edge, self.n)

    def _move_gains(self, parents: ParentTuples) -> Floats:
        """Gains of the moves, shape (3, n, n): [kind, u, v], kinds as in `KINDS`; -inf where one is not possible."""
        from bnlab.learners.moves import move_gains

        toggles = np.concatenate([gain for _, gain in self._toggles(parents)]).reshape(self.n, self.n)
        begins = np.array([0, *accumulate(map(len, parents))])
        flat = np.fromiter(chain.from_iterable(parents), np.int64, begins[-1])
        gain: Floats = move_gains(toggles, flat, begins, self._allowed, self._limit)
        return gain

    def _moved(self, state: HillClimbingState, move: Move) -> tuple[HillClimbingState, Progress]:
        parents = applied(state.parents, move)
        score = self._score(parents)
        better = score > state.best_score + self._unit / 2
        climbed = score > state.climb_score + self._unit / 2
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
        return after, Progress(after.iteration, (score,), after.best_score, (Event(after.iteration, *move),))

    def _restarted(self, state: HillClimbingState) -> tuple[HillClimbingState, Progress]:
        rng = np.random.default_rng([self.seed, state.iteration, state.restart])
        parents, moves = state.best_parents, []
        for _ in range(self.perturbations or max(2, self.n // 4)):
            possible = np.flatnonzero(self._move_gains(parents) > -np.inf)
            if len(possible):
                moves.append(self._move(int(rng.choice(possible))))
                parents = applied(parents, moves[-1])
        score = self._score(parents)
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


KINDS = ("add", "delete", "reverse")


def applied(parents: ParentTuples, move: Move) -> ParentTuples:
    """Graph after a move.

    Examples
    --------
    >>> applied(((), (0,), ()), ("reverse", 0, 1))
    ((1,), (), ())
    """
    kind, u, v = move
    families = list(parents)
    families[v] = toggled(families[v], u)
    if kind == "reverse":
        families[u] = toggled(families[u], v)
    return tuple(families)


def toggled(parents: tuple[int, ...], u: int) -> tuple[int, ...]:
    """Return the parents without u if it is among them, with it if not; ascending."""
    return tuple(p for p in parents if p != u) if u in parents else tuple(sorted((*parents, u)))


def toggled_scores(phi: Phi, families: Sequence[Family], neighbours: Sequence[Sequence[int]]) -> list[Floats]:
    """Scores of families with each of some nodes in turn made, or no more, a parent; and last as they are.

    The method `toggled(families, neighbours)` of φ is used if it has one.

    Raises
    ------
    ValueError
        If a score is nan or infinite.
    """
    quick = getattr(phi, "toggled", None)
    if quick is not None:
        scores: list[Floats] = quick(families, neighbours)
        if all(np.isfinite(values).all() for values in scores):
            return scores
    asked = [
        (child, family)
        for (child, parents), others in zip(families, neighbours, strict=True)
        for family in (*(toggled(parents, u) for u in others), parents)
    ]
    ends = np.cumsum([len(others) + 1 for others in neighbours])
    return np.split(evaluate(phi, asked), ends[:-1])
