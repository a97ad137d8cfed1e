"""Runs: the algorithms of the paper, readings of its text, sweeps of its parameters, and rivals.

A run is a function of a local score, the true graph and a seed that returns a `Search`; the records store its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from bnlab.graphs import Dag
from bnlab.learners import GrowingTree, HillClimbing, K2Search, paper_search
from bnlab.learners.chen.search import PAPER_ALARM, PAPER_SIMPLE
from bnlab.scores import LocalScores, make_score

Make: TypeAlias = Callable[[LocalScores, Dag, int], Any]

ROWS = 100_000
PAPER_SETTINGS: dict[str, dict[str, Any]] = {"simple": PAPER_SIMPLE, "alarm": PAPER_ALARM}


@dataclass(frozen=True)
class Reading:
    """One way to read a sentence of the paper, as options of `paper_search`.

    Attributes
    ----------
    text : str
        Text of the paper.
    meaning : str
        Interpretation of the text.
    options : mapping
    """

    text: str
    meaning: str
    options: Mapping[str, Any] = field(default_factory=dict)


_SKELETON = "the weakly connected property is preserved"
_CHECK = "check the permanent edge condition"
_LIMIT = "iterations limited to Q"
_STUCK = "else go to Step 4"
_EXP = "τ = exp(βΔ) τ"

READINGS = {
    "faithful": Reading("", "all defaults"),
    "connected: once": Reading(_SKELETON, "required only once the skeleton is connected", {"connected": "once"}),
    "connected: required": Reading(_SKELETON, "every move ends in a connected network", {"connected": "required"}),
    "connected: ignored": Reading(_SKELETON, "no condition", {"connected": "ignored"}),
    "check: moved": Reading(_CHECK, "only for the node that has just moved", {"check": "moved"}),
    "limit: iterations": Reading(_LIMIT, "Q iterations since the node's policy began", {"limit": "iterations"}),
    "limit: moves": Reading(_LIMIT, "Q moves of the node since its policy began", {"limit": "moves"}),
    "stuck: skip": Reading(_STUCK, "without an admissible move the iteration ends", {"stuck": "skip"}),
    "update_first": Reading("if j mod B ≠ 0", "learn from the first move too", {"update_first": True}),
    "prune": Reading("remove from the support", "with all that would close a cycle", {"prune": True}),
    "max_exponent: 1": Reading(_EXP, "no factor beyond e or below 1/e", {"max_exponent": 1.0}),
    "floor: 1e-300": Reading(
        _EXP, "hardly any guard against under- and overflow", {"floor": 1e-300, "max_exponent": 690.0}
    ),
    "policies: gains": Reading("heuristic", "initial policies in proportion to pairwise gains", {"policies": "gains"}),
    "order: true": Reading("node ordering", "an order of the true network is given", {"order": "true"}),
}
"""Readings by name. "faithful" has the defaults of `paper_search`; every other reading changes one of them."""

SWEEPS: dict[str, dict[str, tuple[float, ...]]] = {
    "simple": {
        "beta": (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1),
        "epsilon": (1e-4, 1e-3, 0.01, 0.05, 0.2),
        "B": (10, 25, 100, 250, 500),
        "Q": (100, 250, 500, 2000, 10_000),
    },
    "alarm": {
        "beta": (9e-7, 9e-6, 9e-5, 3e-4, 9e-4),
        "epsilon": (1e-3, 0.01, 0.2),
        "B": (25, 250, 1000, 5000),
        "Q": (1500, 5000, 15_000, 50_000),
    },
}
"""Values of each parameter of section 4, by network; the other parameters have the printed values."""

CLIMBS: dict[str, dict[str, Any]] = {
    "hill climbing": {},
    "hill climbing, tabu": {"tabu": 20},
    "hill climbing, tabu, 100 restarts": {"tabu": 20, "restarts": 100},
}
"""Options of `HillClimbing` from the empty graph."""

K2_LIMITS = (1, 2, 3, 4, None)
K2_ORDERS = ("file", "true", "reversed", "random")
"""Orders of the variables: that of the network's file, parents first, children first, or drawn with the seed."""


def paper(options: Mapping[str, Any], phi: LocalScores, true: Dag, seed: int) -> Any:
    """Run of `paper_search`; the order "true" is one in which parents come first."""
    given = dict(options)
    if given.get("order") == "true":
        given["order"] = true.topological_order
    return paper_search(phi, phi.n, seed=seed, **given)


def seeded(search: Callable[..., Any], options: Mapping[str, Any], phi: LocalScores, true: Dag, seed: int) -> Any:
    """Run of a search with given options."""
    return search(phi, phi.n, seed=seed, **options)


def k2_run(order: str, limit: int | None, phi: LocalScores, true: Dag, seed: int) -> K2Search:
    """Run of `K2Search` over one order."""
    given: dict[str, Any] = {
        "file": None,
        "true": [true.topological_order],
        "reversed": [true.topological_order[::-1]],
        "random": 1,
    }
    return K2Search(phi, phi.n, orders=given[order], max_parents=limit, seed=seed)


def chow_liu_run(phi: LocalScores, true: Dag, seed: int) -> GrowingTree:
    """Run of the Chow-Liu tree, learned by likelihood and scored by `phi`."""
    return GrowingTree(LocalScores(phi.source, make_score("ll")), phi.n, shown=phi)


def k2_name(order: str, limit: int | None) -> str:
    """Name of a run of K2.

    Examples
    --------
    >>> k2_name("file", 4), k2_name("random", None)
    ('K2, file order, 4 parents', 'K2, random order')
    """
    return f"K2, {order} order" + (f", {limit} parent{'s' * (limit > 1)}" if limit else "")


def sweep_name(parameter: str, value: float) -> str:
    """Name of a run of a sweep.

    Examples
    --------
    >>> sweep_name("beta", 9e-6), sweep_name("Q", 15_000)
    ('beta = 9e-06', 'Q = 15000')
    """
    return f"{parameter} = {value:.12g}"


def _all_runs() -> dict[str, Make]:
    runs: dict[str, Make] = {"Chow-Liu": chow_liu_run}
    runs |= {name: partial(paper, reading.options) for name, reading in READINGS.items()}
    runs |= {name: partial(seeded, HillClimbing, options) for name, options in CLIMBS.items()}
    runs |= {k2_name(order, limit): partial(k2_run, order, limit) for order in K2_ORDERS for limit in K2_LIMITS}
    for parameters in SWEEPS.values():
        for name, values in parameters.items():
            runs |= {sweep_name(name, value): partial(paper, {name: value}) for value in values}
    return runs


RUNS = _all_runs()
"""All runs by their names in the records."""

TABLE1 = ("faithful", k2_name("file", None), "Chow-Liu", *CLIMBS)
"""Runs that are compared with Table 1 and Figure 3."""

CURVED = frozenset(TABLE1)
"""Runs with stored curves."""
