"""What is restricted by what: searches, super-structures and scores of the hybrid learners.

E. Villanueva and C. D. Maciel (2012) name the hybrid as their next step: a search and score within the super-structure
of OptHPC. Hill climbing within that of MMPC is max-min hill climbing (I. Tsamardinos, L. E. Brown and C. F. Aliferis,
2006, The max-min hill-climbing Bayesian network structure learning algorithm, Machine Learning 65, 31-78).
"""

from __future__ import annotations

from typing import Any

UNRESTRICTED, TRUTH = "unrestricted", "true skeleton"

RESTRICTIONS = (UNRESTRICTED, "opthpc", "hpc", "mmpc", TRUTH)
"""What a search is kept within: nothing, the super-structure of an algorithm, or the true skeleton, which shows what a
perfect super-structure would give."""

SEARCHES = ("hill-climbing", "k2", "chen")
"""Searches as `bnlab.learn` names them."""

ORDERS = 10
"""Random orders that K2 works through; the best graph is kept."""

SCORES: dict[str, dict[str, Any]] = {"bdeu": {"ess": 10}, "bic": {}}
"""Scores and their parameters; the first is that of max-min hill climbing as published."""


def search_options(search: str, version: int) -> dict[str, Any]:
    """Options of a search on sample `version`, whose number is the seed of what is random.

    Hill climbing goes on for 15 moves without a new best, as published; its tabu list holds 10 pairs of nodes where the
    published one holds 100 graphs.
    """
    return {
        "hill-climbing": {"tabu": 10, "patience": 15},
        "k2": {"orders": ORDERS, "seed": version},
        "chen": {"seed": version},
    }[search]
