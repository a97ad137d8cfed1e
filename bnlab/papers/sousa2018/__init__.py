"""Networks over time that are learned in polynomial time, by J. L. Monteiro, S. Vinga and A. M. Carvalho (2015, tDBN)
and by M. Sousa and A. M. Carvalho (2018, cDBN and bcDBN).

Simulated panels of known networks: how much of their transitions each learner finds.
"""

from bnlab.papers.sousa2018.simulation import (
    DESIGN,
    LEARNERS,
    STORED,
    TRUTHS,
    evaluate,
    grid,
    programs_frame,
    random_network,
    records_frame,
)

__all__ = [
    "DESIGN",
    "LEARNERS",
    "STORED",
    "TRUTHS",
    "evaluate",
    "grid",
    "programs_frame",
    "random_network",
    "records_frame",
]
