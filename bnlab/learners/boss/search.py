"""Best order score search: a search over orders, in which each variable finds its parents by a walk in a tree.

A variable moves to the place in the order where the score of the network is greatest, until no variable can move. Then
the best order is perturbed and the search continues from there. Hill climbing with a tabu list runs first, to find the
network that gives the first order, and last, from the best network. As long as it finds a better one, the variables
move again from the order of that network. With `patience`, climbs also follow between restarts: on hundreds of
variables a climb every 50 restarts is worth more than ten times as many restarts. At the end all variables move again,
from several other orders of the best network, as long as that finds a better one.

In the orders that are perturbed, neighbours in the network are near each other. Most restarts shuffle some variables
that follow each other in such an order, or move them together to another place. A change of variables that are far
apart is several small changes, of which each is undone alone.

References
----------
B. Andrews, J. Ramsey, R. Sanchez Romero, J. Camchong, E. Kummerfeld. Fast scalable and accurate discovery of DAGs
using the best order score search and grow-shrink trees. NeurIPS 2023.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import check_counts, check_optional_counts
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.graphs.paths import parents_first
from bnlab.learners.boss.orders import neighbours_near
from bnlab.learners.boss.trees import GrowShrinkTrees
from bnlab.learners.edges import Restricted, acyclic_parents
from bnlab.learners.hill_climbing.ranked import Ranked
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.hill_climbing.state import HillClimbingState
from bnlab.learners.types import ParentTuples, check_time_limit
from bnlab.search import Event, Progress, Snapshot, Work

TABU = 10
LEAST, MOST_TOGETHER, MOST_ANYWHERE = 2, 64, 16
"""Number of variables that a restart changes: neighbours in the order, or any. Small numbers are more frequent."""
TOGETHER_SHARE = 9 / 10
"""Share of restarts that change neighbours in the order."""
MOVED_SHARE = 1 / 3
"""Share of these that move them together to another place; all other restarts shuffle theirs."""
RESTARTS_A_CLIMB = 50
"""Restarts between two climbs, with `patience`."""
LEAST_GAIN = 1e-5
"""Gain for which restarts go on, as a share of the score."""
SHARE_FULL, FULL_GAIN = 1 / 10, 1e-4
"""Most restarts at the end in which all variables move, as a share of `restarts`; gain for which they go on."""
WORK_A_STEP = 640
"""Places examined in one step, at most, but at least those of one variable: steps of many variables stay short."""


@dataclass(frozen=True)
class BossState:
    """State of a `BestOrderSearch`. Nodes are ranks of variables (`ranked.Ranked`).

    Attributes
    ----------
    climb : HillClimbingState or None
        State of the first or a last climb; None between them.
    order : tuple of int
        Present order; empty until the first climb has ended.
    parents : tuple of tuple of int
        Parents of each node in the present network.
    score : float
        Its score.
    waiting : tuple of int
        Nodes for which to look for a better place next, in this sequence.
    best_parents, best_score
        The best network so far.
    home : tuple of tuple of int
        Parents of each node in the best network of an order without possible moves; the next restart perturbs an order
        of it.
    home_score : float
        Its score.
    climbed : float
        Score from which the latest climb began.
    climbs : bool
        Whether a climb follows when no variable can move.
    prepared : int
        Variables for which the pairs of parents were found, then those whose families in the first order were, and one
        more when its search has begun.
    restart, iteration : int
        Number of restarts begun, and of steps made.
    last : bool
        Whether the restarts have ended.
    paused : int
        Restart after which climbs last began.
    paid, paid_at : float, int
        The best score when restarts last gained enough, and their number then.
    seconds : float
        Duration of the steps so far; 0 without a time limit.
    done : bool
    """

    climb: HillClimbingState | None
    parents: ParentTuples
    score: float
    best_parents: ParentTuples
    best_score: float
    home: ParentTuples
    order: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    home_score: float = -np.inf
    climbed: float = -np.inf
    climbs: bool = False
    prepared: int = 0
    restart: int = 0
    iteration: int = 0
    last: bool = False
    paused: int = -1
    paid: float = -np.inf
    paid_at: int = 0
    seconds: float = 0.0
    done: bool = False


@dataclass(frozen=True)
class BestOrderSearch(Restricted):
    """Best order score search with restarts: a `Search` whose result is the parents of the best network found.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better.
    n : int
        Number of variables.
    restarts : int
        Number of further searches, each from an order of the best network so far with some variables shuffled, or moved
        together to a random place. In nine out of ten of them these variables are near each other in the network.
    patience : int, optional
        Restarts that may gain too little, one after the other, before they end. Climbs then follow between restarts
        too, and all variables move again at the end, from other orders of the best network. By default restarts do not
        end early.
    max_parents : int, optional
        Maximum number of parents of a variable.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be used, as for `allowed_edges`.
    knowledge : Knowledge, optional
        Edges that the network must have or may not have.
    time_limit : float, optional
        Seconds after which the search ends with its best network so far, also within the first order. Only the first
        climb always goes to its end: no limit leaves less than its network.
    seed : int
        Seed of the random numbers; those of a restart depend only on `(seed, restart)`.

    Raises
    ------
    ValueError, TypeError
        If an option is out of range; when running, if a score is nan or infinite.

    Notes
    -----
    The time limit determines where the search stops, but not what it examines: until then all states equal those of the
    search without a limit. The state includes the seconds that have passed, so that a resumed search has the rest of
    its time. Without a limit no clock is read, and a resumed search ends bit-identical to an uninterrupted one.

    The variables are ranked by φ(i, ∅), and by name if it is equal. All orders, random numbers and ties refer to ranks,
    so that the score of the result does not depend on the order of the columns, unless two variables have the same
    φ(i, ∅) and no names. With more than 64 variables and at least 4,000 rows it may depend on the order of the rows, of
    which a sample tells where to look for pairs of parents. Gains of less than about 1e-10 of the greatest
    ``|φ(i, ∅)|`` count as rounding errors.

    Examples
    --------
    >>> from bnlab.search import run
    >>> gain = np.array([[0, 5, 0], [6, 0, 3], [-2, 9, 0]])
    >>> run(BestOrderSearch(lambda child, parents: float(sum(gain[j, child] for j in parents)), 3))
    ((1,), (2,), ())
    """

    restarts: int = field(default=200, kw_only=True)
    patience: int | None = field(default=None, kw_only=True)
    time_limit: float | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        check_counts(1, n=self.n)
        check_counts(0, restarts=self.restarts, seed=self.seed)
        check_optional_counts(1, patience=self.patience)
        check_time_limit(self.time_limit)
        _ = self.rules

    def init(self) -> BossState:
        """Return the network of the required edges alone, from which the first climb starts."""
        climb = self._climb.init()
        return BossState(climb, climb.parents, climb.score, climb.best_parents, climb.best_score, climb.parents)

    def step(self, state: BossState) -> tuple[BossState, Progress]:
        """Make a move of a climb, move a variable to a better place, or perturb the best order.

        Raises
        ------
        ValueError
            When the state is not one of a search over the same variables.
        """
        if self._latest[0] is not state:
            self._check(state)
        if self.time_limit is None:
            after, progress = self._next(state, False)
        else:
            began = perf_counter()
            after, progress = self._next(state, state.seconds >= self.time_limit)
            after = replace(after, seconds=state.seconds + perf_counter() - began)
        self._latest[0] = after
        return after, progress

    def result(self, state: BossState) -> ParentTuples:
        """Ascending parents of each variable in the best network so far."""
        return self._ranked.in_variables(state.best_parents)

    def snapshot(self, state: BossState) -> Snapshot:
        """Climbs and searches finished, and the present network."""
        total = self.restarts + 3
        done = min(state.restart, self.restarts) + 1 if state.order else 0
        if state.done or state.last:
            done = total - 1 + state.done
        present, best = map(self._ranked.in_variables, (state.parents, state.best_parents))
        return Snapshot(Work(done, total, "searches"), present, best=best)

    @cached_property
    def _climb(self) -> HillClimbing:
        return HillClimbing(self.local_scores, self.n, knowledge=self.rules, tabu=TABU, ties="scores")

    @cached_property
    def _ranked(self) -> Ranked:
        return self._climb.ranked or Ranked(self.local_scores, self.n)

    @cached_property
    def _trees(self) -> GrowShrinkTrees:
        return GrowShrinkTrees(self._climb.neighbours, self._ranked.unit)

    @cached_property
    def _of_ranks(self) -> EdgeRules:
        return self.rules.permuted(self._ranked.order)

    @cached_property
    def _has_required(self) -> bool:
        return bool(self.rules.required.any())

    @cached_property
    def _latest(self) -> list[BossState | None]:
        """The latest state, which needs no check."""
        return [None]

    def _next(self, state: BossState, late: bool) -> tuple[BossState, Progress]:
        first = state.climb is not None and not state.climb.done and not state.order
        if late and not first:
            return self._end(state)
        if state.climb is not None and (state.order or not state.climb.done):
            return self._climb_on(state, state.climb)
        if state.climb is not None:
            home = state.climb.best_parents
            state = replace(state, climb=None, order=parents_first(home, range(self.n)), home=home)
        if state.prepared <= 2 * self.n:
            return self._prepare(state)
        if state.waiting:
            return self._place(state)
        if state.climbs:
            return self._climb_from_best(state)
        return self._pause(state) if self._pauses(state) else self._perturb(state)

    def _pauses(self, state: BossState) -> bool:
        """Whether a climb comes before the next restart."""
        if state.restart == state.paused:
            return False
        if state.restart < self.restarts:
            return bool(self.patience and state.restart and state.restart % RESTARTS_A_CLIMB == 0)
        return (state.restart - self.restarts) % self._full_restarts == 0

    def _pause(self, state: BossState) -> tuple[BossState, Progress]:
        """Climb from the best network between restarts, or for the last time if they have gained too little."""
        state = _with_gain(state, FULL_GAIN if state.restart > self.restarts else LEAST_GAIN)
        gainless = state.restart - state.paid_at
        full = state.restart - self.restarts
        if not self.patience:
            state = replace(state, last=True)
        elif full > 0:
            state = replace(state, last=gainless >= self._full_restarts or full >= self.restarts * SHARE_FULL)
        elif state.restart == self.restarts or gainless >= self.patience:
            state = replace(state, restart=self.restarts, paid_at=self.restarts)
        return self._climb_from_best(replace(state, paused=state.restart))

    @property
    def _full_restarts(self) -> int:
        """Number of restarts in which all variables move, between two climbs at the end."""
        return max(1, min(2 * self.restarts, self.patience or 0) // RESTARTS_A_CLIMB)

    def _climb_from_best(self, state: BossState) -> tuple[BossState, Progress]:
        climb = self._climb.begin(self._ranked.in_variables(state.best_parents))
        return self._progress(replace(state, climb=climb, climbs=True, climbed=state.best_score))

    def _climb_on(self, state: BossState, climb: HillClimbingState) -> tuple[BossState, Progress]:
        """Make a move of a climb; when it has ended, search again from the order of a better network."""
        if climb.done:
            if state.best_score > state.climbed + self.n * self._ranked.unit:  # a sum of n rounded scores
                return self._begin(state, parents_first(state.best_parents, range(self.n)), tuple(range(self.n)))
            if state.last:
                return self._end(state)
            return self._progress(replace(state, climb=None, climbs=False))
        after, progress = self._climb.step(climb)
        found = replace(state, climb=after, parents=after.best_parents, score=after.best_score)
        state = replace(_update_best(found), parents=after.parents, score=after.score)
        variable = self._ranked.order
        events = tuple((event.kind, variable[event.u], variable[event.v]) for event in progress.events)
        return self._progress(state, *events)

    def _prepare(self, state: BossState) -> tuple[BossState, Progress]:
        """Score what the first order needs, a few variables a step."""
        end = state.prepared + self._a_step
        if state.prepared == 2 * self.n:
            return self._begin(replace(state, prepared=end), state.order, tuple(range(self.n)))
        if state.prepared < self.n:
            end = min(end, self.n)
            for v in range(state.prepared, end):
                self._trees.find_pairs(v)
        else:
            end = min(end, 2 * self.n)
            self._trees.prepare(state.order, end - self.n)
        return self._progress(replace(state, prepared=end))

    def _ordered(self, order: tuple[int, ...]) -> tuple[int, ...]:
        return self._of_ranks.ordered(order) if self._has_required else order

    @property
    def _a_step(self) -> int:
        """Number of variables that a step examines."""
        return max(1, WORK_A_STEP // self.n)

    def _place(self, state: BossState) -> tuple[BossState, Progress]:
        """Move the next variable that has a better place; variables whose parents change are placed again later."""
        for k, v in enumerate(state.waiting[: self._a_step], 1):
            scores = self._trees.scores_by_place(state.order, v)
            first, end = self._places(state.order, v)
            scores[:first] = scores[end:] = -np.inf
            place = int(np.argmax(scores))
            if scores[place] > state.score:
                others = [w for w in state.order if w != v]
                order = (*others[:place], v, *others[place:])
                parents, score = self._trees.families(order)
                waiting = list(state.waiting[k:])
                changed = (w for w in range(self.n) if parents[w] != state.parents[w] and w not in waiting)
                after = replace(state, order=order, parents=parents, score=score, waiting=(*waiting, *changed))
                return self._progress(_update_home(_update_best(after)), ("place", self._ranked.order[v], -1))
        return self._progress(_update_home(replace(state, waiting=state.waiting[self._a_step :])))

    def _perturb(self, state: BossState) -> tuple[BossState, Progress]:
        """Shuffle some variables of an order of the best network, or move them together to another place of it.

        After the last of these restarts, all variables are placed again from such an order as it is.
        """
        rng = np.random.default_rng([self.seed, state.restart])
        order = list(neighbours_near(state.home, rng))
        state = replace(state, restart=state.restart + 1)
        if state.restart > self.restarts:
            return self._begin(state, tuple(order), tuple(range(self.n)))
        together = rng.random() < TOGETHER_SHARE
        most = MOST_TOGETHER if together else MOST_ANYWHERE
        size = min(self.n, round(LEAST * (most / LEAST) ** rng.random()))
        first = int(rng.integers(self.n - size + 1))
        places = range(first, first + size) if together else rng.permutation(self.n)[:size].tolist()
        some = [order[place] for place in places]
        if together and rng.random() < MOVED_SHARE:
            del order[first : first + size]
            begin = int(rng.integers(len(order) + 1))
            order[begin:begin] = some
        else:
            some = rng.permutation(some).tolist()
            for place, v in zip(places, some, strict=True):
                order[place] = v
        return self._begin(state, tuple(order), tuple(some))

    def _places(self, order: tuple[int, ...], v: int) -> tuple[int, int]:
        """Range of places of a variable in an order of the others that required edges allow, as begin and end."""
        if not self._has_required:
            return 0, self.n
        others = [w for w in order if w != v]
        before, after = self._of_ranks.required[others, v], self._of_ranks.required[v, others]
        end = int(np.argmax(after)) + 1 if after.any() else self.n
        return self.n - 1 - int(np.argmax(before[::-1])) if before.any() else 0, end

    def _begin(self, state: BossState, order: tuple[int, ...], waiting: tuple[int, ...]) -> tuple[BossState, Progress]:
        """Begin to search from an order, changed as little as possible to have required parents first."""
        order = self._ordered(order)
        parents, score = self._trees.families(order)
        after = replace(state, climb=None, order=order, parents=parents, score=score, waiting=waiting)
        return self._progress(_update_best(after), *((("restart", -1, -1),) if state.restart else ()))

    def _end(self, state: BossState) -> tuple[BossState, Progress]:
        return replace(state, done=True), Progress(state.iteration, (), state.best_score)

    def _progress(self, state: BossState, *events: tuple[str, int, int]) -> tuple[BossState, Progress]:
        """Count an iteration."""
        after = replace(state, iteration=state.iteration + 1)
        found = tuple(Event(after.iteration, *event) for event in events)
        return after, Progress(after.iteration, (after.score,), after.best_score, found)

    def _check(self, state: BossState) -> None:
        """Raise for a state of another search: compiled loops use its indices without a check."""
        n, what = self.n, f"the state is not one of this search over {self.n} variables"
        for parents in (state.parents, state.best_parents, state.home):
            acyclic_parents(parents, n, what)
        if state.prepared < 0:
            raise ValueError(f"{what}: it has prepared {state.prepared} of them. Start a new search.")
        begun = state.order or state.climb is None
        nodes = set(range(n))
        if (begun and sorted(state.order) != list(range(n))) or not nodes.issuperset(state.waiting):
            raise ValueError(
                f"{what}: its orders are of other variables. Take a state of the same variables, or start a new search."
            )


def _update_best(state: BossState) -> BossState:
    """State with the present network as the best if its score is greater."""
    if state.score > state.best_score:
        state = replace(state, best_parents=state.parents, best_score=state.score)
    return state


def _with_gain(state: BossState, share: float) -> BossState:
    """State that knows after which restart the best score was last better by a share of it."""
    if state.best_score > state.paid + share * abs(state.best_score):
        return replace(state, paid=state.best_score, paid_at=state.restart)
    return state


def _update_home(state: BossState) -> BossState:
    """State with the present network as `home` if no node is waiting and its score is at least as great."""
    if not state.waiting and state.score >= state.home_score:
        state = replace(state, home=state.parents, home_score=state.score)
    return state
