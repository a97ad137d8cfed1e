"""Rerun of Table 1 of A. M. Carvalho and A. L. Oliveira (2007), Learning Bayesian networks consistent with the optimal
branching.

Fourteen UCI data sets; naive Bayes, the optimal TAN, and the consistent 2-graph classifier C2G.
"""

from bnlab.experiments.carvalho2007.classes import all_dags, class_sizes, rooted_trees
from bnlab.experiments.carvalho2007.comparison import implied_rows, printed_hits, table1
from bnlab.experiments.carvalho2007.protocol import (
    AS_PRINTED,
    CLASSIFIERS,
    DATASETS,
    HONEST,
    HONEST_CUTS,
    LARGE,
    NO_ID,
    SCORE_OF,
    SMALL,
    SWEEP,
    Model,
)
from bnlab.experiments.carvalho2007.refined import refinement
from bnlab.experiments.carvalho2007.refinement import change_picture, edge_changes, learned_structures
from bnlab.experiments.carvalho2007.runs import grid, records_frame, sweep_frame, sweep_grid
from bnlab.experiments.carvalho2007.significance import bayesian_signed_rank, critical_difference, mean_ranks, paired

__all__ = [
    "AS_PRINTED",
    "CLASSIFIERS",
    "DATASETS",
    "HONEST",
    "HONEST_CUTS",
    "LARGE",
    "NO_ID",
    "SCORE_OF",
    "SMALL",
    "SWEEP",
    "Model",
    "all_dags",
    "bayesian_signed_rank",
    "change_picture",
    "class_sizes",
    "critical_difference",
    "edge_changes",
    "grid",
    "implied_rows",
    "learned_structures",
    "mean_ranks",
    "paired",
    "printed_hits",
    "records_frame",
    "refinement",
    "rooted_trees",
    "sweep_frame",
    "sweep_grid",
    "table1",
]
