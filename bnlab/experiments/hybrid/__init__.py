"""The next step that Villanueva and Maciel (2012) name: search and score within a super-structure, measured.

Hill climbing, K2 and Chen's search, unrestricted and within the super-structures of OptHPC, HPC and MMPC and within the
true skeleton: time, score, structural Hamming distance, Sn and Sp.
"""

from bnlab.experiments.hybrid.protocol import RESTRICTIONS, SCORES, SEARCHES, TRUTH, UNRESTRICTED
from bnlab.experiments.hybrid.records import STORED, grid, records_frame

__all__ = [
    "RESTRICTIONS",
    "SCORES",
    "SEARCHES",
    "STORED",
    "TRUTH",
    "UNRESTRICTED",
    "grid",
    "records_frame",
]
