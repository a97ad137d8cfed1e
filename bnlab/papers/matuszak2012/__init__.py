"""Reproduction of M. Matuszak and J. Miekisz (2012), Stochastic techniques in influence diagrams for learning Bayesian
network structure.

A network of 7 nodes and ALARM, 100,000 sampled rows each; Chen's search over decision nodes, K2 and Chow-Liu.
"""

from bnlab.papers.matuszak2012.cell import evaluate, learned, random_network, sampled, thinned
from bnlab.papers.matuszak2012.readings import PAPER_SETTINGS, READINGS, RUNS, TABLE1
from bnlab.papers.matuszak2012.records import (
    GAPS,
    curves,
    iterations,
    percent_gap,
    readings_table,
    records_frame,
    sweep_frame,
    with_gaps,
)
from bnlab.papers.matuszak2012.table1 import grid

__all__ = [
    "GAPS",
    "PAPER_SETTINGS",
    "READINGS",
    "RUNS",
    "TABLE1",
    "curves",
    "evaluate",
    "grid",
    "iterations",
    "learned",
    "percent_gap",
    "random_network",
    "readings_table",
    "records_frame",
    "sampled",
    "sweep_frame",
    "thinned",
    "with_gaps",
]
