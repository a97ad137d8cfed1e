"""Learning with edges of constant columns, as the stored records were made."""

from __future__ import annotations

from typing import Any

from bnlab.counts.base import CountSource
from bnlab.graphs.dag import Dag
from bnlab.learners.table import LEARNERS
from bnlab.scores import local_scores
from bnlab.scores.make import SCORE_TABLE
from bnlab.search import run


def learn_all_columns(source: CountSource, algorithm: str, *, score: str = "bic", **options: Any) -> Dag:
    """Graph of a learner that may use every column; `bnlab.learn` leaves alone those of which the rows show one state.

    Parameters
    ----------
    source, algorithm, score, **options
        As for `bnlab.learn`.
    """
    of_score = {option.name for option in SCORE_TABLE[score].options} & options.keys()
    phi = local_scores(source, score, **{name: options.pop(name) for name in of_score})
    return Dag(source.names, run(LEARNERS[algorithm].search(phi, len(source.names), **options)))
