"""Reproduction of E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network
super-structures.

Five constraint-based learners of skeletons on samples of four networks and of their tilings.
"""

from bnlab.papers.villanueva2012.cell import grid, order_grid, records_frame, under
from bnlab.papers.villanueva2012.claims import claims, mean_cost, slopes
from bnlab.papers.villanueva2012.protocol import (
    ALGORITHMS,
    COPIES,
    LABELS,
    NETWORKS,
    READINGS,
    ROWS,
    VERSIONS,
    sample,
    tiling,
)
from bnlab.papers.villanueva2012.why import Trace, causes

__all__ = [
    "ALGORITHMS",
    "COPIES",
    "LABELS",
    "NETWORKS",
    "READINGS",
    "ROWS",
    "VERSIONS",
    "Trace",
    "causes",
    "claims",
    "grid",
    "mean_cost",
    "order_grid",
    "records_frame",
    "sample",
    "slopes",
    "tiling",
    "under",
]
