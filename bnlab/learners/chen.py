"""Chen's self-annealing search for structure over decision nodes (Matuszak and Miekisz 2012).

Every variable X_i has a decision node D_i with a randomised policy τ_i over the variables that may become its child and
"none". A move changes the decision of one node; its policy learns by the change of the score, τ ← exp(βΔ) τ; a decision
that has become nearly certain is made for good.

References
----------
M. Matuszak, J. Miekisz. Stochastic techniques in influence diagrams for learning Bayesian network structure.
ICAISC 2012. (Steps and equations are numbered as there.)
K. Chen. Simple learning algorithm for the traveling salesman problem. Phys. Rev. E 55, 1997.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab._budget import check_pairs
from bnlab._cached import cached_property
from bnlab._names import nearest
from bnlab.learners.chen_check import check_state
from bnlab.learners.policies import Edge, Policies, as_edges, as_order, start_policies, typical_gain
from bnlab.learners.trees import Floats, ParentTuples, Phi
from bnlab.learners.within import Mask, Within, acyclic_parents, allowed_edges, at_least, parent_limit
from bnlab.networks.influence import InfluenceDiagram, structure_learning_diagram
from bnlab.search import Event, Progress

if TYPE_CHECKING:
    from bnlab.learners.chen_kernels import Decisions, Instance, Log, Rules
    from bnlab.learners.score_table import ScoreTable

CONNECTED = ("preserved", "once", "required", "ignored")
LIMITS = ("overall", "iterations", "moves")
STUCK = ("restart", "skip")
ANSWERS = ("final", "best", "present")
BYTES_A_PAIR = 200
KINDS = ("converged", "forced", "stuck", "instance")

LOWEST_FLOOR = 1e-300


@dataclass(frozen=True, eq=False)
class ChenState:
    """Where a `ChenSearch` stands; a plain value of arrays that pickles.

    Attributes
    ----------
    net : Instance
        The present network.
    decisions : Decisions
        Policies, present choices and permanent edges.
    """

    net: Instance
    decisions: Decisions

    @property
    def iteration(self) -> int:
        """Iterations made."""
        return int(self.net.numbers[0])

    @property
    def score(self) -> float:
        """Score of the present network."""
        return float(self.net.local.sum())

    @property
    def best_score(self) -> float:
        """Score of the best network so far; -inf before the first one."""
        return float(self.net.best[0])

    @property
    def parents(self) -> ParentTuples:
        """Ascending parents of each variable in the present network."""
        return _unpacked(self.net.parents)

    @property
    def best_parents(self) -> ParentTuples:
        """Ascending parents of each variable in the best network so far."""
        return _unpacked(self.net.best_parents)

    @property
    def tau(self) -> Floats:
        """Policies, shape (n, n): [i, j] for i -> j, [i, i] for no edge; rows sum to one."""
        return self.decisions.tau

    @property
    def permanent(self) -> tuple[tuple[int, int], ...]:
        """Permanent edges (u, v)."""
        return tuple((int(u), int(v)) for u, v in np.argwhere(self.decisions.permanent))

    @property
    def choices(self) -> tuple[tuple[int, ...], ...]:
        """For each node the children that it has chosen and that are not permanent."""
        return tuple(tuple(int(h) for h in row if h != i) for i, row in enumerate(self.decisions.choice))

    @property
    def active(self) -> tuple[bool, ...]:
        """Which decision nodes are still subject to the optimisation."""
        return tuple(self.decisions.active.tolist())


@dataclass(frozen=True, eq=False)
class ChenSearch:
    """Steps 1 to 8 of the paper: a `Search` whose step is one block of B iterations between two new instances.

    The first four parameters are the paper's, and so is all that the other defaults do; where the text leaves a choice
    open, the option says what the choices are.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better; its sum over the nodes is the utility U. Its method
        `many(families) -> ndarray`, if it has one, is used.
    n : int
        Number of variables.
    beta : float or "data"
        Rate of learning β of equation 4, per unit of φ. "data" is one over the mean over the nodes of the gain of their
        best single parent: Δ grows with the number of rows, and β must shrink with it.
    epsilon : float
        A decision is permanent once 1 - τ < ε (equation 2).
    B : int
        Iterations after which a new instance is generated (step 8).
    Q : int
        Steps after which a node that has not converged must decide.
    seed : int
    policies : None, "gains", mapping or ndarray of shape (n, n)
        What the policies begin with, also after an edge became permanent: None for uniform ones; "gains" for
        probabilities in proportion to the pairwise gains (`policies.gain_policies`); ``{node: {child or None:
        probability}}`` or a matrix whose rows sum to one, [i, i] standing for no edge.
    permanent : iterable of (parent, child)
        Edges that are in the network from the start.
    order : sequence, optional
        Order of the variables: edges only lead from earlier to later ones.
    names : sequence of str, optional
        Variables may be called by these in the three options above; by default `phi.names`, if there is such.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be used, as for `allowed_edges`.
    max_parents : int, optional
        No edge is added to a node that has as many parents.
    choices : int
        Decision nodes per variable, which share its policy. With the paper's 1 an instance has at most one edge per
        variable besides the permanent ones.
    connected : "preserved", "once", "required" or "ignored"
        What "the weakly connected property is preserved" asks of a move: no more components than before; nothing until
        the skeleton is connected, then that it stays so; that the result is connected, whatever was before; nothing.
        An instance (step 3) need not be connected.
    limit : "overall", "iterations" or "moves"
        What Q counts: iterations of the whole search ("limited to Q", section 4), after which each node decides when
        it is its turn; iterations since the node's policy began; moves of the node since then.
    stuck : "restart" or "skip"
        When no move is admissible: nodes whose present choice satisfies equation 2 settle; then a new instance is
        generated, or the iteration ends.
    update_first : bool
        Whether the policy also learns from the first move after a new instance (step 7 says not).
    prune : bool
        Whether edges that would close a cycle with permanent ones leave the supports at once.
    max_exponent : float
        βΔ is cut to ± this before it is raised to exp.
    floor : float
        No decision that is left has less probability than this, so that none dies of underflow.
    growth : float
        β is multiplied by this at every new block.
    max_iterations : int, optional
        The search ends there even if nodes are active.
    answer : "final", "best" or "present"
        The result: the network of the permanent edges once no node is active, and the best one before; the best one
        that was seen; the one where the search stands ("iterations limited to Q" with `max_iterations` = Q).

    Raises
    ------
    ValueError, TypeError
        If an option is out of range, an unknown variable is named, permanent edges close a cycle or are not allowed, or
        policies do not sum to one.

    Notes
    -----
    A forced decision is drawn among those that are admissible in the present network, so that it stays acyclic and as
    connected as the rule says. Scores are rounded to about 6e-14 of the greatest |φ(i, ∅)| so that sums are exact: the
    trace does not depend on how iterations are grouped. Random numbers come from a counter in the state.
    """

    phi: Phi
    n: int
    beta: float | str = field(default=0.001, kw_only=True)
    epsilon: float = field(default=0.01, kw_only=True)
    B: int = field(default=100, kw_only=True)
    Q: int = field(default=500, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    policies: Policies = field(default=None, kw_only=True)
    permanent: Iterable[Edge] = field(default=(), kw_only=True)
    order: Sequence[int | str] | None = field(default=None, kw_only=True)
    names: Sequence[str] | None = field(default=None, kw_only=True)
    within: Within = field(default=None, kw_only=True)
    max_parents: int | None = field(default=None, kw_only=True)
    choices: int = field(default=1, kw_only=True)
    connected: str = field(default="preserved", kw_only=True)
    limit: str = field(default="overall", kw_only=True)
    stuck: str = field(default="restart", kw_only=True)
    update_first: bool = field(default=False, kw_only=True)
    prune: bool = field(default=False, kw_only=True)
    max_exponent: float = field(default=50.0, kw_only=True)
    floor: float = field(default=1e-12, kw_only=True)
    growth: float = field(default=1.0, kw_only=True)
    max_iterations: int | None = field(default=None, kw_only=True)
    answer: str = field(default="final", kw_only=True)

    def __post_init__(self) -> None:
        if at_least("n", self.n, 1) == 1:
            raise ValueError("n=1: a single variable has no edge to decide on; give at least two.")
        for name in ("B", "Q", "choices"):
            at_least(name, getattr(self, name), 1)
        at_least("seed", self.seed, 0)
        if self.max_iterations is not None:
            at_least("max_iterations", self.max_iterations, 1)
        for name, known in (("connected", CONNECTED), ("limit", LIMITS), ("stuck", STUCK), ("answer", ANSWERS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r}: {nearest(getattr(self, name), known)}")
        if self.beta != "data":
            check_range("beta", self.beta, 0.0, np.inf, "a finite number greater than 0, or 'data'")
        check_range("epsilon", self.epsilon, 0.0, 1.0, "between 0 and 1, both left out")
        check_range("max_exponent", self.max_exponent, 0.0, 700.0, "between 0 and 700: exp overflows beyond")
        check_range("growth", self.growth, 0.0, np.inf, "a finite number greater than 0")
        if not LOWEST_FLOOR <= self.floor < 1.0 / (2 * self.n):
            raise ValueError(f"floor={self.floor!r}: it must be from {LOWEST_FLOOR} to less than 1 / (2 n).")
        _ = self._permanent, self._support
        parent_limit(self.max_parents, self.n)
        if not isinstance(self.policies, str) or self.policies != "gains":
            _ = self._prior

    def init(self) -> ChenState:
        """Step 1 and 2: all nodes active, with the policies they begin with; no network yet."""
        from bnlab.learners.chen_kernels import Decisions, Instance, normalise

        n, words = self.n, self._table.words
        permanent, support = self._permanent.copy(), self._support.copy()
        tau = self._prior.copy()
        for i in range(n):
            normalise(tau[i], support[i], self.floor)
        active = support.sum(axis=1) > 1
        none = np.tile(np.arange(n)[:, None], (1, self.choices))
        random = np.random.SeedSequence(self.seed).generate_state(1, np.uint64).view(np.int64)[0]
        numbers = np.array([0, active.sum(), n, random, 0], dtype=np.int64)
        parents, neighbours, ancestors, best = (np.zeros((n, words), dtype=np.uint64) for _ in range(4))
        net = Instance(parents, neighbours, ancestors, np.zeros(n), numbers, np.array([-np.inf]), best)
        return ChenState(net, Decisions(tau, support, none, permanent, active, np.zeros(n, dtype=np.int64)))

    def step(self, state: ChenState) -> tuple[ChenState, Progress]:
        """Iterate to the end of the block."""
        return self.advance(state, self.B)

    def advance(self, state: ChenState, steps: int) -> tuple[ChenState, Progress]:
        """Iterate up to `steps` times, but not beyond the end of the block; how iterations are grouped changes nothing.

        Parameters
        ----------
        state : ChenState
        steps : int
            At least one.

        Raises
        ------
        ValueError
            When the state is not one of a search over the same variables.
        """
        if state is not self._reached[0]:
            check_state(state, self.n, self.choices)
        steps = min(at_least("steps", steps, 1), self.B - state.iteration % self.B)
        if self.max_iterations is not None:
            steps = min(steps, self.max_iterations - state.iteration)
        beta = self._beta_of_block(state.iteration // self.B)
        while True:
            after, progress, missing = self._tried(state, steps, beta)
            if not len(missing):
                self._reached[0] = after
                return after, progress
            self._table.add(missing)

    def is_done(self, state: ChenState) -> bool:
        """Whether no node is active, or the iterations are used up."""
        return not any(state.active) or (self.max_iterations is not None and state.iteration >= self.max_iterations)

    def result(self, state: ChenState) -> ParentTuples:
        """Ascending parents of each variable, of the network that `answer` says."""
        if self.answer == "present":
            return state.parents
        if self.answer == "final" and not any(state.active):
            return tuple(tuple(np.flatnonzero(column).tolist()) for column in state.decisions.permanent.T)
        return state.best_parents

    def diagram(self, state: ChenState) -> InfluenceDiagram:
        """Influence diagram of the search (figure 1), with the permanent edges and the present choices."""
        names = self._names or tuple(f"X{i + 1}" for i in range(self.n))
        order = None if self.order is None else [names[i] for i in as_order(self.order, self.n, self._names)]
        permanent = [(names[u], names[v]) for u, v in state.permanent]
        choices = [(names[u], names[v]) for u, children in enumerate(state.choices) for v in children]
        return structure_learning_diagram(names, self.phi, permanent=permanent, choices=choices, order=order)

    def beginning_with(self, policies: Floats, seed: int) -> ChenSearch:
        """Return the same search with other policies to begin with and another seed; it uses the scores of this one."""
        other = replace(self, policies=policies, seed=seed, beta=self.rate)
        other.__dict__["_table"] = self._table
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Leave the table of scores behind: another process fills its own."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_table", "_reached")}

    @cached_property
    def rate(self) -> float:
        """β of the first block, per unit of φ."""
        return float(self.beta) if self.beta != "data" else 1.0 / typical_gain(self.phi, self.n)

    @cached_property
    def _names(self) -> tuple[str, ...] | None:
        names = self.names if self.names is not None else getattr(self.phi, "names", None)
        return None if names is None else tuple(names)

    @cached_property
    def _table(self) -> ScoreTable:
        from bnlab.learners.score_table import ScoreTable

        return ScoreTable(self.phi, self.n)

    @cached_property
    def _reached(self) -> list[ChenState | None]:
        """The state that was made last, which needs no check."""
        return [None]

    @cached_property
    def _permanent(self) -> Mask:
        given = as_edges(self.permanent, self.n, self._names)
        parents: list[set[int]] = [set() for _ in range(self.n)]
        for u, v in given:
            if not self._allowed[u, v]:
                edge = " -> ".join(str(self._names[i] if self._names else i) for i in (u, v))
                raise ValueError(f"permanent edge {edge} is not allowed by the order or `within`.")
            parents[v].add(u)
        matrix = np.zeros((self.n, self.n), dtype=np.bool_)
        for v, family in enumerate(acyclic_parents(parents, self.n, "permanent", self._names)):
            matrix[list(family), v] = True
        return matrix

    @cached_property
    def _allowed(self) -> Mask:
        check_pairs(self.n, BYTES_A_PAIR)
        allowed = allowed_edges(self.within, self.n, self._names)
        if self.order is not None:
            place = np.argsort(as_order(self.order, self.n, self._names))
            allowed &= place[:, None] < place[None, :]
        return allowed

    @cached_property
    def _support(self) -> Mask:
        from bnlab.learners.chen_kernels import Decisions, prune

        support = (self._allowed & ~self._permanent & ~self._permanent.T) | np.eye(self.n, dtype=np.bool_)
        if self.prune:
            flags, nothing = np.zeros(self.n, dtype=np.bool_), np.zeros(self.n, dtype=np.int64)
            none = np.zeros((self.n, 1), dtype=np.int64)
            prune(Decisions(self._prior, support, none, self._permanent, flags, nothing))
        return support

    @cached_property
    def _prior(self) -> Floats:
        return start_policies(self.policies, self.phi, self.n, self._names)

    @cached_property
    def _rules(self) -> Rules:
        from bnlab.learners.chen_kernels import Rules

        return Rules(
            prior=self._prior,
            epsilon=float(self.epsilon),
            block=self.B,
            q=self.Q,
            limit=LIMITS.index(self.limit),
            connected=CONNECTED.index(self.connected),
            stuck=STUCK.index(self.stuck),
            max_parents=self.n if self.max_parents is None else parent_limit(self.max_parents, self.n),
            max_exponent=float(self.max_exponent),
            floor=float(self.floor),
            prune=bool(self.prune),
            update_first=bool(self.update_first),
        )

    def _beta_of_block(self, block: int) -> float:
        return exp(max(min(log(self.rate) + block * log(self.growth), 600.0), -600.0))

    def _tried(self, state: ChenState, steps: int, beta: float) -> tuple[ChenState, Progress, Any]:
        """Iterate on copies; the families without a score, if any, make the rest a guess."""
        from bnlab.learners.chen_kernels import Decisions, Instance, iterations

        after = ChenState(
            Instance._make(array.copy() for array in state.net),
            Decisions._make(array.copy() for array in state.decisions),
        )
        log = self._log(steps)
        done = iterations((self._table.keys, self._table.values), after.net, after.decisions, self._rules, beta, log)
        n_events, n_missing = log.filled
        events = tuple(Event(int(k), KINDS[kind], int(u), int(v)) for k, u, v, kind in log.events[:n_events])
        progress = Progress(after.iteration, log.scores[:done], after.best_score, events)
        return after, progress, log.missing[:n_missing]

    def _log(self, steps: int) -> Log:
        from bnlab.learners.chen_kernels import Log

        most = 2 * steps + 12 * self.n + 32
        events = np.empty((most, 4), dtype=np.int64)
        missing = np.empty((most, self._table.words + 1), dtype=np.uint64)
        return Log(np.empty(steps), events, missing, np.zeros(2, dtype=np.int64))


PAPER_SIMPLE = {"beta": 1e-3, "epsilon": 0.01, "B": 100, "Q": 500}
PAPER_ALARM = {"beta": 9e-6, "epsilon": 0.01, "B": 250, "Q": 15000}
"""Section 4: the settings for the simple network of 7 nodes and for ALARM of 37, each with 100,000 rows."""


def paper_search(phi: Phi, n: int, **options: Any) -> ChenSearch:
    """`ChenSearch` with the paper's settings for the one of its two networks that is nearer in size, unless given."""
    return ChenSearch(phi, n, **{**(PAPER_SIMPLE if n <= 22 else PAPER_ALARM), **options})


def check_range(name: str, value: Any, low: float, high: float, rule: str) -> None:
    """Refuse a value that is not a number between two others, both left out.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is nan or out of range.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}={value!r} is not a number: it must be {rule}.") from None
    if not (isfinite(number) and low < number < high):
        raise ValueError(f"{name}={value!r}: it must be {rule}.")


def _unpacked(sets: Any) -> ParentTuples:
    from bnlab.learners.score_table import families

    children = np.arange(1, len(sets) + 1, dtype=np.uint64)[:, None]
    return tuple(parents for _, parents in families(np.hstack([sets, children])))
