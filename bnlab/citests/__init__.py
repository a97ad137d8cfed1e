"""Tests of conditional independence: on data, and on a true graph."""

from bnlab.citests.dseparation import DSeparation
from bnlab.citests.g2 import G2, expected_g2, g2, log_p_value
from bnlab.citests.g2_tester import CITest, G2Tester
from bnlab.citests.tester import NOT_PERFORMED, BatchTester, Calls, Dep, Tester

__all__ = [
    "G2",
    "NOT_PERFORMED",
    "BatchTester",
    "CITest",
    "Calls",
    "DSeparation",
    "Dep",
    "G2Tester",
    "Tester",
    "expected_g2",
    "g2",
    "log_p_value",
]
