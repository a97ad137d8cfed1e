"""The one table of structure learners: `learn`, `make_search`, forms and session files read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bnlab._runtime.options import Entry, Option, entry_of, table_of
from bnlab._runtime.values import FLAG, NAMES, ORDER, ORDERS, PAIRS, VARIABLE, Kind, number, one_of, whole
from bnlab.learners.boss.search import BestOrderSearch
from bnlab.learners.chen.multi_start import chen_search
from bnlab.learners.chen.readings import ANSWERS, CHECKS, CONNECTED, LIMITS, STUCK
from bnlab.learners.ckg import ckg_search
from bnlab.learners.growing_tree import GrowingTree
from bnlab.learners.hill_climbing.search import HillClimbing
from bnlab.learners.k2 import K2Search
from bnlab.learners.orderings import orderings_search
from bnlab.learners.types import Phi
from bnlab.scores.make import SCORE_TABLE, ScoreEntry


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
    """

    search: Callable[..., Any]
    score: str = "bic"
    only: bool = False
    sparse: bool = False


def _chow_liu_search(phi: Phi, n: int, *, root: int = 0) -> GrowingTree:
    return GrowingTree(phi, n, root=root)


def _further(name: str, words: str, rule: Kind, *, saved: bool = True) -> Option:
    """Option that forms do not show."""
    return Option(name, words, rule=rule, saved=saved)


_SEED = Option("seed", "seed of the random numbers; the same seed gives the same network", "Seed", 0)
_MAX_PARENTS = Option("max_parents", "maximum number of parents of a variable; empty for any number", "Max. parents")
_K = Option("k", "maximum number of parents of a variable", "Max. parents (k)", 2, 1)
_ROOT = _further("root", "variable at the root of the tree", VARIABLE)
_WITHIN = _further("within", "edges that may be used", PAIRS)

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
            _further("start", "first network", PAIRS),
            _WITHIN,
            _further("patience", "changes without a new best network after which a climb ends", whole(1)),
            _further("perturbations", "random changes at a restart", whole(1)),
        ),
        search=HillClimbing,
    ),
    Learner(
        "chow-liu",
        "Chow-Liu tree",
        "Tree of greatest likelihood: at most one parent a variable; fast with hundreds of variables.",
        (_ROOT,),
        search=_chow_liu_search,
        score="ll",
        only=True,
        sparse=True,
    ),
    Learner(
        "branching",
        "Optimal tree",
        "Tree of greatest score, for any score: at most one parent a variable; fast with hundreds of variables.",
        (_ROOT, _further("spanning", "whether edges that do not improve the score are kept", FLAG)),
        search=GrowingTree,
        sparse=True,
    ),
    Learner(
        "ckg",
        "Consistent k-graph",
        "Starts from the optimal tree and gives each variable the best parents among its ancestors there.",
        (
            _K,
            _ROOT,
            _further(
                "order", "candidates: ancestors in the tree, or all in breadth-first order", one_of("path", "bfs")
            ),
        ),
        search=ckg_search,
    ),
    Learner(
        "ordering-search",
        "Ordering search",
        "Searches the orders of the variables; each takes its best parents among those before it.",
        (
            _K,
            Option("restarts", "orders to start from", "Starts", 10, 1),
            _SEED,
            Option("tabu", "number of latest swaps that may not be undone"),
            _further("patience", "swaps without a new best order after which a start ends", whole(1)),
            _further("start", "first order", ORDER),
        ),
        search=orderings_search,
    ),
    Learner(
        "boss",
        "Best order score search",
        "Searches the orders of the variables; each takes parents greedily from those before it: seldom beaten.",
        (
            Option("restarts", "further searches from the best order with some variables moved", "Restarts", 200),
            _MAX_PARENTS,
            Option(
                "time_limit",
                "seconds after which only the last climb follows; empty for no limit",
                "Time limit (s)",
                whole=False,
            ),
            _SEED,
            _WITHIN,
        ),
        search=BestOrderSearch,
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
        ),
        search=K2Search,
        score="k2",
    ),
    Learner(
        "chen",
        "Chen's search",
        "Variables choose edges at random and learn from the change of the score: slower, seldom in a local optimum.",
        (
            _SEED,
            _further("variant", "multi-start search, or the search of the paper", one_of("default", "paper")),
            Option("max_parents", "maximum number of parents of a variable"),
            _WITHIN,
            Option("chains", "chains in a round", least=1),
            Option("rounds", "rounds of chains", least=1),
            Option("iterations", "iterations of a chain in a round", least=1),
            Option("tabu", "tabu list of the climbs"),
            Option("restarts", "random restarts of the last climb"),
            _further("share", "how far the shared policies move towards the networks of a round", number(0, 1)),
            _further("polish", "whether each chain ends with hill climbing", FLAG),
            Option("B", "iterations after which a new instance is generated", least=1),
            Option("Q", "iterations after which a node must decide", least=1),
            Option("max_iterations", "iterations after which the search ends", least=1),
            _further("beta", "rate of learning", number(0) | one_of("data")),
            _further("epsilon", "distance from certainty at which a decision is permanent", number(0, 1)),
            _further("policies", "initial policies", one_of("gains")),
            _further("permanent", "edges of the network from the start", PAIRS),
            _further("order", "order of the variables that edges must follow", ORDER),
            _further("names", "names of the variables", NAMES, saved=False),
            Option("choices", "decision nodes per variable", least=1),
            _further("growth", "factor of the rate of learning at every new block", number(0)),
            _further("max_exponent", "bound of the exponent of equation 4", number(0)),
            _further("floor", "least probability of a possible decision", number(0, 1)),
            _further("update_first", "whether a policy learns from the first move after a new instance", FLAG),
            _further("prune", "whether edges that would close a cycle leave the supports at once", FLAG),
            _further("connected", "reading of the connectedness of the skeleton", one_of(*CONNECTED)),
            _further("check", "reading of when the permanent-edge condition is tested", one_of(*CHECKS)),
            _further("limit", "what Q counts", one_of(*LIMITS)),
            _further("stuck", "what happens when no move is admissible", one_of(*STUCK)),
            _further("answer", "which network is the result", one_of(*ANSWERS)),
        ),
        search=chen_search,
        score="k2",
    ),
)


def learner(name: str) -> Learner:
    """Learner with a name; ValueError when there is none."""
    return entry_of(LEARNERS, name, "algorithm")


def score_named(name: str) -> ScoreEntry:
    """Score with a name, of those that forms and session files offer; ValueError when there is none."""
    return entry_of({name: entry for name, entry in SCORE_TABLE.items() if entry.offered}, name, "score")


def scores_of(algorithm: str) -> tuple[str, ...]:
    """Scores that forms offer for a learner, the default first."""
    entry = learner(algorithm)
    if entry.only:
        return (entry.score,)
    offered = (score.name for score in SCORE_TABLE.values() if score.offered and (score.penalised or entry.sparse))
    return tuple(dict.fromkeys((entry.score, *offered)))


def score_of(algorithm: str, score_name: str | None) -> str:
    """Name of the score that a learner takes for a given one, None for its default.

    Raises
    ------
    ValueError
        If the learner does not take the score.
    """
    allowed = scores_of(algorithm)
    named = allowed[0] if score_name is None else score_named(score_name).name
    if named not in allowed:
        raise ValueError(
            f"score = {named!r}: {learner(algorithm).label} takes {', '.join(allowed)}; choose one, or another learner."
        )
    return named


def options_of(algorithm: str, score_name: str) -> tuple[Option, ...]:
    """Options of a learner and of a score that forms show."""
    return (*learner(algorithm).shown_options, *score_named(score_name).shown_options)


def kinds_of(algorithm: str, score_name: str) -> dict[str, Kind]:
    """What each option of a learner and a score must be in a session file."""
    return score_named(score_name).kinds | learner(algorithm).kinds
