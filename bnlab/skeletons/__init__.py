"""Constraint-based learners: they use dep(x, y, z) alone, not the data or graph behind it."""

from bnlab.skeletons.getpc import GetPC
from bnlab.skeletons.heupc import HeuPC
from bnlab.skeletons.hpc import HPC
from bnlab.skeletons.mmpc import MMPC
from bnlab.skeletons.opthpc import OptHPC
from bnlab.skeletons.search import SkeletonProgress
from bnlab.skeletons.skeleton import make_search, skeleton
from bnlab.skeletons.super_structure import SuperStructure

__all__ = ["HPC", "MMPC", "GetPC", "HeuPC", "OptHPC", "SkeletonProgress", "SuperStructure", "make_search", "skeleton"]
