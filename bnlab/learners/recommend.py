"""Which learner finds the best network of a table within a given time: what `learn` takes when none is named."""

from __future__ import annotations

from typing import Any, NamedTuple

from bnlab._runtime.names import known_name
from bnlab.scores import LocalScore
from bnlab.scores.make import SCORE_TABLE

EFFORTS = {"quick": (2.0, 200), "default": (10.0, 1000), "thorough": (60.0, 5000)}
"""Efforts by name: seconds, and restarts of a search over orders.

With 200 restarts, up to 0.025 % remained to the best known score of tables of 56 variables, and 0.1 % on 74, after one
second; 1000 halved that, or found it (`bnlab.experiments.leaderboard`).
"""

FEW, MANY = 12, 450
"""Variables up to which all networks are searched, and beyond which a search over orders is slow."""


class Recommendation(NamedTuple):
    """A learner, its options, and the reason in a sentence."""

    algorithm: str
    options: dict[str, Any]
    reason: str


def recommended(
    n_variables: int, n_rows: int, score: str | LocalScore | None = None, effort: str = "default"
) -> Recommendation:
    """Learner for a table of some size, as the leaderboard shows it.

    Parameters
    ----------
    n_variables, n_rows : int
    score : str or LocalScore, optional
        A score without a penalty needs a learner that bounds the number of edges.
    effort : str
        "quick" for about 2 seconds, "default" for about 10, "thorough" for about a minute.

    Raises
    ------
    ValueError
        If the effort or the score is unknown.

    Examples
    --------
    >>> recommended(37, 5000).algorithm, recommended(8, 500).algorithm, recommended(2000, 500).algorithm
    ('boss', 'exact', 'hill-climbing')
    """
    seconds, restarts = EFFORTS[known_name(effort, EFFORTS, "effort")]
    size = f"{n_variables} variables, {n_rows:,} rows"
    if isinstance(score, str) and not SCORE_TABLE[known_name(score, SCORE_TABLE, "score")].penalised:
        return Recommendation("branching", {}, f"{score} has no penalty: the best tree.")
    if n_variables <= FEW:
        return Recommendation("exact", {"max_parents": n_variables - 1}, f"{size}: few enough for the best of all.")
    if n_variables <= MANY:
        options = {"restarts": restarts, "time_limit": seconds}
        return Recommendation("boss", options, f"{size}: best order score search, for up to {seconds:g} seconds.")
    return Recommendation("hill-climbing", {"tabu": 10}, f"{size}: hill climbing with a tabu list.")
