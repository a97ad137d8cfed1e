"""Rerun of E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network super-structures.

Five constraint-based learners of skeletons on samples of four networks and of their tilings.
"""

from bnlab.experiments.villanueva2012.bnlearn_hpc import BnlearnHPC, Refusal
from bnlab.experiments.villanueva2012.cell import timed
from bnlab.experiments.villanueva2012.claims import claims, mean_cost, slopes
from bnlab.experiments.villanueva2012.protocol import (
    ALGORITHMS,
    AS_PRINTED,
    COPIES,
    LABELS,
    NETWORKS,
    READINGS,
    ROWS,
    VERSIONS,
    Reading,
)
from bnlab.experiments.villanueva2012.runs import grid, order_grid, records_frame, under
from bnlab.experiments.villanueva2012.samples import OWN, STUDY, Sample, sample, tiling
from bnlab.experiments.villanueva2012.why import Explanation, Trace, causes, explain_edge

__all__ = [
    "ALGORITHMS",
    "AS_PRINTED",
    "COPIES",
    "LABELS",
    "NETWORKS",
    "OWN",
    "READINGS",
    "ROWS",
    "STUDY",
    "VERSIONS",
    "BnlearnHPC",
    "Explanation",
    "Reading",
    "Refusal",
    "Sample",
    "Trace",
    "causes",
    "claims",
    "explain_edge",
    "grid",
    "mean_cost",
    "order_grid",
    "records_frame",
    "sample",
    "slopes",
    "tiling",
    "timed",
    "under",
]
