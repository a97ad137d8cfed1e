"""Reproduction of Table 2 of A. M. Carvalho (2009), Scoring functions for learning Bayesian networks, INESC-ID Tec.
Rep. 54.

Twelve UCI data sets, eight scores, the optimal TAN classifier of each.
"""

from bnlab.papers.carvalho2009.candidates import AS_PRINTED, CANDIDATES, HONEST, MINIMUM, PROTOCOLS
from bnlab.papers.carvalho2009.claims import claims, significance
from bnlab.papers.carvalho2009.protocol import DATASETS, SCORES, Protocol, drawn
from bnlab.papers.carvalho2009.table2 import (
    VARIANTS,
    chess_test_rows,
    grid,
    implied_rows,
    ranking,
    records_frame,
    table2,
    whole_hits,
)

__all__ = [
    "AS_PRINTED",
    "CANDIDATES",
    "DATASETS",
    "HONEST",
    "MINIMUM",
    "PROTOCOLS",
    "SCORES",
    "VARIANTS",
    "Protocol",
    "chess_test_rows",
    "claims",
    "drawn",
    "grid",
    "implied_rows",
    "ranking",
    "records_frame",
    "significance",
    "table2",
    "whole_hits",
]
