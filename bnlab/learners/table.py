"""The one table of structure learners: `learn`, `make_search`, forms and session files read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from bnlab._runtime.values import (
    FLAG,
    ORDER,
    ORDERS,
    PAIRS,
    VARIABLE,
    Entry,
    Kind,
    Option,
    entry_of,
    number,
    one_of,
    plain,
    shown,
    table_of,
    whole,
)
from bnlab.citests.g2 import DEGREES_OF_FREEDOM
from bnlab.counts.incomplete import AvailableCases
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.learners.boss.search import BestOrderSearch
from bnlab.learners.chen.readings import ANSWERS, CHECKS, CONNECTED, LIMITS, STUCK
from bnlab.learners.chen.variants import VARIANTS, chen_search
from bnlab.learners.ckg import ckg_search
from bnlab.learners.exact.search import exact_search
from bnlab.learners.ges import GreedyEquivalenceSearch
from bnlab.learners.growing_tree import GrowingTree
from bnlab.learners.hill_climbing.search import TIES, HillClimbing
from bnlab.learners.k2 import K2Search
from bnlab.learners.orderings import orderings_search
from bnlab.learners.pc import SKELETONS_OF_PC, pc_search
from bnlab.learners.structural_em import StructuralEM
from bnlab.learners.types import ParentTuples
from bnlab.scores import PNAL, LocalScore
from bnlab.scores.make import SCORE_TABLE, ScoreEntry
from bnlab.search import Search


@dataclass(frozen=True, kw_only=True)
class Learner(Entry):
    """A structure learner.

    Attributes
    ----------
    search : callable (phi, n, **options) -> Search
        Its result is the parents of each variable.
    score : str
        Default score.
    only : bool
        Whether it takes no other score.
    sparse : bool
        Whether it bounds the edges itself, so that a score without a penalty makes sense.
    for_samples : mapping of str to value
        Options with which it learns from each sample of a bootstrap.
    """

    search: Callable[..., Search[Any, Any, ParentTuples]]
    score: str = "bic"
    only: bool = False
    sparse: bool = False
    for_samples: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class GapLearner(Entry):
    """How a learner of the table serves data with missing values.

    Attributes
    ----------
    search : callable (table, make, scores=, **options) -> Search
        `make` makes the search of the learner from counts, `scores` the local scores that it maximises.
    score : callable (n) -> LocalScore, optional
        Score for n variables, where it is not that of the learner.
    """

    search: Callable[..., Search[Any, Any, ParentTuples]]
    score: Callable[[int], LocalScore] | None = None


@dataclass(frozen=True, kw_only=True)
class ClassLearner(Entry):
    """A learner of an equivalence class.

    Attributes
    ----------
    search : callable
        Makes a Search whose result is a Pdag: from the local scores and the number of variables, (phi, n, **options),
        or from the data, (data, **options).
    score : str, optional
        Default score; None for a learner that makes tests instead.
    for_samples : mapping of str to value
        Options with which it learns from each sample of a bootstrap.
    """

    search: Callable[..., Search[Any, Any, Pdag]]
    score: str | None = None
    for_samples: Mapping[str, Any] = field(default_factory=dict)


class _KnowledgeKind(Kind):
    """A `Knowledge`, in session files its parts."""

    def checked(self, field: str, value: Any) -> Knowledge:
        """Knowledge of plain strings and numbers; ValueError, which begins with `field`, when it is none."""
        parts = plain(field, asdict(value) if isinstance(value, Knowledge) else value)
        if not isinstance(parts, dict):
            raise ValueError(f"{field} = {shown(value)}: {self.words} is needed.")
        try:
            return Knowledge.from_dict(parts)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{field}: {error}") from None


_SEED = Option("seed", "seed of the random numbers; the same seed gives the same network", "Seed", 0)
_MAX_PARENTS = Option("max_parents", "maximum number of parents of a variable; empty for any number", "Max. parents")
_ROOT = Option("root", "variable at the root of the tree", rule=VARIABLE)
_SPANNING = Option("spanning", "whether edges that do not improve the score are kept", rule=FLAG)
_WITHIN = Option("within", "edges that may be used", rule=PAIRS)
_KNOWLEDGE = Option(
    "knowledge",
    "edges that the network must have or may not have",
    rule=_KnowledgeKind("a bnlab.Knowledge", lambda value: isinstance(value, Knowledge), variables=True),
)


LEARNERS = table_of(
    Learner(
        "hill-climbing",
        "Hill climbing",
        "Greedy search: makes the best single-edge change until none improves the score.",
        (
            _MAX_PARENTS,
            Option("tabu", "number of latest changes that may not be undone, to leave local optima", "Tabu list", 10),
            Option("restarts", "further climbs from the perturbed best network: slower, often better", "Restarts", 0),
            _SEED,
            Option("start", "first network", rule=PAIRS),
            _WITHIN,
            _KNOWLEDGE,
            Option("patience", "changes without a new best network after which a climb ends", rule=whole(1)),
            Option("perturbations", "random changes at a restart", rule=whole(1)),
            Option("ties", "order of the variables that decides between equal changes", rule=one_of(*TIES)),
        ),
        search=partial(HillClimbing, ties="scores"),
        # Under one rule for all samples a direction that the data leave open would look certain.
        for_samples={"ties": "random"},
    ),
    Learner(
        "chow-liu",
        "Chow-Liu tree",
        "Tree of greatest likelihood: at most one parent a variable; fast with hundreds of variables.",
        (_ROOT, _SPANNING, _KNOWLEDGE),
        search=GrowingTree,
        score="ll",
        only=True,
        sparse=True,
    ),
    Learner(
        "branching",
        "Optimal tree",
        "Tree of greatest score, for any score: at most one parent a variable; fast with hundreds of variables.",
        (_ROOT, _SPANNING, _KNOWLEDGE),
        search=GrowingTree,
        sparse=True,
    ),
    Learner(
        "ckg",
        "Consistent k-graph",
        "Starts from the optimal tree and gives each variable the best parents among its ancestors there.",
        (
            Option(
                "k",
                'maximum number of parents of a variable, or "mdl": that of least description length, of 0 to 3',
                "Max. parents (k)",
                2,
                1,
                rule=whole(1) | one_of("mdl"),
            ),
            _ROOT,
            Option(
                "order",
                "candidates: ancestors in the tree, or all earlier in breadth-first order",
                rule=one_of("path", "bfs"),
            ),
            _KNOWLEDGE,
        ),
        search=ckg_search,
    ),
    Learner(
        "ordering-search",
        "Ordering search",
        "Searches the orders of the variables; each takes its best parents among those before it.",
        (
            Option("k", "maximum number of parents of a variable; empty for 3", "Max. parents (k)", None, 1),
            Option("restarts", "orders to start from", "Starts", 10, 1),
            _SEED,
            Option("tabu", "number of latest swaps that may not be undone"),
            Option("patience", "swaps without a new best order after which a start ends", rule=whole(1)),
            Option(
                "start",
                'first order, or "bfs": the breadth-first order of the optimal tree',
                rule=ORDER | one_of("bfs"),
            ),
            _KNOWLEDGE,
        ),
        search=orderings_search,
    ),
    Learner(
        "boss",
        "Best order score search",
        "Searches the orders of the variables; each takes parents greedily from those before it: seldom beaten.",
        (
            Option("restarts", "further searches from the best order with some variables moved", "Restarts", 200),
            Option("patience", "restarts that may gain too little before they end", rule=whole(1)),
            _MAX_PARENTS,
            Option(
                "time_limit",
                "seconds after which it ends with its best network; empty for no limit",
                "Time limit (s)",
                whole=False,
            ),
            _SEED,
            _WITHIN,
            _KNOWLEDGE,
        ),
        search=BestOrderSearch,
    ),
    Learner(
        "exact",
        "Exact search",
        "Finds the network of greatest score and proves it: for up to 20 variables, or some 40 with few parents each.",
        (
            Option("max_parents", "maximum number of parents of a variable; empty for any number", "Max. parents", 3),
            Option(
                "time_limit",
                "seconds after which the best network so far is the result, unproven; empty for no limit",
                "Time limit (s)",
                whole=False,
            ),
            _WITHIN,
            _KNOWLEDGE,
        ),
        search=exact_search,
    ),
    Learner(
        "k2",
        "K2",
        "Each variable takes parents from the columns before it: for columns in causal order.",
        (
            _MAX_PARENTS,
            Option(
                "orders",
                "number of random orders; empty for the order of the columns",
                "Random orders",
                None,
                1,
                rule=whole(1) | ORDERS,
            ),
            _SEED,
            _WITHIN,
            _KNOWLEDGE,
        ),
        search=K2Search,
        score="k2",
    ),
    Learner(
        "chen",
        "Chen's search",
        "Variables choose edges at random and learn from the change of the score; then a climb from the best network.",
        (
            _SEED,
            Option("variant", "best readings and a climb, or the search of the paper", rule=one_of(*VARIANTS)),
            Option("max_parents", "maximum number of parents of a variable"),
            _WITHIN,
            _KNOWLEDGE,
            Option("B", "iterations after which a new instance is generated", least=1),
            Option("Q", "iterations after which a node must decide", least=1),
            Option("max_iterations", "iterations after which the search ends", least=1),
            Option("beta", "rate of learning", rule=number(0) | one_of("data")),
            Option("epsilon", "distance from certainty at which a decision is permanent", rule=number(0, 1)),
            Option("policies", "initial policies", rule=one_of("gains")),
            Option("permanent", "edges of the network from the start", rule=PAIRS),
            Option("order", "order of the variables that edges must follow", rule=ORDER),
            Option("choices", "decision nodes per variable", least=1),
            Option("growth", "factor of the rate of learning at every new block", rule=number(0)),
            Option("max_exponent", "bound of the exponent of equation 4", rule=number(0)),
            Option("floor", "least probability of a possible decision", rule=number(0, 1)),
            Option("update_first", "whether a policy learns from the first move after a new instance", rule=FLAG),
            Option("prune", "whether edges that would close a cycle leave the supports at once", rule=FLAG),
            Option("connected", "reading of the connectedness of the skeleton", rule=one_of(*CONNECTED)),
            Option("check", "reading of when the permanent-edge condition is tested", rule=one_of(*CHECKS)),
            Option("limit", "what Q counts", rule=one_of(*LIMITS)),
            Option("stuck", "what happens when no move is admissible", rule=one_of(*STUCK)),
            Option("answer", "which network is the result", rule=one_of(*ANSWERS)),
        ),
        search=chen_search,
        score="k2",
    ),
)

_LEARNER = Option("learner", "learner of each graph, which takes all other options", rule=one_of(*LEARNERS))

GAP_LEARNERS = table_of(
    GapLearner(
        "structural-em",
        "Structural EM",
        "Completes the table by the network learned so far, and learns the next one from it.",
        (
            _LEARNER,
            Option("draws", "number of times that the missing values are drawn in a round", least=1),
            Option("rounds", "greatest number of rounds of a run", least=1),
            Option("seed", "seed of the values drawn, and of a learner that draws numbers"),
            Option(
                "not_at_random",
                "whether one more run models values that are missing more often in some of their own states, "
                "such as high incomes",
                rule=FLAG,
            ),
        ),
        search=StructuralEM,
    ),
    GapLearner(
        "available-cases",
        "Available cases",
        "Scores each family on the rows in which it is complete: quick, for values missing completely at random.",
        (_LEARNER,),
        search=lambda table, make, scores: make(AvailableCases(table)),
        score=PNAL,
    ),
)
CLASS_LEARNERS = table_of(
    ClassLearner(
        "pc",
        "PC",
        "Tests of independence, then the directions that they decide: an equivalence class, without a score.",
        (
            Option("alpha", "significance of the tests; empty for 0.05", "Significance level", most=1, whole=False),
            Option("df", "rule for the degrees of freedom", rule=one_of(*DEGREES_OF_FREEDOM)),
            Option("rows_per_cell", "rows per cell that a test needs", rule=number(0)),
            Option("max_order", "greatest size of a separating set; empty for any", "Max. separating set"),
            Option(
                "unreliable",
                "whether a test with too few rows separates a pair, is skipped, or counts where it finds dependence",
                rule=one_of("independent", "skip", "dependence"),
            ),
            Option("skeleton", "algorithm of the skeleton", "Skeleton", rule=one_of(*SKELETONS_OF_PC)),
            _KNOWLEDGE,
        ),
        search=pc_search,
    ),
    ClassLearner(
        "ges",
        "Greedy equivalence search",
        "A climb from class to class: inserts the edge of greatest gain until none gains, then deletes edges.",
        (_MAX_PARENTS, _KNOWLEDGE),
        search=GreedyEquivalenceSearch,
        score="bic",
    ),
)
"""Learners whose result is a Pdag."""

COMPLETION = "structural-em"
"""What `learn` takes for a table with missing values where no algorithm is named."""


OFFERED: Mapping[str, Learner | ClassLearner] = {**LEARNERS, **CLASS_LEARNERS}
"""Learners that forms and session files offer."""


def learner(name: str) -> Learner | ClassLearner:
    """Learner with a name, of those that forms and session files offer; ValueError when there is none."""
    return entry_of(OFFERED, name, "algorithm")


def score_named(name: str) -> ScoreEntry:
    """Score with a name, of those that forms and session files offer; ValueError when there is none."""
    return entry_of({name: entry for name, entry in SCORE_TABLE.items() if entry.offered}, name, "score")


def scores_of(algorithm: str) -> tuple[str, ...]:
    """Scores that forms offer for a learner, the default first; none for a learner that makes tests instead."""
    entry = learner(algorithm)
    if entry.score is None:
        return ()
    if isinstance(entry, ClassLearner):
        offered = [
            score.name
            for score in SCORE_TABLE.values()
            if score.offered and score.penalised and score.make.score_equivalent
        ]
    elif entry.only:
        return (entry.score,)
    else:
        offered = [s.name for s in SCORE_TABLE.values() if s.offered and (s.penalised or entry.sparse)]
    return tuple(dict.fromkeys((entry.score, *offered)))


def score_of(algorithm: str, score_name: str | None) -> str | None:
    """Name of the score that a learner takes for a given one, None for its default.

    None for a learner that makes tests instead of scoring.

    Raises
    ------
    ValueError
        If the learner does not take the score.
    """
    allowed = scores_of(algorithm)
    if not allowed:
        if score_name is not None:
            raise ValueError(f"score = {score_name!r}: {learner(algorithm).label} takes no score; leave it out.")
        return None
    named = allowed[0] if score_name is None else score_named(score_name).name
    if named not in allowed:
        raise ValueError(
            f"score = {named!r}: {learner(algorithm).label} takes {', '.join(allowed)}; choose one, or another learner."
        )
    return named


def options_of(algorithm: str, score_name: str | None) -> tuple[Option, ...]:
    """Options of a learner and of a score, if it takes one, that forms show."""
    if score_name is None or not scores_of(algorithm):
        return learner(algorithm).shown_options
    return (*learner(algorithm).shown_options, *score_named(score_name).shown_options)


def kinds_of(algorithm: str, score_name: str | None) -> dict[str, Kind]:
    """What each option of a learner and a score, if it takes one, must be in a session file."""
    return ({} if score_name is None else score_named(score_name).kinds) | learner(algorithm).kinds
