"""The learner that finds the best network of a table with a given effort: the default of `learn`."""

from __future__ import annotations

from typing import Any, NamedTuple

from bnlab._runtime.names import known_name
from bnlab.graphs.dag import counted
from bnlab.scores import LocalScore
from bnlab.scores.make import SCORE_TABLE


class Effort(NamedTuple):
    """Restarts of a search over orders.

    There are `restarts` for up to `USUAL` variables, and in proportion more for more, but at most `work` divided by the
    square of the number of variables, which is about what a restart costs.
    """

    restarts: int
    work: int

    def restarts_of(self, n_variables: int) -> int:
        """Restarts for a number of variables."""
        return min(self.restarts * max(n_variables, USUAL) // USUAL, self.work // n_variables**2)


EFFORTS = {
    "quick": Effort(100, 200_000),
    "default": Effort(1000, 6_000_000),
    "thorough": Effort(5000, 60_000_000),
}
"""Efforts by name: they count restarts, so that the result does not depend on the speed or load of the machine."""

RESTARTS_IN_ROUNDS = 10
"""Restarts in each round of structural expectation-maximisation, as in the stored records of missing values.

Without restarts, graphs of 37 variables with 20 % missing values were two to three times as far from the true graph.
"""

USUAL = 40
"""Number of variables beyond which the restarts grow in proportion."""

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
    >>> recommended(37, 5000).algorithm, recommended(8, 500).algorithm, recommended(1000, 5000).options
    ('boss', 'exact', {'restarts': 6})
    """
    chosen = EFFORTS[known_name(effort, EFFORTS, "effort")]
    size = f"{counted(n_variables, 'variable')}, {n_rows:,} rows"
    if isinstance(score, str) and not SCORE_TABLE[known_name(score, SCORE_TABLE, "score")].penalised:
        return Recommendation("branching", {}, f"{score} has no penalty: the best tree.")
    if n_variables <= FEW:
        return Recommendation("exact", {"max_parents": n_variables - 1}, f"{size}: few enough to find the best.")
    restarts = chosen.restarts_of(n_variables)
    return Recommendation("boss", {"restarts": restarts}, f"{size}: a search over orders, {restarts} restarts.")
