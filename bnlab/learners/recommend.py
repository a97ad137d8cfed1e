"""The learner that finds the best network of a table within a given time: the default of `learn`."""

from __future__ import annotations

from typing import Any, NamedTuple

from bnlab._runtime.names import known_name
from bnlab.graphs.dag import counted
from bnlab.scores import LocalScore
from bnlab.scores.make import SCORE_TABLE


class Effort(NamedTuple):
    """Time limit of a search over orders in seconds, its restarts, and the maximum number of variables.

    The restarts are for up to `USUAL` variables and grow in proportion beyond. With at most `FEW_ROWS` rows the
    maximum is twice as high.
    """

    seconds: float
    restarts: int
    variables: int


EFFORTS = {"quick": Effort(2.0, 200, 300), "default": Effort(10.0, 1000, 600), "thorough": Effort(60.0, 5000, 1000)}
"""Efforts by name, from the leaderboard (`bnlab.papers.studies.leaderboard`).

On tables of 27 to 74 variables, 200 restarts ended up to 0.13 % below the best known score, and 1000 up to 0.002 %. On
a table of 76 variables, 1000 ended 0.07 % below it, and 1500 reached it. With 2,000 rows the search ends above hill
climbing by 1.1 % in 2 seconds on 370 variables, by 0.5 % in 10 on 1184, and by 1.4 % in 60 on 1998. With more variables
the time may end before the first order is scored: with 10,000 rows that takes 3 seconds on 370 variables.
"""

RESTARTS_IN_ROUNDS = 10
"""Restarts in each round of structural expectation-maximisation, as in the stored records of missing values.

Without restarts, graphs of 37 variables with 20 % missing values were two to three times as far from the true graph.
"""

USUAL = 40
"""Number of variables beyond which the restarts grow in proportion."""

FEW_ROWS = 2000
"""Number of rows up to which an order is scored in a fraction of the time."""

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
        "quick" for at most about 2 seconds, "default" 10, "thorough" a minute. With more than 300, 600 or 1000
        variables (twice as many for at most 2,000 rows) the learner is hill climbing with a tabu list, which ends up to
        2 % below the best score.

    Raises
    ------
    ValueError
        If the effort or the score is unknown.

    Examples
    --------
    >>> recommended(37, 5000).algorithm, recommended(8, 500).algorithm, recommended(2000, 5000).algorithm
    ('boss', 'exact', 'hill-climbing')
    """
    seconds, restarts, most = EFFORTS[known_name(effort, EFFORTS, "effort")]
    size = f"{counted(n_variables, 'variable')}, {n_rows:,} rows"
    if isinstance(score, str) and not SCORE_TABLE[known_name(score, SCORE_TABLE, "score")].penalised:
        return Recommendation("branching", {}, f"{score} has no penalty: the best tree.")
    if n_variables <= FEW:
        return Recommendation("exact", {"max_parents": n_variables - 1}, f"{size}: few enough to find the best.")
    if n_variables <= (2 * most if n_rows <= FEW_ROWS else most):
        options = {"restarts": restarts * max(n_variables, USUAL) // USUAL, "time_limit": seconds}
        return Recommendation("boss", options, f"{size}: searched for up to {seconds:g} seconds.")
    reason = f"{size}: too many to search orders in {seconds:g} seconds. The score may be 2 % below the best one."
    return Recommendation("hill-climbing", {"tabu": 10}, reason)
