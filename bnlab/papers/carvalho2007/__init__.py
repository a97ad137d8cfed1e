"""Reproduction of Table 1 of A. M. Carvalho and A. L. Oliveira (2007), Learning Bayesian networks consistent with the
optimal branching.

Fourteen UCI data sets; naive Bayes, the optimal TAN, and the consistent 2-graph classifier C2G.
"""

from bnlab.papers.carvalho2007.cell import Refinement, edge_changes, learned_structures, refinement
from bnlab.papers.carvalho2007.classes import all_dags, class_sizes, rooted_trees
from bnlab.papers.carvalho2007.protocol import AS_PRINTED, DATASETS, HONEST, LARGE, SCORE_OF, SWEEP
from bnlab.papers.carvalho2007.significance import bayesian_signed_rank, mean_ranks, paired
from bnlab.papers.carvalho2007.table1 import (
    VARIANTS,
    grid,
    implied_rows,
    printed_hits,
    records_frame,
    sweep_frame,
    sweep_grid,
    table1,
)

__all__ = [
    "AS_PRINTED",
    "DATASETS",
    "HONEST",
    "LARGE",
    "SCORE_OF",
    "SWEEP",
    "VARIANTS",
    "Refinement",
    "all_dags",
    "bayesian_signed_rank",
    "class_sizes",
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
