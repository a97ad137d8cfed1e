"""Rerun of M. Matuszak and J. Miekisz (2012), Stochastic techniques in influence diagrams for learning Bayesian network
structure.

A network of 7 nodes and ALARM, 100,000 sampled rows each; Chen's search over decision nodes, K2 and Chow-Liu.
"""

from bnlab.experiments.matuszak2012.cell import evaluate, learned, sampled, thinned
from bnlab.experiments.matuszak2012.comparison import printed_and_rerun, readings_table
from bnlab.experiments.matuszak2012.gaps import GAPS, percent_gap, with_gaps
from bnlab.experiments.matuszak2012.random_networks import random_network
from bnlab.experiments.matuszak2012.readings import (
    ABLATIONS,
    CLIMBS,
    K2_LIMITS,
    K2_ORDERS,
    LONG,
    PAPER_SETTINGS,
    READINGS,
    RUNS,
    SWEEPS,
    TABLE1,
    k2_name,
)
from bnlab.experiments.matuszak2012.runs import all_grids, curves, grid, random_grid, records_frame, sweep_frame
from bnlab.experiments.matuszak2012.walk import iterations

__all__ = [
    "ABLATIONS",
    "CLIMBS",
    "GAPS",
    "K2_LIMITS",
    "K2_ORDERS",
    "LONG",
    "PAPER_SETTINGS",
    "READINGS",
    "RUNS",
    "SWEEPS",
    "TABLE1",
    "all_grids",
    "curves",
    "evaluate",
    "grid",
    "iterations",
    "k2_name",
    "learned",
    "percent_gap",
    "printed_and_rerun",
    "random_grid",
    "random_network",
    "readings_table",
    "records_frame",
    "sampled",
    "sweep_frame",
    "thinned",
    "with_gaps",
]
