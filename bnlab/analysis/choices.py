"""Which learners and scores there are, in a sentence each, and which one to begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bnlab._runtime.names import nearest

if TYPE_CHECKING:
    from bnlab.analysis.study import Recipe
    from bnlab.data.table import Table

MANY_VARIABLES = 150
"""From so many on, the first network that is suggested is a tree."""


@dataclass(frozen=True)
class Option:
    """A number that an algorithm or a score takes.

    Attributes
    ----------
    name : str
    words : str
        Label, and what it means.
    value : float or None
        To begin with; None leaves it to the algorithm.
    least : float
    whole : bool
    """

    name: str
    label: str
    words: str
    value: float | None = None
    least: float = 0
    whole: bool = True

    def checked(self, value: Any) -> float | int | None:
        """Value as the algorithm takes it.

        Raises
        ------
        ValueError
            When it is no such number, or too small.
        """
        if value is None or value == "":
            return None
        kind = "a whole number" if self.whole else "a number"
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not number >= self.least or number == float("inf") or (self.whole and number != int(number)):
            raise ValueError(f"{self.label} = {value!r}: {kind}, at least {self.least:g}.")
        return int(number) if self.whole else number


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
            (Option("alpha", "Confidence", "of the test against chance, such as 0.99", 0.99, 0.0, whole=False),),
        ),
        Choice("ll", "Likelihood", "Likelihood alone: every edge helps, so only trees make sense with it."),
    )
}


def learner(name: str) -> Choice:
    """Learner of a name; ValueError when there is none."""
    if name not in LEARNERS:
        raise ValueError(f"algorithm={name!r}: {nearest(name, LEARNERS)}")
    return LEARNERS[name]


def score(name: str) -> Choice:
    """Score of a name; ValueError when there is none."""
    if name not in SCORES:
        raise ValueError(f"score={name!r}: {nearest(name, SCORES)}")
    return SCORES[name]


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


def recipe_of(algorithm: str, score_name: str | None = None, **options: Any) -> Recipe:
    """Recipe with the options that are suggested, save those given.

    Raises
    ------
    ValueError
        When a name is unknown, the learner does not take the score, or an option is out of range.

    Examples
    --------
    >>> recipe_of("hill-climbing", "bdeu", ess=4).code("table")
    "bnlab.learn(table, 'hill-climbing', score='bdeu', tabu=10, restarts=0, seed=0, ess=4.0)"
    """
    from bnlab.analysis.study import Recipe

    learner(algorithm)
    allowed = scores_of(algorithm)
    named = allowed[0] if score_name is None else score(score_name).name
    if named not in allowed:
        raise ValueError(
            f"score={named!r}: {LEARNERS[algorithm].label} takes {', '.join(allowed)}; choose one, or another learner."
        )
    known = {option.name: option for option in options_of(algorithm, named)}
    values = {name: option.value for name, option in known.items()} | options
    checked = {name: known[name].checked(value) if name in known else value for name, value in values.items()}
    return Recipe(algorithm, named, {name: value for name, value in checked.items() if value is not None})


def suggested_learner(table: Table) -> tuple[str, str]:
    """Learner to begin with, and why, in a sentence."""
    if table.n_variables >= MANY_VARIABLES:
        return "chow-liu", f"{table.n_variables} variables: a tree shows the strongest dependencies within seconds."
    return (
        "hill-climbing",
        f"{table.n_variables} variables, {table.n_rows:,} rows: hill climbing with BIC is a good start.",
    )
