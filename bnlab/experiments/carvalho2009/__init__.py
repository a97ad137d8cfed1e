"""Rerun of Table 2 of A. M. Carvalho (2009), Scoring functions for learning Bayesian networks, INESC-ID Tec. Rep. 54.

Twelve UCI data sets, eight scores, the optimal TAN classifier of each.
"""

from bnlab.experiments.carvalho2009.candidates import AS_PRINTED, CANDIDATES, HONEST, MINIMUM, PROTOCOLS, drawn
from bnlab.experiments.carvalho2009.claims import claims, score_equivalence, significance
from bnlab.experiments.carvalho2009.comparison import columns_explained, ranking, ranking_by, table2, two_papers
from bnlab.experiments.carvalho2009.evidence import chess_test_rows, glass_id, implied_rows, whole_hits
from bnlab.experiments.carvalho2009.protocol import DATASETS, SCORES, Protocol
from bnlab.experiments.carvalho2009.runs import grid, records_frame, run

__all__ = [
    "AS_PRINTED",
    "CANDIDATES",
    "DATASETS",
    "HONEST",
    "MINIMUM",
    "PROTOCOLS",
    "SCORES",
    "Protocol",
    "chess_test_rows",
    "claims",
    "columns_explained",
    "drawn",
    "glass_id",
    "grid",
    "implied_rows",
    "ranking",
    "ranking_by",
    "records_frame",
    "run",
    "score_equivalence",
    "significance",
    "table2",
    "two_papers",
    "whole_hits",
]
