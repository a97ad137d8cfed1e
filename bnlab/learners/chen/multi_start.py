"""Chen's search made good: chains that share what their policies learned, each polished by hill climbing.

A turn of a chain is a short `ChenSearch` that begins with the shared policies, then hill climbing from the best network
it saw. After each round the shared policies move towards the edges of the polished networks, so that the chains of
the next round sample near them: the randomised policies of Matuszak and Miekisz (2012), learned from local optima
instead of single moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.learners.chen.policies import Policies, start_policies
from bnlab.learners.chen.search import ChenSearch, check_range, paper_search
from bnlab.learners.edges import Within, at_least
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.trees import Floats, ParentTuples, Phi
from bnlab.search import Event, Progress, Trace, run

Turn: TypeAlias = tuple[ParentTuples, float, tuple[float, ...]]


def chen(phi: Phi, n: int, *, variant: str = "default", **options: Any) -> ParentTuples:
    """Network found by Chen's search.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better.
    n : int
        Number of variables, at least two.
    variant : "default" or "paper"
        A `ChenTeam`, or `paper_search`.
    **options
        Parameters of the variant.

    Raises
    ------
    ValueError, TypeError
        If the variant or an option of it is unknown, or as for `ChenTeam` and `ChenSearch`.

    Examples
    --------
    >>> gain = np.array([[0, 5, 0], [6, 0, 3], [-2, 9, 0]])
    >>> chen(lambda child, parents: float(sum(gain[j, child] for j in parents)), 3)
    ((1,), (2,), ())
    """
    search: Any = chen_search(phi, n, variant=variant, **options)
    found: ParentTuples = run(search)
    return found


def chen_search(phi: Phi, n: int, *, variant: str = "default", **options: Any) -> ChenTeam | ChenSearch:
    """Search that `chen` runs; parameters and errors are the same."""
    variants: dict[str, tuple[Callable[..., Any], type]] = {
        "default": (ChenTeam, ChenTeam),
        "paper": (paper_search, ChenSearch),
    }
    if variant not in variants:
        raise ValueError(f"variant={variant!r}: {nearest(variant, variants)}")
    make, kind = variants[variant]
    known = {f.name for f in fields(kind)} - {"phi", "n"}
    for name in options:
        if name not in known:
            raise ValueError(f"{name!r} is no option of variant {variant!r}: {nearest(name, known)}")
    made: ChenTeam | ChenSearch = make(phi, n, **options)
    return made


@dataclass(frozen=True, eq=False)
class ChenTeamState:
    """Where a `ChenTeam` stands.

    Attributes
    ----------
    policies : ndarray of float, shape (n, n)
        What the chains of this round begin with: [i, j] for i -> j, [i, i] for no edge.
    round : int
    found : tuple of (parents, score)
        Networks of the chains that have had their turn in this round.
    best_parents, best_score
        The best network so far.
    iteration : int
        Iterations of all chains and moves of all climbs.
    done : bool
    """

    policies: Floats
    best_parents: ParentTuples
    best_score: float = -np.inf
    round: int = 0
    found: tuple[tuple[ParentTuples, float], ...] = ()
    iteration: int = 0
    done: bool = False


@dataclass(frozen=True, eq=False)
class ChenTeam:
    """Chains of `ChenSearch` that share policies: a `Search` whose step is one turn of one chain.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score, as for `ChenSearch`.
    n : int
        Number of variables.
    chains, rounds : int
        Chains in a round, and rounds.
    iterations : int
        Of a chain in its turn.
    beta, growth, B, policies, choices, max_parents, within
        As for `ChenSearch`: the rate per data by default, growing within a turn; two choices per variable; policies
        begun from pairwise gains.
    share : float
        How far the shared policies move towards the networks of a round, from 0, not at all, to less than 1.
    polish : bool
        Whether each turn ends with hill climbing, and the search with climbs from the best network.
    tabu : int
        Tabu list of the climbs.
    restarts : int
        Random restarts of the last climb.
    seed : int

    Raises
    ------
    ValueError, TypeError
        If an option is out of range.
    """

    phi: Phi
    n: int
    chains: int = field(default=4, kw_only=True)
    rounds: int = field(default=6, kw_only=True)
    iterations: int = field(default=400, kw_only=True)
    beta: float | str = field(default="data", kw_only=True)
    growth: float = field(default=1.2, kw_only=True)
    B: int = field(default=50, kw_only=True)
    policies: Policies = field(default="gains", kw_only=True)
    choices: int = field(default=2, kw_only=True)
    max_parents: int | None = field(default=None, kw_only=True)
    within: Within = field(default=None, kw_only=True)
    share: float = field(default=0.5, kw_only=True)
    polish: bool = field(default=True, kw_only=True)
    tabu: int = field(default=10, kw_only=True)
    restarts: int = field(default=20, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        for name, least in (("chains", 1), ("rounds", 1), ("iterations", 1), ("restarts", 0), ("seed", 0)):
            at_least(name, getattr(self, name), least)
        if self.share != 0:
            check_range("share", self.share, 0.0, 1.0, "0, or between 0 and 1")
        _ = self._search, self._climb

    def init(self) -> ChenTeamState:
        """Return the policies of the first round."""
        return ChenTeamState(self._start, ((),) * self.n)

    def step(self, state: ChenTeamState) -> tuple[ChenTeamState, Progress]:
        """Let the next chain have its turn; after the last, polish the best network."""
        if state.round == self.rounds:
            return self._last(state)
        return self._joined(state, self.turn(state.policies, state.round, len(state.found)))

    def is_done(self, state: ChenTeamState) -> bool:
        """Whether all rounds are over and the best network is polished."""
        return state.done

    def result(self, state: ChenTeamState) -> ParentTuples:
        """Ascending parents of each variable in the best network so far."""
        return state.best_parents

    def run_on(
        self, executor: Executor, state: ChenTeamState | None = None
    ) -> Iterator[tuple[ChenTeamState, Progress]]:
        """Iterate with the chains of each round on an executor; the states are those of `step`, bit by bit.

        On processes `phi` must pickle. Yields as `bnlab.search.iterate` does.
        """
        current = self.init() if state is None else state
        while current.round < self.rounds:
            # Each task gets a copy without caches: they are not made for several threads.
            tasks = [
                executor.submit(replace(self).turn, current.policies, current.round, chain)
                for chain in range(len(current.found), self.chains)
            ]
            for task in tasks:
                current, progress = self._joined(current, task.result())
                yield current, progress
        if not current.done:
            yield self._last(current)

    def turn(self, policies: Floats, round_: int, chain: int) -> Turn:
        """Network that a chain finds, its score and the scores on the way; a function of its arguments alone."""
        seed = int(np.random.SeedSequence([self.seed, round_, chain]).generate_state(1)[0])
        search = self._search.beginning_with(policies, seed)
        trace = Trace()
        state = trace.run(search)
        if not self.polish:
            return state.best_parents, state.best_score, tuple(trace.scores.tolist())
        climbed = trace.run(self._climb, self._climb.begin(state.best_parents))
        return climbed.best_parents, climbed.best_score, tuple(trace.scores.tolist())

    @cached_property
    def _start(self) -> Floats:
        return start_policies(self.policies, self.phi, self.n, getattr(self.phi, "names", None))

    @cached_property
    def _search(self) -> ChenSearch:
        return ChenSearch(
            self.phi,
            self.n,
            beta=self.beta,
            growth=self.growth,
            B=self.B,
            Q=self.iterations,
            max_iterations=self.iterations,
            policies=self._start,
            choices=self.choices,
            max_parents=self.max_parents,
            within=self.within,
            connected="ignored",
            limit="moves",
            prune=True,
            answer="best",
        )

    @cached_property
    def _climb(self) -> HillClimbing:
        return HillClimbing(self.phi, self.n, max_parents=self.max_parents, within=self.within, tabu=self.tabu)

    def __getstate__(self) -> dict[str, object]:
        """Leave caches behind: another process fills its own."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_search", "_climb")}

    def _joined(self, state: ChenTeamState, turn: Turn) -> tuple[ChenTeamState, Progress]:
        parents, score, scores = turn
        after = replace(state, found=(*state.found, (parents, score)), iteration=state.iteration + len(scores))
        if score > state.best_score:
            after = replace(after, best_parents=parents, best_score=score)
        if len(after.found) == self.chains:
            after = replace(after, policies=self._shared(after), found=(), round=state.round + 1)
            after = replace(after, done=after.round == self.rounds and not self.polish)
        event = Event(after.iteration, "turn", state.round, len(state.found))
        return after, Progress(after.iteration, scores, after.best_score, (event,))

    def _shared(self, state: ChenTeamState) -> Floats:
        """Policies moved towards the children that each node has in the networks of the round."""
        children = np.zeros((self.n, self.n))
        for parents, _ in (*state.found, (state.best_parents, state.best_score)):
            for v, family in enumerate(parents):
                children[list(family), v] += 1.0
        children /= len(state.found) + 1
        # As many draws as there are choices, of which those without a child are "none".
        np.fill_diagonal(children, np.maximum(self.choices - children.sum(axis=1), 0.1))
        children /= children.sum(axis=1, keepdims=True)
        return (1.0 - self.share) * state.policies + self.share * children

    def _last(self, state: ChenTeamState) -> tuple[ChenTeamState, Progress]:
        climb = replace(self._climb, restarts=self.restarts, tabu=2 * self.tabu, seed=self.seed)
        trace = Trace()
        climbed = trace.run(climb, climb.begin(state.best_parents))
        iteration = state.iteration + len(trace.scores)
        after = replace(state, iteration=iteration, done=True)
        if climbed.best_score > state.best_score:
            after = replace(after, best_parents=climbed.best_parents, best_score=climbed.best_score)
        return after, Progress(iteration, trace.scores, after.best_score, (Event(iteration, "polish"),))
