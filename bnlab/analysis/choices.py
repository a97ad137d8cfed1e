"""Which learners and scores there are, in a sentence each, and which one to begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab._runtime.names import known_name
from bnlab.analysis.values import FLAG, ORDER, ORDERS, PAIRS, VARIABLE, Kind, check_text, number, one_of, shown, whole

if TYPE_CHECKING:
    from bnlab.data.table import Table

MANY_VARIABLES = 150
"""From so many on, the first network that is suggested is a tree."""


@dataclass(frozen=True)
class Option:
    """A number that an algorithm or a score takes.

    Attributes
    ----------
    name : str
    label, words : str
        What the page calls it, and what it means.
    value : float or None
        To begin with; None leaves it to the algorithm.
    least : float
    whole : bool
    most : float, optional
    """

    name: str
    label: str
    words: str
    value: float | None = None
    least: float = 0
    whole: bool = True
    most: float | None = None

    @property
    def kind(self) -> Kind:
        """What its values must be."""
        return whole(int(self.least)) if self.whole else number(self.least, self.most)

    def checked(self, value: Any) -> float | int | None:
        """Value as the algorithm takes it, from a number or from its text.

        Raises
        ------
        ValueError
            When it is no such number, or out of range.
        """
        if value is None or value == "":
            return None
        asked = value
        if isinstance(value, str):
            value = _read_number(value)
        elif isinstance(value, np.generic):
            value = value.item()
        if self.whole and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not self.kind.holds(value):
            raise ValueError(f"{self.label} = {shown(asked)}: {self.kind.words}.")
        return int(value) if self.whole else float(value)


def _read_number(text: str) -> float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


@dataclass(frozen=True)
class Choice:
    """A learner or a score."""

    name: str
    label: str
    words: str
    options: tuple[Option, ...] = ()


SEED = Option("seed", "Seed", "of the random numbers: the same seed gives the same network", 0)
PARENTS = Option("max_parents", "Most parents", "that a variable may have; empty for any number", None)

LEARNERS = {
    choice.name: choice
    for choice in (
        Choice(
            "hill-climbing",
            "Hill climbing",
            "Adds, deletes or turns the edge that gains most, until none does: a good first network.",
            (
                PARENTS,
                Option("tabu", "Tabu list", "moves that may not be taken back at once, to walk over small dips", 10),
                Option("restarts", "Restarts", "further climbs from a shaken network: slower, often better", 0),
                SEED,
            ),
        ),
        Choice(
            "chow-liu",
            "Chow-Liu tree",
            "The tree with most mutual information: one parent each at most, fast with hundreds of variables.",
        ),
        Choice(
            "branching",
            "Optimal tree",
            "The tree of greatest score, for any score: one parent each at most, fast with hundreds of variables.",
        ),
        Choice(
            "ckg",
            "Consistent k-graph",
            "Begins with the optimal tree and gives each variable the best parents among its ancestors there.",
            (Option("k", "Most parents (k)", "that a variable may have", 2, 1),),
        ),
        Choice(
            "ordering-search",
            "Search over orders",
            "Looks for the best order of the variables; each takes its best parents among those before it.",
            (
                Option("k", "Most parents (k)", "that a variable may have", 2, 1),
                Option("restarts", "Starts", "orders to begin from", 10, 1),
                SEED,
            ),
        ),
        Choice(
            "k2",
            "K2",
            "Each variable takes parents from the columns before it: for columns in the order of cause and effect.",
            (
                PARENTS,
                Option(
                    "orders",
                    "Random orders",
                    "to try; empty for the order of the columns",
                    None,
                    1,
                ),
                SEED,
            ),
        ),
        Choice(
            "chen",
            "Chen's search",
            "Variables decide at random on their edges and learn from what it gains: slower, seldom stuck.",
            (SEED,),
        ),
    )
}

SCORES = {
    choice.name: choice
    for choice in (
        Choice("bic", "BIC", "Likelihood less a price for each parameter that grows with the rows: few false edges."),
        Choice("aic", "AIC", "Likelihood less a small price for each parameter: more edges, good for prediction."),
        Choice("nml", "fNML", "Likelihood less the price of minimal description: as BIC, and exact on few rows."),
        Choice(
            "bdeu",
            "BDeu",
            "Probability of the network given the rows; equivalent networks score the same.",
            (
                Option(
                    "ess",
                    "Equivalent sample size",
                    "weight of the prior; more of it gives more edges",
                    1.0,
                    1e-6,
                    whole=False,
                ),
            ),
        ),
        Choice("k2", "K2", "Probability of the network given the rows, all distributions equally likely before."),
        Choice(
            "mit",
            "MIT",
            "Mutual information with the parents, less what chance would give.",
            (
                Option(
                    "alpha", "Confidence", "of the test against chance, such as 0.99", 0.99, 0.0, whole=False, most=1.0
                ),
            ),
        ),
        Choice("ll", "Likelihood", "Likelihood alone: every edge helps, so only trees make sense with it."),
    )
}


# What the page does not offer, by learner. Options that take a graph, a function or an array are in no session, save as
# pairs of names; nor is one that `make_search` does not take.
FURTHER: dict[str, dict[str, Kind]] = {
    "hill-climbing": {"start": PAIRS, "within": PAIRS, "patience": whole(1), "perturbations": whole(1)},
    "chow-liu": {"root": VARIABLE},
    "branching": {"root": VARIABLE},
    "ckg": {"root": VARIABLE, "order": one_of("path", "bfs")},
    "ordering-search": {"tabu": whole(0), "patience": whole(1), "start": ORDER},
    "k2": {"orders": whole(1) | ORDERS, "within": PAIRS},
    "chen": {
        "variant": one_of("default", "paper"),
        **dict.fromkeys(("chains", "rounds", "iterations", "B", "Q", "choices", "max_iterations"), whole(1)),
        **dict.fromkeys(("max_parents", "tabu", "restarts"), whole(0)),
        **dict.fromkeys(("growth", "max_exponent"), number(0)),
        **dict.fromkeys(("share", "epsilon", "floor"), number(0, 1)),
        **dict.fromkeys(("polish", "update_first", "prune"), FLAG),
        "beta": number(0) | one_of("data"),
        "policies": one_of("gains"),
        "permanent": PAIRS,
        "within": PAIRS,
        "order": ORDER,
        "connected": one_of("preserved", "once", "required", "ignored"),
        "limit": one_of("overall", "iterations", "moves"),
        "stuck": one_of("restart", "skip"),
        "answer": one_of("final", "best", "present"),
    },
}


def learner(name: str) -> Choice:
    """Learner of a name, see `bnlab._runtime.names.known_name`; ValueError when there is none."""
    return LEARNERS[known_name(check_text("algorithm", name), LEARNERS, "algorithm")]


def score(name: str) -> Choice:
    """Score of a name, see `bnlab._runtime.names.known_name`; ValueError when there is none."""
    return SCORES[known_name(check_text("score", name), SCORES, "score")]


def scores_of(algorithm: str) -> tuple[str, ...]:
    """Scores that a learner can take, the one to begin with first."""
    if algorithm == "chow-liu":
        return ("ll",)
    if algorithm in ("k2", "chen"):
        return ("k2", *(name for name in SCORES if name not in ("k2", "ll")))
    return tuple(name for name in SCORES if name != "ll" or algorithm == "branching")


def options_of(algorithm: str, score_name: str) -> tuple[Option, ...]:
    """Options of a learner and of a score."""
    return (*learner(algorithm).options, *score(score_name).options)


def kinds_of(algorithm: str, score_name: str) -> dict[str, Kind]:
    """What each option of a learner and a score must be, those included that the page does not offer."""
    return {option.name: option.kind for option in options_of(algorithm, score_name)} | FURTHER[learner(algorithm).name]


def score_of(algorithm: str, score_name: str | None) -> str:
    """Score that a learner takes when this one is asked for; ValueError when it is not among its scores."""
    allowed = scores_of(learner(algorithm).name)
    named = allowed[0] if score_name is None else score(score_name).name
    if named not in allowed:
        raise ValueError(
            f"score = {named!r}: {LEARNERS[algorithm].label} takes {', '.join(allowed)}; choose one, or another "
            "learner."
        )
    return named


def suggested_learner(table: Table) -> tuple[str, str]:
    """Learner to begin with, and why, in a sentence."""
    if table.n_variables >= MANY_VARIABLES:
        return "chow-liu", f"{table.n_variables} variables: a tree shows the strongest dependencies within seconds."
    return (
        "hill-climbing",
        f"{table.n_variables} variables, {table.n_rows:,} rows: hill climbing with BIC is a good start.",
    )
