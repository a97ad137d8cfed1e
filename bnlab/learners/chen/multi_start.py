"""Multi-start version of Chen's search with shared policies, and the front door to both versions.

A start is a short `ChenSearch` whose initial policies are the shared ones, followed by hill climbing from its best
network. After each round of starts the shared policies move towards the edges of the resulting networks. Thus the
randomised policies of Matuszak and Miekisz (2012) learn from local optima instead of single moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.names import check_known
from bnlab._runtime.values import check_counts
from bnlab.learners.chen.policies import Policies, start_policies
from bnlab.learners.chen.readings import Readings, check_range
from bnlab.learners.chen.search import ChenSearch, paper_search
from bnlab.learners.chen.state import ChenState
from bnlab.learners.edges import Known, Within
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.hill_climbing.state import HillClimbingState
from bnlab.learners.types import Floats, ParentTuples, Phi, ScoreSearch
from bnlab.search import Event, Progress, Snapshot, Trace, Work
from bnlab.search import Policies as ShownPolicies


def chen_search(phi: Phi, n: int, *, variant: str = "default", **options: Any) -> MultiStartChen | ChenSearch:
    """Chen's search in one of its variants.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better.
    n : int
        Number of variables, at least two.
    variant : "default" or "paper"
        A `MultiStartChen`, or `paper_search`.
    **options
        Parameters of the variant.

    Raises
    ------
    ValueError, TypeError
        If the variant or one of its options is unknown, or as for `MultiStartChen` and `ChenSearch`.

    Examples
    --------
    >>> gain = np.array([[0, 5, 0], [6, 0, 3], [-2, 9, 0]])
    >>> from bnlab.search import run
    >>> run(chen_search(lambda child, parents: float(sum(gain[j, child] for j in parents)), 3))
    ((1,), (2,), ())
    """
    variants: dict[str, tuple[Callable[..., Any], tuple[type, ...]]] = {
        "default": (MultiStartChen, (MultiStartChen,)),
        "paper": (paper_search, (ChenSearch, Readings)),
    }
    check_known(variant, variants, f"variant={variant!r}")
    make, kinds = variants[variant]
    known = {f.name for kind in kinds for f in fields(kind)} - {"phi", "n", "readings"}
    for name in options:
        check_known(name, known, f"{name!r} is no option of variant {variant!r}")
    made: MultiStartChen | ChenSearch = make(phi, n, **options)
    return made


@dataclass(frozen=True, eq=False)
class MultiStartState:
    """State of a `MultiStartChen`.

    Attributes
    ----------
    policies : ndarray of float, shape (n, n)
        Shared policies at the start of this round: [i, j] for i -> j, [i, i] for no edge.
    round : int
    found : tuple of (parents, score)
        Networks of the finished chains of this round.
    best_parents, best_score
        The best network so far.
    iteration : int
        Number of iterations of all chains plus moves of all climbs.
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
class MultiStartChen(ScoreSearch):
    """Multi-start `ChenSearch` with shared policies: a `Search` whose step is one chain of a round.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score, as for `ChenSearch`.
    n : int
        Number of variables.
    chains, rounds : int
        Number of chains per round, and of rounds.
    iterations : int
        Number of iterations of a chain.
    beta, growth, B, policies, choices, max_parents, within, knowledge
        As for `ChenSearch` and `Readings`, with other defaults: β is scaled by the data and grows within a chain, each
        variable has two decision nodes, and initial policies follow from pairwise gains.
    share : float
        Weight of the networks of a round in the shared policies, from 0 (none) to less than 1.
    polish : bool
        Whether hill climbing follows each chain, and a last climb starts from the best network.
    tabu : int
        Length of the tabu list of the climbs; twice as long in the last one.
    restarts : int
        Number of random restarts of the last climb.
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
    knowledge: Known = field(default=None, kw_only=True)
    share: float = field(default=0.5, kw_only=True)
    polish: bool = field(default=True, kw_only=True)
    tabu: int = field(default=10, kw_only=True)
    restarts: int = field(default=20, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        check_counts(1, chains=self.chains, rounds=self.rounds, iterations=self.iterations)
        check_counts(0, restarts=self.restarts, seed=self.seed)
        if self.share != 0:
            check_range("share", self.share, 0.0, 1.0, "0, or between 0 and 1")
        _ = self._search, self._climb

    def init(self) -> MultiStartState:
        """Return the policies of the first round."""
        return MultiStartState(self._start, self._search.result(self._search.init()))

    def step(self, state: MultiStartState) -> tuple[MultiStartState, Progress]:
        """Run the next chain; after the last round, climb from the best network."""
        if state.round == self.rounds:
            return self._last_climb(state)
        parents, score, scores = self._run_chain(state.policies, state.round, len(state.found))
        after = replace(state, found=(*state.found, (parents, score)), iteration=state.iteration + len(scores))
        if score > state.best_score:
            after = replace(after, best_parents=parents, best_score=score)
        if len(after.found) == self.chains:
            after = replace(after, policies=self._update_policies(after), found=(), round=state.round + 1)
            after = replace(after, done=after.round == self.rounds and not self.polish)
        event = Event(after.iteration, "turn", state.round, len(state.found))
        return after, Progress(after.iteration, scores, after.best_score, (event,))

    def snapshot(self, state: MultiStartState) -> Snapshot:
        """Number of finished chains, the best network so far and the shared policies."""
        total = self.rounds * self.chains + self.polish
        done = total if state.done else min(state.round * self.chains + len(state.found), total)
        shared = ShownPolicies(state.policies, np.ones(self.n, dtype=np.bool_))
        return Snapshot(Work(done, total, "turns"), state.best_parents, shared)

    def _run_chain(self, policies: Floats, round_: int, chain: int) -> tuple[ParentTuples, float, tuple[float, ...]]:
        """Network that a chain finds, its score and the scores of all iterations; they depend only on the arguments."""
        seed = int(np.random.SeedSequence([self.seed, round_, chain]).generate_state(1)[0])
        search = self._search.beginning_with(policies, seed)
        trace = Trace()
        found: ChenState | HillClimbingState = trace.run(search)
        if self.polish:
            found = trace.run(self._climb, self._climb.begin(found.best_parents))
        return found.best_parents, found.best_score, tuple(trace.scores.tolist())

    @cached_property
    def _start(self) -> Floats:
        return start_policies(self.policies, self.phi, self.n)

    @cached_property
    def _search(self) -> ChenSearch:
        return ChenSearch(
            self.phi,
            self.n,
            beta=self.beta,
            B=self.B,
            Q=self.iterations,
            max_iterations=self.iterations,
            policies=self._start,
            max_parents=self.max_parents,
            within=self.within,
            knowledge=self.knowledge,
            readings=Readings(
                connected="ignored",
                check="moved",
                limit="moves",
                prune=True,
                answer="best",
                choices=self.choices,
                growth=self.growth,
            ),
        )

    @cached_property
    def _climb(self) -> HillClimbing:
        return HillClimbing(
            self.phi,
            self.n,
            max_parents=self.max_parents,
            within=self.within,
            knowledge=self.knowledge,
            tabu=self.tabu,
        )

    def _update_policies(self, state: MultiStartState) -> Floats:
        """Shared policies after a round: they move towards the children of each node in its networks."""
        children = np.zeros((self.n, self.n))
        for parents, _ in (*state.found, (state.best_parents, state.best_score)):
            for v, family in enumerate(parents):
                children[list(family), v] += 1.0
        children /= len(state.found) + 1
        # Each node makes `choices` decisions; those without a child are "none".
        np.fill_diagonal(children, np.maximum(self.choices - children.sum(axis=1), 0.1))
        children /= children.sum(axis=1, keepdims=True)
        return (1.0 - self.share) * state.policies + self.share * children

    def _last_climb(self, state: MultiStartState) -> tuple[MultiStartState, Progress]:
        climb = replace(self._climb, restarts=self.restarts, tabu=2 * self.tabu, seed=self.seed)
        trace = Trace()
        climbed = trace.run(climb, climb.begin(state.best_parents))
        iteration = state.iteration + len(trace.scores)
        after = replace(state, iteration=iteration, done=True)
        if climbed.best_score > state.best_score:
            after = replace(after, best_parents=climbed.best_parents, best_score=climbed.best_score)
        return after, Progress(iteration, trace.scores, after.best_score, (Event(iteration, "polish"),))
