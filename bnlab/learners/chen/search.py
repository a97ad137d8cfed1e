"""Chen's self-annealing search for the structure of a Bayesian network (Matuszak and Miekisz 2012).

Every variable X_i has a decision node D_i with a randomised policy τ_i over its possible children and "none" (X_None).
A move changes the decision of one node. The policy then learns from the change of the score, τ ← exp(βΔ) τ, and a
decision that is nearly certain becomes permanent.

The steps of the paper and their places in the code:

1, 2. iteration counter, decision nodes with initial policies: `ChenSearch.init`
3. instance of the network: `new_instance` in `bnlab.engine.decisions`
4. move of one decision node: `propose_move`, `is_admissible`, `make_move`
5. utility U: the sum of the local scores, `look_up_score`
6. permanent edge condition, equation 2: `is_converged`, `make_permanent` in `bnlab.engine.policies`; after
   Q steps: `has_used_up_q`, `force_decision`
7. update of the policy, equations 3 and 4: `update_policy`
8. loop: `iterations` within a block of B, `ChenSearch.step` from block to block, `ChenSearch.is_done`

`bnlab.learners.chen.readings` lists the choices that the text leaves open.

References
----------
M. Matuszak, J. Miekisz. Stochastic techniques in influence diagrams for learning Bayesian network structure.
ICAISC 2012.
K. Chen. Simple learning algorithm for the traveling salesman problem. Phys. Rev. E 55, 1997.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_pairs
from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import at_least, check_counts, check_optional_counts
from bnlab.graphs.dag import Dag
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.chen.policies import Policies, start_policies, typical_gain
from bnlab.learners.chen.readings import CHECKS, CONNECTED, LIMITS, STUCK, Readings, check_range
from bnlab.learners.chen.state import ChenState, check_state, first_state, parents_of, unpacked
from bnlab.learners.edges import Edge, Known, Within, as_edges, as_order, edge_rules
from bnlab.learners.types import Floats, Mask, ParentTuples, Phi, ScoreSearch
from bnlab.networks.influence import InfluenceDiagram, structure_learning_diagram
from bnlab.search import Event, Progress, Snapshot, Work
from bnlab.search import Policies as ShownPolicies

if TYPE_CHECKING:
    from bnlab.engine.policies import Rules
    from bnlab.learners.chen.score_table import ScoreTable

BYTES_A_PAIR = 200
KINDS = ("converged", "forced", "stuck", "instance")


@dataclass(frozen=True, eq=False)
class ChenSearch(ScoreSearch):
    """Steps 1 to 8 of the paper: a `Search` whose step is one block of B iterations between two new instances.

    Parameters
    ----------
    phi : callable (child, parents) -> float
        Local score φ_i(Π_i, T), greater is better; its sum over the nodes is the utility U.
    n : int
        Number of variables.
    beta : float or "data"
        Learning rate β of equation 4, per unit of φ. "data" is the reciprocal of the mean over the nodes of the gain of
        their best single parent: Δ grows with the number of rows, and β must decrease with it.
    epsilon : float
        A decision becomes permanent if 1 - τ < ε (equation 2).
    B : int
        Iterations after which a new instance is generated (step 8).
    Q : int
        Steps after which a node that has not converged must decide (`Readings.limit` says which steps).
    seed : int
    policies : None, "gains" or ndarray of shape (n, n)
        Initial policies, also used to reinitialise a node (step 6): None for uniform; "gains" for probabilities in
        proportion to the square roots of the pairwise gains (`policies.start_policies`); or a matrix whose rows sum to
        one, with [i, i] for no edge.
    permanent : iterable of (parent, child)
        Edges that are in the network from the start (step 3(a)), like those that `knowledge` requires, as indices, or
        as names if `phi` has them.
    order : sequence, optional
        Order of the variables as indices or names: edges lead only from earlier to later variables.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be used, as for `allowed_edges`.
    knowledge : Knowledge, optional
        Edges that the network must have or may not have.
    max_parents : int, optional
        Maximum number of parents per node.
    max_iterations : int, optional
        Number of iterations after which the search ends even if nodes are active.
    readings : Readings
        Choices that the text leaves open.

    Raises
    ------
    ValueError, TypeError
        If an option is out of range, an unknown variable is named, permanent edges close a cycle, are not allowed or
        exceed a maximum number of parents, or policies do not sum to one.

    Notes
    -----
    A forced decision is drawn from the admissible decisions in the current network. Scores are rounded to about 6e-14
    of the greatest ``|φ(i, ∅)|`` so that sums are exact: the trace does not depend on the grouping of iterations.
    Random numbers come from a counter in the state.
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
    within: Within = field(default=None, kw_only=True)
    knowledge: Known = field(default=None, kw_only=True)
    max_parents: int | None = field(default=None, kw_only=True)
    max_iterations: int | None = field(default=None, kw_only=True)
    readings: Readings = field(default=Readings(), kw_only=True)

    def __post_init__(self) -> None:
        if at_least("n", self.n, 1) == 1:
            raise ValueError("n=1: a single variable has no edge to decide on; give at least two.")
        check_counts(1, B=self.B, Q=self.Q)
        check_counts(0, seed=self.seed)
        check_optional_counts(1, max_iterations=self.max_iterations)
        if self.beta != "data":
            check_range("beta", self.beta, 0.0, np.inf, "a finite number greater than 0, or 'data'")
        check_range("epsilon", self.epsilon, 0.0, 1.0, "between 0 and 1, both left out")
        self.readings.check_floor(self.n)
        _ = self._permanent, self._support
        if not isinstance(self.policies, str) or self.policies != "gains":
            _ = self._prior

    def init(self) -> ChenState:
        """Steps 1 and 2: all nodes active with their initial policies, and only the permanent edges."""
        return first_state(self._prior, self._support, self._permanent, self.readings, self.seed)

    def step(self, state: ChenState) -> tuple[ChenState, Progress]:
        """Iterate to the end of the block (steps 3 to 8)."""
        return self.advance(state, self.B)

    def advance(self, state: ChenState, steps: int) -> tuple[ChenState, Progress]:
        """Iterate up to `steps` times, but not beyond the end of the block; the grouping does not change the trace.

        Parameters
        ----------
        state : ChenState
        steps : int
            At least one.

        Raises
        ------
        ValueError
            If the state is not one of a search over the same variables.
        """
        check_state(state, self.n, self.readings.choices)
        steps = min(at_least("steps", steps, 1), self.B - state.iteration % self.B)
        if self.max_iterations is not None:
            steps = min(steps, self.max_iterations - state.iteration)
        # β grows by a factor at every new block.
        exponent = log(self.rate) + state.iteration // self.B * log(self.readings.growth)
        beta = exp(max(min(exponent, 600.0), -600.0))
        after, progress, missing = self._iterate(state, steps, beta)
        while len(missing):
            self._table.add(missing)
            after, progress, missing = self._iterate(state, steps, beta)
        return after, progress

    def is_done(self, state: ChenState) -> bool:
        """Whether no node is active (step 8), or `max_iterations` is reached."""
        return not any(state.active) or (self.max_iterations is not None and state.iteration >= self.max_iterations)

    def result(self, state: ChenState) -> ParentTuples:
        """Ascending parents of each variable in the network that `Readings.answer` selects."""
        if self.readings.answer == "present":
            return state.parents
        if self.readings.answer == "final" and not any(state.active):
            return parents_of(state.decisions.permanent.T)
        return state.best_parents

    def snapshot(self, state: ChenState) -> Snapshot:
        """Iterations made, if their total is known, the present network as rows of bits, and the policies."""
        work = None
        if self.max_iterations is not None:
            work = Work(state.iteration, self.max_iterations, "iterations")
        elif self.readings.limit == "overall":
            # After Q iterations every node decides when it is selected, which takes a few iterations more.
            work = Work(state.iteration, max(self.Q, state.iteration + sum(state.active)), "iterations")
        decisions = state.decisions
        policies = ShownPolicies(decisions.tau, decisions.active, decisions.permanent)
        return Snapshot(work, state.net.parents, policies, best=state.net.best_parents)

    def graph_of(self, sketch: NDArray[np.uint64], names: Sequence[str]) -> Dag:
        """Network from rows of bits."""
        return Dag(names, parents_of(unpacked(sketch)))

    def diagram(self, state: ChenState) -> InfluenceDiagram:
        """Influence diagram of the search (figure 1), with the permanent edges and the current choices."""
        names = self.variable_names() or tuple(f"X{i + 1}" for i in range(self.n))
        order = None if self.order is None else [names[i] for i in as_order(self.order, self.n, self.variable_names())]
        permanent = [(names[u], names[v]) for u, v in state.permanent]
        choices = [(names[u], names[v]) for u, children in enumerate(state.choices) for v in children]
        return structure_learning_diagram(names, self.phi, permanent=permanent, choices=choices, order=order)

    @property
    def rules(self) -> EdgeRules:
        """Rules of the edges, which require the permanent ones."""
        return self._edges._replace(required=self._permanent)

    @cached_property
    def rate(self) -> float:
        """β of the first block, per unit of φ."""
        return float(self.beta) if self.beta != "data" else 1.0 / typical_gain(self.phi, self.n)

    @cached_property
    def _table(self) -> ScoreTable:
        from bnlab.learners.chen.score_table import ScoreTable

        return ScoreTable(self.phi, self.n)

    @cached_property
    def _permanent(self) -> Mask:
        names, rules = self.variable_names(), self._edges
        matrix = rules.required.copy()
        for u, v in as_edges(self.permanent, self.n, names):
            matrix[u, v] = True
        try:
            return rules.combined(rules._replace(required=matrix), names).required
        except ValueError as error:
            raise ValueError(f"permanent edges: {error}") from None

    @cached_property
    def _edges(self) -> EdgeRules:
        check_pairs(self.n, BYTES_A_PAIR)
        names = self.variable_names()
        rules = edge_rules(self.n, names, within=self.within, knowledge=self.knowledge, max_parents=self.max_parents)
        if self.order is None:
            return rules
        place = np.argsort(as_order(self.order, self.n, names))
        return rules.combined(rules._replace(allowed=place[:, None] < place[None, :]), names)

    @cached_property
    def _support(self) -> Mask:
        from bnlab.engine.policies import prune

        support = (self._edges.allowed & ~self._permanent & ~self._permanent.T) | np.eye(self.n, dtype=np.bool_)
        if self.readings.prune:
            prune(support, self._permanent)
        return support

    @cached_property
    def _prior(self) -> Floats:
        return start_policies(self.policies, self.phi, self.n)

    @cached_property
    def _rules(self) -> Rules:
        from bnlab.engine.policies import Rules

        readings = self.readings
        return Rules(
            prior=self._prior,
            epsilon=float(self.epsilon),
            block=self.B,
            q=self.Q,
            limit=LIMITS.index(readings.limit),
            connected=CONNECTED.index(readings.connected),
            stuck=STUCK.index(readings.stuck),
            check=CHECKS.index(readings.check),
            max_parents=self._edges.limits,
            max_exponent=float(readings.max_exponent),
            floor=float(readings.floor),
            prune=bool(readings.prune),
            update_first=bool(readings.update_first),
        )

    def _iterate(self, state: ChenState, steps: int, beta: float) -> tuple[ChenState, Progress, Any]:
        """Iterate on copies; if families without a score are returned, the other results are guesses."""
        from bnlab.engine.decisions import iterations
        from bnlab.engine.instance import Instance
        from bnlab.engine.policies import Decisions, Log

        after = ChenState(
            Instance._make(array.copy() for array in state.net),
            Decisions._make(array.copy() for array in state.decisions),
        )
        most = 2 * steps + 12 * self.n + 32
        missing = np.empty((most, self._table.words + 1), dtype=np.uint64)
        log = Log(np.empty(steps), np.empty((most, 4), dtype=np.int64), missing, np.zeros(2, dtype=np.int64))
        table = self._table.keys, self._table.values
        done = iterations(table, after.net, after.decisions, self._rules, beta, log)
        n_events, n_missing = log.filled
        events = tuple(Event(int(k), KINDS[kind], int(u), int(v)) for k, u, v, kind in log.events[:n_events])
        return after, Progress(after.iteration, log.scores[:done], after.best_score, events), missing[:n_missing]


PAPER_SIMPLE = {"beta": 1e-3, "epsilon": 0.01, "B": 100, "Q": 500}
PAPER_ALARM = {"beta": 9e-6, "epsilon": 0.01, "B": 250, "Q": 15000}
"""Settings of section 4 for the simple network of 7 nodes and for ALARM with 37 nodes, each with 100,000 rows."""


def paper_search(phi: Phi, n: int, **options: Any) -> ChenSearch:
    """`ChenSearch` with default options from section 4, those for the network that is nearer in size.

    Parameters
    ----------
    phi, n
        As for `ChenSearch`.
    **options
        Parameters of `ChenSearch` and of `Readings`.

    Examples
    --------
    >>> paper_search(lambda child, parents: 0.0, 37, limit="moves").Q
    15000
    """
    known = {f.name for f in fields(Readings)} & set(options)
    readings = {name: options.pop(name) for name in known}
    settings = PAPER_SIMPLE if n <= 22 else PAPER_ALARM
    return ChenSearch(phi, n, readings=Readings(**readings), **{**settings, **options})
