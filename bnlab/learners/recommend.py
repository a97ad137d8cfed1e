"""The learner that finds the best network of a table with a given effort: the default of `learn`."""

from __future__ import annotations

from typing import Any, NamedTuple

from bnlab._runtime.names import known_name
from bnlab.graphs.dag import counted
from bnlab.scores import LocalScore
from bnlab.scores.make import SCORE_TABLE


class Effort(NamedTuple):
    """How much a search over orders does.

    There are at most `restarts` for up to `USUAL` variables, and in proportion more for more, but no more than `work`
    allows: a restart costs about the square of the number of variables, or its cube under a Bayesian score, which
    accepts more parents, and more with many rows. Beyond `MANY` variables there are fewer still, because the first
    order takes long itself. The restarts end early when a number of them in a row gains too little: `restarts`, on more
    than `USUAL` variables fewer in proportion, but at least `patience`. Under a Bayesian score it falls with the square
    of the number of variables, to `bayesian_patience` at least.
    """

    restarts: int
    work: int
    patience: int
    bayesian_patience: int

    def options_of(self, n_variables: int, n_rows: int, bayesian: bool = False) -> dict[str, int]:
        """Options of the search for a table of this size, and for the kind of score."""
        n = max(n_variables, USUAL)
        if bayesian:
            cost = n**3 * max(n, MANY) * (n_rows + 5000) // (2_000_000 * MANY)
            patience = max(self.restarts * USUAL**2 // n**2, self.bayesian_patience)
        else:
            cost = n**2 * max(n_rows, 10_000) // 10_000
            patience = max(self.restarts * USUAL // n, self.patience)
        return {"restarts": min(self.restarts * n // USUAL, self.work // cost), "patience": patience}


EFFORTS = {
    "quick": Effort(100, 800_000, 30, 25),
    "default": Effort(2000, 600_000_000, 600, 250),
    "thorough": Effort(6000, 4_800_000_000, 4500, 1500),
}
"""Efforts by name: they count what is done, so that the result does not depend on the speed or load of the machine."""

RESTARTS_IN_ROUNDS = 10
"""Restarts in each round of structural expectation-maximisation, as in the stored records of missing values.

Without restarts, graphs of 37 variables with 20 % missing values were two to three times as far from the true graph.
"""

USUAL = 40
"""Number of variables beyond which the restarts grow in proportion."""

MANY = 400
"""Number of variables beyond which a Bayesian score allows fewer restarts than their cube."""

FEW = 12
"""Number of variables up to which all networks are searched."""


class Recommendation(NamedTuple):
    """A learner, its options, and the reason in a sentence."""

    algorithm: str
    options: dict[str, Any]
    reason: str


def recommended(
    n_variables: int, n_rows: int, score: str | LocalScore | None = None, effort: str = "default"
) -> Recommendation:
    """Learner that is best on the leaderboard for tables of this size.

    Parameters
    ----------
    n_variables, n_rows : int
    score : str or LocalScore, optional
        A score without a penalty needs a learner that bounds the number of edges.
    effort : str
        "quick", "default" or "thorough": as for `bnlab.learn`.

    Raises
    ------
    ValueError
        If the effort or the score is unknown.

    Examples
    --------
    >>> recommended(37, 5000).algorithm, recommended(8, 500).algorithm, recommended(400, 5000).options
    ('boss', 'exact', {'restarts': 3750, 'patience': 600})
    """
    chosen = EFFORTS[known_name(effort, EFFORTS, "effort")]
    size = f"{counted(n_variables, 'variable')}, {n_rows:,} rows"
    made: Any = SCORE_TABLE[known_name(score, SCORE_TABLE, "score")].make if isinstance(score, str) else type(score)
    if any(entry.make is made and not entry.penalised for entry in SCORE_TABLE.values()):
        return Recommendation("branching", {}, f"{made.name} has no penalty: the best tree.")
    if n_variables <= FEW:
        return Recommendation("exact", {"max_parents": n_variables - 1}, f"{size}: few enough to find the best.")
    options = chosen.options_of(n_variables, n_rows, score is not None and made.bayesian)
    restarts = counted(options["restarts"], "restart")
    return Recommendation("boss", options, f"{size}: a search over orders with at most {restarts}.")
